//! XQF, the format of 象棋演播室 (`XQStudio`): a header of 1,024 bytes and a tree of moves, from version 11 on
//! enciphered with keys from the header. Read only.

use crate::binary::{self, Start, Step, Steps};
use crate::bytes::Bytes;
use crate::encoding::decode_field;
use crate::fault::{Fault, Place, RecordFault, Refused, Warning};
use crate::placed;
use crate::record::Record;
use rules::{Colour, Square};

/// The first two bytes of a file.
pub(crate) const MAGIC: &[u8] = b"XQ";
const HEADER: usize = 0x400;
const BOARD: usize = 0x10;
const TURN: usize = 0x32;
const RESULT: usize = 0x33;
const PLAIN_VERSION: u8 = 0x0A;
/// From this version on the 32 pieces are stored in another order.
const PERMUTED_VERSION: u8 = 0x0C;
const LAST_VERSION: u8 = 0x12;
const VERSIONS: &str = "10 (plain) to 18";
const CIPHER_TEXT: &[u8; 32] = b"[(C) Copyright Mr. Dong Shiwei.]";

/// The texts of the header: where their length is, the most bytes, the tag.
const TEXTS: [(usize, usize, &str); 11] = [
    (0x50, 63, "Title"),
    (0xD0, 63, "Event"),
    (0x110, 15, "Date"),
    (0x120, 15, "Site"),
    (0x130, 15, "Red"),
    (0x140, 15, "Black"),
    (0x150, 63, "TimeControl"),
    (0x190, 15, "RedTime"),
    (0x1A0, 15, "BlackTime"),
    (0x1D0, 15, "Annotator"),
    (0x1E0, 15, "Author"),
];

/// Reads the game of a file.
pub(crate) fn read(bytes: &[u8]) -> Result<Record, Refused> {
    let header = bytes.get(..HEADER).ok_or_else(|| {
        Refused::at(Place::Byte(bytes.len()), RecordFault::Truncated { within: "the header of 1,024 bytes" })
    })?;
    let keys = Keys::of(header).map_err(|fault| Refused::at(Place::Byte(2), fault))?;
    let body = keys.decipher(&bytes[HEADER..]);
    let start = Start {
        board: placed::board(&keys.points(header)),
        board_place: Place::Byte(BOARD),
        turn: if header[TURN] == 1 { Colour::Black } else { Colour::Red },
        turn_place: Place::Byte(TURN),
    };
    let steps = XqfSteps { bytes: Bytes::new(&body, 0, "the moves"), keys: &keys };
    binary::read(&start, steps, |record| read_header(header, record))
}

fn read_header(header: &[u8], record: &mut Record) {
    for (at, most, name) in TEXTS {
        let length = usize::from(header[at]).min(most);
        let mut cautions = Vec::new();
        let text = decode_field(&header[at + 1..=at + length], name, &mut cautions);
        record.warnings.extend(Warning::all(Place::Byte(at), cautions));
        if !text.is_empty() {
            record.tags.set(name, &text);
        }
    }
    record.result = binary::result(header[RESULT], Place::Byte(RESULT), &mut record.warnings);
}

/// What the header says about the cipher. In a plain file nothing is added to anything.
struct Keys {
    version: u8,
    piece: u8,
    from: u8,
    to: u8,
    comment_length: u32,
    stream: [u8; 32],
}

impl Keys {
    fn of(header: &[u8]) -> Result<Self, RecordFault> {
        let version = header[2];
        if version > LAST_VERSION {
            return Err(RecordFault::Version { format: "XQF", version, wanted: VERSIONS });
        }
        if version <= PLAIN_VERSION {
            return Ok(Self { version, piece: 0, from: 0, to: 0, comment_length: 0, stream: [0; 32] });
        }
        let mask = header[3];
        let or = &header[8..12];
        let keys = &header[12..16];
        let piece = spread(keys[1]).wrapping_mul(keys[1]);
        let from = spread(keys[2]).wrapping_mul(piece);
        let to = spread(keys[3]).wrapping_mul(from);
        let comment_length = (u32::from(keys[0]) * 256 + u32::from(keys[1])) % 32_000 + 767;
        let mut stream = *CIPHER_TEXT;
        for (i, byte) in stream.iter_mut().enumerate() {
            *byte &= (keys[i % 4] & mask) | or[i % 4];
        }
        Ok(Self { version, piece, from, to, comment_length, stream })
    }

    const fn is_plain(&self) -> bool {
        self.version <= PLAIN_VERSION
    }

    /// Takes the key stream off what follows the header.
    fn decipher(&self, body: &[u8]) -> Vec<u8> {
        body.iter().zip(self.stream.iter().cycle()).map(|(byte, key)| byte.wrapping_sub(*key)).collect()
    }

    /// The points of the 32 pieces.
    fn points(&self, header: &[u8]) -> Vec<Option<Square>> {
        let stored = &header[BOARD..BOARD + 32];
        let place = |i: usize| {
            if self.version < PERMUTED_VERSION { i } else { i.wrapping_sub(usize::from(self.piece) + 1) % 32 }
        };
        (0..32).map(|i| square(stored[place(i)].wrapping_sub(self.piece))).collect()
    }
}

/// The polynomial behind the keys, modulo 256.
const fn spread(key: u8) -> u8 {
    let square = key.wrapping_mul(key);
    let sum = square.wrapping_mul(3).wrapping_add(9);
    sum.wrapping_mul(3).wrapping_add(8).wrapping_mul(2).wrapping_add(1).wrapping_mul(3).wrapping_add(8)
}

/// `file * 10 + rank`, from Red's left.
const fn square(number: u8) -> Option<Square> {
    Square::new(number / 10, number % 10)
}

#[derive(Clone)]
struct XqfSteps<'b> {
    bytes: Bytes<'b>,
    keys: &'b Keys,
}

impl Steps for XqfSteps<'_> {
    fn next(&mut self, warnings: &mut Vec<Warning>) -> Result<Step, Fault> {
        let place = self.place();
        let step = self.next_in_body(place, warnings);
        step.map_err(|(_, fault)| (self.place(), fault))
    }
}

impl XqfSteps<'_> {
    /// The place in the file.
    fn place(&self) -> Place {
        match self.bytes.place() {
            Place::Byte(byte) => Place::Byte(byte + HEADER),
            line @ Place::Line(_) => line,
        }
    }

    fn next_in_body(&mut self, place: Place, warnings: &mut Vec<Warning>) -> Result<Step, Fault> {
        let [from, to, flags, _] = self.bytes.four()?;
        let (has_child, has_sibling, has_comment) = if self.keys.is_plain() {
            (flags & 0xF0 != 0, flags & 0x0F != 0, true)
        } else {
            (flags & 0x80 != 0, flags & 0x40 != 0, flags & 0x20 != 0)
        };
        let mut comment = String::new();
        if has_comment {
            let length = self.bytes.number()?.wrapping_sub(self.keys.comment_length);
            let text = self.bytes.take(length as usize)?;
            let mut cautions = Vec::new();
            comment = decode_field(text, "comment", &mut cautions);
            warnings.extend(Warning::all(place, cautions));
        }
        let from = from.wrapping_sub(0x18).wrapping_sub(self.keys.from);
        let to = to.wrapping_sub(0x20).wrapping_sub(self.keys.to);
        let points = match (square(from), square(to)) {
            (Some(from), Some(to)) => Ok((from, to)),
            _ => Err(format!("{from}, {to}")),
        };
        Ok(Step { place, points, has_child, has_sibling, comment })
    }
}
