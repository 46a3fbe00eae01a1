//! What must hold of every position.

use rules::{Colour, Kind, Move, Position, Setup, Square};

/// The largest counter that a FEN text holds. A game may go on beyond, and then its FEN can't be read.
const MAX_COUNTER: u16 = 9999;

/// Everything that can be asked of two positions is the same.
pub fn assert_same(a: &Position, b: &Position) {
    assert_eq!(a, b);
    assert_eq!(a.to_setup(), b.to_setup());
    assert_eq!((a.key(), a.turn(), a.occupied()), (b.key(), b.turn(), b.occupied()), "{a:?}");
    assert_eq!((a.checkers(), a.is_barren()), (b.checkers(), b.is_barren()), "{a:?}");
    for colour in Colour::ALL {
        assert_eq!(a.of_colour(colour), b.of_colour(colour), "{a:?}");
        assert_eq!(a.general(colour), b.general(colour), "{a:?}");
        assert_eq!(a.attacks(colour), b.attacks(colour), "{a:?}");
        for kind in Kind::ALL {
            assert_eq!(a.pieces(colour, kind), b.pieces(colour, kind), "{a:?}");
        }
    }
    assert_eq!(*a.legal_moves(), *b.legal_moves(), "{a:?}");
}

/// What was kept up move by move is what its FEN text says.
pub fn assert_as_written(position: &Position) {
    let Setup { quiet_plies, round, .. } = position.to_setup();
    if quiet_plies <= MAX_COUNTER && round <= MAX_COUNTER {
        let fen = position.fen();
        assert_same(position, &fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}")));
    }
}

/// The list of legal moves is what [`Position::is_legal`] says of each pair of points.
pub fn assert_list_is_legal(position: &Position) {
    let listed = position.legal_moves();
    assert_eq!(position.has_legal_move(), !listed.is_empty(), "{position:?}");
    let pairs = Square::all().flat_map(|from| Square::all().map(move |to| Move::new(from, to)));
    let mut legal: Vec<Move> = pairs.filter(|&mv| position.is_legal(mv)).collect();
    let mut listed = listed.to_vec();
    legal.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, legal, "{position:?}");
}

/// Every legal move leads to a position that is as it is written, and back.
pub fn assert_moves_and_back(position: &Position) {
    let mut played = position.clone();
    for &mv in &position.legal_moves() {
        let undo = played.play_unchecked(mv);
        assert_eq!((undo.mv(), undo.captured()), (mv, position.piece_at(mv.to())));
        assert_as_written(&played);
        played.undo(undo);
        assert_same(&played, position);
    }
}

/// Left and right, Red and Black are alike.
pub fn assert_symmetric(position: &Position) {
    let sorted = |moves: Vec<Move>| {
        let mut moves = moves;
        moves.sort_unstable();
        moves
    };
    let legal = position.legal_moves();
    let (mirrored, turned) = (position.mirrored(), position.turned());
    let each = |map: fn(Move) -> Move| sorted(legal.iter().map(|&mv| map(mv)).collect());
    assert_eq!(sorted(mirrored.legal_moves().to_vec()), each(Move::mirrored), "{position:?}");
    assert_eq!(sorted(turned.legal_moves().to_vec()), each(Move::turned), "{position:?}");
    assert_eq!([mirrored.in_check(), turned.in_check()], [position.in_check(); 2], "{position:?}");
    assert_same(&mirrored.mirrored(), position);
    assert_eq!(turned.turned(), *position);
}
