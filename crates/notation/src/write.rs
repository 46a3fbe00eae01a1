//! Writing a move.

use crate::described::{Described, Direction, Standing};
use crate::style::{Digits, Ranks, Script, Style};
use rules::{Bitboard, Colour, Kind, Move, Position, Square};

/// The text of `mv`, a legal move of `position`, in a style. Different moves of a position have different texts,
/// and [`read_move`](crate::read_move) reads each back with the style's [ranks](Style::ranks).
///
/// A move from an empty point is written as coordinates. In a [diagram](rules::Setup::check_diagram) two advisors or
/// elephants that stand on a file but off their points can have the same text, of which [`read_move`](crate::read_move)
/// then says that it is ambiguous.
///
/// ```
/// use notation::{Style, write_move};
/// use rules::Position;
///
/// let start = Position::start();
/// let texts = [Style::CHINESE, Style::Wxf, Style::Shorthand, Style::Iccs, Style::OneBasedSan]
///     .map(|style| write_move(&start, "h2e2".parse().unwrap(), style));
/// assert_eq!(texts, ["炮二平五", "C2=5", "炮25", "H2-E2", "Che3"]);
/// ```
pub fn write_move(position: &Position, mv: Move, style: Style) -> String {
    let Some(piece) = position.piece_at(mv.from()) else { return mv.to_string() };
    let described = || Described::new(position, piece.kind, mv);
    match style {
        Style::Chinese { script, digits } => chinese(position.turn(), described(), script, digits),
        Style::Wxf => western(described(), Tandem::FileAndPlace),
        Style::Xqbase => western(described(), Tandem::Letter),
        Style::Shorthand => shorthand(position.turn(), described()),
        Style::Iccs => format!("{}-{}", mv.from(), mv.to()).to_ascii_uppercase(),
        Style::Coordinates | Style::OneBasedCoordinates => {
            format!("{}{}", point(mv.from(), style.ranks()), point(mv.to(), style.ranks()))
        }
        Style::San | Style::OneBasedSan => san(position, piece.kind, mv, style.ranks()),
    }
}

/// Which of its kind a piece is, in Chinese.
enum Subject {
    /// 炮二
    File(u8),
    /// 前炮
    Place(&'static str),
}

impl Subject {
    fn new(standing: Standing, rear: &'static str) -> Self {
        let Standing { kind, file, place, on_file, crowded_files, number } = standing;
        match (kind, on_file, place) {
            // Of two advisors or elephants on a file one can only go forward, the other only back.
            (Kind::General | Kind::Advisor | Kind::Elephant, ..) | (_, ..=1, _) => Self::File(file),
            (Kind::Pawn, ..) if crowded_files > 1 || on_file > 3 => Self::Place(chinese_digit(number)),
            (_, 2.., 1) => Self::Place("前"),
            (_, 3, 2) => Self::Place("中"),
            _ => Self::Place(rear),
        }
    }
}

fn chinese(colour: Colour, described: Described, script: Script, digits: Digits) -> String {
    let Described { standing, direction, number } = described;
    let traditional = script == Script::Traditional;
    let digit = |number: u8| match (colour, digits) {
        (Colour::Red, _) => chinese_digit(number).to_owned(),
        (Colour::Black, Digits::FullWidth) => {
            char::from_u32('０' as u32 + u32::from(number)).into_iter().collect()
        }
        (Colour::Black, Digits::Ascii) => number.to_string(),
    };
    let name = piece_name(colour, standing.kind, script);
    let subject = match Subject::new(standing, if traditional { "後" } else { "后" }) {
        Subject::File(file) => format!("{name}{}", digit(file)),
        Subject::Place(place) => format!("{place}{name}"),
    };
    let direction = match direction {
        Direction::Forward if traditional => "進",
        Direction::Forward => "进",
        Direction::Back => "退",
        Direction::Sideways => "平",
    };
    format!("{subject}{direction}{}", digit(number))
}

fn shorthand(colour: Colour, described: Described) -> String {
    let Described { standing, direction, number } = described;
    // Both sides' horses, rooks and cannons have one name here.
    let name = match standing.kind {
        Kind::Horse => "馬",
        Kind::Rook => "車",
        Kind::Cannon => "炮",
        kind => piece_name(colour, kind, Script::Traditional),
    };
    let subject = match Subject::new(standing, "後") {
        Subject::File(file) => format!("{name}{file}"),
        Subject::Place(place) => format!("{place}{name}"),
    };
    let mark = match direction {
        Direction::Forward => "\u{332}",
        Direction::Back => "\u{305}",
        Direction::Sideways => "",
    };
    format!("{subject}{number}{mark}")
}

const fn piece_name(colour: Colour, kind: Kind, script: Script) -> &'static str {
    match (colour, script, kind) {
        (Colour::Red, Script::Simplified, Kind::General) => "帅",
        (Colour::Red, Script::Traditional, Kind::General) => "帥",
        (Colour::Red, _, Kind::Advisor) => "仕",
        (Colour::Red, _, Kind::Elephant) => "相",
        (Colour::Red, Script::Traditional, Kind::Horse) => "傌",
        (Colour::Red, Script::Traditional, Kind::Rook) => "俥",
        (Colour::Red, _, Kind::Pawn) => "兵",
        (Colour::Black, Script::Simplified, Kind::General) => "将",
        (Colour::Black, Script::Traditional, Kind::General) => "將",
        (Colour::Black, _, Kind::Advisor) => "士",
        (Colour::Black, _, Kind::Elephant) => "象",
        (Colour::Black, Script::Traditional, Kind::Horse) => "馬",
        (Colour::Black, Script::Traditional, Kind::Rook) => "車",
        (Colour::Black, Script::Traditional, Kind::Cannon) => "砲",
        (Colour::Black, _, Kind::Pawn) => "卒",
        (_, Script::Simplified, Kind::Horse) => "马",
        (_, Script::Simplified, Kind::Rook) => "车",
        (_, _, Kind::Cannon) => "炮",
    }
}

