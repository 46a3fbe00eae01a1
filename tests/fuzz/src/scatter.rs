//! Positions made of bytes.

use rules::{Colour, Kind, Piece, Position, Setup, Square};

/// Bytes that are used up from the front; after the last come zeros.
#[derive(Clone, Debug)]
pub struct Bytes<'b>(pub &'b [u8]);

impl Bytes<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }
}

/// The generals and so many pieces, each where it can stand. None if it's no position, whoever moves.
pub fn scattered(bytes: &mut Bytes<'_>) -> Option<Position> {
    let (generals, count) = (bytes.byte(), bytes.byte() % 31);
    let mut setup = Setup { board: [None; 90], turn: Colour::Red, quiet_plies: 0, round: 1 };
    for (colour, point) in [(Colour::Red, generals & 15), (Colour::Black, generals >> 4)] {
        put(&mut setup, Piece { colour, kind: Kind::General }, point);
    }
    let others: Vec<Kind> = Kind::ALL.into_iter().filter(|&kind| kind != Kind::General).collect();
    for _ in 0..count {
        let (piece, point) = (bytes.byte(), bytes.byte());
        let kind = others[usize::from(piece >> 1) % others.len()];
        put(&mut setup, Piece { colour: Colour::ALL[usize::from(piece & 1)], kind }, point);
    }
    let position = setup.check();
    setup.turn = Colour::Black;
    position.or_else(|_| setup.check()).ok()
}

/// Puts a piece on one of the points where it can stand, if the set still has one and the point is free.
fn put(setup: &mut Setup, piece: Piece, point: u8) {
    let points: Vec<Square> = Square::all().filter(|&square| can_stand(piece, square)).collect();
    let square = points[usize::from(point) % points.len()];
    let standing = setup.board.iter().filter(|&&other| other == Some(piece)).count();
    if standing < piece.kind.set_size() as usize && setup.board[square.index()].is_none() {
        setup.board[square.index()] = Some(piece);
    }
}

fn can_stand(piece: Piece, square: Square) -> bool {
    let (file, rank) = match piece.colour {
        Colour::Red => (square.file(), square.rank()),
        Colour::Black => (square.file(), 9 - square.rank()),
    };
    match piece.kind {
        Kind::General => (3..=5).contains(&file) && rank <= 2,
        Kind::Advisor => matches!((file, rank), (3 | 5, 0 | 2) | (4, 1)),
        Kind::Elephant => matches!((file, rank), (2 | 6, 0 | 4) | (0 | 4 | 8, 2)),
        Kind::Pawn => rank >= 5 || (rank >= 3 && file % 2 == 0),
        Kind::Horse | Kind::Rook | Kind::Cannon => true,
    }
}
