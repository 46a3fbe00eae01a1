//! A match counted: wins, draws, losses, pairs, and what they say with which certainty.

use crate::elo::{Elo, NORMAL_95, NORMALISED_ELO, elo_of_share, normal_distribution};
use crate::record::Points;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

/// Player A's result against player B, counted in games and in pairs.
///
/// # Formulas
/// The two games of a pair share an opening, so they are not independent: an opening that wins for Red gives 1–1
/// whoever plays. The pair is the unit (the *pentanomial* model of fishtest; M. Van den Bergh, "A practical
/// introduction to the GSPRT" and "Comments on normalized Elo"): with nᵢ pairs of i half points, n = Σ nᵢ and
/// xᵢ = i/4,
///
/// * points share s = Σ nᵢ xᵢ / n;
/// * its standard error e = √(Σ nᵢ (xᵢ − s)² / n) / √n;
/// * Elo = 400 log10(s / (1 − s)), its 95 % interval the Elo of s ± 1.96 e;
/// * likelihood of superiority LOS = Φ((s − ½) / e);
/// * normalised Elo = u t/√2 with u = [`NORMALISED_ELO`], t = (s − ½)/σ and σ = e √n, its 95 % interval ± 1.96
///   standard errors u √(v/2n), where v = 1 − tγ + t²(κ + 2)/4 with the skewness γ and the excess kurtosis κ of the
///   pairs (the delta method; v = 1 for players of nearly equal strength).
///
/// The same of single games, xᵢ = i/2, √2 left out, is the *trinomial* model ([`Score::by_games`]). Its error bars are
/// right only for games that share no openings; with pairs they are mostly too wide, and wrong in any case.
///
/// These are the figures that fishtest and fastchess print. They don't exist when all pairs ended alike, so that
/// the variance is 0 though certainty is not. There this crate uses the exact binomial bound (Clopper and
/// Pearson 1934) on the pairs that end otherwise: with 97.5 % confidence a pair ends as all n did with probability
/// q = 0.025^(1/n) at least, so s lies between q xᵢ and q xᵢ + (1 − q); LOS is 1 − 2^−(n+1) for pairs above 1–1 (the
/// probability of more than ½ after n successes, all probabilities equally likely before), its complement below.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "Counts", into = "Counts")]
pub struct Score {
    wins: u32,
    draws: u32,
    losses: u32,
    pairs: [u32; 5],
}

/// What a score says, by one of its two models. Infinite Elo is `null` in JSON.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Statistics {
    /// A's points share, 0 to 1; ½ if no game was played.
    pub share: f64,
    /// Its standard error.
    pub share_error: f64,
    /// Logistic Elo of A over B, with its 95 % interval.
    pub elo: Elo,
    /// Normalised Elo of A over B, with its 95 % interval; unknown if all pairs (or games) ended alike.
    pub normalised_elo: Elo,
    /// The likelihood that A is the stronger one, 0 to 1.
    pub los: f64,
}

/// The numbers of a [`Score`], derived ones included, for JSON. Infinite Elo is left out (`null`).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Summary {
    /// Games A won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games A lost.
    pub losses: u32,
    /// Pairs in which A got 0, ½, 1, 1½, 2 points.
    pub pairs: [u32; 5],
    /// What the pairs say.
    #[serde(flatten)]
    pub by_pairs: Statistics,
    /// What single games would say.
    pub by_games: Statistics,
}

impl Score {
    /// A score of these pairs: `pairs[i]` gave A `i` half points; of the pairs with 1 point, `drawn` are two draws
    /// rather than a win and a loss.
    ///
    /// # Panics
    /// If more pairs are drawn than there are pairs with 1 point.
    pub fn of_pairs(pairs: [u32; 5], drawn: u32) -> Self {
        let [ll, ld, even, wd, ww] = pairs;
        let traded = even.checked_sub(drawn).expect("the drawn pairs are some of those with 1 point");
        Self { wins: 2 * ww + wd + traded, draws: wd + ld + 2 * drawn, losses: 2 * ll + ld + traded, pairs }
    }

    /// Counts one more pair.
    pub fn add(&mut self, pair: [Points; 2]) {
        for points in pair {
            *match points {
                Points::Win => &mut self.wins,
                Points::Draw => &mut self.draws,
                Points::Loss => &mut self.losses,
            } += 1;
        }
        self.pairs[usize::from(pair[0].half_points() + pair[1].half_points())] += 1;
    }

