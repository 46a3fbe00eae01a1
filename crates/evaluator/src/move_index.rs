//! The numbering of moves, version 1: all (from, to) pairs that some piece of the mover could ever play on an empty
//! board, from the mover's side, sorted by from, then to. Rook lines (generals, pawns and cannons move along them
//! too), horse jumps, the mover's own advisor and elephant moves.

use rules::{Colour, Move, Square};

/// Changes whenever the numbering changes; weights of another version are refused.
pub const MOVE_INDEX_VERSION: u32 = 1;
/// How many moves there are: 1,530 along rook lines, 508 horse jumps, 8 of advisors, 16 of elephants.
pub const MOVES: usize = 2062;

/// The number of a move as the mover sees it, below [`MOVES`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MoveIndex(u16);

impl MoveIndex {
    /// The number of a move that `mover` plays.
    ///
    /// # Panics
    /// If no piece could ever play it.
    #[inline]
    pub fn of(mv: Move, mover: Colour) -> Self {
        let seen = match mover {
            Colour::Red => mv,
            Colour::Black => mv.turned(),
        };
        let index = TABLES.index[seen.from().index()][seen.to().index()];
        assert!(index != NONE, "{mv} can be played by no piece");
        Self(index)
    }

    /// The move with this number when `mover` plays it.
    pub fn to_move(self, mover: Colour) -> Move {
        let (from, to) = TABLES.moves[usize::from(self.0)];
        let seen = Move::new(Square::from_index(from as usize), Square::from_index(to as usize));
        match mover {
            Colour::Red => seen,
            Colour::Black => seen.turned(),
        }
    }

    /// The move with this number, if there is one.
    pub const fn new(index: usize) -> Option<Self> {
        if index < MOVES { Some(Self(index as u16)) } else { None }
    }

    /// The number, below [`MOVES`].
    pub const fn get(self) -> usize {
        self.0 as usize
    }

    /// The move that takes this one's place when left and right are exchanged.
    #[must_use]
    pub fn mirrored(self) -> Self {
        Self(TABLES.mirror[usize::from(self.0)])
    }
}

const NONE: u16 = u16::MAX;

struct Tables {
    index: [[u16; 90]; 90],
    moves: [(u8, u8); MOVES],
    mirror: [u16; MOVES],
}

static TABLES: Tables = {
    let mut tables = Tables { index: [[NONE; 90]; 90], moves: [(0, 0); MOVES], mirror: [0; MOVES] };
    let mut count = 0;
    let mut from = 0;
    while from < 90 {
        let mut to = 0;
        while to < 90 {
            if some_piece_plays(Square::from_index(from), Square::from_index(to)) {
                tables.index[from][to] = count as u16;
                tables.moves[count] = (from as u8, to as u8);
                count += 1;
            }
            to += 1;
        }
        from += 1;
    }
    assert!(count == MOVES);
    let mut i = 0;
    while i < MOVES {
        let (from, to) = tables.moves[i];
        let from = Square::from_index(from as usize).mirrored();
        let to = Square::from_index(to as usize).mirrored();
        tables.mirror[i] = tables.index[from.index()][to.index()];
        i += 1;
    }
    tables
};

const fn some_piece_plays(from: Square, to: Square) -> bool {
    match (from.file().abs_diff(to.file()), from.rank().abs_diff(to.rank())) {
        (0, 0) => false,
        (0, _) | (_, 0) | (1, 2) | (2, 1) => true,
        (1, 1) => is_one_of(from, &ADVISOR_POINTS) && is_one_of(to, &ADVISOR_POINTS),
        (2, 2) => is_one_of(from, &ELEPHANT_POINTS) && is_one_of(to, &ELEPHANT_POINTS),
        _ => false,
    }
}

/// (file, rank) of the mover's advisors.
const ADVISOR_POINTS: [(u8, u8); 5] = [(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)];
/// (file, rank) of the mover's elephants.
const ELEPHANT_POINTS: [(u8, u8); 7] = [(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)];

const fn is_one_of(square: Square, points: &[(u8, u8)]) -> bool {
    let mut i = 0;
    while i < points.len() {
        if points[i].0 == square.file() && points[i].1 == square.rank() {
            return true;
        }
        i += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_moves_are_inverse() {
        for mover in Colour::ALL {
            for index in (0..MOVES).filter_map(MoveIndex::new) {
                assert_eq!(MoveIndex::of(index.to_move(mover), mover), index);
                assert_eq!(index.mirrored().to_move(mover), index.to_move(mover).mirrored());
            }
        }
        assert_eq!(MoveIndex::new(MOVES), None);
    }
}
