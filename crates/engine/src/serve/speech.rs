//! How thoughts and answers are put into words.

use super::dialect::Dialect;
use super::score::{Score, permille};
use crate::think::{Line, Proven, Thought};
use notation::Ranks;
use rules::Move;
use std::fmt::Write as _;
use std::time::Duration;

/// Which words are used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speech {
    pub(super) dialect: Dialect,
    pub(super) ranks: Ranks,
    pub(super) shows_wdl: bool,
    /// UCCI's unit of time.
    pub(super) unit: Duration,
}

/// What goes with a move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Extras {
    /// The answer that is expected.
    pub(super) ponder: Option<Move>,
    /// Accepts a draw.
    pub(super) draw: bool,
    /// Gives up.
    pub(super) resign: bool,
}

impl Speech {
    /// A move by its points.
    pub(super) fn mv(&self, mv: Move) -> String {
        let mut text = String::with_capacity(6);
        for point in [mv.from(), mv.to()] {
            text.push(char::from(b'a' + point.file()));
            text += &(point.rank() + self.ranks.lowest()).to_string();
        }
        text
    }

    /// Something for a person to read, in one line.
    pub(super) fn remark(&self, text: &str) -> String {
        let text = text.replace(char::is_control, " ");
        match self.dialect {
            Dialect::Ucci => format!("info message {text}"),
            Dialect::Uci | Dialect::Cyclone => format!("info string {text}"),
        }
    }

    /// What has been found, in one line or more. UCCI has no words for more than the best line, for mates and speeds.
    pub(super) fn thought(&self, thought: &Thought, lines: usize) -> String {
        match self.dialect {
            Dialect::Ucci => self.ucci_thought(thought),
            Dialect::Uci | Dialect::Cyclone => {
                let shown = (1..).zip(thought.lines.iter().take(lines));
                shown
                    .map(|(number, line)| self.uci_line(thought, number, line))
                    .collect::<Vec<_>>()
                    .join("\n")
            }
        }
    }

    fn uci_line(&self, thought: &Thought, number: usize, line: &Line) -> String {
        let Thought { nodes, elapsed, depth, seldepth, hashfull_permille, .. } = thought;
        let score = Score::new(line.value, line.proven).uci();
        let wdl = if self.shows_wdl {
            let [win, draw, loss] = permille(line.proven.map_or(line.wdl, Proven::wdl));
            format!(" wdl {win} {draw} {loss}")
        } else {
            String::new()
        };
        let nps = (u128::from(*nodes) * 1_000_000).checked_div(elapsed.as_micros()).unwrap_or(0);
        let time = elapsed.as_millis();
        format!(
            "info depth {depth} seldepth {seldepth} multipv {number} score {score}{wdl} nodes {nodes} nps {nps} hashfull \
             {hashfull_permille} tbhits 0 time {time} pv{}",
            self.moves(&line.pv)
        )
    }

    fn ucci_thought(&self, thought: &Thought) -> String {
        let Some(line) = thought.lines.first() else { return String::new() };
        let time = thought.elapsed.as_millis() / self.unit.as_millis();
        let score = Score::new(line.value, line.proven).ucci();
        format!(
            "info time {time} nodes {}\ninfo depth {} score {score} pv{}",
            thought.nodes,
            thought.depth,
            self.moves(&line.pv)
        )
    }

