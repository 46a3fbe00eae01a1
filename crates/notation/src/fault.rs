//! What can be wrong with a record: errors, which refuse a game, and warnings, which come with it.

use crate::encoding::TextEncoding;
use crate::record::{Record, result_text};
use crate::tree::AddError;
use rules::{FenError, Outcome};
use std::fmt;

/// A game that was refused. Other games of the same file are not touched by it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("game {game}, {place}: {fault}")]
pub struct RecordError {
    /// Which game of the file, from 1.
    pub game: usize,
    /// Where in the file.
    pub place: Place,
    /// What is wrong.
    pub fault: RecordFault,
    /// The game up to the fault, if its start position is known: what a reader who wants everything can still have.
    pub partial: Option<Box<Record>>,
}

/// Where in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// In a text: the line, from 1.
    Line(usize),
    /// In a binary file: the byte, from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// Why a game is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordFault {
    /// Nothing in the file looks like a game.
    #[error(
        "no game in a known format, which are PGN, DhtmlXQ, XQF, CBR, CBL, CBF, and TSV with a column named moves"
    )]
    Unknown,
    /// A game that is not Xiangqi.
    #[error("the game is {0:?}, not xiangqi")]
    OtherGame(String),
    /// A start position that can't be.
    #[error("the start position: {0}")]
    Start(#[source] FenError),
    /// A list of 32 points, or of moves, or a table, that is none.
    #[error("{name} is {text:?}, want {wanted}")]
    Field {
        /// Which field.
        name: String,
        /// What it says.
        text: String,
        /// What is allowed.
        wanted: &'static str,
    },
    /// A line of a table with more or fewer cells than columns.
    #[error("{cells} cells, want {columns}, one for each column")]
    Cells {
        /// How many it has.
        cells: usize,
        /// How many it should have.
        columns: usize,
    },
    /// A move of the main line that isn't one.
    #[error("ply {ply}: {cause}")]
    Move {
        /// The ply, from 1.
        ply: usize,
        /// Why.
        cause: MoveFault,
    },
    /// The file ends too early.
    #[error("the file ends within {within}")]
    Truncated {
        /// Within what.
        within: &'static str,
    },
    /// A comment, variation or tag that doesn't end.
    #[error("{0} has no end")]
    Unclosed(&'static str),
    /// A version of a format that this reader doesn't know.
    #[error("{format} of version {version}, want {wanted}")]
    Version {
        /// Which format.
        format: &'static str,
        /// The file's version.
        version: u8,
        /// The versions that can be read.
        wanted: &'static str,
    },
    /// A file in XML that is not well-formed or lacks an element.
    #[error("the XML: {0}")]
    Xml(String),
}

/// Why a move isn't one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MoveFault {
    /// Not to be added to the tree.
    #[error(transparent)]
    Add(#[from] AddError),
    /// A text that names no legal move.
    #[error(transparent)]
    Text(#[from] crate::MoveTextError),
    /// Numbers that are no points of the board.
    #[error("{0} is no pair of points")]
    Points(String),
}

/// Something that the reader dropped, replaced or doubts, in a game that it otherwise read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {caution}")]
pub struct Warning {
    /// Where in the file.
    pub place: Place,
    /// What.
    pub caution: Caution,
}

/// What a reader dropped, replaced or doubts.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Caution {
    /// Bytes that are not in the encoding.
    #[error("the text of the {field} is not all {encoding:?}: what can't be read is U+FFFD")]
    Undecodable {
        /// Which text.
        field: String,
        /// The encoding that it should have.
        encoding: TextEncoding,
    },
    /// NUL characters in a text.
    #[error("{0} NUL characters left out")]
    Nuls(usize),
    /// A line that ends before a faulty move: a variation, or in a binary file the main line before its last move.
    #[error("the line ends here, {dropped} moves left out: ply {ply}: {cause}")]
    LineCut {
        /// The ply of the faulty move, from 1.
        ply: usize,
        /// What is wrong with it.
        cause: MoveFault,
        /// How many moves are left out: the faulty one and what follows it.
        dropped: usize,
    },
    /// The file ends within the variations, and the main line is complete.
    #[error("the file ends within {within}: variations are missing")]
    Truncated {
        /// Within what.
        within: &'static str,
    },
    /// A variation that doesn't say where it belongs.
    #[error("a variation left out: {0}")]
    VariationLost(String),
    /// A comment on a move that isn't there.
    #[error("the comment {0:?} belongs to no move and is left out")]
    CommentLost(String),
    /// Text that is no part of a game.
    #[error("text left out: {0:?}")]
    TextLost(String),
    /// A tag given twice, with different values.
    #[error("tag {name} again, {value:?} left out")]
    TagRepeated {
        /// Its name.
        name: String,
        /// The later value.
        value: String,
    },
    /// A result that is none of the known ones.
    #[error("{0:?} is no known result, taken as unknown")]
    UnknownResult(String),
    /// The tag and the end of the moves disagree.
    #[error("the tag says {tag}, the end of the moves {text}: the tag counts", tag = result_text(*tag), text = result_text(*text))]
    ResultsDiffer {
        /// The tag's result.
        tag: Option<Outcome>,
        /// The result after the moves.
        text: Option<Outcome>,
    },
    /// A number of plies beside the moves that isn't theirs: some may be missing.
    #[error("{said:?} plies, but there are {moves} moves")]
    PliesDiffer {
        /// What the file says.
        said: String,
        /// How many moves it has.
        moves: usize,
    },
    /// A start position that was written in an unusual way.
    #[error("start position: {0}")]
    Position(#[from] crate::FenNote),
    /// Coordinates that are legal moves whether ranks are counted from 0 or from 1.
    #[error("the moves are legal with ranks from 0 and from 1: read as from 0")]
    RanksUnproved,
    /// The side that moves first is not the one that the file names.
    #[error("the file says that the other side moves first; the first move counts")]
    OtherSideFirst,
}

impl Warning {
    /// One more move is left out of the line that was cut.
    pub(crate) const fn count_dropped(&mut self) {
        if let Caution::LineCut { dropped, .. } = &mut self.caution {
            *dropped += 1;
        }
    }

    /// The same place for each caution.
    pub(crate) fn all(place: Place, cautions: Vec<Caution>) -> impl Iterator<Item = Self> {
        cautions.into_iter().map(move |caution| Self { place, caution })
    }
}

/// What is wrong, and where.
pub(crate) type Fault = (Place, RecordFault);

/// A refused game that doesn't know its number in the file.
#[derive(Debug)]
pub(crate) struct Refused {
    place: Place,
    fault: RecordFault,
    partial: Option<Box<Record>>,
}

impl Refused {
    /// Nothing could be read.
    pub(crate) const fn at(place: Place, fault: RecordFault) -> Self {
        Self { place, fault, partial: None }
    }

    /// This much could be read.
    pub(crate) fn with(place: Place, fault: RecordFault, partial: Record) -> Self {
        Self { place, fault, partial: Some(Box::new(partial)) }
    }

    /// The error for the caller.
    pub(crate) fn into_error(self, game: usize) -> RecordError {
        RecordError { game, place: self.place, fault: self.fault, partial: self.partial }
    }
}

impl From<Fault> for Refused {
    fn from((place, fault): Fault) -> Self {
        Self::at(place, fault)
    }
}
