//! Legal moves and attacks, known in two or three ways.

use crate::support::{captures, is_in_check, points_of, random_positions, slow_legal_moves};
use rules::{Bitboard, Colour, Move, Position, Square};

#[test]
fn the_list_is_what_is_legal() {
    for position in random_positions(1, 5_000) {
        let list = position.legal_moves();
        for from in Square::all() {
            for to in Square::all() {
                let mv = Move::new(from, to);
                assert_eq!(list.contains(&mv), position.is_legal(mv), "{mv} in {position:?}");
            }
        }
    }
}

#[test]
fn the_list_is_what_the_rules_say() {
    for position in random_positions(2, 5_000) {
        let mut list = position.legal_moves().to_vec();
        list.sort_by_key(|mv| (mv.from(), mv.to()));
        assert_eq!(list, slow_legal_moves(&position.to_setup()), "{position:?}");
    }
}

#[test]
fn counts_are_of_the_list() {
    let mut endings = 0;
    for position in random_positions(3, 20_000) {
        let list = position.legal_moves();
        assert_eq!(list.len(), position.legal_count() as usize, "{position:?}");
        assert_eq!(!list.is_empty(), position.has_legal_move(), "{position:?}");
        endings += usize::from(list.is_empty());
    }
    assert!(endings > 10, "only {endings} positions without a move tried");
}

#[test]
fn a_list_is_replaced() {
    let mut moves = Position::start().legal_moves();
    let position: Position = "3k5/9/9/9/9/9/9/9/9/4K4 w".parse().unwrap();
    position.legal_moves_into(&mut moves);
    assert_eq!(format!("{moves:?}"), "[e0f0, e0e1]");
}

#[test]
fn attacks_are_what_the_rules_say() {
    for position in random_positions(4, 5_000) {
        let setup = position.to_setup();
        for colour in Colour::ALL {
            for target in Square::all() {
                let what = || format!("{colour:?} on {target} in {position:?}");
                let slow: Bitboard =
                    points_of(&setup, colour).filter(|&from| captures(&setup, from, target)).collect();
                assert_eq!(position.attackers(target, colour), slow, "{}", what());
                assert_eq!(position.attacks(colour).contains(target), !slow.is_empty(), "{}", what());
            }
        }
    }
}

#[test]
fn checkers_attack_the_general() {
    let mut checks = 0;
    for position in random_positions(5, 20_000) {
        let (mover, enemy) = (position.turn(), position.turn().opponent());
        let general = position.general(mover).unwrap();
        assert_eq!(position.checkers(), position.attackers(general, enemy), "{position:?}");
        assert_eq!(position.in_check(), is_in_check(&position.to_setup(), mover), "{position:?}");
        checks += usize::from(position.in_check());
    }
    assert!(checks > 1_000, "only {checks} checks tried");
}

#[test]
fn mirrored_and_turned_positions_have_such_moves() {
    for position in random_positions(6, 5_000) {
        let sorted = |moves: &mut dyn Iterator<Item = Move>| {
            let mut moves: Vec<Move> = moves.collect();
            moves.sort();
            moves
        };
        let moves = position.legal_moves();
        assert_eq!(
            sorted(&mut position.mirrored().legal_moves().iter().copied()),
            sorted(&mut moves.iter().map(|mv| mv.mirrored())),
            "{position:?}"
        );
        assert_eq!(
            sorted(&mut position.turned().legal_moves().iter().copied()),
            sorted(&mut moves.iter().map(|mv| mv.turned())),
            "{position:?}"
        );
    }
}
