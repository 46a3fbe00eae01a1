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
use crate::heads::{Head, Heads};
use crate::lists::{Columns, Lists};
use crate::losses::Losses;
use crate::rows::{
    Lanes, add_rows, add_weighted, add_weighted_sum, multiply, row_of, sum, sum_of_squares, write_sum,
    write_weighted_sum,
};
use crate::settings::Settings;
use crate::targets::soften;
use evaluator::{INPUTS, MOVES};
use net::OUTPUTS;

/// How many parameters (tensors) the network itself has, in the order of their names.
const PARAMETERS: usize = 8;

/// Something of each parameter of the network and of the heads that training adds.
#[derive(Debug)]
pub(crate) struct Parameters<T> {
    net: [T; PARAMETERS],
    heads: Heads<T>,
}

impl<T> Parameters<T> {
    /// From what belongs to each parameter: the network's in the order of [`torch::SparseModule::parameters`], then the
    /// heads'.
    pub(crate) fn new(settings: &Settings, of_each: impl IntoIterator<Item = T>) -> Self {
        let mut of_each = of_each.into_iter();
        let net = std::array::from_fn(|_| of_each.next().expect("the sparse network has eight parameters"));
        Self { net, heads: Heads::take(settings, of_each) }
    }
}

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
    /// `[M]`: the same of the soft policy.
    soft_logits: Vec<f32>,
    /// `[M]`: its targets.
    soft_targets: Vec<f32>,
    /// Of each reply the logit, then its slope.
    reply_logits: Vec<f32>,
    /// `[V]`: the value head's hidden layer.
    value: Vec<f32>,
    /// `[V]`: its slopes.
    value_slopes: Vec<f32>,
    /// Products of rows, lanes not yet added up.
    products: Vec<Lanes>,
    inputs: Columns,
    moves: Columns,
    replies: Columns,
}

/// Losses, the gradient of their weighted sum, and its Euclidean norm. Every number of `gradients` is written.
pub(crate) fn differentiate(
    settings: &Settings,
    parameters: &Parameters<&[f32]>,
    examples: &Examples,
    workspace: &mut Workspace,
    gradients: Parameters<&mut [f32]>,
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
    parameters: &Parameters<&[f32]>,
    examples: &Examples,
    workspace: &mut Workspace,
    gradients: Parameters<&mut [f32]>,
) -> (Losses, f64) {
    differentiate_plainly(settings, parameters, examples, workspace, gradients)
}

