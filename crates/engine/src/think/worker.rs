//! A thread that thinks.

use super::signal::Signal;
use super::table::{Step, Table};
use evaluator::{Answer, Evaluator, EvaluatorError};
use search::Walk;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Works until there is nothing more to do. Whatever happens, the others end and the thinker is told.
pub(super) fn work(table: &Table, signal: &Signal, evaluator: &mut dyn Evaluator) -> Result<(), WorkerError> {
    // What a panic leaves half done is thrown away by the thinker.
    let done = catch_unwind(AssertUnwindSafe(|| walk_on(table, signal, evaluator)));
    let result = match done {
        Ok(result) => result.map_err(WorkerError::Evaluator),
        Err(payload) => Err(WorkerError::Panic(message(payload.as_ref()))),
    };
    let mut desk = table.lock();
    desk.workers -= 1;
    if result.is_err() {
        table.close(&mut desk);
    }
    drop(desk);
    signal.wake();
    result
}

/// Why a thread has ended early.
#[derive(Debug)]
pub(super) enum WorkerError {
    Evaluator(EvaluatorError),
    Panic(String),
}

fn walk_on(table: &Table, signal: &Signal, evaluator: &mut dyn Evaluator) -> Result<(), EvaluatorError> {
    let mut answer = Answer::default();
    let mut desk = table.lock();
    let mut walk = desk.tree.walk();
    loop {
        match table.next(&mut desk, &mut walk, signal) {
            Step::Look => {
                drop(desk);
                let looked = look(&mut walk, evaluator, &mut answer);
                desk = table.lock();
                if looked.is_err() {
                    desk.tree.cancel(&mut walk);
                    return looked;
                }
                table.apply(&mut desk, &mut walk, signal);
            }
            Step::GoOn => {
                drop(desk);
                std::thread::yield_now();
                desk = table.lock();
            }
            Step::Wait => desk = table.wait(desk),
            Step::End => return Ok(()),
        }
    }
}

/// What is done without the lock.
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
