//! A position and its situation in 28 bytes.

use evaluator::Situation;
use rules::{Bitboard, Colour, Kind, Piece, Position, Square};

/// Bytes 0..12: occupied points (bits 0..90) and [flags](FLAGS) (bits 90..95), little-endian. Bytes 12..28: four bits
/// for each occupied point in ascending order, low half first: colour × 8 + kind.
///
/// The counts of rounds and of quiet plies are not in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedPosition([u8; 28]);

const OCCUPANCY_BYTES: usize = 12;
/// Black's turn, repeated, mover bound, opponent bound, in check: these bits and the ones above.
const FLAGS: u32 = 90;

impl PackedPosition {
    /// Packs a position and its situation but for the count of quiet plies.
    pub(crate) fn pack(position: &Position, situation: Situation) -> Self {
        let flags = [
            position.turn() == Colour::Black,
            situation.repeated,
            situation.mover_bound,
            situation.opponent_bound,
            situation.in_check,
        ];
        let mut word = position.occupied().0;
        for (bit, flag) in flags.into_iter().enumerate() {
            word |= u128::from(flag) << (FLAGS + bit as u32);
        }
        let mut bytes = [0; 28];
        bytes[..OCCUPANCY_BYTES].copy_from_slice(&word.to_le_bytes()[..OCCUPANCY_BYTES]);
        for (number, square) in position.occupied().into_iter().enumerate() {
            let piece = position.piece_at(square).expect("an occupied point");
            let code = (piece.colour as u8) << 3 | piece.kind.index() as u8;
            bytes[OCCUPANCY_BYTES + number / 2] |= code << (number % 2 * 4);
        }
        Self(bytes)
    }

    const fn word(&self) -> u128 {
        let mut word = [0; 16];
        let (occupancy, _) = self.0.split_at(OCCUPANCY_BYTES);
        word.split_at_mut(OCCUPANCY_BYTES).0.copy_from_slice(occupancy);
        u128::from_le_bytes(word)
    }

    const fn flag(&self, bit: u32) -> bool {
        self.word() >> (FLAGS + bit) & 1 != 0
    }

    /// Whose turn it is.
    pub(crate) const fn turn(&self) -> Colour {
        if self.flag(0) { Colour::Black } else { Colour::Red }
    }

    /// The situation that was packed, with the count of quiet plies that was not.
    pub(crate) const fn situation(&self, quiet_plies: u16) -> Situation {
        Situation {
            quiet_plies,
            repeated: self.flag(1),
            mover_bound: self.flag(2),
            opponent_bound: self.flag(3),
            in_check: self.flag(4),
        }
    }

    /// The pieces, in ascending order of their points.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        let occupied = Bitboard(self.word() & Bitboard::ALL.0);
        occupied.into_iter().enumerate().map(|(number, square)| {
            let code = self.0[OCCUPANCY_BYTES + number / 2] >> (number % 2 * 4) & 15;
            let colour = if code & 8 == 0 { Colour::Red } else { Colour::Black };
            (square, Piece { colour, kind: Kind::ALL[usize::from(code & 7)] })
        })
    }

    /// The position that was packed, with the count of quiet plies that was not.
    pub(crate) fn position(&self, quiet_plies: u16) -> Position {
        Position::of(self.pieces(), self.turn(), quiet_plies, 1).expect("only positions are packed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rules::{Game, Rules};

    #[test]
    fn what_is_packed_comes_back() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for _ in 0..50 {
            let mut game = Game::new(Position::start(), Rules::default());
            while game.ending().is_none() {
                let (position, situation) = (game.position(), Situation::of(&game));
                let packed = PackedPosition::pack(position, situation);
                let quiet_plies = position.quiet_plies();
                let (again, situation_again) = (packed.position(quiet_plies), packed.situation(quiet_plies));
                assert_eq!((&again, situation_again), (position, situation));
                assert_eq!(again.quiet_plies(), position.quiet_plies());
                assert_eq!(*again.legal_moves(), *position.legal_moves(), "{position:?}");
                let moves = position.legal_moves();
                game.play_unchecked(moves[rng.random_range(0..moves.len())]);
            }
        }
    }

    #[test]
    fn flags_come_back() {
        let situation = Situation { mover_bound: true, opponent_bound: true, ..Situation::default() };
        let packed = PackedPosition::pack(&Position::start(), situation);
        assert_eq!((packed.position(0), packed.situation(0)), (Position::start(), situation));
    }
}
