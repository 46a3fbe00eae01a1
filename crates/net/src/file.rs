//! The weights file, format version 1; `FORMAT.md` describes it.

use crate::bytes::sha256_hex;
use crate::description::Description;
use crate::engine_file;
use crate::weights::{Tensor, WeightsError};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::iter;

/// Changes whenever the file's layout changes.
pub(crate) const FORMAT_VERSION: u64 = 1;
/// The longest file that is read, in bytes: the largest tower has 192 million, its header some thousand.
pub(crate) const MAX_BYTES: usize = 256 << 20;
/// The metadata key that makes a safetensors file ours.
const KEY: &str = "meihua";

/// What stands under [`KEY`], as JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u64,
    sha256: String,
    description: Description,
}

/// Only the version, to be read before anything else.
#[derive(Deserialize)]
struct Version {
    format: u64,
}

pub(crate) fn encode(description: &Description, tensors: &BTreeMap<String, Tensor>) -> Vec<u8> {
    let bytes: BTreeMap<&str, Vec<u8>> = tensors
        .iter()
        .map(|(name, tensor)| {
            (name.as_str(), tensor.values.iter().flat_map(|value| value.to_le_bytes()).collect())
        })
        .collect();
    let header = Header {
        format: FORMAT_VERSION,
        sha256: checksum(description, &bytes.values().map(Vec::as_slice).collect::<Vec<_>>()),
        description: description.clone(),
    };
    let header = serde_json::to_string(&header).expect("a header has only text and numbers");
    let views = bytes.iter().map(|(&name, bytes)| {
        let shape = tensors[name].shape.clone();
        (
            name,
            TensorView::new(Dtype::F32, shape, bytes)
                .expect("checked weights have values as their shape says"),
        )
    });
    // One key only: the order of a hash map can't show in the file.
    safetensors::serialize(views, Some(HashMap::from([(KEY.to_owned(), header)])))
        .expect("the header of a checked network is small")
}

/// Does a file with this content want to be a safetensors file? After the header's length comes a JSON object.
pub(crate) fn begins_like_one(bytes: &[u8]) -> bool {
    bytes.get(8) == Some(&b'{')
}

pub(crate) fn decode(bytes: &[u8]) -> Result<(Description, BTreeMap<String, Tensor>), WeightsError> {
    if engine_file::begins_like_one(bytes) {
        return Err(WeightsError::EngineFile);
    }
    let (_, metadata) = SafeTensors::read_metadata(bytes)?;
    let header = metadata.metadata().as_ref().and_then(|entries| entries.get(KEY));
    let header = header.ok_or(WeightsError::NoDescription)?;
    let Version { format } = serde_json::from_str(header)?;
    if format != FORMAT_VERSION {
        return Err(WeightsError::FormatVersion { found: format });
    }
    let header: Header = serde_json::from_str(header)?;
    // Before the checksum: that a network is of another version says more than that somebody changed its header.
    header.description.check()?;

    let file = SafeTensors::deserialize(bytes)?;
    let views: BTreeMap<&str, TensorView<'_>> = file.iter().collect();
    let mut tensors = BTreeMap::new();
    for (&name, view) in &views {
        if view.dtype() != Dtype::F32 {
            return Err(WeightsError::Kind { name: name.to_owned(), found: format!("{:?}", view.dtype()) });
        }
        let values =
            view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        tensors.insert(name.to_owned(), Tensor { shape: view.shape().to_vec(), values });
    }
    let expected = checksum(&header.description, &views.values().map(TensorView::data).collect::<Vec<_>>());
    if header.sha256 != expected {
        return Err(WeightsError::Checksum { found: header.sha256, expected });
    }
    Ok((header.description, tensors))
}

/// Of the description's JSON, then the tensors' bytes in the order of their names.
fn checksum(description: &Description, tensors: &[&[u8]]) -> String {
    let description = serde_json::to_vec(description).expect("a description has only text and numbers");
    sha256_hex(iter::once(description.as_slice()).chain(tensors.iter().copied()))
}

#[cfg(test)]
mod tests;