    /// These and those pairs.
    #[must_use]
    pub(crate) fn with(self, other: &Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            pairs: std::array::from_fn(|points| self.pairs[points] + other.pairs[points]),
        }
    }

    /// As the opponent counts it.
    #[must_use]
    pub(crate) fn reversed(mut self) -> Self {
        self.pairs.reverse();
        Self { wins: self.losses, losses: self.wins, ..self }
    }

    /// Games that A won.
    pub const fn wins(&self) -> u32 {
        self.wins
    }

    /// Games drawn.
    pub const fn draws(&self) -> u32 {
        self.draws
    }

    /// Games that A lost.
    pub const fn losses(&self) -> u32 {
        self.losses
    }

    /// Pairs in which A got 0, ½, 1, 1½, 2 points.
    pub const fn pairs(&self) -> [u32; 5] {
        self.pairs
    }

    /// All games.
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Half of them.
    pub const fn pair_count(&self) -> u32 {
        self.games() / 2
    }

    /// A's points share, 0 to 1; ½ if no game was played.
    pub fn share(&self) -> f64 {
        if self.games() == 0 {
            return 0.5;
        }
        f64::from(2 * self.wins + self.draws) / f64::from(2 * self.games())
    }

    /// The standard error of the points share.
    pub fn share_error(&self) -> f64 {
        self.by_pairs().share_error
    }

    /// Elo of A over B.
    pub fn elo(&self) -> Elo {
        self.by_pairs().elo
    }

    /// Normalised Elo of A over B.
    pub fn normalised_elo(&self) -> Elo {
        self.by_pairs().normalised_elo
    }

    /// The likelihood of superiority: that A is stronger than B, 0 to 1.
    pub fn los(&self) -> f64 {
        self.by_pairs().los
    }

    /// What the pairs say: the pentanomial model.
    pub fn by_pairs(&self) -> Statistics {
        Statistics::of(&self.pairs, 2.0)
    }

    /// What the games would say if they shared no openings: the trinomial model.
    pub fn by_games(&self) -> Statistics {
        Statistics::of(&[self.losses, self.draws, self.wins], 1.0)
    }

    /// All numbers at once.
    pub fn summary(&self) -> Summary {
        let Self { wins, draws, losses, pairs } = *self;
        Summary { wins, draws, losses, pairs, by_pairs: self.by_pairs(), by_games: self.by_games() }
    }
}

impl Statistics {
    /// Of so many pairs or games with each result, the worst first; `games` is how many games one of them has.
    pub(crate) fn of(counts: &[u32], games: f64) -> Self {
        let spread = Spread::of(counts);
        let Spread { count, share, deviation, .. } = spread;
        if counts.iter().filter(|&&count| 0 < count).count() < 2 {
            return Self::of_results_alike(count, share);
        }
        let error = deviation / count.sqrt();
        let elo = Elo {
            value: elo_of_share(share),
            low: elo_of_share(share - NORMAL_95 * error),
            high: elo_of_share(share + NORMAL_95 * error),
        };
        let unit = NORMALISED_ELO / games.sqrt();
        let (value, half) = (unit * spread.t(), unit * NORMAL_95 * (spread.variance_of_t() / count).sqrt());
        Self {
            share,
            share_error: error,
            elo,
            normalised_elo: Elo { value, low: value - half, high: value + half },
            los: normal_distribution(spread.t() * count.sqrt()),
        }
    }

    /// All ended alike: a 95 % interval of the share by the binomial distribution.
    fn of_results_alike(count: f64, share: f64) -> Self {
        // No pair at all: the bound is 0, and the share may be anything.
        let alike = if count < 1.0 { 0.0 } else { 0.025_f64.powf(1.0 / count) };
        let (low, high) = (alike * share, alike * share + (1.0 - alike));
        let doubt = 0.5_f64.powf(count + 1.0);
        let (normalised, los) = match share.total_cmp(&0.5) {
            Ordering::Less => (f64::NEG_INFINITY, doubt),
            Ordering::Equal => (0.0, 0.5),
            Ordering::Greater => (f64::INFINITY, 1.0 - doubt),
        };
        Self {
            share,
            share_error: (high - low) / (2.0 * NORMAL_95),
            elo: Elo { value: elo_of_share(share), low: elo_of_share(low), high: elo_of_share(high) },
            normalised_elo: Elo { value: normalised, low: f64::NEG_INFINITY, high: f64::INFINITY },
            los,
        }
    }
}

/// How the results of pairs (or games) are distributed over the shares from 0 to 1.
struct Spread {
    count: f64,
    share: f64,
    deviation: f64,
    skewness: f64,
    excess_kurtosis: f64,
}

