//! Who plays.

use crate::clock::TimeControl;
use crate::note::MoveNote;
use engine::drive::ClockTime;
use evaluator::EvaluatorError;
use rules::{ByColour, Game, Move};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a player sees when it is its turn. The game is not over.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// What is left on each side's clock, for sides that have one.
    pub clocks: ByColour<Option<ClockTime>>,
    /// Raised when the choice isn't wanted any more. Who takes long looks at it and gives up with
    /// [`PlayerError::Stopped`]. The same one all through a match; none outside of matches.
    pub stop: Option<&'a Arc<AtomicBool>>,
}

impl<'a> From<&'a Game> for Turn<'a> {
    /// A turn without clocks that nothing stops.
    fn from(game: &'a Game) -> Self {
        Self { game, clocks: ByColour::default(), stop: None }
    }
}

/// What a player does in its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// A move, or `None`: it resigns.
    pub mv: Option<Move>,
    /// What it says about it.
    pub note: MoveNote,
}

impl From<Move> for Choice {
    /// A move about which nothing is said.
    fn from(mv: Move) -> Self {
        Self { mv: Some(mv), note: MoveNote::default() }
    }
}

/// How a player spoils a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It answered, but with no legal move.
    IllegalMove,
    /// Its program ended, or couldn't be started.
    Crash,
    /// It didn't answer at all.
    Stall,
}

/// Why a player can't move.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// It loses the game; the match goes on, and the next game finds it ready again.
    #[error("{message}")]
    Forfeit {
        /// What it did.
        fault: Fault,
        /// The same in words.
        message: String,
    },
    /// It gave up because [`Turn::stop`] was raised.
    #[error("told to stop")]
    Stopped,
    /// Its evaluator failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

/// Someone who chooses moves.
///
/// A choice is a function of the game and of the seed that the game started with: not of earlier games, of the
/// thread, or of the clock. Outside engines come as near to that as they can. Each worker thread makes a player of its
/// own.
pub trait Player: Send {
    /// The name in records and tables, such as `depth-2`.
    fn name(&self) -> String;

    /// Forgets what was, and takes the seed of all random choices of the game to come.
    fn start_game(&mut self, seed: u64);

    /// Chooses for the side to move.
    ///
    /// An illegal move loses the game (reason `illegal-move`), and so does [`PlayerError::Forfeit`]; any other error
    /// ends the match: a fault of this program is no lost game.
    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError>;

    /// How much time it has. Only for players that measure the time of their moves ([`MoveNote::time`]); others
    /// never lose on time.
    fn time_control(&self) -> Option<TimeControl> {
        None
    }
}

impl<P: Player + ?Sized> Player for Box<P> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn start_game(&mut self, seed: u64) {
        (**self).start_game(seed);
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
        (**self).choose(turn)
    }

    fn time_control(&self) -> Option<TimeControl> {
        (**self).time_control()
    }
}
