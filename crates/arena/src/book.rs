//! Books of openings: the built-in ones, positions, and the first moves of recorded games.

use crate::opening::Opening;
use notation::{RecordError, read_fen, read_records};
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use rules::{FenError, Move, Position};
use std::collections::BTreeSet;

/// Openings to start the pairs of a match with, at least one, no two of them alike.
///
/// ```
/// use arena::Book;
///
/// assert_eq!(Book::masters().openings().len(), 373);
/// let book = Book::read(b"3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 0 1 ; id \"a rook\"\n", 12)?;
/// assert_eq!(book.openings()[0].moves, []);
/// # Ok::<(), arena::BookError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book {
    openings: Vec<Opening>,
}

/// Why a text is no book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BookError {
    /// A line of positions is none.
    #[error("line {line}: {source}")]
    Position {
        /// From 1.
        line: usize,
        /// What is wrong.
        source: FenError,
    },
    /// A record can't be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// There is nothing in it.
    #[error("no opening in it: want positions (FEN or EPD), one a line, or records of games")]
    Empty,
    /// No opening has this name.
    #[error("\"{0}\" is no opening with a name: want one of {names}", names = names())]
    Name(String),
}

/// ECCO code and moves of each opening: tab-separated, one a line, under a heading. `ATTRIBUTION.md` says where they
/// come from.
const MASTERS: &str = include_str!("openings/masters.tsv");

impl Book {
    /// The built-in set: 373 positions from masters' games, 6 to 12 plies from the start, in which both sides have
    /// about even chances.
    pub fn masters() -> Self {
        let lines = MASTERS.lines().skip(1);
        let moves = lines.filter_map(|line| line.split('\t').nth(1)).map(|moves| {
            moves.split(' ').map(|mv| mv.parse().expect("a test reads every line")).collect::<Vec<Move>>()
        });
        Self { openings: moves.map(|moves| Opening { start: Position::start(), moves }).collect() }
    }

    /// All openings that have a name.
    pub fn named() -> Self {
        Self { openings: notation::Opening::all().iter().map(from_named).collect() }
    }

    /// One of them, by its Chinese or English name.
    pub fn of_name(name: &str) -> Result<Self, BookError> {
        let is_called = |opening: &&notation::Opening| {
            opening.name_zh == name || opening.name_en.eq_ignore_ascii_case(name)
        };
        let opening = notation::Opening::all().iter().find(is_called);
        let opening = opening.ok_or_else(|| BookError::Name(name.to_owned()))?;
        Ok(Self { openings: vec![from_named(opening)] })
    }

    /// Reads a file's content: positions as FEN or EPD, one a line (empty lines and lines with `#` are skipped), or
    /// games in any format that [`read_records`] knows, of which the first `plies` moves of the main line count. Of
    /// openings that reach the same position by the same moves one is kept.
    pub fn read(bytes: &[u8], plies: u16) -> Result<Self, BookError> {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = position_lines(&text).peekable();
        let (_, first) = lines.peek().ok_or(BookError::Empty)?;
        let openings = if is_board(first) {
            lines.map(|(number, line)| read_position(number, line)).collect::<Result<Vec<_>, _>>()?
        } else {
            read_games(bytes, plies)?
        };
        let mut seen = BTreeSet::new();
        let is_new = |opening: &Opening| seen.insert(line_of(opening));
        let openings: Vec<Opening> = openings.into_iter().filter(is_new).collect();
        if openings.is_empty() { Err(BookError::Empty) } else { Ok(Self { openings }) }
    }

    /// The openings.
    pub fn openings(&self) -> &[Opening] {
        &self.openings
    }

    /// The opening of a pair: each comes up once in every round of the book, in an order of the round's own.
    pub(crate) fn of_pair(&self, seed: u64, pair: u32) -> &Opening {
        let count = self.openings.len() as u32;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // Streams of pairs are small numbers.
        rng.set_stream(u64::MAX - u64::from(pair / count));
        let mut order: Vec<u32> = (0..count).collect();
        order.shuffle(&mut rng);
        &self.openings[order[(pair % count) as usize] as usize]
    }

    /// One line for each opening: what makes two books the same.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.openings.iter().map(line_of)
    }
}

fn line_of(opening: &Opening) -> String {
    let moves = opening.moves.iter().map(ToString::to_string);
    [opening.start.fen()].into_iter().chain(moves).collect::<Vec<_>>().join(" ")
}

fn from_named(opening: &notation::Opening) -> Opening {
    Opening { start: Position::start(), moves: opening.moves.clone() }
}

