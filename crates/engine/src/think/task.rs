//! What to think about, and for how long.

use rules::Move;
use std::time::Duration;

/// What to think about. Thinking also ends, whatever the limits, once the result is proven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Only these moves (searchmoves; for banmoves all others). What isn't legal doesn't count.
    pub only: Option<Vec<Move>>,
    /// So many nodes: evaluations, and walks that ended in a result. Begins with an empty tree, so that the answer
    /// depends on nothing that was thought before. 1 gives the network's favourite move.
    pub nodes: Option<u64>,
    /// Until the walks are so many plies long on average.
    pub depth: Option<u32>,
    /// How many moves to report, best first (`MultiPV`). Changes nothing else.
    pub lines: usize,
    /// Time from the start; without it (and before [`Signal::start_clock`](super::Signal::start_clock)) there is no
    /// hurry.
    pub time: Option<Allowance>,
}

impl Default for Task {
    /// All moves, no limit, one line.
    fn default() -> Self {
        Self { only: None, nodes: None, depth: None, lines: 1, time: None }
    }
}

/// How much time a move may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// Stop here, unless the second move is about to overtake the best (it is worth more); sooner, if none can
    /// overtake it any more in the time that is left.
    pub soft: Duration,
    /// Never go beyond this. Where the tree is full and less is left than pruning it may take, thinking ends sooner.
    pub hard: Duration,
}

impl Allowance {
    /// Exactly so much, or less if there is no choice left.
    pub const fn fixed(time: Duration) -> Self {
        Self { soft: time, hard: time }
    }
}
