//! How an engine is started.

use std::path::PathBuf;
use std::time::Duration;

use super::Dialect;

/// A program, how to start it and how to talk to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The program. A name without a slash is looked for as the operating system does.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder it works in; ours if `None`. Doesn't change where the program is looked for.
    pub folder: Option<PathBuf>,
    /// The protocol.
    pub dialect: Dialect,
    /// Names and values of its options, in the order in which they are sent; a button's value is empty.
    /// The engine must announce each of them, in either case. To CECP engines `memory` (MiB) and `cores` are sent as
    /// the commands of these names.
    pub options: Vec<(String, String)>,
    /// What to call it, if not by the name that it gives itself.
    pub name: Option<String>,
}

impl Command {
    /// A program without arguments and options.
    pub fn new(program: impl Into<PathBuf>, dialect: Dialect) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            folder: None,
            dialect,
            options: Vec::new(),
            name: None,
        }
    }
}

/// How long an engine is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// From its start until it is ready; then again before each game and each move.
    pub start: Duration,
    /// From being told to stop, which happens at a task's deadline, until it answers.
    pub answer_margin: Duration,
    /// From being asked to quit until it is gone. After that it is killed.
    pub quit: Duration,
}

impl Default for Patience {
    /// 10 s, 1 s and 2 s.
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            answer_margin: Duration::from_secs(1),
            quit: Duration::from_secs(2),
        }
    }
}
