//! `meihua train`: the whole loop.

mod from_games;
mod held_out;
mod lesson;

use super::match_flags::threads;
use super::print_result;
use crate::progress::{Terminal, complain};
use crate::{config, explain, nets, stop};
use pipeline::{Config, Family, Options};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::SystemTime;
use torch::Device;

/// Train from nothing by self-play, or go on with a run; Ctrl-C stops, the same command goes on.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  meihua train --config configs/laptop.toml
  meihua train --run runs/wide --set net.hidden=256 --seed 7
  meihua train --run runs/short --generations 20
  meihua train --run runs/laptop --cooldown
  meihua train --run runs/laptop --explain
  meihua train --from-games masters/ --epochs 5 --out masters.safetensors

Each complete generation is one line on standard output. The run folder holds the games (Parquet), the nets
(safetensors), the matches and TensorBoard events: tensorboard --logdir runs")]
pub(crate) struct Arguments {
    /// Settings that differ from configs/default.toml [default: those of --run, if that has begun]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A setting that differs, such as selfplay.ply_cap=200 (repeatable; wins over the file)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Where the run lies [default: runs/ and the name of the configuration]
    #[arg(long, value_name = "FOLDER")]
    run: Option<PathBuf>,
    /// The run's seed (the same as --set run.seed=N)
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Games played at the same time (with a tower on the CPU, threads that evaluate), and threads that train a sparse net;
    /// results don't depend on it [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Where libtorch computes: cpu, cuda, or cuda:1 and so on [default: the first GPU for a tower where there is one,
    /// else the CPU, where sparse nets are at home]
    #[arg(long, value_name = "DEVICE", value_parser = nets::device)]
    device: Option<Device>,
    /// Stop when this generation is complete
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    generations: Option<u32>,
    /// Stop at the end of the generation in which this many positions have been played
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// Stop at the end of the generation in which the run has used this many core-seconds, over all restarts:
    /// self-play, training and gate; the ladder doesn't count
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    core_seconds: Option<u32>,
    /// Let the learning rate fall to nothing from here on, over train.cooldown_positions, and stop then
    #[arg(long)]
    cooldown: bool,
    /// Print every setting in force, where it comes from and what it means, and train nothing
    #[arg(long)]
    explain: bool,
    /// Print where the run stands (or with --explain the settings) as one JSON object on the last line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    games: from_games::Flags,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut sets = arguments.set.clone();
    sets.extend(arguments.seed.map(|seed| format!("run.seed={seed}")));
    let folder = arguments.run.clone().unwrap_or_else(|| default_folder(arguments.config.as_deref()));
    // A run that has begun goes on by its own settings.
    let of_run = Some(folder.join("config.toml")).filter(|path| arguments.run.is_some() && path.exists());
    let file = arguments.config.clone().or(of_run);
    if arguments.explain {
        let explanation = explain::explain(&config::read(file.as_deref(), &sets)?)?;
        return print_result(explanation.to_string().trim_end(), arguments.json.then_some(&explanation));
    }
    let config = config::load(file.as_deref(), &sets)?;
    torch::init(config.train.threads as i32);
    let device = device(arguments.device, &config)?;
    if !arguments.games.from_games.is_empty() {
        return from_games::run(
            &arguments.games,
            &config,
            device,
            threads(arguments.threads),
            arguments.json,
        );
    }
    let options = Options {
        threads: threads(arguments.threads),
        generations: arguments.generations,
        positions: arguments.positions,
        core_secs: arguments.core_seconds.map(f64::from),
        cooldown: arguments.cooldown,
        device,
        clock: SystemTime::now,
        program: program(),
    };
    let stop = stop::on_signal()?;
    complain(&format!("run folder {}, {} threads; Ctrl-C stops", folder.display(), options.threads));
    let mut terminal = Terminal::new();
    let state = pipeline::train(&folder, &config, &options, &stop, &mut terminal);
    terminal.close();
    let state = state?;
    if stop.load(Ordering::Relaxed) {
        complain("stopped; the same command goes on");
    } else {
        let (generations, positions) = (state.generation - 1, state.positions);
        complain(&format!(
            "complete: {generations} generations, {} games, {positions} positions",
            state.games
        ));
    }
    print_result("", arguments.json.then_some(&state))
}

/// Where to compute: on what the user chose, if it is there.
fn device(chosen: Option<Device>, config: &Config) -> anyhow::Result<Device> {
    match chosen {
        Some(device) => nets::check_device(device),
        None if config.net.family == Family::Tower => Ok(nets::best_device()),
        None => Ok(Device::Cpu),
    }
}

fn default_folder(config: Option<&std::path::Path>) -> PathBuf {
    let name = config.and_then(|path| path.file_stem()).unwrap_or("default".as_ref());
    PathBuf::from("runs").join(name)
}

/// Name and version, and the revision that it was built from, which make tells the compiler.
fn program() -> String {
    format!(
        "meihua {} ({})",
        env!("CARGO_PKG_VERSION"),
        option_env!("MEIHUA_REVISION").unwrap_or("unknown revision")
    )
}
