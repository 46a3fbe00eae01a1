//! What a run has on disk, read back. A file that is damaged or gone is set aside and replaced by the next best one,
//! and that is said; a file that this program can't judge (another version, other settings, a disk that fails) ends
//! the run with an error and stays where it is.

use crate::error::PipelineError;
use crate::folder::{PART, RunFolder};
use crate::run::Run;
use crate::state::{State, Step};
use net::{Weights, WeightsError};
use replay::{GameRecord, ShardError, Statistics, read_shard};
use std::fmt::Display;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use train::{TrainError, Trainer};

/// The net that plays in a run, by reading alone: whoever works on the run is not disturbed.
pub fn champion(root: &Path) -> Result<Weights, PipelineError> {
    let state = State::read(&RunFolder::state_in(root))?;
    let champion = state.champion();
    let path = RunFolder::net_in(root, champion.generation);
    let weights = Weights::read(&path).map_err(|source| PipelineError::net(&path, source))?;
    if weights.hash() == champion.sha256 {
        Ok(weights)
    } else {
        Err(PipelineError::Damaged { path, what: OTHER_NET.to_owned() })
    }
}

const OTHER_NET: &str = "it is another net than the one that was promoted";

impl Run<'_> {
    /// The net that plays. If its file is damaged the champion before it plays again.
    pub(crate) fn champion(&mut self) -> Result<Weights, PipelineError> {
        let mut damaged = Vec::new();
        for kept in (1..=self.state.champions.len()).rev() {
            let champion = &self.state.champions[kept - 1];
            let path = self.folder.net(champion.generation);
            match Weights::read(&path) {
                Ok(weights) if weights.hash() == champion.sha256 => {
                    self.fall_back_to(kept, damaged)?;
                    return Ok(weights);
                }
                Ok(_) => damaged.push((path, OTHER_NET.to_owned())),
                Err(error) if is_damaged_net(&error) => damaged.push((path, error.to_string())),
                Err(error) => return Err(PipelineError::net(&path, error)),
            }
        }
        let (path, problem) = damaged.pop().expect("a run has at least one champion");
        Err(PipelineError::Damaged { path, what: format!("{problem}; no champion is left before it") })
    }

    /// Makes the champion number `kept` (from 1) the last one.
    fn fall_back_to(
        &mut self,
        kept: usize,
        damaged: Vec<(std::path::PathBuf, String)>,
    ) -> Result<(), PipelineError> {
        if damaged.is_empty() {
            return Ok(());
        }
        for (path, problem) in damaged {
            self.set_aside(&path, &problem)?;
        }
        self.state.champions.truncate(kept);
        let before = self.state.champion().generation;
        self.warn(&format!("the champion of generation {before} plays instead"))?;
        self.state.save(&self.folder)
    }

    /// The trainer as it was after the last training.
    pub(crate) fn trainer(&mut self) -> Result<&mut Trainer, PipelineError> {
        if self.trainer.is_none() {
            self.trainer = Some(self.load_trainer()?);
        }
        Ok(self.trainer.as_mut().expect("it was made above"))
    }

    /// The same from its snapshot. If that is damaged the one before it is taken, and a gate goes back to training.
    pub(crate) fn load_trainer(&mut self) -> Result<Trainer, PipelineError> {
        while 0 < self.state.trained {
            let path = self.folder.snapshot(self.state.trained);
            match Trainer::load(&path, self.config.train.clone(), self.options.device) {
                Ok(trainer) => return Ok(trainer.with_threads(self.options.threads)?),
                Err(error) if is_damaged_snapshot(&error) => self.set_aside(&path, &error)?,
                Err(error) => return Err(error.into()),
            }
            self.state.trained = self.folder.snapshot_before(self.state.trained);
            self.state.step = self.state.step.min(Step::Train);
            self.state.save(&self.folder)?;
            match self.state.trained {
                0 => self.warn("no snapshot is left: the trainer starts from the first net")?,
                before => {
                    self.warn(&format!("the trainer's snapshot of generation {before} is taken instead"))?;
                }
            }
        }
        let path = self.folder.net(0);
        let first = Weights::read(&path).map_err(|source| PipelineError::net(&path, source))?;
        let trainer =
            Trainer::new(self.config.train.clone(), &first, self.config.run.seed, self.options.device)?;
        Ok(trainer.with_threads(self.options.threads)?)
    }

    /// Puts the games of all generations up to this one into the window, so far as there is room and they aren't there
    /// yet. `false` if this generation's own can't be read.
    pub(crate) fn fill_window(&mut self, generation: u32) -> Result<bool, PipelineError> {
        self.window.set_capacity(self.config.run.window_at(self.state.positions));
        let first = if self.windowed == 0 { self.first_in_window(generation)? } else { self.windowed + 1 };
        for generation in first..=generation {
            match self.games_of(generation)? {
                Some(games) => self.push_into_window(generation, &games),
                None if generation == self.state.generation => return Ok(false),
                None => {
                    self.warn(&format!("training goes on without the games of generation {generation}"))?;
                    self.windowed = generation;
                }
            }
        }
        Ok(true)
    }

    /// Puts the games of the generation after the last in the window there.
    pub(crate) fn push_into_window(&mut self, generation: u32, games: &[GameRecord]) {
        for game in games {
            self.window.push(game).expect("shards hold no other games than such as are checked and in order");
        }
        self.windowed = generation;
    }

    /// The oldest generation whose games have room in the window. Reads one shard at a time.
    fn first_in_window(&mut self, generation: u32) -> Result<u32, PipelineError> {
        let mut positions = 0;
        for first in (1..=generation).rev() {
            let games = self.games_of(first)?.unwrap_or_default();
            positions += Statistics::of(&games).searched_plies as usize;
            if self.window.capacity() <= positions {
                return Ok(first);
            }
        }
        Ok(1)
    }

    /// All games of a generation that has been played.
    pub(crate) fn games_of(&mut self, generation: u32) -> Result<Option<Vec<GameRecord>>, PipelineError> {
        self.read_games(&self.folder.games(generation), self.game_numbers(generation))
    }

    /// The games of one part of the generation that is being played.
    pub(crate) fn games_of_part(&mut self, part: usize) -> Result<Option<Vec<GameRecord>>, PipelineError> {
        let numbers = self.game_numbers(self.state.generation);
        let start = numbers.start + (part * PART) as u64;
        let end = numbers.end.min(start + PART as u64);
        self.read_games(&self.folder.games_part(self.state.generation, part), start..end)
    }

    /// The numbers of a generation's games.
    pub(crate) fn game_numbers(&self, generation: u32) -> Range<u64> {
        self.config.run.games_per_generation.numbers(generation)
    }

    /// The games of a shard; `None` if there is none, or if it is damaged or holds other games.
    fn read_games(
        &mut self,
        path: &Path,
        numbers: Range<u64>,
    ) -> Result<Option<Vec<GameRecord>>, PipelineError> {
        match read_shard(path) {
            Ok(games) => {
                let ours = games.iter().all(|game| game.run == self.manifest.run);
                if ours && games.iter().map(|game| game.game).eq(numbers.clone()) {
                    return Ok(Some(games));
                }
                let (first, last) = (numbers.start, numbers.end - 1);
                let run = self.manifest.run.clone();
                self.set_aside(path, &format!("it does not hold the games {first} to {last} of run {run}"))?;
                Ok(None)
            }
            Err(ShardError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if is_damaged_shard(&error) => {
                self.set_aside(path, &error)?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Moves a file out of the way, if it is there, and says why.
    fn set_aside(&mut self, path: &Path, problem: &dyn Display) -> Result<(), PipelineError> {
        if !path.exists() {
            return self.warn(&format!("{} is missing", path.display()));
        }
        self.folder.set_aside(path)?;
        // Some errors name their file themselves.
        let problem = problem.to_string().replace(&format!("{}: ", path.display()), "");
        self.warn(&format!("{} is set aside: {problem}", path.display()))
    }
}

fn is_damaged_net(error: &WeightsError) -> bool {
    match error {
        WeightsError::Read { source, .. } => source.kind() == ErrorKind::NotFound,
        WeightsError::Write { .. }
        | WeightsError::FormatVersion { .. }
        | WeightsError::FeatureVersion { .. }
        | WeightsError::MoveIndexVersion { .. } => false,
        _ => true,
    }
}

fn is_damaged_shard(error: &ShardError) -> bool {
    !matches!(error, ShardError::Io { .. } | ShardError::Version { .. })
}

fn is_damaged_snapshot(error: &TrainError) -> bool {
    match error {
        TrainError::Damaged { .. } => true,
        TrainError::Io { source, .. } => source.kind() == ErrorKind::NotFound,
        _ => false,
    }
}
