//! The training loop.

use crate::crew::Crew;
use crate::error::TrainError;
use crate::examples::Examples;
use crate::growth;
use crate::heads;
use crate::job::{Job, StepReport, Summary};
use crate::network::{Differentiated, Network};
use crate::optimiser::{AdamW, StepSize};
use crate::sampler::Sampler;
use crate::sampling::Sampling;
use crate::schedule;
use crate::settings::{MAX_PASSES_PER_ROW, Settings};
use crate::sparse_gradient;
use crate::targets::TargetRule;
use crate::tensor_file;
use net::{Architecture, Description, Weights};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use replay::Window;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use tch::{Device, Tensor};
use torch::{Module, TorchError};

/// Batches that are ready and wait for their step. A thread that makes them waits when it has so many.
const BATCHES_AHEAD: usize = 2;
/// What [`Trainer::save`] writes.
const SNAPSHOT_FORMAT: &str = "trainer snapshot 1";
/// What is written when a loss is no number.
const BATCH_FORMAT: &str = "training batch 3";

/// A network being trained.
///
/// The weights that come out are a pure function of settings, first weights, seed, jobs and windows, bit for bit on
/// one kind of CPU, whether the trainer was stopped and restored on the way or not.
#[derive(Debug)]
pub struct Trainer {
    settings: Settings,
    description: Description,
    network: Network,
    optimiser: AdamW,
    crew: Crew,
    seed: u64,
    /// Steps done.
    step: u64,
    /// Rows drawn.
    draws: u64,
}

/// A trainer's state besides tensors.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Snapshot {
    description: Description,
    /// JSON, so that numbers are compared as they are written.
    settings: String,
    /// In hexadecimal: JSON's numbers are not all exact.
    seed: String,
    step: u64,
    draws: u64,
}

/// What is written beside a batch whose loss is no number.
#[derive(Serialize)]
struct FaultyBatch {
    step: u64,
    what: &'static str,
    value: String,
}

impl Trainer {
    /// Begins to train from these weights.
    ///
    /// `seed` decides which rows are drawn. A device besides the CPU wants [`torch::init`] first; the number of
    /// libtorch's threads is set by [`Trainer::train`].
    pub fn new(settings: Settings, weights: &Weights, seed: u64, device: Device) -> Result<Self, TrainError> {
        Self::with(settings, weights, seed, device, Network::new)
    }

    fn with(
        settings: Settings,
        weights: &Weights,
        seed: u64,
        device: Device,
        network: impl FnOnce(Module, Vec<Tensor>) -> Result<Network, TorchError>,
    ) -> Result<Self, TrainError> {
        settings.check()?;
        let module = Module::new(weights, device)?;
        let heads = match weights.description().architecture {
            Architecture::Sparse { hidden, .. } => heads::parameters(&settings, hidden as i64, device)?,
            Architecture::Tower { .. } if heads::any(&settings) => {
                return Err(TrainError::Tower { what: "hidden layer for further heads" });
            }
            Architecture::Tower { .. } => Vec::new(),
        };
        let parameters = module.parameters().into_iter();
        let of_heads = heads.iter().map(|(name, tensor)| (name.clone(), tensor.shallow_clone()));
        let optimiser = AdamW::new(&settings, parameters.chain(of_heads).collect())?;
        let description = Description { parent: Some(weights.hash()), ..weights.description().clone() };
        let network = network(module, heads.into_iter().map(|(_, tensor)| tensor).collect())?;
        let crew = Crew::default();
        Ok(Self { settings, description, network, optimiser, crew, seed, step: 0, draws: 0 })
    }

    /// From now on so many threads (at first it is one) share the steps of a sparse network on a CPU, but no more than a
    /// batch has parts of 64 positions; and threads of their own draw its batches, one for every three of them. What comes
    /// out doesn't depend on their number.
    pub fn with_threads(self, threads: NonZeroUsize) -> Result<Self, TrainError> {
        let parts = NonZeroUsize::new(sparse_gradient::parts(self.settings.batch_size));
        Ok(Self { crew: Crew::new(threads.min(parts.unwrap_or(threads)))?, ..self })
    }

    /// Steps done since the start of the run.
    pub const fn step(&self) -> u64 {
        self.step
    }

    /// Units of a sparse network's hidden layer.
    pub const fn hidden(&self) -> Option<usize> {
        match self.description.architecture {
            Architecture::Sparse { hidden, .. } => Some(hidden),
            Architecture::Tower { .. } => None,
        }
    }

