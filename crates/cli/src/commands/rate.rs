//! `meihua rate`: everybody rated at once from the games in files.

use super::print_result;
use crate::progress::complain;
use anyhow::Context as _;
use arena::{MatchGame, PairRecord, Points, Pool};
use notation::{Record, read_records};
use rules::{Colour, Outcome};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Rate all players of some games together, with error bars.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Files: match files (meihua arena --match-file, meihua ladder --folder), a run's matches (runs/NAME/matches/*.json), and
records of games such as PGN, with the players' names in them. A game without a result doesn't count.

The ratings are the likeliest ones for all results together (Bradley and Terry's model on the Elo scale, draws as half
points), with 95 % intervals. Games that came in pairs (of match files, and in records neighbours with colours exchanged
whose rounds are 1 and 2, 3 and 4, ...) count as pairs in them. Who only won or only lost gets a bound. Three players who
beat each other in a circle are shown, since no rating can.

Examples:
  meihua rate games.pgn
  meihua rate climb/*.jsonl a-b.jsonl --anchor depth-3=-313 --anchor depth-2=-564
  meihua rate games.pgn --json --svg ratings.svg")]
pub(crate) struct Arguments {
    /// The files with the games
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A player whose rating is known (repeatable) [default: the mean of all is 0]
    #[arg(long, value_name = "NAME=ELO", value_parser = anchor, allow_hyphen_values = true)]
    anchor: Vec<(String, f64)>,
    /// Draw the ratings into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

/// The name may hold an equals sign.
fn anchor(text: &str) -> Result<(String, f64), String> {
    let parts =
        text.rsplit_once('=').and_then(|(name, elo)| Some((name.to_owned(), elo.trim().parse().ok()?)));
    parts.ok_or_else(|| "want a name, = and an Elo, such as depth-3=-313".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut anchors = BTreeMap::new();
    for (name, elo) in &arguments.anchor {
        if anchors.insert(name.clone(), *elo).is_some() {
            anyhow::bail!("--anchor {name} is given twice");
        }
    }
    if let Some(path) = arguments.svg.as_ref().filter(|path| arguments.files.contains(path)) {
        anyhow::bail!("--svg {} would overwrite what is rated", path.display());
    }
    let mut pool = Pool::default();
    for path in &arguments.files {
        add_file(&mut pool, path).with_context(|| format!("in {}", path.display()))?;
    }
    let rating = pool.rate(&anchors)?;
    if let Some(path) = &arguments.svg {
        fs::write(path, rating.to_svg()).with_context(|| format!("cannot write {}", path.display()))?;
    }
    print_result(&rating.to_string(), arguments.json.then_some(&rating))
}

fn add_file(pool: &mut Pool, path: &Path) -> anyhow::Result<()> {
    let bytes = fs::read(path).context("cannot read it")?;
    if bytes.starts_with(b"{") {
        for PairRecord { games: [first, second], .. } in arena::read_match(path)? {
            add_pair(pool, &first, &second);
        }
    } else if let Ok(games) = serde_json::from_slice::<Vec<MatchGame>>(&bytes) {
        add_games(pool, &games);
    } else {
        add_records(pool, path, &bytes);
    }
    Ok(())
}

fn add_pair(pool: &mut Pool, first: &MatchGame, second: &MatchGame) {
    pool.add_pair(&first.red, &first.black, points(first.outcome, second.outcome));
}

/// What the Red of the first game took from two in which colours were exchanged.
fn points(first: Outcome, second: Outcome) -> [Points; 2] {
    [Points::of(first, Colour::Red), Points::of(second, Colour::Black)]
}

/// Of a run, pair by pair.
fn add_games(pool: &mut Pool, games: &[MatchGame]) {
    for of_pair in games.chunk_by(|a, b| a.pair == b.pair) {
        match of_pair {
            [first, second] if (&first.red, &first.black) == (&second.black, &second.red) => {
                add_pair(pool, first, second);
            }
            _ => of_pair.iter().for_each(|game| pool.add(&game.red, &game.black, game.outcome)),
        }
    }
}

/// A finished game of a file of records.
struct Finished {
    red: String,
    black: String,
    outcome: Outcome,
    event: Option<String>,
    round: Option<u32>,
}

impl Finished {
    fn new(record: &Record, red: &str, black: &str, outcome: Outcome) -> Self {
        let tag = |name| record.tags.get(name).map(str::trim);
        Self {
            red: red.to_owned(),
            black: black.to_owned(),
            outcome,
            event: tag("Event").map(str::to_owned),
            round: tag("Round").and_then(|round| round.parse().ok()),
        }
    }

    /// Is it the first game of a pair, and `next` the second?
    fn is_paired_with(&self, next: &Self) -> bool {
        let round = self.round.filter(|round| round % 2 == 1).and_then(|round| round.checked_add(1));
        round.is_some()
            && round == next.round
            && self.event == next.event
            && (&self.red, &self.black) == (&next.black, &next.red)
    }
}

fn add_finished(pool: &mut Pool, games: &[Finished]) {
    let mut rest = games;
    while let [first, others @ ..] = rest {
        rest = others;
        match others.split_first() {
            Some((second, others)) if first.is_paired_with(second) => {
                pool.add_pair(&first.red, &first.black, points(first.outcome, second.outcome));
                rest = others;
            }
            _ => pool.add(&first.red, &first.black, first.outcome),
        }
    }
}

/// Of records in any format; what can't count is told.
fn add_records(pool: &mut Pool, path: &Path, bytes: &[u8]) {
    let (mut nameless, mut unfinished) = (0, 0);
    let mut finished = Vec::new();
    for record in read_records(bytes) {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                complain(&format!("warning: {}: {error}", path.display()));
                continue;
            }
        };
        let name = |tag| record.tags.get(tag).map(str::trim).filter(|name| !name.is_empty() && *name != "?");
        match (name("Red"), name("Black"), record.result) {
            (Some(red), Some(black), Some(outcome)) => {
                finished.push(Finished::new(&record, red, black, outcome));
            }
            (Some(_), Some(_), None) => unfinished += 1,
            _ => nameless += 1,
        }
    }
    add_finished(pool, &finished);
    for (count, what) in [(unfinished, "without a result"), (nameless, "without the names of both players")] {
        if 0 < count {
            complain(&format!("warning: {}: {count} games {what} don't count", path.display()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_read_from_the_right() {
        assert_eq!(anchor("depth-3=-313"), Ok(("depth-3".to_owned(), -313.0)));
        assert_eq!(anchor("uci:x,nodes=1=0.5"), Ok(("uci:x,nodes=1".to_owned(), 0.5)));
        for text in ["depth-3", "depth-3=", "=x"] {
            assert!(anchor(text).is_err(), "{text}");
        }
    }
}
