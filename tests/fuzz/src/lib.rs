//! What the fuzz targets share: the cases of `tests/rules/cases.jsonl` to start from, and what must hold of positions,
//! records and networks.
//!
//! Each target knows a thing twice and panics where the two differ. `make fuzz` runs them all; see the Makefile. To
//! run one on its own, or again on an input that failed:
//!
//! ```text
//! cd tests/fuzz
//! cargo run --release --bin game -- -max_total_time=600 target/corpus/game
//! cargo run --release --bin game -- target/crashes/game-crash-...
//! ```

pub mod networks;
pub mod position;
pub mod records;
pub mod scatter;

use rules::{Move, Position};
use serde_json::Value;
use std::sync::LazyLock;

/// A position of the cases and the moves from there.
#[derive(Debug)]
pub struct Case {
    /// Where it starts.
    pub start: Position,
    /// What is played.
    pub moves: Vec<Move>,
}

/// The cases in the order of the file, without those for notation, some of which are no positions of games.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let json = |line| -> Value { serde_json::from_str(line).expect("a case is JSON") };
    let cases = include_str!("../../rules/cases.jsonl").lines().map(json);
    let case = |case: Value| {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let moves = case["moves"].as_array().map_or(&[][..], Vec::as_slice);
        Case {
            start: text(&case["fen"]).parse().expect("a case starts with a position"),
            moves: moves.iter().map(|mv| text(mv).parse().expect("a move")).collect(),
        }
    };
    cases.filter(|case| case["kind"] != "notation").map(case).collect()
});

/// The case that two bytes choose.
pub fn case(high: u8, low: u8) -> &'static Case {
    &CASES[usize::from(u16::from_be_bytes([high, low])) % CASES.len()]
}
