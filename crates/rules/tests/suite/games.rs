//! Games: how they end and when, and what their history remembers.

use crate::support::random_positions;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Colour, Ending, Game, Outcome, Position, Reason, Rules};
use std::num::{NonZeroU8, NonZeroU16};

/// Rules by which nothing but mate, stalemate and material ends a game.
fn endless() -> Rules {
    Rules { folds: NonZeroU8::MAX, natural_limit_plies: None, ..Rules::default() }
}

fn game(fen: &str, rules: Rules) -> Game {
    Game::new(fen.parse().unwrap(), rules)
}

fn play(game: &mut Game, moves: &str) {
    for mv in moves.split_whitespace() {
        game.play(mv.parse().unwrap()).unwrap();
    }
}

fn draw(reason: Reason) -> Ending {
    Ending { outcome: Outcome::Draw, reason }
}

fn win(winner: Colour, reason: Reason) -> Ending {
    Ending { outcome: Outcome::Win(winner), reason }
}

const SHUFFLE: &str = "a0a1 a9a8 a1a0 a8a9 ";
const ROOKS: &str = "r3k4/9/9/9/9/9/9/9/9/R4K3 w";

#[test]
fn the_third_occurrence_is_a_draw_the_second_is_not() {
    let mut game = game(ROOKS, Rules::default());
    for (round, occurrences) in [(1, 1), (2, 2), (3, 3)] {
        assert_eq!(game.occurrences(), occurrences);
        assert_eq!(game.ending(), if round == 3 { Some(draw(Reason::RepetitionDraw)) } else { None });
        play(&mut game, SHUFFLE);
    }
}

#[test]
fn folds_say_which_occurrence_counts() {
    for folds in 2..=5 {
        let rules = Rules { folds: NonZeroU8::new(folds).unwrap(), ..Rules::default() };
        let mut game = game(ROOKS, rules);
        play(&mut game, &SHUFFLE.repeat(usize::from(folds) - 2));
        assert_eq!(game.ending(), None, "{folds}");
        play(&mut game, SHUFFLE);
        assert_eq!(game.ending(), Some(draw(Reason::RepetitionDraw)), "{folds}");
    }
    let mut once = game(ROOKS, Rules { folds: NonZeroU8::MIN, ..Rules::default() });
    assert_eq!(once.ending(), None, "a first occurrence is no repetition");
    play(&mut once, SHUFFLE);
    assert_eq!(once.ending(), None);
}

#[test]
fn the_natural_limit_is_reached_exactly_and_reset_by_captures_alone() {
    // ChineseChess-AlphaZero#6: an off-by-one ended games early.
    let rules = Rules { folds: NonZeroU8::MAX, ..Rules::default() };
    let mut game = game(ROOKS, rules);
    play(&mut game, &SHUFFLE.repeat(29));
    play(&mut game, "a0a1 a9a8 a1a0");
    assert_eq!((game.position().quiet_plies(), game.ending()), (119, None));
    play(&mut game, "a8a9");
    assert_eq!((game.position().quiet_plies(), game.ending()), (120, Some(draw(Reason::NaturalLimit))));

    assert!(game.undo().is_some());
    play(&mut game, "a8a0");
    assert_eq!((game.position().quiet_plies(), game.ending()), (0, None));
}

#[test]
fn the_natural_limit_can_be_set_or_left_out() {
    let limit = |plies| Rules { natural_limit_plies: NonZeroU16::new(plies), ..endless() };
    let mut short = game(ROOKS, limit(4));
    play(&mut short, "a0a1 a9a8 a1a0");
    assert_eq!(short.ending(), None);
    play(&mut short, "a8a9");
    assert_eq!(short.ending(), Some(draw(Reason::NaturalLimit)));
    let mut without = game(ROOKS, limit(0));
    play(&mut without, &SHUFFLE.repeat(50));
    assert_eq!(without.ending(), None);
}