    /// A sparse network's trainer with a hidden layer of `hidden` units, no fewer than now and a multiple of 8 up to
    /// [`net::MAX_HIDDEN`]; what it answers is the same but for rounding (module `growth`). Which units are copied and how
    /// they are split is a function of seed and width.
    pub fn widened(self, hidden: usize) -> Result<Self, TrainError> {
        let Architecture::Sparse { hidden: before, value_hidden } = self.description.architecture else {
            return Err(TrainError::Tower { what: "hidden layer" });
        };
        if hidden == before {
            return Ok(self);
        }
        let architecture = Architecture::Sparse { hidden, value_hidden };
        let description = Description { architecture, ..self.description.clone() };
        let weights = zeros(&description).map_err(TorchError::from)?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        // Steps have the streams from 0 on.
        rng.set_stream(u64::MAX - hidden as u64);
        let state = growth::widen(self.optimiser.state(), before, hidden, &mut rng)?;
        let mut wide = Self::new(self.settings, &weights, self.seed, self.network.device())?;
        wide.optimiser.restore(&state).expect("shapes are those of the new width");
        Ok(Self { description, crew: self.crew, step: self.step, draws: self.draws, ..wide })
    }

    /// The weights to play with and to gate: the running mean. Their description has the number of steps, and the
    /// weights that training began with as parent.
    pub fn weights(&self) -> Result<Weights, TrainError> {
        let description = Description { step: self.step, ..self.description.clone() };
        let known = description.architecture.shapes();
        let mut averages = self.optimiser.averages();
        averages.retain(|(name, _)| known.iter().any(|(known, _)| known == name));
        Ok(torch::weights_of(description, &averages)?)
    }

    /// Does the steps of a job that are still to do, drawing rows from `window`; ends early, between two steps, once
    /// `stop` is set. `on_step` is told of each.
    ///
    /// Threads of their own prepare batches ([`Trainer::with_threads`]).
    ///
    /// A loss or gradient that is no number ends it before that step is done, with the batch in `faulty_batch`
    /// (safetensors).
    pub fn train(
        &mut self,
        window: &Window,
        job: &Job,
        faulty_batch: &Path,
        stop: &AtomicBool,
        mut on_step: impl FnMut(&StepReport),
    ) -> Result<Summary, TrainError> {
        self.check(window, job)?;
        tch::set_num_threads(self.settings.threads as i32);
        let mut summary = Summary::default();
        let sampling = (self.step < job.steps.end).then(|| Sampling::new(&self.settings, window)).flatten();
        let (sampler, rule) = (self.sampler(window, sampling.as_ref()), target_rule(&self.settings));
        let steps = self.step..job.steps.end;
        let drawers = self.crew.threads().div_ceil(3);
        std::thread::scope(|scope| {
            let batches = (0..drawers).map(|drawer| {
                let (ready, batches) = mpsc::sync_channel(BATCHES_AHEAD);
                let steps = steps.clone().skip(drawer).step_by(drawers);
                scope.spawn(move || {
                    for step in steps {
                        // An error is for the other end to judge; that it is gone, is no error.
                        if ready.send(sampler.draw(step, rule)).is_err() {
                            break;
                        }
                    }
                });
                batches
            });
            let batches: Vec<_> = batches.collect();
            for (_, batches) in steps.clone().zip(batches.iter().cycle()) {
                let Ok(examples) = batches.recv() else { break };
                if stop.load(Ordering::Relaxed) {
                    summary.stopped = true;
                    break;
                }
                let report = self.take_step(&examples, job, faulty_batch)?;
                summary.add(&report, self.settings.gradient_clip_norm);
                on_step(&report);
            }
            Ok(())
        })
        .map(|()| Summary { passes_per_row: self.draws as f64 / job.positions.end.max(1) as f64, ..summary })
    }

