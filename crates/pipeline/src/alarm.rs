//! What tells that a run goes wrong, and where to look then. A pure function of a generation's figures.

use replay::Statistics;
use serde::Serialize;

/// What can go wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AlarmKind {
    /// Searches hardly change the policy.
    Kl,
    /// Too many games that nobody wins.
    Draws,
    /// Positions are drawn more often than they may be.
    Passes,
    /// Searches value positions otherwise than the games end.
    Calibration,
    /// Policies name one move only.
    Entropy,
    /// Games begin too much alike.
    Openings,
    /// No candidate gets through the gate.
    Gate,
}

impl AlarmKind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Kl, Self::Draws, Self::Passes, Self::Calibration, Self::Entropy, Self::Openings, Self::Gate];

    /// The name in lines, logs and charts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kl => "kl",
            Self::Draws => "draws",
            Self::Passes => "passes",
            Self::Calibration => "calibration",
            Self::Entropy => "entropy",
            Self::Openings => "openings",
            Self::Gate => "gate",
        }
    }
}

/// Something that is going wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Alarm {
    /// What.
    pub kind: AlarmKind,
    /// The figure, the limit, and what to look at.
    pub text: String,
}

/// A mean divergence of policy target from prior below this, in nats, says that search teaches nothing (Danihelka 2022
/// with a wrong scale of values).
const LEAST_KL: f64 = 0.1;
/// A share of drawn games above this leaves the value little to learn.
const MOST_DRAWS: f64 = 0.6;
/// Root values (win − loss, −1 to 1) that are off by more than this on average mislead searches and openings.
const MOST_CALIBRATION_ERROR: f64 = 0.25;
/// The plies of a few games that came to an end say nothing of values: all of one game share its outcome.
const CALIBRATION_PLIES: u64 = 5000;
/// A mean entropy of policy targets below this, in nats, is that of 96.5 % on one of two moves: nothing new is tried.
const LEAST_ENTROPY: f64 = 0.15;
/// Fewer different positions at ply 10 for each game that gets there, and games are copies of each other.
const LEAST_VARIETY: f64 = 0.5;
/// So many candidates in a row that were not let through are no chance any more.
const MOST_REJECTIONS: u32 = 5;
/// Nets of the first generations know too little: draws are many and searches agree on nothing.
const FROM_GENERATION: u32 = 4;

/// What is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures<'a> {
    pub(crate) generation: u32,
    pub(crate) games: &'a Statistics,
    /// How often each position has been drawn, on average.
    pub(crate) passes: f64,
    /// How often it may be.
    pub(crate) most_passes: f64,
    /// Candidates since the last one that was let through.
    pub(crate) rejections: u32,
}

/// The alarms that a generation gives, in the order of [`AlarmKind::ALL`].
pub(crate) fn alarms(figures: &Figures<'_>) -> Vec<Alarm> {
    let Figures { generation, games, passes, most_passes, rejections } = *figures;
    let grown = FROM_GENERATION <= generation;
    let variety = games.positions_at_ten_plies as f64 / games.games_of_ten_plies.max(1) as f64;
    let mut alarms = Vec::new();
    let mut unless = |fine: bool, kind: AlarmKind, text: &dyn Fn() -> String| {
        if !fine {
            alarms.push(Alarm { kind, text: text() });
        }
    };
    unless(!grown || LEAST_KL <= games.mean_kl, AlarmKind::Kl, &|| {
        format!(
            "KL {:.3} is below {LEAST_KL}: searches hardly change the policy, so it learns little; see \
             selfplay.search.c_scale and selfplay.full_simulations",
            games.mean_kl
        )
    });
    unless(!grown || games.draw_share <= MOST_DRAWS, AlarmKind::Draws, &|| {
        format!(
            "{:.0} % of the games are drawn, above {:.0} %: the value has little to learn from; see how games end, \
             selfplay.ply_cap, selfplay.natural_limit_plies, selfplay.thinned_share and train.scoring_weight",
            100.0 * games.draw_share,
            100.0 * MOST_DRAWS
        )
    });
    // The last digits of a quotient are no alarm.
    unless(passes <= most_passes * (1.0 + 1e-9), AlarmKind::Passes, &|| {
        format!(
            "each position was drawn {passes:.3} times, above train.passes_per_row = {most_passes}: the value \
             overfits; see whether shards were set aside"
        )
    });
    let judged: u64 = games.calibration.bins.iter().map(|bin| bin.plies).sum();
    let is_calibrated = judged < CALIBRATION_PLIES || games.calibration_error <= MOST_CALIBRATION_ERROR;
    unless(!grown || is_calibrated, AlarmKind::Calibration, &|| {
        format!(
            "root values are off by {:.3} on average, above {MOST_CALIBRATION_ERROR}: the value does not foretell how \
             games end; see games stats, train.value_outcome_share, train.passes_per_row and run.window_positions",
            games.calibration_error
        )
    });
    let has_policies = 0 < games.policy_plies;
    unless(!has_policies || LEAST_ENTROPY <= games.mean_policy_entropy, AlarmKind::Entropy, &|| {
        format!(
            "the policy targets have an entropy of {:.3} nats, below {LEAST_ENTROPY}: searches try one move only; see \
             selfplay.search.c_scale and selfplay.random_plies",
            games.mean_policy_entropy
        )
    });
    unless(games.games_of_ten_plies == 0 || LEAST_VARIETY <= variety, AlarmKind::Openings, &|| {
        format!(
            "{} different positions at ply 10 in {} games: they begin too much alike; see selfplay.random_plies and \
             selfplay.thinned_share",
            games.positions_at_ten_plies, games.games_of_ten_plies
        )
    });
    unless(rejections < MOST_REJECTIONS, AlarmKind::Gate, &|| {
        format!(
            "{rejections} candidates in a row were rejected: the net has stopped to get better; see the losses, \
             train.learning_rate, run.window_positions, or end with --cooldown"
        )
    });
    alarms
}

