//! libtorch and the plain Rust of `net` give the same answers on positions of games between masters, and libtorch's
//! answers don't depend on the batch.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;
mod tower;

use common::{Example, master_positions, random_tower, random_weights};
use evaluator::{Answer, Evaluator};
use net::{MOVES_LEFT_UNIT, SparseEvaluator, SparseNet, Weights};
use tch::Device;
use torch::{Batching, Module, TorchEvaluator, batched_evaluators};

#[test]
fn libtorch_and_plain_rust_agree() {
    torch::init(1);
    let examples = master_positions(1000);
    for (hidden, value_hidden) in [(128, 16), (72, 24)] {
        let weights = random_weights(hidden, value_hidden, 1);
        let mut by_libtorch = torch::evaluators(&weights, Device::Cpu).unwrap()();
        let mut plain = SparseEvaluator::new(SparseNet::new(&weights).unwrap().into());
        for examples in examples.chunks(100) {
            let (expected, found) = (answers(&mut plain, examples), answers(&mut by_libtorch, examples));
            assert_near(examples, &expected, &found, 1e-4);
        }
    }
}

#[test]
fn an_answer_depends_neither_on_the_batch_nor_on_padding() {
    torch::init(1);
    for weights in [random_weights(128, 16, 2), random_tower(16, 2, 2)] {
        check_batches(TorchEvaluator::new(Module::new(&weights, Device::Cpu).unwrap(), 1));
    }
}

fn check_batches(mut evaluator: TorchEvaluator) {
    let mut examples = master_positions(200);
    // From few moves to many: each batch of four is nearly without padding, that of all has much.
    examples.sort_by_key(|example| example.legal.len());
    assert!(examples[0].legal.len() * 2 < examples[199].legal.len());
    let together = answers(&mut evaluator, &examples);
    for size in [1, 4] {
        for (examples, expected) in examples.chunks(size).zip(together.chunks(size)) {
            assert_near(examples, expected, &answers(&mut evaluator, examples), 1e-5);
        }
    }
}

#[test]
fn no_queries_are_no_error() {
    torch::init(1);
    let module = Module::new(&random_weights(8, 8, 1), Device::Cpu).unwrap();
    TorchEvaluator::new(module, 1).evaluate(&[], &mut []).unwrap();
}

/// In batches that are filled up to one size an answer is the same to the bit, whoever else is in its batch, wherever it
/// stands there, and whichever worker answers: games with towers can be played again.
#[test]
fn in_batches_of_one_size_a_tower_answers_each_query_alike() {
    torch::init(1);
    let size = 16;
    let weights = random_tower(32, 3, 5);
    let mut evaluator = TorchEvaluator::new(Module::new(&weights, Device::Cpu).unwrap(), size);
    let examples = master_positions(64);
    let alone: Vec<Answer> =
        examples.chunks(1).map(|example| answers(&mut evaluator, example).remove(0)).collect();
    for (examples, expected) in examples.chunks(size).zip(alone.chunks(size)) {
        assert_eq!(answers(&mut evaluator, examples), expected);
    }
    let turned: Vec<&Example> = examples.iter().rev().collect();
    for (examples, expected) in turned.chunks(7).zip(alone.rchunks(7)) {
        let queries: Vec<_> = examples.iter().map(|example| example.query()).collect();
        let mut found = vec![Answer::default(); queries.len()];
        evaluator.evaluate(&queries, &mut found).unwrap();
        assert!(found.iter().eq(expected.iter().rev()));
    }
    let batching = Batching { size: size.try_into().unwrap(), workers: 2.try_into().unwrap() };
    let make_evaluator = batched_evaluators(&weights, Device::Cpu, batching).unwrap();
    std::thread::scope(|scope| {
        for (examples, expected) in examples.chunks(2).zip(alone.chunks(2)) {
            let mut evaluator = make_evaluator();
            scope.spawn(move || {
                (0..5).for_each(|_| assert_eq!(answers(&mut evaluator, examples), expected));
            });
        }
    });
}

/// Known twice: libtorch, and the formulas of `Architecture::Tower` number by number.
#[test]
fn a_tower_computes_its_formulas() {
    torch::init(1);
    let weights = random_tower(8, 2, 7);
    let mut evaluator = torch::evaluators(&weights, Device::Cpu).unwrap()();
    let examples = master_positions(20);
    let expected: Vec<Answer> = examples.iter().map(|example| tower::answer(&weights, example)).collect();
    assert_near(&examples, &expected, &answers(&mut evaluator, &examples), 1e-4);
}

#[test]
fn a_failed_evaluation_is_told_to_all_who_wait() {
    torch::init(1);
    let mut weights = random_tower(8, 1, 1);
    let mut tensors = weights.tensors().clone();
    tensors.get_mut("policy.exchange").unwrap().values.fill(f32::MAX);
    tensors.get_mut("policy.bias").unwrap().values.fill(f32::MAX);
    weights = Weights::new(weights.description().clone(), tensors).unwrap();
    let batching = Batching { size: 4.try_into().unwrap(), workers: 1.try_into().unwrap() };
    let make_evaluator = batched_evaluators(&weights, Device::Cpu, batching).unwrap();
    let examples = master_positions(3);
    std::thread::scope(|scope| {
        for example in &examples {
            let mut evaluator = make_evaluator();
            scope.spawn(move || {
                for _ in 0..2 {
                    let error = evaluator.evaluate(&[example.query()], &mut [Answer::default()]).unwrap_err();
                    assert!(error.to_string().contains("inf for a move"), "{error}");
                }
            });
        }
    });
}

fn answers(evaluator: &mut (impl Evaluator + ?Sized), examples: &[Example]) -> Vec<Answer> {
    let queries: Vec<_> = examples.iter().map(Example::query).collect();
    let mut answers = vec![Answer::default(); queries.len()];
    evaluator.evaluate(&queries, &mut answers).unwrap();
    answers
}

/// Compares probabilities, logits and moves left in units of 32 plies.
fn assert_near(examples: &[Example], expected: &[Answer], found: &[Answer], tolerance: f32) {
    for ((example, expected), found) in examples.iter().zip(expected).zip(found) {
        let numbers = |answer: &Answer| {
            let head =
                [answer.wdl.win, answer.wdl.draw, answer.wdl.loss, answer.moves_left / MOVES_LEFT_UNIT];
            head.into_iter().chain(answer.logits.clone()).collect::<Vec<_>>()
        };
        assert_eq!(found.logits.len(), example.legal.len());
        for (expected, found) in numbers(expected).into_iter().zip(numbers(found)) {
            let difference = (expected - found).abs();
            assert!(difference <= tolerance, "{found} instead of {expected}: {}", example.position.fen());
        }
    }
}
