//! When enough has been played: the generalised sequential probability ratio test on pairs.

use crate::elo::{EloScale, NORMALISED_ELO, expected_share};
use crate::score::Score;
use crate::settings::SettingsError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is tested, and how sure the answer has to be.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SprtSettings {
    /// In which Elo the hypotheses are.
    pub scale: EloScale,
    /// H0: A is at most this much stronger than B, in Elo; −1,000 to below `elo1`.
    pub elo0: f64,
    /// H1: A is at least this much stronger, in Elo; above `elo0` to 1,000.
    pub elo1: f64,
    /// The probability of accepting H1 though H0 is true, between 0.0001 and 0.4999. fishtest: 0.05.
    pub alpha: f64,
    /// The probability of accepting H0 though H1 is true, between 0.0001 and 0.4999. fishtest: 0.05.
    pub beta: f64,
}

impl Default for SprtSettings {
    /// "Not worse" for a small run: between −20 and +10 logistic Elo, errors of 5 %. By the approximation that [`Sprt`] cites
    /// and pairs that spread by 0.3, about 80 pairs for a candidate that is 50 Elo better and 260 for one that is 10
    /// better; fishtest's own bounds would take tens of thousands of games.
    fn default() -> Self {
        Self { scale: EloScale::Logistic, elo0: -20.0, elo1: 10.0, alpha: 0.05, beta: 0.05 }
    }
}

impl SprtSettings {
    /// Is everything in range?
    pub fn check(&self) -> Result<(), SettingsError> {
        let elo = |elo: f64| (-1000.0..=1000.0).contains(&elo);
        let error = |error: f64| (0.0001..0.5).contains(&error);
        SettingsError::unless(elo(self.elo1), "sprt.elo1", self.elo1, "above sprt.elo0, to 1000")?;
        let fine = elo(self.elo0) && self.elo0 < self.elo1;
        SettingsError::unless(fine, "sprt.elo0", self.elo0, "-1000 to below sprt.elo1")?;
        SettingsError::unless(error(self.alpha), "sprt.alpha", self.alpha, "0.0001 to below 0.5")?;
        SettingsError::unless(error(self.beta), "sprt.beta", self.beta, "0.0001 to below 0.5")
    }
}

/// What the test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SprtVerdict {
    /// Stronger by `elo1`, rather than by `elo0` only.
    AcceptH1,
    /// The other way round.
    AcceptH0,
    /// Not known yet; if no more is played, inconclusive.
    Continue,
}

/// A test's answer with its figures. Prints as `LLR 1.20 (-2.94 to 2.94) for -20 to +10 Elo: inconclusive`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SprtReport {
    /// What was tested.
    #[serde(flatten)]
    pub settings: SprtSettings,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// At this H0 is accepted.
    pub lower: f64,
    /// At this H1 is accepted.
    pub upper: f64,
    /// The answer.
    pub verdict: SprtVerdict,
}

impl fmt::Display for SprtReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SprtSettings { scale, elo0, elo1, .. } = self.settings;
        let unit = match scale {
            EloScale::Logistic => "Elo",
            EloScale::Normalised => "normalised Elo",
        };
        write!(
            f,
            "LLR {:.2} ({:.2} to {:.2}) for {elo0:+} to {elo1:+} {unit}: ",
            self.llr, self.lower, self.upper
        )?;
        match self.verdict {
            SprtVerdict::AcceptH1 => write!(f, "H1 accepted, rather {elo1:+} than {elo0:+}"),
            SprtVerdict::AcceptH0 => write!(f, "H0 accepted, rather {elo0:+} than {elo1:+}"),
            SprtVerdict::Continue => f.write_str("inconclusive"),
        }
    }
}

