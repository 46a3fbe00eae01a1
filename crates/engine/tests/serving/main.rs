//! The program `meihua-engine`, talked with as interfaces do.

#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

mod dialogues;
mod faults;
mod interfaces;
mod program;
mod storms;
mod support;