/// 一 to 九.
const fn chinese_digit(number: u8) -> &'static str {
    match number {
        1 => "一",
        2 => "二",
        3 => "三",
        4 => "四",
        5 => "五",
        6 => "六",
        7 => "七",
        8 => "八",
        _ => "九",
    }
}

/// How the western styles name one of many pawns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tandem {
    /// `16`: the first on file 6.
    FileAndPlace,
    /// `Pc`: the third on crowded files; `P.` the middle one of three on the only crowded file.
    Letter,
}

fn western(described: Described, tandem: Tandem) -> String {
    let Described { standing, direction, number } = described;
    let Standing { kind, file, place, on_file, crowded_files, number: among_crowded } = standing;
    let letter = western_letter(kind);
    let crowded_pawns = kind == Kind::Pawn && on_file > 1;
    let subject = match (kind, on_file, place) {
        (Kind::General | Kind::Advisor | Kind::Elephant, ..) | (_, ..=1, _) => format!("{letter}{file}"),
        _ if tandem == Tandem::FileAndPlace && crowded_pawns && (crowded_files > 1 || on_file > 2) => {
            format!("{place}{file}")
        }
        _ if tandem == Tandem::Letter && crowded_pawns && (crowded_files > 1 || on_file > 3) => {
            format!("{letter}{}", char::from(b'a' + among_crowded - 1))
        }
        (_, 2.., 1) => format!("{letter}+"),
        (_, 3, 2) => format!("{letter}."),
        _ => format!("{letter}-"),
    };
    let direction = match direction {
        Direction::Forward => '+',
        Direction::Back => '-',
        Direction::Sideways => '=',
    };
    format!("{subject}{direction}{number}")
}

const fn western_letter(kind: Kind) -> char {
    match kind {
        Kind::General => 'K',
        Kind::Advisor => 'A',
        Kind::Elephant => 'E',
        Kind::Horse => 'H',
        Kind::Rook => 'R',
        Kind::Cannon => 'C',
        Kind::Pawn => 'P',
    }
}

/// Letter, file or rank or both if another piece of the kind could go there too, `x` for a capture, target, `+` for
/// check, `#` for mate.
fn san(position: &Position, kind: Kind, mv: Move, ranks: Ranks) -> String {
    let (from, to) = (mv.from(), mv.to());
    let kin = position.pieces(position.turn(), kind).without(from);
    let moves = position.legal_moves();
    let rivals = moves.iter().filter(|rival| rival.to() == to && kin.contains(rival.from()));
    let rivals = rivals.fold(Bitboard::EMPTY, |rivals, rival| rivals.with(rival.from()));
    let mut origin = point(from, ranks);
    if rivals.is_empty() {
        origin.clear();
    } else if (rivals & Bitboard::file(from.file())).is_empty() {
        origin.truncate(1);
    } else if (rivals & Bitboard::rank(from.rank())).is_empty() {
        origin.remove(0);
    }
    let capture = if position.piece_at(to).is_some() { "x" } else { "" };
    let mut after = position.clone();
    after.play_unchecked(mv);
    let check = match (after.in_check(), after.has_legal_move()) {
        (true, true) => "+",
        (true, false) => "#",
        (false, _) => "",
    };
    format!("{}{origin}{capture}{}{check}", western_letter(kind), point(to, ranks))
}

/// File letter and rank of a point.
fn point(square: Square, ranks: Ranks) -> String {
    format!("{}{}", char::from(b'a' + square.file()), square.rank() + ranks.lowest())
}
