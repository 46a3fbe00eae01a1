//! The simplest driver: one tree, one evaluator, one query at a time.

use crate::search::Search;
use evaluator::{Answer, Evaluator, EvaluatorError};

/// Spends the search's budget with an evaluator that answers at once.
///
/// Asks for values first if they are cheap ([`Evaluator::values_are_cheap`]).
///
/// After an error the search may be run again; it goes on with the query that was not answered.
pub fn run(search: &mut Search, evaluator: &mut (impl Evaluator + ?Sized)) -> Result<(), EvaluatorError> {
    search.ask_values_first(evaluator.values_are_cheap());
    let mut answer = Answer::default();
    while let Some(query) = search.gather() {
        evaluator.evaluate(&[query], std::slice::from_mut(&mut answer))?;
        search.apply(&answer);
    }
    Ok(())
}
