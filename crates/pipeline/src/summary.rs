//! A generation in figures: one line for people, one object for scripts, scalars for TensorBoard.

use crate::alarm::{Alarm, AlarmKind};
use crate::timings::Timings;
use arena::{Climb, GateReport, GateVerdict, RungScore};
use replay::{Resignation, Statistics};
use serde::Serialize;
use std::fmt;

/// Everything that is said of a complete generation.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The generation, from 1.
    pub generation: u32,
    /// Games of the run so far.
    pub total_games: u64,
    /// Searched positions of the run so far.
    pub total_positions: u64,
    /// This generation's games.
    pub games: Statistics,
    /// What training did.
    pub training: train::Summary,
    /// What became of the candidate.
    pub gate: GateReport,
    /// The champion on the ladder, in the generations that measure it.
    pub ladder: Option<Climb>,
    /// Shards that lie set aside because they were damaged, in the whole run.
    pub shards_set_aside: usize,
    /// Core-seconds of the run so far: self-play, training and gate, over all restarts.
    pub core_secs: f64,
    /// How long it all took.
    pub timings: Timings,
    /// What looks wrong.
    pub alarms: Vec<Alarm>,
}

impl Summary {
    /// Self-play's positions a second, on the wall.
    pub fn positions_per_sec(&self) -> f64 {
        rate(self.timings.positions, self.timings.selfplay.secs)
    }

    /// Self-play's positions per second of one core.
    pub fn positions_per_core_sec(&self) -> f64 {
        rate(self.timings.positions, self.timings.selfplay.core_secs)
    }

    /// Name and value of every curve in TensorBoard; the step is [`Summary::total_positions`].
    pub fn scalars(&self) -> Vec<(String, f64)> {
        let mut scalars: Vec<(String, f64)> = [
            ("loss/total", self.training.losses.total),
            ("loss/policy", self.training.losses.policy),
            ("loss/value", self.training.losses.value),
            ("loss/moves_left", self.training.losses.moves_left),
            ("loss/soft_policy", self.training.losses.soft_policy),
            ("loss/opponent_reply", self.training.losses.opponent_reply),
            ("train/learning_rate", self.training.learning_rate),
            ("train/gradient_norm", self.training.gradient_norm),
            ("train/scoring_weight", self.training.scoring_weight),
            ("train/passes_per_row", self.training.passes_per_row),
            ("selfplay/kl", self.games.mean_kl),
            ("selfplay/draw_share", self.games.draw_share),
            ("selfplay/plies_per_game", self.games.mean_plies),
            ("selfplay/policy_entropy", self.games.mean_policy_entropy),
            ("selfplay/calibration_error", self.games.calibration_error),
            ("selfplay/positions_at_ten_plies", self.games.positions_at_ten_plies as f64),
            ("selfplay/mistaken_decisions", self.games.resignation.mistaken_share),
            ("selfplay/positions_per_sec", self.positions_per_sec()),
            ("selfplay/positions_per_core_sec", self.positions_per_core_sec()),
            ("gate/score", self.gate.score.share()),
            ("run/generation", f64::from(self.generation)),
            ("run/core_secs", self.core_secs),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec();
        for kind in AlarmKind::ALL {
            let given = self.alarms.iter().any(|alarm| alarm.kind == kind);
            scalars.push((format!("alarm/{}", kind.name()), f64::from(u8::from(given))));
        }
        for (reason, count) in &self.games.reasons {
            scalars.push((format!("ends/{reason}"), *count as f64 / self.games.games.max(1) as f64));
        }
        if let Some(climb) = &self.ladder {
            for rung in &climb.rungs {
                scalars.push((format!("ladder/{}", rung.opponent), rung.score.share()));
            }
            scalars.push(("ladder/elo".to_owned(), climb.rating().elo.value));
        }
        // All games won or lost: the rating has no bound.
        scalars.retain(|(_, value)| value.is_finite());
        scalars
    }
}

fn rate(count: u64, secs: f64) -> f64 {
    if secs > 0.0 { count as f64 / secs } else { 0.0 }
}

impl fmt::Display for Summary {
    /// One line: self-play, how its games ended, what training and gate said, and the ladder if it was measured.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (games, training) = (&self.games, &self.training);
        let losses = &training.losses;
        write!(f, "generation {:<3}", self.generation)?;
        write!(f, "| {} games, {} positions", games.games, games.searched_plies)?;
        write!(f, ", {:.0}/s ", self.positions_per_sec())?;
        write!(f, "| draws {:.0} %: {} ", 100.0 * games.draw_share, ends(games))?;
        write!(
            f,
            "| loss policy {:.3} value {:.3} left {:.3} ",
            losses.policy, losses.value, losses.moves_left
        )?;
        if 0 < games.resignation.decided {
            write!(f, "| {} ", decided(games))?;
        }
        write!(f, "| KL {:.2} | passes {:.1} ", games.mean_kl, training.passes_per_row)?;
        write!(f, "| {}", gate_line(&self.gate))?;
        if let Some(climb) = &self.ladder {
            write!(f, " | {}", ladder_line(climb))?;
        }
        if !self.alarms.is_empty() {
            let names: Vec<&str> = self.alarms.iter().map(|alarm| alarm.kind.name()).collect();
            write!(f, " | ALARM {}", names.join(", "))?;
        }
        if 0 < self.shards_set_aside {
            write!(f, " | {} shards set aside", self.shards_set_aside)?;
        }
        Ok(())
    }
}

/// The reasons of the ends in percent, most frequent first; those below half a percent are left out.
fn ends(games: &Statistics) -> String {
    let mut reasons: Vec<_> = games.reasons.iter().collect();
    reasons.sort_by_key(|&(name, &count)| (std::cmp::Reverse(count), *name));
    let share = |count: u64| 100.0 * count as f64 / games.games.max(1) as f64;
    let often = reasons.iter().filter(|&&(_, &count)| 0.5 <= share(count));
    let texts: Vec<String> = often.map(|&(name, &count)| format!("{name} {:.0}", share(count))).collect();
    texts.join(", ")
}

/// "decided 30 %: 2 of 15 wrongly", of those that were played through.
fn decided(games: &Statistics) -> String {
    let Resignation { decided, mistaken, played_through, .. } = games.resignation;
    let share = 100.0 * decided as f64 / games.games.max(1) as f64;
    format!("decided {share:.0} %: {mistaken} of {played_through} wrongly")
}

/// "promoted 56.0 ± 4.6 % (+42 Elo)"
fn gate_line(gate: &GateReport) -> String {
    let verdict = match gate.verdict {
        GateVerdict::Promoted => "promoted",
        GateVerdict::Rejected => "rejected",
    };
    let (share, error) = (100.0 * gate.score.share(), 100.0 * gate.score.share_error());
    format!("{verdict} {share:.1} ± {error:.1} % ({} Elo)", gate.score.elo().brief())
}

/// "ladder random 100, depth-1 98, depth-2 46 %: -560 Elo"
fn ladder_line(climb: &Climb) -> String {
    let rung = |rung: &RungScore| format!("{} {:.0}", rung.opponent, 100.0 * rung.score.share());
    let rungs: Vec<String> = climb.rungs.iter().map(rung).collect();
    format!("ladder {} %: {} Elo", rungs.join(", "), climb.rating().elo.brief())
}
