//! The flags that every command with matches has.

use crate::config;
use arena::{MatchSettings, SearcherSettings};
use pipeline::Config;
use std::num::NonZeroUsize;

/// How many games, how deep, from which openings.
#[derive(clap::Args, Debug)]
pub(crate) struct MatchFlags {
    /// Games against each opponent, an even number, half of them with each colour
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: u32,
    /// Simulations a move, for nets [default: arena.searcher.simulations, 32]
    #[arg(long, value_name = "N")]
    simulations: Option<u32>,
    /// Where the openings come from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games played at the same time; the result doesn't depend on it [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// A setting of the sections arena or rules, such as rules.natural_limit_plies=100; for a ladder also of ladder, but for pairs_per_rung (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print one JSON object on the last line
    #[arg(long)]
    pub(crate) json: bool,
}

/// The flags, checked.
pub(crate) struct MatchPlan {
    pub(crate) settings: MatchSettings,
    pub(crate) searcher: SearcherSettings,
    pub(crate) config: Config,
}

impl MatchFlags {
    /// Checks the flags. Only settings of these sections change anything.
    pub(crate) fn plan(&self, sections: &[&str]) -> anyhow::Result<MatchPlan> {
        if self.games == 0 || !self.games.is_multiple_of(2) {
            anyhow::bail!("--games {}: want an even number from 2, since games come in pairs", self.games);
        }
        let config = config::load(None, &self.set)?;
        self.set.iter().try_for_each(|set| check_effect(set, sections))?;
        let configured = config.arena.searcher;
        let simulations = self.simulations.unwrap_or(configured.simulations);
        let searcher = SearcherSettings { simulations, ..configured };
        searcher.check()?;
        let settings = MatchSettings {
            pairs: self.games / 2,
            threads: threads(self.threads).get(),
            seed: self.seed,
            openings: config.arena.openings.into(),
            rules: config.rules.rules()?,
            ..MatchSettings::default()
        };
        settings.check()?;
        Ok(MatchPlan { settings, searcher, config })
    }

    /// How many games there are against each opponent.
    pub(crate) fn games(&self) -> u64 {
        self.games.into()
    }
}

/// Does the setting change anything in a match?
fn check_effect(set: &str, sections: &[&str]) -> anyhow::Result<()> {
    let mut keys = Vec::new();
    config::collect_keys(&config::parse_set(set)?, "", &mut keys);
    // Its flag is --games.
    let is_of_matches = |key: &String| {
        let section = key.split_once('.').map_or("", |(section, _)| section);
        sections.contains(&section) && key != "ladder.pairs_per_rung"
    };
    match keys.iter().find(|key| !is_of_matches(key)) {
        Some(key) => anyhow::bail!(
            "--set {set}: {key} changes nothing here; want a key of {}",
            sections.join(" or ").replace("ladder", "ladder (but for pairs_per_rung)")
        ),
        None => Ok(()),
    }
}

/// As many as asked for, or as there are cores.
pub(crate) fn threads(asked: Option<u16>) -> NonZeroUsize {
    asked
        .and_then(|asked| NonZeroUsize::new(asked.into()))
        .or_else(|| std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN)
}
