//! What was played: facts for the record, and the reasons counted.

use crate::note::MoveNote;
use crate::player::Fault;
use notation::{Opening, Record, Tree};
use rules::{Colour, Move, Outcome, Position, Reason, START_FEN};
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
    /// A player gave up.
    Resignation,
    /// The players' own scores left no doubt ([`crate::Adjudication`]).
    Adjudication,
    /// A player chose a move that isn't legal, or answered with something that is no move, and lost.
    IllegalMove,
    /// A player's time ran out, and it lost.
    Time,
    /// A player's program ended, or couldn't be started, and it lost.
    Crash,
    /// A player didn't answer at all, and lost.
    Stall,
}

/// The reasons that are not in the rules.
const BEYOND_THE_RULES: [EndReason; 6] = [
    EndReason::Resignation,
    EndReason::Adjudication,
    EndReason::IllegalMove,
    EndReason::Time,
    EndReason::Crash,
    EndReason::Stall,
];

impl EndReason {
    /// All reasons.
    pub const ALL: [Self; Reason::ALL.len() + BEYOND_THE_RULES.len()] = {
        let mut all = [Self::IllegalMove; Reason::ALL.len() + BEYOND_THE_RULES.len()];
        let mut i = 0;
        while i < Reason::ALL.len() {
            all[i] = Self::Rules(Reason::ALL[i]);
            i += 1;
        }
        while i < all.len() {
            all[i] = BEYOND_THE_RULES[i - Reason::ALL.len()];
            i += 1;
        }
        all
    };

    /// The name in records and statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules(reason) => reason.name(),
            Self::Resignation => "resignation",
            Self::Adjudication => "adjudication",
            Self::IllegalMove => "illegal-move",
            Self::Time => "time",
            Self::Crash => "crash",
            Self::Stall => "stall",
        }
    }

    /// The reason with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

impl From<Fault> for EndReason {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::IllegalMove => Self::IllegalMove,
            Fault::Crash => Self::Crash,
            Fault::Stall => Self::Stall,
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
///  "moves":"h2e2 ...","outcome":"red","reason":"checkmate","notes":["+0.00/2 310n", ...]}
/// ```
///
/// `fen`, where the game started, is left out if that is the usual start position; `notes` and `fault` are left out if
/// there are none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredGame", into = "StoredGame")]
pub struct MatchGame {
    /// The number of the pair, from 0. Both its games start with the same opening.
    pub pair: u32,
    /// Red's name.
    pub red: String,
    /// Black's name.
    pub black: String,
    /// The colour of player A.
    pub a: Colour,
    /// Where it started.
    pub start: Position,
    /// How many of the moves are the opening, which was given.
    pub opening_plies: u16,
    /// The opening as the whole game reached it, if it has a name; in JSON that name, in Chinese.
    pub opening: Option<&'static Opening>,
    /// All moves, the opening's first; an illegal choice is not among them. In JSON coordinates with spaces between.
    pub moves: Vec<Move>,
    /// Who won: `red`, `black` or `draw`.
    pub outcome: Outcome,
    /// Why it ended.
    pub reason: EndReason,
    /// What the players said of the moves after the opening, one note each; empty if nobody said anything.
    pub notes: Vec<MoveNote>,
    /// What the loser did, in words, if it was something that no rule of the game covers.
    pub fault: Option<String>,
}

impl MatchGame {
    /// What the game gave player A.
    pub fn points(&self) -> Points {
        Points::of(self.outcome, self.a)
    }

