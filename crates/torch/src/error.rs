//! What can go wrong.

use evaluator::EvaluatorError;
use net::{OpenError, WeightsError};

/// libtorch failed, or was given what it can't work on.
#[derive(Debug, thiserror::Error)]
pub enum TorchError {
    /// An error of libtorch's.
    #[error("libtorch: {0}")]
    Tch(#[from] tch::TchError),
    /// Weights that can't be used.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A file that is no network.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A batch must have a position.
    #[error("a batch of no positions")]
    EmptyBatch,
}

impl From<TorchError> for EvaluatorError {
    fn from(error: TorchError) -> Self {
        Self::Backend(error.to_string())
    }
}
