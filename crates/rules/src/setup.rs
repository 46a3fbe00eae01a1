//! Anything that can stand on a board, FEN reading and writing, and the test that makes it a [`Position`].

use crate::attacks;
use crate::bitboard::Bitboard;
use crate::piece::{Colour, Kind, Piece};
use crate::position::Position;
use crate::square::Square;
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// The FEN text of the start position.
pub const START_FEN: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// The largest value of a counter in a FEN text.
const MAX_COUNTER: u16 = 9999;
const QUIET_PLIES: &str = "the count of plies without capture";
const ROUND: &str = "the round";

/// Pieces on points, a turn and counters: any of them, valid or not. [`Setup::check`] makes it a [`Position`].
///
/// ```
/// use rules::{Position, Setup, Square};
///
/// let mut setup: Setup = Position::start().to_setup();
/// setup.board[Square::new(4, 9).unwrap().index()] = None;
/// assert_eq!(setup.check().unwrap_err().to_string(), "not a possible position: Black has no general");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The piece on each point, by [`Square::index`].
    pub board: [Option<Piece>; 90],
    /// Whose turn it is.
    pub turn: Colour,
    /// Plies since the last capture.
    pub quiet_plies: u16,
    /// The number of the round, from 1.
    pub round: u16,
}

/// One reason why a [`Setup`] is no position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetupFault {
    /// A side has no general.
    #[error("{0:?} has no general")]
    NoGeneral(Colour),
    /// A side has more pieces of a kind than the set holds.
    #[error("{colour:?} has {count} pieces of kind {kind:?}, at most {most} are allowed", most = kind.set_size())]
    TooMany {
        /// Whose pieces.
        colour: Colour,
        /// Which kind.
        kind: Kind,
        /// How many there are.
        count: u32,
    },
    /// A general, advisor, elephant or pawn on a point that it can never reach.
    #[error("{colour:?}'s {kind:?} on {square} can never get there")]
    Misplaced {
        /// Whose piece.
        colour: Colour,
        /// What it is.
        kind: Kind,
        /// Where it stands.
        square: Square,
    },
    /// Two uncrossed pawns of one side on a file.
    #[error("{colour:?} has two uncrossed pawns on file {file}", file = char::from(b'a' + file))]
    DoubledPawns {
        /// Whose pawns.
        colour: Colour,
        /// The file, 0 = `a`.
        file: u8,
    },
    /// The generals see each other.
    #[error("the generals face each other on an open file")]
    GeneralsFace,
    /// The side to move could capture the general.
    #[error("{0:?} is in check but it is the other side's turn")]
    GeneralCapturable(Colour),
    /// A counter that no game reaches.
    #[error("{name} is {count}, at most {MAX_COUNTER} is allowed")]
    Counter {
        /// Which counter.
        name: &'static str,
        /// Its value.
        count: u16,
    },
}

/// All the reasons why a [`Setup`] is no position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct SetupError {
    /// At least one.
    pub faults: Vec<SetupFault>,
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a possible position: ")?;
        for (i, fault) in self.faults.iter().enumerate() {
            write!(f, "{}{fault}", if i > 0 { "; " } else { "" })?;
        }
        Ok(())
    }
}

/// Why a text is no FEN of a position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FenError {
    /// Not ten ranks.
    #[error("the board has {0} ranks, want 10 separated by \"/\"")]
    Ranks(usize),
    /// A rank that is not nine points wide.
    #[error("rank {rank} (\"{text}\") has {width} points, want 9")]
    Width {
        /// The rank, 9 = Black's back rank.
        rank: u8,
        /// What was written.
        text: String,
        /// How many points that makes.
        width: usize,
    },
    /// A letter that is no piece.
    #[error("'{0}' is no piece: want one of K A B N R C P (E, H too), upper case for Red")]
    Piece(char),
    /// A side to move that is neither.
    #[error("\"{0}\" is no side to move: want w, r or b")]
    Turn(String),
    /// A counter that is no number.
    #[error("{name} is \"{text}\", want a whole number from 0 to {MAX_COUNTER}")]
    Counter {
        /// Which counter.
        name: &'static str,
        /// What was written.
        text: String,
    },
    /// More fields than FEN has.
    #[error("\"{0}\" is no part of a position")]
    Extra(String),
    /// A board that can't be.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Setup {
    /// The position, or every reason why there is none.
    pub fn check(&self) -> Result<Position, SetupError> {
        self.check_but_for(|_| false)
    }

    /// A board as books print it to show a move, which no game need reach: advisors, elephants and pawns may stand on any
    /// points, and the side to move may be able to take the general. For reading and writing moves, by the list of legal
    /// moves; a game can't go on from a general that is taken, and checks by guards out of their place aren't seen.
    pub fn check_diagram(&self) -> Result<Position, SetupError> {
        self.check_but_for(|fault| match fault {
            SetupFault::Misplaced { kind, .. } => *kind != Kind::General,
            SetupFault::DoubledPawns { .. } | SetupFault::GeneralCapturable(_) => true,
            _ => false,
        })
    }

    fn check_but_for(&self, allowed: impl Fn(&SetupFault) -> bool) -> Result<Position, SetupError> {
        let pieces = Square::all().filter_map(|square| Some((square, self.board[square.index()]?)));
        check(Position::unchecked(pieces, self.turn, self.quiet_plies, self.round), self.round, allowed)
    }

    /// The FEN text.
    pub fn fen(&self) -> String {
        let mut text = String::with_capacity(80);
        for rank in (0..10).rev() {
            let mut gap = 0;
            for piece in &self.board[rank * 9..rank * 9 + 9] {
                if let Some(piece) = piece {
                    push_gap(&mut text, gap);
                    gap = 0;
                    text.push(piece.fen_letter());
                } else {
                    gap += 1;
                }
            }
            push_gap(&mut text, gap);
            text.push(if rank > 0 { '/' } else { ' ' });
        }
        let turn = if self.turn == Colour::Red { 'w' } else { 'b' };
        write!(text, "{turn} - - {} {}", self.quiet_plies, self.round).expect("a String takes any text");
        text
    }
}

