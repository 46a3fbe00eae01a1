//! May the candidate replace the champion?

use crate::book::Book;
use crate::elo::expected_share;
use crate::opening::Openings;
use crate::paired_match::{MatchEnd, MatchError, MatchSettings, play_match};
use crate::player::Player;
use crate::record::{PairRecord, Reasons};
use crate::score::Score;
use crate::settings::SettingsError;
use crate::sprt::{Sprt, SprtSettings, SprtVerdict};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// By which rules candidates are judged.
///
/// While a run is young nearly every candidate is much stronger than the champion, and a strict gate only costs time
/// and good nets (leela-zero#1524, KataGo#86): it is a guard against accidents. Later it is a test for "not worse".
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GateSettings {
    /// How its games start.
    pub openings: GateOpenings,
    /// A run is young until self-play has given so many positions; 0: never young.
    pub young_positions: u64,
    /// Young: pairs of games, 1 to 100,000.
    pub guard_pairs: u32,
    /// Young: a candidate is rejected only if its Elo over the champion comes out below this; −1,000 to 0.
    pub guard_elo: f64,
    /// Afterwards: the hypotheses, "worse" and "not worse".
    pub sprt: SprtSettings,
    /// Afterwards: the most pairs, 1 to 100,000. At this cap the likelier hypothesis is taken: promoted if LLR ≥ 0.
    pub max_pairs: u32,
}

impl Default for GateSettings {
    /// 2 million young positions, 50 games and −100 Elo; then 150 pairs at most.
    fn default() -> Self {
        Self {
            openings: GateOpenings::Random,
            young_positions: 2_000_000,
            guard_pairs: 25,
            guard_elo: -100.0,
            sprt: SprtSettings::default(),
            max_pairs: 150,
        }
    }
}

/// How the games of a gate start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateOpenings {
    /// As the match's settings say.
    Random,
    /// [`Book::masters`].
    Masters,
    /// [`Book::named`].
    Named,
}

impl GateOpenings {
    fn or(self, openings: &Openings) -> Openings {
        match self {
            Self::Random => openings.clone(),
            Self::Masters => Book::masters().into(),
            Self::Named => Book::named().into(),
        }
    }
}

impl GateSettings {
    /// Is everything in range?
    pub fn check(&self) -> Result<(), SettingsError> {
        let pairs = |pairs: u32| (1..=100_000).contains(&pairs);
        let unless = SettingsError::unless;
        unless(pairs(self.guard_pairs), "guard_pairs", self.guard_pairs.to_string(), "1 to 100000")?;
        unless(pairs(self.max_pairs), "max_pairs", self.max_pairs.to_string(), "1 to 100000")?;
        let elo = (-1000.0..=0.0).contains(&self.guard_elo);
        SettingsError::unless(elo, "guard_elo", self.guard_elo, "-1000 to 0")?;
        self.sprt.check()
    }
}

/// What becomes of the candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateVerdict {
    /// It replaces the champion.
    Promoted,
    /// It doesn't.
    Rejected,
}

/// Which rule decided.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum GateRule {
    /// The guard of a young run.
    Guard {
        /// Candidates below this are rejected.
        elo: f64,
    },
    /// The sequential test came to an end.
    Sprt {
        /// The log-likelihood ratio then.
        llr: f64,
        /// The bound that it crossed.
        bound: f64,
    },
    /// It didn't, within the pairs allowed; the sign of the log-likelihood ratio decided.
    Cap {
        /// The log-likelihood ratio in the end.
        llr: f64,
    },
}

/// A candidate judged. Prints as one line.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct GateReport {
    /// Promoted or rejected.
    pub verdict: GateVerdict,
    /// By which rule.
    pub rule: GateRule,
    /// The candidate's score against the champion.
    pub score: Score,
    /// Why the games ended.
    pub reasons: Reasons,
}

impl fmt::Display for GateReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let promoted = self.verdict == GateVerdict::Promoted;
        f.write_str(if promoted { "promoted" } else { "rejected" })?;
        match self.rule {
            GateRule::Guard { elo } if promoted => write!(f, " (guard: not below {elo:+.0} Elo)")?,
            GateRule::Guard { elo } => write!(f, " (guard: below {elo:+.0} Elo)")?,
            GateRule::Sprt { llr, bound } => write!(f, " (SPRT: LLR {llr:.2}, bound {bound:.2})")?,
            GateRule::Cap { llr } => write!(f, " (SPRT undecided at the cap: LLR {llr:.2})")?,
        }
        write!(f, ": {}", self.score)
    }
}

