//! When enough has been played: the generalised sequential probability ratio test on pairs.

use crate::elo::expected_share;
use crate::settings::SettingsError;
use serde::{Deserialize, Serialize};

/// What is tested, and how sure the answer has to be.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SprtSettings {
    /// H0: A is at most this much stronger than B, in logistic Elo; −1,000 to below `elo1`.
    pub elo0: f64,
    /// H1: A is at least this much stronger, in logistic Elo; above `elo0` to 1,000.
    pub elo1: f64,
    /// The probability of accepting H1 though H0 is true, between 0.0001 and 0.4999. fishtest: 0.05.
    pub alpha: f64,
    /// The probability of accepting H0 though H1 is true, between 0.0001 and 0.4999. fishtest: 0.05.
    pub beta: f64,
}

impl Default for SprtSettings {
    /// "Not worse" for a small run: between −20 and +10 Elo, errors of 5 %. By the approximation that [`Sprt`] cites
    /// and pairs that spread by 0.3, about 80 pairs for a candidate that is 50 Elo better and 260 for one that is 10
    /// better; fishtest's own bounds would take tens of thousands of games.
    fn default() -> Self {
        Self { elo0: -20.0, elo1: 10.0, alpha: 0.05, beta: 0.05 }
    }
}

impl SprtSettings {
    /// Is everything in range?
    pub fn check(&self) -> Result<(), SettingsError> {
        let elo = |elo: f64| (-1000.0..=1000.0).contains(&elo);
        let error = |error: f64| (0.0001..0.5).contains(&error);
        SettingsError::unless(
            elo(self.elo0) && self.elo0 < self.elo1,
            "sprt.elo0",
            self.elo0,
            "-1000 to below sprt.elo1",
        )?;
        SettingsError::unless(elo(self.elo1), "sprt.elo1", self.elo1, "above sprt.elo0, to 1000")?;
        SettingsError::unless(error(self.alpha), "sprt.alpha", self.alpha, "0.0001 to below 0.5")?;
        SettingsError::unless(error(self.beta), "sprt.beta", self.beta, "0.0001 to below 0.5")
    }
}

/// What the test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SprtVerdict {
    /// Stronger by `elo1`, rather than by `elo0` only.
    AcceptH1,
    /// The other way round.
    AcceptH0,
    /// Not known yet.
    Continue,
}

/// The test, ready for use.
///
/// # Formulas
/// With p̂ᵢ = nᵢ/n the shares of the pairs with i half points, xᵢ = i/4, and sₖ = 1/(1 + 10^(−eloₖ/400)):
/// among the distributions with mean sₖ the likeliest is pᵢ = p̂ᵢ / (1 + θₖ (xᵢ − sₖ)), where θₖ is the one root of
/// Σ p̂ᵢ (xᵢ − sₖ) / (1 + θ (xᵢ − sₖ)) = 0 between −1/(1 − sₖ) and 1/sₖ (M. Van den Bergh, "The generalized
/// maximum likelihood ratio for the expectation value of a distribution", proposition 1.1). Hence
///
/// LLR = n Σ p̂ᵢ ln((1 + θ₀ (xᵢ − s₀)) / (1 + θ₁ (xᵢ − s₁))).
///
/// For large n this is his approximation (s₁ − s₀)(2s − s₀ − s₁) n / (2σ²). As fishtest and fastchess do, a kind of
/// pair that hasn't occurred counts as 0.001 pairs. H0 is accepted at LLR ≤ ln(β/(1 − α)), H1 at
/// LLR ≥ ln((1 − β)/α) (Wald 1945); the LLR is that of the generalised test of Li, Liu and Ying (2014).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    share0: f64,
    share1: f64,
    lower: f64,
    upper: f64,
}

