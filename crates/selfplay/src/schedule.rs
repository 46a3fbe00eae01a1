//! Settings that change in the course of a run.

use serde::{Deserialize, Serialize};

/// A whole number that goes from `start` to `end`, linear in the searched positions of the run, and stays there.
///
/// ```
/// use selfplay::Schedule;
///
/// let simulations = Schedule { start: 32, end: 128, over_positions: 3_000_000 };
/// assert_eq!([0, 1_000_000, 5_000_000].map(|positions| simulations.at(positions)), [32, 64, 128]);
/// assert_eq!(Schedule::constant(8).at(1_000_000), 8);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// At the start of the run.
    pub start: u16,
    /// In the end.
    pub end: u16,
    /// Searched positions of the run from the one to the other; 1 to 10,000,000,000, default 5,000,000.
    pub over_positions: u64,
}

impl Schedule {
    /// The same number all along.
    pub const fn constant(number: u16) -> Self {
        Self { start: number, end: number, over_positions: 5_000_000 }
    }

    /// The number after so many searched positions of the run, rounded.
    pub fn at(&self, positions: u64) -> u16 {
        let progress = positions.min(self.over_positions) as f64 / self.over_positions.max(1) as f64;
        let (start, end) = (f64::from(self.start), f64::from(self.end));
        (start + progress * (end - start)).round() as u16
    }
}
