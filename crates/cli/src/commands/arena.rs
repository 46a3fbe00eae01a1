//! `meihua arena`: a match between two players.

use super::print_result;
use crate::players::Contestant;
use crate::progress::Bar;
use crate::{config, stop};
use anyhow::bail;
use arena::{MatchEnd, MatchSettings, SearcherSettings};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// Play a match: is A stronger than B?
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Players: random, greedy, depth-1 to depth-8 (alpha-beta on material), a weights file, or a run folder, whose champion
plays. Games come in pairs that share a random opening with colours exchanged.

Examples:
  meihua arena runs/laptop depth-2 --games 100 --simulations 128
  meihua arena runs/a runs/b --games 400
  meihua arena depth-1 random --games 40 --json")]
pub(crate) struct Arguments {
    /// The player whose score is given
    a: String,
    /// Its opponent
    b: String,
    /// Games, an even number
    #[arg(long, default_value_t = 100)]
    games: u32,
    /// Simulations a move, for nets
    #[arg(long, default_value_t = 32)]
    simulations: u32,
    /// Where the openings come from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played at the same time; the result doesn't depend on it [default: the number of cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// A setting of the sections arena or rules, such as rules.natural_limit_plies=100 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    a: &'a str,
    b: &'a str,
    score: arena::Score,
    reasons: arena::Reasons,
    stopped: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.games == 0 || !arguments.games.is_multiple_of(2) {
        bail!("--games {}: want an even number from 2, since games come in pairs", arguments.games);
    }
    let config = config::load(None, &arguments.set)?;
    let searcher = SearcherSettings { simulations: arguments.simulations, ..config.arena.searcher };
    searcher.check()?;
    let (a, b) = (Contestant::parse(&arguments.a)?, Contestant::parse(&arguments.b)?);
    let settings = MatchSettings {
        pairs: arguments.games / 2,
        threads: threads(arguments.threads),
        seed: arguments.seed,
        openings: config.arena.openings,
        rules: config.rules.rules()?,
    };
    let stop = stop::on_signal()?;
    let mut bar = Bar::new();
    let total = u64::from(arguments.games);
    let result = arena::play_match(
        &settings,
        || a.player(&searcher),
        || b.player(&searcher),
        &stop,
        |_, score| {
            bar.show(format!("{} % ", (100.0 * score.share()).round()), u64::from(score.games()), total);
            ControlFlow::Continue(())
        },
    );
    bar.clear();
    let result = result?;
    let stopped = result.end == MatchEnd::Stopped;
    let early = if stopped { "stopped early: " } else { "" };
    let text =
        format!("{early}{} against {}: {}\nends: {}", arguments.a, arguments.b, result.score, result.reasons);
    let report =
        Report { a: &arguments.a, b: &arguments.b, score: result.score, reasons: result.reasons, stopped };
    print_result(&text, arguments.json.then_some(&report))
}

/// As many as asked for, or as there are cores.
pub(crate) fn threads(asked: Option<NonZeroUsize>) -> usize {
    asked.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}
