//! `tests/rules/perft.jsonl`: node counts on which several programs agree.

use rules::{Position, perft};
use serde_json::Value;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/rules/perft.jsonl");

#[test]
fn node_counts() {
    let text = std::fs::read_to_string(FILE).unwrap();
    let (mut rows, mut total) = (0, 0);
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let position: Position = row["fen"].as_str().unwrap().parse().unwrap();
        let nodes = perft(&position, row["depth"].as_u64().unwrap() as u32);
        assert_eq!(Some(nodes), row["nodes"].as_u64(), "{line}");
        rows += 1;
        total += nodes;
    }
    println!("{rows} rows, {total} nodes");
    assert_eq!(rows, 90);
}
