//! The trainer and the window that it draws from.

use super::measure::{TwoThreads, by_turns, per_core_second, two_threads_to_one};
use super::playing::{games, job, weights};
use net::{SparseEvaluator, SparseNet};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use replay::{GameRecord, Window};
use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use torch::Device;
use train::{Job, Settings, TrainError, Trainer};

/// Steps of a round.
const STEPS: u64 = 32;

/// Self-play games to fill windows with.
pub(super) fn sample_games() -> Vec<GameRecord> {
    let net = Arc::new(SparseNet::new(&weights(32)).expect("not a tower"));
    games(&job(), 0..100, &mut SparseEvaluator::new(net))
}

/// A window of so many rows.
pub(super) fn window(games: &[GameRecord], rows: usize) -> Window {
    let mut window = Window::new(rows, Settings::default().short_horizon_plies as f32);
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
fn trainer() -> Result<Trainer, TrainError> {
    Trainer::new(Settings::default(), &weights(128), 1, Device::Cpu)
}

/// Takes so many steps.
fn steps(trainer: &mut Trainer, window: &Window, steps: u64) -> Result<(), TrainError> {
    let steps = trainer.step()..trainer.step() + steps;
    let job = Job { steps, positions: 0..u64::MAX, cooldown_start: None };
    trainer.train(window, &job, Path::new("faulty-batch"), &AtomicBool::new(false), |_| ()).map(drop)
}

/// Training with one thread and with two, and those that draw.
pub(super) fn two_threads(window: &Window) -> anyhow::Result<TwoThreads> {
    let of = |threads| trainer()?.with_threads(threads);
    let (mut one, mut two) = (of(NonZeroUsize::MIN)?, of(NonZeroUsize::MIN.saturating_add(1))?);
    let mut failed = None;
    let found = two_threads_to_one(|threads| {
        let trainer = if threads == 1 { &mut one } else { &mut two };
        failed = failed.take().or(steps(trainer, window, 8 * STEPS).err());
        8 * STEPS
    });
    failed.map_or(Ok(found), |error| Err(error.into()))
}

/// With one thread, and one that draws.
pub(super) fn training(window: &Window) -> anyhow::Result<Training> {
    let batch = Settings::default().batch_size as u64;
    let mut trainer = trainer()?;
    steps(&mut trainer, window, STEPS)?;
    let mut failed = None;
    let whole = per_core_second(|| {
        failed = failed.take().or(steps(&mut trainer, window, STEPS).err());
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

/// Samples a core-second from each of two windows, by the same trainer: where in memory its weights lie makes a difference
/// too.
pub(super) fn training_from(windows: [&Window; 2]) -> anyhow::Result<[f64; 2]> {
    const FEW_STEPS: u64 = STEPS / 4;
    let batch = Settings::default().batch_size as u64;
    let (trainer, failed) = (RefCell::new(trainer()?), RefCell::new(None));
    let train = |window| {
        if let Err(error) = steps(&mut trainer.borrow_mut(), window, FEW_STEPS) {
            failed.replace(Some(error));
        }
        FEW_STEPS * batch
    };
    let found = by_turns(|| train(windows[0]), || train(windows[1]));
    failed.into_inner().map_or(Ok(found), |error| Err(error.into()))
}

/// Rows drawn and unpacked a core-second, from each of two windows.
pub(super) fn rows_drawn(windows: [&Window; 2]) -> [f64; 2] {
    let draw = |window: &Window, rng: &mut ChaCha8Rng| {
        let drawn: Vec<usize> = (0..1024).map(|_| window.sample(rng)).collect();
        for row in window.rows(&drawn) {
            std::hint::black_box(row.position());
        }
        1024
    };
    let mut rngs = [1, 2].map(ChaCha8Rng::seed_from_u64);
    let [one, other] = &mut rngs;
    by_turns(|| draw(windows[0], one), || draw(windows[1], other))
}

/// The memory that a row of a window takes.
pub(super) fn bytes_per_row(window: &Window) -> f64 {
    window.bytes() as f64 / window.len() as f64
}
