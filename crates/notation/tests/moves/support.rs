//! Positions to write moves of.

use notation::{Style, read_move, write_move};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Colour, Kind, Piece, Position, Setup, Square};
use std::collections::HashSet;

/// Positions of all sorts, always the same for a seed: a third from random games, the others thrown on the board,
/// with pawns crowded on one or two files, and two of each kind often on one file.
pub(crate) fn random_positions(seed: u64, count: usize) -> Vec<Position> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        if positions.len() % 3 == 0 {
            let plies = rng.random_range(0..120);
            positions.push(after_random_moves(Position::start(), plies, rng));
        } else {
            positions.push(crowded(rng));
        }
    }
    positions
}

fn after_random_moves(mut position: Position, plies: usize, rng: &mut ChaCha8Rng) -> Position {
    for _ in 0..plies {
        let legal = position.legal_moves();
        let Some(&mv) = legal.get(rng.random_range(0..legal.len().max(1))) else { break };
        position.play_unchecked(mv);
    }
    position
}

/// Two generals and other pieces, most of them on two files, thrown again until the position is possible.
fn crowded(rng: &mut ChaCha8Rng) -> Position {
    loop {
        let turn = Colour::ALL[rng.random_range(0..2)];
        let mut setup = Setup { board: [None; 90], turn, quiet_plies: 0, round: 1 };
        let files = [rng.random_range(0..9), rng.random_range(0..9)];
        for colour in Colour::ALL {
            for kind in Kind::ALL {
                for _ in 0..kind.set_size() {
                    let point = any_point(colour, kind, files, rng);
                    if kind == Kind::General || kind == Kind::Pawn || rng.random_ratio(1, 2) {
                        setup.board[point.index()].get_or_insert(Piece { colour, kind });
                    }
                }
            }
        }
        if let Ok(position) = setup.check() {
            return position;
        }
    }
}

/// A point where the piece may stand, as far as palace, river and the elephant's and advisor's points go.
fn any_point(colour: Colour, kind: Kind, files: [u8; 2], rng: &mut ChaCha8Rng) -> Square {
    let any_file =
        if rng.random_ratio(3, 4) { files[rng.random_range(0..2)] } else { rng.random_range(0..9) };
    let (file, rank_from_home) = match kind {
        Kind::General => (rng.random_range(3..6), rng.random_range(0..3)),
        Kind::Advisor => [(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)][rng.random_range(0..5)],
        Kind::Elephant => [(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)][rng.random_range(0..7)],
        Kind::Horse | Kind::Rook | Kind::Cannon => (any_file, rng.random_range(0..10)),
        Kind::Pawn => (any_file, rng.random_range(5..10)),
    };
    let square = Square::new(file, rank_from_home).expect("a point of the board");
    if colour == Colour::Red { square } else { square.turned() }
}

/// Writes every legal move in every style and reads it again. The number of texts.
pub(crate) fn assert_round_trips(position: &Position) -> usize {
    let moves = position.legal_moves();
    for style in Style::ALL {
        let mut seen = HashSet::new();
        for &mv in &moves {
            let text = write_move(position, mv, style);
            let read = read_move(position, &text, style.ranks());
            assert_eq!(read, Ok(mv), "{text} as {style} in {}", position.fen());
            assert!(seen.insert(text.clone()), "{text} twice as {style} in {}", position.fen());
        }
    }
    moves.len() * Style::ALL.len()
}
