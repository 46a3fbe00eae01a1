//! The sparse network's answers, known in two ways each.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{random_positions, random_weights};
use evaluator::{
    Answer, Evaluator as _, EvaluatorError, Features, MOVES, MoveIndex, Query, Situation, Wdl, mirrored_input,
};
use net::{QuantisedWeights, SparseEvaluator, SparseNet, Weights};
use rules::{Move, Position};
use std::collections::BTreeMap;

/// Widths with blocks of 64 only, with a rest, without a block, and with an odd number of lanes.
const WIDTHS: [(usize, usize); 5] = [(128, 16), (256, 16), (72, 24), (8, 8), (200, 16)];

#[test]
fn both_kernels_agree_to_the_bit() {
    for (seed, (hidden, value_hidden)) in (1..).zip(WIDTHS) {
        for net in nets(&random_weights(hidden, value_hidden, seed)) {
            let mut best = SparseEvaluator::new(net.clone().into());
            let mut plain = SparseEvaluator::new(net.with_plain_kernels().into());
            for (position, situation, legal) in random_positions(200, seed) {
                let [best, plain] = [&mut best, &mut plain]
                    .map(|evaluator| bits(&answer(evaluator, &position, situation, &legal)));
                assert_eq!(best, plain, "width {hidden}, {}", position.fen());
            }
        }
    }
}

#[test]
fn agrees_with_the_formulas_in_f64() {
    for (seed, (hidden, value_hidden)) in (1..).zip(WIDTHS) {
        let weights = random_weights(hidden, value_hidden, seed);
        let mut evaluator = evaluator(&weights);
        for (position, situation, legal) in random_positions(50, seed) {
            let answer = answer(&mut evaluator, &position, situation, &legal);
            let (wdl, moves_left, logits) = reference(&weights, &position, situation, &legal);
            let context = position.fen();
            for (found, expected) in [answer.wdl.win, answer.wdl.draw, answer.wdl.loss].into_iter().zip(wdl) {
                assert_near(found, expected, 1e-5, &context);
            }
            assert_near(answer.moves_left, moves_left, 1e-5 * moves_left.max(32.0), &context);
            assert_eq!(answer.logits.len(), legal.len());
            for (found, expected) in answer.logits.into_iter().zip(logits) {
                assert_near(found, expected, 1e-4, &context);
            }
        }
    }
}

#[test]
fn a_turned_position_gets_the_same_answer() {
    for net in nets(&random_weights(128, 16, 1)) {
        let mut evaluator = SparseEvaluator::new(net.into());
        for (position, situation, legal) in random_positions(200, 1) {
            let turned: Vec<Move> = legal.iter().map(|mv| mv.turned()).collect();
            assert_eq!(
                bits(&answer(&mut evaluator, &position, situation, &legal)),
                bits(&answer(&mut evaluator, &position.turned(), situation, &turned)),
                "{}",
                position.fen()
            );
        }
    }
}

/// Sums of integers don't depend on their order, so here nothing may differ.
#[test]
fn mirrored_integers_answer_a_mirrored_position_with_the_same_bits() {
    let weights = random_weights(72, 16, 1);
    let [_, straight] = nets(&weights);
    let [_, mirrored] = nets(&mirrored_weights(&weights));
    let [mut straight, mut mirrored] = [straight, mirrored].map(|net| SparseEvaluator::new(net.into()));
    for (position, situation, legal) in random_positions(200, 1) {
        let mirrored_legal: Vec<Move> = legal.iter().map(|mv| mv.mirrored()).collect();
        assert_eq!(
            bits(&answer(&mut straight, &position, situation, &legal)),
            bits(&answer(&mut mirrored, &position.mirrored(), situation, &mirrored_legal)),
            "{}",
            position.fen()
        );
    }
}

