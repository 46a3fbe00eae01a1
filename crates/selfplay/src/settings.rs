//! The knobs of self-play.

use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::num::NonZeroU16;
use std::ops::RangeInclusive;

/// The knobs of self-play. [`Settings::check`] knows the ranges.
///
/// Where no source is named, a prototype of this program was trained with the value and learnt well.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Simulations of a full search, whose policy and value are learnt; 1 to 10,000, default 32. Danihelka et al.
    /// 2022 learn from 2 on; more pay off later in a run (progressive simulation, `MiniZero`).
    pub full_simulations: u16,
    /// Simulations of a cheap search, of which only the value is learnt; 1 to 10,000, default 8.
    pub cheap_simulations: u16,
    /// Share of the moves that get a full search; 0 to 1, default 0.5. Wu 2019 (playout cap randomisation):
    /// 0.25 with a greater difference between the two.
    pub full_search_share: f32,
    /// A game begins with 0 to so many random plies, each number as likely; 0 to 40, default 8.
    pub random_plies: u16,
    /// Share of the games that begin with thinned armies; 0 to 1, default 0.3.
    pub thinned_share: f32,
    /// Thinning takes 1 to so many pieces from each side, the same from both; 1 to 13, default 10. A side has 15
    /// besides the general.
    pub thinned_pieces: u8,
    /// A game is broken off after so many plies, random ones counted; 41 to 10,000, default 160. The shorter, the
    /// more games without a result.
    pub ply_cap: u16,
    /// Plies without a capture that make a draw.
    pub natural_limit_plies: NaturalLimit,
    /// The search of every move.
    pub search: search::Settings,
}

/// Plies without a capture that make a draw: few at first, while games rarely get anywhere, then more.
///
/// Linear from `start` to `end` and constant afterwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NaturalLimit {
    /// At the start of the run, plies; above [`Settings::random_plies`] to 1,000, default 60.
    pub start: u16,
    /// In the end, plies; above [`Settings::random_plies`] to 1,000, default 120, the rules' own.
    pub end: u16,
    /// Searched positions of the run from the one to the other; 1 to 10,000,000,000, default 5,000,000.
    pub over_positions: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            full_simulations: 32,
            cheap_simulations: 8,
            full_search_share: 0.5,
            random_plies: 8,
            thinned_share: 0.3,
            thinned_pieces: 10,
            ply_cap: 160,
            natural_limit_plies: NaturalLimit::default(),
            search: search::Settings::default(),
        }
    }
}

impl Default for NaturalLimit {
    fn default() -> Self {
        Self { start: 60, end: 120, over_positions: 5_000_000 }
    }
}

/// A setting that can't be. The message begins with the key.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum SettingsError {
    /// A number outside its range.
    #[error("{key} = {value}: want {least} to {most}")]
    OutOfRange {
        /// The key, with the section below [`Settings`] where there is one.
        key: &'static str,
        /// What was given.
        value: String,
        /// The least value allowed.
        least: String,
        /// The greatest value allowed.
        most: String,
    },
    /// A setting of the search.
    #[error("search.{0}")]
    Search(search::SettingsError),
}

impl Settings {
    /// Is every value in its range? The first that isn't, is the error.
    pub fn check(&self) -> Result<(), SettingsError> {
        within("full_simulations", self.full_simulations, 1..=10_000)?;
        within("cheap_simulations", self.cheap_simulations, 1..=10_000)?;
        within("full_search_share", self.full_search_share, 0.0..=1.0)?;
        within("random_plies", self.random_plies, 0..=40)?;
        within("thinned_share", self.thinned_share, 0.0..=1.0)?;
        within("thinned_pieces", self.thinned_pieces, 1..=13)?;
        within("ply_cap", self.ply_cap, 41..=10_000)?;
        // A game must not be over before its random plies are.
        let least = self.random_plies + 1;
        within("natural_limit_plies.start", self.natural_limit_plies.start, least..=1000)?;
        within("natural_limit_plies.end", self.natural_limit_plies.end, least..=1000)?;
        within(
            "natural_limit_plies.over_positions",
            self.natural_limit_plies.over_positions,
            1..=10_000_000_000,
        )?;
        self.search.check().map_err(SettingsError::Search)
    }
}

impl NaturalLimit {
    /// The limit after so many searched positions of the run.
    pub fn at(&self, positions: u64) -> NonZeroU16 {
        let progress = positions.min(self.over_positions) as f64 / self.over_positions.max(1) as f64;
        let limit = f64::from(self.start) + progress * (f64::from(self.end) - f64::from(self.start));
        NonZeroU16::new(limit.round() as u16).unwrap_or(NonZeroU16::MIN)
    }
}

fn within<T: PartialOrd + Display + Copy>(
    key: &'static str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), SettingsError> {
    // A NaN is in no range.
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = (range.start().to_string(), range.end().to_string());
    Err(SettingsError::OutOfRange { key, value: value.to_string(), least, most })
}
