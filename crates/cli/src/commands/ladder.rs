//! `meihua ladder`: a net's place on the absolute scale.

use super::match_flags::{MatchFlags, MatchPlan};
use super::print_result;
use crate::players::Contestant;
use crate::progress::Bar;
use crate::stop;
use arena::LadderSettings;
use serde::Serialize;

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
    #[command(flatten)]
    flags: MatchFlags,
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
    let MatchPlan { settings, searcher, config } = arguments.flags.plan()?;
    let ladder = LadderSettings { pairs_per_rung: settings.pairs, ..config.ladder };
    let net = Contestant::net(&arguments.net)?;
    let stop = stop::on_signal()?;
    let mut bar = Bar::new();
    let total = arguments.flags.games();
    let climb = arena::climb(
        &ladder,
        &settings,
        || net.player(&searcher),
        &stop,
        |opponent, _, score| {
            bar.show(format!("{opponent} {:.0} %", 100.0 * score.share()), u64::from(score.games()), total);
        },
    );
    bar.clear();
    let climb = climb?;
    let (simulations, rating) = (searcher.simulations, climb.rating());
    let report = Report { net: &arguments.net, simulations, rating, climb: &climb };
    print_result(&climb.to_string(), arguments.flags.json.then_some(&report))
}
