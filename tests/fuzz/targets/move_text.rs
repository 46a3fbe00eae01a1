//! Moves in writing: a line with a position, then a move on each. A first line that is no position chooses one of the
//! cases. What is read is legal, and what is legal reads back in every style.

#![no_main]

use fuzz::case;
use libfuzzer_sys::fuzz_target;
use notation::{Opening, Ranks, Settled, Style, read_fen, read_move, read_moves, write_move};
use rules::{Move, Position};
use std::collections::HashSet;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default();
    let start = match read_fen(first) {
        Ok((position, _)) => position,
        Err(_) => match *first.as_bytes() {
            [high, low, ..] => case(high, low).start.clone(),
            _ => Position::start(),
        },
    };
    let texts: Vec<&str> = lines.collect();
    check_texts(&start, &texts);
    check_written(&start);
    check_list(&start, &texts);
});

/// Each text by itself.
fn check_texts(position: &Position, texts: &[&str]) {
    for text in texts {
        for ranks in [Ranks::ZeroBased, Ranks::OneBased] {
            match read_move(position, text, ranks) {
                Ok(mv) => assert!(position.is_legal(mv), "{text:?} was read as {mv} in {position:?}"),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
}

/// Every legal move, in every style.
fn check_written(position: &Position) {
    let moves = position.legal_moves();
    for style in Style::ALL {
        let mut seen = HashSet::new();
        for &mv in &moves {
            let text = write_move(position, mv, style);
            assert_eq!(
                read_move(position, &text, style.ranks()),
                Ok(mv),
                "{text} as {style} in {position:?}"
            );
            assert!(seen.insert(text.clone()), "{text} twice as {style} in {position:?}");
        }
    }
}

/// The texts one after the other.
fn check_list(start: &Position, texts: &[&str]) {
    match read_moves(start, texts) {
        Ok(moves) => {
            assert_eq!(moves.len(), texts.len());
            check_moves(start, &moves);
        }
        Err(error) => {
            assert!(error.index < texts.len() && !error.to_string().is_empty());
            assert_eq!(error.ranks, Settled::of(start, texts).ranks);
            let moves = read_moves(start, &texts[..error.index]);
            // The moves before it alone may show another way of counting ranks.
            check_moves(start, &moves.unwrap_or_default());
        }
    }
}

fn check_moves(start: &Position, moves: &[Move]) {
    for style in Style::ALL {
        let mut position = start.clone();
        let mut written = Vec::new();
        for &mv in moves {
            assert!(position.is_legal(mv), "{mv} in {position:?}");
            written.push(write_move(&position, mv, style));
            position.play_unchecked(mv);
        }
        // A list that is legal in both ways of counting is taken to count from 0.
        if style.ranks() == Ranks::ZeroBased {
            assert_eq!(read_moves(start, &written).as_deref(), Ok(moves), "{written:?} as {style}");
        }
    }
    let reached = Opening::reached(start, moves);
    assert!(Opening::of(start, moves).is_none_or(|opening| reached.contains(&opening)));
}
