//! A thread that thinks.

use super::signal::Signal;
use super::table::{Step, Table};
use evaluator::{Answer, Evaluator, EvaluatorError};
use search::Walk;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Works, as the worker with this number, until there is nothing more to do. Whatever happens, the others end and the thinker is told.
pub(super) fn work(
    table: &Table,
    worker: usize,
    signal: &Signal,
    evaluator: &mut dyn Evaluator,
) -> Result<(), WorkerError> {
    // What a panic leaves half done is thrown away by the thinker.
    let done = catch_unwind(AssertUnwindSafe(|| walk_on(table, worker, signal, evaluator)));
    let result = match done {
        Ok(result) => result.map_err(WorkerError::Evaluator),
        Err(payload) => Err(WorkerError::Panic(message(payload.as_ref()))),
    };
    if result.is_err() {
        table.close();
    }
    table.leave();
    signal.wake();
    result
}

/// Why a thread has ended early.
#[derive(Debug)]
pub(super) enum WorkerError {
    Evaluator(EvaluatorError),
    Panic(String),
}

fn walk_on(
    table: &Table,
    worker: usize,
    signal: &Signal,
    evaluator: &mut dyn Evaluator,
) -> Result<(), EvaluatorError> {
    let mut answer = Answer::default();
    loop {
        let tree = table.tree();
        let mut walk = tree.walk();
        loop {
            match table.next(worker, &tree, &mut walk, signal) {
                Step::Look => {
                    let looked = look(&mut walk, evaluator, &mut answer);
                    if looked.is_err() {
                        tree.cancel(&mut walk);
                        return looked;
                    }
                    tree.apply(&mut walk);
                    table.count(worker, &walk, signal);
                }
                Step::GoOn => {}
                Step::Wait => std::thread::yield_now(),
                Step::Prune => break,
                Step::End => return Ok(()),
            }
        }
        drop(tree);
        table.prune();
    }
}

/// Looks at the leaf, and has it evaluated unless the game ends there.
fn look(walk: &mut Walk, evaluator: &mut dyn Evaluator, answer: &mut Answer) -> Result<(), EvaluatorError> {
    if let Some(query) = walk.look() {
        evaluator.evaluate(&[query], std::slice::from_mut(answer))?;
        walk.answer(answer);
    }
    Ok(())
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|&text| text.to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
