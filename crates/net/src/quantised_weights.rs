//! The numbers of a sparse network in few bits, checked.
//!
//! How a float becomes one of them is in [`crate::quantise`], the file in [`crate::engine_file`].

use crate::bytes;
use crate::description::{Description, OUTPUTS, is_hash};
use crate::engine_file;
use crate::quantise::quantise;
use crate::weights::{Weights, WeightsError};
use evaluator::MAX_ACTIVE;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// The most that a licence's name is long, in characters.
pub const MAX_LICENCE: usize = 200;
/// Numbers of the hidden layer go up to here.
pub(crate) const MAX_UNIT: i32 = i16::MAX as i32;
/// The most that the magnitudes of a row which is multiplied with the hidden layer may add up to: the product then
/// fits into an `i32`.
pub(crate) const MAX_ROW: i32 = i32::MAX / MAX_UNIT;

/// A sparse network in integers: what an engine file holds. No evaluation overflows, every factor is finite, and
/// the versions are today's.
#[derive(Clone, PartialEq)]
pub struct QuantisedWeights {
    header: Header,
    numbers: Numbers,
}

/// What an engine file says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// Of the weights that were quantised.
    pub(crate) description: Description,
    /// [`Weights::hash`] of them.
    pub(crate) weights_sha256: String,
    /// Under which licence they may be passed on.
    pub(crate) licence: Option<String>,
}

/// Integers with the step from one to the next: weight = integer · step. What isn't quantised is small.
///
/// With H = `hidden`, V = `value_hidden`, row by row.
#[derive(Clone, PartialEq)]
pub(crate) struct Numbers {
    pub(crate) input_step: f32,
    pub(crate) input_bias: Vec<i16>,   // [H]
    pub(crate) input_weight: Vec<i16>, // [5056, H]
    pub(crate) skip_step: f32,
    pub(crate) skip_bias: [f32; OUTPUTS],
    pub(crate) skip_weight: Vec<i16>,     // [5056, 4]
    pub(crate) policy_step: Vec<f32>,     // [2062]
    pub(crate) policy_weight: Vec<i8>,    // [2062, H]
    pub(crate) policy_bias: Vec<f32>,     // [2062]
    pub(crate) policy_exchange: Vec<f32>, // [224]
    pub(crate) value_step: Vec<f32>,      // [V]
    pub(crate) value_weight: Vec<i16>,    // [V, H]
    pub(crate) value_bias: Vec<f32>,      // [V]
    pub(crate) value_out: Vec<f32>,       // [4, V]
}

impl QuantisedWeights {
    /// Quantises. The licence is a name such as `CC0-1.0`, if one is to be stated.
    pub fn new(weights: &Weights, licence: Option<String>) -> Result<Self, EngineFileError> {
        let description = weights.description().clone();
        let (hidden, _) = description.architecture.sparse()?;
        let header = Header { description, weights_sha256: weights.hash(), licence };
        Self::checked(header, quantise(weights, hidden))
    }

    /// Joins header and numbers, which are as many as the architecture says, if they fit each other.
    pub(crate) fn checked(header: Header, numbers: Numbers) -> Result<Self, EngineFileError> {
        header.check()?;
        numbers.check()?;
        Ok(Self { header, numbers })
    }

    /// What the network is.
    pub const fn description(&self) -> &Description {
        &self.header.description
    }

    /// SHA-256 ([`Weights::hash`]) of the weights that were quantised.
    pub fn weights_hash(&self) -> &str {
        &self.header.weights_sha256
    }

    /// The licence's name, if one is stated.
    pub fn licence(&self) -> Option<&str> {
        self.header.licence.as_deref()
    }

