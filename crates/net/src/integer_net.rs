//! The sparse network in integers, laid out for inference: rows are filled up with zeros to whole vector registers,
//! and steps that are always multiplied with each other are one number.

use crate::description::OUTPUTS;
use crate::lanes::Lanes;
use crate::quantised_weights::QuantisedWeights;

/// Sixteen numbers of a layer or of a row: one vector register.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C, align(32))]
pub(crate) struct Words(pub(crate) [i16; 16]);

/// Read-only. H' is H rounded up to a multiple of 16.
#[derive(Clone, Debug)]
pub(crate) struct IntegerNet {
    pub(crate) input_weight: Vec<Words>, // [5056, H'], of the hidden layer's step
    pub(crate) input_bias: Vec<Words>,   // [H']
    pub(crate) skip_weight: Vec<[i16; OUTPUTS]>, // [5056], of the step below
    pub(crate) skip_step: f32,
    pub(crate) skip_bias: [f32; OUTPUTS],
    pub(crate) value_weight: Vec<Words>,  // [V, H']
    pub(crate) value_step: Vec<f32>,      // [V], of a product of row and hidden layer
    pub(crate) value_bias: Vec<f32>,      // [V]
    pub(crate) value_out: Vec<Lanes>,     // [4, V]
    pub(crate) policy_weight: Vec<Words>, // [2062, H'], widened: the processor multiplies words
    pub(crate) policy_step: Vec<f32>,     // [2062], of a product of row and hidden layer
    pub(crate) policy_bias: Vec<f32>,     // [2062]
    pub(crate) policy_exchange: Vec<f32>, // [224]
}

impl IntegerNet {
    pub(crate) fn new(weights: &QuantisedWeights) -> Self {
        let numbers = weights.numbers();
        let hidden = numbers.input_bias.len();
        let of_products = |steps: &[f32]| steps.iter().map(|step| step * numbers.input_step).collect();
        Self {
            input_weight: rows(&numbers.input_weight, hidden).collect(),
            input_bias: rows(&numbers.input_bias, hidden).collect(),
            skip_weight: numbers.skip_weight.as_chunks().0.to_vec(),
            skip_step: numbers.skip_step,
            skip_bias: numbers.skip_bias,
            value_weight: rows(&numbers.value_weight, hidden).collect(),
            value_step: of_products(&numbers.value_step),
            value_bias: numbers.value_bias.clone(),
            value_out: Lanes::pack(&numbers.value_out).collect(),
            policy_weight: rows(&numbers.policy_weight, hidden).collect(),
            policy_step: of_products(&numbers.policy_step),
            policy_bias: numbers.policy_bias.clone(),
            policy_exchange: numbers.policy_exchange.clone(),
        }
    }
}

/// Each row in sixteens, the last filled up with zeros.
fn rows<T: Copy + Into<i16>>(matrix: &[T], columns: usize) -> impl Iterator<Item = Words> {
    matrix.chunks_exact(columns).flat_map(|row| row.chunks(16)).map(|part| {
        let mut words = Words::default();
        for (word, &value) in words.0.iter_mut().zip(part) {
            *word = value.into();
        }
        words
    })
}
