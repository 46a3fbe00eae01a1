//! Queries of many threads, answered in batches of one size.

use crate::error::TorchError;
use crate::evaluator::TorchEvaluator;
use crate::module::Module;
use crossbeam_channel::{Receiver, Sender, bounded};
use evaluator::{Answer, Evaluator, EvaluatorError, Query, Situation};
use net::{MakeEvaluator, Weights};
use rules::{Move, Position};
use std::iter;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tch::Device;

/// How a network answers many threads at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batching {
    /// Queries in a batch. Fewer are filled up with empty ones, so that libtorch always works on the same shapes.
    pub size: NonZeroUsize,
    /// Threads that evaluate, each on a batch of its own: on a CPU one for each core, on a GPU two keep it busy.
    pub workers: NonZeroUsize,
}

/// Evaluators of the network of these weights that hand their queries to workers which they share. It pays when many
/// threads ask at once, each for one position.
///
/// The workers end with the last evaluator and what makes them.
pub fn batched_evaluators(
    weights: &Weights,
    device: Device,
    batching: Batching,
) -> Result<Arc<MakeEvaluator>, TorchError> {
    let workers = Arc::new(Workers::start(weights, device, batching)?);
    Ok(Arc::new(move || Box::new(Batched { workers: Arc::clone(&workers) })))
}

/// A query with what it refers to, and where its answer is waited for.
struct Request {
    position: Position,
    situation: Situation,
    legal: Vec<Move>,
    /// Room for the answer.
    answer: Answer,
    reply: Sender<Result<Answer, String>>,
}

/// Threads that evaluate.
struct Workers {
    /// Without, they end.
    requests: Option<Sender<Request>>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    fn start(weights: &Weights, device: Device, batching: Batching) -> Result<Self, TorchError> {
        // Who asks waits, so there are never more requests than threads that ask; a full channel makes them wait here.
        let (requests, todo) = bounded(4 * batching.size.get() * batching.workers.get());
        let size = batching.size.get();
        let evaluators = iter::repeat_with(|| Ok(TorchEvaluator::new(Module::new(weights, device)?, size)))
            .take(batching.workers.get())
            .collect::<Result<Vec<_>, TorchError>>()?;
        let threads = evaluators.into_iter().map(|evaluator| {
            let todo = todo.clone();
            thread::spawn(move || work(evaluator, size, &todo))
        });
        Ok(Self { requests: Some(requests), threads: threads.collect() })
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.requests = None;
        for thread in self.threads.drain(..) {
            // Whoever waited for a worker that died was told.
            thread.join().ok();
        }
    }
}

/// Takes what is there, up to a batch, and answers it, until nobody can ask any more.
fn work(mut evaluator: TorchEvaluator, size: usize, todo: &Receiver<Request>) {
    let (mut batch, mut answers) = (Vec::with_capacity(size), Vec::with_capacity(size));
    while let Ok(first) = todo.recv() {
        batch.extend(iter::once(first).chain(todo.try_iter()).take(size));
        answers.extend(batch.iter_mut().map(|request: &mut Request| std::mem::take(&mut request.answer)));
        let queries: Vec<Query<'_>> = batch.iter().map(Request::query).collect();
        let result = evaluator.evaluate(&queries, &mut answers).map_err(|error| error.to_string());
        drop(queries);
        for (request, answer) in batch.drain(..).zip(answers.drain(..)) {
            // Whoever asked may have gone away.
            request.reply.send(result.clone().map(|()| answer)).ok();
        }
    }
}

impl Request {
    fn query(&self) -> Query<'_> {
        Query { position: &self.position, situation: self.situation, legal: &self.legal }
    }
}

/// Asks the workers.
struct Batched {
    workers: Arc<Workers>,
}

impl Batched {
    fn ask(&self, query: &Query<'_>, answer: &mut Answer) -> Result<(), EvaluatorError> {
        let died = || EvaluatorError::Backend("the thread that evaluates has died".to_owned());
        // One for each request, so that nobody waits for a worker that died with it.
        let (reply, replies) = bounded(1);
        let request = Request {
            position: query.position.clone(),
            situation: query.situation,
            legal: query.legal.to_vec(),
            answer: std::mem::take(answer),
            reply,
        };
        let sent = self.workers.requests.as_ref().is_some_and(|requests| requests.send(request).is_ok());
        let result = if sent { replies.recv().ok() } else { None };
        *answer = result.ok_or_else(died)?.map_err(EvaluatorError::Backend)?;
        Ok(())
    }
}

impl Evaluator for Batched {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        queries.iter().zip(answers).try_for_each(|(query, answer)| self.ask(query, answer))
    }
}
