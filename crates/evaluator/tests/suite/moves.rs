//! The numbering of moves.

use crate::support::{can_stand, captures, random_positions};
use evaluator::{MOVES, MoveIndex};
use rules::{Colour, Kind, Move, Piece, Setup, Square};
use std::collections::BTreeSet;

#[test]
fn every_legal_move_has_its_own_number() {
    // LightZero#442, #499: the table and the board disagreed.
    let mut seen = BTreeSet::new();
    for position in random_positions(41, 10_000) {
        for (position, turned) in [(position.clone(), false), (position.turned(), true)] {
            let mover = position.turn();
            let legal = position.legal_moves();
            let indices: BTreeSet<MoveIndex> = legal.iter().map(|&mv| MoveIndex::of(mv, mover)).collect();
            assert_eq!(indices.len(), legal.len(), "{position:?}");
            for &mv in &legal {
                let index = MoveIndex::of(mv, mover);
                assert_eq!(index.to_move(mover), mv);
                assert_eq!(MoveIndex::new(index.get()), Some(index));
                assert_eq!(MoveIndex::of(mv.turned(), mover.opponent()), index);
                assert_eq!(MoveIndex::of(mv.mirrored(), mover), index.mirrored());
                seen.insert((index, turned));
            }
        }
    }
    assert!(seen.len() > 2 * MOVES * 9 / 10, "only {} of the moves were tried", seen.len());
}

/// All pairs that some piece of Red's can play on an otherwise empty board, sorted by from, then to.
fn slow_moves() -> Vec<Move> {
    let mut moves = Vec::new();
    for from in Square::all() {
        let pieces = Kind::ALL.map(|kind| Piece { colour: Colour::Red, kind });
        let boards: Vec<Setup> = pieces
            .into_iter()
            // A cannon without capture moves like a rook.
            .filter(|&piece| piece.kind != Kind::Cannon && can_stand(piece, from))
            .map(|piece| {
                let mut setup = Setup { board: [None; 90], turn: Colour::Red, quiet_plies: 0, round: 1 };
                setup.board[from.index()] = Some(piece);
                setup
            })
            .collect();
        let is_played = |&to: &Square| boards.iter().any(|setup| captures(setup, from, to));
        moves.extend(Square::all().filter(is_played).map(|to| Move::new(from, to)));
    }
    moves
}

#[test]
fn the_table_is_what_pieces_can_play() {
    let moves: Vec<Move> =
        (0..MOVES).map(|index| MoveIndex::new(index).unwrap().to_move(Colour::Red)).collect();
    assert_eq!(moves, slow_moves());
    assert_eq!(moves.len(), 2062);
    assert_eq!(MoveIndex::new(2062), None);
}

#[test]
fn the_mirror_of_a_mirror_is_the_move() {
    for index in (0..MOVES).filter_map(MoveIndex::new) {
        assert_eq!(index.mirrored().mirrored(), index);
    }
}

#[test]
#[should_panic(expected = "a0b1 can be played by no piece")]
fn a_move_of_no_piece_has_no_number() {
    let _ = MoveIndex::of("a0b1".parse().unwrap(), Colour::Red);
}
