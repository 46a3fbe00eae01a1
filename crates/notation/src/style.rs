//! The ways of writing a move.

use std::fmt;
use std::str::FromStr;

/// Which Chinese characters are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Script {
    /// 马八进七
    Simplified,
    /// 傌八進七
    Traditional,
}

/// How Black's numbers are written in Chinese; Red's are always 一 to 九.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Digits {
    /// 马８进７
    FullWidth,
    /// 马8进7
    Ascii,
}

/// How the ranks of coordinates are counted, from Red's side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ranks {
    /// 0 to 9: ICCS, UCCI, most programs.
    ZeroBased,
    /// 1 to 10: Fairy-Stockfish and what builds on it.
    OneBased,
}

impl Ranks {
    /// The number of the rank nearest to Red.
    pub const fn lowest(self) -> u8 {
        match self {
            Self::ZeroBased => 0,
            Self::OneBased => 1,
        }
    }

    /// The number of the rank nearest to Black.
    pub const fn highest(self) -> u8 {
        self.lowest() + 9
    }
}

/// A way of writing a move. Shown below: a Black horse's move from h9 to g7.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Style {
    /// Four characters, as in Chinese books: `马８进７`.
    Chinese {
        /// Which characters.
        script: Script,
        /// Which digits for Black.
        digits: Digits,
    },
    /// As the World Xiangqi Federation writes it: `H8+7`. Of three or more pawns on a file, or of pawns on two
    /// crowded files, one is named by its place on the file and the file: `16=5`.
    Wxf,
    /// The same in the computer standard of xqbase: crowded pawns are `P+ P. P-` or counted as `Pa` to `Pe`.
    Xqbase,
    /// 速記法: no word for the direction; a line below the last digit means forward, a line above it back: `馬87̲`.
    Shorthand,
    /// Points in capitals: `H9-G7`.
    Iccs,
    /// Points, ranks from 0: `h9g7`.
    Coordinates,
    /// Points, ranks from 1: `h10g8`.
    OneBasedCoordinates,
    /// Piece and target, ranks from 0: `Hg7`.
    San,
    /// Piece and target, ranks from 1: `Hg8`.
    OneBasedSan,
}

impl Style {
    /// Every style.
    pub const ALL: [Self; 12] = [
        Self::CHINESE,
        Self::Chinese { script: Script::Simplified, digits: Digits::Ascii },
        Self::Chinese { script: Script::Traditional, digits: Digits::FullWidth },
        Self::Chinese { script: Script::Traditional, digits: Digits::Ascii },
        Self::Wxf,
        Self::Xqbase,
        Self::Shorthand,
        Self::Iccs,
        Self::Coordinates,
        Self::OneBasedCoordinates,
        Self::San,
        Self::OneBasedSan,
    ];

    /// The commonest Chinese: simplified, with full-width digits for Black.
    pub const CHINESE: Self = Self::Chinese { script: Script::Simplified, digits: Digits::FullWidth };

    /// The name in settings and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chinese { script: Script::Simplified, digits: Digits::FullWidth } => "chinese",
            Self::Chinese { script: Script::Simplified, digits: Digits::Ascii } => "chinese-ascii",
            Self::Chinese { script: Script::Traditional, digits: Digits::FullWidth } => "traditional",
            Self::Chinese { script: Script::Traditional, digits: Digits::Ascii } => "traditional-ascii",
            Self::Wxf => "wxf",
            Self::Xqbase => "xqbase",
            Self::Shorthand => "shorthand",
            Self::Iccs => "iccs",
            Self::Coordinates => "coordinates",
            Self::OneBasedCoordinates => "one-based-coordinates",
            Self::San => "san",
            Self::OneBasedSan => "one-based-san",
        }
    }

    /// How this style counts ranks, 0-based if it writes none.
    pub const fn ranks(self) -> Ranks {
        match self {
            Self::OneBasedCoordinates | Self::OneBasedSan => Ranks::OneBased,
            _ => Ranks::ZeroBased,
        }
    }
}

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no style.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" is no style of notation: want one of {names}", names = Style::ALL.map(Style::name).join(", "))]
pub struct ParseStyleError(pub String);

impl FromStr for Style {
    type Err = ParseStyleError;

    fn from_str(name: &str) -> Result<Self, ParseStyleError> {
        let found = Self::ALL.into_iter().find(|style| style.name() == name);
        found.ok_or_else(|| ParseStyleError(name.to_owned()))
    }
}
