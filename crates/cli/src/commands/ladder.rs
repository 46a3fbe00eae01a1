//! `meihua ladder`: a player's place on the absolute scale.

use super::match_flags::{MatchFlags, MatchPlan, threads};
use super::print_result;
use crate::players::Contestant;
use crate::progress::{Bar, complain};
use crate::stop;
use anyhow::Context as _;
use arena::{
    Found, LadderSettings, MatchFile, MatchResult, MatchSettings, Rung, SearcherSettings, climb_with,
    continue_match,
};
use serde::Serialize;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Measure a player against opponents of known strength, weakest first.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The scale: 0 is Fairy-Stockfish at 100 nodes a move; depth-3 stands at -313, depth-2 at -564, depth-1 at -931, random
at about -1237.
Rungs: random, greedy, depth-1 to depth-4 are built in. fairy-stockfish-100 (-1000, -3000, -10000, -30000),
hoixiangqi-2 and -4, maxqi-3 and -5, and sjaakii-2 are outside engines in Debian's packages fairy-stockfish, hoichess,
fairymax and sjaakii.

Examples:
  meihua ladder runs/laptop
  meihua ladder runs/laptop/nets/g000010.safetensors --games 200 --simulations 128 --json
  meihua ladder runs/laptop --rungs depth-3,hoixiangqi-2,fairy-stockfish-100,fairy-stockfish-1000 --folder climb")]
pub(crate) struct Arguments {
    /// A weights file, a run folder, whose champion plays, or any player that meihua arena knows
    player: String,
    /// The opponents, weakest first [default: ladder.rungs, the built-in ones]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    rungs: Vec<Rung>,
    /// Keep the matches in this folder, pair by pair, and go on with what is in it
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Use at most this part of the cores, in per cent, and at least one; instead of --threads
    #[arg(long, value_name = "PERCENT", conflicts_with = "threads", value_parser = clap::value_parser!(u8).range(1..=100))]
    share: Option<u8>,
    #[command(flatten)]
    flags: MatchFlags,
}

#[derive(Serialize)]
struct Report<'a> {
    player: &'a str,
    simulations: u32,
    rating: arena::Rating,
    #[serde(flatten)]
    climb: &'a arena::Climb,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let MatchPlan { mut settings, searcher, config } = arguments.flags.plan(&["arena", "rules", "ladder"])?;
    let cores = threads(None).get();
    if let Some(share) = arguments.share {
        settings.threads = (cores * usize::from(share) / 100).max(1);
    }
    let rungs = if arguments.rungs.is_empty() { config.ladder.rungs } else { arguments.rungs.clone() };
    let ladder = LadderSettings { rungs, pairs_per_rung: settings.pairs, ..config.ladder };
    let player = Contestant::parse(&arguments.player)?;
    let opponents = ladder.rungs.iter().map(|rung| opponent(*rung)).collect::<anyhow::Result<Vec<_>>>()?;
    if opponents.iter().chain([&player]).any(Contestant::is_engine) && cores < settings.threads {
        anyhow::bail!("--threads {}: want at most {cores}, the cores, if an engine plays", settings.threads);
    }
    if let Some(folder) = &arguments.folder {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let climber = Climber { arguments, settings, searcher, player, stop: &*stop::on_signal()? };
    let mut bar = Bar::new();
    let mut opponents = opponents.iter();
    let climb = climb_with(&ladder, |rung| {
        climber.play(rung, opponents.next().expect("an opponent for each rung, in their order"), &mut bar)
    });
    bar.clear();
    let climb = climb?;
    let (simulations, rating) = (searcher.simulations, climb.rating());
    let report = Report { player: &arguments.player, simulations, rating, climb: &climb };
    print_result(&climb.to_string(), arguments.flags.json.then_some(&report))
}

fn opponent(rung: Rung) -> anyhow::Result<Contestant> {
    Contestant::parse(rung.player()).with_context(|| format!("rung {rung}"))
}

/// Who climbs, and how matches are played.
struct Climber<'a> {
    arguments: &'a Arguments,
    settings: MatchSettings,
    searcher: SearcherSettings,
    player: Contestant,
    stop: &'a AtomicBool,
}

impl Climber<'_> {
    fn play(&self, rung: Rung, opponent: &Contestant, bar: &mut Bar) -> anyhow::Result<MatchResult> {
        let (mut file, found) = self.open(rung, opponent)?.unzip();
        let found = found.unwrap_or(Found { pairs: Vec::new(), is_torn: false });
        if found.is_torn {
            let remark =
                format!("{rung}: the last line of the match file was torn; its pair is played again");
            bar.aside(|| complain(&remark));
        }
        let total = self.arguments.flags.games();
        let mut failed = Ok(());
        let result = continue_match(
            &self.settings,
            &found.pairs,
            || self.player.player(&self.searcher),
            || opponent.player(&self.searcher),
            self.stop,
            |pair, score| {
                bar.show(format!("{rung} {:.0} %", 100.0 * score.share()), u64::from(score.games()), total);
                failed = file.as_mut().map_or(Ok(()), |file| file.add(pair));
                if failed.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        )?;
        failed?;
        Ok(result)
    }

    /// The file of the match against a rung, if matches are kept.
    fn open(&self, rung: Rung, opponent: &Contestant) -> anyhow::Result<Option<(MatchFile, Found)>> {
        let Some(folder) = &self.arguments.folder else { return Ok(None) };
        let [player, opponent] = [&self.player, opponent].map(|player| player.entrant(&self.searcher));
        let path = folder.join(format!("{rung}.jsonl"));
        Ok(Some(MatchFile::open(&path, &self.settings, [&player, &opponent])?))
    }
}
