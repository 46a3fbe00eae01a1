//! `meihua ladder`: a net's place on the absolute scale.

use super::arena::threads;
use super::print_result;
use crate::players::Contestant;
use crate::progress::Bar;
use crate::{config, stop};
use arena::{LadderSettings, MatchSettings, SearcherSettings};
use serde::Serialize;
use std::num::NonZeroUsize;

/// Measure a net against the built-in opponents, weakest first.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The scale: 0 is Fairy-Stockfish at 100 nodes a move; depth-3 stands at -313, depth-2 at -564, depth-1 at -931, random
at about -1237.

Examples:
  meihua ladder runs/laptop
  meihua ladder runs/laptop/nets/g000010.safetensors --games 200 --simulations 128 --json")]
pub(crate) struct Arguments {
    /// A weights file, or a run folder, whose champion plays
    net: String,
    /// Games against each opponent, an even number
    #[arg(long, default_value_t = 100)]
    games: u32,
    /// Simulations a move
    #[arg(long, default_value_t = 32)]
    simulations: u32,
    /// Where the openings come from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played at the same time; the result doesn't depend on it [default: the number of cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// A setting of the sections ladder, arena or rules (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    net: &'a str,
    simulations: u32,
    rating: arena::Rating,
    #[serde(flatten)]
    climb: &'a arena::Climb,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.games == 0 || !arguments.games.is_multiple_of(2) {
        anyhow::bail!("--games {}: want an even number from 2, since games come in pairs", arguments.games);
    }
    let config = config::load(None, &arguments.set)?;
    let ladder = LadderSettings { pairs_per_rung: arguments.games / 2, ..config.ladder };
    let searcher = SearcherSettings { simulations: arguments.simulations, ..config.arena.searcher };
    searcher.check()?;
    let net = Contestant::net(&arguments.net)?;
    let settings = MatchSettings {
        threads: threads(arguments.threads),
        seed: arguments.seed,
        openings: config.arena.openings,
        rules: config.rules.rules()?,
        ..MatchSettings::default()
    };
    let stop = stop::on_signal()?;
    let mut bar = Bar::new();
    let total = u64::from(arguments.games);
    let climb = arena::climb(
        &ladder,
        &settings,
        || net.player(&searcher),
        &stop,
        |opponent, _, score| {
            let text = format!("{opponent} {} %", (100.0 * score.share()).round());
            bar.show(text, u64::from(score.games()), total);
        },
    );
    bar.clear();
    let climb = climb?;
    let (simulations, rating) = (arguments.simulations, climb.rating());
    let report = Report { net: &arguments.net, simulations, rating, climb: &climb };
    print_result(&climb.to_string(), arguments.json.then_some(&report))
}
