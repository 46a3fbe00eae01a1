//! The losses of the sparse network (`net::Architecture::Sparse`) and their gradient, by hand, on one thread.
//!
//! What libtorch would compute from [`torch::SparseModule`] and differentiate by itself, at a tenth of the cost: of
//! 5,056 inputs and 2,062 moves a position has some thirty each, and here nothing else is touched. The gradient of a
//! row of weights is a sum over the positions that list it, written once, so that nothing is cleared or sorted. A test
//! compares every number with libtorch's.
//!
//! Plain Rust, compiled twice as in `net`'s kernels: the same additions in the same order with AVX2 and without. Hot
//! loops are written out, since adapters of iterators that aren't inlined are compiled once, without AVX2.
#![expect(
    clippy::inline_always,
    reason = "only what is inlined into `differentiate_avx2` is compiled for AVX2"
)]

use crate::examples::Examples;
use crate::lists::Columns;
use crate::losses::Losses;
use crate::settings::Settings;
use evaluator::{INPUTS, MOVES};
use net::OUTPUTS;

/// How many parameters (tensors) the network has, in the order of their names.
pub(crate) const PARAMETERS: usize = 8;

/// Numbers that a register of AVX2 holds.
const LANES: usize = 8;
type Lanes = [f32; LANES];

/// Memory between input and gradient, kept from step to step. B positions, the first P with M moves in all; H hidden
/// units, V of the value head.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    /// `[B, H]`: hidden layer.
    hidden: Vec<f32>,
    /// `[B, H + 4]`: first what goes straight to the outputs stands in the last four; then the slopes of the sums.
    slopes: Vec<f32>,
    /// `[M]`: logits, then their slopes.
    logits: Vec<f32>,
    /// `[V]`: the value head's hidden layer.
    value: Vec<f32>,
    /// `[V]`: its slopes.
    value_slopes: Vec<f32>,
    /// Products of rows, lanes not yet added up.
    products: Vec<Lanes>,
    inputs: Columns,
    moves: Columns,
}

/// Losses, the gradient of their weighted sum, and its Euclidean norm. `parameters` and `gradients` are those of
/// [`torch::SparseModule::parameters`], in their order; every number of `gradients` is written.
pub(crate) fn differentiate(
    settings: &Settings,
    parameters: [&[f32]; PARAMETERS],
    examples: &Examples,
    workspace: &mut Workspace,
    gradients: [&mut [f32]; PARAMETERS],
) -> (Losses, f64) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "128 wide it takes a third off; a test compares the two copies")]
        // SAFETY: the processor has AVX2, and the function wants nothing else.
        return unsafe { differentiate_avx2(settings, parameters, examples, workspace, gradients) };
    }
    differentiate_plainly(settings, parameters, examples, workspace, gradients)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn differentiate_avx2(
    settings: &Settings,
    parameters: [&[f32]; PARAMETERS],
    examples: &Examples,
    workspace: &mut Workspace,
    gradients: [&mut [f32]; PARAMETERS],
) -> (Losses, f64) {
    differentiate_plainly(settings, parameters, examples, workspace, gradients)
}

#[inline(always)]
fn differentiate_plainly(
    settings: &Settings,
    parameters: [&[f32]; PARAMETERS],
    examples: &Examples,
    workspace: &mut Workspace,
    gradients: [&mut [f32]; PARAMETERS],
) -> (Losses, f64) {
    let weights = Parts::new(parameters);
    let (positions, with_policy) = (examples.len().max(1), examples.policies().max(1));
    let known = examples.moves_left.iter().flatten().count().max(1);
    hidden_layer(&weights, examples, workspace);
    let mut gradient = Parts::new(gradients);
    gradient.added_to().into_iter().for_each(|part| part.fill(0.0));
    let policy_scale = settings.policy_loss_weight / with_policy as f64;
    let policy =
        policy(&weights, examples, workspace, policy_scale as f32, &mut gradient) / with_policy as f64;
    let scales =
        [settings.value_loss_weight / positions as f64, settings.moves_left_loss_weight / known as f64];
    let [value, moves_left] =
        value(&weights, examples, workspace, scales.map(|scale| scale as f32), &mut gradient);
    let (value, moves_left) = (value / positions as f64, moves_left / known as f64);
    let mut squares = sparse_layers(&weights, examples, workspace, &mut gradient);
    let total = settings.policy_loss_weight * policy
        + settings.value_loss_weight * value
        + settings.moves_left_loss_weight * moves_left;
    for part in gradient.added_to() {
        squares += sum_of_squares(part);
    }
    (Losses { policy, value, moves_left, total }, squares.sqrt())
}

