//! What was played: facts for the record, and the reasons counted.

use notation::{Opening, Record, Tree};
use rules::{Colour, Move, Outcome, Position, Reason};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// What a game gave player A.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Points {
    /// 0 points.
    Loss,
    /// ½ point.
    Draw,
    /// 1 point.
    Win,
}

impl Points {
    /// Of an outcome, for the player of this colour.
    pub fn of(outcome: Outcome, colour: Colour) -> Self {
        match outcome {
            Outcome::Draw => Self::Draw,
            Outcome::Win(winner) if winner == colour => Self::Win,
            Outcome::Win(_) => Self::Loss,
        }
    }

    /// 0, 1 or 2 half points.
    pub const fn half_points(self) -> u8 {
        self as u8
    }
}

/// Why a game of a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndReason {
    /// By the rules of Xiangqi.
    Rules(Reason),
    /// A player chose a move that isn't legal, and lost.
    IllegalMove,
}

impl EndReason {
    /// All reasons.
    pub const ALL: [Self; Reason::ALL.len() + 1] = {
        let mut all = [Self::IllegalMove; Reason::ALL.len() + 1];
        let mut i = 0;
        while i < Reason::ALL.len() {
            all[i] = Self::Rules(Reason::ALL[i]);
            i += 1;
        }
        all
    };

    /// The name in records and statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules(reason) => reason.name(),
            Self::IllegalMove => "illegal-move",
        }
    }
}

impl Serialize for EndReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// How many games ended for which reason. Prints as `checkmate 12, move-limit 3`, in the order of
/// [`EndReason::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reasons {
    counts: [u32; EndReason::ALL.len()],
}

impl Reasons {
    /// Counts one more game.
    pub fn add(&mut self, reason: EndReason) {
        for (count, other) in self.counts.iter_mut().zip(EndReason::ALL) {
            *count += u32::from(other == reason);
        }
    }

    /// The reasons that occurred, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (EndReason, u32)> {
        EndReason::ALL.into_iter().zip(self.counts).filter(|&(_, count)| 0 < count)
    }

    /// How many games ended for this reason.
    pub fn count(&self, reason: EndReason) -> u32 {
        self.iter().find(|&(other, _)| other == reason).map_or(0, |(_, count)| count)
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (reason, count)) in self.iter().enumerate() {
            write!(f, "{}{} {count}", if 0 < i { ", " } else { "" }, reason.name())?;
        }
        Ok(())
    }
}

impl Serialize for Reasons {
    /// A map from name to count, without zeros.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(reason, count)| (reason.name(), count)))
    }
}

impl<'de> Deserialize<'de> for Reasons {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut reasons = Self::default();
        for (name, count) in BTreeMap::<String, u32>::deserialize(deserializer)? {
            let known = EndReason::ALL.iter().position(|reason| reason.name() == name);
            let index =
                known.ok_or_else(|| D::Error::custom(format!("\"{name}\" is no reason for an end")))?;
            reasons.counts[index] = count;
        }
        Ok(reasons)
    }
}

/// One game of a match. As JSON it makes one self-contained line:
///
/// ```json
/// {"pair":0,"red":"depth-2","black":"random","a":"red","opening_plies":5,"opening":"中炮",
///  "moves":"h2e2 ...","outcome":"red","reason":"checkmate"}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MatchGame {
    /// The number of the pair, from 0. Both its games start with the same opening.
    pub pair: u32,
    /// Red's name.
    pub red: String,
    /// Black's name.
    pub black: String,
    /// The colour of player A.
    #[serde(serialize_with = "colour_name")]
    pub a: Colour,
    /// How many of the moves are the random opening.
    pub opening_plies: u16,
    /// The opening as the whole game reached it, if it has a name; in JSON that name, in Chinese.
    #[serde(serialize_with = "opening_name")]
    pub opening: Option<&'static Opening>,
    /// All moves, the opening's first, from the start position; an illegal choice is not among them. In JSON
    /// coordinates with spaces between.
    #[serde(serialize_with = "coordinates")]
    pub moves: Vec<Move>,
    /// Who won: `red`, `black` or `draw`.
    #[serde(serialize_with = "outcome_name")]
    pub outcome: Outcome,
    /// Why it ended.
    pub reason: EndReason,
}

impl MatchGame {
    /// What the game gave player A.
    pub fn points(&self) -> Points {
        Points::of(self.outcome, self.a)
    }

