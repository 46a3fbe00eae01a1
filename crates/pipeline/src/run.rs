//! The loop: self-play → training → gate → promoted or rejected, generation after generation.
//!
//! Each step is a function of the files before it, so a step that was cut off is simply done again; replacing
//! `state.json` ends it. Games are written in small parts as they are finished, so little self-play is lost.

use crate::alarm::AlarmKind;
use crate::config::Config;
use crate::error::PipelineError;
use crate::folder::{self, RunFolder};
use crate::manifest::Manifest;
use crate::observe::{Event, Observer};
use crate::state::{NetId, State, Step};
use crate::timings::Ledger;
use net::{Description, Weights};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use replay::{Statistics, Window};
use rules::Rules;
use selfplay::Archive;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::SystemTime;
use train::{EventError, EventWriter, Trainer};

/// How a run is driven. Threads, limits and clock don't change its results; a cool-down and a device do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Games played at the same time, and threads that share a step of a sparse net's trainer.
    pub threads: NonZeroUsize,
    /// Stop when this generation is complete.
    pub generations: Option<u32>,
    /// Stop at the end of the generation in which this many positions have been played.
    pub positions: Option<u64>,
    /// Stop at the end of the generation in which the run has used this many core-seconds: self-play, training and
    /// gate, over all restarts; the ladder doesn't count.
    pub core_secs: Option<f64>,
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
    if !run.is_over() {
        let (generation, step) = (run.state.generation, run.state.step);
        run.observer.event(Event::Opened { generation, step });
    }
    while !run.is_over() {
        match run.state.step {
            Step::SelfPlay => run.self_play()?,
            Step::Train => run.train()?,
            Step::Gate => run.gate()?,
        }
    }
    run.ledger.save(&run.folder)?;
    Ok(run.state)
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
    pub(crate) windowed: u32,
    /// Positions of earlier games to start from, if the configuration wants any.
    pub(crate) archive: Arc<Archive>,
    /// The last generation whose games are in it.
    pub(crate) archived: u32,
    /// At [`State::trained`], if there is one.
    pub(crate) trainer: Option<Trainer>,
    pub(crate) events: EventWriter,
    /// Says so when the events can't be written.
    pub(crate) failed: Receiver<EventError>,
    /// The generation's games in figures, if this process has read them.
    pub(crate) statistics: Option<Statistics>,
    /// What the run has used.
    pub(crate) ledger: Ledger,
    /// What the last generation of this process gave alarm for.
    pub(crate) alarms: Vec<AlarmKind>,
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
        let (manifest, mut state) = if folder.state().exists() {
            (go_on(&folder, config, options, observer)?, State::read(&folder.state())?)
        } else {
            begin(&folder, config, &options.program)?
        };
        if options.cooldown && state.cooldown_start.is_none() {
            state.cooldown_start = Some(state.positions);
            state.save(&folder)?;
        }
        let (failures, failed) = mpsc::channel();
        let events =
            EventWriter::new(folder.events(), state.complete_positions() + 1, options.clock, move |error| {
                // Nobody listens any more once the run is over.
                failures.send(error).ok();
            });
        Ok(Self {
            rules: config.rules.rules()?,
            window: Window::new(config.run.window_positions, config.train.short_horizon_plies as f32),
            windowed: 0,
            archive: Arc::new(Archive::new(config.selfplay.archive_games.into())),
            archived: 0,
            trainer: None,
            statistics: None,
            ledger: Ledger::open(&folder, state.generation)?,
            alarms: Vec::new(),
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
            || reached(self.options.core_secs.is_some_and(|enough| enough <= self.ledger.core_secs()))
            || reached(
                self.state.cooldown_start.is_some_and(|start| {
                    start + self.config.train.cooldown_positions <= self.state.positions
                }),
            )
    }

    /// Tells the observer and the log.
    pub(crate) fn warn(&mut self, text: &str) -> Result<(), PipelineError> {
        self.folder.log(&format!("warning: {text}"))?;
        self.observer.event(Event::Warning(text.to_owned()));
        Ok(())
    }
}

/// Makes everything that a run begins with; `state.json` comes last, so that half a beginning is begun again.
fn begin(folder: &RunFolder, config: &Config, program: &str) -> Result<(Manifest, State), PipelineError> {
    if !folder::shards(folder.root())?.is_empty() {
        return Err(PipelineError::NoState { folder: folder.root().to_owned() });
    }
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

/// Reads what a run began with. Refuses to go on with other settings; says so if the machine is another one.
fn go_on(
    folder: &RunFolder,
    config: &Config,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Manifest, PipelineError> {
    let path = folder.config();
    let text = std::fs::read_to_string(&path).map_err(PipelineError::io("read", &path))?;
    let now = config.to_toml();
    if text != now {
        let table = |text: &str| {
            toml::from_str(text)
                .map_err(|error| PipelineError::Damaged { path: path.clone(), what: error.to_string() })
        };
        let differences = differences(&table(&text)?, &table(&now)?);
        return Err(PipelineError::OtherConfig { folder: folder.root().to_owned(), differences });
    }
    let begun: Manifest = folder::read_json(&folder.manifest())?;
    let here = Manifest::new(config, &options.program);
    if !begun.is_of(&here) {
        let what = "version or name of the run are not this configuration's".to_owned();
        return Err(PipelineError::Damaged { path: folder.manifest(), what });
    }
    if (&begun.processor, &begun.libtorch) != (&here.processor, &here.libtorch) {
        let text = format!(
            "the run began on {} with libtorch {} and goes on on {} with libtorch {}: bits may differ",
            begun.processor, begun.libtorch, here.processor, here.libtorch
        );
        folder.log(&format!("warning: {text}"))?;
        observer.event(Event::Warning(text));
    }
    Ok(begun)
}

/// The settings that differ, as "section.key = then (now value)".
fn differences(then: &toml::Table, now: &toml::Table) -> String {
    let (then, now) = (by_key(then), by_key(now));
    let keys: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let value = |settings: &BTreeMap<String, String>, key| {
        settings.get(key).map_or_else(|| "nothing".to_owned(), String::clone)
    };
    let differing = keys.into_iter().filter(|&key| then.get(key) != now.get(key));
    let differences: Vec<String> =
        differing.map(|key| format!("{key} = {} (now {})", value(&then, key), value(&now, key))).collect();
    if differences.is_empty() { "the same written otherwise".to_owned() } else { differences.join(", ") }
}

/// Values as they are written, by their keys with the names of the tables that they are in.
fn by_key(table: &toml::Table) -> BTreeMap<String, String> {
    let mut settings = BTreeMap::new();
    for (key, value) in table {
        if let Some(table) = value.as_table() {
            settings.extend(by_key(table).into_iter().map(|(name, value)| (format!("{key}.{name}"), value)));
        } else {
            settings.insert(key.clone(), value.to_string());
        }
    }
    settings
}
