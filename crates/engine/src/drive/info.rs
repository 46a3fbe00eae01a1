//! What engines say while they think.

use std::str::{FromStr, SplitWhitespace};
use std::time::Duration;

use notation::Ranks;

use super::{EngineScore, Info, coordinates};

impl Info {
    /// Takes in an `info` line of UCI or UCCI, without the word `info`. Lines of the second and further variations
    /// don't count, nor do scores that are only bounds.
    pub(super) fn read_uci(&mut self, text: &str, ranks: Ranks) {
        let mut new = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "depth" => new.depth = number(&mut words),
                "nodes" => new.nodes = number(&mut words),
                "time" => new.time = number(&mut words).map(Duration::from_millis),
                "score" => new.score = score(&mut words),
                "lowerbound" | "upperbound" => new.score = None,
                "multipv" if number::<u32>(&mut words) != Some(1) => return,
                "pv" => new.line = words.by_ref().map_while(|word| coordinates::read(word, ranks)).collect(),
                "string" | "message" => break,
                _ => (),
            }
        }
        self.update(new);
    }

    /// Takes in a line of CECP: depth, score, centiseconds, nodes, line. `false` if it is another kind of line.
    pub(super) fn read_cecp(&mut self, text: &str) -> bool {
        let mut words = text.split_whitespace();
        let Some(depth) = words.next().and_then(leading_number) else { return false };
        let (Some(score), Some(time), Some(nodes)) =
            (number::<i32>(&mut words), number(&mut words).map(hundredths), number(&mut words))
        else {
            return false;
        };
        let line = words.filter(|word| !word.ends_with('.')).map_while(coordinates::read_cecp).collect();
        self.update(Self {
            score: Some(cecp_score(score)),
            depth: u32::try_from(depth).ok(),
            nodes: Some(nodes),
            time: Some(time),
            line,
        });
        true
    }

    fn update(&mut self, new: Self) {
        self.score = new.score.or(self.score);
        self.depth = new.depth.or(self.depth);
        self.nodes = new.nodes.or(self.nodes);
        self.time = new.time.or(self.time);
        if !new.line.is_empty() {
            self.line = new.line;
        }
    }
}

fn number<T: FromStr>(words: &mut SplitWhitespace<'_>) -> Option<T> {
    words.next()?.parse().ok()
}

/// UCI's `cp 35` and `mate -3`, UCCI's bare `35`.
fn score(words: &mut SplitWhitespace<'_>) -> Option<EngineScore> {
    match words.next()? {
        "cp" => number(words).map(EngineScore::Centipawns),
        "mate" => number(words).map(EngineScore::Mate),
        bare => bare.parse().ok().map(EngineScore::Centipawns),
    }
}

/// 100,000 and more is a mate in so many moves more.
fn cecp_score(score: i32) -> EngineScore {
    const MATE: i32 = 100_000;
    match score {
        MATE.. => EngineScore::Mate(score - MATE),
        ..=-100_000 => EngineScore::Mate(score.saturating_add(MATE)),
        _ => EngineScore::Centipawns(score),
    }
}

fn hundredths(count: u64) -> Duration {
    Duration::from_millis(count.saturating_mul(10))
}

/// Of `12`, `12.`, `12&`, `-1`.
fn leading_number(word: &str) -> Option<i64> {
    word.strip_suffix(|letter: char| letter.is_ascii_punctuation()).unwrap_or(word).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uci_lines_add_up() {
        let mut info = Info::default();
        info.read_uci("depth 3 seldepth 3 multipv 1 score cp 69 nodes 300 nps 150000 tbhits 0 time 2 pv h10g8 d1e2 b10c8", Ranks::OneBased);
        assert_eq!(info.score, Some(EngineScore::Centipawns(69)));
        assert_eq!((info.depth, info.nodes, info.time), (Some(3), Some(300), Some(Duration::from_millis(2))));
        assert_eq!(info.line.iter().map(ToString::to_string).collect::<Vec<_>>(), ["h9g7", "d0e1", "b9c7"]);
        info.read_uci("depth 4 score cp 900 lowerbound nodes 400", Ranks::OneBased);
        assert_eq!(
            (info.score, info.depth, info.nodes),
            (Some(EngineScore::Centipawns(69)), Some(4), Some(400))
        );
        info.read_uci("depth 5 multipv 2 score cp -900 nodes 500", Ranks::OneBased);
        assert_eq!(info.nodes, Some(400));
        info.read_uci("score mate -3", Ranks::OneBased);
        assert_eq!(info.score, Some(EngineScore::Mate(-3)));
        info.read_uci("string depth 99 nodes 1", Ranks::OneBased);
        info.read_uci("depth x score cp nodes -1 time 99999999999999999999 pv z", Ranks::OneBased);
        assert_eq!((info.depth, info.nodes), (Some(4), Some(400)));
    }

    #[test]
    fn ucci_scores_are_bare() {
        let mut info = Info::default();
        info.read_uci("time 1 nodes 535 depth 2 score -15 pv b7e7", Ranks::ZeroBased);
        assert_eq!((info.score, info.line.len()), (Some(EngineScore::Centipawns(-15)), 1));
    }

    #[test]
    fn cecp_lines_are_told_from_others() {
        let mut info = Info::default();
        for other in
            ["", "move h2e2", "pong 1", "# root hit 0 0 0", "1-0 {Red wins}", "1 2 3", "0-1", "Error 1 2 3"]
        {
            assert!(!info.read_cecp(other), "{other}");
        }
        assert!(info.read_cecp(" 3     22        1       7192 h2c2 "));
        assert_eq!(
            (info.depth, info.nodes, info.time),
            (Some(3), Some(7192), Some(Duration::from_millis(10)))
        );
        assert_eq!(info.line.len(), 1);
        assert!(info.read_cecp("4 -100002 0 1 2. Hc2 Hc7"));
        assert_eq!((info.score, info.line.len()), (Some(EngineScore::Mate(-2)), 1));
    }
}
