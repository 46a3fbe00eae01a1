//! Counts agree with the games.

mod common;

use replay::Statistics;

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
    let statistics = Statistics::of::<replay::GameRecord>([]);
    assert_eq!(statistics, Statistics::default());
    assert!(!statistics.to_string().contains("NaN"));
}
