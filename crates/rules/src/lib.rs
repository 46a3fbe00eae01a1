//! Xiangqi itself: board, moves, repetition rule sets, outcome.
//!
//! No I/O, clock, randomness, threads or floats; no network and no search.
//!
//! Start with [`Position`] (one position, always valid; [`Setup`] is the way in), then [`Game`] (a position
//! with its history, which repetition needs) and [`Rules`] (when a game ends and who has won); [`Match`] is a game with
//! what its players may do besides. The repetition rules (棋例) are one algorithm: [`Parameters`] says what the sets
//! differ in, and [`Explanation`] how a verdict came about.
//!
//! ```
//! use rules::{Game, Position, Rules};
//!
//! let mut game = Game::new(Position::start(), Rules::default());
//! assert_eq!(game.position().legal_moves().len(), 44);
//! game.play("h2e2".parse()?)?;
//! assert_eq!(game.position().fen(), "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1");
//! assert_eq!(game.ending(), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attacks;
mod bitboard;
mod game;
mod label;
mod matches;
mod material;
mod movegen;
mod moves;
mod packed;
mod parameters;
mod perft;
mod piece;
mod position;
mod repetition;
mod rule_set;
mod setup;
mod square;
mod threat;
mod zobrist;

pub use bitboard::Bitboard;
pub use game::{Ending, Game, IllegalMove, Outcome, Ply, Reason, Standing};
pub use label::{Deed, Excused, Label, Means, Placed, Threat};
pub use matches::{Action as MatchAction, ActionError, Conclusion, Match};
pub use moves::{Move, MoveList, ParseMoveError};
pub use packed::PackedPosition;
pub use parameters::{Action, EqualKinds, Mixtures, Parameters, Protected, Ranking};
pub use perft::perft;
pub use piece::{ByColour, Colour, Kind, Piece};
pub use position::{Position, Undo};
pub use repetition::{Category, Explanation, Loop, Verdict};
pub use rule_set::{Material, RuleSet, Rules};
pub use setup::{FenError, START_FEN, Setup, SetupError, SetupFault};
pub use square::{File, Rank, Square};
pub use threat::Excuse;
