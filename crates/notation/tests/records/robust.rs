//! Damaged files: whatever they are, an answer and no panic.

use crate::samples::{cbf, cbl, cbr, endgame, game, small, xqf};
use notation::{Style, read_records, write_dhtmlxq, write_pgn};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

fn samples() -> Vec<Vec<u8>> {
    let keys = [0x35, 0x47, 0xA3, 0x99];
    let chinese = write_pgn(&game(), Style::CHINESE);
    vec![
        xqf(&game(), 0x0A, keys),
        xqf(&game(), 0x12, keys),
        cbr(&game()),
        cbl("名局", &[&cbr(&small()), &cbr(&endgame())]),
        cbf(&game()).into_bytes(),
        write_dhtmlxq(&game()).into_bytes(),
        encoding_rs::GB18030.encode(&chinese).0.into_owned(),
        (chinese + &write_pgn(&game(), Style::Iccs) + &write_pgn(&endgame(), Style::San)).into_bytes(),
    ]
}

/// What was read can be written and read again, as it was.
fn check(bytes: &[u8]) {
    let records = read_records(bytes);
    assert!(!records.is_empty());
    for record in &records {
        match record {
            Ok(record) => {
                let mut quiet = record.clone();
                quiet.warnings.clear();
                let text = write_pgn(record, Style::Wxf);
                assert_eq!(read_records(text.as_bytes()), [Ok(quiet)], "{text}");
                if record.tree.preorder().all(|node| record.tree.remarks(node).is_empty()) {
                    let text = write_dhtmlxq(record);
                    let again = read_records(text.as_bytes());
                    assert_eq!(again[0].as_ref().map(|again| &again.tree), Ok(&record.tree), "{text}");
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn files_cut_off_anywhere_give_an_answer() {
    for sample in samples() {
        for length in 0..sample.len().min(5000) {
            check(&sample[..length]);
        }
    }
}

#[test]
fn files_with_other_bytes_give_an_answer() {
    let rng = &mut ChaCha8Rng::seed_from_u64(41);
    for sample in samples() {
        for _ in 0..400 {
            let mut damaged = sample.clone();
            for _ in 0..rng.random_range(1..=8) {
                let place = rng.random_range(0..damaged.len());
                match rng.random_range(0..4) {
                    0 => damaged[place] ^= 1 << rng.random_range(0..8),
                    1 => damaged[place] = rng.random_range(0..=255),
                    2 => damaged.insert(place, b"{}()[]\"\n\\ 1*"[rng.random_range(0..12)]),
                    _ => drop(damaged.remove(place)),
                }
            }
            check(&damaged);
        }
    }
}

#[test]
fn noise_gives_an_answer() {
    let rng = &mut ChaCha8Rng::seed_from_u64(42);
    for _ in 0..2000 {
        let mut noise: Vec<u8> = (0..rng.random_range(0..200)).map(|_| rng.random_range(0..=255)).collect();
        let starts: [&[u8]; 5] =
            [b"", b"XQ\x12", b"CCBridge Record\0", b"[DhtmlXQ_movelist]", b"<ChineseChessRecord>"];
        noise.splice(0..0, starts[rng.random_range(0..5)].iter().copied());
        check(&noise);
    }
}

#[test]
fn hostile_files_give_an_answer_in_time() {
    let xml =
        |inner: &str| format!("<ChineseChessRecord><Head/><MoveList>{inner}</MoveList></ChineseChessRecord>");
    let mut siblings = xqf(&small(), 0x0A, [0; 4]);
    siblings.truncate(1032);
    siblings.extend([0x18 + 27, 0x20 + 24, 0x0F, 0, 0, 0, 0, 0].repeat(50_000));
    let mut files = vec![
        xml(&"<a>".repeat(100_000)).into_bytes(),
        xml(&"<Move value=\"77-47\"/><Move value=\"70-62\"/>".repeat(9_000)).into_bytes(),
        siblings,
        cbl("", &[cbr(&small()).as_slice(); 100]),
    ];
    for pattern in [
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "\\",
        "1.",
        "[a \"",
        "[Event \"\"]\n",
        "{\n[Event \"\"]\n",
        "[a",
        "; \n",
        "1. h2e2 (",
        "1. h2e2 1-0\n",
        "炮",
        "炮二平五",
        "炮二平五 (炮二平四)",
        "$1 ",
        "\u{3000}",
        "a\n",
        "[DhtmlXQ",
        "[DhtmlXQ]",
        "[DhtmlXQ_a]",
        "[DhtmlXQ_movelist]",
        "[/DhtmlXQ_",
        "dhtmlxq",
        "[DhtmlXQ_movelist]7747[DhtmlXQ_comment1]",
        "&",
        "\\u0041",
        "[a\"] \"]",
    ] {
        files.push(pattern.repeat(400_000 / pattern.len()).into_bytes());
        files.push(format!("[DhtmlXQ_movelist]{}", pattern.repeat(400_000 / pattern.len())).into_bytes());
    }
    let numbered = |form: fn(usize) -> String| (0..30_000).map(form).collect::<String>().into_bytes();
    files.push(numbered(|i| format!("[a{i} \"\"]\n")));
    files.push(numbered(|i| format!("[DhtmlXQ_a{i}]x[/DhtmlXQ_a{i}]")));
    files.push(numbered(|i| format!("[DhtmlXQ_move_{i}_1_{}]7747", i + 1)));
    files.push(numbered(|i| format!("[DhtmlXQ_comment{i}]x")));
    for file in files {
        assert!(!read_records(&file).is_empty());
    }
}
