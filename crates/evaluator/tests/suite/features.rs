//! The network's inputs.

use crate::support::{captures, points_of, random_positions};
use evaluator::{EXCHANGES, Features, INPUTS, MAX_ACTIVE, PIECE_INPUTS, Query, Situation, mirrored_input};
use rules::{Colour, Game, Move, Position, Rules, Setup, Square};

const QUIET: Situation =
    Situation { quiet_plies: 0, repeated: false, mover_bound: false, opponent_bound: false, in_check: false };

fn active(position: &Position) -> Vec<u16> {
    Features::encode(position, QUIET).active().to_vec()
}

/// A point as the mover sees it.
fn seen(square: Square, mover: Colour) -> Square {
    if mover == Colour::Red { square } else { square.turned() }
}

fn is_threatened(setup: &Setup, by: Colour, target: Square) -> bool {
    points_of(setup, by).any(|from| captures(setup, from, target))
}

/// The inputs by the words of their definition: owner, kind, point, attacked, defended.
fn slow_inputs(position: &Position) -> Vec<u16> {
    let (setup, mover) = (position.to_setup(), position.turn());
    let mut inputs = Vec::new();
    for square in Square::all() {
        let Some(piece) = position.piece_at(square) else { continue };
        let owner = usize::from(piece.colour != mover);
        let attacked = usize::from(is_threatened(&setup, piece.colour.opponent(), square));
        let defended = usize::from(is_threatened(&setup, piece.colour, square));
        let point = seen(square, mover).index();
        let input = (((owner * 7 + piece.kind.index()) * 90 + point) * 2 + attacked) * 2 + defended;
        inputs.push(input as u16);
    }
    inputs.sort_unstable();
    inputs
}

#[test]
fn inputs_are_what_their_definition_says() {
    for position in random_positions(31, 3_000) {
        assert_eq!(active(&position), slow_inputs(&position), "{position:?}");
    }
}

#[test]
fn inputs_ascend_and_fit() {
    let everything = Situation {
        quiet_plies: 120,
        repeated: true,
        mover_bound: true,
        opponent_bound: true,
        in_check: true,
    };
    for position in random_positions(32, 3_000) {
        let features = Features::encode(&position, everything);
        let active = features.active();
        assert!(active.is_sorted_by(|a, b| a < b), "{active:?}");
        assert!(active.len() <= MAX_ACTIVE && active.iter().all(|&input| usize::from(input) < INPUTS));
        assert_eq!(active.len() as u32, position.occupied().count() + 12);
    }
    assert_eq!(Features::encode(&Position::start(), everything).active().len(), MAX_ACTIVE);
}

#[test]
fn turned_positions_have_the_same_inputs() {
    for position in random_positions(33, 3_000) {
        assert_eq!(active(&position), active(&position.turned()), "{position:?}");
    }
}

#[test]
fn mirrored_positions_have_mirrored_inputs() {
    for position in random_positions(34, 3_000) {
        let mut mirrored: Vec<u16> = active(&position).into_iter().map(mirrored_input).collect();
        mirrored.sort_unstable();
        assert_eq!(active(&position.mirrored()), mirrored, "{position:?}");
    }
}

#[test]
fn mirroring_an_input_twice_changes_nothing() {
    for input in 0..INPUTS as u16 {
        assert!(usize::from(mirrored_input(input)) < INPUTS);
        assert_eq!(mirrored_input(mirrored_input(input)), input);
    }
}

#[test]
fn the_numbering_is_version_1() {
    // Owner * 2520 + kind * 360 + point * 4 + attacked * 2 + defended. A change here needs a new version.
    let start = [
        16, 373, 381, 728, 744, 1087, 1111, 1440, 1472, 1876, 1900, 2269, 2276, 2284, 2292, 2301, 2860, 3217,
        3225, 3572, 3588, 3931, 3955, 4284, 4316, 4576, 4600, 4897, 4904, 4912, 4920, 4929,
    ];
    assert_eq!(active(&Position::start()), start);
}

