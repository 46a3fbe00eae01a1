//! The losses of the sparse network (`net::Architecture::Sparse`) and their gradient, by hand.
//!
//! What libtorch would compute from [`torch::SparseModule`] and differentiate by itself, at a tenth of the cost: of
//! 5,056 inputs and 2,062 moves a position has some thirty each, and here nothing else is touched. A test compares every
//! number with libtorch's.
//!
//! First come the positions, [a part of the batch](part) at a time: what the network says of them, and the slopes of its
//! sums. Then the [rows of weights](rows_of_weights), some at a time: the gradient of a row is a sum over the positions
//! that list it, written once, so that nothing is cleared or sorted. Threads may share parts and rows: how a batch and
//! a matrix are divided doesn't depend on them, and sums are added up in one order, so that the bits are always the same.
//!
//! Plain Rust, compiled twice as in `net`'s kernels: the same additions in the same order with AVX2 and without. Hot
//! loops are written out, since adapters of iterators that aren't inlined are compiled once, without AVX2.

mod part;
mod rows_of_weights;

use crate::crew::Crew;
use crate::examples::Examples;
use crate::heads::Heads;
use crate::lists::{Columns, Lists};
use crate::losses::Losses;
use crate::rows::sum_of_squares;
use crate::settings::Settings;
use evaluator::{INPUTS, MOVES};
use net::OUTPUTS;
use part::{Part, Scales, Sums};
use rows_of_weights::Rows;

/// How many parameters (tensors) the network itself has, in the order of their names.
const PARAMETERS: usize = 8;

/// Something of each parameter of the network and of the heads that training adds.
#[derive(Debug)]
pub(crate) struct Parameters<T> {
    net: Parts<T>,
    heads: Heads<T>,
}

impl<T> Parameters<T> {
    /// From what belongs to each parameter: the network's in the order of [`torch::SparseModule::parameters`], then the
    /// heads'.
    pub(crate) fn new(settings: &Settings, of_each: impl IntoIterator<Item = T>) -> Self {
        let mut of_each = of_each.into_iter();
        let net = std::array::from_fn(|_| of_each.next().expect("the sparse network has eight parameters"));
        Self { net: Parts::new(net), heads: Heads::take(settings, of_each) }
    }
}

/// Something of each parameter of the network, by name; matrices row by row.
#[derive(Debug)]
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

impl Parts<&[f32]> {
    /// H + 4.
    const fn width(&self) -> usize {
        self.input_bias.len()
    }

    /// H.
    const fn hidden(&self) -> usize {
        self.width() - OUTPUTS
    }

    /// V.
    const fn value(&self) -> usize {
        self.value_bias.len()
    }
}

/// Memory between input and gradient, kept from step to step. B positions, the first P with M moves in all; H hidden
/// units.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    /// `[B, H]`: hidden layer.
    hidden: Vec<f32>,
    /// `[B, H + 4]`: first what goes straight to the outputs stands in the last four; then the slopes of the sums.
    slopes: Vec<f32>,
    /// `[M]`: logits, then their slopes.
    logits: Vec<f32>,
    /// `[M]`: the same of the soft policy; nothing without that head.
    soft_logits: Vec<f32>,
    /// Of each reply the logit, then its slope.
    reply_logits: Vec<f32>,
    /// What each part of the batch adds to what all share.
    sums: Vec<Sums>,
    inputs: Columns,
    moves: Columns,
    replies: Columns,
}

