//! A network of either family as a differentiable module.

use crate::batch::Batch;
use crate::error::TorchError;
use crate::sparse_module::SparseModule;
use crate::tower_module::TowerModule;
use net::{Architecture, Description, Tensor as NetTensor, Weights};
use std::collections::BTreeMap;
use tch::{Device, Tensor};

/// What a network says of a batch, each from its side to move's point of view; differentiable.
#[derive(Debug)]
pub struct Outputs {
    /// f32 `[B, 3]`: logits of win, draw and loss.
    pub wdl_logits: Tensor,
    /// f32 `[B]`: plies to the end, 0 or more.
    pub moves_left: Tensor,
    /// f32 `[B, L]`: a logit per legal move, [`ILLEGAL_LOGIT`](crate::ILLEGAL_LOGIT) after the last.
    pub policy_logits: Tensor,
    /// f32 `[B, H]`: the hidden layer, for further heads; a tower has none.
    pub hidden: Option<Tensor>,
}

/// A network with parameters that gradients are kept for.
#[derive(Debug)]
pub enum Module {
    /// [`Architecture::Sparse`].
    Sparse(SparseModule),
    /// [`Architecture::Tower`].
    Tower(TowerModule),
}

impl Module {
    /// A copy of the weights on a device.
    pub fn new(weights: &Weights, device: Device) -> Result<Self, TorchError> {
        match weights.description().architecture {
            Architecture::Sparse { .. } => Ok(Self::Sparse(SparseModule::new(weights, device)?)),
            Architecture::Tower { blocks, .. } => Ok(Self::Tower(TowerModule::new(weights, blocks, device)?)),
        }
    }

    /// The network's answers to a batch that is on the module's device.
    pub fn forward(&self, batch: &Batch) -> Result<Outputs, TorchError> {
        match self {
            Self::Sparse(module) => module.forward(batch),
            Self::Tower(module) => module.forward(batch),
        }
    }

    /// The parameters by name ([`Architecture::shapes`]), in the order of their names. The tensors share the
    /// module's memory: what is done to them in place is done to the module.
    pub fn parameters(&self) -> Vec<(String, Tensor)> {
        match self {
            Self::Sparse(module) => module.parameters(),
            Self::Tower(module) => module.parameters(),
        }
    }

    /// Where the parameters are; batches must be there too.
    pub fn device(&self) -> Device {
        match self {
            Self::Sparse(module) => module.device(),
            Self::Tower(module) => module.device(),
        }
    }
}

/// A copy of tensors named as [`Module::parameters`] names them (or their averages) as weights. Refused if a
/// number isn't finite, or if the description's architecture is another.
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
