//! The weakest baseline.

use crate::player::{Choice, Player, PlayerError, Turn};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::Move;

/// Every legal move alike.
#[derive(Clone, Debug)]
pub struct Random {
    rng: ChaCha8Rng,
}

impl Default for Random {
    fn default() -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(0) }
    }
}

impl Player for Random {
    fn name(&self) -> String {
        "random".to_owned()
    }

    fn start_game(&mut self, seed: u64) {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
        Ok(one_of(&turn.game.permitted_moves(), &mut self.rng).into())
    }
}

/// One of these, at random.
///
/// # Panics
/// If there is none.
pub(crate) fn one_of(moves: &[Move], rng: &mut impl rand::Rng) -> Move {
    moves[rng.random_range(0..moves.len())]
}
