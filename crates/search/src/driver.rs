//! The simplest driver: one tree, one evaluator, one leaf at a time.

use crate::search::Search;
use evaluator::{Answer, Evaluator, EvaluatorError};

/// Spends the search's budget with an evaluator that answers at once.
///
/// After an error the search may be run again; it goes on with the leaf that was not answered.
pub fn run(search: &mut Search, evaluator: &mut (impl Evaluator + ?Sized)) -> Result<(), EvaluatorError> {
    let mut answer = Answer::default();
    while let Some(query) = search.gather() {
        evaluator.evaluate(&[query], std::slice::from_mut(&mut answer))?;
        search.apply(&answer);
    }
    Ok(())
}
