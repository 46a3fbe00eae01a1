//! One position: who stands where, whose turn it is, plies since the last capture.

use crate::attacks::{self, Files, Occupancy};
use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveList};
use crate::piece::{Colour, Kind, Occupant, Piece};
use crate::setup::{FenError, Setup, SetupError};
use crate::square::Square;
use crate::zobrist;
use std::fmt;
use std::str::FromStr;

/// A valid position. The test of [`Setup::check`] is the only way in; playing legal moves and packing
/// ([`PackedPosition`](crate::PackedPosition)) keep it valid.
///
/// # Equality
/// Two positions are equal, and have the same [key](Position::key), if the same pieces stand on the same points
/// and it is the same side's turn: this is what repetition means. The counters don't count.
///
/// ```
/// use rules::{Colour, Kind, Position};
///
/// let mut position: Position = "3aka3/9/9/9/4R4/9/9/4C4/9/4K4 b".parse()?;
/// assert!(position.in_check());
/// let replies: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
/// assert_eq!(replies, ["d9e8", "f9e8"]);
///
/// let undo = position.play_unchecked("d9e8".parse()?);
/// assert_eq!(position.turn(), Colour::Red);
/// assert!(position.pieces(Colour::Black, Kind::Advisor).contains("e8".parse().unwrap()));
/// position.undo(undo);
/// assert_eq!(position.turn(), Colour::Black);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Position {
    /// The points of each kind of piece of each side.
    sets: [Bitboard; Occupant::COUNT],
    colours: [Bitboard; 2],
    files: Files,
    board: [Occupant; Square::SLOTS],
    /// Plies are counted from the first round on: it is Red's turn when this is even.
    ply: u32,
    /// The ply after the last capture; it wraps around below 0 where a FEN counts more quiet plies than plies.
    quiet_since: u32,
    key: u64,
}

/// What [`Position::undo`] needs to take a move back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undo {
    mv: Move,
    captured: Occupant,
    /// As in the position before the move.
    quiet_since: u32,
    /// Both ends of the move. Kept, since that takes 5 % less to play and take back than looking them up again.
    ends: Bitboard,
    /// The key before the move.
    key: u64,
}

impl Undo {
    /// The move that was played.
    #[inline]
    pub const fn mv(&self) -> Move {
        self.mv
    }

    /// The piece that it captured.
    #[inline]
    pub const fn captured(&self) -> Option<Piece> {
        self.captured.piece()
    }

    /// The key of the position before the move.
    #[inline]
    pub(crate) const fn key(&self) -> u64 {
        self.key
    }

    /// For tests: as if the position before the move had this key.
    #[cfg(test)]
    pub(crate) const fn with_key(self, key: u64) -> Self {
        Self { key, ..self }
    }
}

impl Position {
    /// The start position.
    pub fn start() -> Self {
        crate::START_FEN.parse().expect("the start position is valid")
    }

    /// Puts pieces on an empty board, at most one on a point. It is no position before the test of [`Setup::check`],
    /// unless these are the pieces of one.
    pub(crate) fn unchecked(
        pieces: impl Iterator<Item = (Square, Piece)>,
        turn: Colour,
        quiet_plies: u16,
        round: u16,
    ) -> Self {
        let ply = 2 * u32::from(round.saturating_sub(1)) + turn as u32;
        let mut position = Self {
            sets: [Bitboard::EMPTY; Occupant::COUNT],
            colours: [Bitboard::EMPTY; 2],
            files: Files::default(),
            board: [Occupant::NONE; Square::SLOTS],
            ply,
            quiet_since: ply.wrapping_sub(quiet_plies.into()),
            key: zobrist::turn_key(turn),
        };
        pieces.for_each(|(square, piece)| {
            let occupant = Occupant::of(piece);
            position.toggle_in_sets(occupant, Bitboard::of(square));
            position.files.toggle(square);
            position.board[square.slot()] = occupant;
            position.key ^= zobrist::piece_key(occupant, square);
        });
        position
    }

    /// Whose turn it is.
    #[inline]
    pub const fn turn(&self) -> Colour {
        if self.ply.is_multiple_of(2) { Colour::Red } else { Colour::Black }
    }

