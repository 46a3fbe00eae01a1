//! How fast moves are found: in bulk (perft), one list after another, and with the rest of a game around them.

use divan::Bencher;
use divan::counter::ItemsCount;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Position, Rules, START_FEN, perft};

const MIDDLEGAME: &str = "rnb1kabn1/4a3r/9/p1p1pcC1p/9/9/P3c1P2/BC7/3R5/RN1AK1B2 w - - 2 11";

fn main() {
    divan::main();
}

#[divan::bench(args = [START_FEN, MIDDLEGAME])]
fn perft_4(bencher: Bencher<'_, '_>, fen: &str) {
    let position: Position = fen.parse().expect("a valid position");
    bencher.counter(ItemsCount::new(perft(&position, 4))).bench(|| perft(&position, 4));
}

#[divan::bench]
fn legal_lists(bencher: Bencher<'_, '_>) {
    let positions = random_game().0;
    let mut moves = MoveList::new();
    bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
        positions
            .iter()
            .map(|position| {
                position.legal_moves_into(&mut moves);
                moves.len()
            })
            .sum::<usize>()
    });
}

#[divan::bench]
fn has_legal_move(bencher: Bencher<'_, '_>) {
    let positions = random_game().0;
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench(|| positions.iter().filter(|position| position.has_legal_move()).count());
}

/// Plays a whole game and asks after each ply whether it is over.
#[divan::bench]
fn play_and_judge(bencher: Bencher<'_, '_>) {
    let game = random_game().1;
    bencher.counter(ItemsCount::new(game.plies().len())).bench(|| {
        let mut replayed = Game::new(game.start().clone(), *game.rules());
        game.plies()
            .iter()
            .filter(|ply| {
                replayed.play_unchecked(ply.mv());
                replayed.ending().is_some()
            })
            .count()
    });
}

/// A game of random moves with the position before each.
fn random_game() -> (Vec<Position>, Game) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut game = Game::new(Position::start(), Rules::default());
    let mut positions = Vec::new();
    while game.ending().is_none() {
        positions.push(game.position().clone());
        let legal = game.position().legal_moves();
        game.play_unchecked(legal[rng.random_range(0..legal.len())]);
    }
    (positions, game)
}
