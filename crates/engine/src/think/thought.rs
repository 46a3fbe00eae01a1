//! What was found.

use search::Line;
use std::time::Duration;

/// What has been found so far, or in the end.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Thought {
    /// Evaluations, and walks that ended in a result, since this task began.
    pub nodes: u64,
    /// Time since this task began.
    pub elapsed: Duration,
    /// How many plies the walks are long on average, rounded down, at least 1; never less than before.
    pub depth: u32,
    /// The plies of the longest walk, at least 1.
    pub seldepth: u32,
    /// How full the tree's memory is.
    pub hashfull_permille: u32,
    /// The best moves, the one to play first; none if no move is allowed. Where a move is drawn by lot
    /// ([`Level`](super::Level), [`Variety`](super::Variety)) the last thought has it in front.
    pub lines: Vec<Line>,
}
