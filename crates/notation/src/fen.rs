//! FEN as other programs write it.

use rules::{FenError, Position, Setup};

/// Something in a FEN text that was replaced or left out on reading.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FenNote {
    /// A side to move other than `w`, `r`, `b`.
    #[error("side to move \"{0}\" was read as Red")]
    Turn(String),
    /// Chess's castling or en passant field, which mean nothing here.
    #[error("field \"{0}\" was left out: it means nothing in Xiangqi")]
    Field(String),
    /// Rounds are counted from 1.
    #[error("round 0 was read as round 1")]
    RoundZero,
}

/// Reads a position in any dialect of FEN. [`Setup::check`] decides what is a position.
///
/// Elephants are `B`, `E` or `M`, horses `N` or `H`, advisors `A` or `G`; Red's turn is `w`, `r` or anything but `b`, in
/// either case; an empty pocket `[]` may follow the board; what follows the board may be missing from the right, as
/// may one or both of the two dashes.
///
/// ```
/// let (position, notes) = notation::read_fen("rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR r - 0 1")?;
/// assert_eq!(position, rules::Position::start());
/// assert!(notes.is_empty());
/// # Ok::<(), rules::FenError>(())
/// ```
pub fn read_fen(text: &str) -> Result<(Position, Vec<FenNote>), FenError> {
    let mut notes = Vec::new();
    let mut fields = text.split_whitespace();
    let board = standard_letters(fields.next().unwrap_or_default());
    let turn = match fields.next() {
        None | Some("w" | "W" | "r" | "R") => "w",
        Some("b" | "B") => "b",
        Some(other) => {
            notes.push(FenNote::Turn(other.to_owned()));
            "w"
        }
    };
    let mut counters = fields.collect::<Vec<_>>();
    if counters.contains(&"moves") {
        return Err(FenError::Extra("moves".to_owned()));
    }
    let is_number = |field: &&str| field.bytes().all(|byte| byte.is_ascii_digit());
    let chess_fields = counters.iter().take(2).take_while(|field| !is_number(field)).count();
    let dropped = counters.drain(..chess_fields).filter(|&field| field != "-");
    notes.extend(dropped.map(|field| FenNote::Field(field.to_owned())));
    if counters.get(1).is_some_and(|round| round.parse() == Ok(0)) {
        notes.push(FenNote::RoundZero);
    }
    let setup: Setup = format!("{board} {turn} - - {}", counters.join(" ")).parse()?;
    Ok((setup.check()?, notes))
}

/// The board with FEN's own letters for what has several.
fn standard_letters(board: &str) -> String {
    let letter = |letter| match letter {
        'M' => 'B',
        'm' => 'b',
        'G' => 'A',
        'g' => 'a',
        other => other,
    };
    board.chars().map(letter).collect()
}
