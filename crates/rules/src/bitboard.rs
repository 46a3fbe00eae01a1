//! A set of points in one 128-bit word.

use crate::square::{File, Rank, Square};
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of points: bit `rank * 9 + file` is set if the point is in it.
///
/// ```
/// use rules::{Bitboard, Colour, Position};
///
/// let reds = Position::start().of_colour(Colour::Red);
/// assert_eq!(reds.count(), 16);
/// let back_rank: Vec<String> = (reds & Bitboard::rank(0)).into_iter().map(|point| point.to_string()).collect();
/// assert_eq!(back_rank, ["a0", "b0", "c0", "d0", "e0", "f0", "g0", "h0", "i0"]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Bitboard(pub u128);

impl Bitboard {
    /// No point.
    pub const EMPTY: Self = Self(0);
    /// All 90 points.
    pub const ALL: Self = Self((1 << 90) - 1);

    /// The set of one point.
    #[inline]
    pub const fn of(square: Square) -> Self {
        POINTS[square.slot()]
    }

    /// All points of a rank.
    #[inline]
    pub const fn rank(rank: Rank) -> Self {
        Self(0x1ff << (9 * rank as u32))
    }

    /// All points of a file.
    #[inline]
    pub const fn file(file: File) -> Self {
        const A: u128 = {
            let mut bits = 0;
            let mut rank = 0;
            while rank < 10 {
                bits |= 1 << (9 * rank);
                rank += 1;
            }
            bits
        };
        Self(A << file)
    }

    /// Is the point in the set?
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & POINTS[square.slot()].0 != 0
    }

    /// Is the set empty?
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many points are in the set.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The lowest point, if there is one.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_index(self.0.trailing_zeros() as usize)) }
    }

    /// The set after a turn of the board by 180°.
    #[must_use]
    #[inline]
    pub const fn turned(self) -> Self {
        Self(self.0.reverse_bits() >> 38)
    }

    /// This set with one more point.
    #[must_use]
    #[inline]
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | POINTS[square.slot()].0)
    }

    /// This set without one point.
    #[must_use]
    #[inline]
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !POINTS[square.slot()].0)
    }

    /// The points strictly between two points of one rank or file; empty if they share neither.
    #[inline]
    pub const fn between(a: Square, b: Square) -> Self {
        let (low, high) = if a.index() < b.index() { (a, b) } else { (b, a) };
        let line = if low.file() == high.file() {
            Self::file(low.file())
        } else if low.rank() == high.rank() {
            Self::rank(low.rank())
        } else {
            return Self::EMPTY;
        };
        let open = (POINTS[high.slot()].0 - 1) & !((POINTS[low.slot()].0 << 1) - 1);
        Self(line.0 & open)
    }
}

/// The sets of one point each: a load is cheaper than a shift of 128 bits by a variable.
static POINTS: [Bitboard; Square::SLOTS] = {
    let mut points = [Bitboard::EMPTY; Square::SLOTS];
    let mut index = 0;
    while index < 90 {
        points[index] = Bitboard(1 << index);
        index += 1;
    }
    points
};

/// The points of a set, ascending. Taken word by word, which is cheaper than all 128 bits each time.
#[derive(Clone, Debug)]
pub struct Squares {
    low: u64,
    high: u64,
}

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.low != 0 {
            let bit = self.low.trailing_zeros();
            self.low &= self.low - 1;
            Some(Square::from_index(bit as usize))
        } else if self.high != 0 {
            let bit = self.high.trailing_zeros();
            self.high &= self.high - 1;
            Some(Square::from_index(64 + bit as usize))
        } else {
            None
        }
    }

    #[inline]
    fn fold<T, F: FnMut(T, Square) -> T>(self, init: T, mut visit: F) -> T {
        let mut folded = init;
        for (first, mut word) in [(0, self.low), (64, self.high)] {
            while word != 0 {
                folded = visit(folded, Square::from_index(first + word.trailing_zeros() as usize));
                word &= word - 1;
            }
        }
        folded
    }
}

impl DoubleEndedIterator for Squares {
    #[inline]
    fn next_back(&mut self) -> Option<Square> {
        if self.high != 0 {
            let bit = self.high.ilog2();
            self.high ^= 1 << bit;
            Some(Square::from_index(64 + bit as usize))
        } else if self.low != 0 {
            let bit = self.low.ilog2();
            self.low ^= 1 << bit;
            Some(Square::from_index(bit as usize))
        } else {
            None
        }
    }

    #[inline]
    fn rfold<T, F: FnMut(T, Square) -> T>(self, init: T, mut visit: F) -> T {
        let mut folded = init;
        for (first, mut word) in [(64, self.high), (0, self.low)] {
            while word != 0 {
                let bit = word.ilog2();
                folded = visit(folded, Square::from_index(first + bit as usize));
                word ^= 1 << bit;
            }
        }
        folded
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares { low: self.0 as u64, high: (self.0 >> 64) as u64 }
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl BitAnd for Bitboard {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Not for Bitboard {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline]
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
