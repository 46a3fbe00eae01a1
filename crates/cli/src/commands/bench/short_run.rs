//! Where the time of a run goes: a short one in a folder that is thrown away, with the default settings but for the number of
//! simulations, and without a ladder, whose time doesn't count.

use crate::config;
use crate::progress::Terminal;
use anyhow::Context as _;
use pipeline::{Elapsed, Event, Observer, Options};
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;
use torch::Device;

/// How long it is, in core-seconds.
pub(super) const CORE_SECS: u32 = 20;

/// The share of training in a run's own time, at 32 and 8 simulations all along, on one thread.
pub(super) fn share_of_training() -> anyhow::Result<f64> {
    let sets = [
        "selfplay.full_simulations.start=32",
        "selfplay.full_simulations.end=32",
        "selfplay.cheap_simulations.start=8",
        "selfplay.cheap_simulations.end=8",
        "run.ladder_every_generations=10000",
    ]
    .map(str::to_owned);
    let folder = tempfile::tempdir().context("cannot make a folder for a run")?;
    let options = Options {
        threads: NonZeroUsize::MIN,
        generations: None,
        positions: None,
        core_secs: Some(CORE_SECS.into()),
        cooldown: false,
        device: Device::Cpu,
        clock: SystemTime::now,
        program: String::new(),
    };
    let mut times = Times { clock: Terminal::new(), training: 0.0, whole: 0.0 };
    pipeline::train(
        folder.path(),
        &config::load(None, &sets)?,
        &options,
        &AtomicBool::new(false),
        &mut times,
    )?;
    Ok(times.training / times.whole)
}

/// Adds up the core-seconds of generations.
struct Times {
    clock: Terminal,
    training: f64,
    whole: f64,
}

impl Observer for Times {
    fn elapsed(&mut self) -> Elapsed {
        self.clock.elapsed()
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Generation(summary) = event {
            self.training += summary.timings.training.core_secs;
            self.whole += summary.timings.core_secs();
        }
    }
}
