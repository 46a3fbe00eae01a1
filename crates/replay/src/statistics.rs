//! What can be said about many games at once.

use crate::calibration::Calibration;
use crate::record::{FULL_TARGET, GameRecord, PolicyEntry};
use rules::{Outcome, Position};
use serde::Serialize;
use std::borrow::Borrow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// How many games of which kind. Prints as a table.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Statistics {
    /// Games.
    pub games: u64,
    /// Plies.
    pub plies: u64,
    /// Plies that a search chose: the rows for training.
    pub searched_plies: u64,
    /// Plies with a policy target.
    pub policy_plies: u64,
    /// Simulations of all searches.
    pub simulations: u64,
    /// Games by outcome: `red`, `draw` (games broken off among them), `black`.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Games by the reason of their end.
    pub reasons: BTreeMap<&'static str, u64>,
    /// Games by their beginning.
    pub starts: BTreeMap<&'static str, u64>,
    /// Games by the net that played.
    pub nets: BTreeMap<String, u64>,
    /// Plies per game; 0 if there is no game.
    pub mean_plies: f64,
    /// Share of the games that nobody won, in [0, 1].
    pub draw_share: f64,
    /// Mean divergence of the policy target from the prior over the plies that have one, in nats.
    pub mean_kl: f64,
    /// Mean entropy of the policy targets, in nats: near nothing when there is only one move left to learn.
    pub mean_policy_entropy: f64,
    /// Games that have at least ten plies.
    pub games_of_ten_plies: u64,
    /// Different positions among those after the tenth ply: far fewer than the games means too little variety.
    pub positions_at_ten_plies: u64,
    /// Root values against outcomes.
    pub calibration: Calibration,
    /// [`Calibration::error`].
    pub calibration_error: f64,
    /// Games that were held for decided.
    pub resignation: Resignation,
}

/// Games that both sides' searches called decided: what a resignation would have ended.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Resignation {
    /// Games that were decided, those played through among them.
    pub decided: u64,
    /// Their plies from the decision on.
    pub decided_plies: u64,
    /// Those of the decided games that were played through.
    pub played_through: u64,
    /// Those of the games played through that the side held for lost didn't lose; a game broken off isn't lost.
    pub mistaken: u64,
    /// Their plies from the decision on.
    pub mistaken_plies: u64,
    /// Mistaken games among those played through, in [0, 1]; 0 if there is none of these.
    pub mistaken_share: f64,
}

/// The ply at which variety is counted.
const VARIETY_PLY: usize = 10;

impl Statistics {
    /// Counts games; they may come one by one from anywhere, such as many shards in turn.
    pub fn of<R: Borrow<GameRecord>>(records: impl IntoIterator<Item = R>) -> Self {
        let mut statistics = Self::default();
        let mut positions = HashSet::new();
        let (mut kl, mut entropies) = (0.0, 0.0);
        for record in records {
            let record = record.borrow();
            statistics.count(record);
            kl += divergence(record);
            entropies += record.plies.iter().map(|ply| entropy(&ply.policy)).sum::<f64>();
            positions.extend(position_at_variety_ply(record).map(|position| position.key()));
        }
        statistics.positions_at_ten_plies = positions.len() as u64;
        statistics.mean_plies = mean(statistics.plies as f64, statistics.games);
        statistics.mean_kl = mean(kl, statistics.policy_plies);
        statistics.mean_policy_entropy = mean(entropies, statistics.policy_plies);
        statistics.calibration_error = statistics.calibration.error();
        let resignation = &mut statistics.resignation;
        resignation.mistaken_share = mean(resignation.mistaken as f64, resignation.played_through);
        let draws = statistics.outcomes.get("draw").copied().unwrap_or(0);
        statistics.draw_share = mean(draws as f64, statistics.games);
        statistics
    }

