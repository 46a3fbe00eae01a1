//! The kernels against the formulas, in integers and in floats.

use crate::description::{Architecture, Description, OUTPUTS};
use crate::quantised_weights::{Numbers, QuantisedWeights};
use crate::sparse_net::{Scratch, SparseNet};
use crate::weights::{Tensor, Weights};
use evaluator::{EXCHANGES, INPUTS, MAX_ACTIVE, MOVES};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const WIDTHS: [(usize, usize); 4] = [(8, 8), (72, 24), (128, 16), (200, 16)];

#[test]
fn sums_are_those_of_the_formulas_to_the_bit() {
    for (seed, (hidden, value_hidden)) in (1..).zip(WIDTHS) {
        let (_, quantised) = networks(hidden, value_hidden, seed);
        let numbers = quantised.numbers();
        for (active, moves) in inputs(seed) {
            let (outputs, logits) = forward(&SparseNet::quantised(&quantised), &active, &moves);
            let h = hidden_layer(numbers, &active);
            for (&(index, exchange), found) in moves.iter().zip(logits) {
                let index = usize::from(index);
                let product = product(&numbers.policy_weight, index, &h) as f32;
                let expected = numbers.policy_bias[index]
                    + product * (numbers.policy_step[index] * numbers.input_step)
                    + numbers.policy_exchange[usize::from(exchange)];
                assert_eq!(found.to_bits(), expected.to_bits(), "width {hidden}, move {index}");
            }
            for (output, found) in outputs.into_iter().enumerate() {
                let expected = output_of(numbers, &active, &h, output);
                assert!(
                    (f64::from(found) - expected).abs() < 1e-5,
                    "width {hidden}: {found}, not {expected}"
                );
            }
        }
    }
}

/// By how much a logit may differ: each number of the hidden layer by half a step for each input, each weight of
/// the row by half a step.
#[test]
fn answers_differ_from_those_in_floats_by_rounding_alone() {
    let mut largest: f64 = 0.0;
    for (seed, (hidden, value_hidden)) in (1..).zip(WIDTHS) {
        let (weights, quantised) = networks(hidden, value_hidden, seed);
        let numbers = quantised.numbers();
        for (active, moves) in inputs(seed) {
            let (_, expected) = forward(&SparseNet::new(&weights).unwrap(), &active, &moves);
            let (_, found) = forward(&SparseNet::quantised(&quantised), &active, &moves);
            let h = hidden_layer(numbers, &active);
            let step = f64::from(numbers.input_step);
            let unit_error = 0.5 * step * (active.len() + 1) as f64;
            for ((&(index, _), found), expected) in moves.iter().zip(found).zip(expected) {
                let index = usize::from(index);
                let row = &weights.values("policy.weight")[index * hidden..][..hidden];
                let row_error = 0.5 * f64::from(numbers.policy_step[index]);
                let bound: f64 = row
                    .iter()
                    .zip(&h)
                    .map(|(w, &h)| unit_error * f64::from(w.abs()) + row_error * (step * h as f64))
                    .sum();
                let error = f64::from(found - expected).abs();
                assert!(error <= bound + 1e-4, "width {hidden}: {found}, not {expected}: {error} > {bound}");
                largest = largest.max(error);
            }
        }
    }
    assert!(0.0 < largest && largest < 0.1, "{largest}");
}

/// The inputs with the largest weights of one column, as many as can be on, and the factors that make products
/// largest: what would overflow first.
#[test]
fn the_worst_inputs_do_not_overflow() {
    for sign in [1.0, -1.0] {
        let architecture = Architecture::Sparse { hidden: 1024, value_hidden: 8 };
        let tensors = architecture.shapes().into_iter().map(|(name, shape)| {
            let values = vec![sign; shape.iter().product()];
            (name, Tensor { shape, values })
        });
        let description = Description::new(architecture, "checks", "test");
        let weights = Weights::new(description, tensors.collect()).unwrap();
        let quantised = QuantisedWeights::new(&weights, None).unwrap();
        let active: Vec<u16> = (0..MAX_ACTIVE as u16).collect();
        let (_, expected) = forward(&SparseNet::new(&weights).unwrap(), &active, &[(0, 0)]);
        let (_, found) = forward(&SparseNet::quantised(&quantised), &active, &[(0, 0)]);
        let h = if sign < 0.0 { 0.0 } else { 45.0 };
        assert!((expected[0] - (1024.0 * h + 2.0) * sign).abs() < 1.0, "{expected:?}");
        // A row so wide has steps so coarse that 63.5 of them become 64.
        assert!((found[0] / expected[0] - 1.0).abs() < 0.01, "{found:?}, not {expected:?}");
    }
}

