//! What a move gains.

use evaluator::piece_worth;
use rules::{Kind, Move, Position};

/// By how much a legal move changes the mover's material balance: what it takes, and one more for a pawn that
/// crosses the river.
#[inline]
pub(crate) fn gain(position: &Position, mv: Move) -> i32 {
    let taken = position.piece_at(mv.to()).map_or(0, |victim| piece_worth(victim, mv.to()));
    let moved = position.piece_at(mv.from()).expect("a legal move starts on a piece");
    if moved.kind == Kind::Pawn {
        taken + piece_worth(moved, mv.to()) - piece_worth(moved, mv.from())
    } else {
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::one_of;
    use evaluator::material_balance;
    use rand::SeedableRng as _;

    #[test]
    fn the_gain_is_the_difference_of_the_balances() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for _ in 0..50 {
            let mut position = Position::start();
            for _ in 0..100 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mover = position.turn();
                let before = material_balance(&position, mover);
                for &mv in &moves {
                    let expected = gain(&position, mv);
                    let undo = position.play_unchecked(mv);
                    assert_eq!(material_balance(&position, mover), before + expected, "{mv} {position:?}");
                    position.undo(undo);
                }
                position.play_unchecked(one_of(&moves, &mut rng));
            }
        }
    }
}
