//! The numbers of a network, checked.

use crate::bytes;
use crate::description::{Architecture, Description};
use crate::file;
use crate::tower::{POINTS, VALUE_PLANES};
use evaluator::{FEATURE_VERSION, MOVE_INDEX_VERSION};
use rand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// Numbers in row-major order.
#[derive(Clone, PartialEq)]
pub struct Tensor {
    /// Size of each dimension, outermost first.
    pub shape: Vec<usize>,
    /// As many as the shape says.
    pub values: Vec<f32>,
}

/// Shape and count only: the numbers of a network would fill a book.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor {:?} of {} numbers", self.shape, self.values.len())
    }
}

/// A network's description and tensors, which always fit each other: names and shapes are those of the
/// architecture, versions are today's, every number is finite.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    description: Description,
    tensors: BTreeMap<String, Tensor>,
}

impl Weights {
    /// Joins description and tensors, if they fit each other.
    pub fn new(description: Description, tensors: BTreeMap<String, Tensor>) -> Result<Self, WeightsError> {
        description.check()?;
        check_tensors(description.architecture, &tensors)?;
        Ok(Self { description, tensors })
    }

    /// Weights to start training from. They know nothing: each move alike, win, draw and loss ⅓ each, moves left
    /// 32 · ln 2 plies.
    ///
    /// What feeds a `relu` is uniform with He's variance 2 / inputs (He et al. 2015, <https://arxiv.org/abs/1502.01852>,
    /// section 2.2), taking a position to switch on about 32 inputs; so is what a tower's policy makes of the points
    /// to move from, since two factors of zero would never learn; all else is zero. Fails only if the description is
    /// refused.
    pub fn new_random(description: Description, rng: &mut impl Rng) -> Result<Self, WeightsError> {
        description.check()?;
        let mut tensors = BTreeMap::new();
        for (name, shape) in description.architecture.shapes() {
            let mut values = vec![0.0; shape.iter().product()];
            match description.architecture {
                Architecture::Sparse { hidden, .. } => match name.as_str() {
                    "input.weight" => {
                        for row in values.chunks_exact_mut(shape[1]) {
                            fill_he(&mut row[..hidden], USUAL_ACTIVE, rng);
                        }
                    }
                    "value.weight" => fill_he(&mut values, hidden, rng),
                    _ => {}
                },
                Architecture::Tower { channels, .. } => {
                    if let Some(inputs) = inputs_in_tower(&name, channels) {
                        fill_he(&mut values, inputs, rng);
                    }
                }
            }
            tensors.insert(name, Tensor { shape, values });
        }
        Self::new(description, tensors)
    }

    /// What the network is.
    pub const fn description(&self) -> &Description {
        &self.description
    }

    /// The tensors by name ([`Architecture::shapes`]).
    pub const fn tensors(&self) -> &BTreeMap<String, Tensor> {
        &self.tensors
    }

    /// Values of a tensor that the architecture names.
    pub(crate) fn values(&self, name: &str) -> &[f32] {
        &self.tensors[name].values
    }

    /// Reads a weights file (`FORMAT.md`) and checks all of it.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, WeightsError> {
        let path = path.as_ref();
        let bytes = bytes::read_at_most(path, file::MAX_BYTES)
            .map_err(|source| WeightsError::Read { path: path.into(), source })?;
        Self::from_bytes(&bytes)
    }

    /// Writes a weights file: under a temporary name beside `path`, synced to disk, then renamed. Whoever opens
    /// `path` sees the old file or the new one, whole.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), WeightsError> {
        let path = path.as_ref();
        bytes::write_atomically(path, &self.to_bytes())
            .map_err(|source| WeightsError::Write { path: path.into(), source })
    }

    /// The content of a weights file; the same weights give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        file::encode(&self.description, &self.tensors)
    }

    /// The inverse of [`Weights::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let (description, tensors) = file::decode(bytes)?;
        Self::new(description, tensors)
    }

    /// SHA-256 of [`Weights::to_bytes`] in lower-case hexadecimal: the network's name in records and manifests.
    pub fn hash(&self) -> String {
        bytes::sha256_hex([self.to_bytes().as_slice()])
    }
}

/// About as many inputs are on in a position.
const USUAL_ACTIVE: usize = 32;

/// How many numbers that aren't zero each output of a tower's layer usually adds up; `None` for what starts at zero: a
/// block's `second` convolution, which makes it the identity, what the heads end with, and everything that is added.
fn inputs_in_tower(name: &str, channels: usize) -> Option<usize> {
    let in_block = name.strip_prefix("block").and_then(|rest| rest.split_once('.'));
    match in_block.map_or(name, |(_, name)| name) {
        "first.weight" => Some(9 * channels),
        "squeeze.weight" => Some(2 * channels),
        // As many pieces as usual under a window of nine points.
        "input.weight" => Some((9 * USUAL_ACTIVE).div_ceil(POINTS)),
        "policy.from.weight" | "value.planes.weight" => Some(channels),
        "value.weight" => Some(VALUE_PLANES * POINTS),
        _ => None,
    }
}

