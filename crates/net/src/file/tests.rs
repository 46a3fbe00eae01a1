//! Round trips, and every way in which a file can be wrong.

use super::*;
use crate::description::{Architecture, MAX_BLOCKS, MAX_CHANNELS, MAX_HIDDEN, MAX_VALUE_HIDDEN};
use crate::weights::Weights;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use std::fs;

#[test]
fn weights_come_back_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    let tower = Architecture::Tower { channels: 16, blocks: 11, value_hidden: 8 };
    let sparse = |hidden| Architecture::Sparse { hidden, value_hidden: 16 };
    for architecture in [sparse(8), sparse(24), tower] {
        let mut description = description();
        description.architecture = architecture;
        description.step = u64::MAX;
        description.parent = Some(weights().hash());
        let weights = Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(7)).unwrap();
        weights.write(&path).unwrap(); // the second time over the first
        let read = Weights::read(&path).unwrap();
        assert_eq!(read, weights);
        assert_eq!(read.to_bytes(), fs::read(&path).unwrap());
        assert_eq!(read.hash(), weights.hash());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file is left");
}

/// Another hash means that the same seed no longer starts the same run, or that the file's layout has changed.
#[test]
fn fresh_weights_and_their_file_stay_the_same() {
    assert_eq!(weights().hash(), "0c0de7188b9b1e4300d9b642d83b3fa8c32a63ebb8b9ce111e5ce1b498246f8d");
}

#[test]
fn a_file_that_cannot_be_written_or_read_says_which() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no such folder").join("net.safetensors");
    let error = weights().write(&missing).unwrap_err();
    assert!(matches!(&error, WeightsError::Write { path, .. } if *path == missing), "{error}");
    let error = Weights::read(&missing).unwrap_err();
    assert!(matches!(&error, WeightsError::Read { path, .. } if *path == missing), "{error}");
    let error = weights().write(folder.path()).unwrap_err(); // a folder is in the way
    assert!(matches!(error, WeightsError::Write { .. }), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a temporary file is left");
}

#[test]
fn what_is_no_safetensors_file_is_refused() {
    for bytes in [&b""[..], b"7 bytes", b"{}", b"this is a text file and not a network", &[0xff; 4096]] {
        assert!(matches!(Weights::from_bytes(bytes), Err(WeightsError::NotSafetensors(_))), "{bytes:?}");
    }
}

#[test]
fn an_engine_file_is_known_for_one() {
    let bytes = crate::QuantisedWeights::new(&weights(), None).unwrap().to_bytes();
    assert!(matches!(Weights::from_bytes(&bytes), Err(WeightsError::EngineFile)));
}

