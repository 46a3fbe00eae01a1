//! The network being trained: its parameters as libtorch's tensors, and their gradient.
//!
//! On a CPU the gradient of a sparse network is [`sparse_gradient`]'s; all else libtorch differentiates. A test compares
//! the two.

use crate::crew::Crew;
use crate::examples::Examples;
use crate::heads::{HeadLogits, Heads};
use crate::lend::{numbers, numbers_mut};
use crate::losses::{LossTensors, Losses, TargetTensors};
use crate::optimiser::AdamW;
use crate::settings::Settings;
use crate::sparse_gradient::{self, Parameters, Workspace};
use tch::{Device, Tensor};
use torch::{BatchBuilder, Module, TorchError};

/// A network with a way to differentiate it.
#[derive(Debug)]
pub(crate) enum Network {
    /// A sparse network on a CPU, by hand.
    ByHand {
        /// The network's in the order of their names, then those of the heads.
        parameters: Vec<Tensor>,
        /// Like the parameters; written anew each time.
        gradients: Vec<Tensor>,
        workspace: Box<Workspace>,
    },
    /// A tower, or on another device: by libtorch.
    ByLibtorch {
        module: Module,
        /// The parameters of the heads.
        heads: Vec<Tensor>,
    },
}

/// What a batch says.
#[derive(Debug)]
pub(crate) struct Differentiated {
    pub(crate) losses: Losses,
    /// Of the losses' weighted sum, in the order of [`Module::parameters`], then the heads'; good until the next
    /// batch.
    pub(crate) gradients: Vec<Tensor>,
    /// Euclidean norm of all gradients together; NaN or infinite if one of them is.
    pub(crate) norm: f64,
}

impl Network {
    /// The network of a module and the parameters of its [heads](crate::heads), in their memory.
    pub(crate) fn new(module: Module, heads: Vec<Tensor>) -> Result<Self, TorchError> {
        if module.device() != Device::Cpu || matches!(module, Module::Tower(_)) {
            return Ok(Self::ByLibtorch { module, heads });
        }
        let parameters: Vec<Tensor> = parameters_of(&module, &heads).iter().map(Tensor::detach).collect();
        let gradients = parameters.iter().map(Tensor::f_zeros_like).collect::<Result<_, _>>()?;
        Ok(Self::ByHand { parameters, gradients, workspace: Box::default() })
    }

    /// Where the parameters are.
    pub(crate) fn device(&self) -> Device {
        match self {
            Self::ByHand { .. } => Device::Cpu,
            Self::ByLibtorch { module, .. } => module.device(),
        }
    }

    /// Losses and gradient of a batch.
    pub(crate) fn differentiate(
        &mut self,
        settings: &Settings,
        crew: &Crew,
        examples: &Examples,
    ) -> Result<Differentiated, TorchError> {
        match self {
            Self::ByHand { parameters, gradients, workspace } => {
                let read = Parameters::new(settings, parameters.iter().map(numbers));
                let written = Parameters::new(settings, gradients.iter_mut().map(numbers_mut));
                let (losses, norm) =
                    sparse_gradient::differentiate(settings, crew, &read, examples, workspace, written);
                let gradients = gradients.iter().map(Tensor::shallow_clone).collect();
                Ok(Differentiated { losses, gradients, norm })
            }
            Self::ByLibtorch { module, heads } => by_libtorch(module, heads, settings, examples),
        }
    }
}

/// On any device, one operation of libtorch's after another.
fn by_libtorch(
    module: &Module,
    heads: &[Tensor],
    settings: &Settings,
    examples: &Examples,
) -> Result<Differentiated, TorchError> {
    let mut builder = BatchBuilder::new();
    let mut exchanges = examples.exchanges.iter().copied().map(usize::from);
    let mut moves = examples.moves.rows();
    for inputs in examples.inputs.rows() {
        // Positions without a policy come last.
        let moves = moves.next().unwrap_or_default().iter().copied().map(usize::from);
        builder.push(inputs, moves.zip(&mut exchanges));
    }
    let batch = builder.build(module.device())?;
    let outputs = module.forward(&batch)?;
    let parameters = parameters_of(module, heads);
    let heads =
        HeadLogits::new(&Heads::take(settings, heads.iter()), outputs.hidden.as_ref(), &batch, examples)?;
    let targets = TargetTensors::new(settings, examples, module.device())?;
    let losses = LossTensors::new(settings, &outputs, &heads, &targets)?;
    let gradients = Tensor::f_run_backward(&[&losses.total], &parameters, false, false)?;
    let norm = AdamW::gradient_norm(&gradients)?;
    Ok(Differentiated { losses: losses.numbers()?, gradients, norm })
}