#[test]
fn mirrored_weights_answer_a_mirrored_position_alike() {
    let weights = random_weights(128, 16, 1);
    let mut straight = evaluator(&weights);
    let mut mirrored = evaluator(&mirrored_weights(&weights));
    for (position, situation, legal) in random_positions(200, 1) {
        let mirrored_legal: Vec<Move> = legal.iter().map(|mv| mv.mirrored()).collect();
        let a = answer(&mut straight, &position, situation, &legal);
        let b = answer(&mut mirrored, &position.mirrored(), situation, &mirrored_legal);
        assert_near(a.wdl.win, f64::from(b.wdl.win), 1e-5, &position.fen());
        assert_near(a.moves_left, f64::from(b.moves_left), 1e-3, &position.fen());
        for (a, b) in a.logits.into_iter().zip(b.logits) {
            assert_near(a, f64::from(b), 1e-4, &position.fen());
        }
    }
}

#[test]
fn answers_depend_neither_on_the_batch_nor_on_the_past() {
    let weights = random_weights(64, 16, 1);
    let positions = random_positions(30, 1);
    let queries: Vec<Query<'_>> = positions
        .iter()
        .map(|(position, situation, legal)| Query { position, situation: *situation, legal })
        .collect();
    let mut together = vec![Answer::default(); queries.len()];
    evaluator(&weights).evaluate(&queries, &mut together).unwrap();
    for (query, expected) in queries.iter().zip(&together).rev() {
        let mut fresh = evaluator(&weights);
        assert_eq!(answer(&mut fresh, query.position, query.situation, query.legal), *expected);
    }
}

/// More positions than are remembered, so that some are forgotten between the two queries.
#[test]
fn a_value_alone_and_the_moves_later_are_the_whole_answer() {
    for net in nets(&random_weights(72, 16, 1)) {
        let mut evaluator = SparseEvaluator::new(net.clone().into());
        let positions = random_positions(400, 1);
        for positions in positions.chunks(150) {
            let whole = |(position, situation, legal): &(Position, Situation, Vec<Move>)| {
                answer(&mut SparseEvaluator::new(net.clone().into()), position, *situation, legal)
            };
            let expected: Vec<Answer> = positions.iter().map(whole).collect();
            for ((position, situation, _), expected) in positions.iter().zip(&expected) {
                let value = answer(&mut evaluator, position, *situation, &[]);
                assert_eq!(value, Answer { logits: vec![], ..expected.clone() }, "{}", position.fen());
            }
            for ((position, situation, legal), expected) in positions.iter().zip(&expected) {
                assert_eq!(bits(&answer(&mut evaluator, position, *situation, legal)), bits(expected));
                // The same position in another situation is another question.
                let other = Situation { repeated: !situation.repeated, ..*situation };
                let fresh = whole(&(position.clone(), other, legal.clone()));
                assert_eq!(bits(&answer(&mut evaluator, position, other, legal)), bits(&fresh));
            }
        }
    }
}

#[test]
fn what_overflows_is_reported() {
    for (tensor, what) in [("input.bias", "the result"), ("policy.exchange", "a move")] {
        let mut tensors = random_weights(8, 8, 1).tensors().clone();
        for name in [tensor, "policy.bias", "value.out"] {
            tensors.get_mut(name).unwrap().values.fill(f32::MAX);
        }
        if tensor == "policy.exchange" {
            tensors.get_mut("value.out").unwrap().values.fill(0.0);
        }
        let weights = Weights::new(random_weights(8, 8, 1).description().clone(), tensors).unwrap();
        let position = Position::start();
        let legal = position.legal_moves();
        let query = Query { position: &position, situation: Situation::default(), legal: &legal };
        let mut evaluator = evaluator(&weights);
        // What failed is not remembered.
        for _ in 0..2 {
            let error = evaluator.evaluate(&[query], &mut [Answer::default()]).unwrap_err();
            assert!(
                matches!(error, EvaluatorError::NotFinite { what: found, .. } if found == what),
                "{error}"
            );
        }
    }
}

/// The network in floats and in integers.
fn nets(weights: &Weights) -> [SparseNet; 2] {
    [SparseNet::new(weights).unwrap(), SparseNet::quantised(&QuantisedWeights::new(weights, None).unwrap())]
}

