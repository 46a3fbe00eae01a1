//! Round trips, and every way in which a file can be wrong.

use super::*;
use crate::description::{Architecture, Description};
use crate::quantised_weights::MAX_LICENCE;
use crate::weights::{Tensor, Weights, WeightsError};
use evaluator::MAX_ACTIVE;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::fs;

#[test]
fn what_was_written_is_read_and_written_again_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.meihua");
    for (hidden, value_hidden, licence) in [(8, 8, None), (24, 16, Some("CC0-1.0")), (72, 8, Some("自由"))]
    {
        let quantised =
            QuantisedWeights::new(&weights(hidden, value_hidden), licence.map(str::to_owned)).unwrap();
        quantised.write(&path).unwrap(); // the second time over the first
        let read = QuantisedWeights::read(&path).unwrap();
        assert!(read == quantised);
        assert_eq!(read.licence(), licence);
        let bytes = fs::read(&path).unwrap();
        assert_eq!(read.to_bytes(), bytes);
        assert_eq!(read.hash(), quantised.hash());
        let length = PREAMBLE + json(&header_of(&bytes)).len() + numbers_bytes(hidden, value_hidden);
        assert_eq!(bytes.len(), length);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file is left");
}

/// Neither made of one nor read as one: a header may say anything.
#[test]
fn a_tower_is_refused() {
    let tower = Architecture::Tower { channels: 8, blocks: 1, value_hidden: 8 };
    let error = QuantisedWeights::new(&with(tower, || 0.0), None).unwrap_err().to_string();
    assert!(error.contains("the network is a tower"), "{error}");
    let mut header = header_of(&quantised().to_bytes());
    header.description.architecture = tower;
    let bytes = encode(&header, quantised().numbers());
    assert!(matches!(refusal(&bytes), EngineFileError::Description(WeightsError::Tower)));
}

/// Another hash means that the file's layout or the way of quantising has changed.
#[test]
fn the_file_of_some_weights_stays_the_same() {
    let hash = quantised().hash();
    assert_eq!(hash, "1462030dc90b4854ca5379d0eb87510fd0a7f46e51b06d3054a6cbfb4b2e306a");
}

#[test]
fn a_file_that_cannot_be_written_or_read_says_which() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no such folder").join("net.meihua");
    let error = quantised().write(&missing).unwrap_err();
    assert!(matches!(&error, EngineFileError::Write { path, .. } if *path == missing), "{error}");
    let error = QuantisedWeights::read(&missing).unwrap_err();
    assert!(matches!(&error, EngineFileError::Read { path, .. } if *path == missing), "{error}");
}

#[test]
fn other_files_are_refused() {
    let safetensors = weights(8, 8).to_bytes();
    for bytes in [&b""[..], b"MEIHUA", b"\x89PNG\r\n\x1a\n", b"\x89MEIHUA\r\n", &safetensors] {
        let result = QuantisedWeights::from_bytes(bytes);
        assert!(matches!(result, Err(EngineFileError::NoMagic)), "{result:?}");
    }
}

#[test]
fn a_file_cut_short_anywhere_is_refused_as_such() {
    let bytes = quantised().to_bytes();
    for len in 1..bytes.len() {
        let result = QuantisedWeights::from_bytes(&bytes[..len]);
        assert!(
            matches!(result, Err(EngineFileError::CutShort { found, expected }) if found == len && len < expected),
            "{len} bytes: {result:?}"
        );
    }
}

#[test]
fn a_file_with_more_behind_it_is_refused() {
    let mut bytes = quantised().to_bytes();
    let whole = bytes.len();
    bytes.push(0);
    let error = refusal(&bytes);
    assert!(
        matches!(error, EngineFileError::TooLong { found, expected } if found == whole + 1 && expected == whole),
        "{error}"
    );
}

