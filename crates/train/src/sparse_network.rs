//! The sparse network (`net::Architecture::Sparse`) made for training: what [`torch::SparseModule`] computes and
//! libtorch would differentiate, at a fraction of the cost.
//!
//! libtorch's own differentiation of the two sparse layers writes and reads gradients for moves that aren't legal and
//! sorts indices at each step: more than ten times the work. Here libtorch differentiates only what stands between the
//! two, and their gradients are sums over [`Incidence`] lists that were made together with the batch. A test compares
//! the two ways.

use crate::examples::Examples;
use crate::incidence::Incidence;
use crate::losses::{LossTensors, Losses};
use crate::settings::Settings;
use net::MOVES_LEFT_UNIT;
use tch::{Device, Kind, TchError, Tensor};
use torch::{ILLEGAL_LOGIT, Outputs, SparseModule, SparseParameters};

/// A module's parameters with another way to differentiate; H hidden units, V of the value head.
#[derive(Debug)]
pub(crate) struct SparseNetwork {
    parameters: SparseParameters,
    hidden: i64,
}

impl SparseNetwork {
    /// The parameters of a module, in its memory.
    pub(crate) fn new(module: SparseModule) -> Self {
        let parameters = module.into_parameters();
        let hidden = parameters.policy_weight.size()[1];
        // What libtorch doesn't differentiate it shouldn't keep track of.
        let parameters = SparseParameters {
            input_bias: parameters.input_bias.detach(),
            input_weight: parameters.input_weight.detach(),
            policy_weight: parameters.policy_weight.detach(),
            ..parameters
        };
        Self { parameters, hidden }
    }

    /// Where the parameters are.
    pub(crate) fn device(&self) -> Device {
        self.parameters.input_weight.device()
    }

    /// Losses, and the gradient of the total in the order of [`SparseModule::parameters`].
    pub(crate) fn differentiate(
        &self,
        settings: &Settings,
        examples: &Examples,
    ) -> Result<(Losses, Vec<Tensor>), TchError> {
        let parameters = &self.parameters;
        let with_policy = examples.policies() as i64; // P
        let sums =
            sum_rows(&parameters.input_weight, &examples.inputs, None)?.f_add(&parameters.input_bias)?; // [B, H + 4]
        let hidden = sums.f_narrow(1, 0, self.hidden)?.f_relu()?; // [B, H]
        let policy_hidden = hidden.f_narrow(0, 0, with_policy)?; // [P, H]

        // What libtorch differentiates starts from these three.
        let mut hidden_leaf = hidden.f_detach()?;
        let mut skip = sums.f_narrow(1, self.hidden, 4)?.f_contiguous()?; // [B, 4]
        let mut dots = dots(&policy_hidden, &parameters.policy_weight, &examples.moves)?; // [M]
        for leaf in [&mut hidden_leaf, &mut skip, &mut dots] {
            drop(leaf.f_requires_grad_(true)?);
        }
        let outputs = self.heads(&hidden_leaf, &skip, &dots, examples)?;
        let losses = LossTensors::new(settings, &outputs, examples)?;
        let inputs = [
            &hidden_leaf,
            &skip,
            &dots,
            &parameters.policy_bias,
            &parameters.policy_exchange,
            &parameters.value_bias,
            &parameters.value_out,
            &parameters.value_weight,
        ];
        let gradients = Tensor::f_run_backward(&[&losses.total], &inputs, false, false)?;
        let [
            hidden_slope,
            skip_slope,
            dots_slope,
            policy_bias,
            policy_exchange,
            value_bias,
            value_out,
            value_weight,
        ] = gradients.try_into().expect("as many gradients as inputs");

        // ∂/∂h: what came through the value head, and of the first P positions what came through the policy.
        let through_policy = sum_rows(&parameters.policy_weight, &examples.moves, Some(&dots_slope))?; // [P, H]
        drop(hidden_slope.f_narrow(0, 0, with_policy)?.f_add_(&through_policy)?);
        let relu_slope = hidden.f_threshold_backward(&hidden_slope, 0.0)?;
        let sums_slope = Tensor::f_cat(&[relu_slope, skip_slope], 1)?; // [B, H + 4]

        let input_bias = sums_slope.f_sum_dim_intlist(0, false, Kind::Float)?;
        let input_weight = sum_columns(&sums_slope, &examples.inputs, None)?;
        let policy_weight = sum_columns(&policy_hidden, &examples.moves, Some(&dots_slope))?;
        let gradients = vec![
            input_bias,
            input_weight,
            policy_bias,
            policy_exchange,
            policy_weight,
            value_bias,
            value_out,
            value_weight,
        ];
        Ok((losses.numbers()?, gradients))
    }

    /// From the hidden units, the skip and the dot products of policy rows with hidden units to the outputs.
    fn heads(
        &self,
        hidden: &Tensor,
        skip: &Tensor,
        dots: &Tensor,
        examples: &Examples,
    ) -> Result<Outputs, TchError> {
        let SparseParameters { policy_bias, policy_exchange, value_bias, value_out, value_weight, .. } =
            &self.parameters;
        let value = hidden.f_linear(value_weight, Some(value_bias))?.f_relu()?; // [B, V]
        let outputs = value.f_linear(value_out, None::<&Tensor>)?.f_add(skip)?; // [B, 4]
        let bias = policy_bias.f_index_select(0, &examples.moves.columns)?; // [M]
        let exchange = policy_exchange.f_index_select(0, &examples.exchanges)?; // [M]
        let logits = dots.f_add(&bias)?.f_add(&exchange)?; // [M]
        let nowhere = examples.policy.f_full_like(ILLEGAL_LOGIT)?.f_flatten(0, -1)?; // [P · L]
        Ok(Outputs {
            wdl_logits: outputs.f_narrow(1, 0, 3)?,
            moves_left: outputs.f_select(1, 3)?.f_softplus()?.f_mul_scalar(f64::from(MOVES_LEFT_UNIT))?,
            policy_logits: nowhere.f_index_copy(0, &examples.cells, &logits)?.f_view_as(&examples.policy)?,
        })
    }
}

