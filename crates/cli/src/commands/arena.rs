//! `meihua arena`: a match between two players.

use super::match_flags::{MatchFlags, MatchPlan};
use super::print_result;
use crate::players::Contestant;
use crate::progress::Bar;
use crate::stop;
use arena::MatchEnd;
use serde::Serialize;
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
    #[command(flatten)]
    flags: MatchFlags,
}

#[derive(Serialize)]
struct Report<'a> {
    a: &'a str,
    b: &'a str,
    score: arena::Summary,
    reasons: arena::Reasons,
    stopped: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let MatchPlan { settings, searcher, .. } = arguments.flags.plan()?;
    let (a, b) = (Contestant::parse(&arguments.a)?, Contestant::parse(&arguments.b)?);
    let stop = stop::on_signal()?;
    let mut bar = Bar::new();
    let total = arguments.flags.games();
    let result = arena::play_match(
        &settings,
        || a.player(&searcher),
        || b.player(&searcher),
        &stop,
        |_, score| {
            bar.show(format!("match {:.0} %", 100.0 * score.share()), u64::from(score.games()), total);
            ControlFlow::Continue(())
        },
    );
    bar.clear();
    let result = result?;
    let (a, b, score) = (&arguments.a, &arguments.b, result.score);
    let stopped = result.end == MatchEnd::Stopped;
    let early = if stopped { "stopped early: " } else { "" };
    let text = format!("{early}{a} against {b}: {score}\nends: {}", result.reasons);
    let report = Report { a, b, score: score.summary(), reasons: result.reasons, stopped };
    print_result(&text, arguments.flags.json.then_some(&report))
}
