//! The knobs of the search.

use serde::{Deserialize, Serialize};

/// The knobs of the search. [`Settings::check`] knows the ranges.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Gumbel root: how many visits the scale of values starts with; 0 to 1,000. Danihelka et al. 2022: 50.
    pub c_visit: f32,
    /// Gumbel root: how much values, as (q + 1) / 2, count against log-probabilities; 0 to 10. Danihelka et al.
    /// 2022: 1.0 for board games. (The 0.1 found in mctx goes with values rescaled between the least and the
    /// greatest of the node, and is far too low here.)
    pub c_scale: f32,
    /// PUCT: the weight of exploration in a fresh node; 0 to 10. Silver et al. 2018: 1.25; Lc0: 1.745.
    pub c_puct_init: f32,
    /// PUCT: after about this many visits exploration begins to grow, by the logarithm; 1 to 10,000,000.
    /// Silver et al. 2018: 19,652.
    pub c_puct_base: f32,
    /// PUCT: an unvisited move is taken to be worth the node's value less this, times the square root of the prior
    /// of the moves visited; 0 to 2. `KataGo`: 0.2; Lc0: 0.33.
    pub fpu_reduction: f32,
    /// The search stops when the tree has so many nodes; 2 to 16,777,216. A node and its moves take about 0.4 KB
    /// in the opening, a node whose moves nobody has asked for 32 bytes.
    pub max_nodes: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            c_visit: 50.0,
            c_scale: 1.0,
            c_puct_init: 1.25,
            c_puct_base: 19_652.0,
            fpu_reduction: 0.2,
            max_nodes: 1_000_000,
        }
    }
}

/// A setting that can't be. The message begins with the key.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
pub enum SettingsError {
    /// A number outside its range.
    #[error("{key} = {value}: want {least} to {most}")]
    OutOfRange {
        /// The field of [`Settings`].
        key: &'static str,
        /// What was given.
        value: f64,
        /// The least value allowed.
        least: f64,
        /// The greatest value allowed.
        most: f64,
    },
}

impl Settings {
    /// Is every value in its range? The first that isn't, is the error.
    pub fn check(&self) -> Result<(), SettingsError> {
        let Self { c_visit, c_scale, c_puct_init, c_puct_base, fpu_reduction, max_nodes } = *self;
        for (key, value, least, most) in [
            ("c_visit", f64::from(c_visit), 0.0, 1000.0),
            ("c_scale", f64::from(c_scale), 0.0, 10.0),
            ("c_puct_init", f64::from(c_puct_init), 0.0, 10.0),
            ("c_puct_base", f64::from(c_puct_base), 1.0, 1e7),
            ("fpu_reduction", f64::from(fpu_reduction), 0.0, 2.0),
            ("max_nodes", f64::from(max_nodes), 2.0, 16_777_216.0),
        ] {
            // A NaN is in no range.
            if !(least..=most).contains(&value) {
                return Err(SettingsError::OutOfRange { key, value, least, most });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_in_range_and_other_values_are_refused_by_name() {
        assert_eq!(Settings::default().check(), Ok(()));
        let wrong = Settings { c_scale: f32::NAN, ..Settings::default() };
        assert!(wrong.check().unwrap_err().to_string().starts_with("c_scale = NaN: "));
        let wrong = Settings { max_nodes: 1, ..Settings::default() };
        assert_eq!(wrong.check().unwrap_err().to_string(), "max_nodes = 1: want 2 to 16777216");
    }
}
