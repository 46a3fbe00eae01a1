//! A sparse network ready to run, in floats or in integers.

use crate::description::OUTPUTS;
use crate::float_kernels::FloatLayers;
use crate::float_net::FloatNet;
use crate::integer_kernels::IntegerLayers;
use crate::integer_net::IntegerNet;
use crate::kernels::Kernels;
use crate::quantised_weights::QuantisedWeights;
use crate::weights::{Weights, WeightsError};

/// A sparse network ready to run; read-only, shared by all threads.
#[derive(Clone, Debug)]
pub struct SparseNet {
    numbers: Numbers,
    kernels: Kernels,
}

#[derive(Clone, Debug)]
enum Numbers {
    Float(FloatNet),
    Integer(IntegerNet),
}

/// Memory for one evaluation at a time, for one thread.
#[derive(Clone, Debug)]
pub struct Scratch(Layers);

#[derive(Clone, Debug)]
enum Layers {
    Float(FloatLayers),
    Integer(IntegerLayers),
}

impl SparseNet {
    /// Copies the weights into the layout of inference in floats. Refuses a tower.
    pub fn new(weights: &Weights) -> Result<Self, WeightsError> {
        Ok(Self { numbers: Numbers::Float(FloatNet::new(weights)?), kernels: Kernels::best() })
    }

    /// Copies quantised weights into the layout of inference in integers.
    pub fn quantised(weights: &QuantisedWeights) -> Self {
        Self { numbers: Numbers::Integer(IntegerNet::new(weights)), kernels: Kernels::best() }
    }

    /// The form that answers fastest: integers, or floats where a number is too large or too small to be quantised.
    /// Refuses a tower.
    pub fn fastest(weights: &Weights) -> Result<Self, WeightsError> {
        match QuantisedWeights::new(weights, None) {
            Ok(quantised) => Ok(Self::quantised(&quantised)),
            Err(_) => Self::new(weights),
        }
    }

    /// Memory that [`SparseNet::forward`] needs.
    pub fn scratch(&self) -> Scratch {
        Scratch(match &self.numbers {
            Numbers::Float(net) => Layers::Float(FloatLayers::of(net)),
            Numbers::Integer(net) => Layers::Integer(IntegerLayers::of(net)),
        })
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
        match (&self.numbers, &mut scratch.0) {
            (Numbers::Float(net), Layers::Float(layers)) => {
                self.kernels.forward_floats(net, active, moves, layers, logits)
            }
            (Numbers::Integer(net), Layers::Integer(layers)) => {
                self.kernels.forward_integers(net, active, moves, layers, logits)
            }
            _ => panic!("the scratch is another network's"),
        }
    }

    /// The same network on the kernels that run everywhere: the same numbers to the bit, more slowly.
    #[must_use]
    pub fn with_plain_kernels(mut self) -> Self {
        self.kernels = Kernels::plain();
        self
    }
}
