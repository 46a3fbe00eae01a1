//! One module for each command: its flags and what it does with them.

#![expect(clippy::doc_markdown, reason = "comments on flags are what --help prints")]

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::io::{self, Write as _};

pub(crate) mod arena;
pub(crate) mod bench;
pub(crate) mod engine;
pub(crate) mod export;
pub(crate) mod games;
pub(crate) mod ladder;
mod match_flags;
pub(crate) mod perft;
pub(crate) mod rate;
pub(crate) mod referee;
pub(crate) mod run;
pub(crate) mod train;

/// A flag's parser: one of a few values, by its name.
fn by_name<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(name))
        .map(move |text| all.into_iter().find(|&value| name(value) == text).expect("it is one of the names"))
}

/// Writes a command's result to standard output: the text, then with `--json` one object on the last line.
///
/// A reader that has gone away (`meihua … | head -1`) is no error.
pub(crate) fn print_result(text: &str, json: Option<&impl Serialize>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let mut write = || {
        if !text.is_empty() {
            writeln!(out, "{text}")?;
        }
        if let Some(value) = json {
            writeln!(out, "{}", serde_json::to_string(value)?)?;
        }
        out.flush()
    };
    match write() {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}