/// The test, ready for use.
///
/// # Formulas
/// With p̂ᵢ = nᵢ/n the shares of the pairs with i half points and xᵢ = i/4, LLR = n Σ p̂ᵢ ln(p¹ᵢ / p⁰ᵢ), where pᵏ is
/// the likeliest distribution under hypothesis k (the generalised test of Li, Liu and Ying 2014).
///
/// *Logistic Elo* says that the mean is sₖ = 1/(1 + 10^(−eloₖ/400)). Then pᵢ = p̂ᵢ / (1 + θ (xᵢ − sₖ)), where θ is the
/// one root of Σ p̂ᵢ (xᵢ − sₖ) / (1 + θ (xᵢ − sₖ)) = 0 between −1/(1 − sₖ) and 1/sₖ (M. Van den Bergh, "The
/// generalized maximum likelihood ratio for the expectation value of a distribution", proposition 1.1). For large n
/// LLR is about (s₁ − s₀)(2s − s₀ − s₁) n / (2σ²).
///
/// *Normalised Elo* says that (mean − ½)/σ is tₖ = √2 eloₖ / [`NORMALISED_ELO`]; √2 because a pair's share spreads
/// less than a game's (Van den Bergh, "Normalized Elo", "Comments on normalized Elo"). With yᵢ = xᵢ − ½, m the mean
/// of y and t > 0, the mean square of y is m² (1 + 1/t²), so pᵢ = p̂ᵢ / (1 + θ aᵢ(m)) with
/// aᵢ(m) = yᵢ − m/2 − yᵢ² t² / (2m (1 + t²)) and mean 0 for the right m. The mean of a(m') is greatest at m' = m, so
/// that the distributions with (mean − ½)/σ ≥ t are those with a mean of a(m') ≥ 0 for some m': m is where the
/// likelihood of the constrained problem is greatest if p̂ falls short of t, and least if it exceeds t. It is looked
/// for on a grid and then by golden section. A negative t is the same with the players exchanged.
///
/// As fishtest and fastchess do, a kind of pair that hasn't occurred counts as 0.001 pairs; so one-sided results give
/// finite numbers and end the test. H0 is accepted at LLR ≤ ln(β/(1 − α)), H1 at LLR ≥ ln((1 − β)/α) (Wald 1945).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    settings: SprtSettings,
    lower: f64,
    upper: f64,
}

impl Sprt {
    /// A test by these settings.
    pub fn new(settings: &SprtSettings) -> Result<Self, SettingsError> {
        settings.check()?;
        let SprtSettings { alpha, beta, .. } = *settings;
        Ok(Self {
            settings: *settings,
            lower: (beta / (1.0 - alpha)).ln(),
            upper: ((1.0 - beta) / alpha).ln(),
        })
    }

    /// The log-likelihood ratio after these pairs (`pairs[i]`: A got `i` half points); 0 before the first.
    pub fn llr(&self, pairs: &[u32; 5]) -> f64 {
        self.ratio(pairs, 2.0)
    }

    /// The same by single games, the trinomial model: right only for games that share no openings.
    pub fn llr_by_games(&self, wins: u32, draws: u32, losses: u32) -> f64 {
        self.ratio(&[losses, draws, wins], 1.0)
    }

    /// Below the first number H0 is accepted, above the second H1.
    pub const fn bounds(&self) -> (f64, f64) {
        (self.lower, self.upper)
    }

    /// The verdict after these pairs.
    pub fn verdict(&self, pairs: &[u32; 5]) -> SprtVerdict {
        self.verdict_of(self.llr(pairs))
    }

    /// The answer after these pairs, with its figures.
    pub fn report(&self, score: &Score) -> SprtReport {
        let llr = self.llr(&score.pairs());
        let Self { settings, lower, upper } = *self;
        SprtReport { settings, llr, lower, upper, verdict: self.verdict_of(llr) }
    }

    fn verdict_of(&self, llr: f64) -> SprtVerdict {
        if llr <= self.lower {
            SprtVerdict::AcceptH0
        } else if self.upper <= llr {
            SprtVerdict::AcceptH1
        } else {
            SprtVerdict::Continue
        }
    }

    /// `counts`: so many results of `games` games each, the worst first.
    fn ratio(&self, counts: &[u32], games: f64) -> f64 {
        if counts.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let results = Results::of(counts);
        let SprtSettings { scale, elo0, elo1, .. } = self.settings;
        let likelihood = |elo: f64| match scale {
            EloScale::Logistic => results.with_mean(expected_share(elo)),
            EloScale::Normalised => results.with_t(elo * games.sqrt() / NORMALISED_ELO),
        };
        likelihood(elo1) - likelihood(elo0)
    }
}