    fn count(&mut self, record: &GameRecord) {
        self.games += 1;
        self.plies += record.plies.len() as u64;
        self.searched_plies += record.plies.iter().filter(|ply| ply.simulations > 0).count() as u64;
        self.policy_plies += record.plies.iter().filter(|ply| !ply.policy.is_empty()).count() as u64;
        self.simulations += record.plies.iter().map(|ply| u64::from(ply.simulations)).sum::<u64>();
        *self.outcomes.entry(record.outcome.name()).or_default() += 1;
        *self.reasons.entry(record.reason.name()).or_default() += 1;
        *self.starts.entry(record.started_by.name()).or_default() += 1;
        *self.nets.entry(record.net.clone()).or_default() += 1;
        self.games_of_ten_plies += u64::from(record.plies.len() >= VARIETY_PLY);
        self.calibration.count(record);
        self.resignation.count(record);
    }
}

impl Resignation {
    fn count(&mut self, record: &GameRecord) {
        let Some(decided) = record.decided else { return };
        let plies = record.plies.len().saturating_sub(decided.ply.into()) as u64;
        self.decided += 1;
        self.decided_plies += plies;
        if decided.played_through {
            self.played_through += 1;
            if record.expected_winner().map(Outcome::Win) != Some(record.outcome) {
                self.mistaken += 1;
                self.mistaken_plies += plies;
            }
        }
    }
}

/// In nats; nothing for no policy.
fn entropy(policy: &[PolicyEntry]) -> f64 {
    let shares = policy.iter().map(|entry| f64::from(entry.target) / f64::from(FULL_TARGET));
    -shares.filter(|&share| share > 0.0).map(|share| share * share.ln()).sum::<f64>()
}

fn divergence(record: &GameRecord) -> f64 {
    record.plies.iter().filter(|ply| !ply.policy.is_empty()).map(|ply| f64::from(ply.kl)).sum()
}

fn position_at_variety_ply(record: &GameRecord) -> Option<Position> {
    let mut position = record.start.clone();
    for ply in record.plies.get(..VARIETY_PLY)? {
        position.play_unchecked(ply.mv);
    }
    Some(position)
}

fn mean(sum: f64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<24}{:>10}", "games", self.games)?;
        writeln!(f, "{:<24}{:>10}  {:.1} a game", "plies", self.plies, self.mean_plies)?;
        writeln!(f, "{:<24}{:>10}  {} with a policy", "searched", self.searched_plies, self.policy_plies)?;
        writeln!(f, "{:<24}{:>10}", "simulations", self.simulations)?;
        writeln!(f, "{:<24}{:>10.3}  nats, target from prior", "mean kl", self.mean_kl)?;
        writeln!(f, "{:<24}{:>10.3}  nats, of the targets", "mean policy entropy", self.mean_policy_entropy)?;
        writeln!(
            f,
            "{:<24}{:>10.3}  mean distance of root value from outcome, by bins",
            "calibration error", self.calibration_error
        )?;
        writeln!(
            f,
            "{:<24}{:>10}  different, {:.1} % of the {} games of ten plies and more",
            "positions at ply 10",
            self.positions_at_ten_plies,
            100.0 * mean(self.positions_at_ten_plies as f64, self.games_of_ten_plies),
            self.games_of_ten_plies
        )?;
        self.resignation.write(f)?;
        self.write_shares(f, "outcome", &self.outcomes)?;
        self.write_shares(f, "reason", &self.reasons)?;
        self.write_shares(f, "start", &self.starts)?;
        self.write_shares(f, "net", &self.nets)
    }
}

impl Resignation {
    /// Two lines, if any game was decided.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.decided == 0 {
            return Ok(());
        }
        writeln!(
            f,
            "{:<24}{:>10}  with {} plies from then on",
            "decided games", self.decided, self.decided_plies
        )?;
        writeln!(
            f,
            "{:<24}{:>10}  of {} played through, {:.1} %; {} plies",
            "mistakenly decided",
            self.mistaken,
            self.played_through,
            100.0 * self.mistaken_share,
            self.mistaken_plies
        )
    }
}

impl Statistics {
    fn write_shares<K: AsRef<str>>(
        &self,
        f: &mut fmt::Formatter<'_>,
        title: &str,
        counts: &BTreeMap<K, u64>,
    ) -> fmt::Result {
        for (name, &count) in counts {
            let short: String = name.as_ref().chars().take(16).collect();
            let label = format!("{title} {short}");
            writeln!(f, "{label:<24}{count:>10}  {:.1} %", 100.0 * mean(count as f64, self.games))?;
        }
        Ok(())
    }
}
