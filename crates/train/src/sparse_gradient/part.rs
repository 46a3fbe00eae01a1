//! What the network says of some positions of a batch, and the slopes of its sums.
#![expect(clippy::inline_always, reason = "only what is inlined into `work_avx2` is compiled for AVX2")]

use super::{Parameters, Parts};
use crate::examples::Examples;
use crate::heads::Head;
use crate::lists::Stretch;
use crate::losses::Losses;
use crate::rows::{
    Lanes, add_rows, add_weighted, add_weighted_sum, multiply, row_of, sum, write_weighted_sum,
};
use crate::settings::Settings;
use crate::targets::soften;
use evaluator::MOVES;
use net::OUTPUTS;
use std::ops::Range;

/// How many positions a part has; the last one may have fewer.
pub(super) const POSITIONS: usize = 64;
/// How many parts of the gradient have no rows of their own for moves or inputs.
pub(super) const SHARED: usize = 6;
/// Where some of them stand in [`Sums::shared`].
const INPUT_BIAS: usize = 0;
const POLICY_EXCHANGE: usize = 1;
const SOFT_POLICY_EXCHANGE: usize = 5;

/// Some positions, and room for what is found out about them.
pub(super) struct Part<'a> {
    pub(super) examples: &'a Examples,
    /// Which of them.
    pub(super) positions: Range<usize>,
    /// `[b, H]`: their hidden layer.
    pub(super) hidden: &'a mut [f32],
    /// `[b, H + 4]`
    pub(super) slopes: &'a mut [f32],
    /// Of their legal moves.
    pub(super) logits: &'a mut [f32],
    /// The same of the soft policy; nothing without that head.
    pub(super) soft_logits: &'a mut [f32],
    /// Of the replies.
    pub(super) reply_logits: &'a mut [f32],
    pub(super) sums: &'a mut Sums,
}

/// What a part adds to what all parts share, and room to work in.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// The gradient of the input layer's bias, the policy's exchanges, the value head's bias, outputs and weights, and the
    /// soft policy's exchanges.
    pub(super) shared: [Vec<f32>; SHARED],
    /// Policy, value, moves left, soft policy, opponent's reply.
    pub(super) losses: [f64; 5],
    /// `[V]`: the value head's hidden layer.
    value: Vec<f32>,
    /// `[V]`: its slopes.
    value_slopes: Vec<f32>,
    /// Targets of the soft policy.
    soft_targets: Vec<f32>,
    /// Products of rows, lanes not yet added up.
    products: Vec<Lanes>,
}

impl Sums {
    /// All zero, as large as the network's parameters.
    pub(super) fn clear(&mut self, net: &Parts<&[f32]>, soft_policy: bool) {
        self.losses = [0.0; 5];
        let lengths = [
            net.input_bias.len(),
            net.policy_exchange.len(),
            net.value_bias.len(),
            net.value_out.len(),
            net.value_weight.len(),
            if soft_policy { net.policy_exchange.len() } else { 0 },
        ];
        for (sum, length) in self.shared.iter_mut().zip(lengths) {
            sum.clear();
            sum.resize(length, 0.0);
        }
        for room in [&mut self.value, &mut self.value_slopes] {
            room.resize(net.value(), 0.0);
        }
    }
}

/// How many positions each loss is a mean of, and its weight.
pub(super) struct Scales {
    counts: [f64; 5],
    weights: [f64; 5],
    soft_policy_temperature: f32,
}

impl Scales {
    pub(super) fn new(settings: &Settings, examples: &Examples) -> Self {
        let known = examples.moves_left.iter().flatten().count();
        let policies = examples.policies();
        let counts = [policies, examples.len(), known, policies, examples.known_replies()];
        Self {
            counts: counts.map(|count| count.max(1) as f64),
            weights: [
                settings.policy_loss_weight,
                settings.value_loss_weight,
                settings.moves_left_loss_weight,
                settings.soft_policy_loss_weight,
                settings.opponent_reply_loss_weight,
            ],
            soft_policy_temperature: settings.soft_policy_temperature as f32,
        }
    }

    /// What the slopes of a loss are multiplied with.
    const fn of(&self, loss: usize) -> f32 {
        (self.weights[loss] / self.counts[loss]) as f32
    }

