//! What must hold of every file of a network, and small ones to start from.

use evaluator::{Answer, Evaluator, Query, Situation};
use net::{Architecture, Description, Network, QuantisedWeights, SparseEvaluator, SparseNet, Weights};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::Position;
use std::sync::LazyLock;

/// The smallest network.
pub static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| {
    let architecture = Architecture::Sparse { hidden: 8, value_hidden: 8 };
    let description = Description::new(architecture, "formal", "fuzz");
    Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).expect("the narrowest widths")
});

/// Opens a file of any bytes: it is refused, or written again alike, and then it answers without breaking down.
/// Says whether it was a network.
pub fn check(bytes: &[u8]) -> bool {
    let Ok(network) = Network::from_bytes(bytes) else { return check_tower(bytes) };
    answer(network.evaluator());
    if let Ok(quantised) = QuantisedWeights::from_bytes(bytes) {
        assert!(quantised.to_bytes() == bytes, "an engine file is written again otherwise");
        let net = SparseNet::quantised(&quantised);
        let plain = answer(SparseEvaluator::new(net.with_plain_kernels().into()));
        assert_eq!(answer(network.evaluator()), plain, "the kernels differ");
    } else {
        check_weights(&Weights::from_bytes(bytes).expect("it is a network of the other kind"));
    }
    true
}

/// Weights that no network without libtorch is made of: a tower's. They are written again alike, and as a model.
fn check_tower(bytes: &[u8]) -> bool {
    let Ok(weights) = Weights::from_bytes(bytes) else { return false };
    assert!(matches!(weights.description().architecture, Architecture::Tower { .. }));
    let read = Weights::from_bytes(&weights.to_bytes()).expect("what is written can be read");
    assert!(read == weights, "weights are read otherwise");
    assert!(!net::to_onnx(&weights, None).is_empty());
    true
}

/// Weights are read as they were written, and so is what they become when quantised.
pub fn check_weights(weights: &Weights) {
    let read = Weights::from_bytes(&weights.to_bytes()).expect("what is written can be read");
    assert!(read == *weights, "weights are read otherwise");
    answer(Network::of_sparse(&read).expect("it is no tower").evaluator());
    let quantised = QuantisedWeights::new(weights, None).expect("all weights can be quantised");
    let read = QuantisedWeights::from_bytes(&quantised.to_bytes()).expect("what is written can be read");
    assert!(read == quantised, "an engine file is read otherwise");
    answer(Network::from(read).evaluator());
}

/// The bits of the answer to a position where every kind of piece can move; none if it is no number.
fn answer(mut evaluator: impl Evaluator) -> Option<Vec<u32>> {
    let position = Position::start();
    let legal = position.legal_moves();
    let situation = Situation { quiet_plies: 119, repeated: true, ..Situation::default() };
    let mut answers = [Answer::default()];
    let queries = [Query { position: &position, situation, legal: &legal }];
    evaluator.evaluate(&queries, &mut answers).ok()?;
    let [Answer { wdl, moves_left, logits }] = answers;
    assert_eq!(logits.len(), legal.len());
    Some(
        [wdl.win, wdl.draw, wdl.loss, moves_left]
            .iter()
            .chain(&logits)
            .map(|value| value.to_bits())
            .collect(),
    )
}

/// Edits bytes: three bytes are a place, modulo the length, and as many as `WIDTH` go there.
pub fn edit<const WIDTH: usize>(bytes: &mut [u8], edits: &[u8]) {
    for edit in edits.chunks_exact(3 + WIDTH) {
        let place = u32::from_le_bytes([edit[0], edit[1], edit[2], 0]) as usize % (bytes.len() - WIDTH);
        bytes[place..][..WIDTH].copy_from_slice(&edit[3..]);
    }
}
