//! The trainer and the window that it draws from.

use super::measure::per_core_second;
use super::playing::{games, job, weights};
use net::{SparseEvaluator, SparseNet};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use replay::{GameRecord, Window};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use torch::Device;
use train::{Job, Trainer};

/// Steps of a round.
const STEPS: u64 = 32;

/// Self-play games to fill windows with.
pub(super) fn sample_games() -> Vec<GameRecord> {
    let net = Arc::new(SparseNet::new(&weights(32)).expect("not a tower"));
    games(&job(), 0..100, &mut SparseEvaluator::new(net))
}

/// A window of so many rows.
pub(super) fn window(games: &[GameRecord], rows: usize) -> Window {
    let mut window = Window::new(rows);
    // The same games over and over, numbered on.
    for (number, game) in games.iter().cycle().enumerate() {
        if rows <= window.rows_seen() as usize {
            break;
        }
        let record = GameRecord { game: number as u64, ..game.clone() };
        window.push(&record).expect("a game that was played");
    }
    window
}

/// Samples a core-second at the default batch.
pub(super) struct Training {
    /// Drawing, encoding, forward, backward, optimiser.
    pub(super) whole: f64,
    /// The step alone, on batches drawn before: forward, backward, optimiser.
    pub(super) bare: f64,
    /// The same with libtorch's own differentiation.
    pub(super) bare_by_libtorch: f64,
}

/// The trainer, 128 wide.
pub(super) fn training(window: &Window) -> anyhow::Result<Training> {
    let settings = train::Settings::default();
    let batch = settings.batch_size as u64;
    let mut trainer = Trainer::new(settings, &weights(128), 1, Device::Cpu)?;
    let stop = AtomicBool::new(false);
    let nowhere = Path::new("faulty-batch");
    let step = |trainer: &mut Trainer, steps: u64| {
        let job = Job {
            steps: trainer.step()..trainer.step() + steps,
            positions: 0..u64::MAX,
            cooldown_start: None,
        };
        trainer.train(window, &job, nowhere, &stop, |_| ())
    };
    step(&mut trainer, STEPS)?;
    let mut failed = None;
    let whole = per_core_second(|| {
        failed = failed.take().or(step(&mut trainer, STEPS).err());
        STEPS * batch
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    let mut bare = trainer.bare_steps(window, STEPS as usize, false)?;
    let bare = per_core_second(|| bare(STEPS) * batch);
    let mut by_libtorch = trainer.bare_steps(window, STEPS as usize, true)?;
    Ok(Training { whole, bare, bare_by_libtorch: per_core_second(|| by_libtorch(STEPS) * batch) })
}

/// What the window costs at a size.
pub(super) struct Storing {
    pub(super) rows_sampled: f64,
    pub(super) bytes_per_row: f64,
}

/// A window: rows drawn and unpacked a core-second, and memory.
pub(super) fn storing(window: &Window) -> Storing {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let rows_sampled = per_core_second(|| {
        for _ in 0..1000 {
            std::hint::black_box(window.row(window.sample(&mut rng)).position());
        }
        1000
    });
    Storing { rows_sampled, bytes_per_row: window.bytes() as f64 / window.len() as f64 }
}
