//! Another's engine as a process of ours: start it, ask it for moves, end it.
//!
//! Start with [`Engine::start`]. A [`Command`] says which program and how it talks ([`Dialect`]), a [`Task`] what to
//! think about and how long, a [`Reply`] what came back. Every wait has an end: an engine that dies, falls silent,
//! floods or talks nonsense is an [`EngineError`] or an [`Answer`] that says so, never a caller that hangs.
//!
//! `process` is the program with its pipes, `uci` and `cecp` what is said through them; `coordinates`, `info`,
//! `options` and `position` are the words.

mod cecp;
mod command;
pub(crate) mod coordinates;
mod dialect;
mod engine;
mod error;
mod info;
mod lines;
mod link;
mod options;
mod position;
mod process;
mod reply;
mod task;
mod uci;

pub use command::{Command, Patience};
pub use dialect::{Dialect, ParseDialectError};
pub use engine::Engine;
pub use error::EngineError;
pub use reply::{Answer, EngineScore, Info, Reply};
pub use task::{ClockTime, Limits, Task, UnsupportedLimit};
