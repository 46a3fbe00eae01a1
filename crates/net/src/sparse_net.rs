//! A sparse network ready to run, in floats or in integers.

use crate::description::OUTPUTS;
use crate::float_kernels::FloatLayers;
use crate::float_net::FloatNet;
use crate::integer_kernels::IntegerLayers;
use crate::integer_net::{IntegerNet, Words};
use crate::kernels::{Arithmetic as _, Kernels};
use crate::lanes::Lanes;
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

/// The hidden layer of one position: what the network makes of it before it asks for moves.
#[derive(Clone, Debug)]
pub struct Hidden(HiddenLayer);

#[derive(Clone, Debug)]
enum HiddenLayer {
    Float(Vec<Lanes>),
    Integer(Vec<Words>),
}

/// Memory for one evaluation at a time, for one thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    floats: FloatLayers,
    integers: IntegerLayers,
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

    /// Room for a hidden layer, which [`SparseNet::outputs`] writes.
    pub fn hidden(&self) -> Hidden {
        Hidden(match &self.numbers {
            Numbers::Float(net) => HiddenLayer::Float(vec![Lanes::default(); net.words()]),
            Numbers::Integer(net) => HiddenLayer::Integer(vec![Words::default(); net.words()]),
        })
    }

    /// The first half of the bare network: from the inputs that are on ([`evaluator::Features::active`]) to the logits of
    /// win, draw and loss and the raw moves left. Writes the hidden layer.
    ///
    /// # Panics
    /// If an input is out of range, or the hidden layer is another network's.
    #[inline]
    pub fn outputs(&self, active: &[u16], hidden: &mut Hidden, scratch: &mut Scratch) -> [f32; OUTPUTS] {
        match (&self.numbers, &mut hidden.0) {
            (Numbers::Float(net), HiddenLayer::Float(hidden)) if hidden.len() == net.words() => {
                self.kernels.outputs(net, active, hidden, &mut scratch.floats)
            }
            (Numbers::Integer(net), HiddenLayer::Integer(hidden)) if hidden.len() == net.words() => {
                self.kernels.outputs(net, active, hidden, &mut scratch.integers)
            }
            _ => panic!("the hidden layer is another network's"),
        }
    }

    /// The second half: appends to `logits` one logit for each of `moves`, which are (move index, exchange).
    ///
    /// # Panics
    /// If a move index or exchange is out of range, or the hidden layer is another network's.
    #[inline]
    pub fn logits(
        &self,
        hidden: &Hidden,
        moves: &[(u16, u16)],
        scratch: &mut Scratch,
        logits: &mut Vec<f32>,
    ) {
        match (&self.numbers, &hidden.0) {
            (Numbers::Float(net), HiddenLayer::Float(hidden)) if hidden.len() == net.words() => {
                self.kernels.logits(net, hidden, moves, &mut scratch.floats, logits);
            }
            (Numbers::Integer(net), HiddenLayer::Integer(hidden)) if hidden.len() == net.words() => {
                self.kernels.logits(net, hidden, moves, &mut scratch.integers, logits);
            }
            _ => panic!("the hidden layer is another network's"),
        }
    }

    /// The same network on the kernels that run everywhere: the same numbers to the bit, more slowly.
    #[must_use]
    pub fn with_plain_kernels(mut self) -> Self {
        self.kernels = Kernels::plain();
        self
    }
}
