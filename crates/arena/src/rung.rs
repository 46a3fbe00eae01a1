//! The rungs of the absolute ladder: opponents by name, with how strong they are and how to get them.

use crate::baseline::{Baseline, Reference};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// An opponent of known strength.
///
/// The scale is absolute: 0 is Fairy-Stockfish (hand-written evaluation, one thread) at 100 nodes a move. The figures
/// come from 1,260 games on two cores among these and other players, 10 to 24 a pairing, with random openings of 4 to
/// 8 plies and colours exchanged, rated together by maximum likelihood. Random may be off by 200. Depth 4 was added
/// later: the likeliest rating after 200 games each against depth 2 and depth 3 (`cargo run --release -p arena
/// --example cross_table -- 100 depth-2 depth-3 depth-4`). Debian's Fairy-Stockfish 11.1 came out at +410 ± 95 for
/// 1,000 nodes and +986 ± 161 for 10,000, which the errors cover; it has no network. A newer one must be kept from
/// finding a network for Xiangqi, or it is another player.
///
/// ```
/// let rung: arena::Rung = "fairy-stockfish-100".parse()?;
/// assert_eq!(rung.reference().elo, 0.0);
/// assert_eq!(rung.baseline(), None);
/// # Ok::<(), arena::ParseRungError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rung {
    name: &'static str,
    player: &'static str,
    reference: Reference,
}

impl Rung {
    /// All rungs, the weakest first.
    pub const ALL: [Self; 16] = [
        Self::new("random", "random", -1237.0, 93.0),
        Self::new("depth-1", "depth-1", -931.0, 83.0),
        Self::new("greedy", "greedy", -803.0, 86.0),
        Self::new("depth-2", "depth-2", -564.0, 82.0),
        Self::new("depth-3", "depth-3", -313.0, 68.0),
        Self::new("hoixiangqi-2", "cecp:hoixiangqi,depth=2", -170.0, 62.0),
        Self::new("sjaakii-2", "cecp:sjaakii,depth=2", -64.0, 76.0),
        Self::new("depth-4", "depth-4", -10.0, 95.0),
        Self::new("fairy-stockfish-100", "uci-variant:fairy-stockfish,nodes=100,Threads=1", 0.0, 0.0),
        Self::new("maxqi-3", "cecp:maxqi,depth=3", 56.0, 59.0),
        Self::new("hoixiangqi-4", "cecp:hoixiangqi,depth=4", 283.0, 83.0),
        Self::new("fairy-stockfish-1000", "uci-variant:fairy-stockfish,nodes=1000,Threads=1", 338.0, 52.0),
        Self::new("maxqi-5", "cecp:maxqi,depth=5", 496.0, 122.0),
        Self::new("fairy-stockfish-3000", "uci-variant:fairy-stockfish,nodes=3000,Threads=1", 518.0, 87.0),
        Self::new("fairy-stockfish-10000", "uci-variant:fairy-stockfish,nodes=10000,Threads=1", 922.0, 157.0),
        Self::new(
            "fairy-stockfish-30000",
            "uci-variant:fairy-stockfish,nodes=30000,Threads=1",
            1319.0,
            161.0,
        ),
    ];

    const fn new(name: &'static str, player: &'static str, elo: f64, error: f64) -> Self {
        Self { name, player, reference: Reference { elo, error } }
    }

    /// Its name in settings and tables.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Who plays, as the command line writes players: a built-in opponent, or an outside engine with its limits.
    pub const fn player(&self) -> &'static str {
        self.player
    }

    /// Where it stands.
    pub const fn reference(&self) -> Reference {
        self.reference
    }

    /// The built-in opponent that it is; `None` for an outside engine.
    pub fn baseline(&self) -> Option<Baseline> {
        self.player.parse().ok()
    }

    /// All names, for messages.
    pub fn names() -> String {
        Self::ALL.map(|rung| rung.name).join(", ")
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// A text that names no rung.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" is no rung of the ladder: want {names}", names = Rung::names())]
pub struct ParseRungError(pub String);

impl FromStr for Rung {
    type Err = ParseRungError;

    fn from_str(text: &str) -> Result<Self, ParseRungError> {
        let found = Self::ALL.into_iter().find(|rung| rung.name == text);
        found.ok_or_else(|| ParseRungError(text.to_owned()))
    }
}

impl Serialize for Rung {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for Rung {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_go_up_and_their_names_read_back() {
        assert!(Rung::ALL.is_sorted_by(|a, b| a.reference.elo < b.reference.elo));
        for rung in Rung::ALL {
            assert_eq!(rung.name().parse(), Ok(rung));
            let json = serde_json::to_string(&rung).unwrap();
            assert_eq!(json, format!("\"{rung}\""));
            assert_eq!(serde_json::from_str::<Rung>(&json).unwrap(), rung);
            assert_eq!(rung.baseline().is_none(), rung.player().contains(':'), "{rung}");
        }
        let error = "depth-5".parse::<Rung>().unwrap_err().to_string();
        assert!(error.starts_with("\"depth-5\" is no rung of the ladder: want random, depth-1, "), "{error}");
    }
}
