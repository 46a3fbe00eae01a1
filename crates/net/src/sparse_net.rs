//! The sparse network's weights, laid out for inference.

use crate::description::{Architecture, OUTPUTS};
use crate::kernels::{Kernels, Lanes, Layers};
use crate::weights::Weights;

/// A sparse network ready to run; read-only, shared by all threads.
///
/// Rows are whole vector registers. The four columns of the input weights that go straight to the outputs are kept
/// apart.
#[derive(Clone, Debug)]
pub struct SparseNet {
    pub(crate) input_weight: Vec<Lanes>,         // [5056, H]
    pub(crate) input_bias: Vec<Lanes>,           // [H]
    pub(crate) skip_weight: Vec<[f32; OUTPUTS]>, // [5056]
    pub(crate) skip_bias: [f32; OUTPUTS],
    pub(crate) value_weight: Vec<Lanes>,  // [V, H]
    pub(crate) value_bias: Vec<Lanes>,    // [V]
    pub(crate) value_out: Vec<Lanes>,     // [4, V]
    pub(crate) policy_weight: Vec<Lanes>, // [2062, H]
    pub(crate) policy_bias: Vec<f32>,     // [2062]
    pub(crate) policy_exchange: Vec<f32>, // [224]
    kernels: Kernels,
}

/// Memory for one evaluation at a time, for one thread.
#[derive(Clone, Debug)]
pub struct Scratch(Layers);

impl SparseNet {
    /// Copies the weights into the layout of inference.
    pub fn new(weights: &Weights) -> Self {
        let Architecture::Sparse { hidden, .. } = weights.description().architecture;
        let rows = weights.values("input.weight").chunks_exact(hidden + OUTPUTS);
        let (input_bias, skip_bias) = weights.values("input.bias").split_at(hidden);
        let pack = |name| Lanes::pack(weights.values(name)).collect();
        Self {
            input_weight: rows.clone().flat_map(|row| Lanes::pack(&row[..hidden])).collect(),
            input_bias: Lanes::pack(input_bias).collect(),
            skip_weight: rows.map(|row| four(&row[hidden..])).collect(),
            skip_bias: four(skip_bias),
            value_weight: pack("value.weight"),
            value_bias: pack("value.bias"),
            value_out: pack("value.out"),
            policy_weight: pack("policy.weight"),
            policy_bias: weights.values("policy.bias").to_vec(),
            policy_exchange: weights.values("policy.exchange").to_vec(),
            kernels: Kernels::best(),
        }
    }

    /// Memory that [`SparseNet::forward`] needs.
    pub fn scratch(&self) -> Scratch {
        Scratch(Layers::of(self))
    }

    /// The bare network: from the inputs that are on ([`evaluator::Features::active`]) to the logits of win, draw
    /// and loss and the raw moves left. Appends to `logits` one logit for each of `moves`, which are (move index,
    /// exchange).
    ///
    /// # Panics
    /// If an input, move index or exchange is out of range, or the scratch is another network's.
    #[inline]
    pub fn forward(
        &self,
        active: &[u16],
        moves: &[(u16, u16)],
        scratch: &mut Scratch,
        logits: &mut Vec<f32>,
    ) -> [f32; OUTPUTS] {
        self.kernels.forward(self, active, moves, &mut scratch.0, logits)
    }

    /// The same network on the kernels that run everywhere: the same numbers to the bit, more slowly.
    #[must_use]
    pub fn with_plain_kernels(mut self) -> Self {
        self.kernels = Kernels::plain();
        self
    }
}

fn four(values: &[f32]) -> [f32; OUTPUTS] {
    values.try_into().expect("checked weights have four columns for the outputs")
}
