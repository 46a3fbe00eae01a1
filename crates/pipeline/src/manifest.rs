//! Who made a run, from what and on what: written once, when the run begins.

use crate::config::Config;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The version of `manifest.json`.
const VERSION: u32 = 1;

/// What `manifest.json` says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    version: u32,
    /// The run's name in records and networks: a hash of its configuration, so that the same configuration gives
    /// the same games to the byte, wherever it runs.
    pub run: String,
    /// The program and its revision.
    pub program: String,
    /// The libtorch that trains. Bits repeat only with the same one …
    pub libtorch: String,
    /// … and on the same kind of processor: its architecture and those vector extensions that matter.
    pub processor: String,
}

impl Manifest {
    pub(crate) fn new(config: &Config, program: &str) -> Self {
        Self {
            version: VERSION,
            run: run_name(config),
            program: program.to_owned(),
            libtorch: torch::LIBTORCH_VERSION.to_owned(),
            processor: processor(),
        }
    }
}

impl Manifest {
    /// Is this the manifest of the same run?
    pub(crate) fn is_of(&self, other: &Self) -> bool {
        (self.version, &self.run) == (other.version, &other.run)
    }
}

fn run_name(config: &Config) -> String {
    let digest = Sha256::digest(config.to_toml());
    let start = u64::from_be_bytes(digest[..8].try_into().expect("SHA-256 has 32 bytes"));
    format!("{:012x}", start >> 16)
}

#[cfg(target_arch = "x86_64")]
fn processor() -> String {
    let extensions = [
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    let present = extensions.iter().filter(|(_, present)| *present).map(|(name, _)| *name);
    std::iter::once("x86_64").chain(present).collect::<Vec<_>>().join(" ")
}

#[cfg(not(target_arch = "x86_64"))]
fn processor() -> String {
    std::env::consts::ARCH.to_owned()
}
