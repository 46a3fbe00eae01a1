//! Towers in the commands that play and export nets.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use net::{Architecture, Description, Weights, to_onnx};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng as _};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A folder with a small tower's first weights in `tower.safetensors`.
fn folder() -> (tempfile::TempDir, Weights) {
    let folder = tempfile::tempdir().unwrap();
    let architecture = Architecture::Tower { channels: 8, blocks: 1, value_hidden: 8 };
    let description = Description::new(architecture, "formal", "test");
    let weights = Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    weights.write(folder.path().join("tower.safetensors")).unwrap();
    (folder, weights)
}

fn meihua(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meihua"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

#[test]
fn a_tower_is_exported_to_onnx_and_not_to_an_engine_file() {
    let (folder, weights) = folder();
    let export = |name| meihua(folder.path(), &["export", "tower.safetensors", "--out", name]);
    assert!(export("tower.onnx").status.success());
    assert!(fs::read(folder.path().join("tower.onnx")).unwrap() == to_onnx(&weights, None));
    let refused = export("tower.meihua");
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1));
    assert!(message.contains("the network is a tower"), "{message}");
    assert!(!folder.path().join("tower.meihua").exists());
}

#[test]
fn a_tower_plays_matches() {
    let (folder, _) = folder();
    let arguments = ["arena", "tower.safetensors", "random", "--games", "2", "--simulations", "4"];
    let limit = ["--longest-plies", "60"];
    let output = meihua(folder.path(), &[&arguments[..], &limit].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("tower.safetensors against random: ") && text.contains("of 2 games"), "{text}");
}

/// Named on the command line, and chosen by the interface.
#[test]
fn a_tower_answers_an_interface() {
    let (folder, _) = folder();
    let ask = |arguments: &[&str], words: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_meihua"));
        command.current_dir(folder.path()).arg("engine").args(arguments);
        let mut engine = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        engine.stdin.take().unwrap().write_all(words.as_bytes()).unwrap();
        // The end of the input ends the search, if it is still going on.
        String::from_utf8(engine.wait_with_output().unwrap().stdout).unwrap()
    };
    let path = folder.path().join("tower.safetensors");
    let chosen =
        format!("uci\nsetoption name EvalFile value {}\nposition startpos\ngo nodes 5\n", path.display());
    for said in
        [ask(&["--net", "tower.safetensors"], "uci\nposition startpos\ngo nodes 5\n"), ask(&[], &chosen)]
    {
        assert!(said.contains("bestmove ") && !said.contains("error"), "{said}");
        assert!(said.contains("tower.safetensors"), "{said}");
    }
}

#[test]
fn a_gpu_that_is_not_there_is_refused() {
    let (folder, _) = folder();
    let run =
        |device| meihua(folder.path(), &["train", "--run", "run", "--device", device, "--generations", "1"]);
    for (device, what) in
        [("cuda:99", "--device cuda:99: libtorch finds"), ("gpu", "want cpu, cuda or a GPU")]
    {
        let output = run(device);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(what), "{message}");
    }
    assert!(!folder.path().join("run").exists());
}