    /// For measuring: draws batches once, and gives a function that takes so many steps on them, over and over, and says
    /// how many it took. With `by_libtorch` it differentiates the module on a CPU too. The trainer's own state stays.
    pub fn bare_steps(
        &self,
        window: &Window,
        batches: usize,
        by_libtorch: bool,
    ) -> Result<impl FnMut(u64) -> u64, TrainError> {
        let network = |module, heads| {
            if by_libtorch { Ok(Network::ByLibtorch { module, heads }) } else { Network::new(module, heads) }
        };
        let (settings, device) = (self.settings.clone(), self.network.device());
        let mut copy = Self::with(settings, &self.weights()?, self.seed, device, network)?;
        let rule = target_rule(&self.settings);
        let sampling = Sampling::new(&self.settings, window);
        let sampler = copy.sampler(window, sampling.as_ref());
        let drawn: Vec<Examples> = (0..batches as u64).map(|step| sampler.draw(step, rule)).collect();
        let job = Job { steps: 0..u64::MAX, positions: 0..u64::MAX, cooldown_start: None };
        Ok(move |steps: u64| {
            let taken = drawn.iter().cycle().take(steps as usize);
            taken.filter(|examples| copy.take_step(examples, &job, Path::new("faulty-batch")).is_ok()).count()
                as u64
        })
    }

    fn check(&self, window: &Window, job: &Job) -> Result<(), TrainError> {
        let (start, end) = (job.steps.start, job.steps.end);
        if !(start..=end).contains(&self.step) {
            return Err(TrainError::WrongStep { step: self.step, start, end });
        }
        if window.is_empty() && self.step < end {
            return Err(TrainError::EmptyWindow);
        }
        let draws = self.draws + (end - self.step) * self.settings.batch_size as u64;
        let positions = job.positions.end;
        if draws as f64 > MAX_PASSES_PER_ROW * positions as f64 {
            return Err(TrainError::TooManyPasses { draws, positions });
        }
        Ok(())
    }

    fn sampler<'a>(&self, window: &'a Window, sampling: Option<&'a Sampling>) -> Sampler<'a> {
        Sampler {
            window,
            sampling,
            seed: self.seed,
            batch_size: self.settings.batch_size,
            mirror: self.settings.mirror,
        }
    }

    fn take_step(
        &mut self,
        examples: &Examples,
        job: &Job,
        faulty_batch: &Path,
    ) -> Result<StepReport, TrainError> {
        let (settings, step) = (&self.settings, self.step);
        let finite = |what, value: f64| {
            if value.is_finite() {
                Ok(())
            } else {
                Err(not_finite(step, what, value, examples, faulty_batch))
            }
        };
        let Differentiated { losses, gradients, norm } =
            self.network.differentiate(settings, &self.crew, examples)?;
        finite("loss", losses.total)?;
        finite("gradient", norm)?;

        let positions = job.positions_at(step);
        let learning_rate = schedule::learning_rate(settings, step, positions, job.cooldown_start);
        let size = StepSize { step, learning_rate, ema_decay: schedule::ema_decay(settings, step) };
        let scoring_weight = schedule::scoring_weight(settings, positions);
        self.optimiser.step(&self.crew, gradients, norm, size)?;
        self.step += 1;
        self.draws += examples.len() as u64;
        Ok(StepReport { step, losses, learning_rate, gradient_norm: norm, scoring_weight })
    }

    /// Writes all that is needed to go on, as one file, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), TrainError> {
        let snapshot = Snapshot {
            description: self.description.clone(),
            settings: to_json(&self.settings),
            seed: format!("{:016x}", self.seed),
            step: self.step,
            draws: self.draws,
        };
        tensor_file::write(path, SNAPSHOT_FORMAT, &snapshot, &self.optimiser.state())
            .map_err(|source| TrainError::Io { action: "write snapshot", path: path.into(), source })
    }

    /// The trainer that [`Trainer::save`] wrote. Its settings must be `settings`.
    pub fn load(path: &Path, settings: Settings, device: Device) -> Result<Self, TrainError> {
        settings.check()?;
        let bytes = std::fs::read(path).map_err(|source| TrainError::Io {
            action: "read snapshot",
            path: path.into(),
            source,
        })?;
        let damaged = |what| TrainError::Damaged { path: path.into(), what };
        let (snapshot, state) = tensor_file::decode::<Snapshot>(&bytes, SNAPSHOT_FORMAT).map_err(damaged)?;
        check_settings(path, &snapshot.settings, &to_json(&settings))?;
        let seed = u64::from_str_radix(&snapshot.seed, 16)
            .map_err(|error| damaged(format!("its seed {}: {error}", snapshot.seed)))?;

        // Any weights of this shape do: all numbers are taken from the snapshot.
        let weights = zeros(&snapshot.description).map_err(|error| damaged(error.to_string()))?;
        let mut trainer = Self::new(settings, &weights, seed, device)?;
        trainer.optimiser.restore(&state).map_err(damaged)?;
        Ok(Self { description: snapshot.description, step: snapshot.step, draws: snapshot.draws, ..trainer })
    }
}