/// Results by their lead y, the share less ½: `leads[i]` occurred `counts[i]` times, which is more than 0.
#[derive(Clone)]
struct Results {
    counts: Vec<f64>,
    leads: Vec<f64>,
}

impl Results {
    /// Of counts with the worst first.
    fn of(counts: &[u32]) -> Self {
        let steps = counts.len() as f64 - 1.0;
        Self {
            counts: counts.iter().map(|&count| if count == 0 { 0.001 } else { f64::from(count) }).collect(),
            leads: (0..counts.len()).map(|i| i as f64 / steps - 0.5).collect(),
        }
    }

    /// The greatest log-likelihood under which the mean share is this, less that without any condition; at most 0.
    fn with_mean(&self, share: f64) -> f64 {
        let gaps: Vec<f64> = self.leads.iter().map(|lead| lead + 0.5 - share).collect();
        self.with_mean_0(&gaps)
    }

    /// The same for (mean − ½)/σ = `t`.
    fn with_t(&self, t: f64) -> f64 {
        if t == 0.0 {
            return self.with_mean_0(&self.leads);
        }
        if t < 0.0 {
            let mut reversed = self.clone();
            reversed.counts.reverse();
            return reversed.with_t(-t);
        }
        let exceeds = t < self.t();
        let root = t / (1.0 + t * t).sqrt();
        let fit = |mean: f64| {
            let gaps: Vec<f64> =
                self.leads.iter().map(|y| y - mean / 2.0 - (y * root).powi(2) / (2.0 * mean)).collect();
            let possible = gaps.iter().any(|&gap| 0.0 < gap);
            match (exceeds, possible) {
                // A condition that the results meet already costs nothing.
                (true, _) if !possible || self.mean(&gaps) <= 0.0 => 0.0,
                (true, _) => -self.with_mean_0(&gaps),
                (false, true) => self.with_mean_0(&gaps),
                (false, false) => f64::NEG_INFINITY,
            }
        };
        // Mean squares are ¼ at most, hence the means below.
        let best = greatest(fit, (SMALLEST_MEAN * root / 2.0).ln(), (root / 2.0).ln());
        if exceeds { -best } else { best }
    }

    /// The greatest log-likelihood under which these values, one for each kind of result, have the mean 0, less that
    /// without any condition. Some must be above and some below 0.
    fn with_mean_0(&self, values: &[f64]) -> f64 {
        let theta = self.likeliest_tilt(values);
        -self.counts.iter().zip(values).map(|(count, value)| count * (theta * value).ln_1p()).sum::<f64>()
    }

    /// θ of [`Sprt`]'s formulas, by Newton's method within brackets: the sum falls from +∞ to −∞ between the poles.
    fn likeliest_tilt(&self, values: &[f64]) -> f64 {
        let (least, most) = values
            .iter()
            .fold((0.0_f64, 0.0_f64), |(least, most), &value| (least.min(value), most.max(value)));
        let (mut low, mut high) = (-1.0 / most, -1.0 / least);
        let mut theta = 0.0;
        for _ in 0..TILT_STEPS {
            let (mut sum, mut slope) = (0.0, 0.0);
            for (count, value) in self.counts.iter().zip(values) {
                let quotient = value / (1.0 + theta * value);
                sum += count * quotient;
                slope += count * quotient * quotient;
            }
            *(if 0.0 < sum { &mut low } else { &mut high }) = theta;
            let step = sum / slope;
            if step.abs() <= f64::EPSILON * theta.abs() {
                break;
            }
            let next = theta + step;
            theta = if low < next && next < high { next } else { f64::midpoint(low, high) };
        }
        theta
    }

    fn mean(&self, values: &[f64]) -> f64 {
        let total: f64 = self.counts.iter().sum();
        self.counts.iter().zip(values).map(|(count, value)| count * value).sum::<f64>() / total
    }

    /// The mean lead in standard deviations.
    fn t(&self) -> f64 {
        let mean = self.mean(&self.leads);
        let squares: Vec<f64> = self.leads.iter().map(|lead| (lead - mean).powi(2)).collect();
        mean / self.mean(&squares).sqrt()
    }
}

