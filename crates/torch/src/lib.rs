//! Everything that touches libtorch: the networks as differentiable modules, and evaluators that answer in
//! batches on a CPU or a GPU.
//!
//! No targets, losses or optimiser (`train`), no choice of a device (`cli`). All tensors are f32 and i64.
//! Programs call [`init`] first; then start with [`open`] to play, with [`Module`] to train.

mod batch;
mod batched;
mod error;
mod evaluator;
mod init;
mod module;
mod sparse_module;
mod tower_module;

pub use batch::{Batch, BatchBuilder};
pub use batched::{Batching, batched_evaluators};
pub use error::TorchError;
pub use evaluator::{TorchEvaluator, evaluators, network, open};
pub use init::{LIBTORCH_VERSION, exit_now, gpus, init};
pub use module::{Module, Outputs, weights_of};
pub use sparse_module::{ILLEGAL_LOGIT, SparseModule, SparseParameters, move_logits};
pub use tch::Device;
pub use tower_module::TowerModule;
