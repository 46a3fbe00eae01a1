//! The sparse network as a differentiable module.

use crate::batch::Batch;
use crate::error::TorchError;
use crate::module::Outputs;
use net::{MOVES_LEFT_UNIT, Weights};
use tch::{Device, Tensor};

/// What stands in the policy logits where there is no move: its softmax is 0, and 0 · it isn't NaN.
pub const ILLEGAL_LOGIT: f64 = -1e30;

/// The sparse network ([`net::Architecture::Sparse`] has the formulas), with parameters that gradients are kept for.
#[derive(Debug)]
pub struct SparseModule {
    parameters: SparseParameters,
    hidden: i64,
}

/// The sparse network's parameters, f32; H hidden units, V of the value head.
#[derive(Debug)]
pub struct SparseParameters {
    /// `[H + 4]`
    pub input_bias: Tensor,
    /// `[5056, H + 4]`
    pub input_weight: Tensor,
    /// `[2062]`
    pub policy_bias: Tensor,
    /// `[224]`
    pub policy_exchange: Tensor,
    /// `[2062, H]`
    pub policy_weight: Tensor,
    /// `[V]`
    pub value_bias: Tensor,
    /// `[4, V]`
    pub value_out: Tensor,
    /// `[V, H]`
    pub value_weight: Tensor,
}

impl SparseModule {
    /// A copy of a sparse network's weights on a device. A tower is refused.
    pub fn new(weights: &Weights, device: Device) -> Result<Self, TorchError> {
        let (hidden, _) = weights.description().architecture.sparse()?;
        let parameter = |name: &str| to_device(&weights.tensors()[name], device);
        let parameters = SparseParameters {
            input_bias: parameter("input.bias")?,
            input_weight: parameter("input.weight")?,
            policy_bias: parameter("policy.bias")?,
            policy_exchange: parameter("policy.exchange")?,
            policy_weight: parameter("policy.weight")?,
            value_bias: parameter("value.bias")?,
            value_out: parameter("value.out")?,
            value_weight: parameter("value.weight")?,
        };
        Ok(Self { parameters, hidden: hidden as i64 })
    }

    /// The network's answers to a batch that is on the module's device.
    pub fn forward(&self, batch: &Batch) -> Result<Outputs, TorchError> {
        let SparseParameters { value_bias, value_out, value_weight, .. } = &self.parameters;
        let sums = self.input_sums(batch)?; // [B, H + 4]
        let hidden = sums.f_narrow(1, 0, self.hidden)?.f_relu()?; // [B, H]
        let skip = sums.f_narrow(1, self.hidden, 4)?; // [B, 4]
        let value = hidden.f_linear(value_weight, Some(value_bias))?.f_relu()?; // [B, V]
        let outputs = value.f_linear(value_out, None::<&Tensor>)?.f_add(&skip)?; // [B, 4]
        Ok(Outputs {
            wdl_logits: outputs.f_narrow(1, 0, 3)?,
            moves_left: outputs.f_select(1, 3)?.f_softplus()?.f_mul_scalar(f64::from(MOVES_LEFT_UNIT))?,
            policy_logits: self.policy_logits(batch, &hidden)?,
            hidden: Some(hidden),
        })
    }

    /// Sums of the rows of the inputs that are on, and the bias; `[B, H + 4]`.
    fn input_sums(&self, batch: &Batch) -> Result<Tensor, TorchError> {
        const SUM: i64 = 0;
        let (sums, ..) = Tensor::f_embedding_bag(
            &self.parameters.input_weight,
            &batch.active,
            &batch.offsets,
            false,
            SUM,
            false,
            None::<&Tensor>,
            false,
        )?;
        Ok(sums.f_add(&self.parameters.input_bias)?)
    }

    fn policy_logits(&self, batch: &Batch, hidden: &Tensor) -> Result<Tensor, TorchError> {
        let SparseParameters { policy_bias, policy_exchange, policy_weight, .. } = &self.parameters;
        move_logits(batch, hidden, policy_bias, policy_weight, Some(policy_exchange))
    }

    /// The parameters by name ([`net::Architecture::shapes`]), in the order of their names. The tensors share the
    /// module's memory: what is done to them in place is done to the module.
    pub fn parameters(&self) -> Vec<(String, Tensor)> {
        let parameters = &self.parameters;
        [
            ("input.bias", &parameters.input_bias),
            ("input.weight", &parameters.input_weight),
            ("policy.bias", &parameters.policy_bias),
            ("policy.exchange", &parameters.policy_exchange),
            ("policy.weight", &parameters.policy_weight),
            ("value.bias", &parameters.value_bias),
            ("value.out", &parameters.value_out),
            ("value.weight", &parameters.value_weight),
        ]
        .map(|(name, tensor)| (name.to_owned(), tensor.shallow_clone()))
        .into()
    }

    /// The parameters themselves, for another forward pass.
    pub fn into_parameters(self) -> SparseParameters {
        self.parameters
    }

    /// Where the parameters are; batches must be there too.
    pub fn device(&self) -> Device {
        self.parameters.input_weight.device()
    }
}

/// Logits of the batch's moves, `[B, L]`, [`ILLEGAL_LOGIT`] after the last, from the hidden layer, `[B, H]`, by a head
/// with one row for each of all 2,062 moves: `bias` is `[2062]`, `weight` `[2062, H]`, `exchange` `[224]` or nothing.
pub fn move_logits(
    batch: &Batch,
    hidden: &Tensor,
    bias: &Tensor,
    weight: &Tensor,
    exchange: Option<&Tensor>,
) -> Result<Tensor, TorchError> {
    chosen_logits(batch, &hidden.f_linear(weight, Some(bias))?, exchange)
}

/// Logits of the batch's moves, `[B, L]`, [`ILLEGAL_LOGIT`] after the last, of `all`, `[B, 2062]`, with what `exchange`,
/// `[224]`, adds.
pub(crate) fn chosen_logits(
    batch: &Batch,
    all: &Tensor,
    exchange: Option<&Tensor>,
) -> Result<Tensor, TorchError> {
    let mut logits = all.f_gather(1, &batch.moves, false)?;
    if let Some(exchange) = exchange {
        let exchanges = exchange.f_index_select(0, &batch.exchanges.f_flatten(0, 1)?)?; // [B · L]
        logits = logits.f_add(&exchanges.f_view_as(&batch.moves)?)?;
    }
    Ok(logits.f_masked_fill(&batch.legal.f_logical_not()?, ILLEGAL_LOGIT)?)
}

/// A copy of a tensor on a device, for which a gradient is kept.
pub(crate) fn to_device(tensor: &net::Tensor, device: Device) -> Result<Tensor, TorchError> {
    let shape: Vec<i64> = tensor.shape.iter().map(|&size| size as i64).collect();
    let mut copy = Tensor::f_from_slice(&tensor.values)?.f_view(shape.as_slice())?.f_to_device(device)?;
    Ok(copy.f_requires_grad_(true)?)
}
