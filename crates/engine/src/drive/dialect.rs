//! The protocols.

use std::fmt;
use std::str::FromStr;

use notation::Ranks;

/// How an engine talks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// UCI, ranks 0 to 9: Pikafish, px0.
    Uci,
    /// UCI of an engine of many games that counts ranks from 1 to 10: Fairy-Stockfish. Its option `UCI_Variant` is
    /// set to `xiangqi`.
    UciVariant,
    /// UCI-Cyclone, the dialect of the 佳佳 interface: UCI's words, but positions as `fen F moves …` without
    /// `position`, where F is the position after the last capture; ranks 0 to 9.
    Cyclone,
    /// UCCI 3.0; positions as of the last capture, ranks 0 to 9.
    Ucci,
    /// CECP, the protocol of `XBoard` and `WinBoard`, version 2; ranks 0 to 9.
    Cecp,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Uci, Self::UciVariant, Self::Cyclone, Self::Ucci, Self::Cecp];

    /// The name in settings and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::UciVariant => "uci-variant",
            Self::Cyclone => "cyclone",
            Self::Ucci => "ucci",
            Self::Cecp => "cecp",
        }
    }

    /// The dialect with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// How it counts ranks.
    pub const fn ranks(self) -> Ranks {
        match self {
            Self::UciVariant => Ranks::OneBased,
            Self::Uci | Self::Cyclone | Self::Ucci | Self::Cecp => Ranks::ZeroBased,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no dialect.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" is no protocol: want one of {names}", names = Dialect::ALL.map(Dialect::name).join(", "))]
pub struct ParseDialectError(pub String);

impl FromStr for Dialect {
    type Err = ParseDialectError;

    fn from_str(name: &str) -> Result<Self, ParseDialectError> {
        Self::from_name(name).ok_or_else(|| ParseDialectError(name.to_owned()))
    }
}
