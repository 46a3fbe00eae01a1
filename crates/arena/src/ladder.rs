//! The absolute ladder: a player against opponents of known strength.

use crate::baseline::Baseline;
use crate::elo::{Elo, expected_share};
use crate::paired_match::{MatchEnd, MatchError, MatchSettings, play_match};
use crate::player::Player;
use crate::record::{PairRecord, Reasons};
use crate::score::Score;
use crate::settings::SettingsError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// Which rungs are tried, and for how long.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LadderSettings {
    /// The opponents in the order of play, weakest first; those that have a [`Baseline::reference`].
    pub rungs: Vec<Baseline>,
    /// Pairs of games on each rung, 1 to 100,000.
    pub pairs_per_rung: u32,
    /// The climb ends after a rung with a points share below this, 0 to 1; 0: all rungs are tried.
    pub give_up_below: f64,
}

impl Default for LadderSettings {
    /// Random, greedy, depth 1 to 4; 20 pairs each; up to the first rung with less than 5 %.
    fn default() -> Self {
        let names = ["random", "greedy", "depth-1", "depth-2", "depth-3", "depth-4"];
        Self {
            rungs: names.map(|name| name.parse().expect("a built-in opponent")).to_vec(),
            pairs_per_rung: 20,
            give_up_below: 0.05,
        }
    }
}

impl LadderSettings {
    /// Is everything in range?
    pub fn check(&self) -> Result<(), SettingsError> {
        SettingsError::unless(!self.rungs.is_empty(), "rungs", "[]", "at least one")?;
        for rung in &self.rungs {
            let rated = rung.reference().is_some();
            SettingsError::unless(rated, "rungs", rung, "random, greedy, depth-1 to depth-4")?;
        }
        let pairs = self.pairs_per_rung;
        SettingsError::unless((1..=100_000).contains(&pairs), "pairs_per_rung", pairs, "1 to 100000")?;
        let share = self.give_up_below;
        SettingsError::unless((0.0..=1.0).contains(&share), "give_up_below", share, "0 to 1")
    }
}

/// A player's result on one rung.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct RungScore {
    /// The opponent.
    pub opponent: Baseline,
    /// The player's score against it.
    pub score: Score,
    /// Why the games ended.
    pub reasons: Reasons,
}

/// A player's results on the ladder. Prints one line for each rung and one for the rating.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Climb {
    /// In the order of play.
    pub rungs: Vec<RungScore>,
    /// The stop flag ended it; the last rung may be incomplete.
    pub stopped: bool,
}

/// Where a player stands on the scale of [`Baseline::reference`].
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// The rating, with the interval that comes of the number of games played: what to compare ratings of one
    /// ladder by.
    pub elo: Elo,
    /// What the uncertainty of the opponents' own ratings adds, 95 %: the weighted mean of their errors, as if all
    /// were wrong in one direction. It is the same for everyone whom the ladder measures.
    pub scale_error: f64,
}

impl Climb {
    /// The maximum-likelihood rating over all rungs.
    pub fn rating(&self) -> Rating {
        let references = self.rungs.iter().filter_map(|rung| Some((rung.opponent.reference()?, rung.score)));
        let (references, scores): (Vec<_>, Vec<_>) = references.unzip();
        let results: Vec<(f64, Score)> =
            references.iter().zip(&scores).map(|(reference, &score)| (reference.elo, score)).collect();
        let elo = maximum_likelihood(&results);
        let nearest = elo.value.clamp(-SCALE_END, SCALE_END);
        let weight = |&(opponent, score): &(f64, Score)| {
            let share = expected_share(nearest - opponent);
            f64::from(score.games()) * share * (1.0 - share)
        };
        let total: f64 = results.iter().map(weight).sum();
        let weighted: f64 =
            results.iter().zip(&references).map(|(result, reference)| weight(result) * reference.error).sum();
        Rating { elo, scale_error: if 0.0 < total { weighted / total } else { 0.0 } }
    }
}