fn names() -> String {
    notation::Opening::all().iter().map(|opening| opening.name_zh).collect::<Vec<_>>().join(", ")
}

/// The lines that hold something, with their numbers from 1.
fn position_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
    lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#')).map(|(line, number)| (number, line))
}

/// Does the line start with the ten ranks of a board?
fn is_board(line: &str) -> bool {
    let board = line.split_whitespace().next().unwrap_or_default();
    board.split('/').count() == 10 && board.chars().all(|c| c.is_ascii_alphanumeric() || c == '/')
}

/// EPD's operations are left out: they begin after the counters, whether behind a semicolon or not.
fn read_position(number: usize, line: &str) -> Result<Opening, BookError> {
    let words: Vec<&str> = line.split(';').next().unwrap_or_default().split_whitespace().collect();
    let is_counter = |word: &&&str| **word == "-" || word.bytes().all(|byte| byte.is_ascii_digit());
    let counters = words.iter().skip(2).take_while(is_counter).count().min(4);
    let fen = words[..words.len().min(2 + counters)].join(" ");
    let (start, _) = read_fen(&fen).map_err(|source| BookError::Position { line: number, source })?;
    Ok(Opening { start, moves: Vec::new() })
}

fn read_games(bytes: &[u8], plies: u16) -> Result<Vec<Opening>, BookError> {
    let openings = read_records(bytes).into_iter().map(|record| {
        let record = record?;
        let mut moves = record.main_line();
        moves.truncate(plies.into());
        Ok(Opening { start: record.start().clone(), moves })
    });
    openings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::Openings;
    use rules::Rules;

    #[test]
    fn built_in_openings_are_legal_and_differ() {
        for (book, count, plies) in [(Book::masters(), 373, 6..=12), (Book::named(), 30, 1..=20)] {
            assert_eq!(book.lines().collect::<BTreeSet<_>>().len(), count);
            for opening in book.openings() {
                assert!(plies.contains(&opening.moves.len()));
                let mut game = rules::Game::new(Position::start(), Rules::default());
                opening.moves.iter().for_each(|&mv| game.play(mv).unwrap());
            }
            assert_eq!(Openings::from(book).check(Rules::default()), Ok(()));
        }
    }

    #[test]
    fn each_round_of_a_book_has_each_opening_once_in_an_order_of_its_own() {
        let book = Book::named();
        let count = book.openings().len() as u32;
        let round =
            |seed, round| (0..count).map(|i| line_of(book.of_pair(seed, round * count + i))).collect();
        let (first, second, other): (Vec<_>, Vec<_>, Vec<_>) = (round(1, 0), round(1, 1), round(2, 0));
        assert!(first != second && first != other);
        for lines in [first, second, other] {
            assert!(
                lines
                    .into_iter()
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .eq(book.lines().collect::<BTreeSet<_>>())
            );
        }
    }

    #[test]
    fn positions_are_read_as_fen_and_epd() {
        let board = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR";
        let text = format!(
            "\u{feff}# a comment\r\n\r\n{board} w - - 0 1 ; id \"start\";\n{board} b - - id \"x\";\n{board}\n"
        );
        let book = Book::read(text.as_bytes(), 12).unwrap();
        let turns: Vec<_> = book.openings().iter().map(|opening| opening.start.turn().name()).collect();
        assert_eq!(turns, ["red", "black"], "the third is the first again");
        let error =
            Book::read(format!("{board}\n{board} w x\n9/9/9/9/9/9/9/9/9/9 w\n").as_bytes(), 12).unwrap_err();
        assert!(error.to_string().starts_with("line 3: "), "{error}");
    }

    #[test]
    fn games_give_their_first_moves() {
        let pgn = "[Event \"a\"]\n\n1. h2e2 h9g7 2. h0g2 *\n\n[Event \"b\"]\n\n1. h2e2 h9g7 2. b0c2 *\n";
        let book = Book::read(pgn.as_bytes(), 2).unwrap();
        assert_eq!(book.lines().collect::<Vec<_>>(), [format!("{} h2e2 h9g7", Position::start().fen())]);
        assert_eq!(Book::read(pgn.as_bytes(), 12).unwrap().openings().len(), 2);
        assert_eq!(Book::read(b"", 12), Err(BookError::Empty));
    }

    #[test]
    fn openings_have_names() {
        assert_eq!(Book::of_name("中炮").unwrap(), Book::of_name("central cannon").unwrap());
        assert!(
            Book::of_name("x")
                .unwrap_err()
                .to_string()
                .starts_with("\"x\" is no opening with a name: want one of 中炮")
        );
    }
}
