//! Tables: a game in each line, cells between tabs, the columns' names in the first line, before which empty lines and
//! comments (`#`, unless it is a column's whole name) may stand.
//!
//! One column is `moves`, in any notation, with spaces between them and without numbers or quotes. `start` or `fen` is the
//! start position (empty: the usual one), `result` who has won, and `plies` is compared with the moves. Other columns are
//! tags.

use crate::fault::{Caution, MoveFault, Place, RecordFault, Refused, Warning};
use crate::fen::read_fen;
use crate::line::{Proof, Settled};
use crate::read::read_move;
use crate::record::{Record, parse_result, tag_name};
use crate::tree::MAX_PLIES;
use rules::Position;
use std::collections::HashSet;

const MOVES: &str = "moves";
const START: &str = "start";
const RESULT: &str = "result";
const PLIES: &str = "plies";
/// Names that are called otherwise here, or by PGN; `terminal` is that of the Chinese Chess Practical Dataset.
const NAMES: [(&str, &str); 3] =
    [("fen", START), ("opening_en", "OpeningEnglish"), ("terminal", "Termination")];

/// Does the text begin with the names of columns, `moves` among them?
pub(crate) fn is_in(text: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '#'))
    };
    let mut lines = lines(text);
    let Some((_, header)) = lines.by_ref().find(is_header) else { return false };
    // A list of moves may have a heading, but its moves are numbered.
    let is_numbered = |(_, row): (usize, &str)| row.trim_start().starts_with(|c: char| c.is_ascii_digit());
    header.split('\t').map(str::trim).all(is_name)
        && names(header).iter().any(|name| name == MOVES)
        && (header.contains('\t') || !lines.next().is_some_and(is_numbered))
}

/// Reads all games of a table.
pub(crate) fn read(text: &str) -> Vec<Result<Record, Refused>> {
    let mut rows = lines(text);
    let Some((line, header)) = rows.by_ref().find(is_header) else { return Vec::new() };
    let refused = |name: &str, text: &str, wanted| {
        let fault = RecordFault::Field { name: name.to_owned(), text: text.to_owned(), wanted };
        vec![Err(Refused::at(Place::Line(line), fault))]
    };
    let (names, mut known) = (names(header), HashSet::new());
    if let Some(name) = names.iter().find(|&name| !known.insert(name)) {
        return refused("a second column", name, "each but once");
    }
    let games: Vec<_> = rows.map(|(line, row)| read_game(&names, row, Place::Line(line))).collect();
    if games.is_empty() {
        refused("the table", "a line of names alone", "a game in each line after it")
    } else {
        games
    }
}

/// The lines that aren't empty, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim_matches(' ').is_empty())
}

fn is_header(&(_, line): &(usize, &str)) -> bool {
    !line.starts_with('#') || line.starts_with("#\t")
}

fn names(header: &str) -> Vec<String> {
    header.split('\t').map(|name| called(name.trim())).collect()
}

/// What a column is called here: the name of the tag that it becomes, or one of the names above.
fn called(name: &str) -> String {
    let same = |known: &&str| known.eq_ignore_ascii_case(name);
    if let Some(&own) = [MOVES, START, RESULT, PLIES].iter().find(|known| same(known)) {
        return own.to_owned();
    }
    let other = NAMES.iter().find(|(known, _)| same(known));
    other.map_or_else(|| tag_name(name), |&(_, called)| called.to_owned())
}

fn read_game(names: &[String], row: &str, place: Place) -> Result<Record, Refused> {
    let cells: Vec<&str> = row.split('\t').map(str::trim).collect();
    if cells.len() != names.len() {
        let (cells, columns) = (cells.len(), names.len());
        return Err(Refused::at(place, RecordFault::Cells { cells, columns }));
    }
    let cell = |wanted: &str| {
        let found = names.iter().zip(&cells).find(|(name, _)| *name == wanted);
        found.map_or("", |(_, &cell)| cell)
    };
    let mut record = read_start(cell(START), place)?;
    for (name, value) in names.iter().zip(&cells) {
        if ![MOVES, START, RESULT, PLIES].contains(&name.as_str()) && !value.is_empty() {
            record.tags.set(name, value);
        }
    }
    read_result(cell(RESULT), place, &mut record);
    if let Err(fault) = read_moves(cell(MOVES), place, &mut record) {
        return Err(Refused::with(place, fault, record));
    }
    let (plies, moves) = (cell(PLIES), record.main_line().len());
    if !plies.is_empty() && plies != moves.to_string() {
        record
            .warnings
            .push(Warning { place, caution: Caution::PliesDiffer { said: plies.to_owned(), moves } });
    }
    Ok(record)
}

fn read_start(fen: &str, place: Place) -> Result<Record, Refused> {
    if fen.is_empty() {
        return Ok(Record::new(Position::start()));
    }
    let (position, notes) = read_fen(fen).map_err(|error| Refused::at(place, RecordFault::Start(error)))?;
    let mut record = Record::new(position);
    record.warnings = Warning::all(place, notes.into_iter().map(Caution::Position).collect()).collect();
    Ok(record)
}

fn read_result(text: &str, place: Place, record: &mut Record) {
    match parse_result(text) {
        Some(stated) => record.result = stated.outcome(),
        None => record.warnings.push(Warning { place, caution: Caution::UnknownResult(text.to_owned()) }),
    }
}

fn read_moves(moves: &str, place: Place, record: &mut Record) -> Result<(), RecordFault> {
    let texts: Vec<&str> = moves.split_whitespace().collect();
    let Settled { ranks, proof } = Settled::of(record.start(), &texts[..texts.len().min(MAX_PLIES)]);
    if proof == Proof::Convention {
        record.warnings.push(Warning { place, caution: Caution::RanksUnproved });
    }
    let mut cursor = record.tree.cursor();
    for text in texts {
        let read = read_move(cursor.position(), text, ranks).map_err(MoveFault::from);
        let added = read.and_then(|mv| cursor.add(mv).map_err(MoveFault::from));
        added.map_err(|cause| RecordFault::Move { ply: cursor.ply() + 1, cause })?;
    }
    Ok(())
}
