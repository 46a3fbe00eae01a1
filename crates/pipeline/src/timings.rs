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

/// What a run has used so far. `timings.json` holds it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ledger {
    version: u32,
    /// Core-seconds of the generations before this one.
    before_core_secs: f64,
    generation: u32,
    /// Of this generation.
    pub(crate) timings: Timings,
}

impl Ledger {
    /// What the run has used up to somewhere in `generation`.
    pub(crate) fn open(folder: &RunFolder, generation: u32) -> Result<Self, PipelineError> {
        let path = folder.timings();
        if !path.exists() {
            // A run that is just begun, or one of an older program.
            let complete = history(folder.root())?;
            let before_core_secs = complete.last().map_or(0.0, |milestone| milestone.core_secs);
            return Ok(Self { version: VERSION, before_core_secs, generation, timings: Timings::default() });
        }
        let stored: Self = folder::read_json(&path)?;
        if stored.version != VERSION {
            let what = format!("version {}, this program reads {VERSION}", stored.version);
            return Err(PipelineError::Damaged { path, what });
        }
        // Killed at the end of a generation it is one behind; by a state put back by hand it may be anything.
        Ok(if stored.generation == generation { stored } else { stored.begin(generation) })
    }

    /// Core-seconds of the whole run: self-play, training and gate.
    pub(crate) fn core_secs(&self) -> f64 {
        self.before_core_secs + self.timings.core_secs()
    }

    pub(crate) fn save(&self, folder: &RunFolder) -> Result<(), PipelineError> {
        folder::write_json(&folder.timings(), self)
    }

    /// At the start of `generation`.
    pub(crate) fn begin(self, generation: u32) -> Self {
        Self { before_core_secs: self.core_secs(), generation, timings: Timings::default(), ..self }
    }
}
