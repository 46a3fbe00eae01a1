//! Evaluators that know nothing, or only material: for tests, baselines and generation zero.

use crate::evaluate::{Answer, Evaluator, EvaluatorError, Query};
use crate::wdl::Wdl;
use rules::{Colour, Kind, Move, Piece, Position, Square};

/// Every move alike, every position a draw.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl Evaluator for Uniform {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        for (query, answer) in queries.iter().zip(answers) {
            write(answer, Wdl::DRAW, query.legal, |_| 0.0);
        }
        Ok(())
    }

    fn values_are_cheap(&self) -> bool {
        true
    }
}

/// Reproducible noise: a pure function of position and move, for golden tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashed {
    /// Another seed, another function.
    pub seed: u64,
}

impl Evaluator for Hashed {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        for (query, answer) in queries.iter().zip(answers) {
            let key = query.position.key() ^ self.seed;
            let wdl = Wdl::from_value(unit(key), 0.5 + unit(key ^ 1) / 2.0);
            write(answer, wdl, query.legal, |mv| 2.0 * unit(key ^ (u64::from(mv.bits()) + 2)));
        }
        Ok(())
    }

    fn values_are_cheap(&self) -> bool {
        true
    }
}

/// Every move alike; the value is tanh of the material balance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Material;

impl Evaluator for Material {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        for (query, answer) in queries.iter().zip(answers) {
            let balance = material_balance(query.position, query.position.turn());
            let value = (balance as f32 / 8.0).tanh();
            write(answer, Wdl::from_value(value, 1.0 - value.abs()), query.legal, |_| 0.0);
        }
        Ok(())
    }

    fn values_are_cheap(&self) -> bool {
        true
    }
}

/// One side's material less the other's, each piece at its [`piece_worth`].
pub fn material_balance(position: &Position, side: Colour) -> i32 {
    material(position, side) - material(position, side.opponent())
}

fn material(position: &Position, side: Colour) -> i32 {
    let worth = |kind| {
        let squares = position.pieces(side, kind).into_iter();
        squares.map(|square| piece_worth(Piece { colour: side, kind }, square)).sum::<i32>()
    };
    Kind::ALL.into_iter().map(worth).sum()
}

/// A piece's worth where it stands, in pawns: rook 9, cannon and horse 4, advisor and elephant 2, pawn 1, or 2 across
/// the river, general 0.
#[inline]
pub fn piece_worth(piece: Piece, square: Square) -> i32 {
    match piece.kind {
        Kind::General => 0,
        Kind::Advisor | Kind::Elephant => 2,
        Kind::Horse | Kind::Cannon => 4,
        Kind::Rook => 9,
        Kind::Pawn => 1 + i32::from((square.rank() >= 5) == (piece.colour == Colour::Red)),
    }
}

fn write(answer: &mut Answer, wdl: Wdl, legal: &[Move], logit: impl Fn(Move) -> f32) {
    answer.wdl = wdl;
    answer.moves_left = 0.0;
    answer.logits.clear();
    answer.logits.extend(legal.iter().map(|&mv| logit(mv)));
}

/// A number in [−1, 1) from a key, by the output function of splitmix64.
fn unit(key: u64) -> f32 {
    let z = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
}
