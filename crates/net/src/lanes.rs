//! Eight floats at a time: one vector register, and rows of them.
#![expect(clippy::inline_always, reason = "only what is inlined into a copy for AVX2 is compiled for AVX2")]

/// Eight numbers: one vector register.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C, align(32))]
pub(crate) struct Lanes(pub(crate) [f32; 8]);

impl Lanes {
    /// Packs numbers, whose count must be a multiple of 8.
    pub(crate) fn pack(values: &[f32]) -> impl Iterator<Item = Self> {
        let (eights, rest) = values.as_chunks::<8>();
        assert!(rest.is_empty(), "{} numbers don't fill lanes of 8", values.len());
        eights.iter().copied().map(Self)
    }

    #[inline(always)]
    pub(crate) fn plus(self, other: Self) -> Self {
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
    pub(crate) fn relu(self) -> Self {
        let mut positive = self;
        for value in &mut positive.0 {
            *value = if *value < 0.0 { 0.0 } else { *value };
        }
        positive
    }

    /// The sum of all eight, always in this order.
    #[inline(always)]
    pub(crate) fn sum(self) -> f32 {
        let lane = self.0;
        ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))
    }
}

/// Multiplies `count` rows of a matrix, the i-th of them number `row(i)`, with a vector, lane by lane. The lanes are
/// added up in a second loop, over memory: in one loop the compiler would weave the rows together at twice the cost.
#[inline(always)]
pub(crate) fn multiply(
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
