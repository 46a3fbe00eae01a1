//! The sparse network as a differentiable module.

use crate::batch::Batch;
use crate::error::TorchError;
use net::{Architecture, Description, MOVES_LEFT_UNIT, Tensor as NetTensor, Weights};
use std::collections::BTreeMap;
use tch::{Device, Tensor};

/// What stands in the policy logits where there is no move: its softmax is 0, and 0 · it isn't NaN.
pub const ILLEGAL_LOGIT: f64 = -1e30;

/// What the network says of a batch, each from its side to move's point of view; differentiable.
#[derive(Debug)]
pub struct Outputs {
    /// f32 `[B, 3]`: logits of win, draw and loss.
    pub wdl_logits: Tensor,
    /// f32 `[B]`: plies to the end, 0 or more.
    pub moves_left: Tensor,
    /// f32 `[B, L]`: a logit per legal move, [`ILLEGAL_LOGIT`] after the last.
    pub policy_logits: Tensor,
}

/// The sparse network ([`Architecture::Sparse`] has the formulas), with parameters that gradients are kept for.
#[derive(Debug)]
pub struct SparseModule {
    input_bias: Tensor,      // [H + 4]
    input_weight: Tensor,    // [5056, H + 4]
    policy_bias: Tensor,     // [2062]
    policy_exchange: Tensor, // [224]
    policy_weight: Tensor,   // [2062, H]
    value_bias: Tensor,      // [V]
    value_out: Tensor,       // [4, V]
    value_weight: Tensor,    // [V, H]
    hidden: i64,
}

impl SparseModule {
    /// A copy of the weights on a device.
    pub fn new(weights: &Weights, device: Device) -> Result<Self, TorchError> {
        let Architecture::Sparse { hidden, .. } = weights.description().architecture;
        let parameter = |name: &str| -> Result<Tensor, TorchError> {
            let tensor = &weights.tensors()[name];
            let shape: Vec<i64> = tensor.shape.iter().map(|&size| size as i64).collect();
            let mut copy =
                Tensor::f_from_slice(&tensor.values)?.f_view(shape.as_slice())?.f_to_device(device)?;
            Ok(copy.f_requires_grad_(true)?)
        };
        Ok(Self {
            input_bias: parameter("input.bias")?,
            input_weight: parameter("input.weight")?,
            policy_bias: parameter("policy.bias")?,
            policy_exchange: parameter("policy.exchange")?,
            policy_weight: parameter("policy.weight")?,
            value_bias: parameter("value.bias")?,
            value_out: parameter("value.out")?,
            value_weight: parameter("value.weight")?,
            hidden: hidden as i64,
        })
    }

    /// The network's answers to a batch that is on the module's device.
    pub fn forward(&self, batch: &Batch) -> Result<Outputs, TorchError> {
        let sums = self.input_sums(batch)?; // [B, H + 4]
        let hidden = sums.f_narrow(1, 0, self.hidden)?.f_relu()?; // [B, H]
        let skip = sums.f_narrow(1, self.hidden, 4)?; // [B, 4]
        let value = hidden.f_linear(&self.value_weight, Some(&self.value_bias))?.f_relu()?; // [B, V]
        let outputs = (value.f_linear(&self.value_out, None::<&Tensor>)?).f_add(&skip)?; // [B, 4]
        Ok(Outputs {
            wdl_logits: outputs.f_narrow(1, 0, 3)?,
            moves_left: outputs.f_select(1, 3)?.f_softplus()?.f_mul_scalar(f64::from(MOVES_LEFT_UNIT))?,
            policy_logits: self.policy_logits(batch, &hidden)?,
        })
    }

    /// Sums of the rows of the inputs that are on, and the bias; `[B, H + 4]`.
    fn input_sums(&self, batch: &Batch) -> Result<Tensor, TorchError> {
        const SUM: i64 = 0;
        let (sums, ..) = Tensor::f_embedding_bag(
            &self.input_weight,
            &batch.active,
            &batch.offsets,
            false,
            SUM,
            false,
            None::<&Tensor>,
            false,
        )?;
        Ok(sums.f_add(&self.input_bias)?)
    }

    /// Logits of all 2,062 moves, of which the legal ones are taken; `[B, L]`.
    fn policy_logits(&self, batch: &Batch, hidden: &Tensor) -> Result<Tensor, TorchError> {
        let all = hidden.f_linear(&self.policy_weight, Some(&self.policy_bias))?; // [B, 2062]
        let exchanges = self.policy_exchange.f_index_select(0, &batch.exchanges.f_flatten(0, 1)?)?; // [B · L]
        let logits = all.f_gather(1, &batch.moves, false)?.f_add(&exchanges.f_view_as(&batch.moves)?)?;
        Ok(logits.f_masked_fill(&batch.legal.f_logical_not()?, ILLEGAL_LOGIT)?)
    }

    /// The parameters by name ([`Architecture::shapes`]), in the order of their names. The tensors share the
    /// module's memory: what is done to them in place is done to the module.
    pub fn parameters(&self) -> Vec<(String, Tensor)> {
        [
            ("input.bias", &self.input_bias),
            ("input.weight", &self.input_weight),
            ("policy.bias", &self.policy_bias),
            ("policy.exchange", &self.policy_exchange),
            ("policy.weight", &self.policy_weight),
            ("value.bias", &self.value_bias),
            ("value.out", &self.value_out),
            ("value.weight", &self.value_weight),
        ]
        .map(|(name, tensor)| (name.to_owned(), tensor.shallow_clone()))
        .into()
    }

    /// A copy of the parameters as weights. Refused if a number isn't finite, or if the description's
    /// architecture is another.
    pub fn to_weights(&self, description: Description) -> Result<Weights, TorchError> {
        weights_of(description, &self.parameters())
    }

    /// Where the parameters are; batches must be there too.
    pub fn device(&self) -> Device {
        self.input_weight.device()
    }
}

/// A copy of tensors named as [`SparseModule::parameters`] names them (or their averages) as weights.
pub fn weights_of(description: Description, parameters: &[(String, Tensor)]) -> Result<Weights, TorchError> {
    let mut tensors = BTreeMap::new();
    for (name, tensor) in parameters {
        let shape: Vec<usize> = tensor.size().into_iter().map(|size| size as usize).collect();
        let mut values = vec![0_f32; shape.iter().product()];
        let count = values.len();
        tensor.f_detach()?.f_to_device(Device::Cpu)?.f_contiguous()?.f_copy_data(&mut values, count)?;
        tensors.insert(name.clone(), NetTensor { shape, values });
    }
    Ok(Weights::new(description, tensors)?)
}
