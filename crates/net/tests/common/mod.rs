//! Positions and weights for tests.

use evaluator::Situation;
use net::{Architecture, Description, Tensor, Weights};
use rand::{Rng, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, Position, Rules};

/// Weights of which every number is random in (−0.25, 0.25).
pub(crate) fn random_weights(hidden: usize, value_hidden: usize, seed: u64) -> Weights {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let architecture = Architecture::Sparse { hidden, value_hidden };
    let tensors = architecture.shapes().into_iter().map(|(name, shape)| {
        let values = (0..shape.iter().product()).map(|_| unit(&mut rng) / 2.0).collect();
        (name, Tensor { shape, values })
    });
    Weights::new(Description::new(architecture, "checks", "test"), tensors.collect()).unwrap()
}

/// Positions of random games with random situations.
pub(crate) fn random_positions(count: usize, seed: u64) -> Vec<(Position, Situation, Vec<Move>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut positions = Vec::with_capacity(count);
    let mut game = Game::new(Position::start(), Rules::default());
    while positions.len() < count {
        let legal = game.position().legal_moves();
        if legal.is_empty() || game.plies().len() == 150 {
            game = Game::new(Position::start(), Rules::default());
            continue;
        }
        let bits = rng.next_u32();
        let situation = Situation {
            quiet_plies: (bits >> 8) as u16 % 140,
            repeated: bits & 1 > 0,
            mover_bound: bits & 2 > 0,
            opponent_bound: bits & 4 > 0,
            in_check: game.position().in_check(),
        };
        positions.push((game.position().clone(), situation, legal.to_vec()));
        game.play_unchecked(legal[rng.next_u32() as usize % legal.len()]);
    }
    positions
}

/// In [−0.5, 0.5).
fn unit(rng: &mut impl Rng) -> f32 {
    (rng.next_u32() >> 8) as f32 / (1 << 24) as f32 - 0.5
}