#[test]
fn no_flipped_bit_goes_unseen() {
    let mut bytes = quantised().to_bytes();
    let numbers = bytes.len() - numbers_bytes(8, 8);
    let in_header = 0..8 * numbers;
    let in_numbers = (8 * numbers..8 * bytes.len()).step_by(8 * 401 + 1);
    let mut by_checksum = 0;
    for bit in in_header.chain(in_numbers) {
        bytes[bit / 8] ^= 1 << (bit % 8);
        let error = refusal(&bytes);
        by_checksum += u32::from(matches!(error, EngineFileError::Checksum { .. }));
        let is_number = numbers <= bit / 8;
        assert!(!is_number || matches!(error, EngineFileError::Checksum { .. }), "bit {bit}: {error}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    assert!(256 + 380 < by_checksum, "{by_checksum} flips were found by the checksum");
    assert!(QuantisedWeights::from_bytes(&bytes).unwrap() == quantised());
}

#[test]
fn other_versions_and_long_headers_are_refused() {
    for version in [0, 2, u32::MAX] {
        let mut bytes = quantised().to_bytes();
        bytes[8..12].copy_from_slice(&version.to_le_bytes());
        let error = refusal(&bytes);
        assert!(matches!(error, EngineFileError::FormatVersion { found } if found == version), "{error}");
    }
    for length in [MAX_HEADER + 1, u32::MAX as usize] {
        let mut bytes = quantised().to_bytes();
        bytes[12..16].copy_from_slice(&(length as u32).to_le_bytes());
        let error = refusal(&bytes);
        assert!(matches!(error, EngineFileError::HeaderTooLong { found } if found == length), "{error}");
    }
}

type IsExpected = fn(&EngineFileError) -> bool;

/// Each replaces a text in a right header, whose length and checksum are then made right again.
#[test]
fn every_kind_of_wrong_header_gets_its_error() {
    let hash = weights(8, 8).hash();
    let cases: &[(&str, &str, IsExpected)] = &[
        ("\"step\"", "\"stepp\"", |error| matches!(error, EngineFileError::BadHeader(_))),
        ("\"step\":0", "\"step\":-1", |error| matches!(error, EngineFileError::BadHeader(_))),
        ("\"step\":0", "\"step\":0,\"step\":0", |error| matches!(error, EngineFileError::BadHeader(_))),
        ("\"sparse\"", "\"dense\"", |error| matches!(error, EngineFileError::BadHeader(_))),
        ("\"licence\":null", "\"license\":null", |error| matches!(error, EngineFileError::BadHeader(_))),
        ("{\"description\"", "[\"description\"", |error| matches!(error, EngineFileError::BadHeader(_))),
        ("\"licence\":null}", "\"licence\":null}}", |error| matches!(error, EngineFileError::BadHeader(_))),
        ("\"licence\":null", "\"licence\": null", |error| matches!(error, EngineFileError::HeaderForm)),
        ("\"licence\":null}", "\"licence\":null} ", |error| matches!(error, EngineFileError::HeaderForm)),
        ("\"test\"", "\"t\\u0065st\"", |error| matches!(error, EngineFileError::HeaderForm)),
        ("\"feature_version\":1", "\"feature_version\":7", |error| {
            matches!(error, EngineFileError::Description(WeightsError::FeatureVersion { found: 7 }))
        }),
        ("\"move_index_version\":1", "\"move_index_version\":0", |error| {
            matches!(error, EngineFileError::Description(WeightsError::MoveIndexVersion { found: 0 }))
        }),
        ("\"hidden\":8", "\"hidden\":12", |error| {
            matches!(error, EngineFileError::Description(WeightsError::Width { width: 12, .. }))
        }),
        ("\"value_hidden\":8", "\"value_hidden\":0", |error| {
            matches!(error, EngineFileError::Description(WeightsError::Width { width: 0, .. }))
        }),
        // A reader that took its word for it would want 10 exabytes.
        ("\"hidden\":8", "\"hidden\":1152921504606846976", |error| {
            matches!(error, EngineFileError::Description(WeightsError::Width { .. }))
        }),
        ("\"hidden\":8", "\"hidden\":4096", |error| matches!(error, EngineFileError::CutShort { .. })),
        ("\"parent\":null", "\"parent\":\"AB\"", |error| {
            matches!(error, EngineFileError::Description(WeightsError::Parent(_)))
        }),
        (&hash, "0123", |error| matches!(error, EngineFileError::WeightsHash(_))),
        ("\"licence\":null", "\"licence\":\"\"", |error| matches!(error, EngineFileError::Licence(_))),
        ("\"licence\":null", "\"licence\":\"a\\nb\"", |error| matches!(error, EngineFileError::Licence(_))),
    ];
    let bytes = quantised().to_bytes();
    let right = String::from_utf8(json(&header_of(&bytes))).unwrap();
    let numbers = &bytes[PREAMBLE + right.len()..];
    for (old, new, is_expected) in cases {
        assert_eq!(right.matches(old).count(), 1, "{old}");
        let error = refusal(&sealed(&right.replace(old, new), numbers));
        assert!(is_expected(&error), "{new}: {error:?}");
    }
    let narrower = quantised_at(24);
    let numbers = &narrower[narrower.len() - numbers_bytes(24, 8)..];
    let error = refusal(&sealed(&right, numbers));
    assert!(matches!(error, EngineFileError::TooLong { .. }), "{error}");
    assert!(QuantisedWeights::from_bytes(&sealed(&right, &bytes[PREAMBLE + right.len()..])).is_ok());
}

/// Each writes bytes over the numbers, and the checksum is made right again.
#[test]
fn every_kind_of_wrong_number_gets_its_error() {
    let bytes = quantised().to_bytes();
    let text = json(&header_of(&bytes));
    let numbers = &bytes[PREAMBLE + text.len()..];
    let skip = 4 + 2 * 8 + 2 * INPUTS * 8;
    let policy = skip + 4 + 16 + 2 * INPUTS * 4;
    let value = policy + 4 * MOVES + 8 * MOVES + 4 * MOVES + 4 * EXCHANGES;
    let steps = [("input.step", 0), ("skip.step", skip), ("policy.step", policy), ("value.step", value)];
    for (name, at) in steps {
        for value in [0.0, -1.0, 1e-40, f32::NAN, f32::INFINITY] {
            let error = refusal(&overwritten(&text, numbers, at, &value.to_le_bytes()));
            assert!(matches!(error, EngineFileError::Step { name: found, .. } if found == name), "{error}");
        }
    }
    let floats = [
        ("skip.bias", skip + 4),
        ("policy.bias", policy + 12 * MOVES),
        ("policy.exchange", policy + 16 * MOVES),
        ("value.bias", value + 4 * 8 + 2 * 64),
        ("value.out", value + 2 * 4 * 8 + 2 * 64),
    ];
    for (name, at) in floats {
        for value in [f32::NAN, f32::NEG_INFINITY] {
            let error = refusal(&overwritten(&text, numbers, at + 4, &value.to_le_bytes()));
            assert!(
                matches!(error, EngineFileError::NotFinite { name: found, index: 1, .. } if found == name),
                "{error}"
            );
        }
    }
    let most = [i16::MAX; 2].map(i16::to_le_bytes).concat();
    for (name, at) in [("input.weight, column", 4 + 2 * 8 + 100), ("value.weight", value + 4 * 8)] {
        let error = refusal(&overwritten(&text, numbers, at, &[most.clone(), most.clone()].concat()));
        assert!(matches!(error, EngineFileError::Overflow { name: found, .. } if found == name), "{error}");
    }
}

#[test]
fn what_no_reader_would_take_is_not_made() {
    let licences = [String::new(), "a\tb".to_owned(), "x".repeat(MAX_LICENCE + 1)];
    for licence in licences {
        let error = QuantisedWeights::new(&weights(8, 8), Some(licence)).unwrap_err();
        assert!(matches!(error, EngineFileError::Licence(_)), "{error}");
    }
    let description = Description::new(SMALL, "checks", &"r".repeat(MAX_HEADER));
    let weights = Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    let error = QuantisedWeights::new(&weights, None).unwrap_err();
    assert!(matches!(error, EngineFileError::HeaderTooLong { .. }), "{error}");
}

#[test]
fn each_number_is_the_nearest_and_no_sum_can_overflow() {
    let extremes = [
        weights(24, 16),
        filled(f32::MAX),
        filled(-f32::MAX),
        filled(f32::MIN_POSITIVE),
        filled(1e-45),
        filled(0.0),
    ];
    for weights in extremes {
        let quantised = QuantisedWeights::new(&weights, None).unwrap();
        let numbers = quantised.numbers();
        let (hidden, _) = weights.description().architecture.sparse().unwrap();
        let columns = hidden + OUTPUTS;
        for (row, values) in weights.values("input.weight").chunks_exact(columns).enumerate() {
            let found = &numbers.input_weight[row * hidden..][..hidden];
            assert_nearest(&values[..hidden], found, numbers.input_step);
            assert_nearest(
                &values[hidden..],
                &numbers.skip_weight[row * OUTPUTS..][..OUTPUTS],
                numbers.skip_step,
            );
        }
        assert_nearest(&weights.values("input.bias")[..hidden], &numbers.input_bias, numbers.input_step);
        let rows = |name| weights.values(name).chunks_exact(hidden);
        for ((values, found), &step) in
            rows("policy.weight").zip(numbers.policy_weight.chunks_exact(hidden)).zip(&numbers.policy_step)
        {
            assert_nearest(values, found, step);
        }
        for ((values, found), &step) in
            rows("value.weight").zip(numbers.value_weight.chunks_exact(hidden)).zip(&numbers.value_step)
        {
            assert_nearest(values, found, step);
        }
    }
}

/// The steps are as fine as they can be: one column uses the whole range but for the room for rounding, and each row
/// has a number that is as large as can be.
#[test]
fn no_range_is_wasted() {
    let quantised = QuantisedWeights::new(&weights(24, 16), None).unwrap();
    let numbers = quantised.numbers();
    let sums = (0..24).map(|column| {
        let mut column_weights: Vec<u32> = numbers.input_weight[column..]
            .iter()
            .step_by(24)
            .map(|value| value.unsigned_abs().into())
            .collect();
        column_weights.sort_unstable();
        column_weights.iter().rev().take(MAX_ACTIVE).sum::<u32>()
            + u32::from(numbers.input_bias[column].unsigned_abs())
    });
    let most = sums.max().unwrap();
    assert!((32_700..=32_767).contains(&most), "{most}");
    for row in numbers.policy_weight.chunks_exact(24) {
        assert_eq!(row.iter().map(|value| value.unsigned_abs()).max(), Some(127));
    }
}

fn assert_nearest<T: Copy + Into<f64>>(values: &[f32], found: &[T], step: f32) {
    assert_eq!(values.len(), found.len());
    for (&value, &found) in values.iter().zip(found) {
        let (value, found) = (f64::from(value) / f64::from(step), found.into());
        // A little more for the rounding of the step itself.
        assert!((value - found).abs() <= 0.5 + 1e-4, "{value} steps became {found}");
    }
}

const SMALL: Architecture = Architecture::Sparse { hidden: 8, value_hidden: 8 };

fn quantised() -> QuantisedWeights {
    QuantisedWeights::new(&weights(8, 8), None).unwrap()
}

fn quantised_at(hidden: usize) -> Vec<u8> {
    QuantisedWeights::new(&weights(hidden, 8), None).unwrap().to_bytes()
}

/// Every number is random in (−0.5, 0.5).
fn weights(hidden: usize, value_hidden: usize) -> Weights {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    with(Architecture::Sparse { hidden, value_hidden }, || {
        (rng.next_u32() >> 8) as f32 / (1 << 24) as f32 - 0.5
    })
}

fn filled(value: f32) -> Weights {
    with(SMALL, || value)
}

fn with(architecture: Architecture, mut value: impl FnMut() -> f32) -> Weights {
    let tensors = architecture.shapes().into_iter().map(|(name, shape)| {
        let values = (0..shape.iter().product()).map(|_| value()).collect();
        (name, Tensor { shape, values })
    });
    Weights::new(Description::new(architecture, "checks", "test"), tensors.collect()).unwrap()
}

fn refusal(bytes: &[u8]) -> EngineFileError {
    QuantisedWeights::from_bytes(bytes).unwrap_err()
}

fn header_of(bytes: &[u8]) -> Header {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[PREAMBLE..][..length]).unwrap()
}

/// A file with this header and these numbers, with the right length and checksum.
fn sealed(header: &str, numbers: &[u8]) -> Vec<u8> {
    let content = [header.as_bytes(), numbers].concat();
    let [version, length] = [FORMAT_VERSION, header.len() as u32].map(u32::to_le_bytes);
    [&MAGIC[..], &version, &length, &Sha256::digest(&content), &content].concat()
}

fn overwritten(header: &[u8], numbers: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut numbers = numbers.to_vec();
    numbers[at..][..bytes.len()].copy_from_slice(bytes);
    sealed(std::str::from_utf8(header).unwrap(), &numbers)
}
