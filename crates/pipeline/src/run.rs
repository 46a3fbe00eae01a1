//! The loop: self-play → training → gate → promoted or rejected, generation after generation.
//!
//! Each step is a function of the files before it, so a step that was cut off is simply done again; replacing
//! `state.json` ends it. Games are written in small parts as they are finished, so little self-play is lost.

use crate::config::Config;
use crate::error::PipelineError;
use crate::folder::{self, RunFolder};
use crate::manifest::Manifest;
use crate::observe::{Event, Observer};
use crate::state::{NetId, State, Step};
use crate::summary::Timings;
use net::{Description, Weights};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use replay::{Statistics, Window};
use rules::Rules;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::SystemTime;
use train::{EventError, EventWriter, Trainer};

/// How a run is driven; nothing here changes its results.
#[derive(Clone, Debug)]
pub struct Options {
    /// Games played at the same time.
    pub threads: NonZeroUsize,
    /// Stop when this generation is complete.
    pub generations: Option<u32>,
    /// Stop at the end of the generation in which this many positions have been played.
    pub positions: Option<u64>,
    /// Begin the cool-down now, if it hasn't begun, and stop at its end ([`train::Settings::cooldown_positions`]).
    pub cooldown: bool,
    /// Where the trainer computes.
    pub device: torch::Device,
    /// The time of day, for TensorBoard's time axis.
    pub clock: fn() -> SystemTime,
    /// The program's name and revision, for the manifest.
    pub program: String,
}

/// Begins a run in `root`, or goes on with the one that is there, until a limit of `options` is reached or `stop`
/// is set. Returns where the loop stands then.
pub fn train(
    root: &Path,
    config: &Config,
    options: &Options,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<State, PipelineError> {
    config.check()?;
    let mut run = Run::open(root, config, options, stop, observer)?;
    while !run.is_over() {
        match run.state.step {
            Step::SelfPlay => run.self_play()?,
            Step::Train => run.train()?,
            Step::Gate => run.gate()?,
        }
    }
    Ok(run.state)
}

/// The net that plays in a run, by reading alone: whoever works on the run is not disturbed.
pub fn champion(root: &Path) -> Result<Weights, PipelineError> {
    let state: State = folder::read_json(&root.join("state.json"))?;
    Ok(Weights::read(root.join(folder::net_name(state.champion().generation)))?)
}

/// A run in progress.
pub(crate) struct Run<'a> {
    pub(crate) folder: RunFolder,
    pub(crate) config: &'a Config,
    pub(crate) rules: Rules,
    pub(crate) options: &'a Options,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) manifest: Manifest,
    pub(crate) state: State,
    pub(crate) window: Window,
    /// The last generation whose games are in the window.
    windowed: u32,
    /// At [`State::trained`], if there is one.
    pub(crate) trainer: Option<Trainer>,
    pub(crate) events: EventWriter,
    /// Says so when the events can't be written.
    pub(crate) failed: Receiver<EventError>,
    pub(crate) timings: Timings,
}

impl<'a> Run<'a> {
    fn open(
        root: &Path,
        config: &'a Config,
        options: &'a Options,
        stop: &'a AtomicBool,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, PipelineError> {
        let folder = RunFolder::open(root)?;
        let (manifest, mut state) = match State::load(&folder)? {
            Some(state) => (go_on(&folder, config)?, state),
            None => begin(&folder, config, &options.program)?,
        };
        if options.cooldown && state.cooldown_start.is_none() {
            state.cooldown_start = Some(state.positions);
            state.save(&folder)?;
        }
        observer.event(Event::Opened { generation: state.generation, step: state.step });
        let (failures, failed) = mpsc::channel();
        let events =
            EventWriter::new(folder.events(), state.complete_positions() + 1, options.clock, move |error| {
                // Nobody listens any more once the run is over.
                failures.send(error).ok();
            });
        Ok(Self {
            rules: config.rules.rules()?,
            window: Window::new(config.run.window_positions),
            windowed: 0,
            trainer: None,
            timings: Timings::default(),
            folder,
            config,
            options,
            stop,
            observer,
            manifest,
            state,
            events,
            failed,
        })
    }

    fn is_over(&self) -> bool {
        let complete = self.state.step == Step::SelfPlay;
        let reached = |limit: bool| complete && limit;
        self.stop.load(Ordering::Relaxed)
            || reached(self.options.generations.is_some_and(|last| last < self.state.generation))
            || reached(self.options.positions.is_some_and(|enough| enough <= self.state.positions))
            || reached(
                self.state.cooldown_start.is_some_and(|start| {
                    start + self.config.train.cooldown_positions <= self.state.positions
                }),
            )
    }

