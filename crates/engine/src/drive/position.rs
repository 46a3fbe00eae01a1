//! Positions as engines are shown them.

use rules::{Move, Position};

use super::{Dialect, coordinates};

/// `fen F` and the moves since, in the words of `dialect`. F is where the game started, for UCCI and Cyclone the position
/// after the last capture: what came before can't come back.
///
/// # Panics
/// If a move isn't legal.
pub(super) fn fen_and_moves(dialect: Dialect, start: &Position, moves: &[Move]) -> String {
    let since_capture = matches!(dialect, Dialect::Ucci | Dialect::Cyclone);
    let mut position = start.clone();
    let mut fen = position.fen();
    let mut tail = String::new();
    for &mv in moves {
        assert!(position.legal_moves().contains(&mv), "{mv} is no legal move of {}", position.fen());
        let text = coordinates::write(&position, mv, dialect.ranks());
        let undo = position.play_unchecked(mv);
        if since_capture && undo.captured().is_some() {
            fen = position.fen();
            tail.clear();
        } else {
            tail = tail + " " + &text;
        }
    }
    let word = if tail.is_empty() { "" } else { " moves" };
    format!("fen {fen}{word}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<Move> {
        text.split_whitespace().map(|word| word.parse().expect("a move")).collect()
    }

    fn check(dialect: Dialect, played: &str, expected: &str) {
        assert_eq!(fen_and_moves(dialect, &Position::start(), &moves(played)), expected, "{dialect}");
    }

    const START: &str = "fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

    #[test]
    fn without_captures_all_start_at_the_start() {
        for dialect in Dialect::ALL {
            check(dialect, "", START);
        }
        check(Dialect::Uci, "h2e2 h9g7", &format!("{START} moves h2e2 h9g7"));
        check(Dialect::UciVariant, "h2e2 h9g7", &format!("{START} moves h3e3 h10g8"));
        check(Dialect::Ucci, "h2e2 h9g7", &format!("{START} moves h2e2 h9g7"));
    }

    #[test]
    fn ucci_and_cyclone_start_after_the_last_capture() {
        let after = "fen rnbakab1r/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 2";
        check(Dialect::Ucci, "h2e2 h9g7 e2e6", after);
        check(Dialect::Cyclone, "h2e2 h9g7 e2e6 a9a8", &format!("{after} moves a9a8"));
        check(Dialect::Uci, "h2e2 h9g7 e2e6 a9a8", &format!("{START} moves h2e2 h9g7 e2e6 a9a8"));
    }

    #[test]
    #[should_panic(expected = "a0a9 is no legal move")]
    fn illegal_moves_are_the_callers_mistake() {
        _ = fen_and_moves(Dialect::Uci, &Position::start(), &moves("a0a9"));
    }
}
