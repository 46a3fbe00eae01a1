//! Positions: playing, taking back, writing, turning.

use crate::support::random_positions;
use rules::{Bitboard, Colour, Kind, Move, Piece, Position, Square};

/// Everything that can be asked of a position must be the same.
fn assert_same(a: &Position, b: &Position) {
    assert_eq!(a, b);
    assert_eq!((a.turn(), a.key(), a.occupied()), (b.turn(), b.key(), b.occupied()), "{a:?}");
    assert_eq!((a.quiet_plies(), a.round(), a.fen()), (b.quiet_plies(), b.round(), b.fen()));
    for colour in Colour::ALL {
        assert_eq!(a.of_colour(colour), b.of_colour(colour), "{a:?}");
        assert_eq!(a.general(colour), b.general(colour), "{a:?}");
        assert_eq!(a.attacks(colour), b.attacks(colour), "{a:?}");
        for kind in Kind::ALL {
            assert_eq!(a.pieces(colour, kind), b.pieces(colour, kind), "{a:?}");
        }
    }
    for kind in Kind::ALL {
        assert_eq!(a.of_kind(kind), b.of_kind(kind), "{a:?}");
    }
    for square in Square::all() {
        assert_eq!(a.piece_at(square), b.piece_at(square), "{a:?}");
    }
    assert_eq!(*a.legal_moves(), *b.legal_moves(), "{a:?}");
}

#[test]
fn a_played_position_is_the_one_that_its_fen_describes() {
    for position in random_positions(11, 500) {
        for &mv in &position.legal_moves() {
            let mut after = position.clone();
            after.play_unchecked(mv);
            assert_same(&after, &after.fen().parse().unwrap());
        }
    }
}

#[test]
fn undo_restores_everything() {
    for position in random_positions(12, 500) {
        let mut played = position.clone();
        for &mv in &position.legal_moves() {
            let undo = played.play_unchecked(mv);
            assert_eq!((undo.mv(), undo.captured()), (mv, position.piece_at(mv.to())));
            assert_ne!(played, position);
            played.undo(undo);
            assert_same(&played, &position);
        }
    }
}

#[test]
fn fen_and_setup_come_back() {
    for position in random_positions(13, 2_000) {
        assert_same(&position, &position.fen().parse().unwrap());
        assert_same(&position, &position.to_setup().check().unwrap());
    }
}

#[test]
fn mirroring_or_turning_twice_changes_nothing() {
    for position in random_positions(14, 1_000) {
        assert_same(&position, &position.mirrored().mirrored());
        assert_same(&position, &position.turned().turned());
        assert_eq!(position.turned().turn(), position.turn().opponent());
        let turned = position.general(Colour::Black).map(Square::turned);
        assert!(turned.is_some());
        assert_eq!(position.turned().general(Colour::Red), turned);
    }
}

#[test]
fn equality_is_of_pieces_and_turn_alone() {
    let a: Position = "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1".parse().unwrap();
    let later: Position = "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 20 31".parse().unwrap();
    let other_turn: Position = "3k5/9/9/9/9/9/9/9/R8/4K4 b - - 0 1".parse().unwrap();
    assert!(a == later && a.key() == later.key());
    assert!(a != other_turn && a.key() != other_turn.key());
}

#[test]
fn keys_tell_positions_apart() {
    let positions = random_positions(15, 20_000);
    let mut seen: Vec<(u64, String)> = positions
        .iter()
        .map(|position| (position.key(), position.fen().split(" - - ").next().unwrap().to_owned()))
        .collect();
    seen.sort();
    seen.dedup();
    assert!(seen.windows(2).all(|pair| pair[0].0 != pair[1].0));
}

#[test]
fn counters_go_on_from_the_fen() {
    let mut position: Position = "3k5/9/9/9/9/9/9/p8/R8/4K4 b - - 7 12".parse().unwrap();
    let counters = |position: &Position| (position.quiet_plies(), position.round());
    position.play_unchecked("d9d8".parse().unwrap());
    assert_eq!(counters(&position), (8, 13));
    position.play_unchecked("a1b1".parse().unwrap());
    assert_eq!(counters(&position), (9, 13));
    position.play_unchecked("a2a1".parse().unwrap());
    position.play_unchecked("b1a1".parse().unwrap());
    assert_eq!(counters(&position), (0, 14));
}

