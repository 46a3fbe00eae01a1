//! Counts agree with the games.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use replay::{
    Calibration, Decided, EndReason, GameRecord, PlyRecord, PolicyEntry, Resignation, Statistics,
    value_to_i16,
};
use rules::{Colour, Outcome, Reason};

#[test]
fn counts_add_up() {
    let games: Vec<_> = (0..40).map(|number| common::game(number, 160)).collect();
    let statistics = Statistics::of(&games);
    assert_eq!(statistics, Statistics::of(games.iter().cloned()));
    assert_eq!(statistics.games, 40);
    assert_eq!(statistics.plies, games.iter().map(|game| game.plies.len() as u64).sum::<u64>());
    for counts in [&statistics.outcomes, &statistics.reasons, &statistics.starts] {
        assert_eq!(counts.values().sum::<u64>(), 40, "{counts:?}");
    }
    assert_eq!(statistics.nets.values().sum::<u64>(), 40);
    assert!((1..=40).contains(&statistics.positions_at_ten_plies));
    assert!(
        statistics.policy_plies < statistics.searched_plies && statistics.searched_plies < statistics.plies
    );
    assert!((0.5..1.5).contains(&statistics.mean_kl), "{}", statistics.mean_kl);

    let text = statistics.to_string();
    assert!(text.starts_with("games                           40\n"), "{text}");
    assert!(text.contains("reason ply-cap"), "{text}");
    assert_eq!(serde_json::to_value(&statistics).unwrap()["games"], 40);
}

#[test]
fn no_games_are_no_numbers_to_divide_by() {
    let statistics = Statistics::of::<GameRecord>([]);
    assert_eq!(statistics, Statistics::default());
    assert!(!statistics.to_string().contains("NaN"));
}

/// Red mates with the third ply, searched with these values; no policies.
fn mate(values: [f32; 3]) -> GameRecord {
    let moves = ["a1b1", "e9f9", "b1b9"].into_iter().zip(values);
    let plies = moves.map(|(mv, value)| PlyRecord {
        simulations: 8,
        root_value: value_to_i16(value),
        ..PlyRecord::unsearched(mv.parse().unwrap())
    });
    let record = GameRecord {
        start: "4k4/R8/9/9/9/9/9/9/R8/3K5 w - - 0 1".parse().unwrap(),
        outcome: Outcome::Win(Colour::Red),
        reason: EndReason::Rules(Reason::Checkmate),
        plies: plies.collect(),
        ..common::game(0, 0)
    };
    record.check().unwrap();
    record
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
}

#[test]
fn values_are_compared_with_outcomes_by_bins() {
    // Red's plies: 0.85 and 0.95, both of the last bin; Black's −0.5, of the third.
    let statistics = Statistics::of([mate([0.85, -0.5, 0.95])]);
    let bins = statistics.calibration.bins;
    assert_eq!(bins.map(|bin| bin.plies), [0, 0, 1, 0, 0, 0, 0, 0, 0, 2]);
    close(bins[9].mean_value, 0.9);
    assert_eq!((bins[9].mean_outcome, bins[2].mean_outcome), (1.0, -1.0));
    // Two plies are 0.1 off, one is 0.5 off.
    close(statistics.calibration_error, (2.0 * 0.1 + 0.5) / 3.0);
    // Sure and right, sure and wrong.
    close(Statistics::of([mate([1.0, -1.0, 1.0])]).calibration_error, 0.0);
    close(Statistics::of([mate([-1.0, 1.0, -1.0])]).calibration_error, 2.0);
    // In the mean of a bin a win and a loss are nothing.
    close(Statistics::of([mate([0.0, 0.0, 0.0])]).calibration_error, 1.0 / 3.0);
    let broken_off = GameRecord { reason: EndReason::PlyCap, ..common::game(1, 30) };
    assert_eq!(Statistics::of([broken_off]).calibration, Calibration::default());
}

#[test]
fn entropy_is_that_of_the_shares() {
    let mut record = mate([0.0; 3]);
    let policy = |shares: &[(&str, f32)]| {
        PolicyEntry::quantise(shares.iter().map(|&(mv, share)| (mv.parse().unwrap(), 1, share)))
    };
    record.plies[0].policy = policy(&[("a1b1", 0.5), ("a1c1", 0.25), ("a1d1", 0.25)]);
    record.plies[2].policy = policy(&[("b1b9", 1.0)]);
    // 1.5 bits and none, of two plies.
    close(Statistics::of([record]).mean_policy_entropy, 1.5 * 2.0_f64.ln() / 2.0);
}

#[test]
fn decided_games_are_mistaken_when_the_loser_did_not_lose() {
    let decided = |values, ply, played_through| {
        let record = GameRecord { decided: Some(Decided { ply, played_through }), ..mate(values) };
        record.check().unwrap();
        record
    };
    let right = decided([0.9, -0.9, 1.0], 2, true);
    assert_eq!(right.expected_winner(), Some(Colour::Red));
    let wrong = decided([-0.9, 0.9, 1.0], 1, true);
    assert_eq!(wrong.expected_winner(), Some(Colour::Black));
    let nobody_looked = decided([-0.9, 0.9, 1.0], 1, false);
    let resignation = Statistics::of([&right, &wrong, &nobody_looked, &mate([0.0; 3])]).resignation;
    let expected = Resignation {
        decided: 3,
        decided_plies: 1 + 2 + 2,
        played_through: 2,
        mistaken: 1,
        mistaken_plies: 2,
        mistaken_share: 0.5,
    };
    assert_eq!(resignation, expected);
    let text = Statistics::of([right, wrong]).to_string();
    assert!(
        text.contains("mistakenly decided               1  of 2 played through, 50.0 %; 2 plies"),
        "{text}"
    );
    assert!(!Statistics::of([mate([0.0; 3])]).to_string().contains("decided"));
}

#[test]
fn positions_at_ply_ten_are_counted_once() {
    let games = [common::game(1, 20), common::game(2, 20), common::game(2, 12), common::game(3, 9)];
    let statistics = Statistics::of(&games);
    assert_eq!((statistics.games_of_ten_plies, statistics.positions_at_ten_plies), (3, 2));
    assert!(statistics.to_string().contains("2  different, 66.7 % of the 3 games of ten plies and more"));
}
