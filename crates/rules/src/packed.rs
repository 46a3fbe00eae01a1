//! A position in 30 bytes.

use crate::bitboard::Bitboard;
use crate::piece::{Colour, Kind, Piece};
use crate::position::Position;
use crate::square::Square;

/// A position in 30 bytes, but for its count of rounds. It can't be made but of a position, so it comes back unchecked.
///
/// ```
/// use rules::{PackedPosition, Position};
///
/// let packed = PackedPosition::new(&Position::start(), 5);
/// assert_eq!((packed.position(), packed.notes()), (Position::start(), 5));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PackedPosition {
    /// Bytes 0..12, little-endian: occupied points (bits 0..90), Black's turn (bit 90), notes (bits 91..96). Bytes
    /// 12..28: four bits for each occupied point in ascending order, low half first: colour × 8 + kind.
    bytes: [u8; 28],
    quiet_plies: u16,
}

const OCCUPANCY_BYTES: usize = 12;
const TURN: u32 = 90;
const NOTES: u32 = 91;

impl PackedPosition {
    /// So many bits are free for notes.
    pub const NOTE_BITS: u32 = 5;

    /// Packs a position, and what its owner wants to note beside it.
    ///
    /// # Panics
    /// If the notes have more bits than [`PackedPosition::NOTE_BITS`].
    pub fn new(position: &Position, notes: u8) -> Self {
        assert!(u32::from(notes) < 1 << Self::NOTE_BITS, "no room for the notes {notes:#b}");
        let turn = u128::from(position.turn() == Colour::Black);
        let word = position.occupied().0 | turn << TURN | u128::from(notes) << NOTES;
        let mut bytes = [0; 28];
        bytes[..OCCUPANCY_BYTES].copy_from_slice(&word.to_le_bytes()[..OCCUPANCY_BYTES]);
        for (number, square) in position.occupied().into_iter().enumerate() {
            let piece = position.piece_at(square).expect("an occupied point");
            let code = (piece.colour as u8) << 3 | piece.kind.index() as u8;
            bytes[OCCUPANCY_BYTES + number / 2] |= code << (number % 2 * 4);
        }
        Self { bytes, quiet_plies: position.quiet_plies() }
    }

    const fn word(&self) -> u128 {
        let mut word = [0; 16];
        let (occupancy, _) = self.bytes.split_at(OCCUPANCY_BYTES);
        word.split_at_mut(OCCUPANCY_BYTES).0.copy_from_slice(occupancy);
        u128::from_le_bytes(word)
    }

    /// Whose turn it is.
    pub const fn turn(&self) -> Colour {
        if self.word() >> TURN & 1 == 0 { Colour::Red } else { Colour::Black }
    }

    /// What was noted.
    pub const fn notes(&self) -> u8 {
        (self.word() >> NOTES) as u8
    }

    /// Plies since the last capture.
    pub const fn quiet_plies(&self) -> u16 {
        self.quiet_plies
    }

    /// The pieces, in ascending order of their points.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        let occupied = Bitboard(self.word() & Bitboard::ALL.0);
        occupied.into_iter().enumerate().map(|(number, square)| {
            let code = self.bytes[OCCUPANCY_BYTES + number / 2] >> (number % 2 * 4) & 15;
            let colour = if code & 8 == 0 { Colour::Red } else { Colour::Black };
            (square, Piece { colour, kind: Kind::ALL[usize::from(code & 7)] })
        })
    }

    /// The position, as if in the first round.
    pub fn position(&self) -> Position {
        Position::unchecked(self.pieces(), self.turn(), self.quiet_plies, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::rule_set::Rules;

    #[test]
    fn what_is_packed_comes_back() {
        let mut state = 1_u32;
        for number in 0..50 {
            let mut game = Game::new(Position::start(), Rules::default());
            while game.ending().is_none() {
                let position = game.position();
                let packed = PackedPosition::new(position, number % 32);
                let again = packed.position();
                assert_eq!((&again, packed.notes()), (position, number % 32));
                assert_eq!((again.key(), again.quiet_plies()), (position.key(), position.quiet_plies()));
                assert_eq!((packed.turn(), packed.quiet_plies()), (position.turn(), position.quiet_plies()));
                // What is kept beside the pieces is as the check makes it.
                let checked: Position = again.fen().parse().unwrap();
                assert_eq!(*again.legal_moves(), *checked.legal_moves(), "{position:?}");
                assert_eq!(again.in_check(), checked.in_check());
                let moves = position.legal_moves();
                // A congruential generator (Numerical Recipes, 7.1) is good enough to choose moves.
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                game.play_unchecked(moves[(state >> 8) as usize % moves.len()]);
            }
        }
    }
}