/// For each row of `matrix` the sum of the rows of `table` `[C, K]` that its columns name, each times its weight;
/// `[R, K]`. One weight for each of `matrix.columns`, or 1.
fn sum_rows(table: &Tensor, matrix: &Incidence, weights: Option<&Tensor>) -> Result<Tensor, TchError> {
    bag_sums(table, &matrix.columns, &matrix.row_starts, weights)
}

/// The transpose: for each column the sum of the rows of `table` `[R, K]`; `[C, K]`.
fn sum_columns(table: &Tensor, matrix: &Incidence, weights: Option<&Tensor>) -> Result<Tensor, TchError> {
    let weights = weights.map(|weights| weights.f_index_select(0, &matrix.order)).transpose()?;
    bag_sums(table, &matrix.rows, &matrix.column_starts, weights.as_ref())
}

fn bag_sums(
    table: &Tensor,
    items: &Tensor,
    starts: &Tensor,
    weights: Option<&Tensor>,
) -> Result<Tensor, TchError> {
    let (sums, ..) = Tensor::f_embedding_bag(table, items, starts, false, SUM, false, weights, false)?;
    Ok(sums)
}

/// For each one of `matrix` the dot product of `left`'s row `[R, K]` and `right`'s column `[C, K]`; `[N]`.
///
/// In libtorch it goes by the name of what it was made for: the gradient of a weighted sum of rows with respect to
/// the weights.
fn dots(left: &Tensor, right: &Tensor, matrix: &Incidence) -> Result<Tensor, TchError> {
    const NO_PADDING: i64 = -1;
    Tensor::f_internal_embedding_bag_per_sample_weights_backward(
        left,
        right,
        &matrix.columns,
        &matrix.row_starts,
        &matrix.row_of,
        SUM,
        NO_PADDING,
    )
}

/// libtorch's number for adding up rather than averaging.
const SUM: i64 = 0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Sampler;
    use crate::testing::{RULE, weights, window};
    use torch::BatchBuilder;

    fn values(tensor: &Tensor) -> Vec<f32> {
        Vec::try_from(&tensor.detach().flatten(0, -1)).unwrap()
    }

    /// The same examples as a batch of the module's; without a policy, without moves.
    fn batch(examples: &Examples) -> torch::Batch {
        let numbers = |tensor: &Tensor| Vec::<i64>::try_from(tensor).unwrap();
        let rows = |matrix: &Incidence| {
            let mut rows = vec![Vec::new(); examples.len()];
            for (row, column) in numbers(&matrix.row_of).into_iter().zip(numbers(&matrix.columns)) {
                rows[row as usize].push(column as usize);
            }
            rows
        };
        let mut exchanges = numbers(&examples.exchanges).into_iter().map(|exchange| exchange as usize);
        let mut builder = BatchBuilder::new();
        for (inputs, moves) in rows(&examples.inputs).into_iter().zip(rows(&examples.moves)) {
            let inputs: Vec<u16> = inputs.into_iter().map(|input| input as u16).collect();
            builder.push(&inputs, moves.into_iter().zip(&mut exchanges));
        }
        builder.build(Device::Cpu).unwrap()
    }

    /// Known twice: by hand, and by libtorch from the module's forward pass.
    fn check(batch_size: usize, step: u64) {
        let window = window(2);
        let module = SparseModule::new(&weights(16), Device::Cpu).unwrap();
        // The first weights leave the heads at zero, where most gradients vanish.
        let parameters = module.parameters();
        for (number, (_, parameter)) in parameters.iter().enumerate() {
            let length = parameter.numel() as i64;
            let noise =
                (Tensor::arange(length, (Kind::Float, Device::Cpu)) * (1.7 + number as f64)).sin() * 0.1;
            drop(parameter.detach().g_add_(&noise.view_as(parameter)));
        }
        let sampler = Sampler { window: &window, seed: 3, batch_size, mirror: true, device: Device::Cpu };
        let examples = sampler.draw(step, RULE).unwrap();
        let settings = Settings::default();

        let outputs = module.forward(&batch(&examples)).unwrap();
        let expected_losses = LossTensors::new(&settings, &outputs, &examples).unwrap();
        let inputs: Vec<&Tensor> = parameters.iter().map(|(_, tensor)| tensor).collect();
        let expected = Tensor::run_backward(&[&expected_losses.total], &inputs, false, false);
        let (losses, gradients) = SparseNetwork::new(module).differentiate(&settings, &examples).unwrap();

        let total = expected_losses.numbers().unwrap().total;
        assert!((losses.total - total).abs() < 1e-5 * total, "{losses:?}, want {total}");
        for (index, (name, parameter)) in parameters.iter().enumerate() {
            assert_eq!(gradients[index].size(), parameter.size(), "{name}");
            let (found, expected) = (values(&gradients[index]), values(&expected[index]));
            let largest = expected.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            let learns = examples.policies() > 0 || !name.starts_with("policy");
            assert_eq!(largest > 0.0, learns, "{name}");
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() <= 1e-4 * largest, "{name}: {found}, want {expected}");
            }
        }
    }

    #[test]
    fn the_gradient_is_that_of_libtorch() {
        check(64, 0);
    }

    #[test]
    fn a_single_position_with_or_without_policy_does() {
        (0..6).for_each(|step| check(1, step));
    }
}