/// More than Newton's method needs; enough for halving to the last bits where it fails.
const TILT_STEPS: u32 = 60;

/// The least mean lead that is looked at, as a part of the greatest possible.
const SMALLEST_MEAN: f64 = 1e-5;

/// Points of the grid.
const GRID: u32 = 24;

/// Golden sections of two of its meshes: to 10⁻⁹ of the mean.
const SECTIONS: u32 = 43;

/// The greatest value of a function of e^z for z between `low` and `high`.
fn greatest(function: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let mesh = (high - low) / f64::from(GRID);
    let value = |z: f64| function(z.exp());
    let points = (0..=GRID).map(|i| low + f64::from(i) * mesh).map(|z| (z, value(z)));
    let (best, _) = points.max_by(|a, b| a.1.total_cmp(&b.1)).expect("a grid has points");
    let (mut low, mut high) = ((best - mesh).max(low), (best + mesh).min(high));
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let mut left = (high - golden * (high - low), f64::NAN);
    let mut right = (low + golden * (high - low), f64::NAN);
    left.1 = value(left.0);
    right.1 = value(right.0);
    for _ in 0..SECTIONS {
        if right.1 < left.1 {
            high = right.0;
            right = left;
            left.0 = high - golden * (high - low);
            left.1 = value(left.0);
        } else {
            low = left.0;
            left = right;
            right.0 = low + golden * (high - low);
            right.1 = value(right.0);
        }
    }
    left.1.max(right.1)
}

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

    fn normalised(elo0: f64, elo1: f64) -> Sprt {
        let scale = EloScale::Normalised;
        Sprt::new(&SprtSettings { scale, elo0, elo1, ..SprtSettings::default() }).unwrap()
    }

    fn check(found: f64, published: f64) {
        assert!((found - published).abs() < 0.01, "{found} is not {published}");
    }

    /// The figures in fastchess's own tests (`app/tests/sprt_test.cpp`), whose tolerance is 1 %. Its figures for
    /// one-sided results in normalised Elo differ: it takes the spread that was seen for both hypotheses.
    #[test]
    fn agrees_with_fastchess() {
        check(sprt(0.5, 2.5).llr(&[223, 9863, 21279, 10037, 246]), -3.07);
        check(sprt(0.0, 2.0).llr(&[871, 26175, 55983, 26678, 821]), -4.98);
        check(sprt(0.5, 2.5).llr_by_games(21404, 40708, 21184), -1.57);
        check(sprt(0.0, 2.0).llr_by_games(57433, 106_593, 57030), -2.59);
        check(normalised(0.0, 2.0).llr(&[365, 16618, 36229, 16974, 390]), 2.25);
        check(normalised(-1.75, 0.25).llr(&[127, 4883, 10712, 5150, 104]), 3.01);
        check(normalised(0.0, 2.0).llr_by_games(36433, 68692, 36027), 0.92);
        check(normalised(-1.75, 0.25).llr_by_games(10871, 20431, 10650), 2.30);
    }

    /// Tests of Stockfish's that fishtest ended: pull requests 6255, 5257, 6285, 6655 and 5987 (normalised Elo) of
    /// official-stockfish/Stockfish; to the two decimals printed.
    #[test]
    fn agrees_with_fishtest() {
        for (pairs, elo0, elo1, llr) in [
            ([317, 12094, 28735, 12231, 319], -1.75, 0.25, 2.96),
            ([47, 9917, 26934, 10064, 45], -1.75, 0.25, 2.94),
            ([914, 28467, 61458, 29126, 899], 0.0, 2.0, 2.99),
            ([82, 18412, 46354, 18988, 89], 0.5, 2.5, 2.96),
            ([289, 26459, 62934, 26379, 331], -1.75, 0.25, 2.94),
            ([118, 38575, 109_888, 38432, 122], -1.75, 0.25, 2.95),
            ([1145, 40248, 87571, 40027, 1201], -1.75, 0.25, 3.01),
            ([581, 23222, 50122, 23273, 578], -1.75, 0.25, 2.94),
            ([11, 11844, 35309, 11957, 12], -1.75, 0.25, 2.94),
        ] {
            check(normalised(elo0, elo1).llr(&pairs), llr);
        }
    }

    /// The figures in racetrack's tests (MortenLohne/racetrack, `src/tests/sprt_tests.rs`).
    #[test]
    fn agrees_with_racetrack() {
        for (pairs, elo0, elo1, llr) in [
            ([440, 2910, 5170, 2888, 455], 0.0, 5.0, -2.27),
            ([142, 620, 1122, 699, 188], 0.0, 5.0, 2.99),
            ([349, 1561, 3340, 1604, 359], -5.0, 0.0, 2.90),
            ([98, 382, 674, 369, 71], -5.0, 0.0, -1.11),
        ] {
            check(normalised(elo0, elo1).llr(&pairs), llr);
        }
    }

    /// The likeliest distribution is likelier than all others with its t, which a search from many sides shows.
    #[test]
    fn no_distribution_with_that_t_is_likelier() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for _ in 0..60 {
            let counts = [0; 5].map(|_: u32| if rng.random_bool(0.4) { 0 } else { rng.random_range(1..60) });
            if counts == [0; 5] {
                continue;
            }
            let results = Results::of(&counts);
            let t = rng.random_range(-0.8..0.8);
            let found = results.with_t(t);
            let total: f64 = results.counts.iter().sum();
            for _ in 0..200 {
                // A distribution at random, tilted until it has this t.
                let weights: Vec<f64> = results
                    .counts
                    .iter()
                    .map(|count| count * rng.random_range(-1.0..1.0_f64).exp())
                    .collect();
                let tilted = |tilt: f64| Results {
                    counts: weights.iter().zip(&results.leads).map(|(w, y)| w * (tilt * y).exp()).collect(),
                    leads: results.leads.clone(),
                };
                let (mut low, mut high) = (-60.0, 60.0);
                for _ in 0..60 {
                    let middle = f64::midpoint(low, high);
                    *(if tilted(middle).t() < t { &mut low } else { &mut high }) = middle;
                }
                let other = tilted(low);
                if (other.t() - t).abs() < 1e-6 {
                    let sum: f64 = other.counts.iter().sum();
                    let likelihood =
                        |(count, weight): (&f64, &f64)| count * (weight / sum / (count / total)).ln();
                    let other: f64 = results.counts.iter().zip(&other.counts).map(likelihood).sum();
                    assert!(other < found + 1e-6, "{counts:?} t {t}: {other} is above {found}");
                }
            }
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
        for test in [sprt(-20.0, 10.0), normalised(-20.0, 10.0), normalised(300.0, 400.0)] {
            for (kind, verdict) in [(0, SprtVerdict::AcceptH0), (4, SprtVerdict::AcceptH1)] {
                let mut pairs = [0; 5];
                while test.verdict(&pairs) == SprtVerdict::Continue {
                    pairs[kind] += 1;
                    assert!(test.llr(&pairs).is_finite());
                    assert!(pairs[kind] < 100);
                }
                assert_eq!(test.verdict(&pairs), verdict);
                assert!(1 < pairs[kind], "{pairs:?}: no verdict on a single pair");
            }
            assert_eq!(test.llr(&[0; 5]).to_bits(), 0);
        }
        let (lower, upper) = sprt(-20.0, 10.0).bounds();
        assert!((lower + 2.944).abs() < 1e-3 && (upper - 2.944).abs() < 1e-3);
    }

    #[test]
    fn any_results_give_a_finite_ratio() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        for _ in 0..400 {
            let pairs =
                [0; 5].map(|_: u32| if rng.random_bool(0.5) { 0 } else { 1 << rng.random_range(0..20) });
            let elo0 = rng.random_range(-1000.0..999.0);
            let elo1 = rng.random_range(elo0..1000.0) + 1e-3;
            for test in [sprt(elo0, elo1.min(1000.0)), normalised(elo0, elo1.min(1000.0))] {
                assert!(test.llr(&pairs).is_finite(), "{pairs:?} {elo0} {elo1}");
                assert!(test.llr_by_games(pairs[0], pairs[1], pairs[2]).is_finite(), "{pairs:?}");
            }
        }
    }

    #[test]
    fn exchanging_the_players_exchanges_the_hypotheses() {
        let pairs = [3, 10, 25, 14, 6];
        let mut reversed = pairs;
        reversed.reverse();
        for test in [sprt, normalised] {
            assert!((test(-10.0, 30.0).llr(&pairs) + test(-30.0, 10.0).llr(&reversed)).abs() < 1e-9);
        }
    }

    /// Simulated tests at each hypothesis: wrong verdicts near the nominal 5 %. `MEIHUA_SPRT_TESTS=10000` plays that
    /// many of each rather than 300.
    #[test]
    fn error_rates_are_near_nominal() {
        let tests = std::env::var("MEIHUA_SPRT_TESTS").map_or(300, |text| text.parse().unwrap());
        let unit = deviation_of_a_game() * 2.0;
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for (test, elo) in [(sprt(-40.0, 40.0), 40.0), (normalised(-40.0, 40.0), 40.0 * unit)] {
            for (elo, wrong) in [(-elo, SprtVerdict::AcceptH1), (elo, SprtVerdict::AcceptH0)] {
                let outcomes: Vec<(SprtVerdict, u32)> =
                    (0..tests).map(|_| simulate(&test, expected_share(elo), &mut rng)).collect();
                let errors = outcomes.iter().filter(|&&(verdict, _)| verdict == wrong).count();
                let pairs: u32 = outcomes.iter().map(|&(_, pairs)| pairs).sum();
                let rate = errors as f64 / f64::from(tests);
                println!(
                    "{:?} at {elo:+.1}: {:.2} % wrong of {tests}, {} pairs on average",
                    test.settings.scale,
                    100.0 * rate,
                    pairs / tests
                );
                // 5 % and three standard deviations; the overshoot makes real tests a bit safer than nominal.
                let noise = 3.0 * (0.05 * 0.95 / f64::from(tests)).sqrt();
                assert!((0.035 - noise..=0.05 + noise).contains(&rate), "{errors} of {tests} wrong at {elo}");
            }
        }
    }

    /// What [`simulate`]'s games give: pairs that are even with probability `EVEN`, else two games with `DRAWS`.
    const EVEN: f64 = 0.3;
    const DRAWS: f64 = 0.3;

    /// The standard deviation that normalised Elo counts in, between equal players: if it is ½, both Elo are the same.
    fn deviation_of_a_game() -> f64 {
        // A game's points spread by (1 − DRAWS)/4 when the players are equal, a pair's share by half of that.
        ((1.0 - EVEN) * (1.0 - DRAWS) / 4.0).sqrt()
    }

    /// Pairs of equal openings: a third is won by whoever has Red; else games with 30 % draws.
    fn simulate(test: &Sprt, share: f64, rng: &mut ChaCha8Rng) -> (SprtVerdict, u32) {
        // What the other games must give for the whole to have this share.
        let rest = (share - EVEN * 0.5) / (1.0 - EVEN);
        let win = rest - DRAWS / 2.0;
        let mut score = Score::default();
        loop {
            let mut game = || match rng.random::<f64>() {
                x if x < win => Points::Win,
                x if x < win + DRAWS => Points::Draw,
                _ => Points::Loss,
            };
            let fair = [game(), game()];
            score.add(if rng.random_bool(EVEN) { [Points::Win, Points::Loss] } else { fair });
            match test.verdict(&score.pairs()) {
                SprtVerdict::Continue => {}
                verdict => return (verdict, score.pair_count()),
            }
        }
    }

    #[test]
    fn a_report_says_when_it_does_not_know() {
        let report = sprt(-20.0, 10.0).report(&Score::of_pairs([2, 10, 20, 12, 6], 10));
        assert_eq!(report.to_string(), "LLR 1.85 (-2.94 to 2.94) for -20 to +10 Elo: inconclusive");
        let json = serde_json::to_value(report).unwrap();
        assert_eq!((json["verdict"].as_str(), json["scale"].as_str()), (Some("continue"), Some("logistic")));
        let report = normalised(0.0, 5.0).report(&Score::of_pairs([0, 0, 0, 0, 900], 0));
        assert!(
            report.to_string().ends_with("for +0 to +5 normalised Elo: H1 accepted, rather +5 than +0"),
            "{report}"
        );
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
