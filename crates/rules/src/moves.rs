//! A move and a list of moves.

use crate::bitboard::Bitboard;
use crate::square::Square;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

/// A move from one point to another, in 16 bits: `from + to * 128`. Says nothing of legality.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Move(u16);

impl Move {
    /// The move between two points.
    #[inline]
    pub const fn new(from: Square, to: Square) -> Self {
        Self(from.index() as u16 | (to.index() as u16) << 7)
    }

    /// Where the piece stands.
    #[inline]
    pub const fn from(self) -> Square {
        Square::known((self.0 & 0x7f) as usize)
    }

    /// Where it goes.
    #[inline]
    pub const fn to(self) -> Square {
        Square::known((self.0 >> 7) as usize)
    }

    /// The 16 bits, as they are stored in records.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The move with these bits, if both points are on the board.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        if (bits & 0x7f) < 90 && bits >> 7 < 90 { Some(Self(bits)) } else { None }
    }

    /// The same move on the board turned by 180°.
    #[must_use]
    #[inline]
    pub const fn turned(self) -> Self {
        Self::new(self.from().turned(), self.to().turned())
    }

    /// The same move with left and right exchanged.
    #[must_use]
    #[inline]
    pub const fn mirrored(self) -> Self {
        Self::new(self.from().mirrored(), self.to().mirrored())
    }
}

impl fmt::Display for Move {
    /// Coordinates, 0-based: `h2e2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" is not a move: want two points such as h2e2 (files a to i, ranks 0 to 9)")]
pub struct ParseMoveError(pub String);

impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Self, ParseMoveError> {
        let squares = (text.get(..2), text.get(2..));
        if let (Some(from), Some(to)) = squares
            && let (Ok(from), Ok(to)) = (from.parse(), to.parse())
        {
            return Ok(Self::new(from, to));
        }
        Err(ParseMoveError(text.to_owned()))
    }
}

/// The moves of one position, at most 128, without allocation. Dereferences to a slice.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; 128],
    len: usize,
}

impl MoveList {
    /// An empty list.
    #[inline]
    pub const fn new() -> Self {
        Self { moves: [Move(0); 128], len: 0 }
    }

    /// Appends the moves of a piece.
    #[inline]
    pub(crate) fn push_all(&mut self, from: Square, targets: Bitboard) {
        let mut len = self.len;
        targets.into_iter().for_each(|to| {
            self.moves[len] = Move::new(from, to);
            len += 1;
        });
        self.len = len;
    }

    /// Keeps the moves for which `keep` holds, in their order.
    pub(crate) fn retain(&mut self, keep: impl Fn(Move) -> bool) {
        let mut kept = 0;
        for i in 0..self.len {
            if keep(self.moves[i]) {
                self.moves[kept] = self.moves[i];
                kept += 1;
            }
        }
        self.len = kept;
    }

    /// Empties the list.
    #[inline]
    pub const fn clear(&mut self) {
        self.len = 0;
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
