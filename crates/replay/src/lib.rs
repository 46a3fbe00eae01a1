//! Games that were played to learn from: what is recorded of each ([`GameRecord`]), how they lie on disk
//! ([`write_shard`], [`read_shard`]; `FORMAT.md` describes the file), the [`Window`] that training draws from, and
//! which of its rows show the same position ([`Duplicates`]), and what can be said about a heap of games
//! ([`Statistics`]).
//!
//! Records hold facts only. No tensors, no targets, no weights: those are the trainer's. No search either: how the
//! numbers came about is the business of who played.
//!
//! Start with [`GameRecord`].

mod calibration;
mod columns;
mod duplicates;
mod huge_pages;
mod nesting;
mod packed;
mod record;
mod record_error;
mod seen;
mod shard;
mod short_horizon;
mod statistics;
mod surprise;
mod window;

pub use calibration::{Calibration, CalibrationBin};
pub use duplicates::{Duplicates, Member};
pub use record::{
    Decided, EndReason, FULL_TARGET, GameRecord, LEAST_TARGET, PlyRecord, PolicyEntry, RecordError,
    StartedBy, draw_from_u8, draw_to_u8, value_from_i16, value_to_i16,
};
pub use shard::{FORMAT_VERSION, MAGIC, ShardError, read_shard, write_shard};
pub use statistics::{Resignation, Statistics};
pub use surprise::Surprise;
pub use window::{GameFacts, Row, Window, WindowError};
