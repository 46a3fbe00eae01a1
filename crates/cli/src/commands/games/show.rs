//! `meihua games show`: one game, to look at.

use super::super::by_name;
use super::super::print_result;
use super::board::picture;
use super::judge::{Judged, judge, rule_set};
use super::openings::{title, written};
use super::reading::read_all;
use super::sources::some_sources;
use super::text::{one_line, pad, width};
use crate::progress::complain;
use anyhow::{Context as _, bail};
use notation::{NodeId, Opening, Record, Style};
use rules::{Colour, Game, Outcome, RuleSet, START_FEN};
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Show a game: tags, moves, the board, the opening, and how it ended.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  meihua games show game.xqf
  meihua games show match.cbl --game 12 --notation wxf
  meihua games show game.pgn --ply 20           the board after 20 plies
  meihua games show runs/laptop --game 500 --rules axf

With Chinese notation the board is drawn with characters, else with the letters of FEN, capitals for
Red. The rules say how the game ended on the board; an end by resignation, agreement or time is not
seen there.")]
pub(crate) struct Arguments {
    /// A file of games in any format, a run folder, or a folder of files
    input: PathBuf,
    /// Which game of the input, bad ones counted
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    game: u64,
    /// The board after so many plies [default: at the end]
    #[arg(long, value_name = "K")]
    ply: Option<usize>,
    /// How moves are written
    #[arg(long, value_name = "STYLE", default_value_t = Style::CHINESE, value_parser = by_name(Style::ALL, Style::name))]
    notation: Style,
    /// The repetition rules that judge the game [default: those that the record names, or formal]
    #[arg(long, value_name = "SET", value_parser = by_name(RuleSet::ALL, RuleSet::name))]
    rules: Option<RuleSet>,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (path, record) = find(&arguments.input, arguments.game)?;
    for warning in &record.warnings {
        complain(&one_line(&format!("warning: {}: {warning}", path.display())));
    }
    let shown = Shown::new(path, &record, arguments)?;
    print_result(&shown.text(&record), arguments.json.then_some(&shown))
}

/// The game of this number, counted over all files of the input, and the file it is in.
fn find(input: &PathBuf, number: u64) -> anyhow::Result<(PathBuf, Record)> {
    let mut before = 0;
    for source in some_sources(std::slice::from_ref(input))? {
        let games = read_all(&source);
        let count = games.len() as u64;
        if let Some(game) = games.into_iter().nth((number - 1 - before) as usize) {
            return match game {
                Ok(record) => Ok((source.path, record)),
                Err(error) => bail!(one_line(&format!("{}: {error}", source.path.display()))),
            };
        }
        before += count;
    }
    bail!("--game {number}: {} has {before} games", input.display())
}

#[derive(Serialize)]
struct Shown {
    file: PathBuf,
    tags: Map<String, Value>,
    start: String,
    moves: Vec<String>,
    /// Comments on the main line, by ply.
    comments: Vec<(usize, String)>,
    /// Lines besides the main line.
    variations: usize,
    /// `red`, `draw`, `black`, as the file has it.
    result: Option<&'static str>,
    rules: &'static str,
    /// What the rules say.
    ending: Option<Ended>,
    opening: Option<Named>,
    /// The board that is shown: after so many plies, and as FEN.
    ply: usize,
    fen: String,
    #[serde(skip)]
    turn: &'static str,
    #[serde(skip)]
    picture: String,
}

#[derive(Serialize)]
struct Ended {
    outcome: &'static str,
    reason: &'static str,
    /// After how many plies.
    ply: usize,
    /// What the sides did in a repetition.
    #[serde(skip_serializing_if = "Option::is_none")]
    sides: Option<Sides>,
    played_on: usize,
}

#[derive(Serialize)]
struct Sides {
    red: &'static str,
    black: &'static str,
}

#[derive(Serialize)]
struct Named {
    name_zh: &'static str,
    name_en: &'static str,
}

impl Shown {
    fn new(file: PathBuf, record: &Record, arguments: &Arguments) -> anyhow::Result<Self> {
        let (moves, style) = (record.main_line(), arguments.notation);
        let ply = arguments.ply.unwrap_or(moves.len());
        let played =
            moves.get(..ply).with_context(|| format!("--ply {ply}: the game has {} plies", moves.len()))?;
        let mut position = record.start().clone();
        for &mv in played {
            position.play_unchecked(mv);
        }
        let rule_set = rule_set(record, arguments.rules);
        let opening = Opening::of(record.start(), &moves);
        let tags = record.tags.iter().map(|(name, value)| (name.to_owned(), value.into()));
        Ok(Self {
            file,
            tags: tags.collect(),
            start: record.start().fen(),
            moves: written(record.start(), &moves, style),
            comments: comments(record),
            variations: record.tree.leaves().count() - 1,
            result: record.result.map(Outcome::name),
            rules: rule_set.name(),
            ending: Ended::of(judge(record, rule_set)),
            opening: opening.map(|opening| Named { name_zh: opening.name_zh, name_en: opening.name_en }),
            ply,
            fen: position.fen(),
            turn: match position.turn() {
                Colour::Red => "Red",
                Colour::Black => "Black",
            },
            picture: picture(&position, style),
        })
    }

