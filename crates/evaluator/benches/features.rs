//! How fast positions become inputs, and moves become numbers.

use divan::Bencher;
use divan::counter::ItemsCount;
use evaluator::{Features, MoveIndex, Situation};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Position, Rules};

fn main() {
    divan::main();
}

#[divan::bench]
fn encode(bencher: Bencher<'_, '_>) {
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench(|| {
        positions
            .iter()
            .map(|position| Features::encode(position, Situation::default()).active().len())
            .sum::<usize>()
    });
}

/// The index and the exchange of each legal move.
#[divan::bench]
fn number_moves(bencher: Bencher<'_, '_>) {
    let encoded: Vec<(Position, Features, MoveList)> = positions()
        .into_iter()
        .map(|position| {
            let features = Features::encode(&position, Situation::default());
            let legal = position.legal_moves();
            (position, features, legal)
        })
        .collect();
    let moves: usize = encoded.iter().map(|(_, _, legal)| legal.len()).sum();
    bencher.counter(ItemsCount::new(moves)).bench(|| {
        let mut sum = 0;
        for (position, features, legal) in &encoded {
            for &mv in legal {
                sum += MoveIndex::of(mv, position.turn()).get() + features.exchange(position, mv);
            }
        }
        sum
    });
}

/// The positions of a game of random moves.
fn positions() -> Vec<Position> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut game = Game::new(Position::start(), Rules::default());
    let mut positions = Vec::new();
    while game.ending().is_none() {
        positions.push(game.position().clone());
        let legal = game.position().legal_moves();
        game.play_unchecked(legal[rng.random_range(0..legal.len())]);
    }
    positions
}
