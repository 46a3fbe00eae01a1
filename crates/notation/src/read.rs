//! Reading a move, whatever the style.

use crate::described::{Described, Direction};
use crate::style::Ranks;
use rules::{Kind, Move, Position};
use std::borrow::Cow;

/// Why a text is no move of a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MoveTextError {
    /// A text in no known style.
    #[error("\"{0}\" is no move: want a style such as 炮二平五, C2=5, 炮25, H2-E2, h2e2 or Che2")]
    Unreadable(String),
    /// A rank that is not on the board.
    #[error("\"{text}\" names rank {rank}, want {} to {}", ranks.lowest(), ranks.highest())]
    Rank {
        /// What was written.
        text: String,
        /// The rank as it was written.
        rank: u8,
        /// How ranks are counted.
        ranks: Ranks,
    },
    /// A move that nobody can make here.
    #[error("\"{text}\" is no legal move in {fen}")]
    Illegal {
        /// What was written.
        text: String,
        /// The position.
        fen: String,
    },
    /// A text that fits several legal moves.
    #[error("\"{text}\" can mean {} in {fen}", join(moves))]
    Ambiguous {
        /// What was written.
        text: String,
        /// The position.
        fen: String,
        /// The legal moves that it fits, two or more.
        moves: Vec<Move>,
    },
}

fn join(moves: &[Move]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

/// The legal move of `position` that a text names in any [`Style`](crate::Style), told apart by its form;
/// `ranks` says how coordinates and SAN count ranks (see [`read_moves`](crate::read_moves) for finding out).
///
/// Read are also: any character for a piece and any digits, whoever moves; white space anywhere; remarks `! ? + #`
/// and a pawn's promotion letter at the end, which mean nothing; lower case, `.` for `=`, and the place before the
/// letter (`+C.5`); `前兵四平五`, `前九平八` and `二7平6` for one of several pawns on a file; `馬8_7`, `馬8^7` and LaTeX's
/// `\underline{7}`, `\overline{7}` in shorthand. A file alone, where two pieces stand on it, means the one that can
/// make the move; 前 and 后, `+` and `-`, mean the first and last of any group.
///
/// Digits for the letters of pieces (`62.5` for `C2.5`) aren't read: `16=5` is one of the tandem pawns.
///
/// ```
/// use notation::{Ranks, read_move};
/// use rules::Position;
///
/// let start = Position::start();
/// for text in ["炮二平五", "砲２平５!", "c2.5", "炮25", "H2-E2", "h2e2", "Che2"] {
///     assert_eq!(read_move(&start, text, Ranks::ZeroBased)?.to_string(), "h2e2");
/// }
/// let error = read_move(&start, "炮二平九", Ranks::ZeroBased).unwrap_err();
/// assert!(error.to_string().starts_with("\"炮二平九\" is no legal move in rnbakabnr/"));
/// # Ok::<(), notation::MoveTextError>(())
/// ```
pub fn read_move(position: &Position, text: &str, ranks: Ranks) -> Result<Move, MoveTextError> {
    let pattern = Pattern::read(text).ok_or_else(|| MoveTextError::Unreadable(text.to_owned()))?;
    if let Some(rank) = pattern.ranks().find(|rank| !(ranks.lowest()..=ranks.highest()).contains(rank)) {
        return Err(MoveTextError::Rank { text: text.to_owned(), rank, ranks });
    }
    let moves = position.legal_moves();
    let moves: Vec<Move> = moves.iter().copied().filter(|&mv| pattern.fits(position, mv, ranks)).collect();
    match *moves {
        [mv] => Ok(mv),
        [] => Err(MoveTextError::Illegal { text: text.to_owned(), fen: position.fen() }),
        _ => Err(MoveTextError::Ambiguous { text: text.to_owned(), fen: position.fen(), moves }),
    }
}

/// What a text says about a move. What it leaves open is `None`.
#[derive(Debug)]
pub(crate) enum Pattern {
    /// Coordinates, ICCS, SAN.
    Points { kind: Option<Kind>, from: (Option<u8>, Option<u8>), to: (u8, u8), captures: bool },
    /// Chinese, shorthand, WXF.
    Said { subject: Subject, direction: Direction, number: u8 },
}

/// Which piece, in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    kind: Kind,
    file: Option<u8>,
    place: Option<Place>,
}

/// Which one of several of a kind.
#[derive(Clone, Copy, Debug)]
enum Place {
    Front,
    Middle,
    Rear,
    /// Counted from 1: on its file if the text names the file, else over all crowded files.
    Number(u8),
}