/// Something of each parameter, by name; matrices row by row.
struct Parts<T> {
    input_bias: T,
    input_weight: T,
    policy_bias: T,
    policy_exchange: T,
    policy_weight: T,
    value_bias: T,
    value_out: T,
    value_weight: T,
}

impl<T> Parts<T> {
    #[inline(always)]
    fn new(parameters: [T; PARAMETERS]) -> Self {
        let [
            input_bias,
            input_weight,
            policy_bias,
            policy_exchange,
            policy_weight,
            value_bias,
            value_out,
            value_weight,
        ] = parameters;
        Self {
            input_bias,
            input_weight,
            policy_bias,
            policy_exchange,
            policy_weight,
            value_bias,
            value_out,
            value_weight,
        }
    }
}

type Weights<'a> = Parts<&'a [f32]>;
type Gradient<'a> = Parts<&'a mut [f32]>;

impl Weights<'_> {
    /// H + 4.
    #[inline(always)]
    const fn width(&self) -> usize {
        self.input_bias.len()
    }

    /// H.
    #[inline(always)]
    const fn hidden(&self) -> usize {
        self.width() - OUTPUTS
    }

    /// V.
    #[inline(always)]
    const fn value(&self) -> usize {
        self.value_bias.len()
    }
}

impl Gradient<'_> {
    /// The parts that are added to. Of the two others every row is written once.
    #[inline(always)]
    fn added_to(&mut self) -> [&mut [f32]; 6] {
        [
            self.input_bias,
            self.policy_bias,
            self.policy_exchange,
            self.value_bias,
            self.value_out,
            self.value_weight,
        ]
    }
}

/// Writes the hidden layer and what goes straight to the outputs.
#[inline(always)]
fn hidden_layer(weights: &Weights<'_>, examples: &Examples, workspace: &mut Workspace) {
    let Workspace { hidden, slopes, .. } = workspace;
    hidden.resize(examples.len() * weights.hidden(), 0.0);
    slopes.resize(examples.len() * weights.width(), 0.0);
    let layers = hidden.chunks_exact_mut(weights.hidden()).zip(slopes.chunks_exact_mut(weights.width()));
    for ((hidden, sums), row) in layers.zip(examples.inputs.rows()) {
        sums.copy_from_slice(weights.input_bias);
        let rows = row.iter().map(|&input| row_of(weights.input_weight, usize::from(input), weights.width()));
        add_rows(sums, rows);
        for (unit, &sum) in hidden.iter_mut().zip(&*sums) {
            // NaN stays NaN, so that it is found.
            *unit = if sum < 0.0 { 0.0 } else { sum };
        }
    }
}

/// The policy: the sum of its losses, the slopes of the logits, and what comes through them to the hidden units.
#[inline(always)]
fn policy(
    weights: &Weights<'_>,
    examples: &Examples,
    workspace: &mut Workspace,
    scale: f32,
    gradient: &mut Gradient<'_>,
) -> f64 {
    let Workspace { hidden, slopes, logits, products, .. } = workspace;
    logits.clear();
    let mut losses = 0.0;
    let mut start = 0;
    for (position, row) in examples.moves.rows().enumerate() {
        let hidden = row_of(hidden, position, weights.hidden());
        let exchanges = &examples.exchanges[start..start + row.len()];
        let rows = row.iter().map(|&mv| row_of(weights.policy_weight, usize::from(mv), weights.hidden()));
        multiply(rows.clone(), hidden, products);
        for ((&mv, &exchange), product) in row.iter().zip(exchanges).zip(&*products) {
            let bias = weights.policy_bias[usize::from(mv)] + weights.policy_exchange[usize::from(exchange)];
            logits.push(sum(product) + bias);
        }
        let logits = &mut logits[start..];
        losses += f64::from(cross_entropy(logits, &examples.policy[start..start + row.len()], scale));
        for ((&mv, &exchange), &slope) in row.iter().zip(exchanges).zip(&*logits) {
            gradient.policy_bias[usize::from(mv)] += slope;
            gradient.policy_exchange[usize::from(exchange)] += slope;
        }
        let slopes = &mut slopes[position * weights.width()..][..weights.hidden()];
        write_weighted_sum(slopes, rows.zip(logits.iter().copied()));
        start += row.len();
    }
    losses
}

