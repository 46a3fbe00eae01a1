//! The sparse network as an evaluator.

use crate::description::MOVES_LEFT_UNIT;
use crate::sparse_net::{Scratch, SparseNet};
use evaluator::{Answer, Evaluator, EvaluatorError, Features, MoveIndex, Query, Wdl};
use std::sync::Arc;

/// Answers by a sparse network, one query at a time, on the thread that asks.
///
/// The same query gets the same answer to the bit, with AVX2 or without. A clone shares the network.
#[derive(Clone, Debug)]
pub struct SparseEvaluator {
    net: Arc<SparseNet>,
    scratch: Scratch,
    /// (move index, exchange) of the query's moves.
    moves: Vec<(u16, u16)>,
}

impl SparseEvaluator {
    /// Answers by `net`.
    pub fn new(net: Arc<SparseNet>) -> Self {
        Self { scratch: net.scratch(), moves: Vec::new(), net }
    }

    fn answer(&mut self, query: &Query<'_>, answer: &mut Answer) -> Result<(), EvaluatorError> {
        let features = Features::of(query);
        let mover = query.position.turn();
        self.moves.clear();
        self.moves.extend(query.legal.iter().map(|&mv| {
            (MoveIndex::of(mv, mover).get() as u16, features.exchange(query.position, mv) as u16)
        }));
        answer.logits.clear();
        let [win, draw, loss, raw_moves_left] =
            self.net.forward(features.active(), &self.moves, &mut self.scratch, &mut answer.logits);
        EvaluatorError::unless_finite("the result", &[win, draw, loss], query.position)?;
        EvaluatorError::unless_finite("moves left", &[raw_moves_left], query.position)?;
        EvaluatorError::unless_finite("a move", &answer.logits, query.position)?;
        answer.wdl = Wdl::from_logits([win, draw, loss]);
        answer.moves_left = MOVES_LEFT_UNIT * softplus(raw_moves_left);
        Ok(())
    }
}

impl Evaluator for SparseEvaluator {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        queries.iter().zip(answers).try_for_each(|(query, answer)| self.answer(query, answer))
    }
}

/// ln(1 + eˣ) without overflow.
fn softplus(x: f32) -> f32 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
