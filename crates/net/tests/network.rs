//! Files of either kind, opened as a network.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{random_positions, random_weights};
use evaluator::{Answer, Evaluator as _, Query};
use net::{
    Architecture, Description, EngineFileError, Network, NetworkFault, OpenError, QuantisedWeights,
    SparseEvaluator, SparseNet, Weights, WeightsError, open,
};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use std::fs;

#[test]
fn both_kinds_of_file_are_opened_and_answer_as_their_networks_do() {
    let folder = tempfile::tempdir().unwrap();
    let weights = random_weights(24, 8, 1);
    let quantised = QuantisedWeights::new(&weights, Some("CC0-1.0".to_owned())).unwrap();
    // The content tells which is which, not the name.
    let [floats, integers] = ["a.meihua", "b.safetensors"].map(|name| folder.path().join(name));
    weights.write(&floats).unwrap();
    quantised.write(&integers).unwrap();
    let cases = [
        (open(&floats).unwrap(), SparseNet::new(&weights).unwrap(), weights.hash(), None),
        (open(&integers).unwrap(), SparseNet::quantised(&quantised), quantised.hash(), Some("CC0-1.0")),
    ];
    for (network, net, hash, licence) in cases {
        assert_eq!(network.description(), weights.description());
        assert_eq!(network.hash(), hash);
        assert_eq!(network.weights_hash(), weights.hash());
        assert_eq!(network.licence(), licence);
        let mut expected = SparseEvaluator::new(net.into());
        let mut found = network.evaluator();
        for (position, situation, legal) in random_positions(50, 1) {
            let query = [Query { position: &position, situation, legal: &legal }];
            let [mut a, mut b] = [[Answer::default()], [Answer::default()]];
            expected.evaluate(&query, &mut a).unwrap();
            found.evaluate(&query, &mut b).unwrap();
            assert_eq!(a, b, "{}", position.fen());
        }
    }
}

#[test]
fn what_cannot_be_opened_says_why_and_which() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().join("nothing"), folder.path().to_owned()] {
        let error = open(&path).unwrap_err();
        assert!(matches!(&error, OpenError::Read { path: found, .. } if *found == path), "{error}");
    }
    let path = folder.path().join("file");
    let strange: [&[u8]; 5] = [b"", b"net", b"{\"format\": 1}", b"\x08\x01ONNX...", &[0; 4096]];
    for bytes in strange {
        fs::write(&path, bytes).unwrap();
        let error = open(&path).unwrap_err();
        assert!(matches!(error, OpenError::Refused { fault: NetworkFault::Neither, .. }), "{error}");
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
    }
    let architecture = Architecture::Tower { channels: 8, blocks: 1, value_hidden: 8 };
    let description = Description::new(architecture, "checks", "test");
    let tower = Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    let fault = Network::from_bytes(&tower.to_bytes()).unwrap_err();
    assert!(matches!(fault, NetworkFault::Weights(WeightsError::Tower)), "{fault}");
    let fault = Network::from_bytes(b"\x89MEI").unwrap_err();
    assert!(matches!(fault, NetworkFault::Engine(EngineFileError::CutShort { found: 4, .. })), "{fault}");
    let fault = Network::from_bytes(b"\x02\0\0\0\0\0\0\0{}").unwrap_err();
    assert!(matches!(fault, NetworkFault::Weights(WeightsError::NoDescription)), "{fault}");
}
