//! A match counted: wins, draws, losses, pairs, and what they say with which certainty.

use crate::elo::{Elo, NORMAL_95, elo_of_share, normal_distribution};
use crate::record::Points;
use serde::{Deserialize, Serialize};
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
/// * likelihood of superiority LOS = Φ((s − ½) / e).
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
    /// A's points share, 0 to 1.
    pub share: f64,
    /// Its standard error.
    pub share_error: f64,
    /// Elo of A over B, with its 95 % interval.
    pub elo: Elo,
    /// The likelihood that A is the stronger one, 0 to 1.
    pub los: f64,
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
        match self.spread() {
            Spread::Normal { error } => error,
            Spread::AllAlike { low, high } => (high - low) / (2.0 * NORMAL_95),
        }
    }

    /// Elo of A over B.
    pub fn elo(&self) -> Elo {
        let share = self.share();
        let (low, high) = match self.spread() {
            Spread::Normal { error } => (share - NORMAL_95 * error, share + NORMAL_95 * error),
            Spread::AllAlike { low, high } => (low, high),
        };
        Elo { value: elo_of_share(share), low: elo_of_share(low), high: elo_of_share(high) }
    }

    /// The likelihood of superiority: that A is stronger than B, 0 to 1.
    pub fn los(&self) -> f64 {
        let lead = self.share() - 0.5;
        match self.spread() {
            Spread::Normal { error } => normal_distribution(lead / error),
            Spread::AllAlike { .. } if lead == 0.0 => 0.5,
            Spread::AllAlike { .. } => {
                let doubt = 0.5_f64.powf(f64::from(self.pair_count()) + 1.0);
                if lead < 0.0 { doubt } else { 1.0 - doubt }
            }
        }
    }

    /// All numbers at once.
    pub fn summary(&self) -> Summary {
        Summary {
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
            pairs: self.pairs,
            share: self.share(),
            share_error: self.share_error(),
            elo: self.elo(),
            los: self.los(),
        }
    }

    fn spread(&self) -> Spread {
        let (count, share) = (f64::from(self.pair_count()), self.share());
        if self.pairs.iter().filter(|&&pairs| 0 < pairs).count() < 2 {
            // No pair at all: the bound is 0, and the share may be anything.
            let alike = if count < 1.0 { 0.0 } else { 0.025_f64.powf(1.0 / count) };
            return Spread::AllAlike { low: alike * share, high: alike * share + (1.0 - alike) };
        }
        let squares = self
            .pairs
            .iter()
            .enumerate()
            .map(|(half_points, &pairs)| f64::from(pairs) * (half_points as f64 / 4.0 - share).powi(2));
        Spread::Normal { error: (squares.sum::<f64>() / count / count).sqrt() }
    }
}

/// How sure the share is.
enum Spread {
    /// Its standard error.
    Normal { error: f64 },
    /// All pairs ended alike: a 95 % interval of the share by the binomial distribution.
    AllAlike { low: f64, high: f64 },
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

    /// The figures in fastchess's own tests (`app/tests/elo_test.cpp`), whose tolerance is 1 %.
    #[test]
    fn agrees_with_fastchess() {
        for (pairs, elo, error, los) in [
            ([34, 54, 63, 64, 75], 55.58, 27.65, Some(1.0)),
            ([332, 433, 498, 333, 334], -8.64, 10.33, Some(0.0505)),
            ([7895, 8757, 5685, 568, 9999], -21.04, 2.95, None),
        ] {
            let score = Score::of_pairs(pairs, 0);
            close(score.elo().value, elo, 0.005);
            close(score.elo().error(), error, 0.005);
            if let Some(los) = los {
                close(score.los(), los, 5e-5);
            }
        }
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
            let Summary { share, share_error, elo, los, .. } = Score::of_pairs(pairs, 0).summary();
            for number in [share, share_error, elo.value, elo.low, elo.high, los] {
                assert!(!number.is_nan(), "{pairs:?}");
            }
            assert!(elo.low <= elo.value && elo.value <= elo.high, "{pairs:?}");
            assert!(0.0 < share_error && (0.0..=1.0).contains(&los), "{pairs:?}");
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
            naive += trinomial_error(&score);
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

    fn trinomial_error(score: &Score) -> f64 {
        let games = f64::from(score.games());
        let share = score.share();
        let square = f64::from(score.wins()) * (1.0 - share).powi(2)
            + f64::from(score.draws()) * (0.5 - share).powi(2)
            + f64::from(score.losses()) * share.powi(2);
        (square / games / games).sqrt()
    }
}
