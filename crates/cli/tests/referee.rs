//! `meihua referee` as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::Value;
use std::process::{Command, Output};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/rules/cases.jsonl");
const PERPETUAL_CHECK: &str = "3k5/R8/9/9/9/9/9/9/9/4K4 w";

fn referee(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_meihua")).arg("referee").args(arguments).output().unwrap()
}

fn last_line(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

/// All kinds of cases; the one that fails is disputed between programs, and the rules' text is on our side.
#[test]
fn the_file_of_cases() {
    let output = referee(&["--cases", CASES, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report = last_line(&output);
    assert_eq!((&report["passed"], &report["failed"]), (&574.into(), &1.into()), "{report}");
    let failed: Vec<&String> = report["failures"].as_object().unwrap().keys().collect();
    assert_eq!(failed, ["R024-axf (line 289)"]);
    assert_eq!(report["cases"].as_object().unwrap().len(), 14);
}

#[test]
fn a_file_with_a_case_that_fails_or_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.jsonl");
    let rows = [
        r#"{"id":"good","kind":"material","ruleset":"all","fen":"3k5/9/9/9/9/9/9/9/9/4K4 w","moves":[],"expected":{"verdict_strict":"draw"}}"#,
        r#"{"id":"bad","kind":"material","ruleset":"all","fen":"3k5/9/9/9/9/9/9/9/9/4K4 w","moves":[],"expected":{"verdict_strict":"ongoing"}}"#,
        r#"{"id":"odd","kind":"riddle","ruleset":"all","expected":{}}"#,
        r#"{"id":"key","kind":"limit","ruleset":"all","fen":"3k5/9/9/9/9/9/9/9/9/4K4 w","moves":[],"expected":{"colour":"red"}}"#,
        "no JSON at all",
    ];
    std::fs::write(&file, rows.join("\n")).unwrap();
    let output = referee(&["--cases", file.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report = last_line(&output);
    assert_eq!((&report["passed"], &report["failed"]), (&1.into(), &4.into()), "{report}");
    assert_eq!(report["failures"]["bad (line 2)"], "verdict_strict is \"draw\", want \"ongoing\"");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.ends_with("error: 4 of 5 cases failed\n"), "{errors}");
}

#[test]
fn a_ruling_says_which_plies_and_why() {
    let round = ["a8a9", "d9d8", "a9a8", "d8d9"];
    let mut arguments = vec!["--fen", PERPETUAL_CHECK, "--json", "--moves"];
    arguments.extend(round.iter().chain(&round));
    let output = referee(&arguments);
    let ruling = last_line(&output);
    assert_eq!((&ruling["verdict"], &ruling["reason"]), (&"red_loses".into(), &"repetition_check".into()));
    assert_eq!(ruling["halfmove"], 8);
    let repetition = &ruling["repetition"];
    assert_eq!(repetition["occurrences"], serde_json::json!([0, 4, 8]));
    assert_eq!(repetition["plies"][2]["label"], "check");
    assert_eq!(repetition["plies"][2]["because"], "Ra8 checks");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("verdict   Red loses: repetition check (rules: formal)"), "{text}");

    // A round less decides nothing, and the fourth occurrence is another matter.
    let ruling = last_line(&referee(&["--fen", PERPETUAL_CHECK, "--json", "--moves", "a8a9 d9d8 a9a8 d8d9"]));
    assert_eq!(ruling["verdict"], "ongoing");
    arguments.splice(0..0, ["--folds", "4"]);
    assert_eq!(last_line(&referee(&arguments))["verdict"], "ongoing");
}

/// The verdict is on the state after the last move; that the game was over before is said beside it.
#[test]
fn a_game_that_was_over_before_is_said_to_be() {
    let moves = "a8a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9 a8a7 d9d8";
    let output = referee(&["--fen", PERPETUAL_CHECK, "--json", "--moves", moves]);
    let ruling = last_line(&output);
    assert_eq!(ruling["verdict"], "ongoing");
    let before = serde_json::json!({"ply": 8, "verdict": "red_loses", "reason": "repetition_check"});
    assert_eq!(ruling["was_over"], before);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("the game was over after ply 8: Red loses, repetition check"), "{text}");
}

/// The move is refused before it is played, and is said to be.
#[test]
fn refused_moves_are_listed() {
    let fen = "2ba1k3/4a4/b8/7R1/9/9/1r2p4/9/4A4/2B1KAB1c w";
    let moves = "h6i6 i0h0 i6h6 h0i0 h6i6 i0h0 i6h6 h0i0";
    let ruling = last_line(&referee(&["--rules", "casual", "--fen", fen, "--json", "--moves", moves]));
    assert_eq!(ruling["verdict"], "ongoing");
    assert_eq!(ruling["refused"], serde_json::json!({"h6i6": "chase"}));
}

/// elephantchess#34: moves in any notation, FEN in any dialect.
#[test]
fn whatever_people_write() {
    let ruling = last_line(&referee(&["--json", "--moves", "炮二平五", "马８进７", "H2+3", "I9-H9"]));
    assert_eq!(ruling["fen"], "rnbakabr1/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKAB1R w - - 4 3");
    let heads = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR r";
    assert_eq!(last_line(&referee(&["--fen", heads, "--json"]))["legal_count"], 44);
    // What is passed over is said.
    let castling = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w KQkq - 0 1";
    let errors = String::from_utf8(referee(&["--fen", castling]).stderr).unwrap();
    assert_eq!(errors, "--fen: field \"KQkq\" was left out: it means nothing in Xiangqi\n");
}

#[test]
fn bad_input_is_one_line() {
    for (arguments, what) in [
        (&["--moves", "h2e2", "h2e2"][..], "move 2: \"h2e2\""),
        (&["--fen", "9/9"], "the board has 2 ranks"),
        (&["--fen", "4k4/9/9/9/9/9/9/9/9/3K5 w moves d0d1"], "\"moves\" is no part of a position"),
        (&["--cases", "none.jsonl"], "cannot read none.jsonl"),
    ] {
        let output = referee(arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.starts_with("error: ") && text.lines().count() == 1 && text.contains(what), "{text}");
    }
    for arguments in [&["--rules", "house"][..], &["--folds", "1"], &["--material", "some"]] {
        assert_eq!(referee(arguments).status.code(), Some(2), "{arguments:?}");
    }
}
