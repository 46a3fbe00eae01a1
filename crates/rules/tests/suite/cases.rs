//! `tests/rules/cases.jsonl`: positions and lines with their verdicts, each with its source.

use rules::{Category, Ending, Game, Outcome, Position, Reason, RuleSet, Rules, perft};
use serde_json::Value;
use std::num::NonZeroU16;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/rules/cases.jsonl");

/// Runs `check` on every row of a kind; `rows` guards against a file that is read wrongly.
fn for_each_case(kind: &str, rows: usize, check: impl Fn(&Value)) {
    let text = std::fs::read_to_string(FILE).unwrap();
    let cases = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let count = cases.filter(|case| case["kind"] == kind).inspect(|case| check(case)).count();
    println!("{count} rows of kind {kind}");
    assert_eq!(count, rows);
}

/// The game of a case after all of its moves.
fn game(case: &Value, rules: Rules) -> Game {
    let start: Position = case["fen"].as_str().unwrap().parse().unwrap();
    let mut game = Game::new(start, rules);
    for mv in case["moves"].as_array().unwrap() {
        game.play(mv.as_str().unwrap().parse().unwrap()).unwrap_or_else(|error| panic!("{error}: {case}"));
    }
    game
}

fn verdict(ending: Option<Ending>) -> &'static str {
    match ending.map(|ending| ending.outcome) {
        None => "ongoing",
        Some(Outcome::Draw) => "draw",
        Some(Outcome::Win(rules::Colour::Red)) => "black_loses",
        Some(Outcome::Win(rules::Colour::Black)) => "red_loses",
    }
}

#[test]
fn moves_of_one_piece() {
    for_each_case("moves", 34, |case| {
        let game = game(case, Rules::default());
        let legal = game.position().legal_moves();
        let of_piece = legal.iter().filter(|mv| mv.from().to_string() == case["from"].as_str().unwrap());
        let mut destinations: Vec<String> = of_piece.map(|mv| mv.to().to_string()).collect();
        destinations.sort();
        assert_eq!(Value::from(destinations), case["expected"]["destinations"], "{case}");
        assert_eq!(Value::from(legal.len()), case["expected"]["legal_count"], "{case}");
    });
}

#[test]
fn published_perft_tables() {
    for_each_case("perft", 8, |case| {
        let position = game(case, Rules::default()).position().clone();
        for (depth, nodes) in case["expected"]["perft"].as_object().unwrap() {
            assert_eq!(Value::from(perft(&position, depth.parse().unwrap())), *nodes, "{depth}: {case}");
        }
    });
}

#[test]
fn mate_and_stalemate() {
    for_each_case("terminal", 15, |case| {
        let game = game(case, Rules::default());
        let by_moves = |ending: &Ending| matches!(ending.reason, Reason::Checkmate | Reason::Stalemate);
        let ending = game.ending().filter(by_moves);
        assert_eq!(verdict(ending), case["expected"]["verdict"], "{case}");
        if let Some(ending) = ending {
            assert_eq!(ending.reason.name(), case["expected"]["reason"], "{case}");
        }
        if let Some(count) = case["expected"]["legal_count"].as_u64() {
            assert_eq!(u64::from(game.position().legal_count()), count, "{case}");
        }
    });
}

#[test]
fn the_natural_limit() {
    for_each_case("limit", 7, |case| {
        // A cap on the checks that count is no part of our rules.
        if !case["params"]["check_cap"].is_null() {
            return;
        }
        let limit = case["params"]["limit_plies"].as_u64().and_then(|plies| NonZeroU16::new(plies as u16));
        let game = game(case, Rules { natural_limit_plies: limit, ..Rules::default() });
        if let Some(plies) = case["expected"]["halfmove"].as_u64() {
            assert_eq!(u64::from(game.position().quiet_plies()), plies, "{case}");
        }
        assert_eq!(verdict(game.ending()), case["expected"]["verdict"], "{case}");
        if let Some(ending) = game.ending() {
            assert_eq!(ending.reason.name().replace("move-limit", "move_limit"), case["expected"]["reason"]);
        }
    });
}

#[test]
fn material_that_cannot_win() {
    for_each_case("material", 6, |case| {
        let ending = game(case, Rules::default()).ending();
        assert_eq!(verdict(ending), case["expected"]["verdict_strict"], "{case}");
        assert!(ending.is_none_or(|ending| ending.reason == Reason::Material), "{case}");
    });
}

/// Lines that the Asian rules (axf) judge by perpetual check. Under `checks` they are judged alike, and what those
/// rules call a perpetual chase is a draw.
const PERPETUAL_CHECKS: [&str; 5] = ["F007-axf", "K017-axf", "R001-axf", "R002-axf", "R004-axf"];

#[test]
fn repetitions_under_checks() {
    let judge = |case: &Value| {
        if case["ruleset"] != "axf" {
            return;
        }
        let rules = Rules { rule_set: RuleSet::Checks, ..Rules::default() };
        let game = game(case, rules);
        let (axf, id) = (case["expected"]["verdict"].as_str().unwrap(), case["id"].as_str().unwrap());
        let expected = if axf == "ongoing" || PERPETUAL_CHECKS.contains(&id) { axf } else { "draw" };
        assert_eq!(verdict(game.ending()), expected, "{case}");
        let is_check = |verdict: rules::Verdict| {
            (verdict.sides.red == Category::PerpetualCheck)
                != (verdict.sides.black == Category::PerpetualCheck)
        };
        assert_eq!(game.repetition().is_some_and(is_check), PERPETUAL_CHECKS.contains(&id), "{case}");
    };
    for_each_case("repetition", 412, judge);
}
