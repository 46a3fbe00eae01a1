//! `meihua games stats`: how many games of which kind.

use super::super::by_name;
use super::super::print_result;
use super::judge::{judge, rule_set};
use super::openings::{Counts, Row};
use super::reading::{Game, Reading, Tally};
use super::run_games::result_of;
use super::sources::{Kind, Source, some_sources};
use super::text::{percent, table_line};
use crate::progress::complain;
use anyhow::bail;
use replay::{GameRecord, Statistics, read_shard};
use rules::{Outcome, RuleSet};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

/// Count games by outcome, reason, opening and so on.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  meihua games stats runs/laptop
  meihua games stats runs/laptop/games/g000001.parquet --json
  meihua games stats masters/ --rules axf       records of other programs, judged by a rule set

Games of runs and records of other programs are counted apart: named together, they give two tables,
and in JSON two objects, \"self_play\" and \"records\".
The shards are Parquet: DuckDB, pandas and Polars read them too (crates/replay/FORMAT.md).")]
pub(crate) struct Arguments {
    /// Run folders, folders of shards, shards; files of games in any format, folders of such files
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The repetition rules that records are judged by [default: those that the record names, or formal]
    #[arg(long, value_name = "SET", value_parser = by_name(RuleSet::ALL, RuleSet::name))]
    rules: Option<RuleSet>,
    /// Exit with 0 even if games could not be read
    #[arg(long)]
    skip_bad: bool,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

/// How many openings the table shows.
const OPENINGS: usize = 20;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (shards, records): (Vec<_>, Vec<_>) =
        some_sources(&arguments.paths)?.into_iter().partition(|source| source.kind == Kind::Shard);
    if records.is_empty() {
        let report = SelfPlay::of(&shards);
        print_result(&report.text(), arguments.json.then_some(&report))?;
        return report.finish(arguments.skip_bad);
    }
    let mut reading = Reading::new(records.len(), io::stderr().is_terminal());
    let report = Records::of(&records, arguments.rules, &mut reading);
    if shards.is_empty() {
        print_result(&report.text(), arguments.json.then_some(&report))?;
        return reading.finish(arguments.skip_bad);
    }
    let both = Both { self_play: SelfPlay::of(&shards), records: report };
    let text = format!("{}\n\n{}", both.self_play.text(), both.records.text());
    print_result(&text, arguments.json.then_some(&both))?;
    both.self_play.finish(arguments.skip_bad)?;
    reading.finish(arguments.skip_bad)
}

#[derive(Serialize)]
struct Both {
    self_play: SelfPlay,
    records: Records,
}

/// Games of runs.
#[derive(Serialize)]
struct SelfPlay {
    #[serde(flatten)]
    statistics: Statistics,
    shards: usize,
    bad_shards: usize,
    openings: Vec<Row>,
    #[serde(skip)]
    counts: Counts,
}

impl SelfPlay {
    fn of(shards: &[Source]) -> Self {
        let mut bad_shards = 0;
        let mut counts = Counts::default();
        // One shard in memory at a time.
        let records = shards.iter().flat_map(|shard| {
            read_shard(&shard.path).unwrap_or_else(|error| {
                bad_shards += 1;
                complain(&format!("skipped: {error}"));
                Vec::new()
            })
        });
        let mut count = |record: &GameRecord| {
            let moves: Vec<_> = record.plies.iter().map(|ply| ply.mv).collect();
            counts.add(&record.start, &moves, result_of(record));
        };
        let statistics = Statistics::of(records.inspect(&mut count));
        Self { statistics, shards: shards.len(), bad_shards, openings: counts.rows(), counts }
    }

    fn text(&self) -> String {
        let Self { statistics, shards, bad_shards, counts, .. } = self;
        let table = counts.table(OPENINGS);
        format!("{statistics}{:<24}{shards:>10}  {bad_shards} of them unreadable\n\n{table}", "shards")
    }

