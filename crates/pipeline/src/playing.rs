//! How a run's nets play: who evaluates, and how many games go on at a time.

use crate::error::PipelineError;
use crate::run::Run;
use net::{Architecture, MakeEvaluator, SparseEvaluator, SparseNet, Weights};
use std::num::NonZeroUsize;
use std::sync::Arc;
use torch::{Batching, Device};

/// Threads that evaluate towers on a GPU: while one prepares its batch, the other's is computed.
const GPU_WORKERS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);
/// Games for each place in the workers' batches: while one half waits for answers, the other half fills new batches.
const GAMES_PER_PLACE: usize = 2;

impl Run<'_> {
    /// A net's evaluators: of a sparse net's on the thread that asks, as fast as can be; of a tower's in batches.
    pub(crate) fn evaluators(&self, weights: &Weights) -> Result<Arc<MakeEvaluator>, PipelineError> {
        match weights.description().architecture {
            Architecture::Sparse { .. } => {
                let net = Arc::new(SparseNet::fastest(weights).map_err(torch::TorchError::from)?);
                Ok(Arc::new(move || Box::new(SparseEvaluator::new(Arc::clone(&net)))))
            }
            Architecture::Tower { .. } => {
                Ok(torch::batched_evaluators(weights, self.options.device, self.batching())?)
            }
        }
    }

    /// Games that are played at the same time, each on a thread of its own. Those with a tower mostly wait for answers.
    pub(crate) fn games_at_once(&self) -> usize {
        match self.config.net.architecture() {
            Architecture::Sparse { .. } => self.options.threads.get(),
            Architecture::Tower { .. } => {
                let Batching { size, workers } = self.batching();
                GAMES_PER_PLACE * size.get() * workers.get()
            }
        }
    }

    fn batching(&self) -> Batching {
        let workers = match self.options.device {
            Device::Cpu => self.options.threads,
            _ => GPU_WORKERS,
        };
        let size = NonZeroUsize::new(self.config.net.tower.batch_size).unwrap_or(NonZeroUsize::MIN);
        Batching { size, workers }
    }
}
