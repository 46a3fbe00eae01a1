//! From logits to probabilities.
//!
//! The system's `expf` takes one number after the other. This one is made of additions and multiplications alone, which
//! compilers turn into vector instructions: self-play without a net takes 7 % fewer instructions with it. It gives the same
//! bits on every processor.
#![expect(
    clippy::inline_always,
    reason = "only what is inlined into `exponentiate_avx2` is compiled for AVX2"
)]

use std::array;

/// So many numbers are treated side by side; their sums are added up in one fixed order.
const LANES: usize = 8;

/// Writes softmax of the logits to `probabilities`, replacing what was there. Returns what [`exponentiate`] returns of them,
/// and wants the same of them.
pub fn softmax(logits: &[f32], probabilities: &mut Vec<f32>) -> (f32, f32) {
    probabilities.clear();
    probabilities.extend_from_slice(logits);
    probabilities.resize(logits.len().next_multiple_of(LANES), f32::NEG_INFINITY);
    let (greatest, sum) = exponentiate(probabilities);
    probabilities.truncate(logits.len());
    for probability in probabilities {
        *probability /= sum;
    }
    (greatest, sum)
}

/// Puts e^(logit − greatest logit) in each logit's place. Returns the greatest and the sum of what stands there now: divided
/// by it they are softmax(logits), and greatest + ln sum is by what a logit exceeds the logarithm of its probability.
///
/// There must be a greatest, and it must be finite. What would be below e^−87 is that, even for −∞. Takes least time for a
/// multiple of eight logits: what −∞ fills up, changes neither number.
#[inline]
pub fn exponentiate(logits: &mut [f32]) -> (f32, f32) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "5 % off self-play without a net; a test compares the two copies")]
        // SAFETY: the processor has AVX2, and the function wants nothing else.
        return unsafe { exponentiate_avx2(logits) };
    }
    exponentiate_plainly(logits)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn exponentiate_avx2(logits: &mut [f32]) -> (f32, f32) {
    exponentiate_plainly(logits)
}

#[inline(always)]
fn exponentiate_plainly(logits: &mut [f32]) -> (f32, f32) {
    let (chunks, rest) = logits.as_chunks_mut::<LANES>();
    // Beside the greatest's 1 what fills up the last chunk adds nothing to the sum.
    let mut last = [f32::NEG_INFINITY; LANES];
    last[..rest.len()].copy_from_slice(rest);
    let most = chunks.iter().fold(last, |most, chunk| pairwise(&most, chunk, greater));
    let greatest = fold_lanes(&most, greater);
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        exponentiate_some(chunk, greatest, &mut sums);
    }
    if !rest.is_empty() {
        exponentiate_some(&mut last, greatest, &mut sums);
        rest.copy_from_slice(&last[..rest.len()]);
    }
    (greatest, fold_lanes(&sums, |a, b| a + b))
}

#[inline(always)]
fn exponentiate_some(logits: &mut [f32; LANES], greatest: f32, sums: &mut [f32; LANES]) {
    *logits = array::from_fn(|lane| exp(logits[lane] - greatest));
    *sums = pairwise(sums, logits, |sum, power| sum + power);
}

/// One instruction, unlike `f32::max`.
#[inline(always)]
const fn greater(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

#[inline(always)]
fn pairwise<const N: usize>(a: &[f32; N], b: &[f32; N], both: impl Fn(f32, f32) -> f32) -> [f32; N] {
    array::from_fn(|lane| both(a[lane], b[lane]))
}

/// Folds the upper half of the lanes onto the lower until one is left.
#[inline(always)]
fn fold_lanes(lanes: &[f32; LANES], both: impl Fn(f32, f32) -> f32) -> f32 {
    let four: [f32; 4] = array::from_fn(|lane| both(lanes[lane], lanes[lane + 4]));
    let two: [f32; 2] = array::from_fn(|lane| both(four[lane], four[lane + 2]));
    both(two[0], two[1])
}

/// e^x for x from −87 to 0 to within three units in the last place; smaller x count as −87.
///
/// e^x = 2^n · e^r with n whole and |r| ≤ ½ ln 2 (Cody and Waite 1980, "Software manual for the elementary functions"); the
/// polynomial for e^r is that of Moshier's Cephes library, `expf`.
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// Added to a number of less than 22 bits, it leaves no room for what comes after the point: 1.5 · 2^23.
    const ROUNDING: f32 = 12_582_912.0;
    /// ln 2 as a sum, of which the first has few digits, so that its product with n is exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = if x < -87.0 { -87.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUNDING;
    let n = shifted - ROUNDING;
    let r = x - n * LN_2[0] - n * LN_2[1];
    let mut sum = 1.987_569_1e-4;
    for coefficient in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        sum = sum * r + coefficient;
    }
    let of_r = sum * r * r + r + 1.0;
    // The last bits of the shifted number are n, which becomes the exponent.
    of_r * f32::from_bits((shifted.to_bits().wrapping_add(127)) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_that_of_the_library() {
        let mut worst = 0.0_f64;
        for step in 0..=870_000 {
            let x = -(step as f32) / 10_000.0;
            let (found, expected) = (f64::from(exp(x)), f64::from(x).exp());
            worst = worst.max((found / expected - 1.0).abs());
        }
        assert!(worst < 3.0 * f64::from(f32::EPSILON) / 2.0, "{worst:e}");
        assert!((exp(0.0) - 1.0).abs() < f32::EPSILON);
        assert_eq!(exp(-1e30).to_bits(), exp(-87.0).to_bits());
    }

    #[test]
    fn probabilities_add_up_to_one() {
        let (mut probabilities, logits) = (vec![7.0; 3], [1.0, 2.0_f32.ln() + 1.0, f32::NEG_INFINITY, 1.0]);
        let (greatest, sum) = softmax(&logits, &mut probabilities);
        assert_eq!((greatest, (sum - 2.0).abs() < 1e-6), (logits[1], true));
        for (found, expected) in probabilities.iter().zip([0.25, 0.5, 0.0, 0.25]) {
            assert!((found - expected).abs() < 1e-6, "{probabilities:?}");
        }
        assert_eq!(probabilities.len(), 4);
    }

    #[test]
    fn any_number_of_logits() {
        for count in 1..=40_usize {
            let logits: Vec<f32> = (0..count).map(|i| ((i * 7919) % 23) as f32 / 3.0 - 5.0).collect();
            let mut found = logits.clone();
            let (greatest, sum) = exponentiate(&mut found);
            let mut plainly = logits.clone();
            assert_eq!(exponentiate_plainly(&mut plainly), (greatest, sum));
            assert_eq!(plainly, found);
            let mut filled_up = logits.clone();
            filled_up.resize(48, f32::NEG_INFINITY);
            assert_eq!(exponentiate(&mut filled_up), (greatest, sum));
            assert_eq!(filled_up[..count], found);
            let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(greatest.to_bits(), most.to_bits());
            let expected: Vec<f64> = logits.iter().map(|&logit| f64::from(logit - most).exp()).collect();
            assert!((f64::from(sum) / expected.iter().sum::<f64>() - 1.0).abs() < 1e-6);
            for (&found, expected) in found.iter().zip(expected) {
                assert!((f64::from(found) / expected - 1.0).abs() < 1e-6);
            }
        }
    }
}