/// The network's parameters in the order of their names, then those of the heads.
fn parameters_of(module: &Module, heads: &[Tensor]) -> Vec<Tensor> {
    let of_module = module.parameters().into_iter().map(|(_, tensor)| tensor);
    of_module.chain(heads.iter().map(Tensor::shallow_clone)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heads;
    use crate::sampler::Sampler;
    use crate::targets::TargetRule;
    use crate::testing::{RULE, weights, window};
    use tch::Kind;

    fn values(tensor: &Tensor) -> Vec<f32> {
        Vec::try_from(&tensor.detach().flatten(0, -1)).unwrap()
    }

    /// Known twice: by hand, and by libtorch from the module's forward pass.
    fn check(hidden: usize, batch_size: usize, step: u64) {
        let window = window(2);
        let module = Module::new(&weights(hidden), Device::Cpu).unwrap();
        let settings = Settings {
            policy_loss_weight: 0.75,
            value_loss_weight: 1.25,
            moves_left_loss_weight: 0.5,
            soft_policy_loss_weight: 0.375,
            opponent_reply_loss_weight: 0.25,
            ..Settings::default()
        };
        let heads = heads::parameters(&settings, hidden as i64, Device::Cpu).unwrap();
        // The first weights leave the heads at zero, where most gradients vanish.
        let mut parameters = module.parameters();
        parameters.extend(heads.iter().map(|(name, tensor)| (name.clone(), tensor.shallow_clone())));
        let heads: Vec<Tensor> = heads.into_iter().map(|(_, tensor)| tensor).collect();
        for (number, (_, parameter)) in parameters.iter().enumerate() {
            let length = parameter.numel() as i64;
            let noise =
                (Tensor::arange(length, (Kind::Float, Device::Cpu)) * (1.7 + number as f64)).sin() * 0.1;
            drop(parameter.detach().g_add_(&noise.view_as(parameter)));
        }
        let sampler = Sampler { window: &window, sampling: None, seed: 3, batch_size, mirror: true };
        let rule = TargetRule { opponent_reply: true, ..RULE };
        let examples = sampler.draw(step, rule);

        let expected = by_libtorch(&module, &heads, &settings, &examples).unwrap();
        let mut network = Network::new(module, heads).unwrap();
        // The second time over what the first has left.
        network.differentiate(&settings, &Crew::default(), &sampler.draw(step + 1, rule)).unwrap();
        let found = network.differentiate(&settings, &Crew::default(), &examples).unwrap();

        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-5 * b.abs().max(1e-3), "{a}, want {b}");
        close(found.losses.policy, expected.losses.policy);
        close(found.losses.value, expected.losses.value);
        close(found.losses.moves_left, expected.losses.moves_left);
        close(found.losses.soft_policy, expected.losses.soft_policy);
        close(found.losses.opponent_reply, expected.losses.opponent_reply);
        close(found.losses.total, expected.losses.total);
        close(found.norm, expected.norm);
        for (index, (name, parameter)) in parameters.iter().enumerate() {
            assert_eq!(found.gradients[index].size(), parameter.size(), "{name}");
            let (found, expected) = (values(&found.gradients[index]), values(&expected.gradients[index]));
            let largest = expected.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            let learns = match name.split('.').next() {
                Some("policy" | "soft_policy") => examples.policies() > 0,
                Some("opponent_reply") => examples.known_replies() > 0,
                _ => true,
            };
            assert_eq!(largest > 0.0, learns, "{name}");
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() <= 1e-4 * largest, "{name}: {found}, want {expected}");
            }
        }
    }

    #[test]
    fn the_gradient_is_that_of_libtorch() {
        for hidden in [8, 16, 40, 128] {
            check(hidden, 64, 0);
        }
    }

    #[test]
    fn a_single_position_with_or_without_policy_does() {
        (0..6).for_each(|step| check(16, 1, step));
    }
}
