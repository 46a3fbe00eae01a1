//! The engine file, format version 1; `FORMAT.md` describes it.

use crate::bytes::hex;
use crate::description::{MAX_HIDDEN, MAX_VALUE_HIDDEN, OUTPUTS};
use crate::quantised_weights::{EngineFileError, Header, Numbers, QuantisedWeights};
use evaluator::{EXCHANGES, INPUTS, MOVES};
use sha2::{Digest as _, Sha256};

/// What every engine file begins with. No text begins like this, and a program that takes it for one breaks it
/// visibly.
pub(crate) const MAGIC: &[u8; 8] = b"\x89MEIHUA\n";
/// Changes whenever the file's layout changes.
pub(crate) const FORMAT_VERSION: u32 = 1;
/// The longest header, in bytes.
pub(crate) const MAX_HEADER: usize = 16 * 1024;
/// The longest file, in bytes: the widest network.
pub(crate) const MAX_BYTES: usize = PREAMBLE + MAX_HEADER + numbers_bytes(MAX_HIDDEN, MAX_VALUE_HIDDEN);

/// Magic word, version, length of the header, checksum.
const PREAMBLE: usize = MAGIC.len() + 4 + 4 + 32;

pub(crate) fn encode(header: &Header, numbers: &Numbers) -> Vec<u8> {
    let text = json(header);
    let size = PREAMBLE + text.len() + numbers_bytes(numbers.input_bias.len(), numbers.value_bias.len());
    let mut bytes = Vec::with_capacity(size);
    bytes.extend(MAGIC);
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend([0; 32]);
    bytes.extend(text);
    put_numbers(numbers, &mut bytes);
    let checksum = Sha256::digest(&bytes[PREAMBLE..]);
    bytes[PREAMBLE - 32..PREAMBLE].copy_from_slice(&checksum);
    bytes
}

pub(crate) fn decode(bytes: &[u8]) -> Result<QuantisedWeights, EngineFileError> {
    if !begins_like_one(bytes) {
        return Err(EngineFileError::NoMagic);
    }
    let cut_short = |expected| EngineFileError::CutShort { found: bytes.len(), expected };
    let (preamble, content) = bytes.split_at_checked(PREAMBLE).ok_or(cut_short(PREAMBLE))?;
    let (fields, checksum) = preamble[MAGIC.len()..].split_at(8);
    let [version, header_bytes] = [0, 4].map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|i| fields[at + i])));
    if version != FORMAT_VERSION {
        return Err(EngineFileError::FormatVersion { found: version });
    }
    let header_bytes = header_bytes as usize;
    if MAX_HEADER < header_bytes {
        return Err(EngineFileError::HeaderTooLong { found: header_bytes });
    }
    let (text, numbers) = content.split_at_checked(header_bytes).ok_or(cut_short(PREAMBLE + header_bytes))?;
    let header: Header = serde_json::from_slice(text)?;
    // Before the checksum: that a network is of another version says more than that somebody changed its header.
    let (hidden, value_hidden) = header.check()?;
    if json(&header) != text {
        return Err(EngineFileError::HeaderForm);
    }
    let expected = PREAMBLE + header_bytes + numbers_bytes(hidden, value_hidden);
    match bytes.len() {
        found if found < expected => return Err(cut_short(expected)),
        found if expected < found => return Err(EngineFileError::TooLong { found, expected }),
        _ => {}
    }
    let right_checksum = Sha256::digest(content);
    if right_checksum[..] != *checksum {
        return Err(EngineFileError::Checksum { found: hex(checksum), expected: hex(&right_checksum) });
    }
    let numbers = take_numbers(hidden, value_hidden, numbers);
    QuantisedWeights::checked(header, numbers)
}

/// Does a file with this content want to be an engine file, if only one that was cut short?
pub(crate) fn begins_like_one(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || !bytes.is_empty() && MAGIC.starts_with(bytes)
}

/// Refuses a header that no reader would take.
pub(crate) fn check_length(header: &Header) -> Result<(), EngineFileError> {
    let found = json(header).len();
    if MAX_HEADER < found { Err(EngineFileError::HeaderTooLong { found }) } else { Ok(()) }
}

/// How many bytes the numbers take.
const fn numbers_bytes(hidden: usize, value_hidden: usize) -> usize {
    let bytes = MOVES * hidden;
    let words = hidden + INPUTS * (hidden + OUTPUTS) + value_hidden * hidden;
    let floats = 2 + OUTPUTS + 2 * MOVES + EXCHANGES + (2 + OUTPUTS) * value_hidden;
    bytes + 2 * words + 4 * floats
}

fn put_numbers(numbers: &Numbers, bytes: &mut Vec<u8>) {
    put_floats(&[numbers.input_step], bytes);
    put_words(&numbers.input_bias, bytes);
    put_words(&numbers.input_weight, bytes);
    put_floats(&[numbers.skip_step], bytes);
    put_floats(&numbers.skip_bias, bytes);
    put_words(&numbers.skip_weight, bytes);
    put_floats(&numbers.policy_step, bytes);
    bytes.extend(numbers.policy_weight.iter().map(|value| value.cast_unsigned()));
    put_floats(&numbers.policy_bias, bytes);
    put_floats(&numbers.policy_exchange, bytes);
    put_floats(&numbers.value_step, bytes);
    put_words(&numbers.value_weight, bytes);
    put_floats(&numbers.value_bias, bytes);
    put_floats(&numbers.value_out, bytes);
}

fn put_words(values: &[i16], bytes: &mut Vec<u8>) {
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

fn put_floats(values: &[f32], bytes: &mut Vec<u8>) {
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

/// The inverse of [`put_numbers`]; `bytes` are as many as [`numbers_bytes`] says.
fn take_numbers(hidden: usize, value_hidden: usize, bytes: &[u8]) -> Numbers {
    let mut rest = Rest(bytes);
    Numbers {
        input_step: rest.float(),
        input_bias: rest.words(hidden),
        input_weight: rest.words(INPUTS * hidden),
        skip_step: rest.float(),
        skip_bias: [(); OUTPUTS].map(|()| rest.float()),
        skip_weight: rest.words(INPUTS * OUTPUTS),
        policy_step: rest.floats(MOVES),
        policy_weight: rest.take(MOVES * hidden).iter().map(|byte| byte.cast_signed()).collect(),
        policy_bias: rest.floats(MOVES),
        policy_exchange: rest.floats(EXCHANGES),
        value_step: rest.floats(value_hidden),
        value_weight: rest.words(value_hidden * hidden),
        value_bias: rest.floats(value_hidden),
        value_out: rest.floats(OUTPUTS * value_hidden),
    }
}

/// Bytes not yet taken.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn words(&mut self, count: usize) -> Vec<i16> {
        self.take(2 * count).as_chunks().0.iter().copied().map(i16::from_le_bytes).collect()
    }

    fn floats(&mut self, count: usize) -> Vec<f32> {
        self.take(4 * count).as_chunks().0.iter().copied().map(f32::from_le_bytes).collect()
    }

    fn float(&mut self) -> f32 {
        let [value] = *self.floats(1) else { unreachable!("one was asked for") };
        value
    }
}

fn json(header: &Header) -> Vec<u8> {
    serde_json::to_vec(header).expect("a header has only text and numbers")
}

#[cfg(test)]
mod tests;
