//! Sums and products of rows of numbers, the inner loops of [`crate::sparse_gradient`].
//!
//! Hot loops are written out, since adapters of iterators that aren't inlined are compiled once, without AVX2.
#![expect(
    clippy::inline_always,
    reason = "only what is inlined into a function for AVX2 is compiled for AVX2"
)]

/// Numbers that a register of AVX2 holds.
const LANES: usize = 8;
pub(crate) type Lanes = [f32; LANES];

#[inline(always)]
pub(crate) fn row_of(matrix: &[f32], row: usize, width: usize) -> &[f32] {
    &matrix[row * width..][..width]
}

/// The dot products of rows with a vector, lane by lane. The lanes are added up in a second loop, over memory: in one
/// loop the compiler would weave the rows together at several times the cost.
#[inline(always)]
pub(crate) fn multiply<'a>(rows: impl Iterator<Item = &'a [f32]>, vector: &[f32], products: &mut Vec<Lanes>) {
    let (vector, _) = vector.as_chunks::<LANES>();
    products.clear();
    for row in rows {
        let (row, _) = row.as_chunks::<LANES>();
        // Two sums, since an addition waits for the one before.
        let mut sums = [[0.0; LANES]; 2];
        let (pairs, rest) = row.as_chunks::<2>();
        let (vector_pairs, vector_rest) = vector.as_chunks::<2>();
        for (pair, vector) in pairs.iter().zip(vector_pairs) {
            sums[0] = plus(sums[0], times(pair[0], vector[0]));
            sums[1] = plus(sums[1], times(pair[1], vector[1]));
        }
        for (lanes, vector) in rest.iter().zip(vector_rest) {
            sums[0] = plus(sums[0], times(*lanes, *vector));
        }
        products.push(plus(sums[0], sums[1]));
    }
}

#[inline(always)]
fn plus(a: Lanes, b: Lanes) -> Lanes {
    let mut sum = a;
    for lane in 0..LANES {
        sum[lane] += b[lane];
    }
    sum
}

#[inline(always)]
fn times(a: Lanes, b: Lanes) -> Lanes {
    let mut product = a;
    for lane in 0..LANES {
        product[lane] *= b[lane];
    }
    product
}

/// The sum of all lanes, always in this order.
#[inline(always)]
pub(crate) fn sum(lanes: &Lanes) -> f32 {
    ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
}

#[inline(always)]
pub(crate) fn add_weighted(to: &mut [f32], row: &[f32], weight: f32) {
    for (to, &value) in to.iter_mut().zip(row) {
        *to += weight * value;
    }
}

/// Adds rows as wide as `to`.
#[inline(always)]
pub(crate) fn add_rows<'a>(to: &mut [f32], rows: impl Iterator<Item = &'a [f32]> + Clone) {
    sum_columns(to, |start| start, rows.map(|row| (row, 1.0)), |sum, row, _| plus(sum, row));
}

/// Writes the sum of rows as wide as `to`.
#[inline(always)]
pub(crate) fn write_sum<'a>(to: &mut [f32], rows: impl Iterator<Item = &'a [f32]> + Clone) {
    sum_columns(to, |_| [0.0; LANES], rows.map(|row| (row, 1.0)), |sum, row, _| plus(sum, row));
}

/// Writes the sum of rows as wide as `to`, each times its weight.
#[inline(always)]
pub(crate) fn write_weighted_sum<'a>(to: &mut [f32], rows: impl Iterator<Item = (&'a [f32], f32)> + Clone) {
    let add = |sum, row, weight| plus(sum, times(row, [weight; LANES]));
    sum_columns(to, |_| [0.0; LANES], rows, add);
}

/// Adds the sum of rows as wide as `to`, each times its weight.
#[inline(always)]
pub(crate) fn add_weighted_sum<'a>(to: &mut [f32], rows: impl Iterator<Item = (&'a [f32], f32)> + Clone) {
    let add = |sum, row, weight| plus(sum, times(row, [weight; LANES]));
    sum_columns(to, |start| start, rows, add);
}

/// As many columns at a time as there are registers to add them up in; the rows are gone through for each. The width is
/// a multiple of 8, or has 4 left over, where the outputs stand beside the hidden units.
#[inline(always)]
fn sum_columns<'a>(
    to: &mut [f32],
    start: impl Fn(Lanes) -> Lanes + Copy,
    rows: impl Iterator<Item = (&'a [f32], f32)> + Clone,
    add: impl Fn(Lanes, Lanes, f32) -> Lanes + Copy,
) {
    let (lanes, outputs) = to.as_chunks_mut::<LANES>();
    let count = lanes.len();
    let (eights, rest) = lanes.as_chunks_mut::<8>();
    for (lanes, first) in eights.iter_mut().zip((0..).step_by(8)) {
        sum_lanes(lanes, start, first, rows.clone(), add);
    }
    let first_of_rest = count - rest.len();
    for (lane, first) in rest.iter_mut().zip(first_of_rest..) {
        sum_lanes(std::array::from_mut(lane), start, first, rows.clone(), add);
    }
    if let Some(outputs) = outputs.first_chunk_mut::<4>() {
        let mut lanes = [0.0; LANES];
        lanes[..4].copy_from_slice(outputs);
        lanes = start(lanes);
        for (row, weight) in rows {
            let mut others = [0.0; LANES];
            others[..4].copy_from_slice(&row[count * LANES..]);
            lanes = add(lanes, others, weight);
        }
        outputs.copy_from_slice(&lanes[..4]);
    }
}

/// Adds up `N` lanes of the rows, from lane number `first` on.
#[inline(always)]
fn sum_lanes<'a, const N: usize>(
    to: &mut [Lanes; N],
    start: impl Fn(Lanes) -> Lanes,
    first: usize,
    rows: impl Iterator<Item = (&'a [f32], f32)>,
    add: impl Fn(Lanes, Lanes, f32) -> Lanes,
) {
    let mut sums = *to;
    for sum in &mut sums {
        *sum = start(*sum);
    }
    for (row, weight) in rows {
        let (row, _) = row.as_chunks::<LANES>();
        for (sum, lanes) in sums.iter_mut().zip(&row[first..first + N]) {
            *sum = add(*sum, *lanes, weight);
        }
    }
    *to = sums;
}

/// NaN or infinite if a number is. In single precision but for the lanes together: rows are short.
#[inline(always)]
pub(crate) fn sum_of_squares(values: &[f32]) -> f64 {
    let (eights, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for eight in eights {
        sums = plus(sums, times(*eight, *eight));
    }
    for (lane, value) in rest.iter().enumerate() {
        sums[lane] += value * value;
    }
    let mut sum = 0.0;
    for lane in sums {
        sum += f64::from(lane);
    }
    sum
}
