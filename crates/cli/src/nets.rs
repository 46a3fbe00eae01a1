//! Nets by their files and run folders, ready to play: sparse ones without libtorch, towers with it.

use net::{Network, Weights};
use std::path::Path;
use torch::Device;

/// Opens a weights file, an engine file or a run folder, whose champion plays. A tower computes on a GPU where there is
/// one.
pub(crate) fn open(path: &Path) -> anyhow::Result<Network> {
    if path.is_dir() { of_weights(&pipeline::champion(path)?) } else { Ok(torch::open(path, best_device)?) }
}

/// The network of these weights, likewise.
pub(crate) fn of_weights(weights: &Weights) -> anyhow::Result<Network> {
    Ok(torch::network(weights, best_device)?)
}

/// The first GPU, or the CPU where there is none. Sets libtorch up, with one thread for each who evaluates.
pub(crate) fn best_device() -> Device {
    torch::init(1);
    if torch::gpus() > 0 { Device::Cuda(0) } else { Device::Cpu }
}

/// Reads `cpu`, `cuda` or `cuda:1`. Whether there is such a GPU shows when libtorch is set up.
pub(crate) fn device(text: &str) -> Result<Device, String> {
    let number = match text {
        "cpu" => return Ok(Device::Cpu),
        "cuda" => Some(0),
        _ => text.strip_prefix("cuda:").and_then(|number| number.parse().ok()),
    };
    number.map(Device::Cuda).ok_or_else(|| "want cpu, cuda or a GPU by its number, such as cuda:1".to_owned())
}

/// Refuses a GPU that isn't there. libtorch must have been set up.
pub(crate) fn check_device(device: Device) -> anyhow::Result<Device> {
    if let Device::Cuda(number) = device {
        let gpus = torch::gpus();
        anyhow::ensure!(
            number < gpus,
            "--device cuda:{number}: libtorch finds {gpus} GPUs; one needs a CUDA build of libtorch {} (LIBTORCH=…, or \
             its folder in LD_LIBRARY_PATH)",
            torch::LIBTORCH_VERSION
        );
    }
    Ok(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_by_name() {
        assert_eq!(device("cpu"), Ok(Device::Cpu));
        assert_eq!(device("cuda"), Ok(Device::Cuda(0)));
        assert_eq!(device("cuda:3"), Ok(Device::Cuda(3)));
        for text in ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "CPU"] {
            assert!(device(text).is_err(), "{text}");
        }
    }
}