impl Pattern {
    /// What `text` says, if it has the form of a move.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let chars = plain(text);
        read_points(&chars).or_else(|| read_said(&chars))
    }

    /// The ranks that the text names, as it counts them.
    pub(crate) fn ranks(&self) -> impl Iterator<Item = u8> + use<> {
        let ranks = match *self {
            Self::Points { from: (_, from), to: (_, to), .. } => [from, Some(to)],
            Self::Said { .. } => [None, None],
        };
        ranks.into_iter().flatten()
    }

    fn fits(&self, position: &Position, mv: Move, ranks: Ranks) -> bool {
        let Some(piece) = position.piece_at(mv.from()) else { return false };
        match *self {
            Self::Points { kind, from, to, captures } => {
                let written = |rank: u8| rank + ranks.lowest();
                (mv.to().file(), written(mv.to().rank())) == to
                    && from.0.is_none_or(|file| file == mv.from().file())
                    && from.1.is_none_or(|rank| rank == written(mv.from().rank()))
                    && kind.is_none_or(|kind| kind == piece.kind)
                    && (!captures || position.piece_at(mv.to()).is_some())
            }
            Self::Said { subject, direction, number } => {
                if subject.kind != piece.kind {
                    return false;
                }
                let move_is = Described::new(position, piece.kind, mv);
                move_is.direction == direction && move_is.number == number && subject.fits(move_is)
            }
        }
    }
}

impl Subject {
    fn fits(self, mv: Described) -> bool {
        let standing = mv.standing;
        let place_fits = match self.place {
            None => true,
            Some(_) if standing.on_file < 2 => false,
            Some(Place::Front) => standing.place == 1,
            Some(Place::Middle) => standing.on_file % 2 == 1 && standing.place == standing.on_file / 2 + 1,
            Some(Place::Rear) => standing.place == standing.on_file,
            Some(Place::Number(number)) if self.file.is_some() => standing.place == number,
            Some(Place::Number(number)) => standing.number == number,
        };
        place_fits && self.file.is_none_or(|file| file == standing.file)
    }
}

/// The text without white space and remarks, full-width characters as ASCII, dashes as `-`, and the lines of
/// shorthand as `_` and `^` before the digit.
fn plain(text: &str) -> Vec<char> {
    let text = without_latex(text);
    let mut chars = Vec::new();
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        match c {
            '\u{332}' => chars.insert(chars.len().saturating_sub(1), '_'),
            '\u{305}' => chars.insert(chars.len().saturating_sub(1), '^'),
            '！'..='～' => chars.extend(char::from_u32(c as u32 - ('！' as u32 - '!' as u32))),
            '‐'..='―' | '−' => chars.push('-'),
            _ => chars.push(c),
        }
    }
    while matches!(chars.last(), Some('!' | '?' | '+' | '#')) {
        chars.pop();
    }
    chars
}

/// `\underline{7}` and `\overline{7}` as `_7` and `^7`.
fn without_latex(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if text.contains('\\') {
        for digit in '1'..='9' {
            text = text.replace(&format!("\\underline{{{digit}}}"), &format!("_{digit}")).into();
            text = text.replace(&format!("\\overline{{{digit}}}"), &format!("^{digit}")).into();
        }
    }
    text
}

/// One part of coordinates or SAN.
enum Part {
    File(u8),
    Rank(u8),
    Capture,
    Hyphen,
}

fn read_points(chars: &[char]) -> Option<Pattern> {
    let (promoted, chars) = split_promotion(chars);
    let mixed_case = chars.iter().any(char::is_ascii_lowercase) && chars.iter().any(char::is_ascii_uppercase);
    let (kind, rest) = match *chars {
        [letter @ 'A'..='Z', ref rest @ ..] if mixed_case && !rest.contains(&'-') => {
            (Some(latin_kind(letter)?), rest)
        }
        _ => (None, chars),
    };
    let (from, to, captures) = match *read_parts(rest)? {
        [Part::File(a), Part::Rank(b), Part::File(c), Part::Rank(d)]
        | [Part::File(a), Part::Rank(b), Part::Hyphen, Part::File(c), Part::Rank(d)] => {
            ((Some(a), Some(b)), (c, d), false)
        }
        [Part::File(a), Part::Rank(b), Part::Capture, Part::File(c), Part::Rank(d)] => {
            ((Some(a), Some(b)), (c, d), true)
        }
        [Part::File(a), Part::File(c), Part::Rank(d)] => ((Some(a), None), (c, d), false),
        [Part::File(a), Part::Capture, Part::File(c), Part::Rank(d)] => ((Some(a), None), (c, d), true),
        [Part::Rank(b), Part::File(c), Part::Rank(d)] => ((None, Some(b)), (c, d), false),
        [Part::Rank(b), Part::Capture, Part::File(c), Part::Rank(d)] => ((None, Some(b)), (c, d), true),
        [Part::File(c), Part::Rank(d)] => ((None, None), (c, d), false),
        [Part::Capture, Part::File(c), Part::Rank(d)] => ((None, None), (c, d), true),
        _ => return None,
    };
    // Without a letter it is a pawn's move in SAN, whose files are lower case, unless both points are there.
    let is_complete = matches!(from, (Some(_), Some(_)));
    if !is_complete && (promoted || rest.iter().any(char::is_ascii_uppercase)) {
        return None;
    }
    let kind = if kind.is_none() && (promoted || !is_complete) { Some(Kind::Pawn) } else { kind };
    if promoted && kind != Some(Kind::Pawn) {
        return None;
    }
    Some(Pattern::Points { kind, from, to, captures })
}