impl Sprt {
    /// A test by these settings.
    pub fn new(settings: &SprtSettings) -> Result<Self, SettingsError> {
        settings.check()?;
        let SprtSettings { elo0, elo1, alpha, beta } = *settings;
        Ok(Self {
            share0: expected_share(elo0),
            share1: expected_share(elo1),
            lower: (beta / (1.0 - alpha)).ln(),
            upper: ((1.0 - beta) / alpha).ln(),
        })
    }

    /// The log-likelihood ratio after these pairs (`pairs[i]`: A got `i` half points); 0 before the first.
    pub fn llr(&self, pairs: &[u32; 5]) -> f64 {
        if pairs.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let counts = pairs.map(|count| if count == 0 { 0.001 } else { f64::from(count) });
        let theta0 = likeliest_tilt(&counts, self.share0);
        let theta1 = likeliest_tilt(&counts, self.share1);
        let terms = counts.iter().zip(SHARES).map(|(count, x)| {
            count * ((theta0 * (x - self.share0)).ln_1p() - (theta1 * (x - self.share1)).ln_1p())
        });
        terms.sum()
    }

    /// Below the first number H0 is accepted, above the second H1.
    pub const fn bounds(&self) -> (f64, f64) {
        (self.lower, self.upper)
    }

    /// The verdict after these pairs.
    pub fn verdict(&self, pairs: &[u32; 5]) -> SprtVerdict {
        let llr = self.llr(pairs);
        if llr <= self.lower {
            SprtVerdict::AcceptH0
        } else if self.upper <= llr {
            SprtVerdict::AcceptH1
        } else {
            SprtVerdict::Continue
        }
    }
}

/// The points share of a pair with 0, 1, 2, 3, 4 half points.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// θ of [`Sprt`]'s formula, by bisection: the sum falls from +∞ to −∞ between the poles.
fn likeliest_tilt(counts: &[f64; 5], share: f64) -> f64 {
    let slope = |theta: f64| -> f64 {
        counts.iter().zip(SHARES).map(|(count, x)| count * (x - share) / (1.0 + theta * (x - share))).sum()
    };
    let (mut low, mut high) = (-1.0 / (1.0 - share), 1.0 / share);
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        *(if 0.0 < slope(middle) { &mut low } else { &mut high }) = middle;
    }
    f64::midpoint(low, high)
}