    /// The game as a record, to be written as PGN. `event` is the match's name. Each move has its [`MoveNote`] as a
    /// comment, the last one what the loser did.
    pub fn to_record(&self, event: &str) -> Record {
        let mut record = Record::new(self.start.clone());
        record.result = Some(self.outcome);
        let mut cursor = record.tree.cursor();
        let opening = usize::from(self.opening_plies);
        for (ply, &mv) in self.moves.iter().enumerate() {
            cursor.add(mv).expect("a match plays legal moves");
            let note = ply.checked_sub(opening).and_then(|index| self.notes.get(index));
            cursor.comment(&note.map(ToString::to_string).unwrap_or_default());
        }
        cursor.comment(self.fault.as_deref().unwrap_or_default());
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
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredPair")]
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

/// A pair as it is stored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPair {
    number: u32,
    games: [MatchGame; 2],
}

impl TryFrom<StoredPair> for PairRecord {
    type Error = String;

    fn try_from(StoredPair { number, games }: StoredPair) -> Result<Self, String> {
        let fits = games.iter().zip(Colour::ALL).all(|(game, a)| (game.pair, game.a) == (number, a));
        if fits { Ok(Self { number, games }) } else { Err(format!("pair {number} has games of another")) }
    }
}

/// A game as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredGame {
    pair: u32,
    red: String,
    black: String,
    a: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fen: Option<String>,
    opening_plies: u16,
    opening: Option<String>,
    moves: String,
    outcome: String,
    reason: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

impl From<MatchGame> for StoredGame {
    fn from(game: MatchGame) -> Self {
        let moves: Vec<String> = game.moves.iter().map(ToString::to_string).collect();
        let fen = game.start.fen();
        Self {
            pair: game.pair,
            red: game.red,
            black: game.black,
            a: game.a.name().to_owned(),
            fen: (fen != START_FEN).then_some(fen),
            opening_plies: game.opening_plies,
            opening: game.opening.map(|opening| opening.name_zh.to_owned()),
            moves: moves.join(" "),
            outcome: game.outcome.name().to_owned(),
            reason: game.reason.name().to_owned(),
            notes: game.notes.iter().map(ToString::to_string).collect(),
            fault: game.fault,
        }
    }
}

impl TryFrom<StoredGame> for MatchGame {
    type Error = String;

