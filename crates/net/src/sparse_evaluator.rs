//! The sparse network as an evaluator.

use crate::description::MOVES_LEFT_UNIT;
use crate::sparse_net::{Hidden, Scratch, SparseNet};
use evaluator::{Answer, Evaluator, EvaluatorError, Features, MoveIndex, Query, Situation, Wdl};
use rules::Position;
use std::sync::Arc;

/// So many positions are remembered: self-play is a seventh faster than with one (32 simulations, 128 wide).
const REMEMBERED: usize = 128;

/// Answers by a sparse network, one query at a time, on the thread that asks.
///
/// The same query gets the same answer to the bit, with AVX2 or without. What it makes of a position
/// before it looks at moves is remembered until another position takes its place. A clone shares the network.
#[derive(Clone, Debug)]
pub struct SparseEvaluator {
    net: Arc<SparseNet>,
    scratch: Scratch,
    /// (move index, exchange) of the query's moves.
    moves: Vec<(u16, u16)>,
    /// Each position has one place where it can be; a new one replaces an old one.
    memory: Vec<Place>,
}

/// Room for what the network makes of a position before it looks at moves.
#[derive(Clone, Debug)]
struct Place {
    hidden: Hidden,
    looked: Option<Look>,
}

/// What goes with the hidden layer.
#[derive(Clone, Debug)]
struct Look {
    position: Position,
    situation: Situation,
    features: Features,
    wdl: Wdl,
    moves_left: f32,
}

impl SparseEvaluator {
    /// Answers by `net`.
    pub fn new(net: Arc<SparseNet>) -> Self {
        let place = Place { hidden: net.hidden(), looked: None };
        Self { scratch: Scratch::default(), moves: Vec::new(), memory: vec![place; REMEMBERED], net }
    }

    fn answer(&mut self, query: &Query<'_>, answer: &mut Answer) -> Result<(), EvaluatorError> {
        let place = &mut self.memory[query.position.key() as usize % REMEMBERED];
        let look = place.look(query, &self.net, &mut self.scratch)?;
        (answer.wdl, answer.moves_left) = (look.wdl, look.moves_left);
        answer.logits.clear();
        if query.legal.is_empty() {
            return Ok(());
        }
        let mover = query.position.turn();
        self.moves.clear();
        self.moves.extend(query.legal.iter().map(|&mv| {
            (MoveIndex::of(mv, mover).get() as u16, look.features.exchange(query.position, mv) as u16)
        }));
        self.net.logits(&place.hidden, &self.moves, &mut self.scratch, &mut answer.logits);
        EvaluatorError::unless_finite("a move", &answer.logits, query.position)
    }
}

impl Place {
    /// What the network makes of the query's position, remembered or new.
    fn look(
        &mut self,
        query: &Query<'_>,
        net: &SparseNet,
        scratch: &mut Scratch,
    ) -> Result<&Look, EvaluatorError> {
        if !self.looked.as_ref().is_some_and(|look| look.is_at(query)) {
            self.looked = None;
            let features = Features::of(query);
            let [win, draw, loss, raw_moves_left] = net.outputs(features.active(), &mut self.hidden, scratch);
            EvaluatorError::unless_finite("the result", &[win, draw, loss], query.position)?;
            EvaluatorError::unless_finite("moves left", &[raw_moves_left], query.position)?;
            self.looked = Some(Look {
                position: query.position.clone(),
                situation: query.situation,
                features,
                wdl: Wdl::from_logits([win, draw, loss]),
                moves_left: MOVES_LEFT_UNIT * softplus(raw_moves_left),
            });
        }
        Ok(self.looked.as_ref().expect("has just been looked at, if not before"))
    }
}

impl Look {
    fn is_at(&self, query: &Query<'_>) -> bool {
        self.position.key() == query.position.key()
            && self.situation == query.situation
            && self.position == *query.position
    }
}

impl Evaluator for SparseEvaluator {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        queries.iter().zip(answers).try_for_each(|(query, answer)| self.answer(query, answer))
    }

    fn values_are_cheap(&self) -> bool {
        true
    }
}

/// ln(1 + eˣ) without overflow.
fn softplus(x: f32) -> f32 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
