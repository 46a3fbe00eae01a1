//! What an engine answers.

use std::time::Duration;

use rules::Move;

/// An engine's answer to a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The move, or what came in its place.
    pub answer: Answer,
    /// It offers a draw with its move, or accepts one.
    pub offers_draw: bool,
    /// What it said of its thinking.
    pub info: Info,
    /// From the order to think until the answer, on our clock.
    pub elapsed: Duration,
}

/// The move, or what came in its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A move by its form; whether it is legal nobody has asked yet.
    Move(Move),
    /// It claims that there is no move, or that the game is over.
    None,
    /// It gives up.
    Resign,
    /// Something that is no move in its dialect.
    Unreadable(String),
}

/// What an engine said of its thinking: the last it said of each thing.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Info {
    /// Its side's score.
    pub score: Option<EngineScore>,
    /// Plies.
    pub depth: Option<u32>,
    /// Nodes, as it counts them.
    pub nodes: Option<u64>,
    /// Time, as it measures it.
    pub time: Option<Duration>,
    /// The line it expects, from the position it was asked about, as far as it can be read. Not checked to be legal.
    pub line: Vec<Move>,
}

/// A score in the view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineScore {
    /// Hundredths of a pawn, or of what the engine takes for one.
    Centipawns(i32),
    /// Mate in so many moves of the winner; negative: of the other side. 0: has no legal move.
    Mate(i32),
}
