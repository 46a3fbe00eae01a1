//! The configuration of a run: one section for each crate that has settings, and those of the loop itself.

use crate::error::PipelineError;
use arena::{GateSettings, LadderSettings, OpeningSettings, SearcherSettings};
use net::{Architecture, MAX_HIDDEN, MAX_VALUE_HIDDEN};
use rules::{Material, RuleSet, Rules};
use serde::{Deserialize, Serialize};
use std::num::{NonZeroU8, NonZeroU16};

/// All settings of a run. Every key is named, explained and given its default in `configs/default.toml`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The loop.
    pub run: RunSettings,
    /// What decides games, in training and in the arena.
    pub rules: RulesSettings,
    /// The network.
    pub net: NetSettings,
    /// Self-play.
    pub selfplay: selfplay::Settings,
    /// The trainer.
    pub train: train::Settings,
    /// The matches of gate and ladder.
    pub arena: ArenaSettings,
    /// The gate.
    pub gate: GateSettings,
    /// The ladder of fixed opponents.
    pub ladder: LadderSettings,
}

/// The loop's own settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSettings {
    /// All randomness of the run comes from this number.
    pub seed: u64,
    /// Games in a generation; 2 to 1,000,000.
    pub games_per_generation: u32,
    /// Positions that training draws from, the newest; 1,000 to 100,000,000.
    pub window_positions: usize,
    /// Generations from one measurement on the ladder to the next; 1 to 10,000.
    pub ladder_every_generations: u32,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self { seed: 1, games_per_generation: 500, window_positions: 400_000, ladder_every_generations: 5 }
    }
}

/// What decides games, as configurations name it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesSettings {
    /// The repetition rules, by name.
    pub rule_set: String,
    /// At which occurrence of a position the rule set judges; 2 to 9.
    pub folds: u8,
    /// Plies without a capture that make a draw, in the arena; 1 to 1,000.
    pub natural_limit_plies: u16,
    /// Checks of each side since the last capture that count for that; 0 to 255, 0: all.
    pub check_cap: u8,
    /// Which material is a draw, by name.
    pub material: String,
}

impl Default for RulesSettings {
    fn default() -> Self {
        let rules = Rules::default();
        Self {
            rule_set: rules.rule_set.name().to_owned(),
            folds: rules.folds.get(),
            natural_limit_plies: rules.natural_limit_plies.map_or(1000, NonZeroU16::get),
            check_cap: rules.check_cap.map_or(0, NonZeroU8::get),
            material: rules.material.name().to_owned(),
        }
    }
}

impl RulesSettings {
    /// The rules, if the settings are in range.
    pub fn rules(&self) -> Result<Rules, PipelineError> {
        let unknown = |key: &str, name: &str, known: String| {
            PipelineError::Setting(format!("rules.{key} = \"{name}\": want one of {known}"))
        };
        let rule_set = RuleSet::from_name(&self.rule_set)
            .ok_or_else(|| unknown("rule_set", &self.rule_set, RuleSet::ALL.map(RuleSet::name).join(", ")))?;
        let material = Material::from_name(&self.material).ok_or_else(|| {
            unknown("material", &self.material, Material::ALL.map(Material::name).join(", "))
        })?;
        range("rules.folds", self.folds, 2, 9)?;
        range("rules.natural_limit_plies", self.natural_limit_plies, 1, 1000)?;
        let folds = NonZeroU8::new(self.folds).expect("at least 2");
        Ok(Rules {
            rule_set,
            folds,
            natural_limit_plies: NonZeroU16::new(self.natural_limit_plies),
            check_cap: NonZeroU8::new(self.check_cap),
            material,
        })
    }
}

/// The network's size.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetSettings {
    /// Units of the hidden layer; a multiple of 8.
    pub hidden: usize,
    /// Units of the value head; a multiple of 8.
    pub value_hidden: usize,
}

impl Default for NetSettings {
    fn default() -> Self {
        Self { hidden: 128, value_hidden: 16 }
    }
}

impl NetSettings {
    /// The architecture of this size.
    pub const fn architecture(&self) -> Architecture {
        Architecture::Sparse { hidden: self.hidden, value_hidden: self.value_hidden }
    }

    fn check(&self) -> Result<(), PipelineError> {
        width("net.hidden", self.hidden, MAX_HIDDEN)?;
        width("net.value_hidden", self.value_hidden, MAX_VALUE_HIDDEN)
    }
}

/// Matches of the run: gate and ladder.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArenaSettings {
    /// How the nets search.
    pub searcher: SearcherSettings,
    /// How games start.
    pub openings: OpeningSettings,
}

impl Config {
    /// Is every value in its range? Names the first key that is not, its value and what is allowed.
    pub fn check(&self) -> Result<(), PipelineError> {
        range("run.games_per_generation", self.run.games_per_generation, 2, 1_000_000)?;
        range("run.window_positions", self.run.window_positions, 1_000, 100_000_000)?;
        range("run.seed", self.run.seed, 0, i64::MAX as u64)?;
        self.rules.rules()?;
        self.net.check()?;
        range("run.ladder_every_generations", self.run.ladder_every_generations, 1, 10_000)?;
        section("selfplay", self.selfplay.check())?;
        section("train", self.train.check())?;
        section("arena.searcher", self.arena.searcher.check())?;
        section("arena", self.arena.openings.check())?;
        section("gate", self.gate.check())?;
        section("ladder", self.ladder.check())
    }

    /// The resolved configuration as TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("tables, numbers and texts are TOML")
    }
}

/// Puts the section's name before the key that an error begins with.
fn section<E: std::fmt::Display>(name: &str, result: Result<(), E>) -> Result<(), PipelineError> {
    result.map_err(|error| PipelineError::Setting(format!("{name}.{error}")))
}

fn range<T: PartialOrd + Copy + std::fmt::Display>(
    key: &str,
    value: T,
    least: T,
    most: T,
) -> Result<(), PipelineError> {
    if least <= value && value <= most {
        return Ok(());
    }
    Err(PipelineError::Setting(format!("{key} = {value}: want {least} to {most}")))
}

fn width(key: &str, value: usize, most: usize) -> Result<(), PipelineError> {
    if value.is_multiple_of(8) && (8..=most).contains(&value) {
        return Ok(());
    }
    Err(PipelineError::Setting(format!("{key} = {value}: want a multiple of 8 from 8 to {most}")))
}
