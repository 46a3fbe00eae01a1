//! Ctrl-C: the first asks the work to end cleanly, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that the first Ctrl-C (or SIGTERM) sets; a second one ends the program with exit code 130.
pub(crate) fn on_signal() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            // Now: every file is safe at every instant.
            torch::exit_now(130);
        }
    })?;
    Ok(stop)
}