/// The value head: the sums of its two losses, and the slopes of the first layer's sums, complete. `scales` are those
/// of the slopes of the two losses.
#[inline(always)]
fn value(
    weights: &Weights<'_>,
    examples: &Examples,
    workspace: &mut Workspace,
    [value_scale, moves_left_scale]: [f32; 2],
    gradient: &mut Gradient<'_>,
) -> [f64; 2] {
    let Workspace { hidden, slopes, value, value_slopes, products, .. } = workspace;
    value.resize(weights.value(), 0.0);
    value_slopes.resize(weights.value(), 0.0);
    let mut losses = [0.0; 2];
    let targets = examples.wdl.iter().zip(&examples.moves_left);
    let layers = hidden.chunks_exact(weights.hidden()).zip(slopes.chunks_exact_mut(weights.width()));
    for (position, ((hidden, slopes), (wdl, moves_left))) in layers.zip(targets).enumerate() {
        let (slopes, outputs) = slopes.split_at_mut(weights.hidden());
        if position >= examples.policies() {
            slopes.fill(0.0);
        }
        multiply(weights.value_weight.chunks_exact(weights.hidden()), hidden, products);
        for ((unit, product), bias) in value.iter_mut().zip(&*products).zip(weights.value_bias) {
            let sum = sum(product) + bias;
            *unit = if sum < 0.0 { 0.0 } else { sum };
        }
        multiply(weights.value_out.chunks_exact(weights.value()), value, products);
        for (output, product) in outputs.iter_mut().zip(&*products) {
            *output += sum(product);
        }

        // The outputs become their own slopes.
        losses[0] += f64::from(cross_entropy(&mut outputs[..3], wdl, value_scale));
        outputs[3] = match *moves_left {
            None => 0.0,
            Some(plies) => {
                let (loss, slope) = moves_left_loss(outputs[3], plies);
                losses[1] += f64::from(loss);
                slope * moves_left_scale
            }
        };
        value_slopes.fill(0.0);
        let rows = weights.value_out.chunks_exact(weights.value());
        let to_rows = gradient.value_out.chunks_exact_mut(weights.value());
        for ((&slope, row), to_row) in outputs.iter().zip(rows).zip(to_rows) {
            add_weighted(value_slopes, row, slope);
            add_weighted(to_row, value, slope);
        }
        let rows = weights.value_weight.chunks_exact(weights.hidden());
        let to_rows = gradient.value_weight.chunks_exact_mut(weights.hidden());
        let to_rows = gradient.value_bias.iter_mut().zip(to_rows);
        for ((&unit, &slope), (row, (to_bias, to_row))) in
            value.iter().zip(&*value_slopes).zip(rows.zip(to_rows))
        {
            if unit > 0.0 {
                *to_bias += slope;
                add_weighted(slopes, row, slope);
                add_weighted(to_row, hidden, slope);
            }
        }
        for (slope, &unit) in slopes.iter_mut().zip(hidden) {
            *slope = if unit > 0.0 { *slope } else { 0.0 };
        }
    }
    losses
}