impl fmt::Display for Climb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rung in &self.rungs {
            writeln!(f, "{:<8} {}", rung.opponent.to_string(), rung.score)?;
        }
        let Rating { elo, scale_error } = self.rating();
        write!(f, "rating   Elo {elo} (scale ± {scale_error:.0})")?;
        f.write_str(if self.stopped { ", stopped early" } else { "" })
    }
}

/// Plays a player against one rung after the other. The number of pairs is the ladder's, all other settings are the
/// match's; every rung has the same openings. Each pair is handed to `on_pair` with the opponent and the score on
/// that rung so far.
pub fn climb<P: Player>(
    settings: &LadderSettings,
    match_settings: &MatchSettings,
    make_player: impl Fn() -> P + Sync,
    stop: &AtomicBool,
    mut on_pair: impl FnMut(Baseline, &PairRecord, &Score),
) -> Result<Climb, MatchError> {
    settings.check()?;
    let match_settings = MatchSettings { pairs: settings.pairs_per_rung, ..match_settings.clone() };
    let mut climb = Climb { rungs: Vec::new(), stopped: false };
    for &opponent in &settings.rungs {
        let result = play_match(
            &match_settings,
            &make_player,
            || opponent.player(),
            stop,
            |pair, score| {
                on_pair(opponent, pair, score);
                ControlFlow::Continue(())
            },
        )?;
        climb.rungs.push(RungScore { opponent, score: result.score, reasons: result.reasons });
        climb.stopped = result.end == MatchEnd::Stopped;
        if climb.stopped || result.score.share() < settings.give_up_below {
            break;
        }
    }
    Ok(climb)
}

/// Ratings are looked for from minus this to plus this, in Elo; beyond, the likelihood is flat in double precision.
const SCALE_END: f64 = 5_000.0;

/// Half the χ² quantile (one degree of freedom, 95 %): how far the log-likelihood falls from its maximum to the ends
/// of the interval.
const LIKELIHOOD_DROP: f64 = 1.920_729_410_347_062;

