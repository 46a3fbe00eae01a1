//! The arithmetic of inference in floats, eight numbers at a time ([`crate::kernels`] says what it is compiled for).
#![expect(clippy::inline_always, reason = "only what is inlined into a copy for AVX2 is compiled for AVX2")]

use crate::description::OUTPUTS;
use crate::float_net::FloatNet;
use crate::kernels::Arithmetic;
use crate::lanes::{Lanes, multiply};

/// What the kernels write between the hidden layer and the output.
#[derive(Clone, Debug, Default)]
pub(crate) struct FloatLayers {
    /// The value head's hidden layer after `relu`, V numbers.
    value: Vec<Lanes>,
    /// Products of rows, lanes not yet added up.
    products: Vec<Lanes>,
}

impl Arithmetic for FloatNet {
    type Word = Lanes;
    type Layers = FloatLayers;

    fn words(&self) -> usize {
        self.input_bias.len()
    }

    #[inline(always)]
    fn outputs(&self, active: &[u16], hidden: &mut [Lanes], layers: &mut FloatLayers) -> [f32; OUTPUTS] {
        let FloatLayers { value, products } = layers;
        input_layer(self, active, hidden);
        value_layer(self, hidden, value, products);
        outputs(self, active, value, products)
    }

    #[inline(always)]
    fn logits(
        &self,
        hidden: &[Lanes],
        moves: &[(u16, u16)],
        layers: &mut FloatLayers,
        logits: &mut Vec<f32>,
    ) {
        policy(self, moves, hidden, &mut layers.products, logits);
    }
}

/// Writes the hidden layer: as many columns at a time as there are registers to add them up in.
#[inline(always)]
fn input_layer(net: &FloatNet, active: &[u16], hidden: &mut [Lanes]) {
    let lanes = hidden.len();
    let (blocks, rest) = hidden.as_chunks_mut::<8>();
    for (block, out) in blocks.iter_mut().enumerate() {
        *out = input_columns(net, active, lanes, 8 * block);
    }
    for (out, lane) in rest.iter_mut().zip(8 * blocks.len()..) {
        [*out] = input_columns(net, active, lanes, lane);
    }
}

/// `N` of the `lanes` lanes of the hidden layer, the first of them number `first`.
#[inline(always)]
fn input_columns<const N: usize>(net: &FloatNet, active: &[u16], lanes: usize, first: usize) -> [Lanes; N] {
    let mut sums = [Lanes::default(); N];
    sums.copy_from_slice(&net.input_bias[first..][..N]);
    for &input in active {
        let weight = &net.input_weight[usize::from(input) * lanes + first..][..N];
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
fn skip(net: &FloatNet, active: &[u16]) -> [f32; OUTPUTS] {
    active.iter().fold(net.skip_bias, |sums, &input| {
        let weight = net.skip_weight[usize::from(input)];
        std::array::from_fn(|output| sums[output] + weight[output])
    })
}

/// Appends the moves' logits.
#[inline(always)]
fn policy(
    net: &FloatNet,
    moves: &[(u16, u16)],
    hidden: &[Lanes],
    products: &mut Vec<Lanes>,
    logits: &mut Vec<f32>,
) {
    multiply(&net.policy_weight, moves.len(), |i| usize::from(moves[i].0), hidden, products);
    logits.extend(moves.iter().zip(products).map(|(&(index, exchange), product)| {
        net.policy_bias[usize::from(index)] + product.sum() + net.policy_exchange[usize::from(exchange)]
    }));
}

/// Writes the value head's hidden layer.
#[inline(always)]
fn value_layer(net: &FloatNet, hidden: &[Lanes], value: &mut Vec<Lanes>, products: &mut Vec<Lanes>) {
    value.resize(net.value_bias.len(), Lanes::default());
    multiply(&net.value_weight, 8 * value.len(), |i| i, hidden, products);
    let (eights, _) = products.as_chunks::<8>();
    for ((out, bias), products) in value.iter_mut().zip(&net.value_bias).zip(eights) {
        *out = bias.plus(Lanes(products.map(Lanes::sum))).relu();
    }
}

/// The value head's outputs and what the inputs add straight to them.
#[inline(always)]
fn outputs(net: &FloatNet, active: &[u16], value: &[Lanes], products: &mut Vec<Lanes>) -> [f32; OUTPUTS] {
    let mut outputs = skip(net, active);
    multiply(&net.value_out, OUTPUTS, |i| i, value, products);
    for (output, product) in outputs.iter_mut().zip(products) {
        *output += product.sum();
    }
    outputs
}
