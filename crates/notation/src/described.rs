//! A move as a player would say it: which piece, which way, how far.

use rules::{Bitboard, Colour, Kind, Move, Position, Square};

/// Which way a piece goes, as its owner sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    /// 进
    Forward,
    /// 退
    Back,
    /// 平
    Sideways,
}

/// How a piece is told from others of its kind. Files are counted from 1 at its owner's right, places from the
/// front, that is from the enemy's side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Standing {
    /// What it is.
    pub(crate) kind: Kind,
    /// Its file, 1..=9.
    pub(crate) file: u8,
    /// Its place among those of its kind on the file, from 1.
    pub(crate) place: u8,
    /// How many of its kind are on the file, itself included.
    pub(crate) on_file: u8,
    /// On how many files its kind is crowded, that is stands more than once.
    pub(crate) crowded_files: u8,
    /// Its number among those of its kind on crowded files: right file first, then front to back, from 1.
    /// Means nothing for a piece that is alone on its file.
    pub(crate) number: u8,
}

impl Standing {
    /// How this kind of `colour` stands on `square`. The piece on the square itself is not looked at.
    pub(crate) fn new(position: &Position, colour: Colour, kind: Kind, square: Square) -> Self {
        let pieces = position.pieces(colour, kind);
        let file = relative_file(colour, square);
        let on = |file: u8| pieces & Bitboard::file(if colour == Colour::Red { 9 - file } else { file - 1 });
        let ahead = on(file).into_iter().filter(|&other| is_ahead(colour, other, square)).count() as u8;
        let crowds =
            (1..=9).filter_map(|file| Some((file, on(file).count() as u8)).filter(|&(_, count)| count > 1));
        let before: u8 = crowds.clone().filter(|&(crowd, _)| crowd < file).map(|(_, count)| count).sum();
        Self {
            kind,
            file,
            place: ahead + 1,
            on_file: on(file).count() as u8,
            crowded_files: crowds.count() as u8,
            number: before + ahead + 1,
        }
    }
}

/// A move as a player would say it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Described {
    /// Which piece.
    pub(crate) standing: Standing,
    /// Which way it goes.
    pub(crate) direction: Direction,
    /// The target file, or the number of points for pieces that go straight forward or back.
    pub(crate) number: u8,
}

impl Described {
    /// The move `mv` of `kind` in `position`, whose turn it is.
    pub(crate) fn new(position: &Position, kind: Kind, mv: Move) -> Self {
        let colour = position.turn();
        let (from, to) = (mv.from(), mv.to());
        let direction = if from.rank() == to.rank() {
            Direction::Sideways
        } else if is_ahead(colour, to, from) {
            Direction::Forward
        } else {
            Direction::Back
        };
        let oblique = matches!(kind, Kind::Advisor | Kind::Elephant | Kind::Horse);
        let number = if oblique || direction == Direction::Sideways {
            relative_file(colour, to)
        } else {
            from.rank().abs_diff(to.rank())
        };
        Self { standing: Standing::new(position, colour, kind, from), direction, number }
    }
}

/// A point's file as a side counts it, 1..=9 from its right.
fn relative_file(colour: Colour, square: Square) -> u8 {
    match colour {
        Colour::Red => 9 - square.file(),
        Colour::Black => square.file() + 1,
    }
}

/// Is `a` nearer to the enemy of `colour` than `b`?
fn is_ahead(colour: Colour, a: Square, b: Square) -> bool {
    match colour {
        Colour::Red => a.rank() > b.rank(),
        Colour::Black => a.rank() < b.rank(),
    }
}
