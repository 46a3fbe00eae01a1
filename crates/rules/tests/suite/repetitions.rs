//! Verdicts on games that go to and fro, known in two ways.

use crate::support::random_positions;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Category, Colour, Game, Move, Outcome, Position, Reason, RuleSet, Rules, Verdict};
use std::num::NonZeroU8;

/// Games whose sides mostly take their last move back, so that positions recur; by this rule set.
fn shuffled_games(rule_set: RuleSet, seed: u64, count: usize) -> Vec<Game> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let rules = Rules { natural_limit_plies: None, ..Rules::of(rule_set) };
    let mut games = Vec::new();
    for position in random_positions(seed, count) {
        let mut game = Game::new(position, rules);
        while game.ending().is_none() && game.plies().len() < 40 {
            let moves = game.permitted_moves();
            let back = game.plies().len().checked_sub(2).map(|own| {
                let last = game.plies()[own].mv();
                Move::new(last.to(), last.from())
            });
            let back = back.filter(|back| moves.contains(back) && rng.random_ratio(9, 10));
            game.play(back.unwrap_or(moves[rng.random_range(0..moves.len())])).unwrap();
        }
        games.push(game);
    }
    games
}

fn replayed(game: &Game, start: Position, image: impl Fn(Move) -> Move) -> Game {
    let mut again = Game::new(start, *game.rules());
    for ply in game.plies() {
        again.play(image(ply.mv())).unwrap();
    }
    again
}

fn turned(verdict: Verdict) -> Verdict {
    let outcome = match verdict.outcome {
        Outcome::Win(winner) => Outcome::Win(winner.opponent()),
        Outcome::Draw => Outcome::Draw,
    };
    let mut sides = verdict.sides;
    std::mem::swap(&mut sides.red, &mut sides.black);
    Verdict { outcome, sides, ..verdict }
}

#[test]
fn verdicts_know_neither_left_from_right_nor_red_from_black() {
    let mut losses = 0;
    for rule_set in RuleSet::ALL {
        for game in shuffled_games(rule_set, 1, 400) {
            let verdict = game.repetition();
            let mirrored = replayed(&game, game.start().mirrored(), Move::mirrored);
            assert_eq!(mirrored.repetition(), verdict, "{rule_set:?} {:?}", game.plies());
            let image = replayed(&game, game.start().turned(), Move::turned);
            assert_eq!(image.repetition(), verdict.map(turned), "{rule_set:?} {:?}", game.plies());
            let bound = game.bound_to_vary();
            let image = image.bound_to_vary();
            assert_eq!((image.red, image.black), (bound.black, bound.red));
            losses += usize::from(verdict.is_some_and(|verdict| verdict.loser().is_some()));
        }
    }
    assert!(losses > 100, "{losses}");
}

#[test]
fn explanations_end_in_the_verdict() {
    let mut explained = 0;
    for rule_set in RuleSet::ALL {
        for game in shuffled_games(rule_set, 2, 200) {
            let Some(explanation) = game.explanation() else { continue };
            explained += 1;
            if let Some(verdict) = game.repetition() {
                assert_eq!(explanation.verdict, verdict);
            }
            let repeated = game.repeated().unwrap();
            assert_eq!(explanation.occurrences.len(), usize::from(game.rules().folds.get()));
            assert_eq!(explanation.occurrences.last(), Some(&explanation.plies.len()));
            assert_eq!(repeated.start, *game.position());
            // One idle move is enough to be allowed, and checks alone are a perpetual check.
            for colour in Colour::ALL {
                let own = |&(number, _): &(usize, _)| (number % 2 == 0) == (colour == game.position().turn());
                let labels = explanation.plies.iter().map(|(_, label)| label).enumerate().filter(own);
                let checks: Vec<bool> = labels.map(|(_, label)| !label.checkers.is_empty()).collect();
                let category = explanation.verdict.sides[colour];
                assert_eq!(checks.iter().all(|&check| check), category == Category::PerpetualCheck);
            }
        }
    }
    assert!(explained > 200, "{explained}");
}

#[test]
fn a_verdict_needs_no_more_than_the_moves_since() {
    let mut judged = 0;
    for game in shuffled_games(RuleSet::Formal, 3, 400) {
        let Some(repeated) = game.repeated() else { continue };
        judged += 1;
        let mut again = Game::new(repeated.start.clone(), *game.rules());
        for ply in repeated.plies {
            again.play(ply.mv()).unwrap();
        }
        assert_eq!(again.repetition(), game.repetition());
        // Taking back and playing once more leads to the same verdict.
        let mv = again.undo().unwrap();
        assert_eq!(again.repetition(), None);
        again.play(mv).unwrap();
        assert_eq!(again.repetition(), game.repetition());
    }
    assert!(judged > 50, "{judged}");
}

#[test]
fn who_goes_round_once_more_is_judged_as_foretold() {
    let two = NonZeroU8::new(2).unwrap();
    let mut foretold = 0;
    for rule_set in RuleSet::ALL.into_iter().filter(|&set| set != RuleSet::Casual) {
        for game in shuffled_games(rule_set, 4, 200) {
            // At the second occurrence, the judgement of this one loop is the foretold one.
            let mut early = Game::new(game.start().clone(), Rules { folds: two, ..*game.rules() });
            for ply in game.plies() {
                early.play(ply.mv()).unwrap();
                let judged = early.repetition().and_then(|verdict| verdict.loser());
                let bound = early.bound_to_vary();
                for colour in Colour::ALL {
                    assert_eq!(bound[colour], judged == Some(colour), "{rule_set:?}");
                    foretold += usize::from(bound[colour]);
                }
            }
        }
    }
    assert!(foretold > 50, "{foretold}");
}

#[test]
fn refused_moves_are_those_that_would_go_round_again() {
    let mut refused = 0;
    for game in shuffled_games(RuleSet::Casual, 5, 3000) {
        let mut again = Game::new(game.start().clone(), *game.rules());
        for ply in game.plies() {
            let refusals = again.refusals();
            let legal = again.position().legal_moves();
            assert_eq!(again.permitted_moves().len() + refusals.len(), legal.len());
            for (mv, category) in refusals {
                assert_ne!(category, Category::Allowed);
                let mut after = again.clone();
                after.play(mv).unwrap();
                assert_eq!(after.occurrences(), 3);
                assert!(
                    again.play_permitted(mv).unwrap_err().to_string().contains("refused as a repetition")
                );
                refused += 1;
            }
            again.play(ply.mv()).unwrap();
        }
        // No repetition loses.
        assert!(!game.ending().is_some_and(|ending| ending.reason == Reason::RepetitionCheck));
    }
    assert!(refused > 20, "{refused}");
}

/// An offer to exchange needs a victim that could take now: one whose side is in check could not.
#[test]
fn a_side_in_check_offers_no_exchange() {
    let start = "5a3/9/4k2R1/7C1/9/9/2P6/3p2p2/9/1C3Kc2 b".parse().unwrap();
    let mut game = Game::new(start, Rules::of(RuleSet::Wiki));
    for mv in ["e7e8", "h7h9", "e8e7", "h9h7"].repeat(2) {
        game.play(mv.parse().unwrap()).unwrap();
    }
    let ending = game.ending().unwrap();
    assert_eq!((ending.outcome, ending.reason), (Outcome::Win(Colour::Black), Reason::RepetitionChase));
}
