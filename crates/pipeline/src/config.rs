//! The configuration of a run: one section for each crate that has settings, and those of the loop itself.

use crate::error::PipelineError;
use arena::{GateSettings, LadderSettings, OpeningSettings, SearcherSettings};
use net::{Architecture, MAX_BLOCKS, MAX_CHANNELS, MAX_HIDDEN, MAX_VALUE_HIDDEN};
use rules::{Material, RuleSet, Rules};
use serde::{Deserialize, Serialize};
use std::num::{NonZeroU8, NonZeroU16};
use std::ops::Range;

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
    /// Games in a generation.
    pub games_per_generation: GamesPerGeneration,
    /// Positions that training draws from, the newest, at most; 1,000 to 100,000,000.
    pub window_positions: usize,
    /// Positions of the run up to which training draws from all of them; from then on the window grows more slowly
    /// than the run, see [`RunSettings::window_at`]. 0 to 100,000,000, 0: it has `window_positions` from the start.
    pub window_start_positions: u64,
    /// How much more slowly: the exponent of that growth; 0.01 to 1.
    pub window_exponent: f64,
    /// Generations from one measurement on the ladder to the next; 1 to 10,000.
    pub ladder_every_generations: u32,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            seed: 1,
            games_per_generation: GamesPerGeneration::default(),
            window_positions: 400_000,
            window_start_positions: 0,
            window_exponent: 0.65,
            ladder_every_generations: 5,
        }
    }
}

impl RunSettings {
    /// Positions that training draws from when the run has `positions`: c · (1 + β · ((N / c)^α − 1) / α) with N the
    /// run's positions, c `window_start_positions`, α `window_exponent` and β = 0.4, but at most `window_positions`
    /// (Wu 2019, <https://arxiv.org/abs/1902.10565>, appendix C: c = 250,000, α = 0.75, β = 0.4).
    ///
    /// It never grows by more than the run does.
    pub fn window_at(&self, positions: u64) -> usize {
        let start = self.window_start_positions;
        if start == 0 {
            return self.window_positions;
        }
        let (start, exponent) = (start as f64, self.window_exponent);
        let times = (positions as f64 / start).max(1.0);
        let size = start * (1.0 + WINDOW_SLOPE * (times.powf(exponent) - 1.0) / exponent);
        (size as usize).min(self.window_positions)
    }
}

/// How many games a generation has. It grows, since in the beginning a few games make a better net and later it takes
/// more of them, and a gate, to tell a better net from the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesPerGeneration {
    /// Of the first; 2 to 1,000,000.
    pub start: u32,
    /// In the end; `start` to 1,000,000.
    pub end: u32,
    /// Generations from the one to the other; 1 to 100,000.
    pub over_generations: u32,
}

impl Default for GamesPerGeneration {
    fn default() -> Self {
        Self { start: 250, end: 2000, over_generations: 80 }
    }
}

impl GamesPerGeneration {
    /// The same number in every generation.
    pub const fn constant(games: u32) -> Self {
        Self { start: games, end: games, over_generations: 1 }
    }

    /// Games of a generation, counted from 1: linear in its number, rounded down.
    pub fn of(&self, generation: u32) -> u32 {
        let over = u64::from(self.over_generations.max(1));
        let gone = u64::from(generation.saturating_sub(1)).min(over);
        let growth = u64::from(self.end.saturating_sub(self.start));
        self.start + (growth * gone / over) as u32
    }

    /// The numbers of a generation's games; those of the first begin with 0.
    pub fn numbers(&self, generation: u32) -> Range<u64> {
        let start = (1..generation).map(|earlier| u64::from(self.of(earlier))).sum();
        start..start + u64::from(self.of(generation))
    }

    fn check(&self) -> Result<(), PipelineError> {
        range("run.games_per_generation.start", self.start, 2, 1_000_000)?;
        range("run.games_per_generation.end", self.end, self.start, 1_000_000)?;
        range("run.games_per_generation.over_generations", self.over_generations, 1, 100_000)
    }
}

/// New rows of a window for each new position of the run, where it begins to grow more slowly.
const WINDOW_SLOPE: f64 = 0.4;

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

/// The network's kind and size.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetSettings {
    /// What kind of network it is. The settings of the other kind mean nothing then.
    pub family: Family,
    /// Units of the hidden layer; a multiple of 8.
    pub hidden: usize,
    /// Units of the value head; a multiple of 8.
    pub value_hidden: usize,
    /// When the hidden layer is widened in the course of the run, and to what.
    pub growth: Vec<Growth>,
    /// The size of a tower, and how it plays.
    pub tower: TowerSettings,
}