    /// The net that plays. If its file is damaged the champion before it plays again, and that is said.
    pub(crate) fn champion(&mut self) -> Result<Weights, PipelineError> {
        loop {
            let champion = self.state.champion().clone();
            let path = self.folder.net(champion.generation);
            let problem = match Weights::read(&path) {
                Ok(weights) if weights.hash() == champion.sha256 => return Ok(weights),
                Ok(_) => "it is another net than the one that was promoted".to_owned(),
                Err(error) => error.to_string(),
            };
            if self.state.champions.len() == 1 {
                return Err(PipelineError::Damaged {
                    path,
                    what: format!("{problem}; no champion is left before it"),
                });
            }
            self.set_aside(&path, &problem)?;
            self.state.champions.pop();
            let before = self.state.champion().generation;
            self.warn(format!("the champion of generation {before} plays instead"));
            self.state.save(&self.folder)?;
        }
    }

    /// The trainer as it was after the last training. If its snapshot is damaged the one before it is taken, and
    /// that is said.
    pub(crate) fn trainer(&mut self) -> Result<&mut Trainer, PipelineError> {
        if self.trainer.is_none() {
            self.trainer = Some(self.load_trainer()?);
        }
        Ok(self.trainer.as_mut().expect("it was made above"))
    }

    pub(crate) fn load_trainer(&mut self) -> Result<Trainer, PipelineError> {
        while 0 < self.state.trained {
            let path = self.folder.snapshot(self.state.trained);
            match Trainer::load(&path, self.config.train.clone(), self.options.device) {
                Ok(trainer) => return Ok(trainer),
                Err(error) => self.set_aside(&path, &error)?,
            }
            self.state.trained = self.folder.snapshot_before(self.state.trained);
            match self.state.trained {
                0 => self.warn("no snapshot is left: the trainer starts from the first net".to_owned()),
                before => {
                    self.warn(format!("the trainer's snapshot of generation {before} is taken instead"));
                }
            }
            self.state.step = self.state.step.min(Step::Train);
            self.state.save(&self.folder)?;
        }
        let first = Weights::read(self.folder.net(0))?;
        Ok(Trainer::new(self.config.train.clone(), &first, self.config.run.seed, self.options.device)?)
    }

    /// Puts the games of all generations up to this one into the window, so far as there is room.
    pub(crate) fn fill_window(&mut self, generation: u32) -> Result<(), PipelineError> {
        let mut shards = Vec::new();
        let mut positions = 0;
        for generation in (self.windowed + 1..=generation).rev() {
            if self.config.run.window_positions <= positions {
                break;
            }
            let games = self.read_games(&self.folder.games(generation))?;
            match games {
                Some(games) => {
                    positions += Statistics::of(&games).searched_plies as usize;
                    shards.push(games);
                }
                None => self.warn(format!("training goes on without the games of generation {generation}")),
            }
        }
        for games in shards.iter().rev().flatten() {
            self.window.push(games).expect("shards hold checked games in order");
        }
        self.windowed = generation;
        Ok(())
    }

    pub(crate) fn set_aside(&mut self, path: &Path, problem: &dyn Display) -> Result<(), PipelineError> {
        if path.exists() {
            self.folder.set_aside(path)?;
        }
        self.warn(format!("{} is set aside: {problem}", path.display()));
        Ok(())
    }

    pub(crate) fn warn(&mut self, text: String) {
        self.observer.event(Event::Warning(text));
    }
}

/// Makes everything that a run begins with; `state.json` comes last, so that half a beginning is begun again.
fn begin(folder: &RunFolder, config: &Config, program: &str) -> Result<(Manifest, State), PipelineError> {
    let manifest = Manifest::new(config, program);
    folder::write_json(&folder.manifest(), &manifest)?;
    folder::write_file(&folder.config(), config.to_toml().as_bytes())?;
    let description = Description::new(config.net.architecture(), &config.rules.rule_set, &manifest.run);
    let weights = Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(config.run.seed))?;
    weights.write(folder.net(0))?;
    let state = State::new(NetId { generation: 0, sha256: weights.hash() });
    state.save(folder)?;
    Ok((manifest, state))
}

/// Reads what a run began with, and refuses to go on with other settings.
fn go_on(folder: &RunFolder, config: &Config) -> Result<Manifest, PipelineError> {
    let path = folder.config();
    let text = std::fs::read_to_string(&path).map_err(PipelineError::io("read", &path))?;
    let now = config.to_toml();
    if text != now {
        let differences = differing_lines(&text, &now);
        return Err(PipelineError::OtherConfig { folder: folder.root().to_owned(), differences });
    }
    folder::read_json(&folder.manifest())
}

/// The settings that differ, as "[section] key = then, now key = now".
fn differing_lines(then: &str, now: &str) -> String {
    let mut section = "";
    let mut differences = Vec::new();
    for (then, now) in then.lines().zip(now.lines()) {
        if then.starts_with('[') {
            section = then;
        }
        if then != now {
            differences.push(format!("{section} {then} (now {now})"));
        }
    }
    if differences.is_empty() { "other keys".to_owned() } else { differences.join(", ") }
}
