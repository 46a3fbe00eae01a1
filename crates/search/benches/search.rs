//! How fast trees grow when evaluation costs next to nothing.

use divan::counter::ItemsCount;
use evaluator::Uniform;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rules::{Game, Position, Rules};
use search::{Root, Search, Settings};

fn main() {
    divan::main();
}

/// Items are simulations, from the start position.
fn grow(bencher: divan::Bencher<'_, '_>, root: Root, simulations: u32) {
    let game = Game::new(Position::start(), Rules::default());
    let mut search = Search::new(Settings::default());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    bencher.counter(ItemsCount::new(simulations)).bench_local(|| {
        search.start(&game, root, simulations, &mut rng);
        search::run(&mut search, &mut Uniform).expect("Uniform answers everything");
        search.report()
    });
}

#[divan::bench]
fn gumbel_32(bencher: divan::Bencher<'_, '_>) {
    grow(bencher, Root::Gumbel { noise: true }, 32);
}

#[divan::bench]
fn puct_800(bencher: divan::Bencher<'_, '_>) {
    grow(bencher, Root::Puct, 800);
}

#[divan::bench(sample_count = 5)]
fn puct_100_000(bencher: divan::Bencher<'_, '_>) {
    grow(bencher, Root::Puct, 100_000);
}
