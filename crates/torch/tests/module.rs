//! The module: its gradients, its parameters, its batches.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{master_positions, random_batch, random_tower, random_weights};
use evaluator::{Answer, Evaluator as _, EvaluatorError};
use net::{Architecture, Description, Weights, WeightsError};
use tch::{Device, Kind, Tensor};
use torch::{
    Batch, BatchBuilder, ILLEGAL_LOGIT, Module, SparseModule, TorchError, TorchEvaluator, weights_of,
};

#[test]
fn gradients_agree_with_finite_differences() {
    check_gradients(&random_weights(16, 8, 3));
}

#[test]
fn gradients_of_a_tower_agree_with_finite_differences() {
    check_gradients(&random_tower(8, 2, 3));
}

fn check_gradients(weights: &Weights) {
    const STEP: f64 = 1e-3;
    torch::init(1);
    let module = Module::new(weights, Device::Cpu).unwrap();
    let mut builder = BatchBuilder::new();
    for example in master_positions(120).iter().step_by(6) {
        example.push_to(&mut builder);
    }
    let batch = builder.build(Device::Cpu).unwrap();
    let (names, parameters): (Vec<String>, Vec<Tensor>) = module.parameters().into_iter().unzip();
    let gradients = Tensor::f_run_backward(&[loss(&module, &batch)], &parameters, false, false).unwrap();
    for ((name, parameter), gradient) in names.iter().zip(&parameters).zip(gradients) {
        let gradient = Vec::<f32>::try_from(gradient.flatten(0, -1)).unwrap();
        let of_use: Vec<usize> = (0..gradient.len()).filter(|&i| gradient[i].abs() > 1e-3).collect();
        assert!(!of_use.is_empty(), "{name} has no gradient");
        for &i in of_use.iter().step_by(of_use.len().div_ceil(20)) {
            let loss_beside = |step: f64| {
                let add =
                    |by| tch::no_grad(|| drop(parameter.flatten(0, -1).get(i as i64).g_add_scalar_(by)));
                add(step);
                let value = loss(&module, &batch).double_value(&[]);
                add(-step);
                value
            };
            let expected = (loss_beside(STEP) - loss_beside(-STEP)) / (2.0 * STEP);
            let found = f64::from(gradient[i]);
            let tolerance = 1e-3 + 0.02 * expected.abs();
            assert!((found - expected).abs() < tolerance, "{name} at {i}: {found} instead of {expected}");
        }
    }
}

#[test]
fn parameters_come_back_to_the_bit() {
    torch::init(1);
    for weights in [random_weights(8, 8, 4), random_weights(128, 16, 4), random_tower(16, 12, 4)] {
        let module = Module::new(&weights, Device::Cpu).unwrap();
        let copy = weights_of(weights.description().clone(), &module.parameters()).unwrap();
        assert_eq!(copy, weights);
        let names: Vec<String> = module.parameters().into_iter().map(|(name, _)| name).collect();
        assert!(names.iter().eq(weights.tensors().keys()), "{names:?}");
        assert!(module.parameters().iter().all(|(_, parameter)| parameter.requires_grad()));
    }
}

#[test]
fn weights_of_broken_parameters_are_refused() {
    torch::init(1);
    let weights = random_weights(8, 8, 5);
    let module = Module::new(&weights, Device::Cpu).unwrap();
    let architecture = Architecture::Sparse { hidden: 16, value_hidden: 8 };
    let wider = Description { architecture, ..weights.description().clone() };
    let error = weights_of(wider, &module.parameters()).unwrap_err();
    assert!(matches!(error, TorchError::Weights(WeightsError::Shape { .. })), "{error}");
    let (_, parameter) = &module.parameters()[0];
    tch::no_grad(|| drop(parameter.get(0).fill_(f64::NAN)));
    let error = weights_of(weights.description().clone(), &module.parameters()).unwrap_err();
    assert!(matches!(error, TorchError::Weights(WeightsError::NotFinite { .. })), "{error}");
}