#[inline(always)]
fn differentiate_plainly(
    settings: &Settings,
    parameters: &Parameters<&[f32]>,
    examples: &Examples,
    workspace: &mut Workspace,
    gradients: Parameters<&mut [f32]>,
) -> (Losses, f64) {
    let weights = Parts::new(parameters.net);
    let (positions, with_policy) = (examples.len().max(1), examples.policies().max(1));
    let known = examples.moves_left.iter().flatten().count().max(1);
    hidden_layer(&weights, examples, workspace);
    let (mut gradient, mut head_gradients) = (Parts::new(gradients.net), gradients.heads);
    gradient.added_to().into_iter().for_each(|part| part.fill(0.0));
    head_gradients.added_to().for_each(|part| part.fill(0.0));
    let policy_scale = settings.policy_loss_weight / with_policy as f64;
    let policy =
        policy(&weights, examples, workspace, policy_scale as f32, &mut gradient) / with_policy as f64;
    let soft_policy = soft_policy(settings, &parameters.heads, examples, workspace, &mut head_gradients);
    let opponent_reply =
        opponent_reply(settings, &parameters.heads, examples, workspace, &mut head_gradients);
    let scales =
        [settings.value_loss_weight / positions as f64, settings.moves_left_loss_weight / known as f64];
    let [value, moves_left] =
        value(&weights, examples, workspace, scales.map(|scale| scale as f32), &mut gradient);
    let (value, moves_left) = (value / positions as f64, moves_left / known as f64);
    let mut squares = sparse_layers(&weights, examples, workspace, &mut gradient);
    squares += head_rows(examples, workspace, &mut head_gradients);
    let total = settings.policy_loss_weight * policy
        + settings.value_loss_weight * value
        + settings.moves_left_loss_weight * moves_left
        + settings.soft_policy_loss_weight * soft_policy
        + settings.opponent_reply_loss_weight * opponent_reply;
    for part in gradient.added_to() {
        squares += sum_of_squares(part);
    }
    for part in head_gradients.added_to() {
        squares += sum_of_squares(part);
    }
    (Losses { policy, value, moves_left, soft_policy, opponent_reply, total }, squares.sqrt())
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

impl Heads<&mut [f32]> {
    /// The parts that are added to.
    #[inline(always)]
    fn added_to(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let heads = [self.opponent_reply.as_mut(), self.soft_policy.as_mut()];
        heads
            .into_iter()
            .flatten()
            .flat_map(|head| std::iter::once(&mut *head.bias).chain(head.exchange.as_deref_mut()))
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
    let head = Head {
        bias: weights.policy_bias,
        exchange: Some(weights.policy_exchange),
        weight: weights.policy_weight,
    };
    let mut gradient = Head {
        bias: &mut *gradient.policy_bias,
        exchange: Some(&mut *gradient.policy_exchange),
        weight: &mut *gradient.policy_weight,
    };
    let Examples { moves, exchanges, policy: targets, .. } = examples;
    let choices = Choices { moves, exchanges, targets, scale };
    move_head(&head, choices, Layers { hidden, slopes, products, added: false }, logits, &mut gradient)
}

/// The soft policy, if it is on: the mean of its losses; and what comes through its slopes is added to the policy's.
#[inline(always)]
fn soft_policy(
    settings: &Settings,
    heads: &Heads<&[f32]>,
    examples: &Examples,
    workspace: &mut Workspace,
    gradients: &mut Heads<&mut [f32]>,
) -> f64 {
    let (Some(head), Some(gradient)) = (&heads.soft_policy, &mut gradients.soft_policy) else { return 0.0 };
    let Workspace { hidden, slopes, soft_logits, soft_targets, products, .. } = workspace;
    let Examples { moves, exchanges, policy, .. } = examples;
    soft_targets.clear();
    let mut start = 0;
    for row in moves.rows() {
        let shares = &policy[start..start + row.len()];
        soften(shares, settings.soft_policy_temperature as f32, soft_targets);
        start += row.len();
    }
    let count = moves.len().max(1) as f64;
    let scale = (settings.soft_policy_loss_weight / count) as f32;
    let choices = Choices { moves, exchanges, targets: soft_targets, scale };
    move_head(head, choices, Layers { hidden, slopes, products, added: true }, soft_logits, gradient) / count
}

/// The opponent's reply, if it is on: the mean of its losses; and what comes through its slopes is added to the
/// policies', or to nothing where there is none.
#[inline(always)]
fn opponent_reply(
    settings: &Settings,
    heads: &Heads<&[f32]>,
    examples: &Examples,
    workspace: &mut Workspace,
    gradients: &mut Heads<&mut [f32]>,
) -> f64 {
    let Workspace { hidden, slopes, reply_logits, products, .. } = workspace;
    let width = slopes.len() / examples.len().max(1);
    for slopes in slopes.chunks_exact_mut(width.max(1)).skip(examples.policies()) {
        slopes[..width - OUTPUTS].fill(0.0);
    }
    let (Some(head), Some(gradient)) = (&heads.opponent_reply, &mut gradients.opponent_reply) else {
        return 0.0;
    };
    let count = examples.known_replies().max(1) as f64;
    let scale = (settings.opponent_reply_loss_weight / count) as f32;
    let choices = Choices { moves: &examples.replies, exchanges: &[], targets: &examples.reply, scale };
    move_head(head, choices, Layers { hidden, slopes, products, added: true }, reply_logits, gradient) / count
}

/// What a head chooses among.
#[derive(Clone, Copy)]
struct Choices<'a> {
    /// For each position.
    moves: &'a Lists,
    /// Of each move, for a head that looks at them.
    exchanges: &'a [u16],
    /// A share for each move.
    targets: &'a [f32],
    /// What slopes are multiplied with.
    scale: f32,
}

/// What lies under a head, see [`Workspace`].
struct Layers<'a> {
    hidden: &'a [f32],
    slopes: &'a mut [f32],
    products: &'a mut Vec<Lanes>,
    /// Have the hidden units slopes already, to which the head's are added?
    added: bool,
}

