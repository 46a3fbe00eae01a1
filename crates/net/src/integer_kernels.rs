//! The arithmetic of inference in integers ([`crate::kernels`] says what it is compiled for).
//!
//! The quantiser and the reader see to it that no sum overflows, so the order of additions can't matter
//! (`FORMAT.md`, "Quantised numbers").
#![expect(clippy::inline_always, reason = "only what is inlined into a copy for AVX2 is compiled for AVX2")]

use crate::description::OUTPUTS;
use crate::integer_net::{IntegerNet, Words};
use crate::kernels::Arithmetic;
use crate::lanes::{Lanes, multiply};

/// What the kernels write between the hidden layer and the output.
#[derive(Clone, Debug, Default)]
pub(crate) struct IntegerLayers {
    /// Products of rows with the hidden layer, sums not yet added up.
    products: Vec<Sums>,
    /// The value head's hidden layer after `relu`, V numbers.
    value: Vec<Lanes>,
    /// Products of its rows, lanes not yet added up.
    value_products: Vec<Lanes>,
}

impl Arithmetic for IntegerNet {
    type Word = Words;
    type Layers = IntegerLayers;

    fn words(&self) -> usize {
        self.input_bias.len()
    }

    #[inline(always)]
    fn outputs(&self, active: &[u16], hidden: &mut [Words], layers: &mut IntegerLayers) -> [f32; OUTPUTS] {
        let IntegerLayers { products, value, value_products } = layers;
        input_layer(self, active, hidden);
        value_layer(self, hidden, value, products);
        let mut outputs = skip(self, active);
        multiply(&self.value_out, OUTPUTS, |i| i, value, value_products);
        for (output, product) in outputs.iter_mut().zip(value_products) {
            *output += product.sum();
        }
        outputs
    }

    #[inline(always)]
    fn logits(
        &self,
        hidden: &[Words],
        moves: &[(u16, u16)],
        layers: &mut IntegerLayers,
        logits: &mut Vec<f32>,
    ) {
        policy(self, moves, hidden, &mut layers.products, logits);
    }
}

/// Writes the hidden layer: as many columns at a time as there are registers to add them up in.
#[inline(always)]
fn input_layer(net: &IntegerNet, active: &[u16], hidden: &mut [Words]) {
    let words = hidden.len();
    let (blocks, rest) = hidden.as_chunks_mut::<8>();
    for (block, out) in blocks.iter_mut().enumerate() {
        *out = input_columns(net, active, words, 8 * block);
    }
    for (out, word) in rest.iter_mut().zip(8 * blocks.len()..) {
        [*out] = input_columns(net, active, words, word);
    }
}

/// `N` of the `words` words of the hidden layer, the first of them number `first`.
#[inline(always)]
fn input_columns<const N: usize>(net: &IntegerNet, active: &[u16], words: usize, first: usize) -> [Words; N] {
    let mut sums = [Words::default(); N];
    sums.copy_from_slice(&net.input_bias[first..][..N]);
    for &input in active {
        let weight = &net.input_weight[usize::from(input) * words + first..][..N];
        for (sum, weight) in sums.iter_mut().zip(weight) {
            *sum = sum.plus(*weight);
        }
    }
    for sum in &mut sums {
        *sum = sum.relu();
    }
    sums
}

/// What the inputs add straight to the outputs.
#[inline(always)]
fn skip(net: &IntegerNet, active: &[u16]) -> [f32; OUTPUTS] {
    let sums = active.iter().fold([0_i32; OUTPUTS], |sums, &input| {
        let weight = net.skip_weight[usize::from(input)];
        std::array::from_fn(|output| sums[output] + i32::from(weight[output]))
    });
    std::array::from_fn(|output| net.skip_bias[output] + sums[output] as f32 * net.skip_step)
}

