//! The same step gives the same bits each time. A test file of its own: the number of threads is the whole process's.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{random_batch, random_tower, random_weights};
use net::Weights;
use tch::{Device, Kind, Tensor};
use torch::Module;

#[test]
fn a_step_repeats_to_the_bit_for_each_number_of_threads() {
    for threads in [1, 2] {
        torch::init(threads);
        for (weights, size) in [(random_weights(64, 16, 1), 256), (random_tower(16, 2, 1), 64)] {
            let first = gradients(&weights, size);
            for _ in 0..5 {
                for ((name, expected), found) in first.iter().zip(gradients(&weights, size)) {
                    assert!(expected.equal(&found.1), "gradient of {name} differs with {threads} threads");
                }
            }
        }
    }
}

fn gradients(weights: &Weights, size: usize) -> Vec<(String, Tensor)> {
    let module = Module::new(weights, Device::Cpu).unwrap();
    let batch = random_batch(size, 1).build(Device::Cpu).unwrap();
    let outputs = module.forward(&batch).unwrap();
    let policy = outputs.policy_logits.log_softmax(1, Kind::Float).select(1, 0).mean(Kind::Float);
    let wdl = outputs.wdl_logits.log_softmax(1, Kind::Float).select(1, 0).mean(Kind::Float);
    let loss = outputs.moves_left.mean(Kind::Float) - policy - wdl;
    let (names, parameters): (Vec<String>, Vec<Tensor>) = module.parameters().into_iter().unzip();
    names.into_iter().zip(Tensor::run_backward(&[loss], &parameters, false, false)).collect()
}
