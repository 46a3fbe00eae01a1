//! The tower as a differentiable module.

use crate::batch::Batch;
use crate::error::TorchError;
use crate::module::Outputs;
use crate::sparse_module::{chosen_logits, to_device};
use evaluator::{INPUTS, PIECE_INPUTS};
use net::tower::{
    FILES, PIECES, PLANES, POINTS, POLICY_KEYS, RANKS, SITUATION_INPUTS, STATES, VALUE_PLANES, pairs_of_moves,
};
use net::{MOVES_LEFT_UNIT, Weights};
use std::collections::BTreeMap;
use tch::{Device, Kind, Tensor};

/// The tower ([`net::Architecture::Tower`] has the formulas), with parameters that gradients are kept for.
#[derive(Debug)]
pub struct TowerModule {
    parameters: BTreeMap<String, Tensor>,
    blocks: usize,
    /// i64 `[2062]`: for each move by its number, the pair of points that it goes between, 90 · from + to.
    pairs: Tensor,
}

impl TowerModule {
    /// A copy of a tower's weights on a device.
    pub(crate) fn new(weights: &Weights, blocks: usize, device: Device) -> Result<Self, TorchError> {
        let mut parameters = BTreeMap::new();
        for (name, tensor) in weights.tensors() {
            parameters.insert(name.clone(), to_device(tensor, device)?);
        }
        Ok(Self { parameters, blocks, pairs: Tensor::f_from_slice(&pairs_of_moves())?.f_to_device(device)? })
    }

    /// The network's answers to a batch that is on the module's device.
    pub fn forward(&self, batch: &Batch) -> Result<Outputs, TorchError> {
        let inputs = self.inputs(batch)?; // [B, 5056]
        let mut top = self.first_layer(&inputs)?; // [B, C, 10, 9]
        for block in 0..self.blocks {
            top = self.block(&format!("block{block:02}"), &top)?;
        }
        let outputs = self.value(&top)?; // [B, 4]
        Ok(Outputs {
            wdl_logits: outputs.f_narrow(1, 0, 3)?,
            moves_left: outputs.f_select(1, 3)?.f_softplus()?.f_mul_scalar(f64::from(MOVES_LEFT_UNIT))?,
            policy_logits: chosen_logits(
                batch,
                &self.policy(&top)?,
                Some(&self.parameters["policy.exchange"]),
            )?,
            hidden: None,
        })
    }

    /// The inputs one by one, 1 for those that are on; `[B, 5056]`.
    fn inputs(&self, batch: &Batch) -> Result<Tensor, TorchError> {
        let (count, options) = (batch.len() as i64, (Kind::Float, self.pairs.device()));
        let active = batch.active.size()[0];
        let ends = batch.offsets.f_narrow(0, 1, count - 1)?;
        let ends = Tensor::f_cat(&[&ends, &Tensor::f_full(1_i64, active, (Kind::Int64, options.1))?], 0)?;
        let lengths = ends.f_sub(&batch.offsets)?; // [B]
        let rows = Tensor::f_repeat_interleave(&lengths, active)?; // [N]
        let places = rows.f_mul_scalar(INPUTS as i64)?.f_add(&batch.active)?;
        let inputs = Tensor::f_zeros(count * INPUTS as i64, options)?.f_index_fill(0, &places, 1.0)?;
        Ok(inputs.f_view([count, INPUTS as i64])?)
    }

    fn first_layer(&self, inputs: &Tensor) -> Result<Tensor, TorchError> {
        let pieces = inputs.f_narrow(1, 0, PIECE_INPUTS as i64)?;
        let situation = inputs.f_narrow(1, PIECE_INPUTS as i64, SITUATION_INPUTS as i64)?;
        let points = pieces.f_reshape([-1, PIECES as i64, POINTS as i64, STATES as i64])?;
        let board =
            points.f_permute([0, 1, 3, 2])?.f_reshape([-1, PLANES as i64, RANKS as i64, FILES as i64])?;
        let alike = situation.f_linear(&self.parameters["input.situation"], None::<&Tensor>)?; // [B, C]
        let sums = self.convolution("input", &board)?;
        Ok(sums.f_add(&alike.f_unsqueeze(2)?.f_unsqueeze(3)?)?.f_relu()?)
    }

