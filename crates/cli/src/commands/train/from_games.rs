//! `meihua train --from-games`: the same trainer on games that others played, to see that it learns.
//!
//! A net learns the moves that were played and how the games ended, and is asked about games that it has not seen.

use super::held_out::{Measured, measure};
use super::lesson::{LeftOut, lesson};
use crate::commands::games::reading::Reading;
use crate::commands::games::sources::some_sources;
use crate::commands::print_result;
use crate::progress::{Bar, complain};
use crate::stop;
use anyhow::{Context as _, bail};
use net::{Description, Weights};
use pipeline::Config;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use replay::{GameRecord, Window};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, IsTerminal as _, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use torch::Device;
use train::{Job, Trainer};

/// What to learn from, and for how long.
#[derive(clap::Args, Debug)]
pub(super) struct Flags {
    /// Don't play: learn the moves and results of the games in these files and folders, in any format
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "out",
        conflicts_with_all = ["run", "generations", "positions", "core_seconds", "cooldown", "explain"])]
    pub(super) from_games: Vec<PathBuf>,
    /// How often to go through those games
    #[arg(long, value_name = "N", requires = "from_games", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    epochs: u32,
    /// The share of them, in per cent, that is not learnt from but measured with
    #[arg(long, value_name = "PERCENT", requires = "from_games", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=90))]
    held_out: u8,
    /// Where the net goes; an old file is replaced
    #[arg(long, value_name = "FILE", requires = "from_games")]
    out: Option<PathBuf>,
}

/// What came out.
#[derive(Serialize)]
struct Report<'a> {
    file: &'a Path,
    /// Games learnt from.
    games: usize,
    /// Positions in them.
    positions: usize,
    /// Games measured with.
    held_out_games: usize,
    /// Games left out by what is wrong with them, copies of others among them.
    left_out: BTreeMap<&'static str, u64>,
    epochs: Vec<Epoch>,
}

#[derive(Serialize)]
struct Epoch {
    /// From 1.
    number: u32,
    steps: u64,
    losses: train::Losses,
    held_out: Measured,
}

/// Trains a net and writes it.
pub(super) fn run(
    flags: &Flags,
    config: &Config,
    device: Device,
    threads: NonZeroUsize,
    json: bool,
) -> anyhow::Result<()> {
    let out = flags.out.as_deref().context("--from-games needs --out")?;
    let (mut games, left_out) = read(&flags.from_games, config)?;
    let mut rng = ChaCha8Rng::seed_from_u64(config.run.seed);
    games.shuffle(&mut rng);
    let held_out = games.split_off(games.len() - (games.len() * usize::from(flags.held_out)).div_ceil(100));
    if games.is_empty() || held_out.is_empty() {
        bail!("{} games to learn from and {} held out: want one of each", games.len(), held_out.len());
    }
    // Each value target is the game's result itself: nothing to average.
    let mut window = Window::new(games.iter().map(|game| game.plies.len()).sum(), 0.0);
    for (number, game) in games.iter_mut().enumerate() {
        game.game = number as u64;
        window.push(game)?;
    }
    complain(&format!(
        "{} games, {} positions to learn from, {} games held out; Ctrl-C stops",
        games.len(),
        window.len(),
        held_out.len()
    ));

    let settings = settings(config, flags.epochs, window.len() as u64);
    let description = Description::new(config.net.architecture(), &config.rules.rule_set, "from games");
    let first = Weights::new_random(description, &mut rng)?;
    let trainer = Trainer::new(settings.clone(), &first, config.run.seed, device)?;
    let mut trainer = trainer.with_threads(threads)?;
    let stop = stop::on_signal()?;
    let mut epochs = Vec::new();
    for epoch in 1..=flags.epochs {
        let Some((steps, losses)) = learn(&mut trainer, &settings, &window, epoch, flags.epochs, out, &stop)?
        else {
            complain("stopped; no net is written");
            return Ok(());
        };
        let measured = measure(&trainer.weights()?, &held_out)?;
        // A reader that has gone away is no reason to stop.
        drop(writeln!(
            io::stdout(),
            "epoch {epoch:<3}| {steps} steps | loss policy {:.3} value {:.3} | held out: top-1 {:.1} %, loss policy {:.3} value {:.3}",
            losses.policy,
            losses.value,
            100.0 * measured.top_1,
            measured.policy_loss,
            measured.value_loss
        ));
        epochs.push(Epoch { number: epoch, steps, losses, held_out: measured });
    }
    trainer.weights()?.write(out)?;
    let (games, positions, held_out_games) = (games.len(), window.len(), held_out.len());
    let report = Report { file: out, games, positions, held_out_games, left_out, epochs };
    print_result("", json.then_some(&report))
}

/// Once through the games; `None` if it was stopped.
fn learn(
    trainer: &mut Trainer,
    settings: &train::Settings,
    window: &Window,
    epoch: u32,
    epochs: u32,
    out: &Path,
    stop: &AtomicBool,
) -> anyhow::Result<Option<(u64, train::Losses)>> {
    let rows = window.len() as u64;
    let positions = rows * u64::from(epoch - 1)..rows * u64::from(epoch);
    let cooldown_start = rows * u64::from(epochs) - settings.cooldown_positions;
    let first = trainer.step();
    let job = Job::new(settings, first, positions, Some(cooldown_start));
    if job.steps.is_empty() {
        bail!("{rows} positions are less than one batch: see train.batch_size");
    }
    let mut bar = Bar::new();
    let total = job.steps.end - first;
    let faulty = out.with_extension("faulty-batch.safetensors");
    let summary = trainer.train(window, &job, &faulty, stop, |report| {
        bar.show(format!("epoch {epoch} of {epochs}"), report.step + 1 - first, total);
    })?;
    bar.clear();
    Ok((!summary.stopped && !stop.load(Ordering::Relaxed)).then_some((summary.steps, summary.losses)))
}

/// The run's, but for the targets, which are the move played and the result alone, for surprise, since nobody has searched
/// these positions, and for the schedule: as many passes as epochs, and a cool-down over the last third.
fn settings(config: &Config, epochs: u32, rows: u64) -> train::Settings {
    train::Settings {
        value_outcome_share: 0.0,
        scoring_weight: 0.0,
        surprise_share: 0.0,
        passes_per_row: 1.0,
        cooldown_positions: (rows * u64::from(epochs) / 3).max(1),
        ..config.train.clone()
    }
}

/// The games of all files, each once, and what was left out.
fn read(
    inputs: &[PathBuf],
    config: &Config,
) -> anyhow::Result<(Vec<GameRecord>, BTreeMap<&'static str, u64>)> {
    let sources = some_sources(inputs)?;
    let mut reading = Reading::new(sources.len(), io::stderr().is_terminal());
    let rule_set = config.rules.rules()?.rule_set;
    let (mut games, mut left_out, mut seen) = (Vec::new(), BTreeMap::new(), HashSet::new());
    for source in &sources {
        for game in reading.read(source) {
            let key = (game.record.start().fen(), game.record.main_line());
            match lesson(&game.record, rule_set) {
                Ok(game) if seen.insert(key) => games.push(game),
                Ok(_) => *left_out.entry(LeftOut::Copy.name()).or_default() += 1,
                Err(why) => *left_out.entry(why.name()).or_default() += 1,
            }
        }
    }
    reading.finish(true)?;
    for (why, count) in &left_out {
        complain(&format!("left out: {count} games: {why}"));
    }
    Ok((games, left_out))
}
