//! The formats that are written.

use super::super::openings::written;
use super::super::reading::Game;
use super::super::sources::Source;
use super::Target;
use anyhow::bail;
use notation::{Opening, Record, Style, write_dhtmlxq, write_pgn};
use rules::{Colour, Outcome, Reason};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Writes games in a format.
pub(super) struct Writer {
    target: Target,
    style: Style,
}

/// What the format had no place for, in games.
#[derive(Default)]
pub(super) struct Losses {
    variations: u64,
    comments: u64,
    /// Tags without a column.
    tags: BTreeSet<String>,
}

impl Losses {
    fn count(&mut self, record: &Record) {
        let tree = &record.tree;
        self.variations += u64::from(tree.leaves().count() > 1);
        let is_said = |node| !tree.comment(node).is_empty() || !tree.remarks(node).is_empty();
        self.comments += u64::from(tree.preorder().any(is_said));
    }

    fn count_tags(&mut self, record: &Record) {
        let is_written = |name: &str| COLUMNS.iter().any(|&(_, tag)| tag == name);
        let lost = record.tags.iter().filter(|&(name, value)| !value.is_empty() && !is_written(name));
        self.tags.extend(lost.map(|(name, _)| name.to_owned()));
    }

    /// What is to be said about it.
    pub(super) fn line(&self, target: Target) -> Option<String> {
        let Self { variations, comments, tags } = self;
        let mut lost = Vec::new();
        for (what, games) in [("variations", variations), ("comments", comments)] {
            if *games > 0 {
                lost.push(format!("the {what} of {games} games"));
            }
        }
        if !tags.is_empty() {
            let names: Vec<&str> = tags.iter().map(String::as_str).collect();
            lost.push(format!("the tags {}", names.join(" ")));
        }
        let target = target.name();
        (!lost.is_empty()).then(|| format!("left out, {target} has no place for them: {}", lost.join(", ")))
    }
}

/// The columns of TSV, and the tags that stand in them.
const COLUMNS: [(&str, &str); 14] = [
    ("file", ""),
    ("game", ""),
    ("event", "Event"),
    ("date", "Date"),
    ("round", "Round"),
    ("red", "Red"),
    ("black", "Black"),
    ("result", ""),
    ("termination", "Termination"),
    ("opening", "Opening"),
    ("opening_en", "OpeningEnglish"),
    ("plies", "PlyCount"),
    ("start", ""),
    ("moves", ""),
];

/// A line of JSON Lines.
#[derive(Serialize)]
struct Line<'a> {
    file: String,
    game: usize,
    tags: Map<String, Value>,
    result: &'a str,
    opening: Option<&'static str>,
    opening_en: Option<&'static str>,
    start: String,
    moves: Vec<String>,
}

impl Writer {
    /// A writer with the style that is asked for or usual.
    pub(super) fn new(target: Target, asked: Option<Style>) -> anyhow::Result<Self> {
        let usual = match target {
            Target::Pgn => Style::CHINESE,
            Target::Dhtmlxq if asked.is_some() => {
                bail!("--notation is not for dhtmlxq, which has points only")
            }
            Target::Dhtmlxq | Target::Tsv | Target::Jsonl => Style::Coordinates,
        };
        Ok(Self { target, style: asked.unwrap_or(usual) })
    }

    /// Adds a game to a text; the first of a file gets what belongs before it.
    pub(super) fn write(
        &self,
        text: &mut String,
        source: &Source,
        mut game: Game,
        is_first: bool,
        losses: &mut Losses,
    ) -> anyhow::Result<()> {
        match self.target {
            Target::Pgn => {
                if !is_first {
                    text.push('\n');
                }
                add_tags(&mut game.record);
                text.push_str(&write_pgn(&game.record, self.style));
            }
            Target::Dhtmlxq => {
                add_opening(&mut game.record);
                text.push_str(&write_dhtmlxq(&game.record));
            }
            Target::Tsv => {
                if is_first {
                    text.push_str(&COLUMNS.map(|(column, _)| column).join("\t"));
                    text.push('\n');
                }
                losses.count(&game.record);
                losses.count_tags(&game.record);
                add_tags(&mut game.record);
                text.push_str(&self.tsv(source, &game));
                text.push('\n');
            }
            Target::Jsonl => {
                losses.count(&game.record);
                text.push_str(&serde_json::to_string(&self.line(source, &game))?);
                text.push('\n');
            }
        }
        Ok(())
    }

    fn tsv(&self, source: &Source, Game { number, record }: &Game) -> String {
        let moves = record.main_line();
        let cell = |(column, tag)| match column {
            "file" => source.path.display().to_string(),
            "game" => number.to_string(),
            "result" => result(record.result).to_owned(),
            "plies" => moves.len().to_string(),
            "start" => record.start().fen(),
            "moves" => written(record.start(), &moves, self.style).join(" "),
            _ => record.tags.get(tag).unwrap_or_default().to_owned(),
        };
        COLUMNS.map(|column| cell(column).replace(|c: char| c.is_control(), " ")).join("\t")
    }

    fn line(&self, source: &Source, Game { number, record }: &Game) -> Line<'static> {
        let moves = record.main_line();
        let opening = Opening::of(record.start(), &moves);
        Line {
            file: source.path.display().to_string(),
            game: *number,
            tags: record.tags.iter().map(|(name, value)| (name.to_owned(), value.into())).collect(),
            result: result(record.result),
            opening: opening.map(|opening| opening.name_zh),
            opening_en: opening.map(|opening| opening.name_en),
            start: record.start().fen(),
            moves: written(record.start(), &moves, self.style),
        }
    }
}

/// A result as PGN writes it.
const fn result(result: Option<Outcome>) -> &'static str {
    match result {
        Some(Outcome::Win(Colour::Red)) => "1-0",
        Some(Outcome::Draw) => "1/2-1/2",
        Some(Outcome::Win(Colour::Black)) => "0-1",
        None => "*",
    }
}

/// Adds what we know and the file doesn't say.
fn add_tags(record: &mut Record) {
    if let Some(opening) = add_opening(record) {
        add(record, "OpeningEnglish", opening.name_en);
    }
    let moves = record.main_line();
    let mut position = record.start().clone();
    for &mv in &moves {
        position.play_unchecked(mv);
    }
    // The end under any rule set.
    if position.legal_moves().is_empty() {
        let reason = if position.in_check() { Reason::Checkmate } else { Reason::Stalemate };
        add(record, "Termination", reason.name());
    }
    add(record, "PlyCount", &moves.len().to_string());
}

/// Adds the opening's Chinese name, if there is one and the file has none.
fn add_opening(record: &mut Record) -> Option<&'static Opening> {
    let opening = Opening::of(record.start(), &record.main_line())?;
    add(record, "Opening", opening.name_zh).then_some(opening)
}

fn add(record: &mut Record, name: &str, value: &str) -> bool {
    let is_missing = record.tags.get(name).unwrap_or_default().is_empty();
    if is_missing {
        record.tags.set(name, value);
    }
    is_missing
}
