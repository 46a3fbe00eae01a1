//! The Elo scales, and a rating with its uncertainty.

use serde::{Deserialize, Serialize};
use std::f64::consts::LN_10;
use std::fmt;

/// In which Elo strength is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EloScale {
    /// By the share of the points alone: [`expected_share`]. The usual one.
    #[default]
    Logistic,
    /// By the share in units of its spread, so that a difference takes about the same number of games to find
    /// whatever the openings and the part of draws: [`NORMALISED_ELO`] times (s − ½)/σ, where σ is the standard
    /// deviation of one game's points, that of a pair's share times √2 (M. Van den Bergh, "Normalized Elo").
    Normalised,
}

/// Normalised Elo for each standard deviation of one game: 800/ln 10. For two equal players who never draw it
/// makes the normalised scale that of logistic Elo.
pub const NORMALISED_ELO: f64 = 800.0 / LN_10;

/// The share of the points that a player is expected to take from one who is `elo` weaker:
/// 1 / (1 + 10^(−elo/400)), the logistic scale of fishtest, fastchess and Ordo.
///
/// ```
/// assert_eq!(arena::expected_share(0.0), 0.5);
/// assert_eq!(arena::expected_share(400.0), 10.0 / 11.0);
/// ```
pub fn expected_share(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The inverse of [`expected_share`]: 400 · log10(share / (1 − share)). Shares of 0 and less give −∞, of 1 and more
/// +∞.
pub fn elo_of_share(share: f64) -> f64 {
    if share <= 0.0 {
        f64::NEG_INFINITY
    } else if 1.0 <= share {
        f64::INFINITY
    } else {
        400.0 * (share / (1.0 - share)).log10()
    }
}

/// A difference in logistic Elo with its 95 % confidence interval. None of the three is NaN; each may be infinite,
/// which JSON shows as `null`.
///
/// Prints as `+55.6 ± 27.7`, as `> +310.5` or `< -310.5` if one side wins so much that only a bound can be given, and
/// as `unknown` if not even that.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Elo {
    /// The best guess.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Elo {
    /// Half the width of the interval: the number behind the ±. Infinite if an end is.
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The best guess in whole numbers; if that is infinite, the end of the interval that isn't.
    pub fn brief(&self) -> String {
        match (self.low.is_finite(), self.high.is_finite()) {
            _ if self.value.is_finite() => format!("{:+.0}", self.value),
            (true, _) => format!("> {:+.0}", self.low),
            (_, true) => format!("< {:+.0}", self.high),
            _ => "unknown".to_owned(),
        }
    }
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => write!(f, "{:+.1} ± {:.1}", self.value, self.error()),
            (true, false) => write!(f, "> {:+.1}", self.low),
            (false, true) => write!(f, "< {:+.1}", self.high),
            (false, false) => f.write_str("unknown"),
        }
    }
}

/// The 97.5 % quantile of the normal distribution: half the width of a 95 % interval in standard errors.
pub(crate) const NORMAL_95: f64 = 1.959_963_984_540_054;

/// The distribution function of the normal distribution, by the error function of Abramowitz and Stegun, Handbook of
/// Mathematical Functions, 7.1.26; the error is below 2e-7.
pub(crate) fn normal_distribution(x: f64) -> f64 {
    let z = x.abs() / 2_f64.sqrt();
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let coefficients = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let polynomial = coefficients.iter().fold(0.0, |sum, c| (sum + c) * t);
    let upper_tail = polynomial * (-z * z).exp() / 2.0;
    if x < 0.0 { upper_tail } else { 1.0 - upper_tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_brief_it_is_a_number_or_a_bound() {
        let infinity = f64::INFINITY;
        for (value, low, high, expected) in [
            (-70.4, -90.0, -50.0, "-70"),
            (676.0, 450.0, infinity, "+676"),
            (infinity, 450.4, infinity, "> +450"),
            (-infinity, -infinity, 50.4, "< +50"),
            (infinity, -infinity, infinity, "unknown"),
        ] {
            assert_eq!(Elo { value, low, high }.brief(), expected);
        }
    }

    #[test]
    fn share_and_elo_are_inverse() {
        for elo in [-900.0, -100.0, 0.0, 3.5, 77.0, 1200.0] {
            assert!((elo_of_share(expected_share(elo)) - elo).abs() < 1e-6);
        }
        assert!(elo_of_share(0.0) < f64::MIN && f64::MAX < elo_of_share(1.0));
    }

    /// Table values of the normal distribution.
    #[test]
    fn normal_distribution_agrees_with_the_table() {
        for (x, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746),
            (NORMAL_95, 0.975),
            (-1.0, 0.158_655_254),
            (-3.0, 0.001_349_898),
        ] {
            assert!((normal_distribution(x) - p).abs() < 2e-7, "{x}");
        }
    }

    #[test]
    fn prints_bounds_where_there_is_no_number() {
        let infinity = f64::INFINITY;
        for (value, low, high, text) in [
            (55.58, 28.2, 83.5, "+55.6 ± 27.6"),
            (-5.0, -15.0, 5.0, "-5.0 ± 10.0"),
            (infinity, 310.5, infinity, "> +310.5"),
            (-infinity, -infinity, -310.5, "< -310.5"),
            (0.0, -infinity, infinity, "unknown"),
        ] {
            assert_eq!(Elo { value, low, high }.to_string(), text);
        }
        let json = serde_json::to_string(&Elo { value: infinity, low: 310.5, high: infinity }).unwrap();
        assert_eq!(json, "{\"value\":null,\"low\":310.5,\"high\":null}");
    }
}
