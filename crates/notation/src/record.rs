//! One game as it was recorded: tags, start position, moves with variations and comments, result.

use crate::fault::Warning;
use crate::tree::Tree;
use rules::{Colour, Move, Outcome, Position};
use std::collections::BTreeMap;

/// One game of a file, whatever the format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// What is said about the game: event, players and so on.
    pub tags: Tags,
    /// Who has won; none while the game goes on or if nobody knows (`*`).
    pub result: Option<Outcome>,
    /// Start position and moves.
    pub tree: Tree,
    /// What the reader dropped, replaced or doubted; empty if all is as the file has it.
    pub warnings: Vec<Warning>,
}

impl Record {
    /// A game without moves, tags and result.
    pub fn new(start: Position) -> Self {
        Self { tags: Tags::default(), result: None, tree: Tree::new(start), warnings: Vec::new() }
    }

    /// The position before the first move.
    pub const fn start(&self) -> &Position {
        self.tree.start()
    }

    /// The moves of the main line.
    pub fn main_line(&self) -> Vec<Move> {
        self.tree.main_line()
    }
}

/// Names and values in the order of the file, each name once. Names are PGN's: `Event`, `Site`, `Date`, `Round`,
/// `Red`, `RedTeam`, `Black`, `BlackTeam`, `Opening`, `Termination`, ...; other formats' names are translated where
/// PGN has one.
///
/// A name consists of letters, digits and `_`, which stands for everything else. What a [`Record`] holds elsewhere is no
/// tag: `Result`, the start position (`FEN`, `SetUp`), and `Game`, `Variant` and `Format`, which the PGN writer adds by
/// itself; under these names a `_` is added.
///
/// ```
/// let mut tags = notation::Tags::default();
/// tags.set("White", "Hu Ronghua");
/// assert_eq!(tags.get("red"), Some("Hu Ronghua"));
/// assert_eq!(tags.iter().next(), Some(("Red", "Hu Ronghua")));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tags {
    entries: Vec<(String, String)>,
    /// Where each name is.
    places: BTreeMap<String, usize>,
}

/// The names in their usual spelling.
const NAMES: [&str; 23] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "Red",
    "RedTeam",
    "RedElo",
    "Black",
    "BlackTeam",
    "BlackElo",
    "Title",
    "Opening",
    "Variation",
    "ECO",
    "ECCO",
    "TimeControl",
    "Termination",
    "PlyCount",
    "Annotator",
    "Author",
    "Rules",
    "StartedBy",
    "OpeningEnglish",
];

/// Tags of PGN whose content is no tag of a record.
const HELD_ELSEWHERE: [&str; 6] = ["Game", "Variant", "Format", "FEN", "SetUp", "Result"];

/// Does a record hold what the tag says elsewhere?
pub(crate) fn is_held_elsewhere(name: &str) -> bool {
    HELD_ELSEWHERE.iter().any(|held| held.eq_ignore_ascii_case(name))
}

impl Tags {
    /// The value of a tag; case doesn't matter, and `White...` is `Red...`.
    pub fn get(&self, name: &str) -> Option<&str> {
        let place = self.places.get(&usual_name(name))?;
        self.entries.get(*place).map(|(_, value)| value.as_str())
    }

    /// Sets a tag, at the end if it is new, and gives back its old value. Line ends become spaces.
    pub fn set(&mut self, name: &str, value: &str) -> Option<String> {
        let name = tag_name(name);
        let lines = value.split(['\r', '\n']).map(str::trim).filter(|line| !line.is_empty());
        let value = lines.collect::<Vec<_>>().join(" ");
        let place = self.places.get(&name).copied().unwrap_or(self.entries.len());
        if let Some((_, old)) = self.entries.get_mut(place) {
            return Some(std::mem::replace(old, value));
        }
        self.places.insert(name.clone(), place);
        self.entries.push((name, value));
        None
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Is there none?
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// What a tag is called in [`Tags`].
pub(crate) fn tag_name(name: &str) -> String {
    let mut name = usual_name(name).replace(|c: char| !c.is_alphanumeric() && c != '_', "_");
    if name.is_empty() || is_held_elsewhere(&name) {
        name.push('_');
    }
    name
}

/// The usual spelling of a tag's name; one that is not known stays as it is.
fn usual_name(name: &str) -> String {
    let name = match name.get(..5) {
        Some(side) if side.eq_ignore_ascii_case("White") => format!("Red{}", &name[5..]),
        _ => name.to_owned(),
    };
    NAMES.iter().find(|known| known.eq_ignore_ascii_case(&name)).map_or(name, |&known| known.to_owned())
}

/// What a text says about the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stated {
    /// Who has won.
    Known(Outcome),
    /// That there is no result, or that nobody knows it.
    Open,
}

impl Stated {
    /// The result, if there is one.
    pub(crate) const fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Known(outcome) => Some(outcome),
            Self::Open => None,
        }
    }
}

/// Reads a result in the words that files use.
pub(crate) fn parse_result(text: &str) -> Option<Stated> {
    let text = text.trim();
    let outcome =
        match text.to_ascii_lowercase().as_str() {
            "1-0" | "1:0" | "w" | "red" | "red wins" | "white wins" | "红胜" | "紅勝" | "红先胜"
            | "紅先勝" | "先胜" | "先勝" | "红方胜" | "紅方勝" | "黑负" | "黑負" | "黑方认负"
            | "黑方認負" => Outcome::Win(Colour::Red),
            "0-1" | "0:1" | "l" | "b" | "black" | "black wins" | "黑胜" | "黑勝" | "红先负" | "紅先負"
            | "先负" | "先負" | "黑方胜" | "黑方勝" | "红负" | "紅負" | "红方认负" | "紅方認負" => {
                Outcome::Win(Colour::Black)
            }
            "1/2-1/2" | "1/2" | "½-½" | "0.5-0.5" | "d" | "draw" | "和" | "和棋" | "和局" | "红和"
            | "紅和" | "红先和" | "紅先和" | "先和" | "双方和" | "雙方和" | "双方同意和棋"
            | "雙方同意和棋" => Outcome::Draw,
            "*" | "?" | "" | "未知" | "未分" | "未分胜负" | "未分勝負" | "不明" => {
                return Some(Stated::Open);
            }
            _ => return None,
        };
    Some(Stated::Known(outcome))
}

/// A result as PGN writes it.
pub(crate) const fn result_text(result: Option<Outcome>) -> &'static str {
    match result {
        Some(Outcome::Win(Colour::Red)) => "1-0",
        Some(Outcome::Win(Colour::Black)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        None => "*",
    }
}