#[test]
fn mate_and_stalemate_come_before_the_natural_limit() {
    let mut mate = game("4k4/R8/8R/9/9/9/9/9/9/3K5 w - - 119 60", Rules::default());
    play(&mut mate, "i7i9");
    assert_eq!(mate.ending(), Some(win(Colour::Red, Reason::Checkmate)));
    let mut stalemate = game("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 119 60", Rules::default());
    play(&mut stalemate, "a0a8");
    assert_eq!(stalemate.ending(), Some(win(Colour::Red, Reason::Stalemate)));
}

#[test]
fn stalemate_is_lost_by_the_side_that_cannot_move() {
    // pychess-variants#46: the win went to the wrong side.
    let position: Position = "3k5/9/3P5/9/9/9/9/9/4R4/4K4 b".parse().unwrap();
    assert!(!position.in_check());
    assert_eq!(position.legal_count(), 0);
    assert_eq!(Game::new(position.clone(), endless()).ending(), Some(win(Colour::Red, Reason::Stalemate)));
    assert_eq!(Game::new(position.turned(), endless()).ending(), Some(win(Colour::Black, Reason::Stalemate)));
}

#[test]
fn repetition_comes_before_the_natural_limit() {
    let mut game = game(&ROOKS.replace(" w", " w - - 112 60"), Rules::default());
    play(&mut game, &SHUFFLE.repeat(2));
    assert_eq!(game.position().quiet_plies(), 120);
    assert_eq!(game.ending(), Some(draw(Reason::RepetitionDraw)));
}

/// Black's general steps to and fro under a rook's checks.
const CHECKED: &str = "3k5/R8/9/9/9/9/9/9/9/4K4 w";
const CHECKS: &str = "a8a9 d9d8 a9a8 d8d9 ";

#[test]
fn perpetual_check_loses_whoever_completes_the_repetition() {
    let mut red_checks = game(CHECKED, Rules::default());
    play(&mut red_checks, CHECKS);
    play(&mut red_checks, "a8a9 d9d8 a9a8");
    assert_eq!(red_checks.ending(), None);
    play(&mut red_checks, "d8d9");
    // The evader completes it.
    assert_eq!(red_checks.ending(), Some(win(Colour::Black, Reason::RepetitionCheck)));

    let mut black_checks = Game::new(red_checks.start().turned(), Rules::default());
    for ply in red_checks.plies() {
        black_checks.play(ply.mv().turned()).unwrap();
    }
    assert_eq!(black_checks.ending(), Some(win(Colour::Red, Reason::RepetitionCheck)));

    // In this one the checker does.
    let mut checker = game("R2k5/9/9/9/9/9/9/9/9/4K4 b", Rules::default());
    play(&mut checker, &"d9d8 a9a8 d8d9 a8a9 ".repeat(2));
    assert_eq!(checker.ending(), Some(win(Colour::Black, Reason::RepetitionCheck)));
}

#[test]
fn one_quiet_move_in_the_loop_makes_it_a_draw() {
    let mut game = game("3k5/R8/9/9/9/9/9/9/8r/4K4 w", Rules::default());
    play(&mut game, &"a8a9 d9d8 a9a8 d8d9 a8a7 i1i2 a7a8 i2i1 ".repeat(2));
    assert_eq!(game.ending(), Some(draw(Reason::RepetitionDraw)));
}

#[test]
fn the_history_of_a_game_is_its_own() {
    let position: Position = ROOKS.parse().unwrap();
    let mut game = Game::new(position, Rules::default());
    play(&mut game, &SHUFFLE.repeat(2));
    assert_eq!(game.occurrences(), 3);
    assert_eq!(Game::new(game.position().clone(), Rules::default()).occurrences(), 1);
}

#[test]
fn a_bare_board_is_a_draw() {
    let mut bare = game("3k5/9/9/9/9/9/9/9/4r4/4K4 w", Rules::default());
    assert_eq!(bare.ending(), None);
    play(&mut bare, "e0e1");
    assert_eq!(bare.ending(), Some(draw(Reason::Material)));
    assert_eq!(game("3k5/9/9/9/9/9/9/9/9/p3K4 w", Rules::default()).ending(), None, "a pawn is left");
}

