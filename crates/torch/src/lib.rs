//! Everything that touches libtorch: the networks as differentiable modules, and evaluators that answer in
//! batches on a CPU or a GPU.
//!
//! No targets, losses or optimiser (`train`), no choice of a device (`cli`). All tensors are f32 and i64.
//! Programs call [`init`] first; then start with [`SparseModule`].

mod batch;
mod error;
mod evaluator;
mod init;
mod sparse_module;

pub use batch::{Batch, BatchBuilder};
pub use error::TorchError;
pub use evaluator::{TorchEvaluator, open};
pub use init::{LIBTORCH_VERSION, init};
pub use sparse_module::{ILLEGAL_LOGIT, Outputs, SparseModule, SparseParameters, move_logits, weights_of};
pub use tch::Device;
