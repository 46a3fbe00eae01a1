//! What can be wrong with a record.

use crate::record::FULL_TARGET;
use rules::{FenError, IllegalMove, Move};
use std::str::Utf8Error;

/// Why a record is no game that can have been played.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum RecordError {
    /// More plies than are counted.
    #[error("{0} plies, at most 65535 are allowed")]
    TooLong(usize),
    /// A move that the rules forbid.
    #[error("ply {ply}: {source}")]
    IllegalMove {
        /// Which ply, from 0.
        ply: usize,
        /// The move and the position.
        source: IllegalMove,
    },
    /// A policy target for a move that the rules forbid.
    #[error("ply {ply}: the policy names {mv}, which is not legal there")]
    IllegalTarget {
        /// Which ply, from 0.
        ply: usize,
        /// The move.
        mv: Move,
    },
    /// A move that the policy names twice.
    #[error("ply {ply}: the policy names {mv} twice")]
    DoubleTarget {
        /// Which ply, from 0.
        ply: usize,
        /// The move.
        mv: Move,
    },
    /// Targets that are no shares of the whole.
    #[error(
        "ply {ply}: the policy adds up to {sum} with shares of {least} and more, want {FULL_TARGET} and 1"
    )]
    TargetSum {
        /// Which ply, from 0.
        ply: usize,
        /// What the targets add up to.
        sum: u32,
        /// The least of them.
        least: u16,
    },
    /// A number from a search where there was none.
    #[error("ply {0}: results of a search but no simulations")]
    NotSearched(usize),
    /// A value outside [−1, 1].
    #[error("ply {0}: root value -32768, the least is -32767")]
    RootValue(usize),
    /// A divergence that is no number.
    #[error("ply {ply}: kl is {kl}, want a finite number")]
    Divergence {
        /// Which ply, from 0.
        ply: usize,
        /// NaN or an infinity.
        kl: f32,
    },
    /// A weight that is no share.
    #[error("scoring_weight is {0}, want 0 to 1")]
    ScoringWeight(f32),
    /// A game that was decided before anybody searched, or after its end.
    #[error("decided at ply {ply} of {plies}: want 1 and more, after a search and before the end")]
    Decided {
        /// Since when it is said to be.
        ply: u16,
        /// How many plies it has.
        plies: usize,
    },
    /// A game that was played through though it was never decided.
    #[error("played_through is set, but the game was never decided")]
    PlayedThrough,
    /// Outcome and reason don't fit the last position.
    #[error("ends with {recorded} after {plies} plies, but the position there says {found}")]
    Ending {
        /// What the record says.
        recorded: String,
        /// How many plies it has.
        plies: usize,
        /// What the rules say.
        found: String,
    },
    /// A name that a column doesn't know.
    #[error("{column} is \"{found}\", want one of {allowed}")]
    Name {
        /// The column.
        column: &'static str,
        /// What stands there.
        found: String,
        /// The names that there are.
        allowed: String,
    },
    /// A text that is not UTF-8.
    #[error("{column} is no text: {source}")]
    Text {
        /// The column.
        column: &'static str,
        /// What is wrong with it.
        source: Utf8Error,
    },
    /// A start that is no position.
    #[error("start_fen: {0}")]
    Fen(#[from] FenError),
    /// A number that doesn't fit its column.
    #[error("{column} holds {found}, want {least} to {most}")]
    Number {
        /// The column.
        column: &'static str,
        /// What stands there.
        found: i64,
        /// The least that is allowed.
        least: i64,
        /// The most that is allowed.
        most: i64,
    },
    /// Sixteen bits that are no move.
    #[error("{bits} in {column} is no move")]
    Move {
        /// The column.
        column: &'static str,
        /// What stands there.
        bits: u16,
    },
    /// A list that is not as long as the game.
    #[error("{column} has {length} entries for a game of {plies} plies")]
    Length {
        /// The column.
        column: &'static str,
        /// How long it is.
        length: usize,
        /// How long the game is.
        plies: usize,
    },
}