#[test]
fn a_file_cut_short_or_too_long_is_refused() {
    let bytes = weights().to_bytes();
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    for len in [1, 7, 8, 9, 100, header - 1, header, header + 1, header + 4, bytes.len() / 2, bytes.len() - 1]
    {
        let result = Weights::from_bytes(&bytes[..len]);
        assert!(matches!(result, Err(WeightsError::NotSafetensors(_))), "{len} bytes");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(matches!(Weights::from_bytes(&longer), Err(WeightsError::NotSafetensors(_))));
}

#[test]
fn no_flipped_bit_goes_unseen() {
    let weights = weights();
    let mut bytes = weights.to_bytes();
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let in_header = 0..8 * header;
    let in_data = (8 * header..8 * bytes.len()).step_by(8 * 4_801 + 1);
    // Data are hashed as a whole, which takes time, so not every header bit that gets so far is tried.
    for bit in in_header.step_by(5).chain(in_data) {
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(Weights::from_bytes(&bytes).is_err(), "bit {} of byte {}", bit % 8, bit / 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    assert_eq!(Weights::from_bytes(&bytes).unwrap(), weights);
}

#[test]
fn changed_numbers_are_seen() {
    let mut bytes = weights().to_bytes();
    *bytes.last_mut().unwrap() ^= 1;
    assert!(matches!(Weights::from_bytes(&bytes), Err(WeightsError::Checksum { .. })));
}

#[test]
fn somebody_elses_safetensors_file_is_refused() {
    let values = [0; 8];
    let view = TensorView::new(Dtype::F32, vec![2], &values).unwrap();
    for metadata in [None, Some(HashMap::from([("format".to_owned(), "pt".to_owned())]))] {
        let bytes = safetensors::serialize([("input.bias", &view)], metadata).unwrap();
        assert!(matches!(Weights::from_bytes(&bytes), Err(WeightsError::NoDescription)));
    }
}

#[test]
fn a_description_that_is_none_is_refused() {
    let header = good_header();
    let with_unknown_key = header.replace("\"step\"", "\"stepp\"");
    let of_unknown_architecture = header.replace("\"sparse\"", "\"dense\"");
    for header in ["", "null", "{}", "[1]", "{\"format\":\"1\"}", &with_unknown_key, &of_unknown_architecture]
    {
        let result = Weights::from_bytes(&with_header(header));
        assert!(matches!(result, Err(WeightsError::BadDescription(_))), "{header}: {result:?}");
    }
}

#[test]
fn other_versions_are_refused() {
    let newer = good_header().replace("\"format\":1", "\"format\":2");
    let error = Weights::from_bytes(&with_header(&newer)).unwrap_err();
    assert!(matches!(error, WeightsError::FormatVersion { found: 2 }), "{error}");

    let error = refused(|description, _| description.feature_version = 7);
    assert!(matches!(error, WeightsError::FeatureVersion { found: 7 }), "{error}");
    assert!(error.to_string().contains("version 7") && error.to_string().contains("version 1"), "{error}");

    let error = refused(|description, _| description.move_index_version = 0);
    assert!(matches!(error, WeightsError::MoveIndexVersion { found: 0 }), "{error}");
    assert!(error.to_string().contains("version 0") && error.to_string().contains("version 1"), "{error}");
}

#[test]
fn impossible_widths_and_parents_are_refused() {
    for (hidden, value_hidden) in [(0, 16), (4, 16), (100, 16), (4104, 16), (64, 0), (64, 20), (64, 264)] {
        let error = refused(|description, _| {
            description.architecture = Architecture::Sparse { hidden, value_hidden };
        });
        assert!(matches!(error, WeightsError::Width { .. }), "{error}");
    }
    let towers = [(0, 1, 8), (12, 1, 8), (264, 1, 8), (8, 0, 8), (8, 41, 8), (8, 1, 12)];
    for (channels, blocks, value_hidden) in towers {
        let error = refused(|description, _| {
            description.architecture = Architecture::Tower { channels, blocks, value_hidden };
        });
        assert!(matches!(error, WeightsError::Width { .. } | WeightsError::Blocks { .. }), "{error}");
    }
    let error = refused(|description, _| description.parent = Some("ABC".to_owned()));
    assert!(matches!(error, WeightsError::Parent(_)), "{error}");
}

/// A longer file isn't read.
#[test]
fn the_largest_networks_fit_into_a_file() {
    let sparse = Architecture::Sparse { hidden: MAX_HIDDEN, value_hidden: MAX_VALUE_HIDDEN };
    let tower =
        Architecture::Tower { channels: MAX_CHANNELS, blocks: MAX_BLOCKS, value_hidden: MAX_VALUE_HIDDEN };
    for architecture in [sparse, tower] {
        let shapes = architecture.shapes();
        assert!(shapes.is_sorted(), "by name");
        let numbers: usize = shapes.iter().map(|(_, shape)| shape.iter().product::<usize>()).sum();
        let header = 200 * shapes.len() + 10_000;
        assert!(4 * numbers + header < MAX_BYTES, "{numbers} numbers");
    }
}

#[test]
fn wrong_tensors_are_refused() {
    let error = refused(|_, tensors| drop(tensors.remove("policy.exchange")));
    assert!(matches!(&error, WeightsError::MissingTensor(name) if name == "policy.exchange"), "{error}");

    let error = refused(|_, tensors| {
        let tensor = tensors["value.bias"].clone();
        tensors.insert("value.spare".to_owned(), tensor);
    });
    assert!(matches!(&error, WeightsError::ExtraTensor(name) if name == "value.spare"), "{error}");

    let error = refused(|_, tensors| tensors.get_mut("policy.weight").unwrap().shape.reverse());
    assert!(matches!(&error, WeightsError::Shape { name, .. } if name == "policy.weight"), "{error}");

    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = refused(|_, tensors| tensors.get_mut("policy.bias").unwrap().values[5] = value);
        assert!(
            matches!(&error, WeightsError::NotFinite { name, index: 5, .. } if name == "policy.bias"),
            "{error}"
        );
    }
}

#[test]
fn numbers_of_another_kind_are_refused() {
    let values = [0; 64];
    let view = TensorView::new(Dtype::F64, vec![8], &values).unwrap();
    let metadata = HashMap::from([(KEY.to_owned(), good_header())]);
    let bytes = safetensors::serialize([("value.bias", &view)], Some(metadata)).unwrap();
    let error = Weights::from_bytes(&bytes).unwrap_err();
    assert!(matches!(&error, WeightsError::Kind { name, .. } if name == "value.bias"), "{error}");
}

/// The error that a well-made file with these changes gets.
fn refused(change: impl FnOnce(&mut Description, &mut BTreeMap<String, Tensor>)) -> WeightsError {
    let (mut description, mut tensors) = (description(), weights().tensors().clone());
    change(&mut description, &mut tensors);
    Weights::from_bytes(&encode(&description, &tensors)).unwrap_err()
}

/// A file with this under [`KEY`], and the right tensors.
fn with_header(header: &str) -> Vec<u8> {
    let bytes = weights().to_bytes();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    safetensors::serialize(file.tensors(), Some(HashMap::from([(KEY.to_owned(), header.to_owned())])))
        .unwrap()
}

fn good_header() -> String {
    let bytes = weights().to_bytes();
    let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    metadata.metadata().as_ref().unwrap()[KEY].clone()
}

fn weights() -> Weights {
    Weights::new_random(description(), &mut ChaCha8Rng::seed_from_u64(1)).unwrap()
}

fn description() -> Description {
    Description::new(Architecture::Sparse { hidden: 8, value_hidden: 8 }, "checks", "test")
}
