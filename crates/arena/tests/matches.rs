//! Whole matches: determinism, fairness, strength, and what happens when a player misbehaves or the match is stopped.

use arena::{
    Baseline, Choice, EndReason, MatchEnd, MatchError, MatchResult, MatchSettings, OpeningSettings,
    PairRecord, Player, PlayerError, Points, Score, Turn, play_match,
};
use rules::{Colour, Game, Move, Rules, Square};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

fn baseline(name: &str) -> Box<dyn Player> {
    name.parse::<Baseline>().expect("a built-in opponent").player()
}

fn play(settings: &MatchSettings, a: &str, b: &str) -> (MatchResult, Vec<PairRecord>) {
    let mut pairs = Vec::new();
    let result = play_match(
        settings,
        || baseline(a),
        || baseline(b),
        &AtomicBool::new(false),
        |pair, _| {
            pairs.push(pair.clone());
            ControlFlow::Continue(())
        },
    );
    (result.expect("built-in opponents never fail"), pairs)
}

fn settings(pairs: u32, threads: usize) -> MatchSettings {
    MatchSettings { pairs, threads, seed: 17, ..MatchSettings::default() }
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let (result, pairs) = play(&settings(12, 1), "depth-1", "greedy");
    assert_eq!(result.end, MatchEnd::Complete);
    assert_eq!(pairs.iter().map(|pair| pair.number).collect::<Vec<_>>(), (0..12).collect::<Vec<_>>());
    for threads in [2, 3, 64] {
        assert_eq!(play(&settings(12, threads), "depth-1", "greedy"), (result.clone(), pairs.clone()));
    }
    let other_seed = MatchSettings { seed: 18, ..settings(12, 1) };
    assert_ne!(play(&other_seed, "depth-1", "greedy").1, pairs);
    // More pairs don't change the first ones.
    assert_eq!(play(&settings(13, 2), "depth-1", "greedy").1[..12], pairs);
}

#[test]
fn games_are_legal_and_a_pair_shares_its_opening_with_colours_exchanged() {
    let (result, pairs) = play(&settings(10, 2), "depth-2", "depth-1");
    let mut score = Score::default();
    for pair in &pairs {
        let [first, second] = &pair.games;
        assert_eq!((first.a, second.a), (Colour::Red, Colour::Black));
        assert_eq!((first.red.as_str(), second.red.as_str()), ("depth-2", "depth-1"));
        let opening = usize::from(first.opening_plies);
        assert_eq!(first.moves[..opening], second.moves[..opening]);
        assert!((4..=8).contains(&opening));
        for record in &pair.games {
            let mut game = Game::new(rules::Position::start(), Rules::default());
            for &mv in &record.moves {
                assert_eq!(game.ending(), None);
                game.play(mv).unwrap();
            }
            let ending = game.ending().unwrap();
            assert_eq!((ending.outcome, EndReason::Rules(ending.reason)), (record.outcome, record.reason));
        }
        score.add(pair.points());
    }
    assert_eq!(score, result.score);
    assert_eq!(result.reasons.iter().map(|(_, count)| count).sum::<u32>(), 20);
}

/// lc0 PR#1046: after an opening of odd length it is Black's turn, and results must not change sides.
#[test]
fn points_go_to_the_right_player_after_openings_of_odd_and_even_length() {
    for plies in [3, 4, 7] {
        let openings = OpeningSettings { plies_min: plies, plies_max: plies }.into();
        let settings = MatchSettings { openings, ..settings(10, 2) };
        let (strong_first, _) = play(&settings, "depth-2", "depth-1");
        let (strong_second, _) = play(&settings, "depth-1", "depth-2");
        assert!(0.75 < strong_first.score.share(), "{plies} plies: {}", strong_first.score);
        assert!(strong_second.score.share() < 0.25, "{plies} plies: {}", strong_second.score);
    }
}

#[test]
fn deeper_is_stronger_and_anything_beats_random() {
    for (strong, weak, at_least) in
        [("depth-1", "random", 0.6), ("greedy", "random", 0.6), ("depth-2", "depth-1", 0.75)]
    {
        let (result, _) = play(&settings(20, 2), strong, weak);
        assert!(at_least < result.score.share(), "{strong} - {weak}: {}", result.score);
        assert!(0.99 < result.score.los());
    }
}