fn evaluator(weights: &Weights) -> SparseEvaluator {
    SparseEvaluator::new(SparseNet::new(weights).unwrap().into())
}

fn answer(
    evaluator: &mut SparseEvaluator,
    position: &Position,
    situation: Situation,
    legal: &[Move],
) -> Answer {
    let mut answers = [Answer::default()];
    evaluator.evaluate(&[Query { position, situation, legal }], &mut answers).unwrap();
    let [answer] = answers;
    answer
}

/// All numbers of an answer, to be compared exactly.
fn bits(answer: &Answer) -> Vec<u32> {
    let Wdl { win, draw, loss } = answer.wdl;
    [win, draw, loss, answer.moves_left].iter().chain(&answer.logits).map(|value| value.to_bits()).collect()
}

fn assert_near(found: f32, expected: f64, tolerance: f64, context: &str) {
    assert!((f64::from(found) - expected).abs() <= tolerance, "{found} instead of {expected}: {context}");
}

/// Win, draw and loss, moves left and logits by the formulas of `Architecture::Sparse`, number by number.
fn reference(
    weights: &Weights,
    position: &Position,
    situation: Situation,
    legal: &[Move],
) -> ([f64; 3], f64, Vec<f64>) {
    let at = |name: &str, index: usize| f64::from(weights.tensors()[name].values[index]);
    let hidden = weights.tensors()["policy.weight"].shape[1];
    let value_hidden = weights.tensors()["value.bias"].shape[0];
    let features = Features::encode(position, situation);

    let sums: Vec<f64> = (0..hidden + 4)
        .map(|column| {
            let of_inputs = features
                .active()
                .iter()
                .map(|&input| at("input.weight", usize::from(input) * (hidden + 4) + column));
            at("input.bias", column) + of_inputs.sum::<f64>()
        })
        .collect();
    let h: Vec<f64> = sums[..hidden].iter().map(|sum| sum.max(0.0)).collect();
    let product = |name: &str, row: usize, x: &[f64]| {
        (0..x.len()).map(|i| at(name, row * x.len() + i) * x[i]).sum::<f64>()
    };

    let v: Vec<f64> =
        (0..value_hidden).map(|i| (at("value.bias", i) + product("value.weight", i, &h)).max(0.0)).collect();
    let outputs: Vec<f64> = (0..4).map(|i| sums[hidden + i] + product("value.out", i, &v)).collect();
    let total: f64 = outputs[..3].iter().map(|logit| logit.exp()).sum();
    let logits = legal.iter().map(|&mv| {
        let index = MoveIndex::of(mv, position.turn()).get();
        at("policy.bias", index)
            + product("policy.weight", index, &h)
            + at("policy.exchange", features.exchange(position, mv))
    });
    ([0, 1, 2].map(|i| outputs[i].exp() / total), 32.0 * (1.0 + outputs[3].exp()).ln(), logits.collect())
}

/// The weights with left and right exchanged in inputs and moves.
fn mirrored_weights(weights: &Weights) -> Weights {
    let mut tensors: BTreeMap<_, _> = weights.tensors().clone();
    let move_row = |row: usize| MoveIndex::new(row).unwrap().mirrored().get();
    let input_row = |row: usize| usize::from(mirrored_input(row as u16));
    let rows: [(&str, &dyn Fn(usize) -> usize); 3] =
        [("input.weight", &input_row), ("policy.weight", &move_row), ("policy.bias", &move_row)];
    for (name, source) in rows {
        let tensor = tensors.get_mut(name).unwrap();
        let columns = tensor.values.len() / tensor.shape[0];
        let old = tensor.values.clone();
        for (row, values) in tensor.values.chunks_exact_mut(columns).enumerate() {
            values.copy_from_slice(&old[source(row) * columns..][..columns]);
        }
    }
    assert_eq!(tensors["policy.bias"].values.len(), MOVES);
    Weights::new(weights.description().clone(), tensors).unwrap()
}
