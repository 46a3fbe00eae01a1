//! Dialects of FEN.

use notation::{FenNote, read_fen};
use rules::{FenError, Position};

const BOARD: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";

#[test]
fn every_dialect_is_the_same_position() {
    let tails = [
        "",
        " w",
        " r",
        " W",
        " R",
        " w -",
        " w - -",
        " w - - 0",
        " w - - 0 1",
        " w - 0 1",
        " w 0 1",
        "[] w - - 0 1",
    ];
    for tail in tails {
        let (position, notes) = read_fen(&format!("{BOARD}{tail}")).unwrap();
        assert_eq!((position.fen().as_str(), notes), (rules::START_FEN, vec![]), "{tail}");
    }
    for (elephant, horse) in [("e", "h"), ("m", "n"), ("b", "h")] {
        let fen = format!("r{horse}{elephant}aka{elephant}{horse}r").replace('a', "g");
        let fen = BOARD.replace("rnbakabnr", &fen);
        assert_eq!(read_fen(&fen).unwrap().0, Position::start(), "{fen}");
    }
    let black = read_fen(&format!("  {BOARD}\tB - 7 12\r\n")).unwrap().0;
    assert_eq!(black.fen(), format!("{BOARD} b - - 7 12"));
}

#[test]
fn what_is_replaced_is_noted() {
    let cases = [
        (" red", vec![FenNote::Turn("red".to_owned())]),
        (" w KQkq - 0 1", vec![FenNote::Field("KQkq".to_owned())]),
        (" w - - 0 0", vec![FenNote::RoundZero]),
    ];
    for (tail, expected) in cases {
        let (position, notes) = read_fen(&format!("{BOARD}{tail}")).unwrap();
        assert_eq!((position.fen().as_str(), notes), (rules::START_FEN, expected), "{tail}");
    }
}

#[test]
fn what_is_no_position_is_refused() {
    let refused = [
        "",
        "w",
        "9/9 w",
        "rnbakabnr[Nn] w",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBA1ABNR w - - 0 1",
        "4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1",
        "3k5/9/9/9/9/9/9/9/9/4K4 w - - many 1",
        "3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1 moves",
    ];
    for fen in refused {
        assert!(read_fen(fen).is_err(), "{fen}");
    }
    let error = read_fen("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1 moves").unwrap_err();
    assert_eq!(error, FenError::Extra("moves".to_owned()));
}