/// A head with a row for each move: the sum of its losses, the slopes of its logits, and what comes through them to the
/// hidden units. A position without moves has none of it.
#[inline(always)]
fn move_head(
    head: &Head<&[f32]>,
    choices: Choices<'_>,
    layers: Layers<'_>,
    logits: &mut Vec<f32>,
    gradient: &mut Head<&mut [f32]>,
) -> f64 {
    let Layers { hidden, slopes, products, added } = layers;
    let width = head.weight.len() / MOVES;
    logits.clear();
    let mut losses = 0.0;
    let mut start = 0;
    for (position, row) in choices.moves.rows().enumerate() {
        if row.is_empty() {
            continue;
        }
        let hidden = row_of(hidden, position, width);
        let rows = row.iter().map(|&mv| row_of(head.weight, usize::from(mv), width));
        multiply(rows.clone(), hidden, products);
        let end = start + row.len();
        for ((&mv, product), entry) in row.iter().zip(&*products).zip(start..) {
            let bias = head.bias[usize::from(mv)];
            let of_exchange = |exchange: &[f32]| bias + exchange[usize::from(choices.exchanges[entry])];
            logits.push(sum(product) + head.exchange.map_or(bias, of_exchange));
        }
        let logits = &mut logits[start..];
        losses += f64::from(cross_entropy(logits, &choices.targets[start..end], choices.scale));
        for (&mv, &slope) in row.iter().zip(&*logits) {
            gradient.bias[usize::from(mv)] += slope;
        }
        if let Some(exchange) = &mut gradient.exchange {
            for (&number, &slope) in choices.exchanges[start..end].iter().zip(&*logits) {
                exchange[usize::from(number)] += slope;
            }
        }
        let slopes = &mut slopes[position * (width + OUTPUTS)..][..width];
        let weighted = rows.zip(logits.iter().copied());
        if added {
            add_weighted_sum(slopes, weighted);
        } else {
            write_weighted_sum(slopes, weighted);
        }
        start = end;
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
    for ((hidden, slopes), (wdl, moves_left)) in layers.zip(targets) {
        let (slopes, outputs) = slopes.split_at_mut(weights.hidden());
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
    move_rows(gradient.policy_weight, moves, hidden, logits, squares)
}

/// The gradient of the rows of the heads that are on, and the sum of its squares.
#[inline(always)]
fn head_rows(examples: &Examples, workspace: &mut Workspace, gradients: &mut Heads<&mut [f32]>) -> f64 {
    let Workspace { hidden, soft_logits, reply_logits, moves, replies, .. } = workspace;
    let mut squares = 0.0;
    if let Some(gradient) = &mut gradients.soft_policy {
        // The moves are the policy's, turned over already.
        squares = move_rows(gradient.weight, moves, hidden, soft_logits, squares);
    }
    if let Some(gradient) = &mut gradients.opponent_reply {
        replies.turn(&examples.replies, MOVES);
        squares = move_rows(gradient.weight, replies, hidden, reply_logits, squares);
    }
    squares
}

/// The gradient of a matrix with a row for each move, row by row; `squares` and those of its numbers. `slopes` are those
/// of the logits.
#[inline(always)]
fn move_rows(gradient: &mut [f32], moves: &Columns, hidden: &[f32], slopes: &[f32], mut squares: f64) -> f64 {
    let width = gradient.len() / MOVES;
    for (to_row, places) in gradient.chunks_exact_mut(width).zip(moves.iter()) {
        let rows = places
            .iter()
            .map(|place| (row_of(hidden, place.row as usize, width), slopes[place.entry as usize]));
        write_weighted_sum(to_row, rows);
        squares += sum_of_squares(to_row);
    }
    squares
}

/// −Σ target · log softmax(logits), whose slopes, times `scale`, take the logits' place. The targets add up to 1.
#[inline(always)]
fn cross_entropy(logits: &mut [f32], targets: &[f32], scale: f32) -> f32 {
    let wanted: f32 = logits.iter().zip(targets).map(|(logit, target)| target * logit).sum();
    let (greatest, sum) = evaluator::exponentiate(logits);
    for (logit, &target) in logits.iter_mut().zip(targets) {
        *logit = scale * (*logit / sum - target);
    }
    greatest + sum.ln() - wanted
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
    use crate::heads;
    use crate::sampler::Sampler;
    use crate::targets::TargetRule;
    use crate::testing::{RULE, weights, window};
    use tch::Device;

    type Differentiate = fn(
        &Settings,
        &Parameters<&[f32]>,
        &Examples,
        &mut Workspace,
        Parameters<&mut [f32]>,
    ) -> (Losses, f64);

    /// Every loss with its own weight.
    fn settings() -> Settings {
        Settings {
            policy_loss_weight: 0.75,
            value_loss_weight: 1.25,
            moves_left_loss_weight: 0.5,
            soft_policy_loss_weight: 0.375,
            opponent_reply_loss_weight: 0.25,
            ..Settings::default()
        }
    }

    fn examples(batch_size: usize) -> Examples {
        let window = window(2);
        let sampler = Sampler { window: &window, sampling: None, seed: 3, batch_size, mirror: true };
        let examples = sampler.draw(0, TargetRule { opponent_reply: true, ..RULE });
        assert!(0 < examples.known_replies() && examples.known_replies() < examples.len());
        examples
    }

    /// All of a network's numbers and its heads'; the first weights leave the heads at zero, where most gradients
    /// vanish.
    fn parameters(settings: &Settings, hidden: usize) -> Vec<Vec<f32>> {
        let weights = weights(hidden);
        let of_net = weights.tensors().values().map(|tensor| tensor.values.clone());
        let of_heads = heads::parameters(settings, hidden as i64, Device::Cpu).unwrap();
        let of_heads = of_heads.into_iter().map(|(_, tensor)| vec![0.0; tensor.numel()]);
        let mut number = 0.0_f32;
        let noisy = |mut values: Vec<f32>| {
            for value in &mut values {
                number += 1.0;
                *value += 0.1 * number.sin();
            }
            values
        };
        of_net.chain(of_heads).map(noisy).collect()
    }

    fn run(
        differentiate: Differentiate,
        settings: &Settings,
        parameters: &[Vec<f32>],
        examples: &Examples,
    ) -> (Losses, f64, Vec<Vec<f32>>) {
        let mut gradients: Vec<Vec<f32>> = parameters.iter().map(|part| vec![0.0; part.len()]).collect();
        let read = Parameters::new(settings, parameters.iter().map(Vec::as_slice));
        let written = Parameters::new(settings, gradients.iter_mut().map(Vec::as_mut_slice));
        let (losses, norm) = differentiate(settings, &read, examples, &mut Workspace::default(), written);
        (losses, norm, gradients)
    }

    /// With AVX2, where the processor has it, and without: the same numbers to the bit.
    #[test]
    fn both_copies_say_the_same() {
        let examples = examples(64);
        for settings in [Settings::default(), settings()] {
            for hidden in [8, 40, 128] {
                let parameters = parameters(&settings, hidden);
                let bits = |differentiate: Differentiate| {
                    let (losses, norm, gradients) = run(differentiate, &settings, &parameters, &examples);
                    let bits = gradients.concat().into_iter().map(f32::to_bits).collect::<Vec<u32>>();
                    (losses, norm, bits)
                };
                let (best, plain) = (bits(differentiate), bits(differentiate_plainly));
                assert!(best == plain, "{hidden} wide: losses {:?} and {:?}", best.0, plain.0);
                assert!(best.2.iter().filter(|&&bits| bits != 0).count() > 1000);
            }
        }
    }

    /// Each loss alone: the gradient against central differences, along the gradient of each parameter.
    #[test]
    fn gradients_are_slopes() {
        let examples = examples(8);
        let all = settings();
        let parameters = parameters(&all, 16);
        let none = Settings {
            policy_loss_weight: 0.0,
            value_loss_weight: 0.0,
            moves_left_loss_weight: 0.0,
            // So small that it pulls at nothing, but the heads are there.
            soft_policy_loss_weight: 1e-30,
            opponent_reply_loss_weight: 1e-30,
            ..all
        };
        let of = |losses: Losses| {
            let Losses { policy, value, moves_left, soft_policy, opponent_reply, .. } = losses;
            [policy, value, moves_left, soft_policy, opponent_reply]
        };
        // How many parameters each loss pulls at.
        for (number, parts) in [5, 5, 5, 5, 4].into_iter().enumerate() {
            let mut settings = none.clone();
            *[
                &mut settings.policy_loss_weight,
                &mut settings.value_loss_weight,
                &mut settings.moves_left_loss_weight,
                &mut settings.soft_policy_loss_weight,
                &mut settings.opponent_reply_loss_weight,
            ][number] = 1.0;
            let (_, _, gradients) = run(differentiate, &settings, &parameters, &examples);
            let mut compared = 0;
            for (part, gradient) in gradients.iter().enumerate() {
                let length = gradient.iter().map(|x| x * x).sum::<f32>().sqrt();
                if length < 1e-6 {
                    continue;
                }
                let moved = |by: f32| {
                    let mut parameters = parameters.clone();
                    for (value, slope) in parameters[part].iter_mut().zip(gradient) {
                        *value += by * slope / length;
                    }
                    of(run(differentiate, &settings, &parameters, &examples).0)[number]
                };
                let step = 2e-3;
                let slope = (moved(step) - moved(-step)) / f64::from(2.0 * step);
                let wrong_by = (slope / f64::from(length) - 1.0).abs();
                assert!(wrong_by < 0.02, "loss {number}, part {part}: slope {slope}, gradient {length}");
                compared += 1;
            }
            assert_eq!(compared, parts, "loss {number}");
        }
    }
}
