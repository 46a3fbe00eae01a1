//! What a run tells while it goes: to progress bars, to the terminal, to a test.

use crate::state::Step;
use crate::summary::Summary;
use std::time::Duration;

/// How much time has gone by since some fixed moment.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Elapsed {
    /// On the wall.
    pub wall: Duration,
    /// Of this process on all cores together.
    pub cores: Duration,
}

impl Elapsed {
    /// From `earlier` to this.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self { wall: self.wall.saturating_sub(earlier.wall), cores: self.cores.saturating_sub(earlier.cores) }
    }
}

/// Something a run has to tell.
#[derive(Debug)]
pub enum Event<'a> {
    /// The run goes on here.
    Opened {
        /// Generation in progress.
        generation: u32,
        /// Step in progress.
        step: Step,
    },
    /// Something was not as it should be, and what was done about it.
    Warning(String),
    /// A step has done this much.
    Progress {
        /// The generation.
        generation: u32,
        /// What is being done: `self-play`, `training`, `gate`, `ladder`.
        work: &'static str,
        /// Games or training steps done.
        done: u64,
        /// Games or training steps in all; what a gate needs at most.
        total: u64,
    },
    /// A generation is complete.
    Generation(&'a Summary),
}

/// Who is told. Time comes from here as well, so that a run never looks at a clock itself.
pub trait Observer {
    /// Time since some fixed moment.
    fn elapsed(&mut self) -> Elapsed;
    /// Takes note of an event.
    fn event(&mut self, event: Event<'_>);
}

/// Tells nobody; time stands still.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn elapsed(&mut self) -> Elapsed {
        Elapsed::default()
    }

    fn event(&mut self, _: Event<'_>) {}
}