    fn finish(&self, skip_bad: bool) -> anyhow::Result<()> {
        if self.bad_shards > 0 && !skip_bad {
            bail!("{} of {} shards could not be read", self.bad_shards, self.shards);
        }
        Ok(())
    }
}

/// Records of other programs.
#[derive(Serialize, Default)]
struct Records {
    #[serde(flatten)]
    tally: Tally,
    plies: u64,
    /// Plies per game; 0 if there is no game.
    mean_plies: f64,
    least_plies: usize,
    most_plies: usize,
    /// By result: `red`, `draw`, `black`, `unknown`.
    outcomes: BTreeMap<&'static str, u64>,
    /// Games that the rules ended, by reason.
    reasons: BTreeMap<&'static str, u64>,
    /// Games that the rules didn't end: agreement, resignation, time, or no end.
    open: u64,
    /// Games that went on after the rules had ended them.
    played_on: u64,
    /// Games that the rules ended, with a result that is another one.
    contradicted: u64,
    /// Games with variations.
    with_variations: u64,
    openings: Vec<Row>,
    #[serde(skip)]
    counts: Counts,
}

impl Records {
    fn of(sources: &[Source], asked: Option<RuleSet>, reading: &mut Reading) -> Self {
        let mut records = Self { least_plies: usize::MAX, ..Self::default() };
        for source in sources {
            for game in reading.read(source) {
                records.count(&game, asked);
            }
        }
        records.tally = reading.tally();
        let games = records.tally.games;
        if games == 0 {
            records.least_plies = 0;
        } else {
            records.mean_plies = records.plies as f64 / games as f64;
        }
        records.openings = records.counts.rows();
        records
    }

    fn count(&mut self, Game { record, .. }: &Game, asked: Option<RuleSet>) {
        let moves = record.main_line();
        self.plies += moves.len() as u64;
        self.least_plies = self.least_plies.min(moves.len());
        self.most_plies = self.most_plies.max(moves.len());
        *self.outcomes.entry(record.result.map_or("unknown", Outcome::name)).or_default() += 1;
        let judged = judge(record, rule_set(record, asked));
        match judged.ending {
            Some(ending) => {
                *self.reasons.entry(ending.reason.name()).or_default() += 1;
                self.played_on += u64::from(judged.played_on > 0);
                self.contradicted += u64::from(record.result.is_some_and(|result| result != ending.outcome));
            }
            None => self.open += 1,
        }
        self.with_variations += u64::from(record.tree.move_count() > moves.len());
        self.counts.add(record.start(), &moves, record.result);
    }

    fn text(&self) -> String {
        let Tally { games, files, bad_games, bad_files, warnings } = self.tally;
        let share = |count| percent(count, games);
        let plies = format!("{:.1} a game, {} to {}", self.mean_plies, self.least_plies, self.most_plies);
        let mut lines = vec![
            table_line("games", games, &format!("in {files} files")),
            table_line("bad games", bad_games, &format!("in {bad_files} files")),
            table_line("warnings", warnings, ""),
            table_line("plies", self.plies, &plies),
            table_line("with variations", self.with_variations, &share(self.with_variations)),
        ];
        for (what, counts) in [("outcome", &self.outcomes), ("end", &self.reasons)] {
            let line =
                |(name, &count): (&&str, &u64)| table_line(&format!("{what} {name}"), count, &share(count));
            lines.extend(counts.iter().map(line));
        }
        let open = format!("{}, by agreement, resignation or time, or not at all", share(self.open));
        let contradicted = format!("{}, by the end that the rules see", share(self.contradicted));
        lines.extend([
            table_line("no end by the rules", self.open, &open),
            table_line("played on after the end", self.played_on, &share(self.played_on)),
            table_line("result contradicted", self.contradicted, &contradicted),
        ]);
        format!("{}\n\n{}", lines.join("\n"), self.counts.table(OPENINGS))
    }
}
