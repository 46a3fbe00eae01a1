//! The contract between a position and a network: what goes in ([`Query`], [`Features`]), what comes out
//! ([`Answer`], [`Wdl`]), how moves are numbered ([`MoveIndex`]), and the trait between them ([`Evaluator`]).
//!
//! No network is here, only fakes that tests and baselines use ([`Uniform`], [`Hashed`], [`Material`]), and
//! [`Cached`], which remembers another evaluator's answers.
//!
//! Everything is from the side to move's point of view: when it is Black's turn the board is turned by 180° and
//! the colours are exchanged, so that the mover always plays up.
//!
//! ```
//! use evaluator::{Answer, Cached, Evaluator, Features, Material, MoveIndex, Query, Situation};
//! use rules::{Game, Position, Rules};
//!
//! let game = Game::new(Position::start(), Rules::default());
//! let legal = game.position().legal_moves();
//! let query = Query { position: game.position(), situation: Situation::of(&game), legal: &legal };
//! assert_eq!(Features::of(&query).active().len(), 32);
//! assert_eq!(MoveIndex::of(legal[0], game.position().turn()).to_move(game.position().turn()), legal[0]);
//!
//! let mut answers = [Answer::default()];
//! Cached::new(Material, 1_000).evaluate(&[query], &mut answers)?;
//! assert_eq!(answers[0].logits.len(), 44);
//! # Ok::<(), evaluator::EvaluatorError>(())
//! ```

mod cached;
mod evaluate;
mod fakes;
mod features;
mod move_index;
mod softmax;
mod wdl;

pub use cached::Cached;
pub use evaluate::{Answer, Evaluator, EvaluatorError, Query, Situation};
pub use fakes::{Hashed, Material, Uniform, material_balance, piece_worth};
pub use features::{
    EXCHANGES, FEATURE_VERSION, Features, INPUTS, MAX_ACTIVE, PIECE_INPUTS, mirrored_input, quiet_steps,
};
pub use move_index::{MOVE_INDEX_VERSION, MOVES, MoveIndex};
pub use softmax::{exponentiate, softmax};
pub use wdl::Wdl;
