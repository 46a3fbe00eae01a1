//! `meihua games openings`: the named openings, and how often games began with each.

use super::super::by_name;
use super::super::print_result;
use super::reading::{Reading, Tally};
use super::sources::some_sources;
use super::text::{pad, percent};
use notation::{Opening, Style, write_move};
use rules::{Colour, Move, Outcome, Position};
use serde::Serialize;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

/// List the named openings, or count games by opening.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  meihua games openings                         every opening that has a name, with its moves
  meihua games openings --notation iccs --json
  meihua games openings masters/ runs/laptop    how often each was played, and how it went

A game belongs to the most specific opening that it reached within the opening's number of plies, in
any order of moves and with left and right exchanged or not; \"reached\" counts it for every opening
on the way. Games that start from another position or begin with random moves mostly have none:
\"other\".")]
pub(crate) struct Arguments {
    /// Files of games in any format, run folders, folders of files: count the openings of their games
    paths: Vec<PathBuf>,
    /// How the openings' moves are written
    #[arg(long, value_name = "STYLE", default_value_t = Style::CHINESE, value_parser = by_name(Style::ALL, Style::name),
          conflicts_with = "paths")]
    notation: Style,
    /// Exit with 0 even if games could not be read
    #[arg(long, requires = "paths")]
    skip_bad: bool,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.paths.is_empty() {
        return list(arguments.notation, arguments.json);
    }
    let sources = some_sources(&arguments.paths)?;
    let mut reading = Reading::new(sources.len(), io::stderr().is_terminal());
    let mut counts = Counts::default();
    for source in &sources {
        for game in reading.read(source) {
            counts.add(game.record.start(), &game.record.main_line(), game.record.result);
        }
    }
    let report = CountReport { tally: reading.tally(), openings: counts.rows() };
    print_result(&counts.table(usize::MAX), arguments.json.then_some(&report))?;
    reading.finish(arguments.skip_bad)
}

#[derive(Serialize)]
struct CountReport {
    #[serde(flatten)]
    tally: Tally,
    openings: Vec<Row>,
}

#[derive(Serialize)]
struct ListReport {
    openings: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    name_zh: &'static str,
    name_en: &'static str,
    moves: Vec<String>,
    note: &'static str,
}

fn list(style: Style, json: bool) -> anyhow::Result<()> {
    let listed = |opening: &Opening| Listed {
        name_zh: opening.name_zh,
        name_en: opening.name_en,
        moves: written(&Position::start(), &opening.moves, style),
        note: opening.note,
    };
    let report = ListReport { openings: Opening::all().iter().map(listed).collect() };
    let line = |opening: &Listed| {
        let names = format!("{}{}", pad(opening.name_zh, 24), pad(opening.name_en, 46));
        format!("{names}{}", opening.moves.join(" "))
    };
    let text = report.openings.iter().map(line).collect::<Vec<_>>().join("\n");
    print_result(&text, json.then_some(&report))
}

/// A line of moves in a style.
pub(super) fn written(start: &Position, moves: &[Move], style: Style) -> Vec<String> {
    let mut position = start.clone();
    let write = |&mv: &Move| {
        let text = write_move(&position, mv, style);
        position.play_unchecked(mv);
        text
    };
    moves.iter().map(write).collect()
}

/// How an opening is called.
pub(super) fn title(opening: &Opening) -> String {
    format!("{} {}", opening.name_zh, opening.name_en)
}

/// Games by opening.
#[derive(Debug)]
pub(super) struct Counts {
    /// In the order of [`Opening::all`], then those without a named one.
    rows: Vec<Row>,
}

/// Games of one opening.
#[derive(Clone, Copy, Serialize, Debug)]
pub(super) struct Row {
    name_zh: &'static str,
    name_en: &'static str,
    games: u64,
    /// Those too that went on to a more specific opening.
    reached: u64,
    red: u64,
    draw: u64,
    black: u64,
    /// Games without a known result.
    unknown: u64,
}

impl Default for Counts {
    fn default() -> Self {
        let row = |name_zh, name_en| Row {
            name_zh,
            name_en,
            games: 0,
            reached: 0,
            red: 0,
            draw: 0,
            black: 0,
            unknown: 0,
        };
        let named = Opening::all().iter().map(|opening| row(opening.name_zh, opening.name_en));
        Self { rows: named.chain([row("其他", "other")]).collect() }
    }
}

impl Counts {
    /// Counts a game.
    pub(super) fn add(&mut self, start: &Position, moves: &[Move], result: Option<Outcome>) {
        let other = self.rows.len() - 1;
        let number =
            |opening: &Opening| Opening::all().iter().position(|known| known == opening).unwrap_or(other);
        for opening in Opening::reached(start, moves) {
            self.rows[number(opening)].reached += 1;
        }
        let row = &mut self.rows[Opening::of(start, moves).map_or(other, number)];
        row.games += 1;
        match result {
            Some(Outcome::Win(Colour::Red)) => row.red += 1,
            Some(Outcome::Draw) => row.draw += 1,
            Some(Outcome::Win(Colour::Black)) => row.black += 1,
            None => row.unknown += 1,
        }
    }

    /// The openings that occur, the commonest first, and the games without one at the end.
    pub(super) fn rows(&self) -> Vec<Row> {
        let (other, named) = self.rows.split_last().expect("there is a row for other games");
        let mut rows: Vec<Row> = named.iter().copied().filter(|row| row.games + row.reached > 0).collect();
        rows.sort_by_key(|row| std::cmp::Reverse((row.games, row.reached)));
        rows.extend((other.games > 0).then_some(*other));
        rows
    }

    /// The same as text, with so many openings at most.
    pub(super) fn table(&self, most: usize) -> String {
        let all: u64 = self.rows.iter().map(|row| row.games).sum();
        let rows = self.rows();
        let others = usize::from(rows.last().is_some_and(|row| row.name_en == "other"));
        let named = rows.len() - others;
        let line = |row: &Row| {
            let name = pad(&format!("{} {}", row.name_zh, row.name_en), 64);
            let share = percent(row.games, all);
            let Row { games, reached, red, draw, black, unknown, .. } = row;
            format!("{name}{games:>7} {share:>7} {reached:>8} {red:>6} {draw:>6} {black:>6} {unknown:>7}")
        };
        let mut lines = vec![pad("opening", 64) + "  games   share  reached    red   draw  black unknown"];
        lines.extend(rows[..named.min(most)].iter().map(line));
        if most < named {
            lines.push(format!("{} more openings", named - most));
        }
        lines.extend(rows[named..].iter().map(line));
        lines.join("\n")
    }
}
