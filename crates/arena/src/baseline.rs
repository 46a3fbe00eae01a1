//! The built-in opponents by name, and how strong they are.

use crate::alpha_beta::{AlphaBeta, Depth};
use crate::greedy::Greedy;
use crate::player::Player;
use crate::random::Random;
use crate::rung::Rung;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A built-in opponent. Written `random`, `greedy`, `depth-1` to `depth-8`.
///
/// ```
/// use arena::{Baseline, Player};
///
/// let opponent: Baseline = "depth-2".parse()?;
/// assert_eq!(opponent.player().name(), "depth-2");
/// # Ok::<(), arena::ParseBaselineError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Baseline {
    /// [`Random`].
    Random,
    /// [`Greedy`].
    Greedy,
    /// [`AlphaBeta`] of this depth.
    AlphaBeta(Depth),
}

/// An opponent's place on the absolute scale of [`Rung`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reference {
    /// Logistic Elo.
    pub elo: f64,
    /// Half the width of its 95 % interval.
    pub error: f64,
}

impl Baseline {
    /// A new player of this kind.
    pub fn player(self) -> Box<dyn Player> {
        match self {
            Self::Random => Box::new(Random::default()),
            Self::Greedy => Box::new(Greedy::default()),
            Self::AlphaBeta(depth) => Box::new(AlphaBeta::new(depth)),
        }
    }

    /// Where the opponent stands, if it is a [`Rung`].
    pub fn reference(self) -> Option<Reference> {
        self.to_string().parse().ok().map(|rung: Rung| rung.reference())
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Greedy => f.write_str("greedy"),
            Self::AlphaBeta(depth) => write!(f, "depth-{}", depth.plies()),
        }
    }
}

/// A text that names no opponent.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" is no built-in opponent: want random, greedy, or depth-1 to depth-{most}", most = Depth::MAX.plies())]
pub struct ParseBaselineError(pub String);

impl FromStr for Baseline {
    type Err = ParseBaselineError;

    fn from_str(text: &str) -> Result<Self, ParseBaselineError> {
        let depth = || text.strip_prefix("depth-")?.parse().ok().and_then(Depth::new);
        match text {
            "random" => Ok(Self::Random),
            "greedy" => Ok(Self::Greedy),
            _ => depth().map(Self::AlphaBeta).ok_or_else(|| ParseBaselineError(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Baseline {
    type Error = ParseBaselineError;

    fn try_from(text: String) -> Result<Self, ParseBaselineError> {
        text.parse()
    }
}

impl From<Baseline> for String {
    fn from(baseline: Baseline) -> Self {
        baseline.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_others_are_refused() {
        for name in ["random", "greedy", "depth-1", "depth-8"] {
            let baseline: Baseline = name.parse().unwrap();
            assert_eq!(baseline.to_string(), name);
            assert_eq!(baseline.player().name(), name);
            let json = serde_json::to_string(&baseline).unwrap();
            assert_eq!(serde_json::from_str::<Baseline>(&json).unwrap(), baseline);
        }
        for name in ["", "Random", "depth-0", "depth-9", "depth-", "depth-x", "depth-300"] {
            assert_eq!(name.parse::<Baseline>(), Err(ParseBaselineError(name.to_owned())));
        }
    }
}