    fn try_from(stored: StoredGame) -> Result<Self, String> {
        let start: Position = match &stored.fen {
            Some(fen) => fen.parse().map_err(|error| format!("fen \"{fen}\": {error}"))?,
            None => Position::start(),
        };
        let words = stored.moves.split_whitespace();
        let moves = words.map(|word| word.parse().map_err(|error| format!("moves: {error}")));
        let moves = moves.collect::<Result<Vec<Move>, _>>()?;
        Tree::from_moves(start.clone(), &moves).map_err(|error| format!("moves: {error}"))?;
        let notes =
            stored.notes.iter().map(|note| note.parse::<MoveNote>().map_err(|error| error.to_string()));
        let notes = notes.collect::<Result<Vec<_>, _>>()?;
        let opening = usize::from(stored.opening_plies);
        if !notes.is_empty() && opening + notes.len() != moves.len() {
            return Err(format!(
                "{} notes on {} moves, {opening} of them the opening",
                notes.len(),
                moves.len()
            ));
        }
        Ok(Self {
            pair: stored.pair,
            red: stored.red,
            black: stored.black,
            a: named(&Colour::ALL, Colour::name, &stored.a)?,
            opening_plies: stored.opening_plies,
            opening: Opening::of(&start, &moves),
            start,
            moves,
            outcome: named(&Outcome::ALL, Outcome::name, &stored.outcome)?,
            reason: named(&EndReason::ALL, EndReason::name, &stored.reason)?,
            notes,
            fault: stored.fault,
        })
    }
}

fn named<T: Copy>(all: &[T], name_of: fn(T) -> &'static str, name: &str) -> Result<T, String> {
    let names = || all.iter().map(|&known| name_of(known)).collect::<Vec<_>>().join(", ");
    let known = all.iter().copied().find(|&known| name_of(known) == name);
    known.ok_or_else(|| format!("\"{name}\": want one of {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> MatchGame {
        MatchGame {
            pair: 3,
            red: "random".to_owned(),
            black: "depth-2".to_owned(),
            a: Colour::Black,
            start: Position::start(),
            opening_plies: 1,
            opening: Opening::all().first(),
            moves: ["h2e2", "h9g7"].map(|text| text.parse().unwrap()).to_vec(),
            outcome: Outcome::Win(Colour::Black),
            reason: EndReason::Rules(Reason::Checkmate),
            notes: vec![],
            fault: None,
        }
    }

    #[test]
    fn a_game_is_one_line_of_json() {
        let game = game();
        assert_eq!(game.points(), Points::Win);
        let line = serde_json::to_string(&game).unwrap();
        assert_eq!(
            line,
            "{\"pair\":3,\"red\":\"random\",\"black\":\"depth-2\",\"a\":\"black\",\"opening_plies\":1,\
             \"opening\":\"中炮\",\"moves\":\"h2e2 h9g7\",\"outcome\":\"black\",\"reason\":\"checkmate\"}"
        );
        assert_eq!(serde_json::from_str::<MatchGame>(&line).unwrap(), game);
        let whole = MatchGame {
            start: "3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 3 40".parse().unwrap(),
            opening_plies: 0,
            opening: None,
            moves: vec!["e1d1".parse().unwrap()],
            reason: EndReason::Stall,
            notes: vec!["+0.35/12 1234n 0.050s".parse().unwrap()],
            fault: Some("it said nothing".to_owned()),
            ..game
        };
        let line = serde_json::to_string(&whole).unwrap();
        assert_eq!(serde_json::from_str::<MatchGame>(&line).unwrap(), whole);
    }

    #[test]
    fn stored_games_that_cannot_be_are_refused() {
        let line = serde_json::to_string(&game()).unwrap();
        for (good, bad, what) in [
            ("h9g7", "h2e2", "is not legal"),
            ("\"black\",\"reason\"", "\"blue\",\"reason\"", "want one of red, draw, black"),
            ("checkmate", "boredom", "want one of checkmate"),
            ("\"pair\"", "\"fen\":\"9/9 w\",\"pair\"", "fen"),
            ("\"pair\"", "\"notes\":[\"\",\"\",\"\"],\"pair\"", "3 notes on 2 moves"),
            ("\"pair\"", "\"bear\"", "unknown field"),
        ] {
            assert!(line.contains(good));
            let error = serde_json::from_str::<MatchGame>(&line.replacen(good, bad, 1)).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
        }
    }

    #[test]
    fn a_game_is_written_as_pgn_and_read_back() {
        let game = MatchGame {
            outcome: Outcome::Draw,
            reason: EndReason::Rules(Reason::RepetitionDraw),
            notes: vec!["-0.35/12 1234n 0.050s".parse().unwrap()],
            fault: Some("said {so}".to_owned()),
            ..game()
        };
        let record = game.to_record("a match");
        let text = notation::write_pgn(&record, notation::Style::CHINESE);
        assert!(
            text.contains("[Termination \"repetition-draw\"]") && text.contains("[Round \"8\"]"),
            "{text}"
        );
        assert!(text.contains("炮二平五") && text.contains("{-0.35/12 1234n 0.050s\n"), "{text}");
        let read = notation::read_records(text.as_bytes()).pop().unwrap().unwrap();
        assert_eq!((read.main_line(), read.result), (game.moves, Some(Outcome::Draw)));
        let last = read.tree.leaves().next().unwrap();
        let (note, fault) = read.tree.comment(last).split_once('\n').unwrap();
        assert_eq!((note.parse(), Some(fault.to_owned())), (Ok(game.notes[0]), game.fault));
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
        assert!(reasons.to_string().ends_with(", illegal-move 2, time 1, crash 1, stall 1"), "{reasons}");
        let json = serde_json::to_string(&reasons).unwrap();
        assert!(json.contains("\"illegal-move\":2,"), "{json}");
        assert_eq!(serde_json::from_str::<Reasons>(&json).unwrap(), reasons);
        assert!(serde_json::from_str::<Reasons>("{\"boredom\":1}").is_err());
    }
}
