//! Question, answer, and who answers.

use crate::wdl::Wdl;
use rules::{ByColour, Game, Move, Position, Standing};

/// What the position alone doesn't say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an input of its own to the network")]
pub struct Situation {
    /// Plies since the last capture.
    pub quiet_plies: u16,
    /// This position has occurred before in the game.
    pub repeated: bool,
    /// The mover must vary: going round once more as since the last occurrence would lose for it, or be refused
    /// ([`Game::bound_to_vary`]).
    pub mover_bound: bool,
    /// The opponent must vary.
    pub opponent_bound: bool,
    /// The mover is in check.
    pub in_check: bool,
}

impl Situation {
    /// The situation at the end of a game. Nobody is bound to vary before a position comes back.
    pub fn of(game: &Game) -> Self {
        Self::given(game, game.standing())
    }

    /// The same for a caller who knows already how the game stands.
    #[inline]
    pub fn given(game: &Game, Standing { repeated, in_check }: Standing) -> Self {
        let bound = if repeated { game.bound_to_vary() } else { ByColour::default() };
        let mover = game.position().turn();
        Self {
            quiet_plies: game.position().quiet_plies(),
            repeated,
            mover_bound: bound[mover],
            opponent_bound: bound[mover.opponent()],
            in_check,
        }
    }
}

/// A position that wants evaluating.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The position.
    pub position: &'a Position,
    /// What its history adds.
    pub situation: Situation,
    /// Its legal moves, or none if its value alone is asked for.
    pub legal: &'a [Move],
}

/// What an evaluator says, from the side to move's point of view.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Answer {
    /// How the game will end.
    pub wdl: Wdl,
    /// In how many plies; 0 or more.
    pub moves_left: f32,
    /// One per legal move, in the order of [`Query::legal`]; softmax makes them the policy.
    pub logits: Vec<f32>,
}

/// Something that can't evaluate.
#[derive(Debug, thiserror::Error)]
pub enum EvaluatorError {
    /// A network gave a number that is none.
    #[error("the network answered {value} for {what} in {fen}")]
    NotFinite {
        /// Which output.
        what: &'static str,
        /// NaN or an infinity.
        value: f32,
        /// The position.
        fen: String,
    },
    /// The library that computes failed.
    #[error("evaluation failed: {0}")]
    Backend(String),
}

impl EvaluatorError {
    /// An error unless all of a network's numbers for a position are finite. `what` names the output.
    pub fn unless_finite(what: &'static str, values: &[f32], position: &Position) -> Result<(), Self> {
        // Not `all`, which looks at one after the other.
        if values.iter().fold(true, |finite, value| finite & value.is_finite()) {
            return Ok(());
        }
        let value = values.iter().copied().find(|value| !value.is_finite()).unwrap_or(f32::NAN);
        Err(Self::NotFinite { what, value, fen: position.fen() })
    }
}

/// Answers queries.
///
/// A pure function of each query: no dependence on the batch, the thread or what was asked before. `&mut self` is
/// scratch space, or a memory that changes no answer; each thread has its own evaluator. Value and moves left don't depend
/// on the moves that are asked for; if none are, there are no logits.
pub trait Evaluator: Send {
    /// Fills `answers[i]` for `queries[i]`; the slices are of equal length.
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError>;

    /// Does the value alone, without moves, cost much less than the whole answer, and no waiting? Then a search asks for
    /// it first, and for the moves of those positions alone that it visits again.
    fn values_are_cheap(&self) -> bool {
        false
    }
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        (**self).evaluate(queries, answers)
    }

    fn values_are_cheap(&self) -> bool {
        (**self).values_are_cheap()
    }
}
