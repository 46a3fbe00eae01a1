//! The sparse network in floats, laid out for inference: rows are whole vector registers, and the four columns of
//! the input weights that go straight to the outputs are kept apart.

use crate::description::OUTPUTS;
use crate::lanes::Lanes;
use crate::weights::{Weights, WeightsError};

/// Read-only.
#[derive(Clone, Debug)]
pub(crate) struct FloatNet {
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
}

impl FloatNet {
    pub(crate) fn new(weights: &Weights) -> Result<Self, WeightsError> {
        let (hidden, _) = weights.description().architecture.sparse()?;
        let rows = weights.values("input.weight").chunks_exact(hidden + OUTPUTS);
        let (input_bias, skip_bias) = weights.values("input.bias").split_at(hidden);
        let pack = |name| Lanes::pack(weights.values(name)).collect();
        Ok(Self {
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
        })
    }
}

fn four(values: &[f32]) -> [f32; OUTPUTS] {
    values.try_into().expect("checked weights have four columns for the outputs")
}