/// A kind of network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// [`Architecture::Sparse`]: for CPUs.
    Sparse,
    /// [`Architecture::Tower`]: for GPUs.
    Tower,
}

/// The size of a tower, and how it plays.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TowerSettings {
    /// Channels of each layer; a multiple of 8.
    pub channels: usize,
    /// Residual blocks.
    pub blocks: usize,
    /// Units of the value head; a multiple of 8.
    pub value_hidden: usize,
    /// Positions that libtorch evaluates at a time, each of another game.
    pub batch_size: usize,
}

/// A widening of the hidden layer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    /// The first training with so many positions of the run begins with it.
    pub positions: u64,
    /// Units from then on.
    pub hidden: usize,
}

impl Default for NetSettings {
    fn default() -> Self {
        Self {
            family: Family::Sparse,
            hidden: 128,
            value_hidden: 16,
            growth: Vec::new(),
            tower: TowerSettings::default(),
        }
    }
}

impl Default for TowerSettings {
    fn default() -> Self {
        Self { channels: 64, blocks: 6, value_hidden: 64, batch_size: 16 }
    }
}

impl NetSettings {
    /// Units of the hidden layer when the run has `positions`.
    pub fn hidden_at(&self, positions: u64) -> usize {
        let reached = self.growth.iter().rev().find(|growth| growth.positions <= positions);
        reached.map_or(self.hidden, |growth| growth.hidden)
    }

    /// The architecture of this size, before it grows.
    pub const fn architecture(&self) -> Architecture {
        let TowerSettings { channels, blocks, value_hidden, .. } = self.tower;
        match self.family {
            Family::Sparse => Architecture::Sparse { hidden: self.hidden, value_hidden: self.value_hidden },
            Family::Tower => Architecture::Tower { channels, blocks, value_hidden },
        }
    }

    fn check(&self) -> Result<(), PipelineError> {
        width("net.hidden", self.hidden, MAX_HIDDEN)?;
        width("net.value_hidden", self.value_hidden, MAX_VALUE_HIDDEN)?;
        let (mut positions, mut hidden) = (0, self.hidden);
        for growth in &self.growth {
            range("net.growth.positions", growth.positions, positions + 1, 1_000_000_000_000)?;
            width("net.growth.hidden", growth.hidden, MAX_HIDDEN)?;
            range("net.growth.hidden", growth.hidden, hidden + 8, MAX_HIDDEN)?;
            (positions, hidden) = (growth.positions, growth.hidden);
        }
        let TowerSettings { channels, blocks, value_hidden, batch_size } = self.tower;
        width("net.tower.channels", channels, MAX_CHANNELS)?;
        range("net.tower.blocks", blocks, 1, MAX_BLOCKS)?;
        width("net.tower.value_hidden", value_hidden, MAX_VALUE_HIDDEN)?;
        range("net.tower.batch_size", batch_size, 1, 4096)
    }

