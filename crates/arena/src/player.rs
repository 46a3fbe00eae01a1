//! Who plays.

use evaluator::EvaluatorError;
use rules::{Game, Move};

/// Why a player can't move. It ends the match: a fault of the program is no lost game.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
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
/// thread, or of the clock. Each worker thread makes a player of its own.
pub trait Player: Send {
    /// The name in records and tables, such as `depth-2`.
    fn name(&self) -> String;

    /// Forgets what was, and takes the seed of all random choices of the game to come.
    fn start_game(&mut self, seed: u64);

    /// Chooses a move for the side to move. The game is not over.
    ///
    /// An illegal choice loses the game (reason `illegal-move`); an error ends the match.
    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError>;
}

impl<P: Player + ?Sized> Player for Box<P> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn start_game(&mut self, seed: u64) {
        (**self).start_game(seed);
    }

    fn choose(&mut self, game: &Game) -> Result<Move, PlayerError> {
        (**self).choose(game)
    }
}
