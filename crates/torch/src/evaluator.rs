//! Answers in batches.

use crate::batch::BatchBuilder;
use crate::error::TorchError;
use crate::module::{Module, Outputs};
use evaluator::{Answer, Evaluator, EvaluatorError, Features, MoveIndex, Query, Wdl};
use net::{Architecture, MakeEvaluator, Network, NetworkFault, OpenError, Weights, WeightsError};
use std::path::Path;
use std::sync::Arc;
use tch::{Device, Tensor};

/// Opens an engine file or a weights file, of whatever network.
///
/// `device` says where a tower computes; it isn't asked for a sparse network, which does without libtorch.
pub fn open(path: &Path, device: impl FnOnce() -> Device) -> Result<Network, TorchError> {
    match net::open(path) {
        Err(OpenError::Refused { fault: NetworkFault::Weights(WeightsError::Tower), .. }) => {
            network(&Weights::read(path)?, device)
        }
        other => Ok(other?),
    }
}

/// The network of these weights, whatever its family, ready to answer each query by itself on the thread that asks.
/// `device` is as for [`open`].
pub fn network(weights: &Weights, device: impl FnOnce() -> Device) -> Result<Network, TorchError> {
    match weights.description().architecture {
        Architecture::Sparse { .. } => Ok(Network::of_sparse(weights)?),
        Architecture::Tower { .. } => Ok(Network::with_evaluators(weights, evaluators(weights, device())?)),
    }
}

/// Evaluators by libtorch on a device, of whatever network: each answers on the thread that asks.
pub fn evaluators(weights: &Weights, device: Device) -> Result<Arc<MakeEvaluator>, TorchError> {
    // What can go wrong with a module goes wrong here.
    drop(Module::new(weights, device)?);
    let copy = weights.clone();
    Ok(Arc::new(move || {
        Box::new(TorchEvaluator::new(Module::new(&copy, device).expect("it went well the first time"), 1))
    }))
}

/// Answers all queries of a call in one batch, by libtorch.
///
/// libtorch adds up in an order that depends on the shapes, so an answer may differ in its last bits from one
/// batch size to another. Where the same seed must give the same game, batches must be filled up to one size; on a CPU
/// an answer then depends on the query alone (a test asks for towers), and [`net::SparseEvaluator`] needs no batches.
#[derive(Debug)]
pub struct TorchEvaluator {
    module: Module,
    builder: BatchBuilder,
    least: usize,
}

impl TorchEvaluator {
    /// Answers by a module, in batches of at least so many positions: fewer are filled up with empty boards.
    pub fn new(module: Module, least: usize) -> Self {
        Self { module, builder: BatchBuilder::new(), least }
    }

    fn fill_builder(&mut self, queries: &[Query<'_>]) {
        self.builder.clear();
        for query in queries {
            let features = Features::of(query);
            let mover = query.position.turn();
            let moves = query
                .legal
                .iter()
                .map(|&mv| (MoveIndex::of(mv, mover).get(), features.exchange(query.position, mv)));
            self.builder.push(features.active(), moves);
        }
        for _ in queries.len()..self.least {
            self.builder.push(&[], []);
        }
    }

    fn compute(&self) -> Result<Outputs, TorchError> {
        let batch = self.builder.build(self.module.device())?;
        tch::no_grad(|| self.module.forward(&batch))
    }
}

impl Evaluator for TorchEvaluator {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        if queries.is_empty() {
            return Ok(());
        }
        self.fill_builder(queries);
        let outputs = self.compute()?;
        let (wdl, moves_left) = (values(&outputs.wdl_logits)?, values(&outputs.moves_left)?);
        let logits = values(&outputs.policy_logits)?;
        let width = logits.len() / queries.len().max(self.least);
        let rows = wdl.chunks_exact(3).zip(moves_left).zip(logits.chunks_exact(width));
        for ((query, answer), ((wdl, moves_left), logits)) in queries.iter().zip(answers).zip(rows) {
            let logits = &logits[..query.legal.len()];
            EvaluatorError::unless_finite("the result", wdl, query.position)?;
            EvaluatorError::unless_finite("moves left", &[moves_left], query.position)?;
            EvaluatorError::unless_finite("a move", logits, query.position)?;
            answer.wdl = Wdl::from_logits([wdl[0], wdl[1], wdl[2]]);
            answer.moves_left = moves_left;
            answer.logits.clear();
            answer.logits.extend_from_slice(logits);
        }
        Ok(())
    }
}

/// A tensor's numbers on this side, row by row.
fn values(tensor: &Tensor) -> Result<Vec<f32>, TorchError> {
    let mut values = vec![0.0; tensor.numel()];
    let count = values.len();
    tensor.f_to_device(Device::Cpu)?.f_contiguous()?.f_copy_data(&mut values, count)?;
    Ok(values)
}