const fn target_rule(settings: &Settings) -> TargetRule {
    TargetRule {
        outcome_share: settings.value_outcome_share as f32,
        opponent_reply: settings.opponent_reply_loss_weight > 0.0,
    }
}

/// Saves the batch and makes the error.
fn not_finite(step: u64, what: &'static str, value: f64, examples: &Examples, path: &Path) -> TrainError {
    let about = FaultyBatch { step, what, value: value.to_string() };
    match tensor_file::write(path, BATCH_FORMAT, &about, &examples.tensors()) {
        Ok(()) => TrainError::NotFinite { step, what, value, batch: path.into() },
        Err(source) => {
            let lost = std::io::Error::other(format!("{source} (step {step}: {what} is {value})"));
            TrainError::Io { action: "write the batch", path: PathBuf::from(path), source: lost }
        }
    }
}

fn zeros(description: &Description) -> Result<Weights, net::WeightsError> {
    let tensors = description.architecture.shapes().into_iter().map(|(name, shape)| {
        let values = vec![0.0; shape.iter().product()];
        (name, net::Tensor { shape, values })
    });
    Weights::new(description.clone(), tensors.collect())
}

fn to_json(settings: &Settings) -> String {
    serde_json::to_string(settings).expect("settings are numbers and flags")
}