impl Spread {
    fn of(counts: &[u32]) -> Self {
        let results = || {
            let steps = counts.len() as f64 - 1.0;
            counts.iter().enumerate().map(move |(i, &count)| (i as f64 / steps, f64::from(count)))
        };
        let count: f64 = results().map(|(_, count)| count).sum();
        if count < 1.0 {
            return Self { count, share: 0.5, deviation: 0.0, skewness: 0.0, excess_kurtosis: 0.0 };
        }
        let share = results().map(|(x, count)| count * x).sum::<f64>() / count;
        let moment = |power| results().map(|(x, count)| count * (x - share).powi(power)).sum::<f64>() / count;
        let deviation = moment(2).sqrt();
        Self {
            count,
            share,
            deviation,
            skewness: moment(3) / deviation.powi(3),
            excess_kurtosis: moment(4) / deviation.powi(4) - 3.0,
        }
    }

    /// The lead in standard deviations.
    fn t(&self) -> f64 {
        (self.share - 0.5) / self.deviation
    }

    /// The variance of [`Self::t`] times the number of results.
    fn variance_of_t(&self) -> f64 {
        let t = self.t();
        // Never negative but for rounding.
        (1.0 - t * self.skewness + t * t * (self.excess_kurtosis + 2.0) / 4.0).max(0.0)
    }
}

impl fmt::Display for Score {
    /// `55.0 % ± 3.6 of 100 games (+34 =42 -24, pairs 2 10 20 12 6), Elo +34.9 ± 50.0, LOS 91.7 %`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [ll, ld, even, wd, ww] = self.pairs;
        write!(
            f,
            "{:.1} % ± {:.1} of {} games (+{} ={} -{}, pairs {ll} {ld} {even} {wd} {ww}), Elo {}, LOS {:.1} %",
            100.0 * self.share(),
            100.0 * self.share_error(),
            self.games(),
            self.wins,
            self.draws,
            self.losses,
            self.elo(),
            100.0 * self.los()
        )
    }
}

/// A score as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    wins: u32,
    draws: u32,
    losses: u32,
    pairs: [u32; 5],
}

impl From<Score> for Counts {
    fn from(Score { wins, draws, losses, pairs }: Score) -> Self {
        Self { wins, draws, losses, pairs }
    }
}

/// A stored score whose pairs don't add up to its games.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("wins {wins}, draws {draws}, losses {losses} can't be the games of the pairs {pairs:?}")]
pub struct ScoreError {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
    /// Pairs by half points.
    pub pairs: [u32; 5],
}

impl TryFrom<Counts> for Score {
    type Error = ScoreError;

