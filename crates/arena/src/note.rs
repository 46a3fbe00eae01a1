//! What a player says about its move: score, depth, nodes, time.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How a player values the position that it is to move in: positive is good for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveScore {
    /// In hundredths of a pawn.
    Centipawns(i32),
    /// It mates in so many of its own moves; negative: it is mated in so many of the opponent's; 0: it is mated now.
    Mate(i32),
}

impl MoveScore {
    /// The score in centipawns, with a mate beyond all others.
    pub fn centipawns(self) -> i32 {
        match self {
            Self::Centipawns(value) => value,
            Self::Mate(moves) if 0 < moves => MATE - moves.min(MATE / 2),
            Self::Mate(moves) => -MATE - moves.max(-MATE / 2),
        }
    }
}

/// The value of a mate on the spot, in centipawns.
const MATE: i32 = 1_000_000;

impl fmt::Display for MoveScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Centipawns(value) => {
                let (sign, size) = (if value < 0 { '-' } else { '+' }, value.unsigned_abs());
                write!(f, "{sign}{}.{:02}", size / 100, size % 100)
            }
            Self::Mate(moves) if 0 < moves => write!(f, "+M{moves}"),
            Self::Mate(moves) => write!(f, "-M{}", moves.unsigned_abs()),
        }
    }
}

/// What is known about how a move was found. Nothing of it decides a game, but for the adjudication, which goes by
/// scores.
///
/// Written as it stands in PGN's comments: `+0.35/12 1234n 0.050s` is a score of 0.35 pawns for the mover, a depth of
/// 12 plies, 1,234 nodes and 50 milliseconds; `+M3` mates in three moves, `-M2` is mated in two. What isn't known is
/// left out.
///
/// ```
/// use arena::{MoveNote, MoveScore};
///
/// let note: MoveNote = "-1.20/8 500n".parse()?;
/// assert_eq!((note.score, note.depth), (Some(MoveScore::Centipawns(-120)), Some(8)));
/// assert_eq!((note.nodes, note.time), (Some(500), None));
/// assert_eq!(note.to_string(), "-1.20/8 500n");
/// # Ok::<(), arena::ParseNoteError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MoveNote {
    /// The mover's score.
    pub score: Option<MoveScore>,
    /// The depth of the search in plies.
    pub depth: Option<u32>,
    /// The nodes of the search.
    pub nodes: Option<u64>,
    /// How long the move took, as the referee measured it. Written in milliseconds.
    pub time: Option<Duration>,
}

impl MoveNote {
    /// Does it say nothing?
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for MoveNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let score = self.score.map(|score| score.to_string()).unwrap_or_default();
        let depth = self.depth.map(|depth| format!("/{depth}")).unwrap_or_default();
        let nodes = self.nodes.map(|nodes| format!("{nodes}n")).unwrap_or_default();
        let time = self.time.map(|time| format!("{:.3}s", time.as_secs_f64())).unwrap_or_default();
        let parts = [score + &depth, nodes, time];
        let known: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        f.write_str(&known.join(" "))
    }
}

/// A text that is no note.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" is no note on a move: want one like +0.35/12 1234n 0.050s")]
pub struct ParseNoteError(pub String);

impl FromStr for MoveNote {
    type Err = ParseNoteError;

    fn from_str(text: &str) -> Result<Self, ParseNoteError> {
        let mut note = Self::default();
        for part in text.split_whitespace() {
            note.read_part(part).ok_or_else(|| ParseNoteError(text.to_owned()))?;
        }
        Ok(note)
    }
}

impl MoveNote {
    fn read_part(&mut self, part: &str) -> Option<()> {
        if let Some(nodes) = part.strip_suffix('n') {
            self.nodes = Some(nodes.parse().ok()?);
        } else if let Some(seconds) = part.strip_suffix('s') {
            self.time = Some(Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?);
        } else {
            let (score, depth) =
                part.split_once('/').map_or((part, None), |(score, depth)| (score, Some(depth)));
            self.score = if score.is_empty() { None } else { Some(read_score(score)?) };
            self.depth = depth.map(str::parse).transpose().ok()?;
        }
        Some(())
    }
}

fn read_score(text: &str) -> Option<MoveScore> {
    let sign = match text.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    if let Some(moves) = text[1..].strip_prefix('M') {
        return Some(MoveScore::Mate(sign * i32::from(moves.parse::<u16>().ok()?)));
    }
    let (pawns, hundredths) = text[1..].split_once('.')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if hundredths.len() != 2 || !is_number(hundredths) || !is_number(pawns) {
        return None;
    }
    let value = pawns.parse::<i32>().ok()?.checked_mul(100)?.checked_add(hundredths.parse().ok()?)?;
    Some(MoveScore::Centipawns(sign * value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_read_back() {
        for text in [
            "",
            "+0.35/12 1234n 0.050s",
            "-0.07",
            "+0.00/3",
            "/9",
            "+M3/40 2.500s",
            "-M2 18446744073709551615n",
            "-M0",
            "+12.00/1",
        ] {
            assert_eq!(text.parse::<MoveNote>().unwrap().to_string(), text);
        }
        for text in
            ["0.35", "+0.3", "+0.-3", "+M", "12n5", "x", "+0.35/", "1e999s", "-3s", "+99999999999.00", "é"]
        {
            assert_eq!(text.parse::<MoveNote>(), Err(ParseNoteError(text.to_owned())));
        }
    }

    #[test]
    fn mates_are_beyond_all_scores() {
        let order = [
            MoveScore::Mate(0),
            MoveScore::Mate(-5),
            MoveScore::Centipawns(-30_000),
            MoveScore::Centipawns(1),
            MoveScore::Mate(70),
            MoveScore::Mate(1),
        ];
        assert!(order.is_sorted_by_key(|score| score.centipawns()));
    }
}
