//! Positions in writing. What is read must be a position whose lists, counters and keys are right, before and after
//! every move.

#![no_main]

use fuzz::position::{assert_as_written, assert_list_is_legal, assert_moves_and_back, assert_symmetric};
use libfuzzer_sys::fuzz_target;
use notation::{MoveTextError, Style, read_fen, read_move, write_move};
use rules::{Kind, Position, Setup};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    match text.parse::<Setup>() {
        Ok(setup) => check_setup(&setup),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    match read_fen(&text) {
        Ok((position, notes)) => {
            assert!(notes.iter().all(|note| !note.to_string().is_empty()));
            assert_eq!(text.parse::<Position>().unwrap_or_else(|_| position.clone()), position);
            check_position(&position);
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            // FEN itself is one of the dialects, but for numbers where chess has castling and en passant.
            let mut chess = text.split_whitespace().skip(2).take(2);
            let has_number = chess.any(|field| field.bytes().all(|byte| byte.is_ascii_digit()));
            assert!(has_number || text.parse::<Position>().is_err(), "{text:?}: {error}");
        }
    }
});

fn check_setup(setup: &Setup) {
    assert_eq!(setup.fen().parse::<Setup>().as_ref(), Ok(setup));
    match (setup.check(), setup.check_diagram()) {
        (Ok(position), Ok(diagram)) => {
            assert_eq!(position.to_setup(), *setup);
            assert_eq!(position, diagram);
        }
        (Ok(_), Err(error)) => panic!("a position is a diagram too: {error}"),
        (Err(error), diagram) => {
            assert!(!error.faults.is_empty() && !error.to_string().is_empty());
            if let Ok(diagram) = diagram {
                check_diagram(&diagram);
            }
        }
    }
}

fn check_position(position: &Position) {
    assert_as_written(position);
    assert_list_is_legal(position);
    assert_symmetric(position);
    assert_moves_and_back(position);
}

/// No position of a game, but the moves in its list can be written and read. Only of advisors and elephants off their
/// points can two have the same text, and reading says so.
fn check_diagram(diagram: &Position) {
    for &mv in &diagram.legal_moves() {
        for style in Style::ALL {
            let text = write_move(diagram, mv, style);
            let kind = diagram.piece_at(mv.from()).map(|piece| piece.kind);
            match read_move(diagram, &text, style.ranks()) {
                Err(MoveTextError::Ambiguous { moves, .. })
                    if matches!(kind, Some(Kind::Advisor | Kind::Elephant)) =>
                {
                    assert!(moves.contains(&mv), "{text} as {style} in {diagram:?}");
                }
                read => assert_eq!(read, Ok(mv), "{text} as {style} in {diagram:?}"),
            }
        }
    }
}
