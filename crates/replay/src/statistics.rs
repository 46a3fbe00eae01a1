//! What can be said about many games at once.

use crate::record::GameRecord;
use rules::Position;
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
    /// Games that have at least ten plies.
    pub games_of_ten_plies: u64,
    /// Different positions among those after the tenth ply: far fewer than the games means too little variety.
    pub positions_at_ten_plies: u64,
}

/// The ply at which variety is counted.
const VARIETY_PLY: usize = 10;

impl Statistics {
    /// Counts games; they may come one by one from anywhere, such as many shards in turn.
    pub fn of<R: Borrow<GameRecord>>(records: impl IntoIterator<Item = R>) -> Self {
        let mut statistics = Self::default();
        let mut positions = HashSet::new();
        let mut kl = 0.0;
        for record in records {
            let record = record.borrow();
            statistics.count(record);
            kl += divergence(record);
            positions.extend(position_at_variety_ply(record).map(|position| position.key()));
        }
        statistics.positions_at_ten_plies = positions.len() as u64;
        statistics.mean_plies = mean(statistics.plies as f64, statistics.games);
        statistics.mean_kl = mean(kl, statistics.policy_plies);
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
    }
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
        writeln!(
            f,
            "{:<24}{:>10}  among {} games of ten plies and more",
            "positions at ply 10", self.positions_at_ten_plies, self.games_of_ten_plies
        )?;
        self.write_shares(f, "outcome", &self.outcomes)?;
        self.write_shares(f, "reason", &self.reasons)?;
        self.write_shares(f, "start", &self.starts)?;
        self.write_shares(f, "net", &self.nets)
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
