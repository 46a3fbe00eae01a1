//! What a training step costs: drawing its batch, and the step itself on one thread.

use divan::counter::ItemsCount;
use net::{Architecture, Description, Weights};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use replay::{EndReason, GameRecord, PlyRecord, PolicyEntry, StartedBy, Window};
use rules::{Game, Outcome, Position, RuleSet, Rules};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use torch::Device;
use train::targets::TargetRule;
use train::{Job, Sampler, Sampling, Settings, Trainer};

fn main() {
    torch::init(1);
    divan::main();
}

const BATCH_SIZES: [usize; 3] = [512, 1024, 2048];

/// A hundred random games of 100 plies, every other one searched for a policy, over and over until there are so many rows.
fn window(rows: usize) -> Window {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut games = Vec::new();
    let rules = Rules { natural_limit_plies: None, ..Rules::default() };
    for number in 0..100 {
        let mut game = Game::new(Position::start(), rules);
        let mut plies = Vec::new();
        while game.ending().is_none() && plies.len() < 100 {
            let legal = game.position().legal_moves();
            let mv = legal[rng.random_range(0..legal.len())];
            let shares = legal.iter().map(|&mv| (mv, 1, rng.random()));
            let policy = if plies.len() % 2 == 0 { PolicyEntry::quantise(shares) } else { Vec::new() };
            plies.push(PlyRecord {
                mv,
                simulations: 8,
                root_value: 0,
                root_draw: 128,
                kl: rng.random::<f32>().powi(2),
                policy,
            });
            game.play_unchecked(mv);
        }
        let ending = game.ending();
        let record = GameRecord {
            run: "bench".to_owned(),
            game: number,
            seed: 0,
            net: "0".repeat(64),
            rule_set: RuleSet::Checks,
            feature_version: evaluator::FEATURE_VERSION,
            start: Position::start(),
            outcome: ending.map_or(Outcome::Draw, |ending| ending.outcome),
            reason: ending.map_or(EndReason::PlyCap, |ending| EndReason::Rules(ending.reason)),
            started_by: StartedBy::StartPosition,
            scoring_weight: 0.5,
            decided: None,
            plies,
        };
        games.push(record);
    }
    let mut window = Window::new(rows, Settings::default().short_horizon_plies as f32);
    for (number, game) in (0..).zip(games.iter().cycle()) {
        if window.rows_seen() >= rows as u64 {
            break;
        }
        let record = GameRecord { game: number, ..game.clone() };
        window.push(&record).expect("a game that was played");
    }
    window
}

/// A large window is in no cache.
#[divan::bench(args = [10_000, 1_000_000, 10_000_000], sample_count = 200)]
fn draw_from(bencher: divan::Bencher<'_, '_>, rows: usize) {
    let window = window(rows);
    let rule = TargetRule { outcome_share: 0.5, opponent_reply: false };
    let settings = Settings::default();
    let sampling = Sampling::new(&settings, &window);
    let sampler =
        Sampler { window: &window, sampling: sampling.as_ref(), seed: 1, batch_size: 512, mirror: true };
    let mut step = 0;
    bencher.counter(ItemsCount::new(512_u32)).bench_local(|| {
        step += 1;
        sampler.draw(step, rule)
    });
}

#[divan::bench(args = BATCH_SIZES)]
fn draw(bencher: divan::Bencher<'_, '_>, batch_size: usize) {
    let window = window(10_000);
    let rule = TargetRule { outcome_share: 0.5, opponent_reply: false };
    let sampler = Sampler { window: &window, sampling: None, seed: 1, batch_size, mirror: true };
    let mut step = 0;
    bencher.counter(ItemsCount::new(batch_size)).bench_local(|| {
        step += 1;
        sampler.draw(step, rule)
    });
}

/// Drawing goes on at the same time, on another thread.
#[divan::bench(args = BATCH_SIZES, sample_count = 10)]
fn train(bencher: divan::Bencher<'_, '_>, batch_size: usize) {
    const STEPS: u64 = 8;
    let window = window(10_000);
    let architecture = Architecture::Sparse { hidden: 128, value_hidden: 16 };
    let description = Description::new(architecture, "checks", "bench");
    let weights =
        Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).expect("a good description");
    let settings = Settings { batch_size, ..Settings::default() };
    let mut trainer = Trainer::new(settings, &weights, 1, Device::Cpu).expect("good settings");
    bencher.counter(ItemsCount::new(batch_size as u64 * STEPS)).bench_local(|| {
        let steps = trainer.step()..trainer.step() + STEPS;
        let job = Job { steps, positions: 0..u64::MAX, cooldown_start: None };
        trainer.train(&window, &job, Path::new("faulty-batch"), &AtomicBool::new(false), |_| ())
    });
}