#[test]
fn numbers_that_are_none_are_reported() {
    torch::init(1);
    let module = Module::new(&random_weights(8, 8, 6), Device::Cpu).unwrap();
    let parameters = module.parameters();
    let (_, exchange) = parameters.iter().find(|(name, _)| name == "policy.exchange").unwrap();
    tch::no_grad(|| drop(exchange.shallow_clone().fill_(f64::INFINITY)));
    let examples = master_positions(1);
    let mut evaluator = TorchEvaluator::new(module, 1);
    let error = evaluator.evaluate(&[examples[0].query()], &mut [Answer::default()]).unwrap_err();
    assert!(matches!(error, EvaluatorError::NotFinite { what: "a move", .. }), "{error}");
}

#[test]
fn fresh_weights_find_every_move_alike() {
    torch::init(1);
    let mut rng = <rand_chacha::ChaCha8Rng as rand::SeedableRng>::seed_from_u64(1);
    let sparse = Architecture::Sparse { hidden: 64, value_hidden: 16 };
    let tower = Architecture::Tower { channels: 16, blocks: 2, value_hidden: 16 };
    for architecture in [sparse, tower] {
        let description = Description::new(architecture, "checks", "test");
        let weights = Weights::new_random(description, &mut rng).unwrap();
        let batch = random_batch(10, 1).build(Device::Cpu).unwrap();
        let outputs = Module::new(&weights, Device::Cpu).unwrap().forward(&batch).unwrap();
        assert_eq!(outputs.wdl_logits, Tensor::zeros([10, 3], (Kind::Float, Device::Cpu)));
        assert_eq!(
            outputs.policy_logits,
            batch.legal.logical_not().to_kind(Kind::Float) * ILLEGAL_LOGIT,
            "legal moves 0, others {ILLEGAL_LOGIT}"
        );
    }
}

#[test]
fn a_tower_is_no_sparse_module() {
    torch::init(1);
    let error = SparseModule::new(&random_tower(8, 1, 1), Device::Cpu).unwrap_err();
    assert!(matches!(error, TorchError::Weights(WeightsError::Tower)), "{error}");
}

#[test]
fn a_batch_is_what_was_pushed() {
    torch::init(1);
    let mut builder = BatchBuilder::new();
    assert!(matches!(builder.build(Device::Cpu), Err(TorchError::EmptyBatch)));
    builder.push(&[9, 9, 9], []);
    builder.clear();
    builder.push(&[1, 5000], [(7, 70), (8, 80), (9, 90)]);
    builder.push(&[], []);
    builder.push(&[2], [(2061, 223)]);
    assert_eq!(builder.len(), 3);
    let batch = builder.build(Device::Cpu).unwrap();
    assert_eq!((batch.len(), batch.moves.size()), (3, vec![3, 3]));
    assert_eq!(batch.active, Tensor::from_slice(&[1_i64, 5000, 2]));
    assert_eq!(batch.offsets, Tensor::from_slice(&[0_i64, 2, 2]));
    assert_eq!(batch.moves, Tensor::from_slice(&[7_i64, 8, 9, 0, 0, 0, 2061, 0, 0]).view([3, 3]));
    assert_eq!(batch.exchanges, Tensor::from_slice(&[70_i64, 80, 90, 0, 0, 0, 223, 0, 0]).view([3, 3]));
    assert_eq!(batch.legal.to_kind(Kind::Int64), batch.exchanges.ne(0).to_kind(Kind::Int64));
    assert_eq!(batch.legal.kind(), Kind::Bool);
}

/// Cross-entropies with the first move and a win, and the square of the moves left in units of 32 plies.
fn loss(module: &Module, batch: &Batch) -> Tensor {
    let outputs = module.forward(batch).unwrap();
    let policy = outputs.policy_logits.log_softmax(1, Kind::Float).select(1, 0).mean(Kind::Float);
    let wdl = outputs.wdl_logits.log_softmax(1, Kind::Float).select(1, 0).mean(Kind::Float);
    (outputs.moves_left / 32.0).square().mean(Kind::Float) - policy - wdl
}