#[test]
fn the_caller_may_end_the_match_and_then_sees_no_more_pairs() {
    let mut seen = 0;
    let result = play_match(
        &settings(1_000, 3),
        || baseline("random"),
        || baseline("random"),
        &AtomicBool::new(false),
        |pair, score| {
            assert_eq!((pair.number, score.pair_count()), (seen, seen + 1));
            seen += 1;
            if seen == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    let result = result.unwrap();
    assert_eq!((result.end, result.score.pair_count(), seen), (MatchEnd::Decided, 5, 5));
}

#[test]
fn the_stop_flag_ends_the_match_in_the_middle_of_a_game() {
    /// Raises the flag at its third move, and must not be asked again.
    struct Stopper<'a> {
        inner: Box<dyn Player>,
        moves: u32,
        stop: &'a AtomicBool,
    }
    impl Player for Stopper<'_> {
        fn name(&self) -> String {
            "stopper".to_owned()
        }
        fn start_game(&mut self, seed: u64) {
            self.inner.start_game(seed);
        }
        fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
            self.moves += 1;
            assert!(self.moves <= 3);
            self.stop.store(self.moves == 3, Ordering::Relaxed);
            self.inner.choose(turn)
        }
    }
    let stop = AtomicBool::new(false);
    let make = || Stopper { inner: baseline("random"), moves: 0, stop: &stop };
    let result =
        play_match(&settings(1_000, 1), make, || baseline("random"), &stop, |_, _| ControlFlow::Continue(()));
    let result = result.unwrap();
    assert_eq!((result.end, result.score), (MatchEnd::Stopped, Score::default()));

    let raised = AtomicBool::new(true);
    let result = play_match(
        &settings(1_000, 3),
        || baseline("random"),
        || baseline("random"),
        &raised,
        |_, _| ControlFlow::Continue(()),
    );
    assert_eq!(result.unwrap().end, MatchEnd::Stopped);
}

/// What a [`Scripted`] player does at its third move of the second game.
#[derive(Clone, Copy)]
enum Fault {
    IllegalMove,
    Error,
    Panic,
}

struct Scripted {
    inner: Box<dyn Player>,
    fault: Fault,
    games: u32,
    moves: u32,
}

impl Player for Scripted {
    fn name(&self) -> String {
        "scripted".to_owned()
    }

    fn start_game(&mut self, seed: u64) {
        self.games += 1;
        self.moves = 0;
        self.inner.start_game(seed);
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
        self.moves += 1;
        if self.games % 2 == 1 || self.moves < 3 {
            return self.inner.choose(turn);
        }
        match self.fault {
            Fault::IllegalMove => Ok(Move::new(Square::from_index(0), Square::from_index(0)).into()),
            Fault::Error => Err(PlayerError::Other("out of ideas".to_owned())),
            Fault::Panic => panic!("out of its mind"),
        }
    }
}

fn play_scripted(fault: Fault, threads: usize) -> (Result<MatchResult, MatchError>, Vec<PairRecord>) {
    let mut pairs = Vec::new();
    let make = || Scripted { inner: baseline("random"), fault, games: 0, moves: 0 };
    let result = play_match(
        &settings(6, threads),
        make,
        || baseline("random"),
        &AtomicBool::new(false),
        |pair, _| {
            pairs.push(pair.clone());
            ControlFlow::Continue(())
        },
    );
    (result, pairs)
}

/// fastchess#377, #523: an illegal move loses its game, stays out of the record, and the match goes on.
#[test]
fn an_illegal_move_loses_the_game_and_is_counted_apart() {
    let (result, pairs) = play_scripted(Fault::IllegalMove, 2);
    let result = result.unwrap();
    assert_eq!((result.end, result.score.games()), (MatchEnd::Complete, 12));
    assert_eq!(result.reasons.count(EndReason::IllegalMove), 6);
    for pair in pairs {
        let second = &pair.games[1];
        assert_eq!((second.reason, second.points()), (EndReason::IllegalMove, Points::Loss));
        let mut game = Game::new(rules::Position::start(), Rules::default());
        assert!(second.moves.iter().all(|&mv| game.play(mv).is_ok()));
    }
}

#[test]
fn a_player_that_fails_or_panics_ends_the_match_with_its_error() {
    for threads in [1, 3] {
        let (result, pairs) = play_scripted(Fault::Error, threads);
        assert_eq!(result.unwrap_err().to_string(), "scripted failed in pair 0: out of ideas");
        assert_eq!(pairs, []);
        let (result, _) = play_scripted(Fault::Panic, threads);
        assert_eq!(result.unwrap_err().to_string(), "a player panicked in pair 0: out of its mind");
    }
    let broken = || -> Box<dyn Player> { panic!("no such net") };
    let stop = AtomicBool::new(false);
    let result =
        play_match(&settings(6, 2), broken, || baseline("random"), &stop, |_, _| ControlFlow::Continue(()));
    assert_eq!(result.unwrap_err().to_string(), "a player panicked in pair 0: no such net");
}

#[test]
fn settings_out_of_range_are_named() {
    let message = |settings: MatchSettings| settings.check().unwrap_err().to_string();
    assert_eq!(message(settings(0, 1)), "pairs = 0: want 1 to 1000000");
    assert_eq!(message(settings(1, 0)), "threads = 0: want 1 to 1024");
    let rules = Rules { natural_limit_plies: None, ..Rules::default() };
    assert!(
        message(MatchSettings { rules, ..settings(1, 1) }).starts_with("rules.natural_limit_plies = none: ")
    );
}
