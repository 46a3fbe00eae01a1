//! A thread that thinks.

use super::signal::Signal;
use super::table::{MOST_AT_ONCE, Step, Table};
use evaluator::{Answer, Evaluator, EvaluatorError};
use search::{PlayTree, Walk};
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
        let mut walks: Vec<Walk> = (0..MOST_AT_ONCE).map(|_| tree.walk()).collect();
        loop {
            let (begun, step) = begin(table, worker, &tree, &mut walks, signal);
            let begun = &mut walks[..begun];
            let looked = begun.iter_mut().try_for_each(|walk| look(walk, evaluator, &mut answer));
            if looked.is_err() {
                for walk in begun {
                    tree.cancel(walk);
                }
                return looked;
            }
            for walk in begun.iter_mut() {
                tree.apply(walk);
                table.count(worker, walk, signal);
            }
            match step {
                _ if !begun.is_empty() => {}
                Step::Look | Step::GoOn => {}
                Step::Wait => std::thread::yield_now(),
                Step::Prune => break,
                Step::End => return Ok(()),
            }
        }
        drop(tree);
        table.prune();
    }
}

/// Sends the first walks off, as many as may be begun at once: how many, and what kept the next from it.
fn begin(
    table: &Table,
    worker: usize,
    tree: &PlayTree,
    walks: &mut [Walk],
    signal: &Signal,
) -> (usize, Step) {
    let at_once = table.at_once(tree);
    for (begun, walk) in walks[..at_once].iter_mut().enumerate() {
        let step = table.next(worker, tree, walk, signal);
        if step != Step::Look {
            return (begun, step);
        }
    }
    (at_once, Step::Look)
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