    /// Reads an engine file (`FORMAT.md`) and checks all of it.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, EngineFileError> {
        let path = path.as_ref();
        let bytes = bytes::read_at_most(path, engine_file::MAX_BYTES)
            .map_err(|source| EngineFileError::Read { path: path.into(), source })?;
        Self::from_bytes(&bytes)
    }

    /// Writes an engine file: under a temporary name beside `path`, synced to disk, then renamed.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), EngineFileError> {
        let path = path.as_ref();
        bytes::write_atomically(path, &self.to_bytes())
            .map_err(|source| EngineFileError::Write { path: path.into(), source })
    }

    /// The content of an engine file; the same weights give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        engine_file::encode(&self.header, &self.numbers)
    }

    /// The inverse of [`QuantisedWeights::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EngineFileError> {
        engine_file::decode(bytes)
    }

    /// SHA-256 of [`QuantisedWeights::to_bytes`] in lower-case hexadecimal.
    pub fn hash(&self) -> String {
        bytes::sha256_hex([self.to_bytes().as_slice()])
    }

    pub(crate) const fn numbers(&self) -> &Numbers {
        &self.numbers
    }
}

/// Description and size only: the numbers of a network would fill a book.
impl fmt::Debug for QuantisedWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuantisedWeights").field("header", &self.header).finish_non_exhaustive()
    }
}

impl Header {
    /// Refuses other versions, towers, impossible widths, what is too long, no hash, or no name of a licence. Gives
    /// `hidden` and `value_hidden`.
    pub(crate) fn check(&self) -> Result<(usize, usize), EngineFileError> {
        self.description.check()?;
        let widths = self.description.architecture.sparse()?;
        engine_file::check_length(self)?;
        if !is_hash(&self.weights_sha256) {
            return Err(EngineFileError::WeightsHash(self.weights_sha256.clone()));
        }
        self.licence.as_deref().map_or(Ok(()), check_licence)?;
        Ok(widths)
    }
}

/// Refuses what is no licence's name: it has 1 to [`MAX_LICENCE`] characters and no control characters.
pub fn check_licence(name: &str) -> Result<(), EngineFileError> {
    if is_licence(name) { Ok(()) } else { Err(EngineFileError::Licence(name.to_owned())) }
}

fn is_licence(name: &str) -> bool {
    !name.is_empty() && name.chars().count() <= MAX_LICENCE && !name.chars().any(char::is_control)
}

impl Numbers {
    fn check(&self) -> Result<(), EngineFileError> {
        check_steps("input.step", &[self.input_step])?;
        check_steps("skip.step", &[self.skip_step])?;
        check_steps("policy.step", &self.policy_step)?;
        check_steps("value.step", &self.value_step)?;
        check_finite("skip.bias", &self.skip_bias)?;
        check_finite("policy.bias", &self.policy_bias)?;
        check_finite("policy.exchange", &self.policy_exchange)?;
        check_finite("value.bias", &self.value_bias)?;
        check_finite("value.out", &self.value_out)?;
        let hidden = self.input_bias.len();
        check_columns(&self.input_bias, &self.input_weight)?;
        check_rows("policy.weight", &self.policy_weight, hidden)?;
        check_rows("value.weight", &self.value_weight, hidden)
    }
}

fn check_steps(name: &'static str, steps: &[f32]) -> Result<(), EngineFileError> {
    match steps.iter().position(|step| !step.is_normal() || step.is_sign_negative()) {
        Some(index) => Err(EngineFileError::Step { name, index, value: steps[index] }),
        None => Ok(()),
    }
}

fn check_finite(name: &'static str, values: &[f32]) -> Result<(), EngineFileError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(EngineFileError::NotFinite { name, index, value: values[index] }),
        None => Ok(()),
    }
}

/// No position may overflow a number of the hidden layer: bias and the largest weights of its column, as many as
/// there are inputs that can be on.
fn check_columns(bias: &[i16], weight: &[i16]) -> Result<(), EngineFileError> {
    let hidden = bias.len();
    for (column, &bias) in bias.iter().enumerate() {
        let column_weights = weight[column..].iter().step_by(hidden);
        let sum = i32::from(bias.unsigned_abs()) + largest(column_weights.map(|value| value.unsigned_abs()));
        if MAX_UNIT < sum {
            return Err(EngineFileError::Overflow {
                name: "input.weight, column",
                index: column,
                sum,
                most: MAX_UNIT,
            });
        }
    }
    Ok(())
}