    fn text(&self, record: &Record) -> String {
        let heading = |name: &str, text: &str| format!("{}{}", pad(name, 14), one_line(text));
        let tags = record.tags.iter().filter(|(_, value)| !value.is_empty());
        let mut lines: Vec<String> = tags.map(|(name, value)| heading(name, value)).collect();
        let opening = Opening::of(record.start(), &record.main_line());
        lines.extend(opening.map(|opening| heading("named opening", &title(opening))));
        lines.extend((self.start != START_FEN).then(|| heading("start", &self.start)));
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(rounds(record, &self.moves));
        lines
            .extend(self.comments.iter().map(|(ply, text)| format!("{}: {}", self.at(*ply), one_line(text))));
        if self.variations > 0 {
            lines.push(format!("{} variations, which `meihua games convert` writes", self.variations));
        }
        lines.extend([
            String::new(),
            format!("{}, {} to move", self.at(self.ply), self.turn),
            String::new(),
            self.picture.clone(),
            String::new(),
            format!("fen      {}", self.fen),
            format!("result   {}", self.result.map_or("unknown", said)),
            format!("rules    {}: {}", self.rules, self.verdict()),
        ]);
        lines.join("\n")
    }

    /// A place in the game.
    fn at(&self, ply: usize) -> String {
        match ply.checked_sub(1).and_then(|index| self.moves.get(index)) {
            Some(mv) => format!("ply {ply} {mv}"),
            None => "start".to_owned(),
        }
    }

    fn verdict(&self) -> String {
        let Some(ending) = &self.ending else {
            return "the game is not over on the board".to_owned();
        };
        let mut said =
            vec![format!("{} by {} after ply {}", said(ending.outcome), ending.reason, ending.ply)];
        said.extend(ending.sides.as_ref().map(|Sides { red, black }| format!("Red: {red}, Black: {black}")));
        if ending.played_on > 0 {
            said.push(format!("{} plies were played after that", ending.played_on));
        }
        if self.result.is_some_and(|result| result != ending.outcome) {
            said.push("the file says otherwise".to_owned());
        }
        said.join("; ")
    }
}

impl Ended {
    fn of(Judged { game, ending, played_on }: Judged) -> Option<Self> {
        let ending = ending?;
        Some(Self {
            outcome: ending.outcome.name(),
            reason: ending.reason.name(),
            ply: game.plies().len(),
            sides: Some(ending.reason)
                .filter(|reason| reason.is_by_repetition())
                .and_then(|_| Sides::of(&game)),
            played_on,
        })
    }
}

impl Sides {
    fn of(game: &Game) -> Option<Self> {
        let sides = game.repetition()?.sides;
        Some(Self { red: sides.red.name(), black: sides.black.name() })
    }
}

fn said(outcome: &'static str) -> &'static str {
    match outcome {
        "red" => "Red wins",
        "black" => "Black wins",
        other => other,
    }
}

/// Comments on the main line, by ply.
fn comments(record: &Record) -> Vec<(usize, String)> {
    let tree = &record.tree;
    let line = std::iter::successors(Some(NodeId::ROOT), |&node| tree.children(node).first().copied());
    let commented = line.enumerate().filter(|&(_, node)| !tree.comment(node).is_empty());
    commented.map(|(ply, node)| (ply, tree.comment(node).to_owned())).collect()
}

/// How many rounds stand in a line.
const COLUMNS: usize = 4;

/// The moves in numbered rounds, side by side.
fn rounds(record: &Record, moves: &[String]) -> Vec<String> {
    let mut halves = moves.iter().map(String::as_str).collect::<Vec<_>>();
    if record.start().turn() == Colour::Black && !halves.is_empty() {
        halves.insert(0, "...");
    }
    let column = halves.iter().map(|half| width(half)).max().unwrap_or_default();
    let round = |(index, round): (usize, &[&str])| {
        let number = usize::from(record.start().round()) + index;
        let [red, black] = [round[0], round.get(1).copied().unwrap_or_default()];
        format!("{number:>3}. {} {}", pad(red, column), pad(black, column))
    };
    let rounds: Vec<String> = halves.chunks(2).enumerate().map(round).collect();
    let line = |rounds: &[String]| rounds.join("  ").trim_end().to_owned();
    rounds.chunks(COLUMNS).map(line).collect()
}
