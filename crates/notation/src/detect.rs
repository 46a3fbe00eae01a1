//! Which format a file has, and reading it whatever that is.

use crate::encoding::{Decoded, decode};
use crate::fault::{Place, RecordError, RecordFault, Refused, Warning};
use crate::record::Record;
use crate::{cbf, ccbridge, dhtmlxq, pgn, tsv, xqf};

/// A file format for games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Tags and moves as text, in any dialect; also a bare list of moves.
    Pgn,
    /// Tags in square brackets, in a forum post or web page (東萍, UBB).
    DhtmlXq,
    /// 象棋演播室 (`XQStudio`).
    Xqf,
    /// One record of 象棋桥 (`CCBridge`).
    Cbr,
    /// A library of 象棋桥.
    Cbl,
    /// XML of 象棋桥.
    Cbf,
    /// A game in each line, cells between tabs, the columns' names in the first line, `moves` among them.
    Tsv,
}

impl Format {
    /// The format that the content has; what is nothing else is PGN.
    pub fn of(bytes: &[u8]) -> Self {
        Self::of_binary(bytes).unwrap_or_else(|| Self::of_text(&decode(bytes).text))
    }

    fn of_binary(bytes: &[u8]) -> Option<Self> {
        // The version follows the magic of XQF, and no text has a control character there but a tab.
        let is_version = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
        let is_xqf = bytes.starts_with(xqf::MAGIC) && bytes.get(2).is_some_and(is_version);
        match bytes {
            _ if is_xqf => Some(Self::Xqf),
            _ if bytes.starts_with(ccbridge::RECORD) => Some(Self::Cbr),
            _ if bytes.starts_with(ccbridge::LIBRARY) => Some(Self::Cbl),
            _ => None,
        }
    }

    fn of_text(text: &str) -> Self {
        match text {
            _ if begins_with_pgn_tag(text) => Self::Pgn,
            _ if text.trim_start().starts_with('<') && text.contains(cbf::ROOT) => Self::Cbf,
            _ if dhtmlxq::is_in(text) => Self::DhtmlXq,
            _ if tsv::is_in(text) => Self::Tsv,
            _ => Self::Pgn,
        }
    }
}

/// Is the first thing a name in a bracket and a value in quotes? Anything may be in the values after that, and in comments.
fn begins_with_pgn_tag(text: &str) -> bool {
    let tag = text.trim_start().strip_prefix('[').unwrap_or_default();
    let value = tag.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    value.len() < tag.len() && value.starts_with(char::is_whitespace) && value.trim_start().starts_with('"')
}

/// Reads all games of a file, whose format shows in its content. A game that can't be read is an error with its
/// place; the others come all the same. There is always at least one item.
///
/// A fault in the main line refuses the game (and [`RecordError::partial`] has what comes before it); a variation
/// ends before its first fault, with a warning in [`Record::warnings`].
///
/// ```
/// let file = b"[Red \"A\"]\n1. C2.5 H8+7 1-0\n[Red \"B\"]\n1. C2.5 H8+9 2. K5+2 *\n[Red \"C\"]\n1. h2e2 h9g7\n";
/// let records = notation::read_records(file);
/// assert_eq!(records.len(), 3);
/// let error = records[1].as_ref().unwrap_err();
/// assert!(error.to_string().starts_with("game 2, line 4: ply 3: "));
/// assert_eq!(records[0].as_ref().unwrap().main_line(), records[2].as_ref().unwrap().main_line());
/// ```
pub fn read_records(bytes: &[u8]) -> Vec<Result<Record, RecordError>> {
    let games = match Format::of_binary(bytes) {
        Some(Format::Xqf) => vec![xqf::read(bytes)],
        Some(Format::Cbr) => vec![ccbridge::read(bytes, 0)],
        Some(Format::Cbl) => ccbridge::read_library(bytes),
        _ => read_text(decode(bytes)),
    };
    let number =
        |(index, game): (usize, Result<Record, Refused>)| game.map_err(|game| game.into_error(index + 1));
    games.into_iter().enumerate().map(number).collect()
}

fn read_text(decoded: Decoded) -> Vec<Result<Record, Refused>> {
    let text = decoded.text.as_str();
    let mut games = match Format::of_text(text) {
        Format::Cbf => vec![cbf::read(text)],
        Format::DhtmlXq => dhtmlxq::read(text),
        Format::Tsv => tsv::read(text),
        _ => pgn::read(text),
    };
    if games.is_empty() {
        games.push(Err(Refused::at(Place::Line(1), RecordFault::Unknown)));
    }
    // What concerns the whole file is said once.
    if let Some(record) = games.iter_mut().flatten().next() {
        record.warnings.splice(0..0, Warning::all(Place::Line(1), decoded.cautions));
    }
    games
}
