//! What a network sees of a row: two rows that look alike have the same inputs.

use crate::packed;
use evaluator::quiet_steps;
use rules::{Colour, PackedPosition, Piece, Square};

/// Pieces and situation as the mover sees them. Equal exactly if the network's inputs are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    /// 0 for an empty point, else 1 + kind + 7 for the opponent's; by point as the mover sees it.
    board: [u8; Square::COUNT],
    /// Repeated, mover bound, opponent bound, in check, and how many steps of the count of quiet plies.
    situation: [u8; 5],
}

impl Seen {
    pub(crate) fn of(packed: &PackedPosition) -> Self {
        let mover = packed.turn();
        let mut board = [0; Square::COUNT];
        for (square, Piece { colour, kind }) in packed.pieces() {
            let seen = if mover == Colour::Red { square } else { square.turned() };
            let owner = if colour == mover { 0 } else { 7 };
            board[seen.index()] = 1 + kind.index() as u8 + owner;
        }
        let situation = packed::situation(packed);
        let flags = [situation.repeated, situation.mover_bound, situation.opponent_bound, situation.in_check];
        let [a, b, c, d] = flags.map(u8::from);
        Self { board, situation: [a, b, c, d, quiet_steps(packed.quiet_plies()) as u8] }
    }

    /// With left and right exchanged.
    pub(crate) fn mirrored(&self) -> Self {
        let mut board = [0; Square::COUNT];
        for square in Square::all() {
            board[square.mirrored().index()] = self.board[square.index()];
        }
        Self { board, ..*self }
    }

    /// The same for a position and its mirror image, on every machine.
    pub(crate) fn hash(&self) -> u32 {
        let (mut plain, mut mirrored) = (0_u64, 0_u64);
        for square in Square::all() {
            let piece = u64::from(self.board[square.index()]);
            if piece != 0 {
                plain = plain.wrapping_add(scramble(piece << 8 | square.index() as u64));
                mirrored = mirrored.wrapping_add(scramble(piece << 8 | square.mirrored().index() as u64));
            }
        }
        let mut hash = plain ^ mirrored ^ plain.wrapping_mul(mirrored);
        for part in self.situation {
            hash = scramble(hash ^ u64::from(part));
        }
        (hash >> 32) as u32
    }
}

/// One step of `SplitMix64` (Steele, Lea and Flood 2014, <https://doi.org/10.1145/2660193.2660195>).
const fn scramble(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
