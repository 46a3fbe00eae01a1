//! What is said, one whole message at a time.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The output, for several threads. After an error nothing more is written.
#[derive(Debug)]
pub(super) struct Voice<W> {
    output: Mutex<Output<W>>,
}

#[derive(Debug)]
struct Output<W> {
    writer: W,
    error: Option<io::Error>,
}

impl<W: Write> Voice<W> {
    pub(super) const fn new(writer: W) -> Self {
        Self { output: Mutex::new(Output { writer, error: None }) }
    }

    /// Says some lines, and flushes.
    pub(super) fn say(&self, lines: &str) {
        let mut output = self.lock();
        if output.error.is_none() && !lines.is_empty() {
            let Output { writer, error } = &mut *output;
            let written = writer.write_all(format!("{lines}\n").as_bytes()).and_then(|()| writer.flush());
            *error = written.err();
        }
    }

    /// Does nobody listen any more?
    pub(super) fn has_failed(&self) -> bool {
        self.lock().error.is_some()
    }

    /// The error, if there was one.
    pub(super) fn into_result(self) -> io::Result<()> {
        let output = self.output.into_inner().unwrap_or_else(PoisonError::into_inner);
        output.error.map_or(Ok(()), Err)
    }

    fn lock(&self) -> MutexGuard<'_, Output<W>> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
