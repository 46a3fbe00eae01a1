//! Self-play on one thread: searched positions per second.

use divan::Bencher;
use divan::counter::ItemsCount;
use evaluator::{Evaluator, Hashed, Uniform};
use replay::GameRecord;
use rules::Rules;
use search::Search;
use selfplay::{Archive, Job, Schedule, Settings, play_game};
use std::sync::Arc;

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 5)]
fn uniform(bencher: Bencher<'_, '_>) {
    bench(bencher, &Uniform);
}

#[divan::bench(sample_count = 5)]
fn hashed(bencher: Bencher<'_, '_>) {
    bench(bencher, &Hashed { seed: 1 });
}

fn bench(bencher: Bencher<'_, '_>, evaluator: &(impl Evaluator + Clone)) {
    let positions: usize = games(evaluator.clone())
        .iter()
        .map(|record| record.plies.iter().filter(|ply| ply.simulations > 0).count())
        .sum();
    bencher.counter(ItemsCount::new(positions)).bench_local(|| games(evaluator.clone()));
}

fn games(mut evaluator: impl Evaluator) -> Vec<GameRecord> {
    let job = Job {
        run: "bench".to_owned(),
        seed: 1,
        net: String::new(),
        rules: Rules::default(),
        settings: Settings {
            full_simulations: Schedule::constant(32),
            cheap_simulations: Schedule::constant(8),
            ..Settings::default()
        },
        positions: 0,
        scoring_weight: 0.0,
        archive: Arc::new(Archive::new(0)),
        classical: Arc::new([]),
    };
    let mut search = Search::new(job.settings.search);
    let mut game = |number| play_game(&job, number, &mut search, &mut evaluator, || false);
    (0..16).map(|number| game(number).expect("fakes don't fail").expect("nobody stops it")).collect()
}