/// Judges a candidate. `positions` is how many self-play has given so far; the number of pairs and the book, if there is
/// one, are the gate's, all other settings are the match's. Each pair is handed to `on_pair` with the score so far.
///
/// `None` if the stop flag was raised before the verdict.
pub fn run_gate<A: Player, B: Player>(
    settings: &GateSettings,
    positions: u64,
    match_settings: &MatchSettings,
    make_candidate: impl Fn() -> A + Sync,
    make_champion: impl Fn() -> B + Sync,
    stop: &AtomicBool,
    mut on_pair: impl FnMut(&PairRecord, &Score),
) -> Result<Option<GateReport>, MatchError> {
    settings.check()?;
    let young = positions < settings.young_positions;
    let sprt = Sprt::new(&settings.sprt)?;
    let pairs = if young { settings.guard_pairs } else { settings.max_pairs };
    let openings = settings.openings.or(&match_settings.openings);
    let match_settings = MatchSettings { pairs, openings, ..match_settings.clone() };
    let result = play_match(&match_settings, make_candidate, make_champion, stop, |pair, score| {
        on_pair(pair, score);
        if young || sprt.verdict(&score.pairs()) == SprtVerdict::Continue {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    if result.end == MatchEnd::Stopped {
        return Ok(None);
    }
    let (verdict, rule) = if young {
        judge_by_guard(settings.guard_elo, &result.score)
    } else {
        judge_by_sprt(&sprt, &result.score)
    };
    Ok(Some(GateReport { verdict, rule, score: result.score, reasons: result.reasons }))
}

fn judge_by_guard(elo: f64, score: &Score) -> (GateVerdict, GateRule) {
    let below = score.share() < expected_share(elo);
    (if below { GateVerdict::Rejected } else { GateVerdict::Promoted }, GateRule::Guard { elo })
}

fn judge_by_sprt(sprt: &Sprt, score: &Score) -> (GateVerdict, GateRule) {
    let (lower, upper) = sprt.bounds();
    let llr = sprt.llr(&score.pairs());
    match sprt.verdict(&score.pairs()) {
        SprtVerdict::AcceptH1 => (GateVerdict::Promoted, GateRule::Sprt { llr, bound: upper }),
        SprtVerdict::AcceptH0 => (GateVerdict::Rejected, GateRule::Sprt { llr, bound: lower }),
        SprtVerdict::Continue if 0.0 <= llr => (GateVerdict::Promoted, GateRule::Cap { llr }),
        SprtVerdict::Continue => (GateVerdict::Rejected, GateRule::Cap { llr }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::Baseline;
    use crate::record::MatchGame;
    use std::collections::BTreeSet;

    fn judge(settings: &GateSettings, positions: u64, candidate: &str, champion: &str) -> GateReport {
        let player = |name: &str| name.parse::<Baseline>().unwrap().player();
        let (match_settings, stop) = (MatchSettings::default(), AtomicBool::new(false));
        let mut seen = 0;
        let report = run_gate(
            settings,
            positions,
            &match_settings,
            || player(candidate),
            || player(champion),
            &stop,
            |_, score| {
                seen += 1;
                assert_eq!(score.pair_count(), seen);
            },
        );
        report.unwrap().unwrap()
    }

    #[test]
    fn the_guard_rejects_only_what_is_far_worse() {
        let settings = GateSettings { young_positions: 10, guard_pairs: 20, ..GateSettings::default() };
        let worse = judge(&settings, 9, "random", "depth-2");
        assert_eq!((worse.verdict, worse.rule), (GateVerdict::Rejected, GateRule::Guard { elo: -100.0 }));
        assert_eq!(worse.score.games(), 40);
        let equal = judge(&settings, 9, "depth-2", "depth-2");
        assert_eq!(equal.verdict, GateVerdict::Promoted);
    }

    #[test]
    fn after_youth_the_test_ends_when_it_knows() {
        let settings = GateSettings { young_positions: 10, ..GateSettings::default() };
        let better = judge(&settings, 10, "depth-2", "random");
        assert_eq!(better.verdict, GateVerdict::Promoted);
        assert!(matches!(better.rule, GateRule::Sprt { llr, bound } if bound <= llr && 2.9 < bound));
        assert!(better.score.pair_count() < settings.max_pairs);
        let worse = judge(&settings, 10, "random", "depth-2");
        assert_eq!(worse.verdict, GateVerdict::Rejected);
        assert!(matches!(worse.rule, GateRule::Sprt { .. }));
    }

    #[test]
    fn at_the_cap_the_likelier_hypothesis_is_taken() {
        let settings = GateSettings { young_positions: 0, max_pairs: 3, ..GateSettings::default() };
        for (candidate, champion) in [("depth-1", "random"), ("random", "depth-1")] {
            let report = judge(&settings, 0, candidate, champion);
            let GateRule::Cap { llr } = report.rule else { panic!("{report}") };
            assert_eq!(report.verdict == GateVerdict::Promoted, 0.0 <= llr);
            assert_eq!(report.score.pair_count(), 3);
        }
    }

    /// The pairs of a gate go through the book; random openings are the match's.
    #[test]
    fn games_start_as_the_gate_says() {
        let book = Book::masters();
        for (openings, wanted) in [(GateOpenings::Masters, 6), (GateOpenings::Random, 0)] {
            let settings = GateSettings { openings, guard_pairs: 6, ..GateSettings::default() };
            let mut of_the_book = BTreeSet::new();
            let report = run_gate(
                &settings,
                0,
                &MatchSettings::default(),
                || Baseline::Random.player(),
                || Baseline::Random.player(),
                &AtomicBool::new(false),
                |pair, _| {
                    let opening = |game: &MatchGame| game.moves[..game.opening_plies.into()].to_vec();
                    assert_eq!(opening(&pair.games[0]), opening(&pair.games[1]));
                    let opening = opening(&pair.games[0]);
                    if book.openings().iter().any(|known| known.moves == opening) {
                        of_the_book.insert(opening);
                    }
                },
            );
            assert_eq!(report.unwrap().unwrap().score.pair_count(), 6);
            assert_eq!(of_the_book.len(), wanted, "{openings:?}");
        }
    }

    #[test]
    fn prints_one_line() {
        let report = GateReport {
            verdict: GateVerdict::Promoted,
            rule: GateRule::Sprt { llr: 2.951, bound: 2.944 },
            score: Score::of_pairs([2, 10, 20, 12, 6], 10),
            reasons: Reasons::default(),
        };
        assert_eq!(
            report.to_string(),
            "promoted (SPRT: LLR 2.95, bound 2.94): 55.0 % ± 3.6 of 100 games (+34 =42 -24, pairs 2 10 20 12 6), \
             Elo +34.9 ± 50.0, LOS 91.7 %"
        );
        let json = serde_json::to_value(report).unwrap();
        assert_eq!(serde_json::from_value::<GateReport>(json.clone()).unwrap(), report);
        assert_eq!(json["verdict"], "promoted");
        assert_eq!(json["rule"]["kind"], "sprt");
    }

    #[test]
    fn a_raised_stop_flag_means_no_verdict() {
        let settings = GateSettings::default();
        let report = run_gate(
            &settings,
            0,
            &MatchSettings::default(),
            || Baseline::Random.player(),
            || Baseline::Random.player(),
            &AtomicBool::new(true),
            |_, _| panic!("no pair"),
        );
        assert_eq!(report.unwrap(), None);
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let fine = GateSettings::default();
        assert_eq!(fine.check(), Ok(()));
        let message = |settings: GateSettings| settings.check().unwrap_err().to_string();
        assert_eq!(message(GateSettings { guard_pairs: 0, ..fine }), "guard_pairs = 0: want 1 to 100000");
        assert_eq!(message(GateSettings { guard_elo: 5.0, ..fine }), "guard_elo = 5: want -1000 to 0");
        assert_eq!(message(GateSettings { max_pairs: 0, ..fine }), "max_pairs = 0: want 1 to 100000");
    }
}
