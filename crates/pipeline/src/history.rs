//! What a run was after each generation, read back from its figures.

use crate::error::PipelineError;
use crate::folder::{RunFolder, read_json};
use arena::{Rung, Score};
use serde::Deserialize;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// A run at the end of a generation.
#[derive(Clone, PartialEq, Debug)]
pub struct Milestone {
    /// The generation, from 1.
    pub generation: u32,
    /// Searched positions so far.
    pub positions: u64,
    /// Core-seconds of self-play, training and gate so far.
    pub core_secs: f64,
    /// The champion against each rung of the ladder, in the generations that measured it.
    pub rungs: Vec<(Rung, Score)>,
}

// Runs of older programs have other fields besides these.
#[derive(Deserialize)]
struct Figures {
    generation: u32,
    total_positions: u64,
    core_secs: Option<f64>,
    timings: Times,
    ladder: Option<Ladder>,
}

#[derive(Deserialize)]
struct Times {
    selfplay: Time,
    training: Time,
    gate: Time,
}

#[derive(Deserialize)]
struct Time {
    core_secs: f64,
}

#[derive(Deserialize)]
struct Ladder {
    rungs: Vec<Match>,
}

#[derive(Deserialize)]
struct Match {
    opponent: Rung,
    score: Score,
}

/// The generations of a run that are complete, oldest first, by reading alone: whoever works on the run is not
/// disturbed. Where core-seconds were not counted over the run (older programs) those of the generations are added up.
pub fn history(root: &Path) -> Result<Vec<Milestone>, PipelineError> {
    let folder = RunFolder::generations_in(root);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(PipelineError::NoRun { folder: root.to_owned() });
        }
        other => other.map_err(PipelineError::io("read folder", &folder))?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(PipelineError::io("read folder", &folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // The others are being written.
        if name.starts_with('g') && name.ends_with(".json") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut milestones = Vec::new();
    let mut core_secs = 0.0;
    for path in paths {
        let Figures { generation, total_positions, core_secs: counted, timings, ladder } = read_json(&path)?;
        let of_generation = timings.selfplay.core_secs + timings.training.core_secs + timings.gate.core_secs;
        core_secs = counted.unwrap_or(core_secs + of_generation);
        let rungs = ladder.map(|ladder| ladder.rungs).unwrap_or_default();
        let rungs = rungs.into_iter().map(|rung| (rung.opponent, rung.score)).collect();
        milestones.push(Milestone { generation, positions: total_positions, core_secs, rungs });
    }
    Ok(milestones)
}
