//! The knobs of self-play.

use crate::resignation::ResignationSettings;
use crate::schedule::Schedule;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// The knobs of self-play. [`Settings::check`] knows the ranges.
///
/// Where no source is named, a prototype of this program was trained with the value and learnt well.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Share of the moves that get a full search; 0 to 1, default 0.5. Wu 2019 (playout cap randomisation):
    /// 0.25 with a greater difference between the two.
    pub full_search_share: f32,
    /// A game begins with 0 to so many random plies, each number as likely; 0 to 40, default 8.
    pub random_plies: u16,
    /// Share of the other games, which begin neither from the archive nor classically, in which armies are thinned; 0
    /// to 1, default 0.3.
    pub thinned_share: f32,
    /// Thinning takes 1 to so many pieces from each side, the same from both; 1 to 13, default 10. A side has 15
    /// besides the general.
    pub thinned_pieces: u8,
    /// A game is broken off after so many plies, random ones counted; 41 to 10,000, default 160. The shorter, the
    /// more games without a result.
    pub ply_cap: u16,
    /// Share of the games that begin with a position of an earlier game ([`Archive`](crate::Archive)); 0 to 1,
    /// default 0. Go-Exploit (Trudeau and Bowling 2023) starts nearly all so.
    pub archive_share: f32,
    /// The newest games of the run, of earlier generations, that those positions are from; 2 to 100,000, default 5,000.
    pub archive_games: u32,
    /// Share of the games that begin with an opening from masters' games; 0 to 1, default 0; with `archive_share`
    /// at most 1.
    pub classical_share: f32,
    /// Simulations of a full search, whose policy and value are learnt; 1 to 10,000, default 32 all along. Danihelka
    /// et al. 2022 learn from 2 on; more pay off later in a run (progressive simulation, `MiniZero`).
    pub full_simulations: Schedule,
    /// Simulations of a cheap search, of which only the value is learnt; 1 to 10,000, default 8 all along.
    pub cheap_simulations: Schedule,
    /// Plies without a capture that make a draw: few at first, while games rarely get anywhere, then more. Above
    /// [`Settings::random_plies`] to 1,000, default 60 to 120, the rules' own, over 5,000,000 positions.
    pub natural_limit_plies: Schedule,
    /// What becomes of decided games.
    pub resignation: ResignationSettings,
    /// The search of every move.
    pub search: search::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            full_search_share: 0.5,
            random_plies: 8,
            thinned_share: 0.3,
            thinned_pieces: 10,
            ply_cap: 160,
            archive_share: 0.0,
            archive_games: 5_000,
            classical_share: 0.0,
            full_simulations: Schedule { start: 16, end: 32, over_positions: 8_000_000 },
            cheap_simulations: Schedule { start: 4, end: 8, over_positions: 8_000_000 },
            natural_limit_plies: Schedule { start: 60, end: 120, over_positions: 5_000_000 },
            resignation: ResignationSettings::default(),
            search: search::Settings::default(),
        }
    }
}

/// A setting that can't be. The message begins with the key.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum SettingsError {
    /// A number outside its range.
    #[error("{key} = {value}: want {least} to {most}")]
    OutOfRange {
        /// The key, with the section below [`Settings`] where there is one.
        key: String,
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
        within("full_search_share", self.full_search_share, 0.0..=1.0)?;
        within("random_plies", self.random_plies, 0..=40)?;
        within("thinned_share", self.thinned_share, 0.0..=1.0)?;
        within("thinned_pieces", self.thinned_pieces, 1..=13)?;
        within("ply_cap", self.ply_cap, 41..=10_000)?;
        within("archive_share", self.archive_share, 0.0..=1.0)?;
        within("archive_games", self.archive_games, 2..=100_000)?;
        within("classical_share", self.classical_share, 0.0..=1.0 - self.archive_share)?;
        within_schedule("full_simulations", self.full_simulations, 1..=10_000)?;
        within_schedule("cheap_simulations", self.cheap_simulations, 1..=10_000)?;
        // A game must not be over before its random plies are.
        within_schedule("natural_limit_plies", self.natural_limit_plies, self.random_plies + 1..=1000)?;
        within("resignation.value", self.resignation.value, 0.1..=1.0)?;
        within("resignation.plies", self.resignation.plies, 2..=100)?;
        within("resignation.full_search_share", self.resignation.full_search_share, 0.0..=1.0)?;
        within("resignation.holdout_share", self.resignation.holdout_share, 0.0..=1.0)?;
        self.search.check().map_err(SettingsError::Search)
    }
}

fn within_schedule(key: &str, schedule: Schedule, range: RangeInclusive<u16>) -> Result<(), SettingsError> {
    within(&format!("{key}.start"), schedule.start, range.clone())?;
    within(&format!("{key}.end"), schedule.end, range)?;
    within(&format!("{key}.over_positions"), schedule.over_positions, 1..=10_000_000_000)
}

fn within<T: PartialOrd + Display + Copy>(
    key: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), SettingsError> {
    // A NaN is in no range.
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = (range.start().to_string(), range.end().to_string());
    Err(SettingsError::OutOfRange { key: key.to_owned(), value: value.to_string(), least, most })
}
