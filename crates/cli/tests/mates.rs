//! `meihua bench mates` as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use net::{Architecture, Description, Weights};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng as _};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn mates(folder: &Path, file: &str, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meihua"));
    command.current_dir(folder).args(["bench", "mates", file, "--net", "net.safetensors"]).args(more);
    command.output().unwrap()
}

/// A folder with a net that knows nothing.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let description = Description::new(Architecture::Sparse { hidden: 8, value_hidden: 8 }, "checks", "test");
    let weights = Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    weights.write(folder.path().join("net.safetensors")).unwrap();
    folder
}

#[test]
fn mates_are_counted_and_their_proofs_hold() {
    let folder = folder();
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/search/mates.epd");
    let output = mates(folder.path(), suite, &["--visits", "1,200,5000", "--threads", "2", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let table: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let rounds = table["rounds"].as_array().unwrap();
    let numbers = |key: &str| rounds.iter().map(|round| round[key].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!((numbers("visits"), numbers("positions")), (vec![1, 200, 5000], vec![30; 3]));
    let (solved, proved, whole) = (numbers("solved"), numbers("proved"), numbers("checked_whole"));
    assert_eq!(proved[0], 0, "one visit proves nothing");
    assert!(solved.is_sorted() && proved[2] > 15, "{text}");
    for round in 0..3 {
        assert!(whole[round] <= proved[round] && proved[round] <= solved[round], "{text}");
    }
    assert_eq!(rounds[2]["attempts"].as_array().unwrap().len(), 30);
}

#[test]
fn what_is_no_collection_is_refused_by_its_line() {
    let folder = folder();
    for (text, what) in [
        ("", "suite.epd has no positions"),
        ("# nothing\n\n5k3/R8/7R1/9/9/9/p8/9/9/3K5 w", "suite.epd:3"),
        ("5k3/R8/7R1/9/9/9/p8/9/9/3K5 w bm a0a1;", "bm = a0a1: want legal moves"),
    ] {
        fs::write(folder.path().join("suite.epd"), text).unwrap();
        let output = mates(folder.path(), "suite.epd", &[]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains(what), "{message}");
    }
}
