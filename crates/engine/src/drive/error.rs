//! What goes wrong with engines.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use super::UnsupportedLimit;

/// Why an engine gave no answer. Each names the program.
///
/// After [`EngineError::Limit`] and [`EngineError::Position`] the engine still runs, and after [`EngineError::Stopped`] it
/// does, but only to be quit; after any other its process is gone and every further question is answered by
/// [`EngineError::Ended`].
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// It couldn't be started.
    #[error("{program} can't be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// It doesn't speak the dialect, or not in time, or it doesn't play Xiangqi.
    #[error("{program} doesn't work as an engine: {problem}{}", quoted(last_lines))]
    Handshake {
        /// The program.
        program: String,
        /// What went wrong.
        problem: String,
        /// What it wrote last.
        last_lines: Vec<String>,
    },
    /// It has no such option, or doesn't take this value.
    #[error("{program}: option \"{option}\" {problem}")]
    Option {
        /// The program.
        program: String,
        /// What was to be set.
        option: String,
        /// What is wrong with it, and what is allowed.
        problem: String,
    },
    /// It can't be told to think so long.
    #[error("{program}: {source}")]
    Limit {
        /// The program.
        program: String,
        /// What can't be said.
        source: UnsupportedLimit,
    },
    /// It can't be shown this position.
    #[error("{program} can't be shown a game that starts from \"{fen}\": {problem}")]
    Position {
        /// The program.
        program: String,
        /// Where the game starts.
        fen: String,
        /// Why not.
        problem: String,
    },
    /// It ended by itself, or closed its output.
    #[error("{program} crashed ({}){}", ended(*status), quoted(last_lines))]
    Crashed {
        /// The program.
        program: String,
        /// How it ended; `None` if it only closed its output and was killed.
        status: Option<ExitStatus>,
        /// What it wrote last.
        last_lines: Vec<String>,
    },
    /// It didn't answer in time, not even when told to stop, and was killed.
    #[error("{program} gave no answer in {:.1} s", after.as_secs_f64())]
    Stalled {
        /// The program.
        program: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// Its answer isn't wanted any more.
    #[error("{program} was told to stop")]
    Stopped {
        /// The program.
        program: String,
    },
    /// It was ended after an earlier error.
    #[error("{program} was ended after an error")]
    Ended {
        /// The program.
        program: String,
    },
}

fn quoted(lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { format!("; its last words: {}", lines.join(" | ")) }
}

fn ended(status: Option<ExitStatus>) -> String {
    status.map_or_else(|| "closed its output".to_owned(), |status| status.to_string())
}
