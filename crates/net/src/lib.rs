//! Networks without libtorch: what a network is ([`Description`], [`Architecture`]), its weights and their file
//! ([`Weights`]), the same in few bits for engines ([`QuantisedWeights`]), and inference of the sparse network in
//! plain Rust ([`SparseNet`], [`SparseEvaluator`]). `FORMAT.md` describes the files. What towers share is in [`tower`];
//! crate `torch` computes them.
//!
//! No training, no search, no choice of a device. Start with [`open`] to play with a network, with [`Weights`] to
//! make one.
//!
//! ```
//! use evaluator::{Answer, Evaluator, Query, Situation};
//! use net::{Architecture, Description, SparseEvaluator, SparseNet, Weights};
//! use rand::SeedableRng;
//!
//! let description = Description::new(Architecture::Sparse { hidden: 32, value_hidden: 16 }, "checks", "demo");
//! let weights = Weights::new_random(description, &mut rand_chacha::ChaCha8Rng::seed_from_u64(1))?;
//! let mut evaluator = SparseEvaluator::new(SparseNet::new(&weights)?.into());
//!
//! let position = rules::Position::start();
//! let legal = position.legal_moves();
//! let query = Query { position: &position, situation: Situation::default(), legal: &legal };
//! let mut answers = [Answer::default()];
//! evaluator.evaluate(&[query], &mut answers)?;
//! assert_eq!(answers[0].logits, [0.0; 44]); // fresh weights know nothing: every move alike
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bytes;
mod description;
mod engine_file;
mod file;
mod float_kernels;
mod float_net;
mod integer_kernels;
mod integer_net;
mod kernels;
mod lanes;
mod network;
mod onnx;
mod quantise;
mod quantised_weights;
mod sparse_evaluator;
mod sparse_net;
pub mod tower;
mod weights;

pub use description::{
    Architecture, Description, MAX_BLOCKS, MAX_CHANNELS, MAX_HIDDEN, MAX_VALUE_HIDDEN, MOVES_LEFT_UNIT,
    OUTPUTS,
};
pub use network::{MakeEvaluator, Network, NetworkFault, OpenError, open};
pub use onnx::to_onnx;
pub use quantised_weights::{EngineFileError, MAX_LICENCE, QuantisedWeights, check_licence};
pub use sparse_evaluator::SparseEvaluator;
pub use sparse_net::{Hidden, Scratch, SparseNet};
pub use weights::{Tensor, Weights, WeightsError};
