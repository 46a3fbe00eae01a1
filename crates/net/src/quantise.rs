//! From floats to integers: the nearest integer to weight / step, with the finest step at which no evaluation can
//! overflow.

use crate::description::OUTPUTS;
use crate::quantised_weights::{MAX_ROW, MAX_UNIT, Numbers};
use crate::weights::Weights;
use evaluator::MAX_ACTIVE;

/// Of a sparse network with so many hidden units.
pub(crate) fn quantise(weights: &Weights, hidden: usize) -> Numbers {
    let (input_bias, skip_bias) = weights.values("input.bias").split_at(hidden);
    let rows = weights.values("input.weight").chunks_exact(hidden + OUTPUTS);
    let input: Vec<f32> = rows.clone().flat_map(|row| &row[..hidden]).copied().collect();
    let skip: Vec<f32> = rows.flat_map(|row| &row[hidden..]).copied().collect();
    let input_step = input_step(input_bias, &input);
    let skip_step = step_to(&skip, i16::MAX.into());
    let (policy_step, policy_weight) = by_rows(weights.values("policy.weight"), hidden, i8::MAX.into());
    let (value_step, value_weight) = by_rows(weights.values("value.weight"), hidden, i16::MAX.into());
    Numbers {
        input_step,
        input_bias: words(input_bias, input_step),
        input_weight: words(&input, input_step),
        skip_step,
        skip_bias: skip_bias.try_into().expect("checked weights have four columns for the outputs"),
        skip_weight: words(&skip, skip_step),
        policy_step,
        policy_weight: policy_weight.into_iter().map(|value| value as i8).collect(),
        policy_bias: weights.values("policy.bias").to_vec(),
        policy_exchange: weights.values("policy.exchange").to_vec(),
        value_step,
        value_weight: value_weight.into_iter().map(|value| value as i16).collect(),
        value_bias: weights.values("value.bias").to_vec(),
        value_out: weights.values("value.out").to_vec(),
    }
}

/// One step for the whole hidden layer, so that its numbers can be multiplied as they are: bias and the largest
/// weights of each column, each of them rounded up by half, stay within an `i16`.
fn input_step(bias: &[f32], weight: &[f32]) -> f32 {
    let hidden = bias.len();
    let most = (0..hidden).map(|column| {
        let mut magnitudes: Vec<f32> =
            weight[column..].iter().step_by(hidden).map(|value| value.abs()).collect();
        let (largest, _, _) = magnitudes.select_nth_unstable_by(MAX_ACTIVE, |a, b| b.total_cmp(a));
        f64::from(bias[column].abs()) + largest.iter().copied().map(f64::from).sum::<f64>()
    });
    let room = f64::from(MAX_UNIT) - 0.5 * (MAX_ACTIVE + 1) as f64;
    step(most.fold(0.0, f64::max) / (room - 0.25))
}

/// A step for each row: its numbers stay within ±`most`, and their sum within [`MAX_ROW`], each rounded up by half.
fn by_rows(matrix: &[f32], columns: usize, most: i32) -> (Vec<f32>, Vec<i32>) {
    let room = f64::from(MAX_ROW) - 0.5 * columns as f64 - 1.0;
    let step_of = |row: &[f32]| {
        let sum: f64 = row.iter().map(|value| f64::from(value.abs())).sum();
        step((sum / room).max(f64::from(step_to(row, most))))
    };
    let steps: Vec<f32> = matrix.chunks_exact(columns).map(step_of).collect();
    let rows = matrix.chunks_exact(columns).zip(&steps);
    let integers = rows.flat_map(|(row, &step)| row.iter().map(move |&value| nearest(value, step))).collect();
    (steps, integers)
}

/// The step at which the largest number becomes `most`.
fn step_to(values: &[f32], most: i32) -> f32 {
    step(values.iter().fold(0.0, |most: f64, value| most.max(f64::from(value.abs()))) / f64::from(most))
}

/// A step as a file may have it: where all numbers are zero or as good as zero, the smallest.
fn step(step: f64) -> f32 {
    (step as f32).max(f32::MIN_POSITIVE)
}

fn words(values: &[f32], step: f32) -> Vec<i16> {
    values.iter().map(|&value| nearest(value, step) as i16).collect()
}

fn nearest(value: f32, step: f32) -> i32 {
    (f64::from(value) / f64::from(step)).round() as i32
}