/// Refuses other settings, and says which keys differ.
fn check_settings(path: &Path, saved: &str, now: &str) -> Result<(), TrainError> {
    if saved == now {
        return Ok(());
    }
    let object = |text| serde_json::from_str::<serde_json::Map<_, _>>(text).unwrap_or_default();
    let (saved, now) = (object(saved), object(now));
    let differences: Vec<String> = now
        .iter()
        .filter(|&(key, value)| saved.get(key) != Some(value))
        .map(|(key, value)| {
            let before = saved.get(key).map_or("nothing".to_owned(), serde_json::Value::to_string);
            format!("{key} was {before}, is {value}")
        })
        .collect();
    Err(TrainError::OtherSettings { path: path.into(), differences: differences.join("; ") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::losses::Losses;
    use crate::testing::{RULE, weights, window};

    fn settings() -> Settings {
        Settings { batch_size: 32, warmup_steps: 4, threads: 1, ..Settings::default() }
    }

    fn trainer() -> Trainer {
        Trainer::new(settings(), &weights(8), 11, Device::Cpu).unwrap()
    }

    fn job(steps: u64) -> Job {
        Job { steps: 0..steps, positions: 1000..100_000, cooldown_start: None }
    }

    fn train(trainer: &mut Trainer, window: &Window, job: &Job) -> Summary {
        trainer.train(window, job, Path::new("unused"), &AtomicBool::new(false), |_| ()).unwrap()
    }

    #[test]
    fn training_makes_the_losses_smaller_and_is_the_same_each_time() {
        let window = window(2);
        let mut reports = Vec::new();
        let (mut first, mut again) = (trainer(), trainer());
        let stop = AtomicBool::new(false);
        let summary =
            first.train(&window, &job(60), Path::new("unused"), &stop, |r| reports.push(*r)).unwrap();
        train(&mut again, &window, &job(60));

        assert_eq!(first.weights().unwrap(), again.weights().unwrap());
        assert_eq!((summary.steps, summary.stopped, first.step()), (60, false, 60));
        assert!((summary.passes_per_row - 60.0 * 32.0 / 100_000.0).abs() < 1e-12);
        assert_eq!(first.weights().unwrap().description().step, 60);
        let (start, end) = (reports[0].losses, reports[59].losses);
        assert!((start.value - 3.0_f64.ln()).abs() < 1e-6, "a fresh network says a third each");
        assert!(end.value < start.value && end.policy < start.policy - 0.5, "{start:?} {end:?}");
        assert!(end.moves_left < start.moves_left, "{start:?} {end:?}");
        assert!(reports[0].scoring_weight > reports[59].scoring_weight);
    }

    #[test]
    fn any_number_of_threads_gives_the_same_weights() {
        let window = window(2);
        // Five parts, so that up to five threads share them and two draw.
        let settings = Settings { batch_size: 300, ..settings() };
        let trained = |threads| {
            let trainer = Trainer::new(settings.clone(), &weights(16), 11, Device::Cpu).unwrap();
            let mut trainer = trainer.with_threads(NonZeroUsize::new(threads).unwrap()).unwrap();
            assert_eq!(trainer.crew.threads(), threads.min(5));
            train(&mut trainer, &window, &job(19));
            trainer.weights().unwrap()
        };
        let one = trained(1);
        assert_eq!(one, trained(2));
        assert_eq!(one, trained(7));
    }

    #[test]
    fn another_seed_gives_other_weights() {
        let window = window(2);
        let mut other = Trainer::new(settings(), &weights(8), 12, Device::Cpu).unwrap();
        let mut one = trainer();
        train(&mut one, &window, &job(2));
        train(&mut other, &window, &job(2));
        assert_ne!(one.weights().unwrap(), other.weights().unwrap());
    }

    /// Stopped in the middle, saved, loaded, given the same job: bit for bit what an uninterrupted trainer does.
    #[test]
    fn a_resumed_trainer_goes_on_as_if_nothing_had_happened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("snapshot");
        let window = window(2);
        let mut whole = trainer();
        train(&mut whole, &window, &job(12));

        let mut part = trainer();
        let stop = AtomicBool::new(false);
        let stop_at_five = |report: &StepReport| stop.store(report.step == 4, Ordering::Relaxed);
        let summary = part.train(&window, &job(12), Path::new("unused"), &stop, stop_at_five).unwrap();
        assert_eq!((summary.steps, summary.stopped, part.step()), (5, true, 5));
        part.save(&path).unwrap();
        drop(part);
        let mut resumed = Trainer::load(&path, settings(), Device::Cpu).unwrap();
        train(&mut resumed, &window, &job(12));

        let end = folder.path().join("end");
        whole.save(&path).unwrap();
        resumed.save(&end).unwrap();
        assert!(std::fs::read(&path).unwrap() == std::fs::read(&end).unwrap(), "the snapshots differ");
        assert_eq!(whole.weights().unwrap(), resumed.weights().unwrap());
    }

    #[test]
    fn a_damaged_snapshot_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("snapshot");
        trainer().save(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let error = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Trainer::load(&path, settings(), Device::Cpu).unwrap_err().to_string()
        };
        assert!(error(&bytes[..bytes.len() / 2]).contains("snapshot can't be used"));
        assert!(error(b"").contains("snapshot can't be used"));
        let mut flipped = bytes.clone();
        flipped[bytes.len() - 1] ^= 1;
        assert!(error(&flipped).contains("checksum"));
        std::fs::remove_file(&path).unwrap();
        let gone = Trainer::load(&path, settings(), Device::Cpu).unwrap_err();
        assert!(gone.to_string().starts_with("cannot read snapshot"));
    }

    #[test]
    fn a_snapshot_of_other_settings_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("snapshot");
        trainer().save(&path).unwrap();
        let other = Settings { threads: 2, learning_rate: 0.5, ..settings() };
        let error = Trainer::load(&path, other, Device::Cpu).unwrap_err().to_string();
        assert!(error.ends_with("learning_rate was 0.0014, is 0.5; threads was 1, is 2"), "{error}");
    }

    /// alpha-zero-general #168: NaN stops training, with the batch saved.
    #[test]
    fn a_loss_that_is_no_number_stops_before_the_step() {
        let folder = tempfile::tempdir().unwrap();
        let batch = folder.path().join("batch");
        let window = window(1);
        let mut sick = trainer();
        let input_bias = sick.optimiser.values().next().unwrap();
        drop(input_bias.detach().fill_(f64::from(f32::MAX)));
        let before = sick.weights().unwrap();
        let result = sick.train(&window, &job(3), &batch, &AtomicBool::new(false), |_| ());
        let error = result.unwrap_err();
        assert!(matches!(error, TrainError::NotFinite { step: 0, what: "loss", .. }), "{error}");
        assert!(error.to_string().starts_with("step 0: loss is "), "{error}");
        assert_eq!((sick.step(), sick.weights().unwrap()), (0, before));
        let bytes = std::fs::read(&batch).unwrap();
        let (about, tensors) = tensor_file::decode::<serde_json::Value>(&bytes, BATCH_FORMAT).unwrap();
        assert_eq!((about["step"].as_u64(), tensors["wdl"].size()), (Some(0), vec![32, 3]));
    }

    #[test]
    fn jobs_that_make_no_sense_are_refused() {
        let window = window(1);
        let mut trainer = trainer();
        let mut error = |window: &Window, job: Job| {
            let stop = AtomicBool::new(false);
            trainer.train(window, &job, Path::new("unused"), &stop, |_| ()).unwrap_err().to_string()
        };
        assert_eq!(error(&Window::new(9, 8.0), job(1)), "the window of positions is empty");
        let late = Job { steps: 5..9, ..job(0) };
        assert_eq!(error(&window, late), "the trainer is at step 0, the job goes from step 5 to 9");
        let greedy = Job { positions: 0..100, ..job(10) };
        assert_eq!(error(&window, greedy), "320 draws from 100 positions are more than 3 passes");
    }

    /// Every method on.
    fn all_on() -> Settings {
        Settings {
            surprise_share: 0.5,
            cheap_row_weight: 0.5,
            decided_row_weight: 0.5,
            dedupe: true,
            soft_policy_loss_weight: 2.0,
            // At 4 the target is nearly even, and there is little to learn.
            soft_policy_temperature: 1.5,
            opponent_reply_loss_weight: 0.15,
            decay_end_positions: 100_000,
            final_learning_rate_share: 0.1,
            ..settings()
        }
    }

    fn trainer_with_all_on() -> Trainer {
        Trainer::new(all_on(), &weights(16), 11, Device::Cpu).unwrap()
    }

    #[test]
    fn with_every_method_on_all_losses_get_smaller() {
        let (window, mut reports) = (window(2), Vec::new());
        let mut trainer = trainer_with_all_on();
        let stop = AtomicBool::new(false);
        trainer.train(&window, &job(400), Path::new("unused"), &stop, |r| reports.push(*r)).unwrap();
        let mean = |reports: &[StepReport], of: fn(&Losses) -> f64| {
            reports.iter().map(|report| of(&report.losses)).sum::<f64>() / reports.len() as f64
        };
        let losses: [fn(&Losses) -> f64; 5] = [
            |losses| losses.policy,
            |losses| losses.value,
            |losses| losses.moves_left,
            |losses| losses.soft_policy,
            |losses| losses.opponent_reply,
        ];
        for (number, loss) in losses.into_iter().enumerate() {
            let (start, end) = (mean(&reports[..40], loss), mean(&reports[360..], loss));
            assert!(0.0 < end && end < start, "loss {number}: {start} {end}");
        }
        assert!(reports[399].learning_rate < 0.2 * reports[5].learning_rate);
        // What plays has no part of it.
        let names: Vec<String> = trainer.weights().unwrap().tensors().keys().cloned().collect();
        assert!(names.len() == 8 && !names.iter().any(|name| name.starts_with("soft")), "{names:?}");
    }

    #[test]
    fn a_resumed_trainer_goes_on_with_every_method_on_and_wider() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["middle", "whole", "resumed"].map(|name| folder.path().join(name));
        let window = window(2);
        let mut whole = trainer_with_all_on();
        train(&mut whole, &window, &job(4));
        whole = whole.widened(40).unwrap();
        let next = |end| Job { steps: 4..end, ..job(0) };
        train(&mut whole, &window, &next(6));
        whole.save(&paths[0]).unwrap();
        train(&mut whole, &window, &next(12));

        let mut resumed = Trainer::load(&paths[0], all_on(), Device::Cpu).unwrap();
        assert_eq!((resumed.hidden(), resumed.step()), (Some(40), 6));
        train(&mut resumed, &window, &next(12));
        whole.save(&paths[1]).unwrap();
        resumed.save(&paths[2]).unwrap();
        assert!(
            std::fs::read(&paths[1]).unwrap() == std::fs::read(&paths[2]).unwrap(),
            "the snapshots differ"
        );
    }

    /// The batch's losses before the next step.
    fn losses(trainer: &mut Trainer, window: &Window) -> Losses {
        let rule = TargetRule { opponent_reply: true, ..RULE };
        let examples = trainer.sampler(window, None).draw(1000, rule);
        trainer.network.differentiate(&all_on(), &Crew::default(), &examples).unwrap().losses
    }

    #[test]
    fn a_wider_network_says_the_same_until_its_copies_part_ways() {
        let window = window(2);
        let mut trainer = trainer_with_all_on();
        train(&mut trainer, &window, &job(40));
        let mut answers = Vec::new();
        let mut seen = Vec::new();
        let mut trainer = Some(trainer);
        for width in [16, 32, 40] {
            let mut wide = trainer.take().unwrap().widened(width).unwrap();
            seen.push(losses(&mut wide, &window));
            let mut evaluator =
                net::SparseEvaluator::new(net::SparseNet::new(&wide.weights().unwrap()).unwrap().into());
            let mut said = Vec::new();
            for index in 0..window.len() {
                let row = window.row(index);
                let (position, legal) = (row.position(), row.position().legal_moves());
                let query =
                    evaluator::Query { position: &position, situation: row.situation(), legal: &legal };
                let mut answer = [evaluator::Answer::default()];
                evaluator::Evaluator::evaluate(&mut evaluator, &[query], &mut answer).unwrap();
                let [answer] = answer;
                said.extend([answer.wdl.win, answer.wdl.draw, answer.wdl.loss, answer.moves_left]);
                said.extend(answer.logits);
            }
            answers.push(said);
            trainer = Some(wide);
        }
        for wide in &answers[1..] {
            assert_eq!(wide.len(), answers[0].len());
            for (a, b) in wide.iter().zip(&answers[0]) {
                assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{a} was {b}");
            }
        }
        for wide in &seen[1..] {
            assert!((wide.total / seen[0].total - 1.0).abs() < 1e-5, "{wide:?} was {:?}", seen[0]);
        }

        // Copies have equal columns of incoming weights; after a step none is like another.
        let mut trainer = trainer.unwrap();
        let columns = |trainer: &Trainer| {
            let (_, weight) =
                trainer.optimiser.state().into_iter().find(|(name, _)| name == "value/input.weight").unwrap();
            let numbers =
                Vec::<f32>::try_from(&weight.detach().transpose(0, 1).contiguous().flatten(0, -1)).unwrap();
            let columns = numbers.chunks_exact(evaluator::INPUTS).take(40);
            columns
                .map(|column| column.iter().map(|x| x.to_bits()).collect())
                .collect::<std::collections::BTreeSet<Vec<u32>>>()
                .len()
        };
        assert_eq!(columns(&trainer), 16);
        train(&mut trainer, &window, &Job { steps: 40..41, ..job(0) });
        assert_eq!(columns(&trainer), 40);
    }

    #[test]
    fn a_width_that_cannot_be_is_refused() {
        let error = trainer().widened(12).unwrap_err().to_string();
        assert!(error.contains("hidden is 12; it must be a multiple of 8"), "{error}");
    }

    #[test]
    fn a_tower_has_no_hidden_layer() {
        let architecture = Architecture::Tower { channels: 8, blocks: 1, value_hidden: 8 };
        let description = Description::new(architecture, "checks", "test");
        let weights = Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
        let tower = |settings| Trainer::new(settings, &weights, 1, Device::Cpu);
        assert_eq!(tower(settings()).unwrap().hidden(), None);
        let errors = [
            tower(settings()).unwrap().widened(16).unwrap_err(),
            tower(Settings { soft_policy_loss_weight: 1.0, ..settings() }).unwrap_err(),
            tower(Settings { opponent_reply_loss_weight: 1.0, ..settings() }).unwrap_err(),
        ];
        assert!(errors.iter().all(|error| matches!(error, TrainError::Tower { .. })), "{errors:?}");
    }

    #[test]
    fn with_every_method_on_a_loss_that_is_no_number_stops_too() {
        let folder = tempfile::tempdir().unwrap();
        let (batch, window) = (folder.path().join("batch"), window(1));
        // Only the head of the reply is sick.
        let mut sick = trainer_with_all_on();
        let bias = sick.optimiser.values().nth(8).unwrap();
        drop(bias.detach().fill_(f64::NAN));
        let before = sick.weights().unwrap();
        let error = sick.train(&window, &job(3), &batch, &AtomicBool::new(false), |_| ()).unwrap_err();
        assert!(matches!(error, TrainError::NotFinite { step: 0, what: "loss", .. }), "{error}");
        assert_eq!((sick.step(), sick.weights().unwrap()), (0, before));
        let bytes = std::fs::read(&batch).unwrap();
        let (_, tensors) = tensor_file::decode::<serde_json::Value>(&bytes, BATCH_FORMAT).unwrap();
        assert_eq!(tensors["reply_ends"].size(), [32]);
        assert_eq!(tensors["replies"].size(), tensors["reply"].size());
    }
}