/// The gradient of the two layers whose rows few positions have, row by row, and the sum of its squares.
#[inline(always)]
fn sparse_layers(
    weights: &Weights<'_>,
    examples: &Examples,
    workspace: &mut Workspace,
    gradient: &mut Gradient<'_>,
) -> f64 {
    let Workspace { hidden, slopes, logits, inputs, moves, .. } = workspace;
    let mut squares = 0.0;
    inputs.turn(&examples.inputs, INPUTS);
    for (to_row, places) in gradient.input_weight.chunks_exact_mut(weights.width()).zip(inputs.iter()) {
        write_sum(to_row, places.iter().map(|place| row_of(slopes, place.row as usize, weights.width())));
        squares += sum_of_squares(to_row);
    }
    for slopes in slopes.chunks_exact(weights.width()) {
        add_rows(gradient.input_bias, std::iter::once(slopes));
    }
    moves.turn(&examples.moves, MOVES);
    for (to_row, places) in gradient.policy_weight.chunks_exact_mut(weights.hidden()).zip(moves.iter()) {
        let rows = places.iter().map(|place| {
            (row_of(hidden, place.row as usize, weights.hidden()), logits[place.entry as usize])
        });
        write_weighted_sum(to_row, rows);
        squares += sum_of_squares(to_row);
    }
    squares
}

/// −Σ target · log softmax(logits), whose slopes, times `scale`, take the logits' place. The targets add up to 1.
#[inline(always)]
fn cross_entropy(logits: &mut [f32], targets: &[f32], scale: f32) -> f32 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (mut sum, mut wanted) = (0.0, 0.0);
    for (logit, &target) in logits.iter_mut().zip(targets) {
        wanted += target * (*logit - most);
        *logit = (*logit - most).exp();
        sum += *logit;
    }
    for (logit, &target) in logits.iter_mut().zip(targets) {
        *logit = scale * (*logit / sum - target);
    }
    sum.ln() - wanted
}

/// Huber loss of the plies to the end in units of [`net::MOVES_LEFT_UNIT`], with the kink at 1, and its slope by the
/// raw output, of which softplus makes the plies.
#[inline(always)]
fn moves_left_loss(raw: f32, plies: f32) -> (f32, f32) {
    let softplus = raw.max(0.0) + (-raw.abs()).exp().ln_1p();
    let wrong_by = softplus - plies / net::MOVES_LEFT_UNIT;
    let loss = if wrong_by.abs() <= 1.0 { 0.5 * wrong_by * wrong_by } else { wrong_by.abs() - 0.5 };
    (loss, wrong_by.clamp(-1.0, 1.0) / (1.0 + (-raw).exp()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Sampler;
    use crate::testing::{RULE, weights, window};

    type Differentiate = fn(
        &Settings,
        [&[f32]; PARAMETERS],
        &Examples,
        &mut Workspace,
        [&mut [f32]; PARAMETERS],
    ) -> (Losses, f64);

    /// With AVX2, where the processor has it, and without: the same numbers to the bit.
    #[test]
    fn both_copies_say_the_same() {
        let window = window(2);
        let examples = Sampler { window: &window, seed: 3, batch_size: 64, mirror: true }.draw(0, RULE);
        let settings = Settings::default();
        for hidden in [8, 40, 128] {
            let weights = weights(hidden);
            // The first weights leave the heads at zero, where most gradients vanish.
            let mut number = 0.0_f32;
            let mut noise = |&value: &f32| {
                number += 1.0;
                value + 0.1 * number.sin()
            };
            let parameters: Vec<Vec<f32>> = weights
                .tensors()
                .values()
                .map(|tensor| tensor.values.iter().map(&mut noise).collect())
                .collect();
            let run = |differentiate: Differentiate| {
                let mut gradients: Vec<Vec<f32>> =
                    parameters.iter().map(|part| vec![0.0; part.len()]).collect();
                let read: Vec<&[f32]> = parameters.iter().map(Vec::as_slice).collect();
                let written: Vec<&mut [f32]> = gradients.iter_mut().map(Vec::as_mut_slice).collect();
                let (read, written) = (read.try_into().unwrap(), written.try_into().unwrap());
                let found = differentiate(&settings, read, &examples, &mut Workspace::default(), written);
                let bits: Vec<u32> = gradients.concat().into_iter().map(f32::to_bits).collect();
                (found, bits)
            };
            let (best, plain) = (run(differentiate), run(differentiate_plainly));
            assert!(best == plain, "{hidden} wide: losses {:?} and {:?}", best.0, plain.0);
            assert!(best.1.iter().filter(|&&bits| bits != 0).count() > 1000);
        }
    }
}
