//! Random keys for hashing positions (Zobrist 1970), computed once at compile time.

use crate::piece::{Colour, Kind, Occupant, Piece};
use crate::square::Square;

/// The key of a piece on a point.
#[inline]
pub(crate) fn piece_key(piece: Occupant, square: Square) -> u64 {
    KEYS[piece.index()][square.slot()]
}

/// Added when it is this side's turn.
pub(crate) const fn turn_key(turn: Colour) -> u64 {
    match turn {
        Colour::Red => 0,
        Colour::Black => TURN_KEY,
    }
}

/// What changes when the turn passes.
pub(crate) const TURN_KEY: u64 = 0x9d39_247e_3377_6d41;

static KEYS: [[u64; Square::SLOTS]; Occupant::COUNT] = {
    let mut keys = [[0; Square::SLOTS]; Occupant::COUNT];
    let mut state = 0x6d65_6968_7561_u64; // "meihua"
    let mut colour = 0;
    while colour < 2 {
        let mut kind = 0;
        while kind < 7 {
            let piece = Occupant::of(Piece { colour: Colour::ALL[colour], kind: Kind::ALL[kind] });
            let mut square = 0;
            while square < 90 {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                keys[piece.index()][square] = mix(state);
                square += 1;
            }
            kind += 1;
        }
        colour += 1;
    }
    keys
};

/// The output function of splitmix64 (Steele, Lea, Flood 2014).
const fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