/// The two halves of the work.
#[derive(Clone, Copy)]
struct Kernels {
    part: fn(&Parameters<&[f32]>, &Scales, Part<'_>),
    rows: fn(&Workspace, Rows<'_>) -> f64,
}

impl Kernels {
    const BEST: Self = Self { part: part::work, rows: rows_of_weights::write };
    #[cfg(test)]
    const PLAIN: Self = Self { part: part::work_plainly, rows: rows_of_weights::write_plainly };
}

/// How many parts a batch of so many positions has.
pub(crate) const fn parts(positions: usize) -> usize {
    positions.div_ceil(part::POSITIONS)
}

/// What is to be done before the rows of weights.
enum First<'a> {
    Part(Part<'a>),
    Turn(&'a mut Columns, &'a Lists, usize),
}

/// Losses, the gradient of their weighted sum, and its Euclidean norm. Every number of `gradients` is written.
pub(crate) fn differentiate(
    settings: &Settings,
    crew: &Crew,
    parameters: &Parameters<&[f32]>,
    examples: &Examples,
    workspace: &mut Workspace,
    gradients: Parameters<&mut [f32]>,
) -> (Losses, f64) {
    differentiate_with(Kernels::BEST, settings, crew, parameters, examples, workspace, gradients)
}

fn differentiate_with(
    kernels: Kernels,
    settings: &Settings,
    crew: &Crew,
    parameters: &Parameters<&[f32]>,
    examples: &Examples,
    workspace: &mut Workspace,
    mut gradients: Parameters<&mut [f32]>,
) -> (Losses, f64) {
    let scales = Scales::new(settings, examples);
    let first = workspace.first(&parameters.net, &parameters.heads, examples);
    crew.each(first, |first| match first {
        First::Part(part) => (kernels.part)(parameters, &scales, part),
        First::Turn(columns, lists, count) => columns.turn(lists, count),
    });
    let mut squares = workspace.add_up(&mut gradients);
    let workspace = &*workspace;
    let rows = rows_of_weights::all(workspace, gradients);
    squares += crew.each(rows, |rows| (kernels.rows)(workspace, rows)).into_iter().sum::<f64>();
    (scales.losses(workspace.sums.iter().map(|sums| &sums.losses)), squares.sqrt())
}

impl Workspace {
    /// Makes room for a batch, and says what is to be done in it.
    fn first<'a>(
        &'a mut self,
        net: &Parts<&[f32]>,
        heads: &Heads<&[f32]>,
        examples: &'a Examples,
    ) -> Vec<First<'a>> {
        let positions = examples.len();
        self.hidden.resize(positions * net.hidden(), 0.0);
        self.slopes.resize(positions * net.width(), 0.0);
        self.logits.resize(examples.policy.len(), 0.0);
        let soft = if heads.soft_policy.is_some() { examples.policy.len() } else { 0 };
        self.soft_logits.resize(soft, 0.0);
        self.reply_logits.resize(examples.reply.len(), 0.0);
        self.sums.resize_with(parts(positions), Sums::default);

        let mut first = vec![
            First::Turn(&mut self.inputs, &examples.inputs, INPUTS),
            First::Turn(&mut self.moves, &examples.moves, MOVES),
        ];
        if heads.opponent_reply.is_some() {
            first.push(First::Turn(&mut self.replies, &examples.replies, MOVES));
        }
        let layers = self.hidden.chunks_mut(part::POSITIONS * net.hidden());
        let layers = layers.zip(self.slopes.chunks_mut(part::POSITIONS * net.width()));
        let (mut logits, mut soft_logits, mut reply_logits) =
            (&mut *self.logits, &mut *self.soft_logits, &mut *self.reply_logits);
        for ((number, (hidden, slopes)), sums) in layers.enumerate().zip(&mut self.sums) {
            let start = number * part::POSITIONS;
            let positions = start..(start + part::POSITIONS).min(positions);
            let moves = examples.moves.stretch(positions.clone()).entries().len();
            let soft_moves = if soft > 0 { moves } else { 0 };
            let replies = examples.replies.stretch(positions.clone()).entries().len();
            sums.clear(net, soft > 0);
            first.push(First::Part(Part {
                examples,
                positions,
                hidden,
                slopes,
                logits: logits.split_off_mut(..moves).expect("one for each move"),
                soft_logits: soft_logits.split_off_mut(..soft_moves).expect("one for each move"),
                reply_logits: reply_logits.split_off_mut(..replies).expect("one for each reply"),
                sums,
            }));
        }
        first
    }

    /// Adds up the parts of the gradient that all positions add to, and their squares.
    fn add_up(&self, gradients: &mut Parameters<&mut [f32]>) -> f64 {
        let soft_policy = gradients.heads.soft_policy.as_mut();
        let mut shared: [&mut [f32]; part::SHARED] = [
            gradients.net.input_bias,
            gradients.net.policy_exchange,
            gradients.net.value_bias,
            gradients.net.value_out,
            gradients.net.value_weight,
            soft_policy.and_then(|head| head.exchange.as_deref_mut()).unwrap_or_default(),
        ];
        let mut squares = 0.0;
        for (number, to) in shared.iter_mut().enumerate() {
            to.fill(0.0);
            for sums in &self.sums {
                for (to, &sum) in to.iter_mut().zip(&sums.shared[number]) {
                    *to += sum;
                }
            }
            squares += sum_of_squares(to);
        }
        squares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heads;
    use crate::sampler::Sampler;
    use crate::targets::TargetRule;
    use crate::testing::{RULE, weights, window};
    use std::num::NonZeroUsize;
    use tch::Device;

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
        kernels: Kernels,
        crew: &Crew,
        settings: &Settings,
        parameters: &[Vec<f32>],
        examples: &Examples,
    ) -> (Losses, f64, Vec<Vec<f32>>) {
        let mut gradients: Vec<Vec<f32>> = parameters.iter().map(|part| vec![0.0; part.len()]).collect();
        let read = Parameters::new(settings, parameters.iter().map(Vec::as_slice));
        let written = Parameters::new(settings, gradients.iter_mut().map(Vec::as_mut_slice));
        let mut workspace = Workspace::default();
        let (losses, norm) =
            differentiate_with(kernels, settings, crew, &read, examples, &mut workspace, written);
        (losses, norm, gradients)
    }

    /// With AVX2, where the processor has it, and without, by one thread or several: the same numbers to the bit.
    #[test]
    fn both_copies_and_all_threads_say_the_same() {
        let examples = examples(200);
        let threads = |count| Crew::new(NonZeroUsize::new(count).unwrap()).unwrap();
        for settings in [Settings::default(), settings()] {
            for hidden in [8, 40, 128] {
                let parameters = parameters(&settings, hidden);
                let bits = |kernels: Kernels, crew: &Crew| {
                    let (losses, norm, gradients) = run(kernels, crew, &settings, &parameters, &examples);
                    let bits = gradients.concat().into_iter().map(f32::to_bits).collect::<Vec<u32>>();
                    (losses, norm, bits)
                };
                let best = bits(Kernels::BEST, &threads(1));
                for (kernels, count) in [(Kernels::PLAIN, 1), (Kernels::BEST, 2), (Kernels::BEST, 5)] {
                    let other = bits(kernels, &threads(count));
                    assert!(best == other, "{hidden} wide, {count} threads: {:?}, {:?}", best.0, other.0);
                }
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
            let (_, _, gradients) = run(Kernels::BEST, &Crew::default(), &settings, &parameters, &examples);
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
                    of(run(Kernels::BEST, &Crew::default(), &settings, &parameters, &examples).0)[number]
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