    /// The means of the losses, from the sums of the parts.
    pub(super) fn losses<'a>(&self, sums: impl Iterator<Item = &'a [f64; 5]>) -> Losses {
        let mut losses = [0.0; 5];
        for sums in sums {
            for (loss, sum) in losses.iter_mut().zip(sums) {
                *loss += sum;
            }
        }
        for (loss, count) in losses.iter_mut().zip(self.counts) {
            *loss /= count;
        }
        let total = losses.iter().zip(self.weights).map(|(loss, weight)| loss * weight).sum();
        let [policy, value, moves_left, soft_policy, opponent_reply] = losses;
        Losses { policy, value, moves_left, soft_policy, opponent_reply, total }
    }
}

/// Fills in all that a part has room for.
pub(super) fn work(parameters: &Parameters<&[f32]>, scales: &Scales, part: Part<'_>) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "128 wide it takes a third off; a test compares the two copies")]
        // SAFETY: the processor has AVX2, and the function wants nothing else.
        return unsafe { work_avx2(parameters, scales, part) };
    }
    work_plainly(parameters, scales, part);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn work_avx2(parameters: &Parameters<&[f32]>, scales: &Scales, part: Part<'_>) {
    work_plainly(parameters, scales, part);
}

#[inline(always)]
pub(super) fn work_plainly(parameters: &Parameters<&[f32]>, scales: &Scales, mut part: Part<'_>) {
    let net = &parameters.net;
    hidden_layer(net, &mut part);
    part.sums.losses[0] = policy(net, scales.of(0), &mut part);
    if let Some(head) = &parameters.heads.soft_policy {
        part.sums.losses[3] = soft_policy(head, scales.of(3), scales.soft_policy_temperature, &mut part);
    }
    // What positions without a policy have no slopes from.
    let policies = part.examples.policies().saturating_sub(part.positions.start);
    for slopes in part.slopes.chunks_exact_mut(net.width()).skip(policies) {
        slopes[..net.hidden()].fill(0.0);
    }
    if let Some(head) = &parameters.heads.opponent_reply {
        part.sums.losses[4] = opponent_reply(head, scales.of(4), &mut part);
    }
    [part.sums.losses[1], part.sums.losses[2]] = value(net, [scales.of(1), scales.of(2)], &mut part);
    for slopes in part.slopes.chunks_exact(net.width()) {
        add_rows(&mut part.sums.shared[INPUT_BIAS], std::iter::once(slopes));
    }
}

/// Writes the hidden layer and what goes straight to the outputs.
#[inline(always)]
fn hidden_layer(net: &Parts<&[f32]>, part: &mut Part<'_>) {
    let layers = part.hidden.chunks_exact_mut(net.hidden()).zip(part.slopes.chunks_exact_mut(net.width()));
    let inputs = part.examples.inputs.stretch(part.positions.clone());
    for ((hidden, sums), row) in layers.zip(inputs.rows()) {
        sums.copy_from_slice(net.input_bias);
        let rows = row.iter().map(|&input| row_of(net.input_weight, usize::from(input), net.width()));
        add_rows(sums, rows);
        for (unit, &sum) in hidden.iter_mut().zip(&*sums) {
            // NaN stays NaN, so that it is found.
            *unit = if sum < 0.0 { 0.0 } else { sum };
        }
    }
}

/// The policy: the sum of its losses, the slopes of the logits, and what comes through them to the hidden units.
#[inline(always)]
fn policy(net: &Parts<&[f32]>, scale: f32, part: &mut Part<'_>) -> f64 {
    let Part { examples, positions, hidden, slopes, logits, sums, .. } = part;
    let Sums { shared, products, .. } = &mut **sums;
    let head = Head { bias: net.policy_bias, exchange: Some(net.policy_exchange), weight: net.policy_weight };
    let moves = examples.moves.stretch(positions.clone());
    let targets = &examples.policy[moves.entries()];
    let choices = Choices { moves, exchanges: &examples.exchanges[moves.entries()], targets, scale };
    let layers = Layers { hidden, slopes, products, added: false };
    move_head(&head, choices, layers, logits, Some(&mut shared[POLICY_EXCHANGE]))
}

/// The soft policy: the sum of its losses; and what comes through its slopes is added to the policy's.
#[inline(always)]
fn soft_policy(head: &Head<&[f32]>, scale: f32, temperature: f32, part: &mut Part<'_>) -> f64 {
    let Part { examples, positions, hidden, slopes, soft_logits, sums, .. } = part;
    let Sums { shared, products, soft_targets, .. } = &mut **sums;
    let moves = examples.moves.stretch(positions.clone());
    soft_targets.clear();
    let mut shares = &examples.policy[moves.entries()];
    for row in moves.rows() {
        let (of_row, others) = shares.split_at(row.len());
        soften(of_row, temperature, soft_targets);
        shares = others;
    }
    let exchanges = &examples.exchanges[moves.entries()];
    let choices = Choices { moves, exchanges, targets: soft_targets, scale };
    let layers = Layers { hidden, slopes, products, added: true };
    move_head(head, choices, layers, soft_logits, Some(&mut shared[SOFT_POLICY_EXCHANGE]))
}