/// Uniform numbers with mean 0 and variance 2 / `inputs`.
fn fill_he(values: &mut [f32], inputs: usize, rng: &mut impl Rng) {
    let bound = (6.0 / inputs as f32).sqrt();
    for value in values {
        let unit = (rng.next_u32() >> 8) as f32 / (1 << 24) as f32; // in [0, 1)
        *value = bound * (2.0 * unit - 1.0);
    }
}

fn check_tensors(architecture: Architecture, tensors: &BTreeMap<String, Tensor>) -> Result<(), WeightsError> {
    let shapes = architecture.shapes();
    let known: BTreeSet<&String> = shapes.iter().map(|(name, _)| name).collect();
    if let Some(name) = tensors.keys().find(|name| !known.contains(name)) {
        return Err(WeightsError::ExtraTensor(name.clone()));
    }
    for (name, shape) in shapes {
        let Some(tensor) = tensors.get(&name) else { return Err(WeightsError::MissingTensor(name)) };
        if tensor.shape != shape || tensor.values.len() != shape.iter().product::<usize>() {
            return Err(WeightsError::Shape {
                name,
                found: tensor.shape.clone(),
                values: tensor.values.len(),
                expected: shape,
            });
        }
        if let Some(index) = tensor.values.iter().position(|value| !value.is_finite()) {
            return Err(WeightsError::NotFinite { name, index, value: tensor.values[index] });
        }
    }
    Ok(())
}

/// Weights that can't be used, or a file that can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The file can't be read.
    #[error("can't read weights from {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The file can't be written; what was there before is still there.
    #[error("can't write weights to {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// An engine file, which has no floats to go on from.
    #[error("an engine file, whose numbers are rounded; want the weights file that it was made from")]
    EngineFile,
    /// Not a safetensors file, or cut short.
    #[error("not a whole safetensors file: {0}")]
    NotSafetensors(#[from] safetensors::SafeTensorError),
    /// A safetensors file of somebody else's: the metadata have no key `meihua`.
    #[error("a safetensors file without a description of a Meihua network")]
    NoDescription,
    /// The metadata under `meihua` aren't what they should be.
    #[error("the network's description can't be understood: {0}")]
    BadDescription(#[from] serde_json::Error),
    /// Written by another version of the program.
    #[error("weights file of format version {found}; this program reads version {}", file::FORMAT_VERSION)]
    FormatVersion {
        /// The file's version.
        found: u64,
    },
    /// The network was trained on other inputs.
    #[error(
        "the network wants input features of version {found}; this program makes version {FEATURE_VERSION}"
    )]
    FeatureVersion {
        /// The network's version.
        found: u32,
    },
    /// The network numbers moves in another way.
    #[error(
        "the network numbers moves by version {found}; this program does by version {MOVE_INDEX_VERSION}"
    )]
    MoveIndexVersion {
        /// The network's version.
        found: u32,
    },
    /// A layer's width that isn't allowed.
    #[error("{what} is {width}; it must be a multiple of 8 from 8 to {most}")]
    Width {
        /// Which layer.
        what: &'static str,
        /// Its width.
        width: usize,
        /// The largest width.
        most: usize,
    },
    /// A tower of a height that isn't allowed.
    #[error("blocks is {blocks}; it must be 1 to {}", crate::description::MAX_BLOCKS)]
    Blocks {
        /// How many blocks.
        blocks: usize,
    },
    /// A tower where only sparse networks go.
    #[error(
        "the network is a tower, for which libtorch is wanted: meihua plays it, meihua-engine and engine files can't"
    )]
    Tower,
    /// The parent isn't named by its hash.
    #[error("the parent is {0:?}; it must be a SHA-256 of 64 lower-case hexadecimal digits")]
    Parent(String),
    /// A tensor that the architecture has isn't there.
    #[error("tensor {0} is missing")]
    MissingTensor(String),
    /// A tensor that the architecture doesn't have.
    #[error("tensor {0} is none of this architecture's")]
    ExtraTensor(String),
    /// A tensor of other numbers than f32.
    #[error("tensor {name} holds {found}; it must hold F32")]
    Kind {
        /// The tensor.
        name: String,
        /// The kind of its numbers in the words of safetensors.
        found: String,
    },
    /// A tensor of another shape than the architecture's.
    #[error("tensor {name} has shape {found:?} and {values} values; its shape must be {expected:?}")]
    Shape {
        /// The tensor.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// How many values it has.
        values: usize,
        /// The architecture's shape.
        expected: Vec<usize>,
    },
    /// A number that is none.
    #[error("tensor {name} holds {value} at {index}; all numbers must be finite")]
    NotFinite {
        /// The tensor.
        name: String,
        /// Where, counted row by row.
        index: usize,
        /// NaN or an infinity.
        value: f32,
    },
    /// Description or numbers have changed since the file was written.
    #[error("the weights file is damaged: its checksum is {found}, its content has {expected}")]
    Checksum {
        /// What the file says.
        found: String,
        /// What its content has.
        expected: String,
    },
}