    /// The game as a record, to be written as PGN. `event` is the match's name.
    pub fn to_record(&self, event: &str) -> Record {
        let mut record = Record::new(Position::start());
        record.result = Some(self.outcome);
        record.tree = Tree::from_moves(Position::start(), &self.moves).expect("a match plays legal moves");
        // Two games a pair, the first with Red for player A.
        let round = 2 * self.pair + if self.a == Colour::Red { 1 } else { 2 };
        let plies = self.moves.len().to_string();
        for (name, value) in [
            ("Event", event),
            ("Round", &round.to_string()),
            ("Red", &self.red),
            ("Black", &self.black),
            ("Opening", self.opening.map_or("", |opening| opening.name_zh)),
            ("Termination", self.reason.name()),
            ("PlyCount", &plies),
        ] {
            if !value.is_empty() {
                record.tags.set(name, value);
            }
        }
        record
    }
}

/// Two games with one opening: A has Red in the first, Black in the second.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PairRecord {
    /// The number of the pair, from 0.
    pub number: u32,
    /// The games.
    pub games: [MatchGame; 2],
}

impl PairRecord {
    /// What the games gave player A.
    pub fn points(&self) -> [Points; 2] {
        [self.games[0].points(), self.games[1].points()]
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn colour_name<S: Serializer>(colour: &Colour, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(colour.name())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn outcome_name<S: Serializer>(outcome: &Outcome, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(outcome.name())
}

#[expect(clippy::ref_option, reason = "serde passes fields by reference")]
fn opening_name<S: Serializer>(opening: &Option<&'static Opening>, serializer: S) -> Result<S::Ok, S::Error> {
    opening.map(|opening| opening.name_zh).serialize(serializer)
}

fn coordinates<S: Serializer>(moves: &[Move], serializer: S) -> Result<S::Ok, S::Error> {
    let words: Vec<String> = moves.iter().map(ToString::to_string).collect();
    serializer.serialize_str(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_one_line_of_json() {
        let game = MatchGame {
            pair: 3,
            red: "random".to_owned(),
            black: "depth-2".to_owned(),
            a: Colour::Black,
            opening_plies: 1,
            opening: Opening::all().first(),
            moves: ["h2e2", "h9g7"].map(|text| text.parse().unwrap()).to_vec(),
            outcome: Outcome::Win(Colour::Black),
            reason: EndReason::Rules(Reason::Checkmate),
        };
        assert_eq!(game.points(), Points::Win);
        let line = serde_json::to_string(&game).unwrap();
        assert_eq!(
            line,
            "{\"pair\":3,\"red\":\"random\",\"black\":\"depth-2\",\"a\":\"black\",\"opening_plies\":1,\
             \"opening\":\"中炮\",\"moves\":\"h2e2 h9g7\",\"outcome\":\"black\",\"reason\":\"checkmate\"}"
        );
    }

    #[test]
    fn a_game_is_written_as_pgn_and_read_back() {
        let game = MatchGame {
            pair: 3,
            red: "random".to_owned(),
            black: "depth-2".to_owned(),
            a: Colour::Black,
            opening_plies: 1,
            opening: Opening::all().first(),
            moves: ["h2e2", "h9g7"].map(|text| text.parse().unwrap()).to_vec(),
            outcome: Outcome::Draw,
            reason: EndReason::Rules(Reason::RepetitionDraw),
        };
        let record = game.to_record("a match");
        let text = notation::write_pgn(&record, notation::Style::CHINESE);
        assert!(
            text.contains("[Termination \"repetition-draw\"]") && text.contains("[Round \"8\"]"),
            "{text}"
        );
        assert!(text.contains("炮二平五"), "{text}");
        let read = notation::read_records(text.as_bytes()).pop().unwrap().unwrap();
        assert_eq!((read.main_line(), read.result), (game.moves, Some(Outcome::Draw)));
    }

    #[test]
    fn reasons_are_counted_apart() {
        let mut reasons = Reasons::default();
        for reason in EndReason::ALL {
            reasons.add(reason);
        }
        reasons.add(EndReason::IllegalMove);
        assert_eq!(reasons.count(EndReason::IllegalMove), 2);
        assert_eq!(reasons.count(EndReason::Rules(Reason::Material)), 1);
        assert!(
            reasons.to_string().starts_with("checkmate 1, stalemate 1, repetition-check 1, "),
            "{reasons}"
        );
        assert!(reasons.to_string().ends_with(", illegal-move 2"), "{reasons}");
        let json = serde_json::to_string(&reasons).unwrap();
        assert!(json.ends_with("\"illegal-move\":2}"), "{json}");
        assert_eq!(serde_json::from_str::<Reasons>(&json).unwrap(), reasons);
        assert!(serde_json::from_str::<Reasons>("{\"boredom\":1}").is_err());
    }
}
