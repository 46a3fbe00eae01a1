//! Reading and writing games, and drawing rows from the window.

#[path = "../tests/common/mod.rs"]
mod common;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use replay::{GameRecord, Window, read_shard, write_shard};

fn main() {
    divan::main();
}

fn games() -> Vec<GameRecord> {
    (0..100).map(|number| common::game(number, 160)).collect()
}

fn plies(games: &[GameRecord]) -> ItemsCount {
    ItemsCount::new(games.iter().map(|game| game.plies.len()).sum::<usize>())
}

#[divan::bench]
fn sampled_rows(bencher: Bencher<'_, '_>) {
    let mut window = Window::new(1_000_000, 8.0);
    for game in games() {
        window.push(&game).expect("a game in order");
    }
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    bencher.counter(1_u64).bench_local(|| black_box(window.row(window.sample(&mut rng)).position()));
}

#[divan::bench(sample_count = 20)]
fn plies_pushed(bencher: Bencher<'_, '_>) {
    let games = games();
    bencher.counter(plies(&games)).bench_local(|| {
        let mut window = Window::new(1_000_000, 8.0);
        for game in &games {
            window.push(game).expect("a game in order");
        }
        window
    });
}

#[divan::bench(sample_count = 10)]
fn plies_written_and_read(bencher: Bencher<'_, '_>) {
    let games = games();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("games.parquet");
    bencher.counter(plies(&games)).bench_local(|| {
        write_shard(&path, &games).expect("a writable folder");
        read_shard(&path).expect("a shard")
    });
}
