//! CBR and CBL, the formats of 象棋桥 (`CCBridge`): a record with a header of 2,210 bytes and a tree of moves, and a
//! library of such records. Texts are UTF-16. Read only.

use crate::binary::{self, Start, Step, Steps};
use crate::bytes::Bytes;
use crate::encoding::decode_wide_field;
use crate::fault::{Fault, Place, RecordFault, Refused, Warning};
use crate::record::Record;
use rules::{Colour, Kind, Piece, Square};

/// How a record begins.
pub(crate) const RECORD: &[u8; 16] = b"CCBridge Record\0";
/// How a library begins.
pub(crate) const LIBRARY: &[u8; 16] = b"CCBridgeLibrary\0";

const LIBRARY_NAME: std::ops::Range<usize> = 64..576;
const RESULT: usize = 2076;
const TURN: usize = 2112;
const BOARD: usize = 2120;
const HEADER: usize = BOARD + 90;

/// The texts of a record: where, how many bytes, the tag.
const TEXTS: [(usize, usize, &str); 11] = [
    (180, 128, "Title"),
    (692, 64, "Event"),
    (884, 64, "Date"),
    (948, 64, "Site"),
    (1012, 64, "TimeControl"),
    (1076, 64, "Red"),
    (1140, 64, "RedTeam"),
    (1300, 64, "Black"),
    (1364, 64, "BlackTeam"),
    (1524, 64, "Referee"),
    (1652, 64, "Annotator"),
];

/// Reads the records of a library, each up to where the next begins.
pub(crate) fn read_library(bytes: &[u8]) -> Vec<Result<Record, Refused>> {
    let name = bytes.get(LIBRARY_NAME).unwrap_or_default();
    let mut cautions = Vec::new();
    let name = decode_wide_field(name, "name of the library", &mut cautions);
    let starts: Vec<usize> = starts(bytes).collect();
    if starts.is_empty() {
        let fault = RecordFault::Truncated { within: "the index of the library, before any record" };
        return vec![Err(Refused::at(Place::Byte(bytes.len()), fault))];
    }
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let records = starts.iter().zip(ends).map(|(&start, end)| {
        let mut record = read(&bytes[..end], start)?;
        if !name.trim().is_empty() {
            record.tags.set("Library", name.trim());
        }
        record.warnings.extend(Warning::all(Place::Byte(LIBRARY_NAME.start), cautions.clone()));
        Ok(record)
    });
    records.collect()
}

fn starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let found = bytes.get(from..)?.windows(RECORD.len()).position(|window| window == RECORD)?;
        let start = from + found;
        from = start + RECORD.len();
        Some(start)
    })
}

/// Reads the record that begins at `start`.
pub(crate) fn read(bytes: &[u8], start: usize) -> Result<Record, Refused> {
    let header = bytes.get(start..).and_then(|record| record.get(..HEADER)).ok_or_else(|| {
        let fault = RecordFault::Truncated { within: "the header of a record, 2,210 bytes" };
        Refused::at(Place::Byte(bytes.len()), fault)
    })?;
    let board_place = Place::Byte(start + BOARD);
    let stored = Start {
        board: read_board(&header[BOARD..]).map_err(|fault| Refused::at(board_place, fault))?,
        board_place,
        turn: if header[TURN] == 2 { Colour::Black } else { Colour::Red },
        turn_place: Place::Byte(start + TURN),
    };
    let mut steps = Bytes::new(bytes, start + HEADER, "the moves");
    // Of unknown meaning, all 255 in the files that were seen.
    steps.four()?;
    binary::read(&stored, steps, |record| read_header(header, start, record))
}

fn read_header(header: &[u8], start: usize, record: &mut Record) {
    for (at, length, name) in TEXTS {
        let mut cautions = Vec::new();
        let text = decode_wide_field(&header[at..at + length], name, &mut cautions);
        record.warnings.extend(Warning::all(Place::Byte(start + at), cautions));
        if !text.trim().is_empty() {
            record.tags.set(name, text.trim());
        }
    }
    record.result = binary::result(header[RESULT], Place::Byte(start + RESULT), &mut record.warnings);
}

/// 90 bytes from the top left: 0 for nothing, the side in the upper half of a byte, the kind in the lower.
fn read_board(bytes: &[u8]) -> Result<[Option<Piece>; 90], RecordFault> {
    let mut board = [None; 90];
    for (number, &byte) in bytes.iter().enumerate() {
        let colour = if byte >> 4 == 1 { Colour::Red } else { Colour::Black };
        let kind = match byte {
            0 => continue,
            0x11 | 0x21 => Kind::Rook,
            0x12 | 0x22 => Kind::Horse,
            0x13 | 0x23 => Kind::Elephant,
            0x14 | 0x24 => Kind::Advisor,
            0x15 | 0x25 => Kind::General,
            0x16 | 0x26 => Kind::Cannon,
            0x17 | 0x27 => Kind::Pawn,
            _ => {
                let (name, text) = (format!("point {number} of the board"), format!("{byte:#04x}"));
                return Err(RecordFault::Field { name, text, wanted: "0, 0x11 to 0x17 or 0x21 to 0x27" });
            }
        };
        if let Some(square) = square(number as u8) {
            board[square.index()] = Some(Piece { colour, kind });
        }
    }
    Ok(board)
}

/// `row * 9 + file`, from the top left.
fn square(number: u8) -> Option<Square> {
    9_u8.checked_sub(number / 9).and_then(|rank| Square::new(number % 9, rank))
}

impl Steps for Bytes<'_> {
    fn next(&mut self, warnings: &mut Vec<Warning>) -> Result<Step, Fault> {
        let place = self.place();
        let [mark, _, from, to] = self.four()?;
        let mut comment = String::new();
        if mark & 4 != 0 {
            let length = self.number()?;
            let text = self.take(length as usize)?;
            let mut cautions = Vec::new();
            comment = decode_wide_field(text, "comment", &mut cautions);
            warnings.extend(Warning::all(place, cautions));
        }
        let points = match (square(from), square(to)) {
            (Some(from), Some(to)) => Ok((from, to)),
            _ => Err(format!("{from}, {to}")),
        };
        Ok(Step { place, points, has_child: mark & 1 == 0, has_sibling: mark & 2 != 0, comment })
    }
}