/// The sum of the largest numbers, as many as there are inputs that can be on.
fn largest(magnitudes: impl Iterator<Item = u16>) -> i32 {
    let mut magnitudes: Vec<u16> = magnitudes.collect();
    let (largest, _, _) = magnitudes.select_nth_unstable_by(MAX_ACTIVE, |a, b| b.cmp(a));
    largest.iter().map(|&magnitude| i32::from(magnitude)).sum()
}

fn check_rows<T: Copy + Into<i32>>(
    name: &'static str,
    weight: &[T],
    columns: usize,
) -> Result<(), EngineFileError> {
    for (index, row) in weight.chunks_exact(columns).enumerate() {
        let sum = row.iter().map(|&value| value.into().abs()).sum();
        if MAX_ROW < sum {
            return Err(EngineFileError::Overflow { name, index, sum, most: MAX_ROW });
        }
    }
    Ok(())
}

/// An engine file that can't be made, read or written.
#[derive(Debug, thiserror::Error)]
pub enum EngineFileError {
    /// The file can't be read.
    #[error("can't read an engine file from {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The file can't be written; what was there before is still there.
    #[error("can't write an engine file to {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Another file: it doesn't begin with the magic word.
    #[error("not an engine file: it doesn't begin with {:?}", engine_file::MAGIC.escape_ascii().to_string())]
    NoMagic,
    /// Written by another version of the program.
    #[error(
        "engine file of format version {found}; this program reads version {}",
        engine_file::FORMAT_VERSION
    )]
    FormatVersion {
        /// The file's version.
        found: u32,
    },
    /// The header is longer than any that this program writes.
    #[error("the engine file's header has {found} bytes; it must have at most {}", engine_file::MAX_HEADER)]
    HeaderTooLong {
        /// Its length in bytes, as the file says.
        found: usize,
    },
    /// The header isn't what it should be.
    #[error("the engine file's header can't be understood: {0}")]
    BadHeader(#[from] serde_json::Error),
    /// The header means the right thing but isn't written as this program writes it.
    #[error("the engine file's header isn't compact JSON with its keys in the right order")]
    HeaderForm,
    /// Another version's network, an impossible one, or a tower.
    #[error(transparent)]
    Description(#[from] WeightsError),
    /// The original weights aren't named by their hash.
    #[error("weights_sha256 is {0:?}; it must be a SHA-256 of 64 lower-case hexadecimal digits")]
    WeightsHash(String),
    /// No name of a licence.
    #[error(
        "licence = {0:?}: want 1 to {MAX_LICENCE} characters without control characters, such as CC0-1.0"
    )]
    Licence(String),
    /// The file is cut short.
    #[error("the engine file is cut short: it has {found} bytes of {expected} or more")]
    CutShort {
        /// Its length in bytes.
        found: usize,
        /// How long it must at least be.
        expected: usize,
    },
    /// Something stands behind the numbers.
    #[error("the engine file has {found} bytes; its header asks for {expected}")]
    TooLong {
        /// Its length in bytes.
        found: usize,
        /// How long it must be.
        expected: usize,
    },
    /// Header or numbers have changed since the file was written.
    #[error("the engine file is damaged: its checksum is {found}, its content has {expected}")]
    Checksum {
        /// What the file says.
        found: String,
        /// What its content has.
        expected: String,
    },
    /// A number that is none.
    #[error("{name} holds {value} at {index}; all numbers must be finite")]
    NotFinite {
        /// Which numbers.
        name: &'static str,
        /// Where, counted row by row.
        index: usize,
        /// NaN or an infinity.
        value: f32,
    },
    /// A step from one integer to the next that is none.
    #[error("{name} holds {value} at {index}; a step must be a positive, normal number")]
    Step {
        /// Which steps.
        name: &'static str,
        /// Where.
        index: usize,
        /// What it is.
        value: f32,
    },
    /// Integers that could overflow in an evaluation.
    #[error("the magnitudes of {name} {index} add up to {sum}; they must not exceed {most}")]
    Overflow {
        /// Which numbers.
        name: &'static str,
        /// The row or column.
        index: usize,
        /// What they add up to.
        sum: i32,
        /// The most that is allowed.
        most: i32,
    },
}