#[cfg(test)]
mod tests {
    use super::*;
    use replay::{Calibration, CalibrationBin};

    fn games() -> Statistics {
        Statistics {
            mean_kl: 0.4,
            policy_plies: 1000,
            mean_policy_entropy: 1.5,
            calibration: Calibration {
                bins: [CalibrationBin { plies: 1000, ..CalibrationBin::default() }; 10],
            },
            calibration_error: 0.1,
            draw_share: 0.3,
            games_of_ten_plies: 500,
            positions_at_ten_plies: 400,
            ..Statistics::default()
        }
    }

    fn kinds(change: impl Fn(&mut Statistics, &mut Figures<'_>)) -> Vec<AlarmKind> {
        let mut games = games();
        let of_nothing = Statistics::default();
        let mut figures =
            Figures { generation: 9, games: &of_nothing, passes: 2.0, most_passes: 2.0, rejections: 0 };
        change(&mut games, &mut figures);
        alarms(&Figures { games: &games, ..figures }).into_iter().map(|alarm| alarm.kind).collect()
    }

    #[test]
    fn a_healthy_run_gives_none() {
        assert_eq!(kinds(|_, _| ()), []);
    }

    #[test]
    fn each_figure_gives_its_own_alarm() {
        assert_eq!(kinds(|games, _| games.mean_kl = 0.09), [AlarmKind::Kl]);
        assert_eq!(kinds(|games, _| games.draw_share = 0.61), [AlarmKind::Draws]);
        assert_eq!(kinds(|_, figures| figures.passes = 2.01), [AlarmKind::Passes]);
        assert_eq!(kinds(|games, _| games.calibration_error = 0.26), [AlarmKind::Calibration]);
        let few = |games: &mut Statistics| {
            games.calibration = Calibration::default();
            games.calibration_error = 0.26;
        };
        assert_eq!(kinds(|games, _| few(games)), [], "too few plies to say");
        assert_eq!(kinds(|games, _| games.mean_policy_entropy = 0.14), [AlarmKind::Entropy]);
        assert_eq!(kinds(|games, _| games.positions_at_ten_plies = 249), [AlarmKind::Openings]);
        assert_eq!(kinds(|_, figures| figures.rejections = 5), [AlarmKind::Gate]);
        assert_eq!(kinds(|_, figures| figures.rejections = 4), []);
    }

    #[test]
    fn a_young_net_may_draw_and_learn_little() {
        let young = |generation| {
            kinds(move |games, figures| {
                (games.mean_kl, games.draw_share) = (0.01, 0.9);
                figures.generation = generation;
            })
        };
        assert_eq!(young(3), []);
        assert_eq!(young(4), [AlarmKind::Kl, AlarmKind::Draws]);
    }

    #[test]
    fn an_alarm_says_the_figure_the_limit_and_what_to_look_at() {
        let games = Statistics { draw_share: 0.7, ..games() };
        let figures = Figures { generation: 4, games: &games, passes: 1.0, most_passes: 3.0, rejections: 0 };
        let text = alarms(&figures).pop().expect("too many draws").text;
        assert!(text.starts_with("70 % of the games are drawn, above 60 %"), "{text}");
        assert!(text.contains("selfplay.thinned_share"), "{text}");
    }

    #[test]
    fn names_are_those_of_the_json() {
        for kind in AlarmKind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("a name"), kind.name());
        }
    }
}