/// The rating under which results against opponents of known rating are likeliest: `results` pairs an opponent's
/// rating with the player's score against it.
///
/// # Formulas
/// With wᵢ points of nᵢ games against an opponent rated rᵢ and L(x) = 1/(1 + 10^(−x/400)), the log-likelihood is
/// ℓ(e) = Σ wᵢ ln L(e − rᵢ) + (nᵢ − wᵢ) ln(1 − L(e − rᵢ)) (a draw is half a win and half a loss, as in Elo 1978 and
/// Ordo). Its maximum is where Σ nᵢ L(e − rᵢ) = Σ wᵢ. The 95 % interval is the profile of the likelihood,
/// ℓ(e) ≥ max ℓ − 1.92 (Wilks 1938); it needs no variance, so it stays right when all games were won, where
/// the rating is +∞ and the lower end finite. Games are taken for independent and draws for as uncertain as wins, so
/// the interval is wide rather than narrow when there are many draws.
pub fn maximum_likelihood(results: &[(f64, Score)]) -> Elo {
    let games: f64 = results.iter().map(|(_, score)| f64::from(score.games())).sum();
    let points: f64 = results.iter().map(|(_, score)| points_of(score)).sum();
    let expected = |elo: f64| -> f64 {
        results.iter().map(|(r, score)| f64::from(score.games()) * expected_share(elo - r)).sum()
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

fn points_of(score: &Score) -> f64 {
    f64::from(score.wins()) + 0.5 * f64::from(score.draws())
}

fn log_likelihood(results: &[(f64, Score)], elo: f64) -> f64 {
    let terms = results.iter().map(|(opponent, score)| {
        let points = points_of(score);
        let lost = f64::from(score.games()) - points;
        points * expected_share(elo - opponent).ln() + lost * expected_share(opponent - elo).ln()
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

    #[test]
    fn one_opponent_gives_the_elo_of_the_share() {
        let score = Score::of_pairs([2, 10, 20, 12, 6], 10);
        let found = maximum_likelihood(&[(-300.0, score)]);
        assert!((found.value - (elo_of_share(score.share()) - 300.0)).abs() < 1e-3);
        // Fisher information of 100 games at s = 0.55: the error is 1.96 · 400 / (ln 10 · √(100 · 0.55 · 0.45)).
        assert!((found.error() - 68.4).abs() < 1.5, "{found}");
    }

    /// The games that [`Baseline::reference`] speaks of.
    #[test]
    fn the_reference_of_depth_4_is_the_likeliest_rating_after_its_games() {
        let elo = |name: &str| name.parse::<Baseline>().unwrap().reference().unwrap().elo;
        let found = maximum_likelihood(&[
            (elo("depth-2"), Score::of_pairs([0, 0, 8, 5, 87], 0)),
            (elo("depth-3"), Score::of_pairs([3, 1, 17, 5, 74], 0)),
        ]);
        assert!((found.value - elo("depth-4")).abs() < 5.0, "{found}");
    }

    #[test]
    fn recovers_known_ratings_within_its_error() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let opponents = [-1237.0, -803.0, -564.0, -313.0];
        let (mut inside, mut sum) = (0, 0.0);
        let truths = [-1100.0, -700.0, -400.0, -100.0];
        for number in 0..400 {
            let truth = truths[number % truths.len()];
            let results = opponents.map(|opponent| (opponent, simulate(truth - opponent, 20, &mut rng)));
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
        let found = maximum_likelihood(&[(-500.0, won), (-300.0, won)]);
        assert!(found.value.is_infinite() && found.high.is_infinite());
        assert!((0.0..400.0).contains(&found.low), "{found}");
        let lost = maximum_likelihood(&[(-500.0, Score::of_pairs([20, 0, 0, 0, 0], 0))]);
        assert!(lost.low.is_infinite());
        assert!(lost.high < -800.0, "{lost}");
        assert_eq!(maximum_likelihood(&[]).to_string(), "unknown");
        assert_eq!(maximum_likelihood(&[(0.0, Score::default())]).to_string(), "unknown");
    }

    #[test]
    fn climbs_until_it_can_get_no_higher() {
        let settings = LadderSettings {
            rungs: ["random", "depth-3", "depth-4"].map(|name| name.parse().unwrap()).to_vec(),
            pairs_per_rung: 5,
            give_up_below: 0.2,
        };
        let (match_settings, stop) = (MatchSettings::default(), AtomicBool::new(false));
        let mut pairs = 0;
        let player = || Baseline::Greedy.player();
        let found = climb(&settings, &match_settings, player, &stop, |_, _, _| pairs += 1).unwrap();
        assert_eq!(pairs, 10, "depth-4 is not tried after depth-3:\n{found}");
        let Rating { elo, scale_error } = found.rating();
        assert!(-1400.0 < elo.low && elo.high < -300.0, "{found}");
        assert!(68.0 < scale_error && scale_error < 93.0, "{found}");
        assert_eq!(found.to_string().lines().count(), 3);
        assert!(serde_json::to_string(&found).unwrap().starts_with("{\"rungs\":[{\"opponent\":\"random\""));
    }

    #[test]
    fn settings_out_of_range_are_named() {
        assert_eq!(LadderSettings::default().check(), Ok(()));
        let message = |settings: LadderSettings| settings.check().unwrap_err().to_string();
        assert_eq!(
            message(LadderSettings { rungs: vec![], ..LadderSettings::default() }),
            "rungs = []: want at least one"
        );
        let unrated = vec!["depth-5".parse().unwrap()];
        assert!(
            message(LadderSettings { rungs: unrated, ..LadderSettings::default() })
                .starts_with("rungs = depth-5: ")
        );
        assert!(
            message(LadderSettings { pairs_per_rung: 0, ..LadderSettings::default() })
                .starts_with("pairs_per_rung = 0: ")
        );
        assert!(
            message(LadderSettings { give_up_below: 2.0, ..LadderSettings::default() })
                .starts_with("give_up_below = 2: ")
        );
    }
}
