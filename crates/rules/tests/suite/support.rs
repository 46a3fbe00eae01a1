//! Positions to test with, and the rules of movement once more: slowly, piece by piece, without tables.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Colour, Kind, Piece, Position, Setup, Square};

/// Positions of all sorts, always the same for a seed: random games, some from the start position, most from
/// pieces thrown on the board, where checks, pins and screens are thick.
pub(crate) fn random_positions(seed: u64, count: usize) -> Vec<Position> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let (mut position, plies) =
            if rng.random_ratio(1, 20) { (Position::start(), 100) } else { (scattered(rng), 5) };
        for _ in 0..plies.min(count - positions.len()) {
            positions.push(position.clone());
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            position.play_unchecked(legal[rng.random_range(0..legal.len())]);
        }
    }
    positions
}

/// Pieces of a thinned set on random points where they can stand, thrown again until the position is possible.
fn scattered(rng: &mut ChaCha8Rng) -> Position {
    loop {
        let turn = Colour::ALL[rng.random_range(0..2)];
        let (quiet_plies, round) = (rng.random_range(0..100), rng.random_range(1..200));
        let mut setup = Setup { board: [None; 90], turn, quiet_plies, round };
        let density = rng.random_range(1..=6);
        for colour in Colour::ALL {
            for kind in Kind::ALL {
                for _ in 0..kind.set_size() {
                    if kind == Kind::General || rng.random_range(0..6) < density {
                        let square = Square::from_index(rng.random_range(0..90));
                        setup.board[square.index()] = Some(Piece { colour, kind });
                    }
                }
            }
        }
        remove_misplaced(&mut setup, rng);
        if let Ok(position) = setup.check() {
            return position;
        }
    }
}

/// Takes away what stands where it can't, and puts the generals somewhere in their palaces.
fn remove_misplaced(setup: &mut Setup, rng: &mut ChaCha8Rng) {
    for square in Square::all() {
        let stands = |piece: Piece| piece.kind != Kind::General && can_stand(piece, square);
        setup.board[square.index()] = setup.board[square.index()].filter(|&piece| stands(piece));
    }
    for (colour, back_rank) in [(Colour::Red, 0), (Colour::Black, 7)] {
        let square = Square::new(rng.random_range(3..6), back_rank + rng.random_range(0..3)).unwrap();
        setup.board[square.index()] = Some(Piece { colour, kind: Kind::General });
    }
}

pub(crate) fn can_stand(piece: Piece, square: Square) -> bool {
    let rank = ranks_from_home(piece.colour, square);
    match piece.kind {
        Kind::General => in_palace(piece.colour, square),
        Kind::Advisor => in_palace(piece.colour, square) && (rank + square.file()) % 2 == 1,
        Kind::Elephant => matches!((square.file(), rank), (2 | 6, 0 | 4) | (0 | 4 | 8, 2)),
        Kind::Pawn => rank >= 5 || (rank >= 3 && square.file().is_multiple_of(2)),
        Kind::Horse | Kind::Rook | Kind::Cannon => true,
    }
}

/// Could the piece on `from` capture on `to` if an enemy stood there?
pub(crate) fn captures(setup: &Setup, from: Square, to: Square) -> bool {
    reaches(setup, from, to, 1)
}

/// All legal moves, by playing each possible move on a copy of the board.
pub(crate) fn slow_legal_moves(setup: &Setup) -> Vec<rules::Move> {
    let mut moves = Vec::new();
    for from in points_of(setup, setup.turn) {
        for to in Square::all().filter(|&to| is_legal(setup, from, to)) {
            moves.push(rules::Move::new(from, to));
        }
    }
    moves
}

/// The points of one side's pieces.
pub(crate) fn points_of(setup: &Setup, colour: Colour) -> impl Iterator<Item = Square> {
    Square::all().filter(move |&square| at(setup, square).is_some_and(|piece| piece.colour == colour))
}

fn is_legal(setup: &Setup, from: Square, to: Square) -> bool {
    let reached = match at(setup, to) {
        Some(piece) => piece.colour != setup.turn && reaches(setup, from, to, 1),
        None => reaches(setup, from, to, 0),
    };
    let mut after = setup.clone();
    after.board[to.index()] = after.board[from.index()].take();
    reached && !is_in_check(&after, setup.turn)
}

/// Could the enemy capture this side's general, or do the generals face each other?
pub(crate) fn is_in_check(setup: &Setup, side: Colour) -> bool {
    let general = |colour| {
        points_of(setup, colour).find(|&square| at(setup, square).unwrap().kind == Kind::General).unwrap()
    };
    let (own, other) = (general(side), general(side.opponent()));
    let face = own.file() == other.file() && pieces_between(setup, own, other) == 0;
    face || points_of(setup, side.opponent()).any(|from| captures(setup, from, own))
}

/// Does the piece on `from` reach `to`, where a cannon jumps over so many pieces?
fn reaches(setup: &Setup, from: Square, to: Square, cannon_jumps: usize) -> bool {
    let piece = at(setup, from).unwrap();
    let files = to.file() as i8 - from.file() as i8;
    let ranks = to.rank() as i8 - from.rank() as i8;
    let steps = (files.abs(), ranks.abs());
    let is_straight = (files == 0) != (ranks == 0);
    let is_empty = |files, ranks| at(setup, from.offset(files, ranks).unwrap()).is_none();
    match piece.kind {
        Kind::General => matches!(steps, (0, 1) | (1, 0)) && in_palace(piece.colour, to),
        Kind::Advisor => steps == (1, 1) && in_palace(piece.colour, to),
        Kind::Elephant => {
            steps == (2, 2) && ranks_from_home(piece.colour, to) < 5 && is_empty(files / 2, ranks / 2)
        }
        Kind::Horse => matches!(steps, (1, 2) | (2, 1)) && is_empty(files / 2, ranks / 2),
        Kind::Rook => is_straight && pieces_between(setup, from, to) == 0,
        Kind::Cannon => is_straight && pieces_between(setup, from, to) == cannon_jumps,
        Kind::Pawn => {
            let forward = if piece.colour == Colour::Red { 1 } else { -1 };
            let crossed = ranks_from_home(piece.colour, from) >= 5;
            (files, ranks) == (0, forward) || (crossed && steps == (1, 0))
        }
    }
}

fn pieces_between(setup: &Setup, from: Square, to: Square) -> usize {
    let files = (to.file() as i8 - from.file() as i8).signum();
    let ranks = (to.rank() as i8 - from.rank() as i8).signum();
    let walk = std::iter::successors(from.offset(files, ranks), |square| square.offset(files, ranks));
    walk.take_while(|&square| square != to).filter(|&square| at(setup, square).is_some()).count()
}

fn at(setup: &Setup, square: Square) -> Option<Piece> {
    setup.board[square.index()]
}

fn in_palace(colour: Colour, square: Square) -> bool {
    (3..6).contains(&square.file()) && ranks_from_home(colour, square) < 3
}

fn ranks_from_home(colour: Colour, square: Square) -> u8 {
    match colour {
        Colour::Red => square.rank(),
        Colour::Black => 9 - square.rank(),
    }
}