    /// From `[B, C, 10, 9]` to the same.
    fn block(&self, name: &str, input: &Tensor) -> Result<Tensor, TorchError> {
        let part = |part: &str| format!("{name}.{part}");
        let hidden = self.convolution(&part("first"), input)?.f_relu()?;
        let u = self.convolution(&part("second"), &hidden)?;
        let (mean, most) =
            (u.f_mean_dim([2, 3].as_slice(), false, None)?, u.f_amax([2, 3].as_slice(), false)?);
        let pooled = Tensor::f_cat(&[mean, most], 1)?; // [B, 2 C]
        let squeezed = self.linear(&part("squeeze"), &pooled)?.f_relu()?; // [B, C / 4]
        let gates = self.linear(&part("gate"), &squeezed)?.f_unsqueeze(2)?.f_unsqueeze(3)?; // [B, 2 C, 1, 1]
        let [factors, summands]: [Tensor; 2] =
            gates.f_chunk(2, 1)?.try_into().expect("2 C is divided into two of C");
        let branch = u.f_mul(&factors.f_sigmoid()?)?.f_add(&summands)?;
        Ok(input.f_add(&branch)?.f_relu()?)
    }

    /// Logits of win, draw and loss and the raw moves left, `[B, 4]`.
    fn value(&self, top: &Tensor) -> Result<Tensor, TorchError> {
        let planes = self.pointwise("value.planes", top)?.f_relu()?; // [B, 8, 90]
        let planes = planes.f_reshape([-1, (VALUE_PLANES * POINTS) as i64])?;
        let hidden = self.linear("value", &planes)?.f_relu()?; // [B, V]
        self.linear("value.out", &hidden)
    }

    /// A logit for each of all moves, `[B, 2062]`.
    fn policy(&self, top: &Tensor) -> Result<Tensor, TorchError> {
        let from = self.pointwise("policy.from", top)?.f_transpose(1, 2)?; // [B, 90, 32]
        let to = self.pointwise("policy.to", top)?; // [B, 32, 90]
        let scale = 1.0 / (POLICY_KEYS as f64).sqrt();
        let pairs = from.f_matmul(&to)?.f_mul_scalar(scale)?.f_reshape([-1, (POINTS * POINTS) as i64])?;
        Ok(pairs.f_index_select(1, &self.pairs)?.f_add(&self.parameters["policy.bias"])?)
    }

    /// 3 × 3 with a border of zeros.
    fn convolution(&self, layer: &str, input: &Tensor) -> Result<Tensor, TorchError> {
        let [weight, bias] = self.layer(layer);
        Ok(input.f_conv2d(weight, Some(bias), 1, 1, 1, 1)?)
    }

    fn linear(&self, layer: &str, input: &Tensor) -> Result<Tensor, TorchError> {
        let [weight, bias] = self.layer(layer);
        Ok(input.f_linear(weight, Some(bias))?)
    }

    /// A linear layer at each point by itself: `[B, C, 10, 9]` to `[B, K, 90]`.
    fn pointwise(&self, layer: &str, input: &Tensor) -> Result<Tensor, TorchError> {
        let [weight, bias] = self.layer(layer);
        let kernel = weight.f_unsqueeze(2)?.f_unsqueeze(3)?;
        Ok(input.f_conv2d(&kernel, Some(bias), 1, 0, 1, 1)?.f_flatten(2, 3)?)
    }

    fn layer(&self, layer: &str) -> [&Tensor; 2] {
        ["weight", "bias"].map(|part| &self.parameters[&format!("{layer}.{part}")])
    }

    /// The parameters by name, in the order of their names; they share the module's memory.
    pub(crate) fn parameters(&self) -> Vec<(String, Tensor)> {
        self.parameters.iter().map(|(name, tensor)| (name.clone(), tensor.shallow_clone())).collect()
    }

    pub(crate) fn device(&self) -> Device {
        self.pairs.device()
    }
}
