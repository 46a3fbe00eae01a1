//! Whole searches written down. `MEIHUA_REWRITE_GOLDEN=1 cargo test -p search` writes them anew; review the diff.

use crate::common::{game, rng};
use evaluator::{Answer, Evaluator, EvaluatorError, Hashed, Query};
use rules::START_FEN;
use search::{Report, Root, Search, Settings};
use std::fmt::Write as _;

/// Writes down which positions are asked for.
struct Transcript {
    inner: Hashed,
    leaves: Vec<String>,
}

impl Evaluator for Transcript {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        self.leaves.extend(queries.iter().map(|query| query.position.fen()));
        self.inner.evaluate(queries, answers)
    }
}

fn transcript(name: &str, fen: &str, root: Root, simulations: u32) -> String {
    let mut search = Search::new(Settings::default());
    let mut evaluator = Transcript { inner: Hashed { seed: 1 }, leaves: Vec::new() };
    search.start(&game(fen, ""), root, simulations, &mut rng());
    search::run(&mut search, &mut evaluator).unwrap();
    let mut text = format!("# {name}: {root:?}, {simulations} simulations\n# {fen}\n");
    write_report(&mut text, &search.report());
    // The order in which the first leaves were asked for shows how the tree grew.
    for leaf in evaluator.leaves.iter().take(24) {
        writeln!(text, "leaf {leaf}").unwrap();
    }
    text
}

fn write_report(text: &mut String, report: &Report) {
    let line: Vec<String> = report.line.iter().map(ToString::to_string).collect();
    writeln!(
        text,
        "best {} value {:.3} draw {:.3} kl {:.3} simulations {} proven {:?}\nline {}",
        report.decision.best,
        report.decision.value,
        report.decision.draw,
        report.decision.kl,
        report.decision.simulations,
        report.decision.proven,
        line.join(" ")
    )
    .unwrap();
    for root_move in report.moves.iter().filter(|root_move| root_move.visits > 0) {
        writeln!(
            text,
            "{} visits {} prior {:.3} q {:.3} target {:.3} proven {:?}",
            root_move.mv,
            root_move.visits,
            root_move.prior,
            root_move.q.unwrap(),
            root_move.target,
            root_move.proven
        )
        .unwrap();
    }
}

#[test]
fn trees_are_as_written_down() {
    let text = [
        transcript("self-play", START_FEN, Root::Gumbel { noise: true }, 32),
        transcript("arena", START_FEN, Root::Gumbel { noise: false }, 64),
        transcript("engine", START_FEN, Root::Puct, 400),
        transcript("mate in two", "4k4/9/R8/1R7/9/9/p8/9/9/3K5 w", Root::Puct, 5000),
        transcript("endgame", "3k5/4P4/9/9/9/6N2/9/4B3p/4A4/4K4 b", Root::Gumbel { noise: false }, 200),
    ]
    .join("\n");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/trees.txt");
    if std::env::var_os("MEIHUA_REWRITE_GOLDEN").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(path).unwrap();
    for (number, (line, expected)) in text.lines().zip(golden.lines()).enumerate() {
        assert_eq!(line, expected, "line {} of {path}", number + 1);
    }
    assert_eq!(text.lines().count(), golden.lines().count());
}
