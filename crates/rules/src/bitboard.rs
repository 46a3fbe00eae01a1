//! A set of points in one 128-bit word.

use crate::square::{File, Rank, Square};
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of points: bit `rank * 9 + file` is set if the point is in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Bitboard(pub u128);

impl Bitboard {
    /// No point.
    pub const EMPTY: Self = Self(0);
    /// All 90 points.
    pub const ALL: Self = Self((1 << 90) - 1);

    /// The set of one point.
    pub const fn of(square: Square) -> Self {
        Self(1 << square.index())
    }

    /// All points of a rank.
    pub const fn rank(rank: Rank) -> Self {
        Self(0x1ff << (9 * rank as u32))
    }

    /// All points of a file.
    pub const fn file(file: File) -> Self {
        let mut bits = 0;
        let mut rank = 0;
        while rank < 10 {
            bits |= 1 << (9 * rank + file as u32);
            rank += 1;
        }
        Self(bits)
    }

    /// Is the point in the set?
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Is the set empty?
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many points are in the set.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The lowest point, if there is one.
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_index(self.0.trailing_zeros() as usize)) }
    }

    /// The set after a turn of the board by 180°.
    #[must_use]
    pub const fn turned(self) -> Self {
        Self(self.0.reverse_bits() >> 38)
    }

    /// This set with one more point.
    #[must_use]
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | 1 << square.index())
    }

    /// This set without one point.
    #[must_use]
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !(1 << square.index()))
    }

    /// The points strictly between two points of one rank or file; empty if they share neither.
    pub const fn between(a: Square, b: Square) -> Self {
        let (low, high) = if a.index() < b.index() { (a, b) } else { (b, a) };
        let line = if low.file() == high.file() {
            FILES[low.file() as usize]
        } else if low.rank() == high.rank() {
            Self::rank(low.rank())
        } else {
            return Self::EMPTY;
        };
        let open = (1_u128 << high.index()).wrapping_sub(2_u128 << low.index());
        Self(line.0 & open)
    }
}

static FILES: [Bitboard; 9] = {
    let mut files = [Bitboard::EMPTY; 9];
    let mut file = 0;
    while file < 9 {
        files[file] = Bitboard::file(file as u8);
        file += 1;
    }
    files
};

/// The points of a set, ascending.
#[derive(Clone, Debug)]
pub struct Squares(u128);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = Bitboard(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl BitAnd for Bitboard {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Not for Bitboard {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }
}

impl BitAndAssign for Bitboard {
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl fmt::Debug for Bitboard {
    /// The board as a picture, Red below.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..10).rev() {
            writeln!(f)?;
            for file in 0..9 {
                let here = Square::new(file, rank).is_some_and(|square| self.contains(square));
                f.write_str(if here { "x" } else { "." })?;
            }
        }
        Ok(())
    }
}
