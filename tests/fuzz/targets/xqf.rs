//! Files in the other formats. The first byte chooses what stands before the rest: nothing, how a format begins, or
//! all that comes before the moves.

#![no_main]

use fuzz::scatter::{Bytes, scattered};
use libfuzzer_sys::fuzz_target;
use rules::{Colour, Kind, Piece, Position, Square};

const XQF_HEADER: usize = 1024;
const CBR_HEADER: usize = 2210;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    let with = |before: &[u8]| [before, rest].concat();
    let file = match choice % 9 {
        0 => rest.to_vec(),
        1 => with(b"XQ"),
        2 => with(b"CCBridge Record\0"),
        3 => with(b"CCBridgeLibrary\0"),
        4 => with(b"<ChineseChessRecord><Head>"),
        5 => with(b"[DhtmlXQ]\n[DhtmlXQ_movelist]"),
        6 => after_board(rest, xqf_header),
        7 => after_board(rest, cbr_header),
        _ => with(b"<ChineseChessRecord><Head/><MoveList><Move value=\""),
    };
    fuzz::records::check(&file);
});

/// A header with the usual start, or with a position made of bytes, and the moves.
fn after_board(rest: &[u8], header: fn(&Position, u8) -> Vec<u8>) -> Vec<u8> {
    let mut bytes = Bytes(rest);
    let choice = bytes.byte();
    let start = if choice & 0x80 == 0 { None } else { scattered(&mut bytes) };
    [&header(&start.unwrap_or_else(Position::start), choice & 0x7F), bytes.0].concat()
}

/// The keys are zero, so nothing but the length of comments is enciphered.
fn xqf_header(start: &Position, version: u8) -> Vec<u8> {
    let mut header = vec![0; XQF_HEADER];
    header[..2].copy_from_slice(b"XQ");
    header[2] = version % 19;
    header[0x32] = start.turn() as u8;
    let order = "rnbakabnrccppppp".chars().filter_map(Piece::from_fen_letter).map(|piece| piece.kind);
    let pieces = Colour::ALL.into_iter().flat_map(|colour| order.clone().map(move |kind| (colour, kind)));
    let mut points = Colour::ALL.map(|colour| Kind::ALL.map(|kind| start.pieces(colour, kind).into_iter()));
    for (number, (colour, kind)) in pieces.enumerate() {
        let point = points[colour as usize][kind.index()].next();
        // From version 12 on the list begins with the second piece.
        let place = if header[2] < 12 { number } else { (number + 31) % 32 };
        header[0x10 + place] = point.map_or(0xFF, |square| square.file() * 10 + square.rank());
    }
    header
}

fn cbr_header(start: &Position, result: u8) -> Vec<u8> {
    let mut header = vec![0; CBR_HEADER + 4];
    header[..16].copy_from_slice(b"CCBridge Record\0");
    header[2076] = result;
    header[2112] = 1 + start.turn() as u8;
    for square in Square::all() {
        if let Some(piece) = start.piece_at(square) {
            let kind = "rnbakcp".find(piece.fen_letter().to_ascii_lowercase()).expect("a piece") as u8 + 1;
            let place = usize::from(9 - square.rank()) * 9 + usize::from(square.file());
            header[2120 + place] = (piece.colour as u8 + 1) << 4 | kind;
        }
    }
    header
}