fn forward(net: &SparseNet, active: &[u16], moves: &[(u16, u16)]) -> ([f32; OUTPUTS], Vec<f32>) {
    let mut logits = Vec::new();
    let (mut hidden, mut scratch) = (net.hidden(), Scratch::default());
    let outputs = net.outputs(active, &mut hidden, &mut scratch);
    net.logits(&hidden, moves, &mut scratch, &mut logits);
    (outputs, logits)
}

fn hidden_layer(numbers: &Numbers, active: &[u16]) -> Vec<i64> {
    let hidden = numbers.input_bias.len();
    let sum = |column: usize| {
        let weight = |&input: &u16| i64::from(numbers.input_weight[usize::from(input) * hidden + column]);
        i64::from(numbers.input_bias[column]) + active.iter().map(weight).sum::<i64>()
    };
    (0..hidden).map(|column| sum(column).max(0)).collect()
}

fn product<T: Copy + Into<i64>>(matrix: &[T], row: usize, vector: &[i64]) -> i64 {
    matrix[row * vector.len()..].iter().zip(vector).map(|(&weight, factor)| weight.into() * factor).sum()
}

fn output_of(numbers: &Numbers, active: &[u16], h: &[i64], output: usize) -> f64 {
    let rows = numbers.value_bias.len();
    let value = |row: usize| {
        let step = f64::from(numbers.value_step[row]) * f64::from(numbers.input_step);
        let sum = f64::from(numbers.value_bias[row]) + product(&numbers.value_weight, row, h) as f64 * step;
        f64::from(numbers.value_out[output * rows + row]) * sum.max(0.0)
    };
    let skip = |&input: &u16| i64::from(numbers.skip_weight[usize::from(input) * OUTPUTS + output]);
    f64::from(numbers.skip_bias[output])
        + active.iter().map(skip).sum::<i64>() as f64 * f64::from(numbers.skip_step)
        + (0..rows).map(value).sum::<f64>()
}

/// Weights of which every number is random in (−0.25, 0.25), and the same quantised.
fn networks(hidden: usize, value_hidden: usize, seed: u64) -> (Weights, QuantisedWeights) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let architecture = Architecture::Sparse { hidden, value_hidden };
    let mut random = || ((rng.next_u32() >> 8) as f32 / (1 << 24) as f32 - 0.5) / 2.0;
    let tensors = architecture.shapes().into_iter().map(|(name, shape)| {
        let values = (0..shape.iter().product()).map(|_| random()).collect();
        (name, Tensor { shape, values })
    });
    let weights = Weights::new(Description::new(architecture, "checks", "test"), tensors.collect()).unwrap();
    let quantised = QuantisedWeights::new(&weights, None).unwrap();
    (weights, quantised)
}

/// Moves, (move index, exchange) each.
type Moves = Vec<(u16, u16)>;

/// Inputs that are on, from none to as many as there can be, and moves.
fn inputs(seed: u64) -> Vec<(Vec<u16>, Moves)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |most: usize| (rng.next_u32() as usize % most) as u16;
    let mut one = |count: usize| {
        let mut active: Vec<u16> = (0..count).map(|_| below(INPUTS)).collect();
        active.sort_unstable();
        active.dedup();
        let moves = (0..count).map(|_| (below(MOVES), below(EXCHANGES))).collect();
        (active, moves)
    };
    (0..=MAX_ACTIVE).map(&mut one).collect()
}
