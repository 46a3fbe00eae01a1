//! Takes what it can.

use crate::player::{Choice, Player, PlayerError, Turn};
use crate::random::one_of;
use evaluator::piece_worth;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::Move;

/// The capture of the most valuable piece, whatever comes after; without a capture, or among equals, at random.
#[derive(Clone, Debug)]
pub struct Greedy {
    rng: ChaCha8Rng,
}

impl Default for Greedy {
    fn default() -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(0) }
    }
}

impl Player for Greedy {
    fn name(&self) -> String {
        "greedy".to_owned()
    }

    fn start_game(&mut self, seed: u64) {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
        let position = turn.game.position();
        let taken = |mv: &Move| position.piece_at(mv.to()).map_or(0, |victim| piece_worth(victim, mv.to()));
        let moves = turn.game.permitted_moves();
        let most = moves.iter().map(taken).max().unwrap_or(0);
        let best: Vec<Move> = moves.iter().copied().filter(|mv| taken(mv) == most).collect();
        Ok(one_of(&best, &mut self.rng).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Game, Rules};

    #[test]
    fn takes_the_rook_rather_than_the_pawn() {
        // The rook on e4 sees a pawn on a4 and a rook on e8.
        let game = Game::new("3k5/4r4/9/9/9/p3R4/9/9/9/5K3 w".parse().unwrap(), Rules::default());
        let mut greedy = Greedy::default();
        for seed in 0..10 {
            greedy.start_game(seed);
            let choice = greedy.choose(&Turn::from(&game)).unwrap();
            assert_eq!(choice.mv.unwrap().to_string(), "e4e8");
        }
    }
}