    /// Visits, prior and value of the moves, the least visited first, in the manner of Lc0.
    pub(super) fn move_statistics(&self, lines: &[Line]) -> String {
        let mut text = String::new();
        for Line { mv, visits, prior, value, wdl, .. } in lines.iter().rev() {
            let statistics = format!(
                "{} N: {visits} (P: {:.2}%) (Q: {value:.5}) (D: {:.3})",
                self.mv(*mv),
                100.0 * prior,
                wdl.draw
            );
            text += &self.remark(&statistics);
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// What is worth saying of a position without a move.
    pub(super) fn lost(&self) -> String {
        match self.dialect {
            Dialect::Ucci => format!("info depth 0 score {}", Score::Mate(0).ucci()),
            Dialect::Uci | Dialect::Cyclone => "info depth 0 score mate 0".to_owned(),
        }
    }

    /// The answer to an order to think.
    pub(super) fn answer(&self, best: Option<Move>, extras: Extras) -> String {
        let Some(best) = best else {
            return match self.dialect {
                Dialect::Ucci => "nobestmove".to_owned(),
                Dialect::Uci | Dialect::Cyclone => "bestmove (none)".to_owned(),
            };
        };
        let mut text = format!("bestmove {}", self.mv(best));
        if let Some(ponder) = extras.ponder {
            text = text + " ponder " + &self.mv(ponder);
        }
        if self.dialect == Dialect::Ucci {
            text += if extras.draw { " draw" } else { "" };
            text += if extras.resign { " resign" } else { "" };
        }
        text
    }

    fn moves(&self, moves: &[Move]) -> String {
        moves.iter().fold(String::new(), |mut text, &mv| {
            write!(text, " {}", self.mv(mv)).expect("a string takes all");
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evaluator::Wdl;

    fn speech(dialect: Dialect, ranks: Ranks) -> Speech {
        Speech { dialect, ranks, shows_wdl: true, unit: Duration::from_millis(1) }
    }

    fn thought() -> Thought {
        let moves = |text: &str| text.split(' ').map(|mv| mv.parse().expect("a move")).collect::<Vec<Move>>();
        let line = |pv: &str, value, proven| Line {
            mv: moves(pv)[0],
            visits: 10,
            prior: 0.25,
            value,
            wdl: Wdl::from_value(value, 0.5),
            proven,
            pv: moves(pv),
        };
        Thought {
            nodes: 20,
            elapsed: Duration::from_millis(40),
            depth: 3,
            seldepth: 5,
            hashfull_permille: 1,
            lines: vec![line("h2e2 h9g7", 0.1, None), line("a0a9 e9d9", 0.9, Some(Proven::Win { plies: 3 }))],
        }
    }

    #[test]
    fn uci_lines_have_all_that_interfaces_look_for() {
        let text = speech(Dialect::Uci, Ranks::ZeroBased).thought(&thought(), 2);
        let expected = "info depth 3 seldepth 5 multipv 1 score cp 14 wdl 300 500 200 nodes 20 nps 500 hashfull 1 tbhits 0 \
                        time 40 pv h2e2 h9g7\n\
                        info depth 3 seldepth 5 multipv 2 score mate 2 wdl 1000 0 0 nodes 20 nps 500 hashfull 1 tbhits 0 \
                        time 40 pv a0a9 e9d9";
        assert_eq!(text, expected);
        assert_eq!(speech(Dialect::Uci, Ranks::ZeroBased).thought(&thought(), 1).lines().count(), 1);
    }

    #[test]
    fn ucci_scores_are_bare_numbers() {
        let text = speech(Dialect::Ucci, Ranks::ZeroBased).thought(&thought(), 2);
        assert_eq!(text, "info time 40 nodes 20\ninfo depth 3 score 14 pv h2e2 h9g7");
        let seconds = Speech { unit: Duration::from_secs(1), ..speech(Dialect::Ucci, Ranks::ZeroBased) };
        assert!(seconds.thought(&thought(), 1).starts_with("info time 0 "));
    }

    #[test]
    fn answers_in_each_dialect() {
        let [best, ponder] = ["a9a8", "h2e2"].map(|text| text.parse::<Move>().expect("a move"));
        let extras = Extras { ponder: Some(ponder), draw: true, resign: true };
        for (dialect, ranks, answer, none) in [
            (Dialect::Uci, Ranks::ZeroBased, "bestmove a9a8 ponder h2e2", "bestmove (none)"),
            (Dialect::Uci, Ranks::OneBased, "bestmove a10a9 ponder h3e3", "bestmove (none)"),
            (Dialect::Ucci, Ranks::ZeroBased, "bestmove a9a8 ponder h2e2 draw resign", "nobestmove"),
        ] {
            let speech = speech(dialect, ranks);
            assert_eq!(speech.answer(Some(best), extras), answer);
            assert_eq!(speech.answer(None, extras), none);
        }
        assert_eq!(
            speech(Dialect::Uci, Ranks::ZeroBased).answer(Some(best), Extras::default()),
            "bestmove a9a8"
        );
    }

    #[test]
    fn statistics_of_moves_are_remarks() {
        let text = speech(Dialect::Uci, Ranks::ZeroBased).move_statistics(&thought().lines);
        assert_eq!(text.lines().count(), 2);
        assert!(text.ends_with("info string h2e2 N: 10 (P: 25.00%) (Q: 0.10000) (D: 0.500)"), "{text}");
    }
}