#[test]
fn mutual_perpetual_check_is_a_draw() {
    // Each check is answered by one. From the tests of Fairy-Stockfish, case F015.
    let mut mutual = game("9/4c4/3k5/3r5/9/9/4C4/9/4K4/3R5 w", Rules::default());
    play(&mut mutual, &"e3d3 d6e6 d3e3 e6d6 ".repeat(2));
    assert_eq!(mutual.ending(), Some(draw(Reason::RepetitionDraw)));
}

#[test]
fn illegal_moves_are_refused_and_change_nothing() {
    let mut game = Game::new(Position::start(), Rules::default());
    for text in ["a0a3", "a0b0", "a9a8", "e5e6", "e0e2", "h2h7", "a0a0"] {
        let error = game.play(text.parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), format!("{text} is not legal in {}", rules::START_FEN));
    }
    assert_eq!((game.plies().len(), game.position().fen()), (0, rules::START_FEN.to_owned()));
    assert_eq!(game.undo(), None);
}

/// How often the position has occurred, by playing the game again and comparing boards.
fn slow_occurrences(game: &Game) -> u32 {
    let mut replayed = Game::new(game.start().clone(), *game.rules());
    let mut count = u32::from(replayed.position() == game.position());
    for ply in game.plies() {
        replayed.play(ply.mv()).unwrap();
        count += u32::from(replayed.position() == game.position());
    }
    count
}

#[test]
fn occurrences_are_what_a_replay_counts() {
    let rng = &mut ChaCha8Rng::seed_from_u64(21);
    let mut most = 0;
    for start in random_positions(21, 200) {
        let mut game = Game::new(start, endless());
        for _ in 0..60 {
            let legal = game.position().legal_moves();
            if legal.is_empty() {
                break;
            }
            // Mostly one of the first moves, so that positions come back.
            let choice = if rng.random_ratio(9, 10) { rng.random_range(0..2) } else { usize::MAX };
            game.play_unchecked(legal[choice.min(legal.len() - 1)]);
            assert_eq!(game.occurrences(), slow_occurrences(&game), "{:?}", game.plies());
            most = most.max(game.occurrences());
        }
    }
    assert!(most >= 4, "positions came back {most} times at most");
}

#[test]
fn taking_back_leads_through_the_same_states() {
    let rng = &mut ChaCha8Rng::seed_from_u64(22);
    for start in random_positions(22, 50) {
        let mut game = Game::new(start, Rules::default());
        let mut states = Vec::new();
        let state =
            |game: &Game| (game.position().fen(), game.position().key(), game.occurrences(), game.ending());
        while states.len() < 100 && game.position().has_legal_move() {
            states.push(state(&game));
            let legal = game.position().legal_moves();
            game.play_unchecked(legal[rng.random_range(0..legal.len().min(3))]);
        }
        while let Some(before) = states.pop() {
            assert!(game.undo().is_some());
            assert_eq!(state(&game), before);
        }
        assert_eq!(game.undo(), None);
    }
}

#[test]
fn each_ending_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<&str> = Reason::ALL.iter().map(|reason| reason.name()).collect();
    assert_eq!(names.len(), Reason::ALL.len());
    for set in rules::RuleSet::ALL {
        assert_eq!(rules::RuleSet::from_name(set.name()), Some(set));
    }
    assert_eq!(rules::RuleSet::from_name("unknown"), None);
}

#[test]
fn a_game_knows_from_its_last_move_whether_it_gave_check() {
    let mut checks = [0, 0];
    for position in random_positions(31, 2_000) {
        let mut game = Game::new(position, endless());
        assert_eq!(game.standing().in_check, game.position().in_check());
        for &mv in &game.position().legal_moves() {
            game.play_unchecked(mv);
            let in_check = game.position().in_check();
            assert_eq!(game.standing().in_check, in_check, "{mv} leads to {}", game.position().fen());
            checks[usize::from(in_check)] += 1;
            game.undo();
        }
    }
    assert!(checks.iter().all(|&count| count > 1_000), "{checks:?}");
}
