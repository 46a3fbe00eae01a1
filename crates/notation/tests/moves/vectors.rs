//! The conversion vectors of the corpus of cases.

use notation::{Digits, Ranks, Script, Style, read_move, write_move};
use rules::{Move, Setup};
use serde_json::Value;

const CASES: &str = include_str!("../../../../tests/rules/cases.jsonl");

/// The case's name of each style.
const STYLES: [(&str, Style); 8] = [
    ("uci", Style::Coordinates),
    ("iccs", Style::Iccs),
    ("chinese", Style::CHINESE),
    ("chinese_ascii", Style::Chinese { script: Script::Simplified, digits: Digits::Ascii }),
    ("chinese_trad", Style::Chinese { script: Script::Traditional, digits: Digits::FullWidth }),
    ("wxf", Style::Wxf),
    ("wxf_letters", Style::Xqbase),
    ("shorthand", Style::Shorthand),
];

#[test]
fn every_vector_is_written_and_read() {
    let cases = CASES.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let cases: Vec<Value> = cases.filter(|case| case["kind"] == "notation").collect();
    assert!(cases.len() >= 30, "{} cases", cases.len());
    for case in cases {
        // On some of these boards the waiting general could be taken.
        let position = case["fen"].as_str().unwrap().parse::<Setup>().unwrap().check_diagram().unwrap();
        let mv: Move = case["move"].as_str().unwrap().parse().unwrap();
        let expected = case["expected"].as_object().unwrap();
        assert_eq!(expected.len(), STYLES.len(), "{}", case["id"]);
        for (name, style) in STYLES {
            let text = expected[name].as_str().unwrap();
            assert_eq!(write_move(&position, mv, style), text, "{} {name}", case["id"]);
            assert_eq!(read_move(&position, text, Ranks::ZeroBased), Ok(mv), "{} {name}", case["id"]);
        }
        // The other program names the file where the place isn't needed.
        let other = case["oracles"]["pyffish_wxf"].as_str().unwrap();
        assert_eq!(read_move(&position, other, Ranks::ZeroBased), Ok(mv), "{} {other}", case["id"]);
    }
}

/// Boards that no game reaches, pawns of both files crowded on their own side of the river.
#[test]
fn vectors_on_diagrams() {
    let diagram = |fen: &str| fen.parse::<Setup>().unwrap().check_diagram().unwrap();
    let position = diagram("3k5/9/9/9/3p1p3/9/3p5/5p3/9/4K4 b");
    for (mv, chinese, wxf, xqbase) in
        [("d3e3", "一卒平５", "14=5", "Pa=5"), ("f2e2", "三卒平５", "16=5", "Pc=5")]
    {
        let mv: Move = mv.parse().unwrap();
        for (style, text) in [(Style::CHINESE, chinese), (Style::Wxf, wxf), (Style::Xqbase, xqbase)] {
            assert_eq!(write_move(&position, mv, style), text);
            assert_eq!(read_move(&position, text, Ranks::ZeroBased), Ok(mv), "{text}");
        }
    }
}
