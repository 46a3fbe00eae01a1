//! Where a run's time goes. `timings.json` holds what the generation in progress has used, so that it counts over
//! restarts; a kill loses what was used since the last part of its games or the last step.

use crate::error::PipelineError;
use crate::folder::{self, RunFolder};
use crate::history::history;
use crate::observe::Elapsed;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// The version of `timings.json`.
const VERSION: u32 = 1;

/// Time that a step took, over all restarts, what had to be done again included.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// On the wall.
    pub secs: f64,
    /// Of this process on all cores together.
    pub core_secs: f64,
}

impl AddAssign<Elapsed> for Timing {
    fn add_assign(&mut self, elapsed: Elapsed) {
        self.secs += elapsed.wall.as_secs_f64();
        self.core_secs += elapsed.cores.as_secs_f64();
    }
}

/// Where the time of a generation went.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timings {
    /// Positions that self-play gave in its time.
    pub positions: u64,
    /// What self-play took.
    pub selfplay: Timing,
    /// What training took.
    pub training: Timing,
    /// What the gate took.
    pub gate: Timing,
    /// What the ladder took: it measures the run and is no part of it.
    pub ladder: Timing,
}

impl Timings {
    /// What counts as the run's own work: self-play, training and gate, not the ladder.
    pub fn core_secs(&self) -> f64 {
        self.selfplay.core_secs + self.training.core_secs + self.gate.core_secs
    }
}

/// What a run has used so far.
#[derive(Debug)]
pub(crate) struct Ledger {
    /// Core-seconds of the generations that are complete.
    before: f64,
    generation: u32,
    /// Of the generation in progress.
    pub(crate) timings: Timings,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    generation: u32,
    timings: Timings,
}

impl Ledger {
    /// What the run has used up to somewhere in `generation`.
    pub(crate) fn open(folder: &RunFolder, generation: u32) -> Result<Self, PipelineError> {
        let complete = history(folder.root())?;
        let before =
            complete.iter().rev().find(|milestone| milestone.generation < generation).map(|m| m.core_secs);
        let path = folder.timings();
        let stored = if path.exists() { Some(folder::read_json::<Stored>(&path)?) } else { None };
        if let Some(Stored { version, .. }) = stored.as_ref().filter(|stored| stored.version != VERSION) {
            let what = format!("version {version}, this program reads {VERSION}");
            return Err(PipelineError::Damaged { path, what });
        }
        // Those of another generation are in its own figures.
        let timings = stored.filter(|stored| stored.generation == generation).map(|stored| stored.timings);
        Ok(Self { before: before.unwrap_or(0.0), generation, timings: timings.unwrap_or_default() })
    }

    /// Core-seconds of the whole run: self-play, training and gate.
    pub(crate) fn core_secs(&self) -> f64 {
        self.before + self.timings.core_secs()
    }

    pub(crate) fn save(&self, folder: &RunFolder) -> Result<(), PipelineError> {
        let stored = Stored { version: VERSION, generation: self.generation, timings: self.timings };
        folder::write_json(&folder.timings(), &stored)
    }

    /// The generation is complete, and its figures are written.
    pub(crate) fn begin_next(&mut self) {
        *self =
            Self { before: self.core_secs(), generation: self.generation + 1, timings: Timings::default() };
    }
}
