//! One module for each command: its flags and what it does with them.

#![expect(clippy::doc_markdown, reason = "comments on flags are what --help prints")]

use serde::Serialize;
use std::io::{self, Write as _};

pub(crate) mod arena;
pub(crate) mod games;
pub(crate) mod ladder;
mod match_flags;
pub(crate) mod perft;
pub(crate) mod referee;
pub(crate) mod train;

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
        other => Ok(other?),
    }
}