/// Is it a position, whose faults are all `allowed`?
fn check(
    position: Position,
    round: u16,
    allowed: impl Fn(&SetupFault) -> bool,
) -> Result<Position, SetupError> {
    let mut faults = Vec::new();
    for colour in Colour::ALL {
        for kind in Kind::ALL {
            check_kind(colour, kind, position.pieces(colour, kind), &mut faults);
        }
        check_pawn_files(colour, position.pieces(colour, Kind::Pawn), &mut faults);
    }
    for (name, count) in [(QUIET_PLIES, position.quiet_plies()), (ROUND, round)] {
        if count > MAX_COUNTER {
            faults.push(SetupFault::Counter { name, count });
        }
    }
    // The remaining tests look along lines from both generals, so both must be there, once.
    let generals_stand = Colour::ALL.iter().all(|&side| position.pieces(side, Kind::General).count() == 1);
    let waiting = position.turn().opponent();
    if let Some(general) = position.general(waiting).filter(|_| generals_stand) {
        if position.generals_face() {
            faults.push(SetupFault::GeneralsFace);
        }
        if !position.attackers(general, position.turn()).is_empty() {
            faults.push(SetupFault::GeneralCapturable(waiting));
        }
        if faults.iter().all(allowed) {
            return Ok(position);
        }
    }
    Err(SetupError { faults })
}

fn push_gap(text: &mut String, gap: u8) {
    if gap > 0 {
        text.push(char::from(b'0' + gap));
    }
}

#[inline]
fn check_kind(colour: Colour, kind: Kind, points: Bitboard, faults: &mut Vec<SetupFault>) {
    let count = points.count();
    if kind == Kind::General && count == 0 {
        faults.push(SetupFault::NoGeneral(colour));
    }
    if count > kind.set_size() {
        faults.push(SetupFault::TooMany { colour, kind, count });
    }
    let possible = match kind {
        Kind::General => attacks::PALACES & attacks::half(colour),
        Kind::Advisor => attacks::advisor_points(colour),
        Kind::Elephant => attacks::elephant_points(colour),
        Kind::Pawn => attacks::pawn_points(colour),
        Kind::Horse | Kind::Rook | Kind::Cannon => Bitboard::ALL,
    };
    let misplaced = (points & !possible).into_iter();
    faults.extend(misplaced.map(|square| SetupFault::Misplaced { colour, kind, square }));
}

fn check_pawn_files(colour: Colour, pawns: Bitboard, faults: &mut Vec<SetupFault>) {
    let home = pawns & attacks::half(colour) & attacks::pawn_points(colour);
    // Both on one file stand one rank apart.
    if (home & Bitboard(home.0 >> 9)).is_empty() {
        return;
    }
    for file in 0..9 {
        if (home & Bitboard::file(file)).count() > 1 {
            faults.push(SetupFault::DoubledPawns { colour, file });
        }
    }
}

impl FromStr for Setup {
    type Err = FenError;

    /// Reads a FEN text. Fields after the board may be missing from the right and default to `w - - 0 1`; `r` is
    /// Red too, as are `E` and `H` elephant and horse; `[]` after the board is ignored, as are fields 3 and 4.
    fn from_str(fen: &str) -> Result<Self, FenError> {
        let mut fields = fen.split_whitespace();
        let board = parse_board(fields.next().unwrap_or("").trim_end_matches("[]"))?;
        let turn = match fields.next() {
            None | Some("w" | "r") => Colour::Red,
            Some("b") => Colour::Black,
            Some(other) => return Err(FenError::Turn(other.to_owned())),
        };
        // What fields 3 and 4 say of other games doesn't matter, but a list of moves is more than a position.
        if let Some(moves) = fields.clone().find(|&field| field == "moves") {
            return Err(FenError::Extra(moves.to_owned()));
        }
        let mut fields = fields.skip(2);
        let quiet_plies = parse_counter(QUIET_PLIES, fields.next(), 0)?;
        let round = parse_counter(ROUND, fields.next(), 1)?;
        match fields.next() {
            Some(extra) => Err(FenError::Extra(extra.to_owned())),
            None => Ok(Self { board, turn, quiet_plies, round: round.max(1) }),
        }
    }
}

fn parse_board(text: &str) -> Result<[Option<Piece>; 90], FenError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 10 {
        return Err(FenError::Ranks(ranks.len()));
    }
    let mut board = [None; 90];
    for (row, text) in ranks.into_iter().enumerate() {
        let rank = 9 - row as u8;
        let mut file = 0;
        for letter in text.chars() {
            if let '1'..='9' = letter {
                file += letter as usize - '0' as usize;
            } else {
                let piece = Piece::from_fen_letter(letter).ok_or(FenError::Piece(letter))?;
                if let Some(square) = u8::try_from(file).ok().and_then(|file| Square::new(file, rank)) {
                    board[square.index()] = Some(piece);
                }
                file += 1;
            }
        }
        if file != 9 {
            return Err(FenError::Width { rank, text: text.to_owned(), width: file });
        }
    }
    Ok(board)
}

fn parse_counter(name: &'static str, text: Option<&str>, default: u16) -> Result<u16, FenError> {
    match text {
        None | Some("-") => Ok(default),
        Some(text) => match text.parse() {
            Ok(count) if count <= MAX_COUNTER => Ok(count),
            _ => Err(FenError::Counter { name, text: text.to_owned() }),
        },
    }
}
