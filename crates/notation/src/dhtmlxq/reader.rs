//! Reads the games of a text: the tags of each, then its start, moves, variations and comments.

use super::escape::unescape;
use super::{NAMES, NOWHERE, comment_of, is_content, variation_of};
use crate::fault::{Caution, Fault, MoveFault, Place, RecordFault, Refused, Warning};
use crate::fen::read_fen;
use crate::placed;
use crate::record::{Record, parse_result};
use crate::tree::{NodeId, Tree};
use rules::{Colour, Move, Position, Square};
use std::collections::{BTreeMap, BTreeSet};

const WORD: &str = "dhtmlxq";

/// Reads all games of a text.
pub(crate) fn read(text: &str) -> Vec<Result<Record, Refused>> {
    games(text).iter().filter(|game| game.is_one()).map(Game::read).collect()
}

/// The tags of one game.
#[derive(Default)]
struct Game {
    fields: Vec<Field>,
    /// The names in small letters.
    names: BTreeSet<String>,
    /// Do the tags stand between `[DhtmlXQ]` and `[/DhtmlXQ]`?
    is_bracketed: bool,
}

struct Field {
    name: String,
    value: String,
    line: usize,
}

/// Collects the tags of each game: those in one `[DhtmlXQ]`, or, where that is left out, those up to a repeated one.
fn games(text: &str) -> Vec<Game> {
    // Letter case doesn't matter, and this keeps all places as they are.
    let lower = text.to_ascii_lowercase();
    let mut games = vec![Game::default()];
    let (mut at, mut line, mut counted) = (0, 1, 0);
    while let Some((open, is_closing)) = next_tag(&lower, at) {
        line += lower[counted..open].matches('\n').count();
        counted = open;
        let Some(length) = lower[open..].find(']') else { break };
        let content = open + length + 1;
        at = content;
        // The tag of the whole game has no name.
        let name = text[open..content - 1].split_once('_').map(|(_, name)| name);
        match name {
            None => games.push(Game { is_bracketed: !is_closing, ..Game::default() }),
            Some(_) if is_closing => {}
            Some(name) => {
                at = next_tag(&lower, content).map_or(text.len(), |(next, _)| next);
                push(&mut games, Field { name: name.to_owned(), value: unescape(&text[content..at]), line });
            }
        }
    }
    games
}

fn push(games: &mut Vec<Game>, field: Field) {
    let name = field.name.to_ascii_lowercase();
    let is_over =
        |game: &Game| !game.is_bracketed && game.names.contains("movelist") && game.names.contains(&name);
    if games.last().is_some_and(is_over) {
        games.push(Game::default());
    }
    if let Some(game) = games.last_mut() {
        game.names.insert(name);
        game.fields.push(field);
    }
}

/// The next opening or closing tag: its place, and whether it closes.
fn next_tag(lower: &str, from: usize) -> Option<(usize, bool)> {
    lower[from..].match_indices(WORD).find_map(|(at, _)| {
        let before = &lower[from..from + at];
        let opening = before.strip_suffix('[').map(|before| (from + before.len(), false));
        opening.or_else(|| before.strip_suffix("[/").map(|before| (from + before.len(), true)))
    })
}