    /// The piece on a point.
    #[inline]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board[square.slot()].piece()
    }

    /// The kind of the piece on a point.
    #[inline]
    pub const fn kind_at(&self, square: Square) -> Option<Kind> {
        self.board[square.slot()].kind()
    }

    /// The points of one side's pieces of one kind.
    #[inline]
    pub const fn pieces(&self, colour: Colour, kind: Kind) -> Bitboard {
        self.sets[Occupant::of(Piece { colour, kind }).index()]
    }

    /// The points of both sides' pieces of one kind.
    #[inline]
    pub fn of_kind(&self, kind: Kind) -> Bitboard {
        self.pieces(Colour::Red, kind) | self.pieces(Colour::Black, kind)
    }

    /// The points of one side's pieces.
    #[inline]
    pub const fn of_colour(&self, colour: Colour) -> Bitboard {
        self.colours[colour as usize]
    }

    /// All occupied points.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colours[0] | self.colours[1]
    }

    #[inline]
    pub(crate) fn occupancy(&self) -> Occupancy<'_> {
        Occupancy { all: self.occupied(), files: &self.files }
    }

    /// Where a side's general stands. There is none if it was taken, which can be in a [diagram](Setup::check_diagram)
    /// alone; such a side isn't in check and has no legal moves.
    #[inline]
    pub const fn general(&self, colour: Colour) -> Option<Square> {
        self.pieces(colour, Kind::General).first()
    }

    /// Plies since the last capture (FEN field 5).
    #[inline]
    pub fn quiet_plies(&self) -> u16 {
        // Nothing asks for more: a game of so many plies without a capture is over by any rule.
        self.ply.wrapping_sub(self.quiet_since).try_into().unwrap_or(u16::MAX)
    }

    /// The number of the round (FEN field 6), from 1.
    pub const fn round(&self) -> u16 {
        // Rounds are below 10,000; others are refused.
        self.ply as u16 / 2 + 1
    }

    /// The Zobrist key of pieces and turn. Equal positions have equal keys; different ones almost always
    /// different keys.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Plays a move without asking whether it is legal. `mv` must come from this position's list of legal moves;
    /// any other move leaves a position that breaks its promises.
    #[inline]
    pub fn play_unchecked(&mut self, mv: Move) -> Undo {
        let (from, to) = (mv.from(), mv.to());
        let (moved, captured) = (self.board[from.slot()], self.board[to.slot()]);
        let ends = Bitboard::of(from) ^ Bitboard::of(to);
        let undo = Undo { mv, captured, quiet_since: self.quiet_since, ends, key: self.key };
        self.key ^= zobrist::piece_key(moved, from) ^ zobrist::piece_key(moved, to) ^ zobrist::TURN_KEY;
        self.ply = self.ply.wrapping_add(1);
        self.files.toggle(from);
        self.toggle_in_sets(moved, ends);
        self.board[to.slot()] = moved;
        self.board[from.slot()] = Occupant::NONE;
        if captured == Occupant::NONE {
            self.files.toggle(to);
        } else {
            self.toggle_in_sets(captured, Bitboard::of(to));
            self.key ^= zobrist::piece_key(captured, to);
            self.quiet_since = self.ply;
        }
        undo
    }

    /// Takes back the last move. `undo` must be what playing it returned.
    #[inline]
    pub fn undo(&mut self, undo: Undo) {
        let (from, to) = (undo.mv.from(), undo.mv.to());
        let moved = self.board[to.slot()];
        if undo.captured == Occupant::NONE {
            self.files.toggle(to);
        } else {
            self.toggle_in_sets(undo.captured, Bitboard::of(to));
            self.quiet_since = undo.quiet_since;
        }
        self.files.toggle(from);
        self.toggle_in_sets(moved, undo.ends);
        self.board[from.slot()] = moved;
        self.board[to.slot()] = undo.captured;
        self.key = undo.key;
        self.ply = self.ply.wrapping_sub(1);
    }

    /// Puts a piece on points, or takes it away, in the sets; the files stay.
    #[inline]
    fn toggle_in_sets(&mut self, piece: Occupant, points: Bitboard) {
        self.sets[piece.index()] ^= points;
        self.colours[piece.colour_index()] ^= points;
    }

    /// The enemy pieces that give check to the side to move, the facing general among them.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers_of(self.turn())
    }

    /// The enemy pieces that attack this side's general, whoever is to move, the facing general among them.
    #[inline]
    pub(crate) fn checkers_of(&self, side: Colour) -> Bitboard {
        let Some(general) = self.general(side) else { return Bitboard::EMPTY };
        let enemy = side.opponent();
        let occupied = self.occupancy();
        let by = |kind| self.pieces(enemy, kind);
        // The other general is seen along a file only: the palaces share no rank.
        let mut checkers = (attacks::rook(general, &occupied) & (by(Kind::Rook) | by(Kind::General)))
            | (attacks::cannon(general, &occupied) & by(Kind::Cannon))
            | (attacks::pawn_sources(enemy, general) & by(Kind::Pawn));
        if !(attacks::horse_circle(general) & by(Kind::Horse)).is_empty() {
            checkers |= attacks::horse_sources(general, occupied.all) & by(Kind::Horse);
        }
        checkers
    }

    /// The same pieces with this side's turn, which need not be a position of any game: the side not to move may be
    /// in check. The key stays.
    pub(crate) fn with_turn(&self, turn: Colour) -> Self {
        let ply = self.ply & !1 | turn as u32;
        let quiet_since = ply.wrapping_sub(self.quiet_plies().into());
        Self { ply, quiet_since, ..self.clone() }
    }

    /// Is the side to move in check?
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.checkers().is_empty()
    }

    /// Do the generals see each other on a file?
    pub(crate) fn generals_face(&self) -> bool {
        let (Some(red), Some(black)) = (self.general(Colour::Red), self.general(Colour::Black)) else {
            return false;
        };
        red.file() == black.file() && (Bitboard::between(red, black) & self.occupied()).is_empty()
    }

    /// The pieces of `by` that could capture on `target` if an enemy stood there, by their movement rules alone:
    /// legs, eyes, screens, palace and river count, pins and facing generals don't.
    pub fn attackers(&self, target: Square, by: Colour) -> Bitboard {
        let occupied = self.occupancy();
        let rooks = attacks::rook(target, &occupied) & self.pieces(by, Kind::Rook);
        let cannons = attacks::cannon(target, &occupied) & self.pieces(by, Kind::Cannon);
        let horses = attacks::horse_sources(target, occupied.all) & self.pieces(by, Kind::Horse);
        let pawns = attacks::pawn_sources(by, target) & self.pieces(by, Kind::Pawn);
        let elephants = attacks::elephant(target, occupied.all) & self.pieces(by, Kind::Elephant);
        let advisors = attacks::advisor(target) & self.pieces(by, Kind::Advisor);
        let generals = attacks::general(target) & self.pieces(by, Kind::General);
        rooks | cannons | horses | pawns | elephants | advisors | generals
    }

    /// All points on which some piece of `by` could capture if an enemy stood there, by its movement rule: legs,
    /// eyes, screens, palace and river count, pins and facing generals don't. The same as all points that have
    /// [`Position::attackers`], at once.
    pub fn attacks(&self, by: Colour) -> Bitboard {
        let occupied = self.occupancy();
        let own = |kind: Kind| self.pieces(by, kind);
        let mut attacked = attacks::pawns(by, own(Kind::Pawn));
        for square in own(Kind::General) {
            attacked |= attacks::general(square);
        }
        for square in own(Kind::Rook) {
            attacked |= attacks::rook(square, &occupied);
        }
        for square in own(Kind::Cannon) {
            attacked |= attacks::cannon_fire(square, &occupied);
        }
        for square in own(Kind::Horse) {
            attacked |= attacks::horse(square, occupied.all);
        }
        for square in own(Kind::Elephant) {
            attacked |= attacks::elephant(square, occupied.all);
        }
        for square in own(Kind::Advisor) {
            attacked |= attacks::advisor(square);
        }
        attacked
    }

    /// All legal moves, in a fixed order.
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.legal_moves_into(&mut moves);
        moves
    }

    /// The position as anything: for changing it, and writing it.
    pub fn to_setup(&self) -> Setup {
        let board = std::array::from_fn(|index| self.piece_at(Square::from_index(index)));
        Setup { board, turn: self.turn(), quiet_plies: self.quiet_plies(), round: self.round() }
    }

    /// The FEN text, with `w` for Red's turn, `B` and `N` for elephant and horse.
    pub fn fen(&self) -> String {
        self.to_setup().fen()
    }

    /// The position with left and right exchanged. The rules can't tell them apart.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        self.map(|piece, square| (piece, square.mirrored()), self.turn())
    }

    /// The position turned by 180° with colours and turn exchanged. The rules can't tell them apart.
    #[must_use]
    #[inline]
    pub fn turned(&self) -> Self {
        self.map(
            |piece, square| (Piece { colour: piece.colour.opponent(), kind: piece.kind }, square.turned()),
            self.turn().opponent(),
        )
    }

    fn map(&self, place: impl Fn(Piece, Square) -> (Piece, Square), turn: Colour) -> Self {
        let pieces = self.occupied().into_iter().map(|square| {
            let (piece, to) = place(self.piece_at(square).expect("an occupied point"), square);
            (to, piece)
        });
        Self::unchecked(pieces, turn, self.quiet_plies(), self.round())
    }
}

impl TryFrom<&Setup> for Position {
    type Error = SetupError;

    fn try_from(setup: &Setup) -> Result<Self, SetupError> {
        setup.check()
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Self, FenError> {
        Ok(fen.parse::<Setup>()?.check()?)
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.turn() == other.turn() && self.sets == other.sets
    }
}

impl Eq for Position {}

impl fmt::Debug for Position {
    /// The FEN text and the board as a picture, Red below.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())?;
        for rank in (0..10).rev() {
            writeln!(f)?;
            for file in 0..9 {
                let piece = Square::new(file, rank).and_then(|square| self.piece_at(square));
                write!(f, "{}", piece.map_or('.', Piece::fen_letter))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_stay_like_the_board() {
        let mut position = Position::start();
        for ply in 0..200 {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            position.play_unchecked(legal[(position.key() as usize ^ ply) % legal.len()]);
            let mut files = Files::default();
            for square in Square::all().filter(|&square| position.piece_at(square).is_some()) {
                files.toggle(square);
            }
            assert_eq!(position.files, files, "{position:?}");
        }
    }
}
