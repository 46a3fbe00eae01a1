//! Tensors and a description in a file: safetensors, with our JSON under the metadata key `meihua`; `FORMAT.md`
//! describes both kinds.

use net::bytes;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;
use tch::{Device, Kind, TchError, Tensor};

const KEY: &str = "meihua";

/// What stands under [`KEY`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    /// What kind of file, and which version of it: `trainer snapshot 1`.
    format: String,
    /// Of `about`, then name and bytes of each tensor in the order of their names.
    sha256: String,
    /// JSON in JSON, so that it is hashed as it is written.
    about: String,
}

/// Writes the file whole or not at all: under a temporary name, synced, renamed.
pub(crate) fn write(
    path: &Path,
    format: &str,
    about: &impl Serialize,
    tensors: &[(String, Tensor)],
) -> io::Result<()> {
    bytes::write_atomically(path, &encode(format, about, tensors)?)
}

fn encode(format: &str, about: &impl Serialize, tensors: &[(String, Tensor)]) -> io::Result<Vec<u8>> {
    let about = serde_json::to_string(about)?;
    let mut parts = BTreeMap::new();
    for (name, tensor) in tensors {
        parts.insert(name.as_str(), (tensor, bytes_of(tensor).map_err(io::Error::other)?));
    }
    let sha256 = checksum(&about, parts.iter().map(|(name, (_, bytes))| (*name, bytes.as_slice())));
    let header = serde_json::to_string(&Header { format: format.to_owned(), sha256, about })?;
    let mut views = Vec::new();
    for (name, (tensor, bytes)) in &parts {
        let shape = tensor.size().into_iter().map(|size| size as usize).collect();
        views.push((*name, TensorView::new(dtype(tensor.kind())?, shape, bytes).map_err(io::Error::other)?));
    }
    // One key only: the order of a hash map can't show in the file.
    safetensors::serialize(views, Some(HashMap::from([(KEY.to_owned(), header)]))).map_err(io::Error::other)
}

/// Reads what [`write`] wrote, or says why it can't.
pub(crate) fn decode<T: DeserializeOwned>(
    bytes: &[u8],
    format: &str,
) -> Result<(T, BTreeMap<String, Tensor>), String> {
    let file = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
    let header = metadata.metadata().as_ref().and_then(|entries| entries.get(KEY));
    let header = header.ok_or("a safetensors file, but not one of ours")?;
    let header: Header = serde_json::from_str(header).map_err(|error| format!("its header: {error}"))?;
    if header.format != format {
        return Err(format!("it is a \"{}\", want a \"{format}\"", header.format));
    }
    let views: BTreeMap<&str, TensorView<'_>> = file.iter().collect();
    if header.sha256 != checksum(&header.about, views.iter().map(|(name, view)| (*name, view.data()))) {
        return Err("its content doesn't match its checksum".to_owned());
    }
    let about = serde_json::from_str(&header.about).map_err(|error| format!("its header: {error}"))?;
    let mut tensors = BTreeMap::new();
    for (name, view) in views {
        tensors.insert(name.to_owned(), tensor_of(&view)?);
    }
    Ok((about, tensors))
}

fn checksum<'a>(about: &'a str, tensors: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let tensors = tensors.flat_map(|(name, bytes)| [name.as_bytes(), bytes]);
    bytes::sha256_hex(std::iter::once(about.as_bytes()).chain(tensors))
}

fn dtype(kind: Kind) -> io::Result<Dtype> {
    match kind {
        Kind::Float => Ok(Dtype::F32),
        Kind::Int64 => Ok(Dtype::I64),
        Kind::Bool => Ok(Dtype::BOOL),
        other => Err(io::Error::other(format!("no {other:?} tensors in files of ours"))),
    }
}

fn bytes_of(tensor: &Tensor) -> Result<Vec<u8>, TchError> {
    let tensor = tensor.f_detach()?.f_to_device(Device::Cpu)?.f_contiguous()?;
    let count = tensor.numel();
    let mut bytes = vec![0; count * tensor.f_kind()?.elt_size_in_bytes()];
    tensor.f_copy_data_u8(&mut bytes, count)?;
    Ok(bytes)
}

fn tensor_of(view: &TensorView<'_>) -> Result<Tensor, String> {
    let kind = match view.dtype() {
        Dtype::F32 => Kind::Float,
        Dtype::I64 => Kind::Int64,
        Dtype::BOOL => Kind::Bool,
        other => return Err(format!("a tensor of {other:?}")),
    };
    let shape: Vec<i64> = view.shape().iter().map(|&size| size as i64).collect();
    Tensor::f_from_data_size(view.data(), &shape, kind).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_come_back() {
        let tensors = [
            ("b".to_owned(), Tensor::from_slice(&[1.5_f32, -2.0, 0.25, 8.0]).view([2, 2])),
            ("a".to_owned(), Tensor::from_slice(&[1_i64, -2])),
            ("c".to_owned(), Tensor::from_slice(&[true, false])),
        ];
        let bytes = encode("test 1", &7, &tensors).unwrap();
        assert_eq!(bytes, encode("test 1", &7, &tensors).unwrap());
        let (about, read) = decode::<i32>(&bytes, "test 1").unwrap();
        assert_eq!(about, 7);
        for (name, tensor) in tensors {
            assert_eq!(read[&name], tensor);
        }
    }

    #[test]
    fn damage_is_seen() {
        let tensors = [("a".to_owned(), Tensor::from_slice(&[1.0_f32; 8]))];
        let bytes = encode("test 1", &7, &tensors).unwrap();
        let error = |bytes: &[u8], format| decode::<i32>(bytes, format).unwrap_err();
        assert_eq!(error(&bytes, "test 2"), "it is a \"test 1\", want a \"test 2\"");
        for length in 0..bytes.len() {
            error(&bytes[..length], "test 1");
        }
        for position in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[position] ^= 1;
            error(&flipped, "test 1");
        }
    }
}