#[test]
fn squares_moves_and_letters_come_back() {
    for square in Square::all() {
        assert_eq!(square.to_string().parse(), Ok(square));
        assert_eq!(Square::new(square.file(), square.rank()), Some(square));
        assert_eq!((square.turned().turned(), square.mirrored().mirrored()), (square, square));
        assert_eq!(square.mirrored().rank(), square.rank());
        for to in Square::all() {
            let mv = Move::new(square, to);
            assert_eq!((mv.from(), mv.to()), (square, to));
            assert_eq!(Move::from_bits(mv.bits()), Some(mv));
            assert_eq!(mv.to_string().parse(), Ok(mv));
        }
    }
    for colour in Colour::ALL {
        for kind in Kind::ALL {
            let piece = Piece { colour, kind };
            assert_eq!(Piece::from_fen_letter(piece.fen_letter()), Some(piece));
        }
    }
    let bits = (0..=u16::MAX).filter(|&bits| Move::from_bits(bits).is_some()).count();
    assert_eq!(bits, 90 * 90);
}

#[test]
fn texts_that_are_no_moves() {
    for text in ["", "h2", "h2e", "h2e2q", "j0a0", "h2ea", "a10", "炮二平五", "é2e2", "H2E2"] {
        let error = text.parse::<Move>().unwrap_err();
        let message = "is not a move: want two points such as h2e2 (files a to i, ranks 0 to 9)";
        assert_eq!(error.to_string(), format!("\"{text}\" {message}"));
    }
}

#[test]
fn sets_of_points() {
    for position in random_positions(16, 200) {
        let set = position.occupied();
        let slow: Vec<Square> = Square::all().filter(|&square| set.contains(square)).collect();
        let mut backwards = slow.clone();
        backwards.reverse();
        assert_eq!(set.into_iter().collect::<Vec<_>>(), slow);
        assert_eq!(set.into_iter().rev().collect::<Vec<_>>(), backwards);
        // By `fold` and `rfold`, which go another way.
        let mut folded = Vec::new();
        set.into_iter().for_each(|square| folded.push(square));
        assert_eq!(folded, slow);
        folded.clear();
        set.into_iter().rev().for_each(|square| folded.push(square));
        assert_eq!(folded, backwards);
        assert_eq!(set.count() as usize, slow.len());
        assert_eq!(slow.iter().copied().collect::<Bitboard>(), set);
        assert_eq!(slow.iter().map(|square| square.turned()).collect::<Bitboard>(), set.turned());
        assert_eq!(set.first(), slow.first().copied());
    }
    assert_eq!(Bitboard::EMPTY.first(), None);
    assert_eq!(!Bitboard::EMPTY, Bitboard::ALL);
    for a in Square::all() {
        assert!(Bitboard::file(a.file()).contains(a) && Bitboard::rank(a.rank()).contains(a));
        for b in Square::all() {
            let inside = |c: Square| {
                let on_file = a.file() == b.file() && c.file() == a.file();
                let on_rank = a.rank() == b.rank() && c.rank() == a.rank();
                (on_file || on_rank) && a.min(b) < c && c < a.max(b)
            };
            assert_eq!(Bitboard::between(a, b), Square::all().filter(|&c| inside(c)).collect(), "{a}{b}");
        }
    }
}

/// Without a limit a game may go on for ever; its counters don't overflow, and undo leads all the way back.
#[test]
fn a_game_of_seventy_thousand_plies() {
    let start: Position = "r3k4/9/9/9/9/9/9/9/9/R4K3 w".parse().unwrap();
    let mut position = start.clone();
    let mut undos = Vec::new();
    for mv in ["a0a1", "a9a8", "a1a0", "a8a9"].iter().cycle().take(70_000) {
        undos.push(position.play_unchecked(mv.parse().unwrap()));
    }
    assert_eq!(position.quiet_plies(), u16::MAX);
    for undo in undos.into_iter().rev() {
        position.undo(undo);
    }
    assert_eq!(position.fen(), start.fen());
}

/// In a diagram the mover may take the general. Who has lost it has no moves and is not in check; undo puts it back.
#[test]
fn a_general_that_is_taken() {
    let setup: rules::Setup = "4k4/9/9/9/9/9/9/R8/4R4/3K5 w".parse().unwrap();
    let diagram = setup.check_diagram().unwrap();
    let mv: Move = "e1e9".parse().unwrap();
    assert!(diagram.legal_moves().contains(&mv) && diagram.is_legal(mv));
    let mut position = diagram.clone();
    let undo = position.play_unchecked(mv);
    assert_eq!((position.general(Colour::Black), position.in_check()), (None, false));
    assert_eq!(
        (position.legal_moves().len(), position.legal_count(), position.has_legal_move()),
        (0, 0, false)
    );
    assert_eq!(position.attacks(Colour::Black), Bitboard::EMPTY);
    position.undo(undo);
    assert_same(&position, &diagram);
}

/// Moves by their bits: every pair of points, and nothing else.
#[test]
fn a_move_knows_its_points() {
    let moves: Vec<Move> = (0..=u16::MAX).filter_map(Move::from_bits).collect();
    assert_eq!(moves.len(), 90 * 90);
    for mv in moves {
        assert!(mv.from().index() < 90 && mv.to().index() < 90);
        assert_eq!(Move::new(mv.from(), mv.to()), mv);
    }
}
