//! Verdicts on repetitions in the tree: all lines of `tests/rules/cases.jsonl`.

use crate::common::blind;
use evaluator::Wdl;
use rules::{Colour, Game, Outcome, Position, RuleSet, Rules};
use search::{Proven, Report};
use serde_json::Value;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/rules/cases.jsonl");

/// The rows of a kind, each with the game before its last moves.
fn games(kind: &str, without_last: usize) -> Vec<(Value, Game)> {
    let text = std::fs::read_to_string(FILE).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let read = |row: Value| {
        let moves = row["moves"].as_array().unwrap();
        let played = moves.len().checked_sub(without_last)?;
        let start: Position = row["fen"].as_str().unwrap().parse().unwrap();
        let mut game = Game::new(start, Rules::of(RuleSet::from_name(row["ruleset"].as_str()?).unwrap()));
        for mv in &moves[..played] {
            game.play(mv.as_str().unwrap().parse().unwrap()).unwrap();
        }
        Some((row, game))
    };
    rows.filter(|row| row["kind"] == kind).filter_map(read).collect()
}

/// The result of a game's end for the side that would move next.
fn of_ending(game: &Game) -> Option<Wdl> {
    let mover = game.position().turn();
    game.ending().map(|ending| match ending.outcome {
        Outcome::Draw => Wdl::DRAW,
        Outcome::Win(winner) if winner == mover => Wdl::WIN,
        Outcome::Win(_) => Wdl::LOSS,
    })
}

/// Moves that are said to decide at once do, and the line of a decided root ends the game as it says.
fn check_what_is_proven(game: &Game, report: &Report, row: &Value) {
    for entry in &report.moves {
        let mut after = game.clone();
        after.play(entry.mv).unwrap();
        let ended = of_ending(&after).map(Wdl::flipped);
        match entry.proven {
            Some(proven @ (Proven::Win { plies: 1 } | Proven::Loss { plies: 1 })) => {
                assert_eq!(ended, Some(proven.wdl()), "{entry:?} {row}");
            }
            proven if 0 < entry.visits => {
                assert!(ended.is_none() || proven.map(Proven::wdl) == ended, "{entry:?} {row}");
            }
            _ => {}
        }
    }
    if let Some(proven @ (Proven::Win { .. } | Proven::Loss { .. })) = report.decision.proven {
        let mut end = game.clone();
        for &mv in &report.line {
            assert_eq!(end.ending(), None, "{row}");
            end.play(mv).unwrap();
        }
        let same_mover = report.line.len().is_multiple_of(2);
        let ended = of_ending(&end).expect("a decided line ends the game");
        assert_eq!(if same_mover { ended } else { ended.flipped() }, proven.wdl(), "{row}");
    }
}

#[test]
fn verdicts_are_proven_at_their_fold() {
    let mut proven = 0;
    for (row, game) in games("repetition", 1) {
        if game.ending().is_some() {
            continue;
        }
        let report = blind(&game, 400);
        check_what_is_proven(&game, &report, &row);
        let last = row["moves"].as_array().unwrap().last().unwrap().as_str().unwrap();
        let entry = report.moves.iter().find(|entry| entry.mv.to_string() == last).unwrap();
        proven += usize::from(entry.proven.is_some());
    }
    // The rest is not visited, because another move wins at once.
    assert!(proven > 300, "{proven}");
}

/// Pikafish#113, #146, Fairy-Stockfish#635: a verdict at the second occurrence looks like a mate.
#[test]
fn nothing_is_proven_one_round_early() {
    let mut searched = 0;
    for (row, game) in games("repetition", 4) {
        if game.ending().is_none() {
            check_what_is_proven(&game, &blind(&game, 200), &row);
            searched += 1;
        }
    }
    assert!(searched > 300, "{searched}");
}

#[test]
fn refused_moves_are_not_searched() {
    let mut refused = 0;
    for (row, game) in games("refusal", 0) {
        let refusals = game.refusals();
        if game.ending().is_some() {
            continue;
        }
        let report = blind(&game, 100);
        let legal = game.position().legal_moves();
        assert_eq!(report.moves.len() + refusals.len(), legal.len(), "{row}");
        assert!(refusals.iter().all(|&(mv, _)| report.moves.iter().all(|entry| entry.mv != mv)), "{row}");
        refused += refusals.len();
    }
    assert!(refused > 40, "{refused}");
}

#[test]
fn a_side_whose_moves_are_all_refused_has_lost() {
    let (row, game) = games("refusal", 1).into_iter().find(|(row, _)| row["id"] == "R002-casual").unwrap();
    // Black steps back, and Red's only legal move is a third repetition of its check.
    assert_eq!(game.position().turn(), Colour::Black);
    let report = blind(&game, 100);
    check_what_is_proven(&game, &report, &row);
    let entry = report.moves.iter().find(|entry| entry.mv.to_string() == "f8e8").unwrap();
    assert_eq!(entry.proven, Some(Proven::Win { plies: 1 }));
}
