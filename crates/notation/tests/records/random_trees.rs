//! Random games with variations and comments, through every format.

use crate::samples::{cbr, xqf};
use notation::{NodeId, Record, Style, read_records, write_dhtmlxq, write_pgn};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Outcome, Position};

/// Mostly what means something in one of the formats.
const PIECES: [&str; 25] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\\",
    "\"",
    "\n",
    "\n[Event \"x\"]",
    "||",
    "&lt;",
    "<br>",
    "[/DhtmlXQ_x]",
    "[DhtmlXQ_x]",
    "\\u0041",
    ";",
    "%",
    "$1",
    "1.",
    "炮二平五",
    "1-0",
    "&",
    " ",
    "注",
];

fn text(rng: &mut ChaCha8Rng) -> String {
    (0..rng.random_range(1..8)).map(|_| PIECES[rng.random_range(0..PIECES.len())]).collect()
}

fn random_record(rng: &mut ChaCha8Rng) -> Record {
    let mut record = Record::new(Position::start());
    record.result = [None, Some(Outcome::ALL[rng.random_range(0..3)])][rng.random_range(0..2)];
    for name in ["Event", "Red", "Black", "Custom"] {
        if rng.random_ratio(1, 3) {
            record.tags.set(name, &text(rng));
        }
    }
    let mut cursor = record.tree.cursor();
    let mut nodes = vec![NodeId::ROOT];
    for _ in 0..rng.random_range(0..40) {
        if rng.random_ratio(1, 5) {
            cursor.go_to(nodes[rng.random_range(0..nodes.len())]);
        }
        let legal = cursor.position().legal_moves();
        if !legal.is_empty() {
            nodes.push(cursor.add(legal[rng.random_range(0..legal.len())]).unwrap());
            if rng.random_ratio(1, 5) {
                cursor.comment(&text(rng));
            }
        }
    }
    record
}

#[test]
fn random_trees_survive_every_format() {
    let rng = &mut ChaCha8Rng::seed_from_u64(43);
    for _ in 0..400 {
        let record = random_record(rng);
        let read = |bytes: &[u8]| read_records(bytes).remove(0);
        for style in Style::ALL {
            let text = write_pgn(&record, style);
            assert_eq!(read_records(text.as_bytes()), [Ok(record.clone())], "{}: {text}", style.name());
        }
        let text = write_dhtmlxq(&record);
        assert_eq!(read(text.as_bytes()), Ok(record.clone()), "{text}");

        // The binary formats have no place for all tags.
        let bare = Record { tags: notation::Tags::default(), ..record };
        let keys = [rng.random(), rng.random(), rng.random(), rng.random()];
        let version = [0x0A, 0x0B, 0x0C, 0x12][rng.random_range(0..4)];
        assert_eq!(read(&xqf(&bare, version, keys)), Ok(bare.clone()), "version {version}, keys {keys:?}");
        assert_eq!(read(&cbr(&bare)), Ok(bare));
    }
}
