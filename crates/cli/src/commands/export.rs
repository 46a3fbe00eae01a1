//! `meihua export`: a net's weights for use elsewhere.

use super::{by_name, print_result};
use anyhow::Context as _;
use net::{Description, QuantisedWeights, Weights, check_licence, to_onnx};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Write a net's weights to one file, for engines and other programs
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Formats: engine (.meihua) is small and quantised, for engines of ours, from sparse nets only; onnx (.onnx) runs in ONNX Runtime and others;
safetensors (.safetensors) is the weights file itself. crates/net/FORMAT.md describes all three.

Examples:
  meihua export runs/laptop --out champion.meihua --licence CC0-1.0
  meihua export runs/laptop/nets/g000010.safetensors --out g10.onnx")]
pub(crate) struct Arguments {
    /// A run folder, whose champion is exported, or a weights file
    #[arg(value_name = "RUN_OR_WEIGHTS")]
    net: PathBuf,
    /// The file to write; an old one is replaced
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What to write [default: as the file's ending says]
    #[arg(long, value_parser = by_name(Format::ALL, Format::name))]
    format: Option<Format>,
    /// The licence to state in the file, such as CC0-1.0 [default: none is stated]
    #[arg(long, value_name = "NAME")]
    licence: Option<String>,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Engine,
    Onnx,
    Safetensors,
}

impl Format {
    const ALL: [Self; 3] = [Self::Engine, Self::Onnx, Self::Safetensors];

    const fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Onnx => "onnx",
            Self::Safetensors => "safetensors",
        }
    }

    const fn ending(self) -> &'static str {
        match self {
            Self::Engine => "meihua",
            Self::Onnx => "onnx",
            Self::Safetensors => "safetensors",
        }
    }

    fn of(path: &Path) -> anyhow::Result<Self> {
        let format = Self::ALL
            .into_iter()
            .find(|format| path.extension().is_some_and(|ending| ending == format.ending()));
        format.with_context(|| {
            format!("--out {}: want the ending .meihua, .onnx or .safetensors, or --format", path.display())
        })
    }
}

#[derive(Serialize)]
struct Report<'a> {
    file: &'a Path,
    format: &'static str,
    bytes: usize,
    sha256: String,
    weights_bytes: usize,
    weights_sha256: String,
    description: &'a Description,
    licence: Option<&'a str>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { net, out, licence, .. } = arguments;
    let format = arguments.format.map_or_else(|| Format::of(out), Ok)?;
    if format == Format::Safetensors && licence.is_some() {
        anyhow::bail!("--licence: a weights file states none; want --format engine or onnx");
    }
    let weights = if net.is_dir() {
        pipeline::champion(net)?
    } else {
        Weights::read(net).with_context(|| format!("in {}", net.display()))?
    };
    let plain = weights.to_bytes();
    let weights_bytes = plain.len();
    licence.as_deref().map_or(Ok(()), check_licence)?;
    let bytes = match format {
        Format::Engine => QuantisedWeights::new(&weights, licence.clone())?.to_bytes(),
        Format::Onnx => to_onnx(&weights, licence.as_deref()),
        Format::Safetensors => plain,
    };
    net::bytes::write_atomically(out, &bytes).with_context(|| format!("cannot write {}", out.display()))?;
    let report = Report {
        file: out,
        format: format.name(),
        bytes: bytes.len(),
        sha256: net::bytes::sha256_hex([bytes.as_slice()]),
        weights_bytes,
        weights_sha256: weights.hash(),
        description: weights.description(),
        licence: licence.as_deref(),
    };
    print_result(&report.line(), arguments.json.then_some(&report))
}

impl Report<'_> {
    fn line(&self) -> String {
        let Self { file, format, bytes, sha256, weights_bytes, weights_sha256, description, licence } = self;
        let (run, step) = (&description.run, description.step);
        let licence =
            licence.map_or_else(|| "no licence stated".to_owned(), |name| format!("licence {name}"));
        format!(
            "{}: {format}, {bytes} bytes (the weights file has {weights_bytes}), SHA-256 {sha256}, from weights \
             {weights_sha256}, run {run}, step {step}, {licence}",
            file.display()
        )
    }
}
