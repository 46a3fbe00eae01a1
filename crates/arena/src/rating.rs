//! The rating of one player by results against opponents of known rating.

use crate::elo::{Elo, expected_share};
use crate::score::Score;

/// What a player did against an opponent of known rating.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Encounter {
    /// The opponent's rating, in Elo.
    pub opponent: f64,
    /// Games played.
    pub games: f64,
    /// Points taken from them, a draw being half a point.
    pub points: f64,
}

impl Encounter {
    /// Of a match's score.
    pub fn new(opponent: f64, score: &Score) -> Self {
        let games = f64::from(score.games());
        Self { opponent, games, points: f64::from(2 * score.wins() + score.draws()) / 2.0 }
    }
}

/// The rating under which results against opponents of known rating are likeliest.
///
/// # Formulas
/// With wᵢ points of nᵢ games against an opponent rated rᵢ and L(x) = 1/(1 + 10^(−x/400)), the log-likelihood is
/// ℓ(e) = Σ wᵢ ln L(e − rᵢ) + (nᵢ − wᵢ) ln(1 − L(e − rᵢ)) (a draw is half a win and half a loss, as in Elo 1978 and
/// Ordo). Its maximum is where Σ nᵢ L(e − rᵢ) = Σ wᵢ. The 95 % interval is the profile of the likelihood,
/// ℓ(e) ≥ max ℓ − 1.92 (Wilks 1938); it needs no variance, so it stays right when all games were won, where
/// the rating is +∞ and the lower end finite. Games are taken for independent and draws for as uncertain as wins, so
/// the interval is wide rather than narrow when there are many draws.
pub fn maximum_likelihood(results: &[Encounter]) -> Elo {
    let games: f64 = results.iter().map(|result| result.games).sum();
    let points: f64 = results.iter().map(|result| result.points).sum();
    let expected = |elo: f64| -> f64 {
        results.iter().map(|result| result.games * expected_share(elo - result.opponent)).sum()
    };
    let (value, highest) = if games == 0.0 {
        (0.0, 0.0)
    } else if points <= 0.0 {
        (f64::NEG_INFINITY, 0.0)
    } else if games <= points {
        (f64::INFINITY, 0.0)
    } else {
        let value = bisect(-SCALE_END, SCALE_END, |elo| points < expected(elo));
        (value, log_likelihood(results, value))
    };
    let unlikely = |elo: f64| log_likelihood(results, elo) < highest - LIKELIHOOD_DROP;
    let from = value.clamp(-SCALE_END, SCALE_END);
    let low =
        if unlikely(-SCALE_END) { bisect(-SCALE_END, from, |elo| !unlikely(elo)) } else { f64::NEG_INFINITY };
    let high = if unlikely(SCALE_END) { bisect(from, SCALE_END, unlikely) } else { f64::INFINITY };
    Elo { value, low, high }
}

/// Ratings are looked for from minus this to plus this, in Elo; beyond, the likelihood is flat in double precision.
pub(crate) const SCALE_END: f64 = 5_000.0;

/// Half the χ² quantile (one degree of freedom, 95 %): how far the log-likelihood falls from its maximum to the ends
/// of the interval.
const LIKELIHOOD_DROP: f64 = 1.920_729_410_347_062;

fn log_likelihood(results: &[Encounter], elo: f64) -> f64 {
    let terms = results.iter().map(|&Encounter { opponent, games, points }| {
        points * expected_share(elo - opponent).ln() + (games - points) * expected_share(opponent - elo).ln()
    });
    terms.sum()
}

/// Where `above` turns from false to true between `low` and `high`.
fn bisect(mut low: f64, mut high: f64, above: impl Fn(f64) -> bool) -> f64 {
    // 10,000 Elo halved so often leave less than a millionth.
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        *(if above(middle) { &mut high } else { &mut low }) = middle;
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::elo_of_share;
    use crate::record::Points;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    fn against(opponent: f64, score: Score) -> Encounter {
        Encounter::new(opponent, &score)
    }

    #[test]
    fn one_opponent_gives_the_elo_of_the_share() {
        let score = Score::of_pairs([2, 10, 20, 12, 6], 10);
        let found = maximum_likelihood(&[against(-300.0, score)]);
        assert!((found.value - (elo_of_share(score.share()) - 300.0)).abs() < 1e-3);
        // Fisher information of 100 games at s = 0.55: the error is 1.96 · 400 / (ln 10 · √(100 · 0.55 · 0.45)).
        assert!((found.error() - 68.4).abs() < 1.5, "{found}");
    }

    #[test]
    fn recovers_known_ratings_within_its_error() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let opponents = [-1237.0, -803.0, -564.0, -313.0];
        let (mut inside, mut sum) = (0, 0.0);
        let truths = [-1100.0, -700.0, -400.0, -100.0];
        for number in 0..400 {
            let truth = truths[number % truths.len()];
            let results =
                opponents.map(|opponent| against(opponent, simulate(truth - opponent, 20, &mut rng)));
            let found = maximum_likelihood(&results);
            inside += usize::from(found.low < truth && truth < found.high);
            sum += found.value - truth;
        }
        assert!((370..=392).contains(&inside), "{inside} of 400 intervals hold the truth, want about 380");
        assert!((sum / 400.0).abs() < 8.0, "off by {} on average", sum / 400.0);
    }

    fn simulate(elo: f64, pairs: u32, rng: &mut ChaCha8Rng) -> Score {
        let mut score = Score::default();
        for _ in 0..pairs {
            let mut game = || if rng.random_bool(expected_share(elo)) { Points::Win } else { Points::Loss };
            score.add([game(), game()]);
        }
        score
    }

    #[test]
    fn clean_sweeps_give_bounds() {
        let won = Score::of_pairs([0, 0, 0, 0, 20], 0);
        let found = maximum_likelihood(&[against(-500.0, won), against(-300.0, won)]);
        assert!(found.value.is_infinite() && found.high.is_infinite());
        assert!((0.0..400.0).contains(&found.low), "{found}");
        let lost = maximum_likelihood(&[against(-500.0, Score::of_pairs([20, 0, 0, 0, 0], 0))]);
        assert!(lost.low.is_infinite());
        assert!(lost.high < -800.0, "{lost}");
        assert_eq!(maximum_likelihood(&[]).to_string(), "unknown");
        assert_eq!(maximum_likelihood(&[against(0.0, Score::default())]).to_string(), "unknown");
    }
}
