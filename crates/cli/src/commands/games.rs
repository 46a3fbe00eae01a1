//! `meihua games`: recorded games.

use super::print_result;
use crate::progress::complain;
use anyhow::bail;
use replay::{Statistics, read_shard};
use serde::Serialize;
use std::path::PathBuf;

/// Look at recorded games
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Command {
    Stats(Stats),
}

/// Count games by outcome, reason, start and net.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  meihua games stats runs/laptop
  meihua games stats runs/laptop/games/g000001.parquet --json

The shards are Parquet: DuckDB, pandas and Polars read them too (crates/replay/FORMAT.md).")]
pub(crate) struct Stats {
    /// Run folders, folders of shards, or shards
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    statistics: Statistics,
    shards: usize,
    bad_shards: usize,
}

pub(crate) fn run(command: &Command) -> anyhow::Result<()> {
    let Command::Stats(arguments) = command;
    let mut shards = Vec::new();
    for path in &arguments.paths {
        shards.extend(pipeline::shards(path)?);
    }
    let mut bad_shards = 0;
    // One shard in memory at a time.
    let records = shards.iter().flat_map(|path| {
        read_shard(path).unwrap_or_else(|error| {
            bad_shards += 1;
            complain(&format!("skipped: {error}"));
            Vec::new()
        })
    });
    let statistics = Statistics::of(records);
    let text = format!("{statistics}{:<24}{:>10}  {bad_shards} of them unreadable", "shards", shards.len());
    let report = Report { statistics, shards: shards.len(), bad_shards };
    print_result(&text, arguments.json.then_some(&report))?;
    if bad_shards > 0 {
        bail!("{bad_shards} of {} shards could not be read", shards.len());
    }
    Ok(())
}
