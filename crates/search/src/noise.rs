//! Gumbel noise.

use rand::Rng;
use std::array;

/// So many samples are drawn at once: the compiler makes vector instructions of what they have in common.
pub(crate) const LANES: usize = 8;

/// Samples of the standard Gumbel distribution.
///
/// Not inlined, since the compiler takes the lanes side by side only where they end side by side in memory.
#[inline(never)]
pub(crate) fn gumbel_noise(rng: &mut impl Rng) -> [f32; LANES] {
    let bits: [u32; LANES] = array::from_fn(|_| rng.next_u32());
    array::from_fn(|lane| gumbel_sample(bits[lane]))
}

/// −ln(−ln(u)), from −2.8 to 16.6, of a u that is made of 23 random bits: with more it could be rounded to 1.
#[inline(always)]
fn gumbel_sample(bits: u32) -> f32 {
    const STEPS: f32 = (1 << 23) as f32;
    let uniform = ((bits >> 9) as f32 + 0.5) / STEPS;
    -ln(-ln(uniform))
}

/// ln x of a normal x > 0, to within two units in the last place.
///
/// ln x = n ln 2 + ln m with n whole and m from √½ to √2; the polynomial for ln m is that of Moshier's Cephes library,
/// `logf`. Made of additions and multiplications alone it gives the same bits on every system, and takes two fifths of the
/// instructions of the system's logarithm.
#[inline(always)]
fn ln(x: f32) -> f32 {
    const SQRT_HALF: i32 = std::f32::consts::FRAC_1_SQRT_2.to_bits() as i32;
    /// ln 2 as a sum, of which the first has few digits, so that its product with n is exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let bits = x.to_bits() as i32;
    // The exponent by which x is greater than √½, rounded down.
    let n = (bits - SQRT_HALF) >> 23;
    let above_one = f32::from_bits((bits - (n << 23)) as u32) - 1.0;
    let polynomial = [
        7.037_683_6e-2,
        -1.151_461e-1,
        1.167_699_9e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_8e-1,
        2.000_071_5e-1,
        -2.499_999_4e-1,
        3.333_333e-1,
    ];
    let sum = polynomial.into_iter().fold(0.0, |sum, coefficient| sum * above_one + coefficient);
    let (n, square) = (n as f32, above_one * above_one);
    let small = sum * above_one * square + n * LN_2[1] - 0.5 * square;
    above_one + small + n * LN_2[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng as _;

    #[test]
    fn ln_is_that_of_the_library() {
        let mut worst = 0.0_f64;
        let mut check = |x: f32| {
            let (found, expected) = (f64::from(ln(x)), f64::from(x).ln());
            worst = worst.max((found - expected).abs() / expected.abs().max(f64::from(f32::MIN_POSITIVE)));
        };
        // All that the inner logarithm may be asked, a thousandth of it, and both ends; then a range for the outer.
        for step in (0..1 << 23).step_by(1_009).chain([1, 2, 3, (1 << 23) - 2, (1 << 23) - 1]) {
            check((step as f32 + 0.5) / (1 << 23) as f32);
        }
        for step in 1..200_000 {
            check(step as f32 * 1e-4);
            check(step as f32 * 6e-8);
        }
        assert!(worst < f64::from(f32::EPSILON), "{worst:e}");
        assert_eq!(ln(1.0).to_bits(), 0);
    }

    #[test]
    fn the_noise_has_mean_and_variance_of_the_gumbel_distribution() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let samples: Vec<f64> = (0..2_500).flat_map(|_| gumbel_noise(&mut rng)).map(f64::from).collect();
        let mean = samples.iter().sum::<f64>() / samples.len() as f64;
        let variance =
            samples.iter().map(|sample| (sample - mean).powi(2)).sum::<f64>() / samples.len() as f64;
        // Euler's constant and π² / 6; the standard errors are 0.009 and 0.024.
        assert!((mean - 0.5772).abs() < 0.04, "{mean}");
        assert!((variance - 1.6449).abs() < 0.15, "{variance}");
    }

    #[test]
    fn the_least_and_the_greatest_sample() {
        for (bits, expected) in [(0, -2.811_5), (u32::MAX, 16.635_5)] {
            let sample = gumbel_sample(bits);
            assert!((sample - expected).abs() < 1e-3, "{sample}");
        }
    }
}
