//! Start positions of formats that list where each piece stands and leave open whose turn it is.

use rules::{Colour, FenError, Kind, Move, Piece, Position, Setup, Square};

/// The 16 pieces of a side in the order of XQF and `DhtmlXQ`.
const ORDER: [Kind; 16] = [
    Kind::Rook,
    Kind::Horse,
    Kind::Elephant,
    Kind::Advisor,
    Kind::General,
    Kind::Advisor,
    Kind::Elephant,
    Kind::Horse,
    Kind::Rook,
    Kind::Cannon,
    Kind::Cannon,
    Kind::Pawn,
    Kind::Pawn,
    Kind::Pawn,
    Kind::Pawn,
    Kind::Pawn,
];

/// The board with each of 32 pieces on its point: Red's first, in the order of [`ORDER`].
pub(crate) fn board(points: &[Option<Square>]) -> [Option<Piece>; 90] {
    let mut board = [None; 90];
    let pieces = Colour::ALL.into_iter().flat_map(|colour| ORDER.map(|kind| Piece { colour, kind }));
    for (piece, point) in pieces.zip(points) {
        if let Some(square) = point {
            board[square.index()] = Some(piece);
        }
    }
    board
}

/// The point of each piece, in the order of [`ORDER`]; none for a piece that is not on the board.
pub(crate) fn points(position: &Position) -> Vec<Option<Square>> {
    let mut points = Vec::with_capacity(32);
    for colour in Colour::ALL {
        let mut squares = Kind::ALL.map(|kind| position.pieces(colour, kind).into_iter());
        points.extend(ORDER.map(|kind| squares[kind.index()].next()));
    }
    points
}

/// The position, in which the side moves that makes the first move; `turn` if there is none.
///
/// Also says whether that is another side than `turn`.
pub(crate) fn position(
    board: [Option<Piece>; 90],
    first: Option<Move>,
    turn: Colour,
) -> Result<(Position, bool), FenError> {
    let mover = first.and_then(|mv| board[mv.from().index()]).map_or(turn, |piece| piece.colour);
    let setup = Setup { board, turn: mover, quiet_plies: 0, round: 1 };
    Ok((setup.check()?, mover != turn))
}