impl Game {
    fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name))
    }

    fn is_one(&self) -> bool {
        ["movelist", "binit", "fen"].iter().any(|name| self.names.contains(*name))
    }

    fn read(&self) -> Result<Record, Refused> {
        let empty = Field { name: "movelist".to_owned(), value: String::new(), line: 1 };
        let main = self.field("movelist").unwrap_or(&empty);
        let moves = parse_moves(&main.value)
            .map_err(|text| field_fault(main, text, "four digits for each move"))
            .map_err(Refused::from)?;
        let mut record = self.read_start(moves.first().and_then(|mv| mv.as_ref().ok()).copied())?;
        self.read_tags(&mut record);
        let Record { tree, warnings, .. } = &mut record;
        let mut cursor = tree.cursor();
        for mv in moves {
            let ply = cursor.ply() + 1;
            if let Err(cause) = mv.and_then(|mv| cursor.add(mv).map_err(MoveFault::from)) {
                let fault = RecordFault::Move { ply, cause };
                return Err(Refused::with(Place::Line(main.line), fault, record));
            }
        }
        let mut last_nodes = BTreeMap::from([(0, cursor.node())]);
        self.read_variations(tree, warnings, &mut last_nodes);
        self.read_comments(tree, warnings, &last_nodes);
        Ok(record)
    }

    /// The start position: the FEN if there is one, else the list of points, else the usual one.
    fn read_start(&self, first: Option<Move>) -> Result<Record, Refused> {
        if let Some(field) = self.field("fen").filter(|field| !field.value.trim().is_empty()) {
            let place = Place::Line(field.line);
            let (position, notes) =
                read_fen(&field.value).map_err(|error| Refused::at(place, RecordFault::Start(error)))?;
            let mut record = Record::new(position);
            let warn = |note| Warning { place, caution: Caution::Position(note) };
            record.warnings = notes.into_iter().map(warn).collect();
            return Ok(record);
        }
        let Some(field) = self.field("binit").filter(|field| !field.value.trim().is_empty()) else {
            return Ok(Record::new(Position::start()));
        };
        let points = parse_points(field.value.trim())
            .ok_or_else(|| field_fault(field, field.value.clone(), "64 digits: file and row of 32 pieces"))
            .map_err(Refused::from)?;
        let (position, _) = placed::position(placed::board(&points), first, Colour::Red)
            .map_err(|error| Refused::at(Place::Line(field.line), RecordFault::Start(error)))?;
        Ok(Record::new(position))
    }

    fn read_tags(&self, record: &mut Record) {
        for field in &self.fields {
            let (name, value) = (field.name.as_str(), field.value.trim());
            let place = Place::Line(field.line);
            let lower = name.to_ascii_lowercase();
            if is_content(&lower) {
                continue;
            }
            if lower == "result" {
                if let Some(stated) = parse_result(value) {
                    record.result = stated.outcome();
                } else {
                    let caution = Caution::UnknownResult(value.to_owned());
                    record.warnings.push(Warning { place, caution });
                }
                continue;
            }
            let name = NAMES.iter().find(|(own, _)| *own == lower).map_or(name, |(_, pgn)| pgn);
            if record.tags.get(name).is_some_and(|known| known != value) {
                let (name, value) = (name.to_owned(), value.to_owned());
                record.warnings.push(Warning { place, caution: Caution::TagRepeated { name, value } });
            } else {
                record.tags.set(name, value);
            }
        }
    }

    /// Adds the variations, those of variations after these, and notes where each ends.
    fn read_variations(
        &self,
        tree: &mut Tree,
        warnings: &mut Vec<Warning>,
        last_nodes: &mut BTreeMap<usize, NodeId>,
    ) {
        let variation = |field: &'_ Field| variation_of(&field.name.to_ascii_lowercase());
        let mut variations: Vec<([usize; 3], &Field)> =
            self.fields.iter().filter_map(|field| Some((variation(field)?, field))).collect();
        variations.sort_by_key(|&([_, _, own], _)| own);
        let mut cursor = tree.cursor();
        for ([parent, ply, own], field) in variations {
            let place = Place::Line(field.line);
            let mut warn = |caution| warnings.push(Warning { place, caution });
            let end = last_nodes.get(&parent).filter(|_| !last_nodes.contains_key(&own));
            let before = end.and_then(|&end| cursor.before(end, ply.checked_sub(1)?));
            let (Some(before), Ok(moves)) = (before, parse_moves(&field.value)) else {
                warn(Caution::VariationLost(format!("{} ({})", field.name, field.value)));
                continue;
            };
            cursor.go_to(before);
            let count = moves.len();
            for (index, mv) in moves.into_iter().enumerate() {
                if let Err(cause) = mv.and_then(|mv| cursor.add(mv).map_err(MoveFault::from)) {
                    warn(Caution::LineCut { ply: ply + index, cause, dropped: count - index });
                    break;
                }
            }
            last_nodes.insert(own, cursor.node());
        }
    }

    fn read_comments(
        &self,
        tree: &mut Tree,
        warnings: &mut Vec<Warning>,
        last_nodes: &BTreeMap<usize, NodeId>,
    ) {
        let mut cursor = tree.cursor();
        for field in &self.fields {
            let Some([line, ply]) = comment_of(&field.name.to_ascii_lowercase()) else { continue };
            match last_nodes.get(&line).and_then(|&end| cursor.before(end, ply)) {
                Some(node) => {
                    cursor.go_to(node);
                    cursor.comment(&field.value);
                }
                None if field.value.trim().is_empty() => {}
                None => {
                    let caution = Caution::CommentLost(field.value.clone());
                    warnings.push(Warning { place: Place::Line(field.line), caution });
                }
            }
        }
    }
}

fn field_fault(field: &Field, text: String, wanted: &'static str) -> Fault {
    (Place::Line(field.line), RecordFault::Field { name: field.name.clone(), text, wanted })
}

/// Four digits a move, each of which may lie off the board. What is no list gives back the first group that is wrong.
fn parse_moves(text: &str) -> Result<Vec<Result<Move, MoveFault>>, String> {
    let digits: Vec<char> = text.chars().filter(|character| !character.is_whitespace()).collect();
    let moves = digits.chunks(4).map(|digits| match digits {
        &[from_file, from_row, to_file, to_row] if digits.iter().all(char::is_ascii_digit) => {
            let points = square(from_file, from_row).zip(square(to_file, to_row));
            let moved = points.map(|(from, to)| Move::new(from, to));
            Ok(moved.ok_or_else(|| MoveFault::Points(digits.iter().collect())))
        }
        _ => Err(digits.iter().collect()),
    });
    moves.collect()
}

/// Two digits for each of 32 pieces.
fn parse_points(text: &str) -> Option<Vec<Option<Square>>> {
    let digits: Vec<char> = text.chars().collect();
    let point = |digits: &[char]| match *digits {
        [file, row] if NOWHERE.chars().eq([file, row]) => Some(None),
        [file, row] => square(file, row).map(Some),
        _ => None,
    };
    digits.chunks(2).map(point).collect::<Option<Vec<_>>>().filter(|points| points.len() == 32)
}

/// File from the left and row from the top.
fn square(file: char, row: char) -> Option<Square> {
    let digit = |digit: char| digit.to_digit(10).map(|digit| digit as u8);
    Square::new(digit(file)?, 9_u8.checked_sub(digit(row)?)?)
}
