//! libtorch and the plain Rust of `net` give the same answers on positions of games between masters, and libtorch's
//! answers don't depend on the batch.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Example, master_positions, random_weights};
use evaluator::{Answer, Evaluator};
use net::{MOVES_LEFT_UNIT, SparseEvaluator, SparseNet};
use tch::Device;
use torch::{SparseModule, TorchEvaluator};

#[test]
fn libtorch_and_plain_rust_agree() {
    torch::init(1);
    let examples = master_positions(1000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    for (hidden, value_hidden) in [(128, 16), (72, 24)] {
        let weights = random_weights(hidden, value_hidden, 1);
        weights.write(&path).unwrap();
        let mut by_libtorch = torch::open(&path, Device::Cpu).unwrap();
        let mut plain = SparseEvaluator::new(SparseNet::new(&weights).into());
        for examples in examples.chunks(100) {
            let (expected, found) = (answers(&mut plain, examples), answers(&mut by_libtorch, examples));
            assert_near(examples, &expected, &found, 1e-4);
        }
    }
}

#[test]
fn an_answer_depends_neither_on_the_batch_nor_on_padding() {
    torch::init(1);
    let mut evaluator =
        TorchEvaluator::new(SparseModule::new(&random_weights(128, 16, 2), Device::Cpu).unwrap());
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
    let module = SparseModule::new(&random_weights(8, 8, 1), Device::Cpu).unwrap();
    TorchEvaluator::new(module).evaluate(&[], &mut []).unwrap();
}

fn answers(evaluator: &mut impl Evaluator, examples: &[Example]) -> Vec<Answer> {
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
