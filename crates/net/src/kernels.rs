//! The arithmetic of inference, eight numbers at a time.
//!
//! Written once as plain Rust that the compiler turns into vector instructions, and compiled twice: as it is, and
//! for AVX2. [`Kernels::best`] takes the latter where the processor has it. Both do the same additions and
//! multiplications in the same order (Rust neither fuses nor reorders them), so they agree to the bit; a test
//! compares them.
#![expect(clippy::inline_always, reason = "only what is inlined into `forward_avx2` is compiled for AVX2")]

use crate::description::OUTPUTS;
use crate::sparse_net::SparseNet;

/// Eight numbers: one vector register.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C, align(32))]
pub(crate) struct Lanes([f32; 8]);

/// Which copy of the kernels runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kernels {
    /// Only ever true where the processor has AVX2.
    avx2: bool,
}

/// What the kernels write between input and output.
#[derive(Clone, Debug)]
pub(crate) struct Layers {
    /// Hidden layer after `relu`, H numbers.
    hidden: Vec<Lanes>,
    /// The value head's hidden layer after `relu`, V numbers.
    value: Vec<Lanes>,
    /// Products of rows, lanes not yet added up.
    products: Vec<Lanes>,
}

impl Kernels {
    /// The fastest copy that this processor runs.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        return Self { avx2: is_x86_feature_detected!("avx2") };
        #[cfg(not(target_arch = "x86_64"))]
        Self::plain()
    }

    /// The copy that runs everywhere.
    pub(crate) const fn plain() -> Self {
        Self { avx2: false }
    }

    /// Win, draw, loss logits and raw moves left for the inputs that are on; appends the moves' logits.
    #[inline]
    pub(crate) fn forward(
        self,
        net: &SparseNet,
        active: &[u16],
        moves: &[(u16, u16)],
        layers: &mut Layers,
        logits: &mut Vec<f32>,
    ) -> [f32; OUTPUTS] {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            #[expect(
                unsafe_code,
                reason = "half as fast again as the plain copy; `benches/sparse.rs` compares"
            )]
            // SAFETY: `avx2` is only true where the processor has AVX2, and the function wants nothing else.
            return unsafe { forward_avx2(net, active, moves, layers, logits) };
        }
        forward(net, active, moves, layers, logits)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn forward_avx2(
    net: &SparseNet,
    active: &[u16],
    moves: &[(u16, u16)],
    layers: &mut Layers,
    logits: &mut Vec<f32>,
) -> [f32; OUTPUTS] {
    forward(net, active, moves, layers, logits)
}

#[inline(always)]
fn forward(
    net: &SparseNet,
    active: &[u16],
    moves: &[(u16, u16)],
    layers: &mut Layers,
    logits: &mut Vec<f32>,
) -> [f32; OUTPUTS] {
    let Layers { hidden, value, products } = layers;
    input_layer(net, active, hidden);
    policy(net, moves, hidden, products, logits);
    value_layer(net, hidden, value, products);
    outputs(net, active, value, products)
}

/// Writes the hidden layer: as many columns at a time as there are registers to add them up in.
#[inline(always)]
fn input_layer(net: &SparseNet, active: &[u16], hidden: &mut [Lanes]) {
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
fn input_columns<const N: usize>(net: &SparseNet, active: &[u16], lanes: usize, first: usize) -> [Lanes; N] {
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
fn skip(net: &SparseNet, active: &[u16]) -> [f32; OUTPUTS] {
    active.iter().fold(net.skip_bias, |sums, &input| {
        let weight = net.skip_weight[usize::from(input)];
        std::array::from_fn(|output| sums[output] + weight[output])
    })
}

/// Appends the moves' logits.
#[inline(always)]
fn policy(
    net: &SparseNet,
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
fn value_layer(net: &SparseNet, hidden: &[Lanes], value: &mut [Lanes], products: &mut Vec<Lanes>) {
    multiply(&net.value_weight, 8 * value.len(), |i| i, hidden, products);
    let (eights, _) = products.as_chunks::<8>();
    for ((out, bias), products) in value.iter_mut().zip(&net.value_bias).zip(eights) {
        *out = bias.plus(Lanes(products.map(Lanes::sum))).relu();
    }
}

/// The value head's outputs and what the inputs add straight to them.
#[inline(always)]
fn outputs(net: &SparseNet, active: &[u16], value: &[Lanes], products: &mut Vec<Lanes>) -> [f32; OUTPUTS] {
    let mut outputs = skip(net, active);
    multiply(&net.value_out, OUTPUTS, |i| i, value, products);
    for (output, product) in outputs.iter_mut().zip(products) {
        *output += product.sum();
    }
    outputs
}

/// Multiplies `count` rows of a matrix, the i-th of them number `row(i)`, with a vector, lane by lane. The lanes are
/// added up in a second loop, over memory: in one loop the compiler would weave the rows together at twice the cost.
#[inline(always)]
fn multiply(
    matrix: &[Lanes],
    count: usize,
    row: impl Fn(usize) -> usize,
    vector: &[Lanes],
    products: &mut Vec<Lanes>,
) {
    let row = |i| &matrix[row(i) * vector.len()..][..vector.len()];
    products.resize(count, Lanes::default());
    let (fours, rest) = products.as_chunks_mut::<4>();
    let first_of_rest = 4 * fours.len();
    for (i, out) in (0..).step_by(4).zip(fours) {
        multiply_rows([row(i), row(i + 1), row(i + 2), row(i + 3)], vector, out);
    }
    for (i, out) in (first_of_rest..).zip(rest) {
        multiply_rows([row(i)], vector, std::array::from_mut(out));
    }
}

/// `N` rows at a time, each in the same order of additions whatever `N` is.
#[inline(always)]
fn multiply_rows<const N: usize>(rows: [&[Lanes]; N], vector: &[Lanes], out: &mut [Lanes; N]) {
    let mut sums = [Lanes::default(); N];
    for (i, &factor) in vector.iter().enumerate() {
        for (sum, row) in sums.iter_mut().zip(&rows) {
            *sum = sum.plus(row[i].times(factor));
        }
    }
    *out = sums;
}

impl Layers {
    pub(crate) fn of(net: &SparseNet) -> Self {
        Self {
            hidden: vec![Lanes::default(); net.input_bias.len()],
            value: vec![Lanes::default(); net.value_bias.len()],
            products: Vec::new(),
        }
    }
}

impl Lanes {
    /// Packs numbers, whose count must be a multiple of 8.
    pub(crate) fn pack(values: &[f32]) -> impl Iterator<Item = Self> {
        let (eights, rest) = values.as_chunks::<8>();
        assert!(rest.is_empty(), "{} numbers don't fill lanes of 8", values.len());
        eights.iter().copied().map(Self)
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let mut sum = self;
        for (sum, other) in sum.0.iter_mut().zip(other.0) {
            *sum += other;
        }
        sum
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        let mut product = self;
        for (product, other) in product.0.iter_mut().zip(other.0) {
            *product *= other;
        }
        product
    }

    /// NaN stays NaN, so that it is found.
    #[inline(always)]
    fn relu(self) -> Self {
        let mut positive = self;
        for value in &mut positive.0 {
            *value = if *value < 0.0 { 0.0 } else { *value };
        }
        positive
    }

    /// The sum of all eight, always in this order.
    #[inline(always)]
    fn sum(self) -> f32 {
        let lane = self.0;
        ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))
    }
}
