//! `export`: three formats, and what it refuses.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use net::{Architecture, Description, QuantisedWeights, Weights, open, to_onnx};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn export(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meihua"));
    command.current_dir(folder).arg("export").args(arguments).output().unwrap()
}

fn weights() -> Weights {
    let architecture = Architecture::Sparse { hidden: 8, value_hidden: 8 };
    let description = Description::new(architecture, "formal", "test");
    Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).unwrap()
}

#[test]
fn each_format_is_written_whole() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let weights = weights();
    weights.write(folder.join("net")).unwrap();
    let licence = Some("CC0-1.0".to_owned());
    let engine = QuantisedWeights::new(&weights, licence.clone()).unwrap().to_bytes();
    let cases: [(&str, &[&str], &str, Vec<u8>); 5] = [
        ("a.meihua", &["--licence", "CC0-1.0"], "engine", engine),
        ("a.onnx", &["--licence", "CC0-1.0"], "onnx", to_onnx(&weights, licence.as_deref())),
        ("b.onnx", &[], "onnx", to_onnx(&weights, None)),
        ("a.safetensors", &[], "safetensors", weights.to_bytes()),
        ("strange", &["--format", "safetensors"], "safetensors", weights.to_bytes()),
    ];
    for (name, more, format, expected) in cases {
        let output = export(folder, &[&["net", "--out", name, "--json"], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(fs::read(folder.join(name)).unwrap() == expected, "{name}");
        let text = String::from_utf8(output.stdout).unwrap();
        let [line, json] = *text.lines().collect::<Vec<_>>() else { panic!("{text}") };
        assert!(line.starts_with(&format!("{name}: {format}, {} bytes", expected.len())), "{line}");
        let json: Value = serde_json::from_str(json).unwrap();
        assert_eq!(json["format"], format);
        assert_eq!(json["weights_sha256"], weights.hash());
        assert_eq!(json["sha256"], net::bytes::sha256_hex([expected.as_slice()]));
    }
    assert_eq!(open(folder.join("a.meihua")).unwrap().licence(), Some("CC0-1.0"));
    assert_eq!(open(folder.join("strange")).unwrap().hash(), weights.hash());
}

#[test]
fn what_cannot_be_exported_is_one_line_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    weights().write(folder.join("net")).unwrap();
    fs::write(folder.join("text"), "this is no network at all").unwrap();
    QuantisedWeights::new(&weights(), None).unwrap().write(folder.join("engine")).unwrap();
    fs::create_dir(folder.join("empty")).unwrap();
    let cases: [(&[&str], &str); 9] = [
        (&["net", "--out", "out"], "--out out: want the ending .meihua, .onnx or .safetensors, or --format"),
        (&["net", "--out", "out.MEIHUA"], "want the ending"),
        (&["net", "--out", "out.safetensors", "--licence", "MIT"], "a weights file states none"),
        (&["net", "--out", "out.onnx", "--licence", ""], "licence = \"\": want 1 to 200 characters"),
        (&["net", "--out", "nowhere/out.onnx"], "cannot write nowhere/out.onnx"),
        (&["missing", "--out", "out.onnx"], "missing"),
        (&["text", "--out", "out.onnx"], "not a whole safetensors file"),
        (&["engine", "--out", "out.onnx"], "want the weights file that it was made from"),
        (&["empty", "--out", "out.onnx"], "empty"),
    ];
    for (arguments, what) in cases {
        let output = export(folder, arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.starts_with("error: ") && text.lines().count() == 1 && text.contains(what), "{text}");
        assert!(output.stdout.is_empty());
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), 4, "something was written");
}
