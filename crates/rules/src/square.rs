//! The 90 points of the board.

use std::fmt;
use std::str::FromStr;

/// A file, 0..=8 for `a`..=`i`, counted from Red's left.
pub type File = u8;
/// A rank, 0..=9, counted from Red's side.
pub type Rank = u8;

/// One of the 90 points, numbered `rank * 9 + file`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

impl Square {
    /// How many points there are.
    pub const COUNT: usize = 90;

    /// The length of a table by point whose index takes no check of bounds. Entries from the 90th on are never read.
    pub(crate) const SLOTS: usize = 128;

    /// The point on `file` and `rank`, if both are on the board.
    ///
    /// ```
    /// assert_eq!(rules::Square::new(4, 0).unwrap().to_string(), "e0");
    /// assert_eq!(rules::Square::new(9, 0), None);
    /// ```
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Option<Self> {
        if file < 9 && rank < 10 { Some(Self(rank * 9 + file)) } else { None }
    }

    /// The point with this index.
    ///
    /// # Panics
    /// If `index` is 90 or more.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        assert!(index < Self::COUNT, "a point's index is below 90");
        Self(index as u8)
    }

    /// `rank * 9 + file`, below 90.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The point with this index, which the caller knows to be below 90: half the bits of a [`Move`](crate::Move) are.
    #[inline]
    pub(crate) const fn known(index: usize) -> Self {
        debug_assert!(index < Self::COUNT, "a point's index is below 90");
        Self(index as u8)
    }

    /// The index into a table of [`Square::SLOTS`] entries.
    #[inline]
    pub(crate) const fn slot(self) -> usize {
        (self.0 & 0x7f) as usize
    }

    /// The file, 0 = `a`.
    #[inline]
    pub const fn file(self) -> File {
        self.0 % 9
    }

    /// The rank, 0 = Red's back rank.
    #[inline]
    pub const fn rank(self) -> Rank {
        self.0 / 9
    }

    /// The point `files` to the right and `ranks` forward (Red's view), if that is on the board.
    #[inline]
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Self> {
        let (file, rank) = (self.file() as i8 + files, self.rank() as i8 + ranks);
        if file < 0 || rank < 0 { None } else { Self::new(file as u8, rank as u8) }
    }

    /// The point that takes this one's place when the board is turned by 180°.
    #[must_use]
    #[inline]
    pub const fn turned(self) -> Self {
        Self(89 - self.0)
    }

    /// The point that takes this one's place when left and right are exchanged.
    #[must_use]
    #[inline]
    pub const fn mirrored(self) -> Self {
        Self(self.0 + 8 - 2 * self.file())
    }

    /// All points in ascending order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..90).map(Self)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.as_bytes() {
            &[file @ b'a'..=b'i', rank @ b'0'..=b'9'] => Self::new(file - b'a', rank - b'0').ok_or(()),
            _ => Err(()),
        }
    }
}