    /// What only sparse networks have, and a tower must do without.
    fn check_tower(&self, train: &train::Settings) -> Result<(), PipelineError> {
        let of_sparse = [
            ("net.growth", !self.growth.is_empty()),
            ("train.soft_policy_loss_weight", train.soft_policy_loss_weight > 0.0),
            ("train.opponent_reply_loss_weight", train.opponent_reply_loss_weight > 0.0),
        ];
        match of_sparse.into_iter().find(|(_, on)| *on && self.family == Family::Tower) {
            Some((key, _)) => Err(PipelineError::Setting(format!(
                "{key} is set, which goes with net.family = \"sparse\" only"
            ))),
            None => Ok(()),
        }
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
        self.run.games_per_generation.check()?;
        range("run.window_positions", self.run.window_positions, 1_000, 100_000_000)?;
        range("run.window_start_positions", self.run.window_start_positions, 0, 100_000_000)?;
        range("run.window_exponent", self.run.window_exponent, 0.01, 1.0)?;
        range("run.seed", self.run.seed, 0, i64::MAX as u64)?;
        self.rules.rules()?;
        self.net.check()?;
        range("run.ladder_every_generations", self.run.ladder_every_generations, 1, 10_000)?;
        section("selfplay", self.selfplay.check())?;
        section("train", self.train.check())?;
        self.net.check_tower(&self.train)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_sizes_by_hand() {
        let settings =
            RunSettings { window_start_positions: 250_000, window_exponent: 0.75, ..RunSettings::default() };
        // To the power of ¾, 16 is 8, 81 is 27 and 400 is 89.44.
        let sizes = [0, 250_000, 4_000_000, 20_250_000, 100_000_000];
        let expected = [250_000, 250_000, 1_183_333, 3_716_666, 12_042_000];
        let wide = RunSettings { window_positions: 100_000_000, ..settings };
        for (positions, expected) in sizes.into_iter().zip(expected) {
            let found = wide.window_at(positions);
            assert!(found.abs_diff(expected) <= expected / 1000, "{positions}: {found}, want {expected}");
        }
        let capped = RunSettings { window_positions: 1_000_000, ..wide };
        assert_eq!([250_000, 4_000_000].map(|positions| capped.window_at(positions)), [250_000, 1_000_000]);
        assert_eq!(RunSettings::default().window_at(7), 400_000);
    }

    #[test]
    fn games_of_generations_by_hand() {
        let games = GamesPerGeneration { start: 500, end: 2000, over_generations: 40 };
        let found = [1, 2, 3, 21, 40, 41, 42, 9999].map(|generation| games.of(generation));
        assert_eq!(found, [500, 537, 575, 1250, 1962, 2000, 2000, 2000]);
        assert_eq!([1, 2, 3].map(|generation| games.numbers(generation)), [0..500, 500..1037, 1037..1612]);
        assert_eq!(GamesPerGeneration::constant(40).numbers(3), 80..120);

        let mut config = Config::default();
        config.run.games_per_generation = GamesPerGeneration { end: 499, ..games };
        let error = config.check().unwrap_err().to_string();
        assert!(error.ends_with("run.games_per_generation.end = 499: want 500 to 1000000"), "{error}");
    }

    #[test]
    fn a_window_never_grows_by_more_than_the_run() {
        for (start, exponent) in [(1000, 1.0), (1000, 0.65), (77_777, 0.01)] {
            let settings = RunSettings {
                window_positions: usize::MAX,
                window_start_positions: start,
                window_exponent: exponent,
                ..RunSettings::default()
            };
            for positions in (0..2_000_000).step_by(9_973) {
                let (now, then) = (settings.window_at(positions), settings.window_at(positions + 9_973));
                assert!(now <= then && then - now <= 9_973, "{positions}: {now}, {then}");
            }
        }
    }

    #[test]
    fn widths_by_positions() {
        let growth = vec![Growth { positions: 100, hidden: 256 }, Growth { positions: 500, hidden: 512 }];
        let mut config = Config::default();
        config.net.growth = growth;
        config.check().unwrap();
        let widths = [0, 99, 100, 499, 500, 10_000].map(|positions| config.net.hidden_at(positions));
        assert_eq!(widths, [128, 128, 256, 256, 512, 512]);
        let again: Config = toml::from_str(&config.to_toml()).unwrap();
        assert_eq!(again, config);

        let error = |index: usize, growth: Growth| {
            let mut config = config.clone();
            config.net.growth[index] = growth;
            config.check().unwrap_err().to_string()
        };
        let narrower = error(1, Growth { positions: 500, hidden: 256 });
        assert!(narrower.ends_with("net.growth.hidden = 256: want 264 to 4096"), "{narrower}");
        let early = error(1, Growth { positions: 100, hidden: 512 });
        assert!(early.ends_with("net.growth.positions = 100: want 101 to 1000000000000"), "{early}");
        let odd = error(0, Growth { positions: 100, hidden: 257 });
        assert!(odd.contains("net.growth.hidden = 257: want a multiple of 8"), "{odd}");
    }

    #[test]
    fn a_tower_has_sizes_of_its_own_and_no_methods_of_sparse_networks() {
        type Change<'a> = dyn Fn(&mut Config) + 'a;
        let checked = |set: &Change<'_>| {
            let mut config = Config::default();
            config.net.family = Family::Tower;
            set(&mut config);
            config.check().map(|()| config.net.architecture()).map_err(|error| error.to_string())
        };
        let small = TowerSettings { channels: 32, blocks: 4, ..TowerSettings::default() };
        assert_eq!(
            checked(&|config| config.net.tower = small.clone()),
            Ok(Architecture::Tower { channels: 32, blocks: 4, value_hidden: 64 })
        );
        let cases: [(&Change<'_>, &str); 6] = [
            (
                &|config| config.net.tower.channels = 12,
                "net.tower.channels = 12: want a multiple of 8 from 8 to 256",
            ),
            (&|config| config.net.tower.blocks = 41, "net.tower.blocks = 41: want 1 to 40"),
            (&|config| config.net.tower.batch_size = 0, "net.tower.batch_size = 0: want 1 to 4096"),
            (&|config| config.net.growth = vec![Growth { positions: 1, hidden: 256 }], "net.growth is set"),
            (&|config| config.train.soft_policy_loss_weight = 1.0, "train.soft_policy_loss_weight is set"),
            (
                &|config| config.train.opponent_reply_loss_weight = 1.0,
                "train.opponent_reply_loss_weight is set",
            ),
        ];
        for (set, expected) in cases {
            let error = checked(set).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
