//! Weights and positions for tests.
#![allow(dead_code, reason = "not every test uses all of it")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use evaluator::{EXCHANGES, Features, INPUTS, MOVES, MoveIndex, Query, Situation};
use net::{Architecture, Description, Tensor, Weights};
use rand::{Rng, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, Position, Rules};
use torch::BatchBuilder;

/// A position of a game with what an evaluator is told of it.
pub(crate) struct Example {
    pub(crate) position: Position,
    pub(crate) situation: Situation,
    pub(crate) legal: Vec<Move>,
}

impl Example {
    pub(crate) fn query(&self) -> Query<'_> {
        Query { position: &self.position, situation: self.situation, legal: &self.legal }
    }

    pub(crate) fn push_to(&self, builder: &mut BatchBuilder) {
        let features = Features::of(&self.query());
        let number =
            |&mv| (MoveIndex::of(mv, self.position.turn()).get(), features.exchange(&self.position, mv));
        builder.push(features.active(), self.legal.iter().map(number));
    }
}

/// Positions of games between masters, three plies apart.
pub(crate) fn master_positions(count: usize) -> Vec<Example> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/games/ccpd_excerpt.tsv");
    let text = std::fs::read_to_string(file).unwrap();
    let mut examples = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('G')) {
        let mut game = Game::new(Position::start(), Rules::default());
        for mv in line.split('\t').nth(2).unwrap().split(' ') {
            if game.plies().len().is_multiple_of(3) {
                let legal = game.position().legal_moves().to_vec();
                let (position, situation) = (game.position().clone(), Situation::of(&game));
                examples.push(Example { position, situation, legal });
            }
            game.play(mv.parse().unwrap()).unwrap_or_else(|error| panic!("{error} in {line}"));
        }
    }
    assert!(examples.len() >= count, "only {} positions in {file}", examples.len());
    examples.truncate(count);
    examples
}

/// Weights of which every number is random in [−0.25, 0.25).
pub(crate) fn random_weights(hidden: usize, value_hidden: usize, seed: u64) -> Weights {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let architecture = Architecture::Sparse { hidden, value_hidden };
    let tensors = architecture.shapes().into_iter().map(|(name, shape)| {
        let values = (0..shape.iter().product()).map(|_| unit(&mut rng) / 2.0).collect();
        (name, Tensor { shape, values })
    });
    Weights::new(Description::new(architecture, "checks", "test"), tensors.collect()).unwrap()
}

/// A tower's first weights, each number moved by up to 0.1: nothing is zero, nothing too large.
pub(crate) fn random_tower(channels: usize, blocks: usize, seed: u64) -> Weights {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let architecture = Architecture::Tower { channels, blocks, value_hidden: 16 };
    let description = Description::new(architecture, "checks", "test");
    let first = Weights::new_random(description.clone(), &mut rng).unwrap();
    let tensors = first.tensors().iter().map(|(name, tensor)| {
        let values = tensor.values.iter().map(|value| value + unit(&mut rng) / 5.0).collect();
        (name.clone(), Tensor { shape: tensor.shape.clone(), values })
    });
    Weights::new(description, tensors.collect()).unwrap()
}

/// Positions that no game has: any inputs, any moves.
pub(crate) fn random_batch(size: usize, seed: u64) -> BatchBuilder {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |bound: usize| rng.next_u32() as usize % bound;
    let mut builder = BatchBuilder::new();
    for _ in 0..size {
        let active: Vec<u16> = (0..30 + below(9)).map(|_| below(INPUTS) as u16).collect();
        let moves: Vec<_> = (0..=below(60)).map(|_| (below(MOVES), below(EXCHANGES))).collect();
        builder.push(&active, moves);
    }
    builder
}

/// In [−0.5, 0.5).
fn unit(rng: &mut impl Rng) -> f32 {
    (rng.next_u32() >> 8) as f32 / (1 << 24) as f32 - 0.5
}
