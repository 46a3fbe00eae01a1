//! Sizes and numbers that all towers share, whoever computes them. The formulas stand at
//! [`Architecture::Tower`](crate::Architecture::Tower).

use crate::description::{OUTPUTS, named};
use evaluator::{EXCHANGES, INPUTS, MOVES, MoveIndex, PIECE_INPUTS};
use rules::Colour;

/// Rows of the board.
pub const RANKS: usize = 10;
/// Columns of the board.
pub const FILES: usize = 9;
/// Points of the board.
pub const POINTS: usize = RANKS * FILES;
/// Kinds of pieces, of both sides.
pub const PIECES: usize = 14;
/// States of a piece: attacked or not, defended or not.
pub const STATES: usize = PIECE_INPUTS / (PIECES * POINTS);
/// Planes of the board: one for each piece in each state.
pub const PLANES: usize = PIECES * STATES;
/// Inputs besides the board, those of the situation.
pub const SITUATION_INPUTS: usize = INPUTS - PIECE_INPUTS;
/// Numbers that the policy head has for each point to move from, and for each to move to.
pub const POLICY_KEYS: usize = 32;
/// Planes of the value head.
pub const VALUE_PLANES: usize = 8;

/// For each move by its number, the pair of points that it goes between: 90 · from + to, from the mover's side.
pub fn pairs_of_moves() -> Vec<i64> {
    let pair = |index: MoveIndex| {
        let mv = index.to_move(Colour::Red);
        (POINTS * mv.from().index() + mv.to().index()) as i64
    };
    (0..MOVES).filter_map(MoveIndex::new).map(pair).collect()
}

/// Name and shape of each tensor, in the order of their names.
pub(crate) fn shapes(channels: usize, blocks: usize, value_hidden: usize) -> Vec<(String, Vec<usize>)> {
    let squeezed = channels / 4;
    let of_block = move |block: usize| {
        let shapes = [
            ("first.bias", vec![channels]),
            ("first.weight", vec![channels, channels, 3, 3]),
            ("gate.bias", vec![2 * channels]),
            ("gate.weight", vec![2 * channels, squeezed]),
            ("second.bias", vec![channels]),
            ("second.weight", vec![channels, channels, 3, 3]),
            ("squeeze.bias", vec![squeezed]),
            ("squeeze.weight", vec![squeezed, 2 * channels]),
        ];
        shapes.into_iter().map(move |(name, shape)| (format!("block{block:02}.{name}"), shape))
    };
    let rest = named([
        ("input.bias", vec![channels]),
        ("input.situation", vec![channels, SITUATION_INPUTS]),
        ("input.weight", vec![channels, PLANES, 3, 3]),
        ("policy.bias", vec![MOVES]),
        ("policy.exchange", vec![EXCHANGES]),
        ("policy.from.bias", vec![POLICY_KEYS]),
        ("policy.from.weight", vec![POLICY_KEYS, channels]),
        ("policy.to.bias", vec![POLICY_KEYS]),
        ("policy.to.weight", vec![POLICY_KEYS, channels]),
        ("value.bias", vec![value_hidden]),
        ("value.out.bias", vec![OUTPUTS]),
        ("value.out.weight", vec![OUTPUTS, value_hidden]),
        ("value.planes.bias", vec![VALUE_PLANES]),
        ("value.planes.weight", vec![VALUE_PLANES, channels]),
        ("value.weight", vec![value_hidden, VALUE_PLANES * POINTS]),
    ]);
    (0..blocks).flat_map(of_block).chain(rest).collect()
}
