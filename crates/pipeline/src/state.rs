//! Where the loop stands. Replacing `state.json` is the moment at which a step is done.

use crate::error::PipelineError;
use crate::folder::{self, RunFolder};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of `state.json`.
const VERSION: u32 = 1;

/// The steps of a generation, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// The champion plays itself.
    SelfPlay,
    /// The trainer makes a candidate.
    Train,
    /// The candidate meets the champion.
    Gate,
}

impl Step {
    /// `self-play`, `training` or `gate`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SelfPlay => "self-play",
            Self::Train => "training",
            Self::Gate => "gate",
        }
    }
}

/// A net of this run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetId {
    /// The generation that made it; 0 is the start.
    pub generation: u32,
    /// SHA-256 of its file, hexadecimal.
    pub sha256: String,
}

/// Where the loop stands.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    version: u32,
    /// The generation in progress, from 1.
    pub generation: u32,
    /// Its step in progress.
    pub step: Step,
    /// All nets that were promoted, oldest first; the last one plays.
    pub champions: Vec<NetId>,
    /// Games in the generations played.
    pub games: u64,
    /// Searched positions in them: the run's measure of progress.
    pub positions: u64,
    /// How many of them are the present generation's, once it is played.
    pub new_positions: u64,
    /// Positions at which the cool-down began, if it has.
    pub cooldown_start: Option<u64>,
    /// The trainer's snapshot to go on from: the generation that made it, 0 for none.
    pub trained: u32,
    /// What the generation's training did, once it is done.
    pub training: Option<train::Summary>,
}

impl State {
    /// The state of a run that has only its first net.
    pub(crate) fn new(first: NetId) -> Self {
        Self {
            version: VERSION,
            generation: 1,
            step: Step::SelfPlay,
            champions: vec![first],
            games: 0,
            positions: 0,
            new_positions: 0,
            cooldown_start: None,
            trained: 0,
            training: None,
        }
    }

    /// The net that plays.
    pub fn champion(&self) -> &NetId {
        self.champions.last().expect("a run begins with a net")
    }

    /// Positions of the generations that are complete.
    pub(crate) fn complete_positions(&self) -> u64 {
        self.positions - if self.step == Step::SelfPlay { 0 } else { self.new_positions }
    }

    /// Reads and checks `state.json`.
    pub(crate) fn read(path: &Path) -> Result<Self, PipelineError> {
        let state: Self = folder::read_json(path)?;
        let damaged = |what: String| PipelineError::Damaged { path: path.to_owned(), what };
        if state.version != VERSION {
            return Err(damaged(format!("version {}, this program reads {VERSION}", state.version)));
        }
        let generations = u64::from(state.generation);
        let ordered = state.champions.is_sorted_by(|a, b| a.generation < b.generation);
        let consistent = 1 <= generations
            && generations <= state.games + 1
            && state.new_positions <= state.positions
            && state.trained <= state.generation
            && ordered
            && state.champions.last().is_some_and(|champion| champion.generation <= state.generation);
        if consistent { Ok(state) } else { Err(damaged("its figures contradict each other".to_owned())) }
    }

    pub(crate) fn save(&self, folder: &RunFolder) -> Result<(), PipelineError> {
        folder::write_json(&folder.state(), self)
    }
}
