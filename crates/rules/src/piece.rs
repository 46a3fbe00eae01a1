//! Colours and pieces.

use std::ops::{Index, IndexMut};

/// A side. Red moves first and stands at the bottom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Colour {
    /// 紅
    Red,
    /// 黑
    Black,
}

impl Colour {
    /// Both, Red first.
    pub const ALL: [Self; 2] = [Self::Red, Self::Black];

    /// The other side.
    #[must_use]
    #[inline]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Red => Self::Black,
            Self::Black => Self::Red,
        }
    }

    /// The name in records and statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::Black => "black",
        }
    }
}

/// One value for each side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ByColour<T> {
    /// Red's.
    pub red: T,
    /// Black's.
    pub black: T,
}

impl<T> Index<Colour> for ByColour<T> {
    type Output = T;

    #[inline]
    fn index(&self, colour: Colour) -> &T {
        match colour {
            Colour::Red => &self.red,
            Colour::Black => &self.black,
        }
    }
}

impl<T> IndexMut<Colour> for ByColour<T> {
    #[inline]
    fn index_mut(&mut self, colour: Colour) -> &mut T {
        match colour {
            Colour::Red => &mut self.red,
            Colour::Black => &mut self.black,
        }
    }
}

/// A kind of piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// 帥 將
    General,
    /// 仕 士
    Advisor,
    /// 相 象
    Elephant,
    /// 馬
    Horse,
    /// 車
    Rook,
    /// 炮 砲
    Cannon,
    /// 兵 卒
    Pawn,
}

impl Kind {
    /// All kinds, in the order of their index.
    pub const ALL: [Self; 7] =
        [Self::General, Self::Advisor, Self::Elephant, Self::Horse, Self::Rook, Self::Cannon, Self::Pawn];

    /// 0 for the general to 6 for the pawn.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// How many of this kind a side has at the start, and at most.
    pub const fn set_size(self) -> u32 {
        match self {
            Self::General => 1,
            Self::Advisor | Self::Elephant | Self::Horse | Self::Rook | Self::Cannon => 2,
            Self::Pawn => 5,
        }
    }

    const fn letter(self) -> char {
        match self {
            Self::General => 'K',
            Self::Advisor => 'A',
            Self::Elephant => 'B',
            Self::Horse => 'N',
            Self::Rook => 'R',
            Self::Cannon => 'C',
            Self::Pawn => 'P',
        }
    }
}

/// A piece of one side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece {
    /// Whose it is.
    pub colour: Colour,
    /// What it is.
    pub kind: Kind,
}

impl Piece {
    /// The letter that FEN uses: upper case for Red.
    pub const fn fen_letter(self) -> char {
        match self.colour {
            Colour::Red => self.kind.letter(),
            Colour::Black => self.kind.letter().to_ascii_lowercase(),
        }
    }

    /// The piece that a FEN letter means; `E` and `H` are read as elephant and horse too.
    pub const fn from_fen_letter(letter: char) -> Option<Self> {
        let kind = match letter.to_ascii_uppercase() {
            'K' => Kind::General,
            'A' => Kind::Advisor,
            'B' | 'E' => Kind::Elephant,
            'N' | 'H' => Kind::Horse,
            'R' => Kind::Rook,
            'C' => Kind::Cannon,
            'P' => Kind::Pawn,
            _ => return None,
        };
        let colour = if letter.is_ascii_uppercase() { Colour::Red } else { Colour::Black };
        Some(Self { colour, kind })
    }
}

/// What stands on a point, in one byte: kind in the low three bits, colour above them, and 7 for no piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct Occupant(u8);

impl Occupant {
    /// The length of a table by occupant.
    pub(crate) const COUNT: usize = 16;
    /// No piece.
    pub(crate) const NONE: Self = Self(7);

    /// This piece.
    #[inline]
    pub(crate) const fn of(piece: Piece) -> Self {
        Self((piece.colour as u8) << 3 | piece.kind as u8)
    }

    /// The piece, if there is one.
    #[inline]
    pub(crate) const fn piece(self) -> Option<Piece> {
        PIECES[self.index()]
    }

    /// Its kind, if there is a piece.
    #[inline]
    pub(crate) const fn kind(self) -> Option<Kind> {
        match self.0 & 7 {
            0 => Some(Kind::General),
            1 => Some(Kind::Advisor),
            2 => Some(Kind::Elephant),
            3 => Some(Kind::Horse),
            4 => Some(Kind::Rook),
            5 => Some(Kind::Cannon),
            6 => Some(Kind::Pawn),
            _ => None,
        }
    }

    /// The index into a table of [`Occupant::COUNT`] entries, which takes no check of bounds.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        (self.0 & 0xf) as usize
    }

    /// The colour of the piece as a number.
    #[inline]
    pub(crate) const fn colour_index(self) -> usize {
        self.index() >> 3
    }
}

static PIECES: [Option<Piece>; Occupant::COUNT] = {
    let mut pieces = [None; Occupant::COUNT];
    let mut i = 0;
    while i < 14 {
        let piece = Piece { colour: Colour::ALL[i / 7], kind: Kind::ALL[i % 7] };
        pieces[Occupant::of(piece).index()] = Some(piece);
        i += 1;
    }
    pieces
};
