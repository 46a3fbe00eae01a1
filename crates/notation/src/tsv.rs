//! Tables: a game in each line, cells between tabs, the columns' names in the first line. Lines that are empty or begin with
//! `#` are left out.
//!
//! One column is `moves`, in any notation, with spaces between them. `start` or `fen` is the start position (empty: the
//! usual one), `result` who has won. Other columns are tags, but for those that count or number what is there anyway.

use crate::fault::{Caution, MoveFault, Place, RecordFault, Refused, Warning};
use crate::fen::read_fen;
use crate::line::{Proof, Settled};
use crate::read::read_move;
use crate::record::{Record, parse_result};
use rules::Position;

const MOVES: &str = "moves";
/// The names of the start position.
const START: [&str; 2] = ["start", "fen"];
const RESULT: &str = "result";
/// Columns that say nothing of their own.
const LEFT_OUT: [&str; 3] = ["file", "game", "plies"];
/// Names for which PGN has another.
const NAMES: [(&str, &str); 2] = [("opening_en", "OpeningEnglish"), ("terminal", "Termination")];

/// Does the text begin with the names of columns, `moves` among them?
pub(crate) fn is_in(text: &str) -> bool {
    let first = lines(text).next();
    first.is_some_and(|(_, line)| line.contains('\t') && columns(line).any(|name| name == MOVES))
}

/// Reads all games of a table.
pub(crate) fn read(text: &str) -> Vec<Result<Record, Refused>> {
    let mut lines = lines(text);
    let names: Vec<String> = lines.next().map_or_else(Vec::new, |(_, line)| columns(line).collect());
    lines.map(|(number, line)| read_game(&names, line, Place::Line(number))).collect()
}

/// The lines that say something, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = (1..).zip(text.lines());
    numbered.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

fn columns(line: &str) -> impl Iterator<Item = String> {
    line.split('\t').map(|name| name.trim().to_ascii_lowercase())
}

fn read_game(names: &[String], line: &str, place: Place) -> Result<Record, Refused> {
    let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
    if cells.len() != names.len() {
        let (name, text) = ("the line".to_owned(), format!("{} cells", cells.len()));
        let wanted = "as many as there are columns";
        return Err(Refused::at(place, RecordFault::Field { name, text, wanted }));
    }
    let cell =
        |wanted: &str| names.iter().zip(&cells).find(|(name, _)| *name == wanted).map(|(_, &cell)| cell);
    let start = START.into_iter().filter_map(cell).find(|cell| !cell.is_empty());
    let mut record = read_start(start, place)?;
    for (name, value) in names.iter().zip(&cells) {
        let is_tag = !START.contains(&name.as_str()) && !LEFT_OUT.contains(&name.as_str());
        if is_tag && name != MOVES && name != RESULT && !value.is_empty() {
            let name = NAMES.iter().find(|(own, _)| own == name).map_or(name.as_str(), |(_, pgn)| pgn);
            record.tags.set(name, value);
        }
    }
    read_result(cell(RESULT).unwrap_or_default(), place, &mut record);
    match read_moves(cell(MOVES).unwrap_or_default(), place, &mut record) {
        Ok(()) => Ok(record),
        Err(fault) => Err(Refused::with(place, fault, record)),
    }
}

fn read_start(fen: Option<&str>, place: Place) -> Result<Record, Refused> {
    let Some(fen) = fen else { return Ok(Record::new(Position::start())) };
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
    let Settled { ranks, proof } = Settled::of(record.start(), &texts);
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