/// The opponent's reply: the sum of its losses; and what comes through its slopes is added to the policies'.
#[inline(always)]
fn opponent_reply(head: &Head<&[f32]>, scale: f32, part: &mut Part<'_>) -> f64 {
    let Part { examples, positions, hidden, slopes, reply_logits, sums, .. } = part;
    let moves = examples.replies.stretch(positions.clone());
    let choices = Choices { moves, exchanges: &[], targets: &examples.reply[moves.entries()], scale };
    let layers = Layers { hidden, slopes, products: &mut sums.products, added: true };
    move_head(head, choices, layers, reply_logits, None)
}

/// What a head chooses among.
#[derive(Clone, Copy)]
struct Choices<'a> {
    /// For each position.
    moves: Stretch<'a>,
    /// Of each move, for a head that looks at them.
    exchanges: &'a [u16],
    /// A share for each move.
    targets: &'a [f32],
    /// What slopes are multiplied with.
    scale: f32,
}

/// What lies under a head, see [`Part`].
struct Layers<'a> {
    hidden: &'a [f32],
    slopes: &'a mut [f32],
    products: &'a mut Vec<Lanes>,
    /// Have the hidden units slopes already, to which the head's are added?
    added: bool,
}

/// A head with a row for each move: the sum of its losses, the slopes of its logits, and what comes through them to the
/// hidden units and the exchanges. A position without moves has none of it.
#[inline(always)]
fn move_head(
    head: &Head<&[f32]>,
    choices: Choices<'_>,
    layers: Layers<'_>,
    logits: &mut [f32],
    mut exchange_gradient: Option<&mut Vec<f32>>,
) -> f64 {
    let Layers { hidden, slopes, products, added } = layers;
    let width = head.weight.len() / MOVES;
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
        let logits = &mut logits[start..end];
        for (((&mv, product), entry), logit) in row.iter().zip(&*products).zip(start..).zip(&mut *logits) {
            let bias = head.bias[usize::from(mv)];
            let of_exchange = |exchange: &[f32]| bias + exchange[usize::from(choices.exchanges[entry])];
            *logit = sum(product) + head.exchange.map_or(bias, of_exchange);
        }
        losses += f64::from(cross_entropy(logits, &choices.targets[start..end], choices.scale));
        if let Some(exchange) = &mut exchange_gradient {
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
fn value(net: &Parts<&[f32]>, [value_scale, moves_left_scale]: [f32; 2], part: &mut Part<'_>) -> [f64; 2] {
    let Part { examples, positions, hidden, slopes, sums, .. } = part;
    let Sums { shared, value, value_slopes, products, .. } = &mut **sums;
    let [_, _, bias_gradient, out_gradient, weight_gradient, _] = shared;
    let mut losses = [0.0; 2];
    let targets = examples.wdl[positions.clone()].iter().zip(&examples.moves_left[positions.clone()]);
    let layers = hidden.chunks_exact(net.hidden()).zip(slopes.chunks_exact_mut(net.width()));
    for ((hidden, slopes), (wdl, moves_left)) in layers.zip(targets) {
        let (slopes, outputs) = slopes.split_at_mut(net.hidden());
        multiply(net.value_weight.chunks_exact(net.hidden()), hidden, products);
        for ((unit, product), bias) in value.iter_mut().zip(&*products).zip(net.value_bias) {
            let sum = sum(product) + bias;
            *unit = if sum < 0.0 { 0.0 } else { sum };
        }
        multiply(net.value_out.chunks_exact(net.value()), value, products);
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
        let rows = net.value_out.chunks_exact(net.value());
        let to_rows = out_gradient.chunks_exact_mut(net.value());
        for ((&slope, row), to_row) in outputs.iter().zip(rows).zip(to_rows) {
            add_weighted(value_slopes, row, slope);
            add_weighted(to_row, value, slope);
        }
        let rows = net.value_weight.chunks_exact(net.hidden());
        let to_rows = weight_gradient.chunks_exact_mut(net.hidden());
        let to_rows = bias_gradient.iter_mut().zip(to_rows);
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