/// Appends the moves' logits.
#[inline(always)]
fn policy(
    net: &IntegerNet,
    moves: &[(u16, u16)],
    hidden: &[Words],
    products: &mut Vec<Sums>,
    logits: &mut Vec<f32>,
) {
    multiply_rows(&net.policy_weight, moves.len(), |i| usize::from(moves[i].0), hidden, products);
    // Not with a closure: it would not be compiled for AVX2.
    let old = logits.len();
    logits.resize(old + moves.len(), 0.0);
    for ((logit, &(index, exchange)), product) in logits[old..].iter_mut().zip(moves).zip(products) {
        let index = usize::from(index);
        *logit = net.policy_bias[index]
            + product.total() as f32 * net.policy_step[index]
            + net.policy_exchange[usize::from(exchange)];
    }
}

/// Writes the value head's hidden layer.
#[inline(always)]
fn value_layer(net: &IntegerNet, hidden: &[Words], value: &mut Vec<Lanes>, products: &mut Vec<Sums>) {
    value.resize(net.value_bias.len() / 8, Lanes::default());
    multiply_rows(&net.value_weight, net.value_bias.len(), |i| i, hidden, products);
    let (eights, _) = products.as_chunks::<8>();
    let (biases, _) = net.value_bias.as_chunks::<8>();
    let (steps, _) = net.value_step.as_chunks::<8>();
    for (((out, bias), step), products) in value.iter_mut().zip(biases).zip(steps).zip(eights) {
        let mut sums = Lanes(*bias);
        for ((sum, step), product) in sums.0.iter_mut().zip(step).zip(products) {
            *sum += product.total() as f32 * step;
        }
        *out = sums.relu();
    }
}

/// Multiplies `count` rows of a matrix, the i-th of them number `row(i)`, with a vector, sum by sum. The sums are
/// added up in a second loop, over memory, as [`multiply`] does.
#[inline(always)]
fn multiply_rows(
    matrix: &[Words],
    count: usize,
    row: impl Fn(usize) -> usize,
    vector: &[Words],
    products: &mut Vec<Sums>,
) {
    let row = |i| &matrix[row(i) * vector.len()..][..vector.len()];
    products.resize(count, Sums::default());
    let (fours, rest) = products.as_chunks_mut::<4>();
    let first_of_rest = 4 * fours.len();
    for (i, out) in (0..).step_by(4).zip(fours) {
        multiply_some([row(i), row(i + 1), row(i + 2), row(i + 3)], vector, out);
    }
    for (i, out) in (first_of_rest..).zip(rest) {
        multiply_some([row(i)], vector, std::array::from_mut(out));
    }
}

/// `N` rows at a time.
#[inline(always)]
fn multiply_some<const N: usize>(rows: [&[Words]; N], vector: &[Words], out: &mut [Sums; N]) {
    let mut sums = [Sums::default(); N];
    for (i, factor) in vector.iter().enumerate() {
        for (sum, row) in sums.iter_mut().zip(&rows) {
            sum.add_products(row[i], *factor);
        }
    }
    *out = sums;
}

/// Eight sums: one vector register.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
struct Sums([i32; 8]);

impl Sums {
    /// Adds the products of neighbours, two to each sum: what `vpmaddwd` does.
    #[inline(always)]
    fn add_products(&mut self, row: Words, factor: Words) {
        for (k, sum) in self.0.iter_mut().enumerate() {
            let [even, odd] = [2 * k, 2 * k + 1];
            *sum += i32::from(row.0[even]) * i32::from(factor.0[even])
                + i32::from(row.0[odd]) * i32::from(factor.0[odd]);
        }
    }

    #[inline(always)]
    fn total(self) -> i32 {
        let sum = self.0;
        ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]))
    }
}

impl Words {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let mut sum = self;
        for (sum, other) in sum.0.iter_mut().zip(other.0) {
            *sum += other;
        }
        sum
    }

    #[inline(always)]
    fn relu(self) -> Self {
        let mut positive = self;
        for value in &mut positive.0 {
            *value = (*value).max(0);
        }
        positive
    }
}

#[cfg(test)]
mod tests;
