//! `meihua arena`: a match between two players.

use super::match_flags::{MatchFlags, MatchPlan};
use super::print_result;
use crate::players::Contestant;
use crate::progress::Bar;
use crate::stop;
use anyhow::Context as _;
use arena::MatchEnd;
use notation::{Style, write_pgn};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Play a match: is A stronger than B?
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Players: random, greedy, depth-1 to depth-8 (alpha-beta on material), a weights file, or a run folder, whose champion
plays. Games come in pairs that share a random opening with colours exchanged.

Examples:
  meihua arena runs/laptop depth-2 --games 100 --simulations 128
  meihua arena runs/a runs/b --games 400
  meihua arena depth-1 random --games 40 --json
  meihua arena runs/laptop depth-3 --pgn games.pgn --notation wxf")]
pub(crate) struct Arguments {
    /// The player whose score is given
    a: String,
    /// Its opponent
    b: String,
    /// Write the games to this file as PGN, as they end; an old file is replaced
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// How moves are written there: chinese, wxf, iccs, coordinates and others
    #[arg(long, default_value_t = Style::CHINESE, requires = "pgn")]
    notation: Style,
    #[command(flatten)]
    flags: MatchFlags,
}

#[derive(Serialize)]
struct Report<'a> {
    a: &'a str,
    b: &'a str,
    score: arena::Summary,
    reasons: arena::Reasons,
    /// Games by the opening that they reached, by its Chinese name; openings without a name left out.
    openings: BTreeMap<&'static str, u32>,
    stopped: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let MatchPlan { settings, searcher, .. } = arguments.flags.plan()?;
    let (a, b) = (Contestant::parse(&arguments.a)?, Contestant::parse(&arguments.b)?);
    let stop = stop::on_signal()?;
    let event = format!("{} against {}", arguments.a, arguments.b);
    let mut pgn = arguments.pgn.as_deref().map(create).transpose()?;
    let mut failed = None;
    let mut openings = BTreeMap::new();
    let mut bar = Bar::new();
    let total = arguments.flags.games();
    let result = arena::play_match(
        &settings,
        || a.player(&searcher),
        || b.player(&searcher),
        &stop,
        |pair, score| {
            for game in &pair.games {
                if let Some(opening) = game.opening {
                    *openings.entry(opening.name_zh).or_default() += 1;
                }
                if let Some(file) = &mut pgn {
                    let text = write_pgn(&game.to_record(&event), arguments.notation) + "\n";
                    failed = failed.take().or(file.write_all(text.as_bytes()).err());
                }
            }
            bar.show(format!("match {:.0} %", 100.0 * score.share()), u64::from(score.games()), total);
            if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    bar.clear();
    let result = result?;
    if let (Some(error), Some(path)) = (failed, &arguments.pgn) {
        return Err(error).with_context(|| format!("cannot write {}", path.display()));
    }
    let (a, b, score) = (&arguments.a, &arguments.b, result.score);
    let stopped = result.end == MatchEnd::Stopped;
    let early = if stopped { "stopped early: " } else { "" };
    let mut text = format!("{early}{a} against {b}: {score}\nends: {}", result.reasons);
    if !openings.is_empty() {
        let named: Vec<String> = openings.iter().map(|(name, count)| format!("{name} {count}")).collect();
        text += &format!("\nopenings: {}", named.join(", "));
    }
    let report = Report { a, b, score: score.summary(), reasons: result.reasons, openings, stopped };
    print_result(&text, arguments.flags.json.then_some(&report))
}

fn create(path: &Path) -> anyhow::Result<File> {
    File::create(path).with_context(|| format!("cannot write {}", path.display()))
}