/// Without `q` or `=q` after a rank, and whether there was one.
fn split_promotion(chars: &[char]) -> (bool, &[char]) {
    match chars {
        [rest @ .., '0'..='9', letter] | [rest @ .., '0'..='9', '=', letter]
            if letter.is_ascii_alphabetic() =>
        {
            (true, &chars[..=rest.len()])
        }
        _ => (false, chars),
    }
}

fn read_parts(chars: &[char]) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = chars;
    loop {
        let part;
        (part, rest) = match rest {
            [] => return Some(parts),
            ['1', '0', rest @ ..] => (Part::Rank(10), rest),
            [digit @ '0'..='9', rest @ ..] => (Part::Rank(*digit as u8 - b'0'), rest),
            ['x', rest @ ..] => (Part::Capture, rest),
            ['-', rest @ ..] => (Part::Hyphen, rest),
            [letter, rest @ ..] => match letter.to_ascii_lowercase() {
                file @ 'a'..='i' => (Part::File(file as u8 - b'a'), rest),
                _ => return None,
            },
        };
        parts.push(part);
    }
}

fn read_said(chars: &[char]) -> Option<Pattern> {
    let (&last, rest) = chars.split_last()?;
    let number = digit(last)?;
    let (direction, subject) = match rest.split_last() {
        Some((&sign, subject)) if let Some(direction) = direction(sign) => (direction, subject),
        // Only shorthand, which has a Chinese character, leaves the direction out.
        _ if rest.iter().any(|c| !c.is_ascii()) => (Direction::Sideways, rest),
        _ => return None,
    };
    Some(Pattern::Said { subject: read_subject(subject)?, direction, number })
}

fn read_subject(chars: &[char]) -> Option<Subject> {
    let of = |kind, file, place| Some(Subject { kind, file, place });
    match *chars {
        // xqbase's letters first: `a`, `b`, `c` and `e` are pieces too.
        ['P' | 'p', letter @ 'a'..='e'] => of(Kind::Pawn, None, Some(Place::Number(letter as u8 - b'a' + 1))),
        [first, second] => match (kind(first), kind(second), digit(second)) {
            (Some(kind), _, Some(file)) => of(kind, Some(file), None),
            (Some(kind), None, None) => of(kind, None, Some(place(second)?)),
            (None, Some(kind), _) => of(kind, None, Some(place(first).or_else(|| count(first))?)),
            // 前九 and 二7 leave the pawn out, as WXF does in 16.
            (None, None, Some(file)) => {
                of(Kind::Pawn, Some(file), Some(place(first).or_else(|| count(first))?))
            }
            _ => None,
        },
        [first, second, third] => {
            of(kind(second)?, Some(digit(third)?), Some(place(first).or_else(|| count(first))?))
        }
        _ => None,
    }
}

fn kind(c: char) -> Option<Kind> {
    match c {
        '帅' | '帥' | '将' | '將' => Some(Kind::General),
        '仕' | '士' => Some(Kind::Advisor),
        '相' | '象' => Some(Kind::Elephant),
        '马' | '馬' | '傌' | '㐷' => Some(Kind::Horse),
        '车' | '車' | '俥' | '伡' => Some(Kind::Rook),
        '炮' | '砲' | '包' => Some(Kind::Cannon),
        '兵' | '卒' => Some(Kind::Pawn),
        _ => latin_kind(c),
    }
}

fn latin_kind(c: char) -> Option<Kind> {
    match c.to_ascii_uppercase() {
        'K' => Some(Kind::General),
        'A' | 'G' => Some(Kind::Advisor),
        'E' | 'B' | 'M' => Some(Kind::Elephant),
        'H' | 'N' => Some(Kind::Horse),
        'R' => Some(Kind::Rook),
        'C' => Some(Kind::Cannon),
        'P' => Some(Kind::Pawn),
        _ => None,
    }
}

/// 1 to 9.
fn digit(c: char) -> Option<u8> {
    match c {
        '1'..='9' => Some(c as u8 - b'0'),
        _ => "一二三四五六七八九".chars().zip(1..).find(|&(digit, _)| digit == c).map(|(_, value)| value),
    }
}

fn place(c: char) -> Option<Place> {
    match c {
        '前' | '+' => Some(Place::Front),
        '中' | '.' => Some(Place::Middle),
        '后' | '後' | '-' => Some(Place::Rear),
        _ => None,
    }
}

/// A place that is counted.
fn count(c: char) -> Option<Place> {
    digit(c).map(Place::Number)
}

fn direction(c: char) -> Option<Direction> {
    match c {
        '进' | '進' | '上' | '+' | '_' => Some(Direction::Forward),
        '退' | '下' | '-' | '^' => Some(Direction::Back),
        '平' | '=' | '.' => Some(Direction::Sideways),
        _ => None,
    }
}