/// Halvings of an interval a few units long: to the last bits of an f64.
const BISECTIONS: u32 = 52;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Points;
    use crate::score::Score;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    fn sprt(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(&SprtSettings { elo0, elo1, ..SprtSettings::default() }).unwrap()
    }

    /// The figures in fastchess's own tests (`app/tests/sprt_test.cpp`), whose tolerance is 1 %.
    #[test]
    fn agrees_with_fastchess() {
        for (pairs, elo0, elo1, llr) in [
            ([223, 9863, 21279, 10037, 246], 0.5, 2.5, -3.07),
            ([871, 26175, 55983, 26678, 821], 0.0, 2.0, -4.98),
        ] {
            let found = sprt(elo0, elo1).llr(&pairs);
            assert!((found - llr).abs() < 0.01, "{pairs:?}: {found} is not {llr}");
        }
    }

    #[test]
    fn agrees_with_the_approximation_for_many_pairs() {
        let pairs = [1_000, 5_000, 9_000, 5_200, 1_050];
        let score = Score::of_pairs(pairs, 0);
        let variance = score.share_error().powi(2) * f64::from(score.pair_count()).powi(2);
        let (s0, s1) = (expected_share(-4.0), expected_share(1.0));
        let approximation = (s1 - s0) * (2.0 * score.share() - s0 - s1) / variance / 2.0
            * f64::from(score.pair_count()).powi(2);
        let exact = sprt(-4.0, 1.0).llr(&pairs);
        assert!((exact / approximation - 1.0).abs() < 0.01, "{exact}, {approximation}");
    }

    #[test]
    fn by_hand_for_two_outcomes() {
        // Pairs won 2–0 or lost 0–2: the mean sₖ is the probability of 2–0, so the likeliest distributions are
        // (1 − s₀, s₀) and (1 − s₁, s₁), and the LLR is that of a coin.
        let (s0, s1) = (expected_share(-50.0), expected_share(50.0));
        let coin = 30.0 * (s1 / s0).ln() + 20.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        let found = sprt(-50.0, 50.0).llr(&[20, 0, 0, 0, 30]);
        assert!((found - coin).abs() < 0.01, "{found}, {coin}");
    }

    /// Disservin/fastchess#1029: one-sided results must end the test, not hang it.
    #[test]
    fn one_sided_results_end_the_test_without_nan() {
        let test = sprt(-20.0, 10.0);
        for (kind, verdict) in [(0, SprtVerdict::AcceptH0), (4, SprtVerdict::AcceptH1)] {
            let mut pairs = [0; 5];
            while test.verdict(&pairs) == SprtVerdict::Continue {
                pairs[kind] += 1;
                assert!(test.llr(&pairs).is_finite());
                assert!(pairs[kind] < 100);
            }
            assert_eq!(test.verdict(&pairs), verdict);
            assert!(10 < pairs[kind], "{pairs:?}: no verdict on a handful of pairs");
        }
        assert_eq!(test.llr(&[0; 5]).to_bits(), 0);
        let (lower, upper) = test.bounds();
        assert!((lower + 2.944).abs() < 1e-3 && (upper - 2.944).abs() < 1e-3);
    }

    #[test]
    fn exchanging_the_players_exchanges_the_hypotheses() {
        let pairs = [3, 10, 25, 14, 6];
        let mut reversed = pairs;
        reversed.reverse();
        assert!((sprt(-10.0, 30.0).llr(&pairs) + sprt(-30.0, 10.0).llr(&reversed)).abs() < 1e-9);
    }

    /// 1,000 simulated tests at each hypothesis: wrong verdicts near the nominal 5 %.
    #[test]
    fn error_rates_are_near_nominal() {
        let test = sprt(-40.0, 40.0);
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for (elo, wrong) in [(-40.0, SprtVerdict::AcceptH1), (40.0, SprtVerdict::AcceptH0)] {
            let errors =
                (0..1_000).filter(|_| simulate(&test, expected_share(elo), &mut rng) == wrong).count();
            // 5 % less or more three standard deviations; the overshoot makes real tests a bit safer than nominal.
            assert!((20..=71).contains(&errors), "{errors} of 1000 wrong at {elo}");
        }
    }

    /// Pairs of equal openings: a third is won by whoever has Red; else games with 30 % draws.
    fn simulate(test: &Sprt, share: f64, rng: &mut ChaCha8Rng) -> SprtVerdict {
        let (even, draw) = (0.3, 0.3);
        // What the other games must give for the whole to have this share.
        let rest = (share - even * 0.5) / (1.0 - even);
        let win = rest - draw / 2.0;
        let mut score = Score::default();
        loop {
            let mut game = || match rng.random::<f64>() {
                x if x < win => Points::Win,
                x if x < win + draw => Points::Draw,
                _ => Points::Loss,
            };
            let fair = [game(), game()];
            score.add(if rng.random_bool(even) { [Points::Win, Points::Loss] } else { fair });
            match test.verdict(&score.pairs()) {
                SprtVerdict::Continue => {}
                verdict => return verdict,
            }
        }
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let fine = SprtSettings::default();
        let message = |settings: SprtSettings| settings.check().unwrap_err().to_string();
        assert_eq!(
            message(SprtSettings { elo0: 10.0, ..fine }),
            "sprt.elo0 = 10: want -1000 to below sprt.elo1"
        );
        assert!(message(SprtSettings { elo1: 2000.0, ..fine }).starts_with("sprt.elo1 = 2000: "));
        assert!(message(SprtSettings { alpha: 0.0, ..fine }).starts_with("sprt.alpha = 0: "));
        assert!(message(SprtSettings { beta: f64::NAN, ..fine }).starts_with("sprt.beta = NaN: "));
    }
}