    fn try_from(Counts { wins, draws, losses, pairs }: Counts) -> Result<Self, ScoreError> {
        let wide = pairs.map(u64::from);
        let traded = u64::from(wins).checked_sub(2 * wide[4] + wide[3]);
        let drawn = traded.and_then(|traded| wide[2].checked_sub(traded));
        let score = (wide.iter().all(|&pairs| pairs < 1 << 28)).then_some(drawn).flatten();
        match score.map(|drawn| Self::of_pairs(pairs, drawn as u32)) {
            Some(score) if (score.draws, score.losses) == (draws, losses) => Ok(score),
            _ => Err(ScoreError { wins, draws, losses, pairs }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() < tolerance, "{a} is not {b} ± {tolerance}");
    }

    /// The figures in fastchess's own tests (`app/tests/elo_test.cpp`), whose tolerance is 1 %. Its normalised
    /// interval takes v for 1.
    #[test]
    fn agrees_with_fastchess() {
        for (pairs, elo, error, normalised, los) in [
            ([34, 54, 63, 64, 75], 55.58, 27.65, 57.94, Some(1.0)),
            ([332, 433, 498, 333, 334], -8.64, 10.33, -9.17, Some(0.0505)),
            ([7895, 8757, 5685, 568, 9999], -21.04, 2.95, -19.01, None),
        ] {
            let score = Score::of_pairs(pairs, 0);
            close(score.elo().value, elo, 0.005);
            close(score.elo().error(), error, 0.005);
            close(score.normalised_elo().value, normalised, 0.005);
            if let Some(los) = los {
                close(score.los(), los, 5e-5);
            }
        }
        for (wins, losses, draws, elo, normalised, los) in [
            (76, 89, 123, None, -20.76, Some(0.1553)),
            (136, 96, 111, Some((40.70, 30.43)), 49.77, Some(0.9960)),
            (34, 356, 0, None, -508.44, None),
        ] {
            let found = Statistics::of(&[losses, draws, wins], 1.0);
            close(found.normalised_elo.value, normalised, 0.005);
            if let Some((value, error)) = elo {
                close(found.elo.value, value, 0.005);
                close(found.elo.error(), error, 0.005);
            }
            if let Some(los) = los {
                close(found.los, los, 5e-5);
            }
        }
    }

    /// The figures in racetrack's tests (MortenLohne/racetrack, `src/tests/stats_tests.rs`): lower end, value, upper
    /// end, to a hundredth.
    #[test]
    fn agrees_with_racetrack() {
        for (pairs, elo, normalised) in [
            ([485, 1923, 2942, 1937, 594], [1.21, 5.11, 9.02], [1.68, 7.10, 12.53]),
            ([261, 739, 2683, 737, 253], [-5.00, -0.67, 3.66], [-8.13, -1.09, 5.96]),
            ([63, 252, 385, 250, 74], [-7.38, 3.39, 14.17], [-10.31, 4.74, 19.79]),
            ([527, 1007, 1932, 933, 511], [-9.16, -3.75, 1.66], [-11.63, -4.76, 2.11]),
            ([175, 305, 694, 291, 157], [-14.57, -5.36, 3.85], [-18.91, -6.96, 5.00]),
        ] {
            let score = Score::of_pairs(pairs, 0);
            for (found, expected) in [(score.elo(), elo), (score.normalised_elo(), normalised)] {
                for (found, expected) in [found.low, found.value, found.high].into_iter().zip(expected) {
                    close(found, expected, 0.011);
                }
            }
        }
    }

    /// What fishtest printed of a test of 10,000 games (official-stockfish/Stockfish, pull request 6255): Elo 2.22 ±
    /// 1.3, normalised Elo 12.00 ± 6.8, LOS 100.0 %.
    #[test]
    fn agrees_with_fishtest() {
        let score = Score::of_pairs([1, 137, 4659, 203, 0], 0);
        close(score.elo().value, 2.22, 0.005);
        close(score.elo().error(), 1.3, 0.05);
        close(score.normalised_elo().value, 12.00, 0.005);
        close(score.normalised_elo().error(), 6.8, 0.05);
        close(score.los(), 1.0, 0.0005);
    }

    /// Two players of whom one is much stronger: the intervals of normalised Elo hold the truth as often as they say.
    #[test]
    fn normalised_intervals_hold_the_truth() {
        let mut rng = ChaCha8Rng::seed_from_u64(12);
        let chances = [0.02, 0.08, 0.25, 0.35, 0.30_f64];
        let mean: f64 = chances.iter().zip(0..).map(|(p, i)| p * f64::from(i) / 4.0).sum();
        let variance: f64 =
            chances.iter().zip(0..).map(|(p, i)| p * (f64::from(i) / 4.0 - mean).powi(2)).sum();
        let truth = NORMALISED_ELO * (mean - 0.5) / (2.0 * variance).sqrt();
        let mut inside = 0;
        for _ in 0..2_000 {
            let mut pairs = [0; 5];
            for _ in 0..200 {
                let mut rest: f64 = rng.random();
                let kind = chances.iter().position(|p| {
                    rest -= p;
                    rest < 0.0
                });
                pairs[kind.unwrap_or(4)] += 1;
            }
            let found = Score::of_pairs(pairs, 0).normalised_elo();
            inside += u32::from(found.low < truth && truth < found.high);
        }
        close(f64::from(inside) / 2_000.0, 0.95, 0.015);
    }

    #[test]
    fn by_hand() {
        // Two pairs, 1½ and ½ points: share ½, deviations ± ¼, error ¼/√2.
        let score = Score::of_pairs([0, 1, 0, 1, 0], 0);
        close(score.share(), 0.5, 1e-12);
        close(score.share_error(), 0.25 / 2_f64.sqrt(), 1e-12);
        close(score.los(), 0.5, 1e-6);
        assert_eq!((score.wins(), score.draws(), score.losses(), score.games()), (1, 2, 1, 4));
    }

    #[test]
    fn pairs_and_games_agree_and_exchanging_the_players_mirrors() {
        let all = [Points::Loss, Points::Draw, Points::Win];
        let mut score = Score::default();
        for first in all {
            for second in all {
                score.add([first, second]);
            }
        }
        assert_eq!(score.pairs(), [1, 2, 3, 2, 1]);
        assert_eq!(score, Score::of_pairs([1, 2, 3, 2, 1], 1));
        score.add([Points::Win, Points::Win]);
        let reversed = Score::of_pairs([2, 2, 3, 2, 1], 1);
        close(reversed.share(), 1.0 - score.share(), 1e-12);
        close(reversed.elo().low, -score.elo().high, 1e-9);
        close(reversed.los(), 1.0 - score.los(), 1e-6);
    }

    #[test]
    fn extremes_give_bounds_and_no_nan() {
        // 100 games won: 0.025^(1/50) = 0.92888, 400 log10(0.92888/0.07112) = 446.4.
        let won = Score::of_pairs([0, 0, 0, 0, 50], 0);
        assert!(f64::MAX < won.elo().value);
        assert_eq!(won.elo().to_string(), "> +446.4");
        assert_eq!(Score::of_pairs([50, 0, 0, 0, 0], 0).elo().to_string(), "< -446.4");
        close(won.los(), 1.0, 1e-9);
        let even = Score::of_pairs([0, 0, 50, 0, 0], 0);
        close(even.elo().value, 0.0, 1e-9);
        close(even.elo().error(), 24.8, 0.1);
        close(even.los(), 0.5, 1e-9);
        assert_eq!(Score::default().elo().to_string(), "unknown");
        for pairs in [[0; 5], [1, 0, 0, 0, 0], [0, 0, 0, 1, 0], [1, 0, 0, 0, 1], [0, 0, 0, 1, 80]] {
            let score = Score::of_pairs(pairs, 0);
            for Statistics { share, share_error, elo, normalised_elo, los } in
                [score.by_pairs(), score.by_games()]
            {
                for number in [share, share_error, los] {
                    assert!(!number.is_nan(), "{pairs:?}");
                }
                for elo in [elo, normalised_elo] {
                    assert!(elo.low <= elo.value && elo.value <= elo.high, "{pairs:?}: {elo:?}");
                }
                assert!(0.0 < share_error && (0.0..=1.0).contains(&los), "{pairs:?}");
            }
        }
    }

    #[test]
    fn stored_scores_read_back_and_false_ones_are_refused() {
        let score = Score::of_pairs([1, 2, 3, 4, 5], 2);
        let json = serde_json::to_string(&score).unwrap();
        assert_eq!(json, "{\"wins\":15,\"draws\":10,\"losses\":5,\"pairs\":[1,2,3,4,5]}");
        assert_eq!(serde_json::from_str::<Score>(&json).unwrap(), score);
        for (wins, draws, losses) in [(14, 10, 5), (15, 9, 5), (15, 10, 6), (99, 10, 5)] {
            let json =
                format!("{{\"wins\":{wins},\"draws\":{draws},\"losses\":{losses},\"pairs\":[1,2,3,4,5]}}");
            assert!(serde_json::from_str::<Score>(&json).is_err(), "{json}");
        }
    }

    /// cutechess/cutechess#620, #681: error bars that take the games of a pair for independent are wrong.
    ///
    /// Openings decide: seven in ten are won by whoever has Red. The true spread of the share over 2,000 matches
    /// must be what the pairs say, and well below what single games would say.
    #[test]
    fn error_bars_know_that_the_games_of_a_pair_are_correlated() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let (matches, pairs) = (2_000, 100);
        let (mut sum, mut squares, mut reported, mut covered) = (0.0, 0.0, 0.0, 0);
        let mut naive = 0.0;
        for _ in 0..matches {
            let mut score = Score::default();
            for _ in 0..pairs {
                score.add(correlated_pair(&mut rng));
            }
            let share = score.share();
            sum += share;
            squares += share * share;
            reported += score.share_error();
            naive += score.by_games().share_error;
            covered += u32::from((share - 0.5).abs() < NORMAL_95 * score.share_error());
        }
        let count = f64::from(matches);
        let (mean, reported, naive) = (sum / count, reported / count, naive / count);
        let spread = (squares / count - mean * mean).sqrt();
        close(reported / spread, 1.0, 0.05);
        assert!(1.5 < naive / spread, "single games say {naive}, the truth is {spread}");
        close(f64::from(covered) / count, 0.95, 0.02);
    }

    fn correlated_pair(rng: &mut ChaCha8Rng) -> [Points; 2] {
        if rng.random_bool(0.7) {
            return [Points::Win, Points::Loss];
        }
        let mut fair = || if rng.random_bool(0.5) { Points::Win } else { Points::Loss };
        [fair(), fair()]
    }
}