#[test]
fn the_situation_switches_its_own_inputs() {
    let inputs = |situation: Situation| {
        let features = Features::encode(&Position::start(), situation);
        let offsets = features.active()[32..].iter().map(|&input| usize::from(input) - PIECE_INPUTS);
        offsets.collect::<Vec<_>>()
    };
    for (quiet_plies, steps) in
        [(0, 0), (14, 0), (15, 1), (29, 1), (30, 2), (104, 6), (105, 7), (119, 7), (120, 8), (u16::MAX, 8)]
    {
        assert_eq!(
            inputs(Situation { quiet_plies, ..QUIET }),
            (0..steps).collect::<Vec<_>>(),
            "{quiet_plies}"
        );
    }
    assert_eq!(inputs(Situation { repeated: true, ..QUIET }), [8]);
    assert_eq!(inputs(Situation { mover_bound: true, ..QUIET }), [9]);
    assert_eq!(inputs(Situation { opponent_bound: true, ..QUIET }), [10]);
    assert_eq!(inputs(Situation { in_check: true, ..QUIET }), [11]);
}

#[test]
fn the_situation_is_that_of_the_game() {
    let mut game = Game::new("r3k4/9/9/9/9/9/9/9/9/R4K3 w - - 20 31".parse().unwrap(), Rules::default());
    assert_eq!(Situation::of(&game), Situation { quiet_plies: 20, ..QUIET });
    for mv in ["a0a1", "a9a8", "a1a0", "a8a9"] {
        game.play(mv.parse().unwrap()).unwrap();
    }
    assert_eq!(Situation::of(&game), Situation { quiet_plies: 24, repeated: true, ..QUIET });
    game.play("a0a9".parse().unwrap()).unwrap();
    assert_eq!(Situation::of(&game), Situation { in_check: true, ..QUIET });
    let legal = game.position().legal_moves();
    let query = Query { position: game.position(), situation: Situation::of(&game), legal: &legal };
    assert_eq!(Features::of(&query), Features::encode(game.position(), Situation::of(&game)));
}

/// The number of an exchange by the words of its definition.
fn slow_exchange(position: &Position, mv: Move) -> usize {
    let (setup, enemy) = (position.to_setup(), position.turn().opponent());
    let moved = position.piece_at(mv.from()).unwrap().kind.index();
    let captured = position.piece_at(mv.to()).map_or(0, |piece| 1 + piece.kind.index());
    let defended = usize::from(is_threatened(&setup, enemy, mv.to()));
    let attacked = usize::from(is_threatened(&setup, enemy, mv.from()));
    ((moved * 8 + captured) * 2 + defended) * 2 + attacked
}

#[test]
fn exchanges_are_what_their_definition_says() {
    for position in random_positions(35, 1_000) {
        let features = Features::encode(&position, QUIET);
        for &mv in &position.legal_moves() {
            let exchange = features.exchange(&position, mv);
            assert!(exchange < EXCHANGES);
            assert_eq!(exchange, slow_exchange(&position, mv), "{mv} in {position:?}");
        }
    }
}

#[test]
fn mirrored_and_turned_exchanges_are_the_same() {
    for position in random_positions(36, 1_000) {
        let (mirrored, turned) = (position.mirrored(), position.turned());
        let encode = |position: &Position| Features::encode(position, QUIET);
        let (features, of_mirrored, of_turned) = (encode(&position), encode(&mirrored), encode(&turned));
        for &mv in &position.legal_moves() {
            let exchange = features.exchange(&position, mv);
            assert_eq!(of_mirrored.exchange(&mirrored, mv.mirrored()), exchange, "{mv} in {position:?}");
            assert_eq!(of_turned.exchange(&turned, mv.turned()), exchange, "{mv} in {position:?}");
        }
    }
}
