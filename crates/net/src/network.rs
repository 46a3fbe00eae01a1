//! A network from a file of either kind, ready to answer.

use crate::bytes;
use crate::description::Description;
use crate::engine_file;
use crate::file;
use crate::quantised_weights::{EngineFileError, QuantisedWeights};
use crate::sparse_evaluator::SparseEvaluator;
use crate::sparse_net::SparseNet;
use crate::weights::{Weights, WeightsError};
use evaluator::Evaluator;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A network ready to answer, and what is known about it. A clone shares the numbers.
#[derive(Clone)]
pub struct Network {
    make_evaluator: Arc<MakeEvaluator>,
    description: Description,
    hash: String,
    weights_hash: String,
    licence: Option<String>,
}

/// Makes an evaluator for one thread; all that it makes share the network's numbers.
pub type MakeEvaluator = dyn Fn() -> Box<dyn Evaluator> + Send + Sync;

/// Opens an engine file or the weights file of a sparse network, whichever it is, and checks all of it. The weights of a
/// tower are refused: it takes libtorch to play with them.
///
/// ```no_run
/// let network = net::open("champion.meihua")?;
/// let evaluators = [network.evaluator(), network.evaluator()]; // one for each thread; they share the numbers
/// # Ok::<(), net::OpenError>(())
/// ```
pub fn open(path: impl AsRef<Path>) -> Result<Network, OpenError> {
    let path = path.as_ref();
    let most = engine_file::MAX_BYTES.max(file::MAX_BYTES);
    let bytes =
        bytes::read_at_most(path, most).map_err(|source| OpenError::Read { path: path.into(), source })?;
    Network::from_bytes(&bytes).map_err(|fault| OpenError::Refused { path: path.into(), fault })
}

impl Network {
    /// A network from the content of an engine file or a weights file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkFault> {
        if engine_file::begins_like_one(bytes) {
            Ok(QuantisedWeights::from_bytes(bytes)?.into())
        } else if file::begins_like_one(bytes) {
            Ok(Self::of_sparse(&Weights::from_bytes(bytes)?)?)
        } else {
            Err(NetworkFault::Neither)
        }
    }

    /// The sparse network of these weights, in floats. A tower is refused.
    pub fn of_sparse(weights: &Weights) -> Result<Self, WeightsError> {
        let net = Arc::new(SparseNet::new(weights)?);
        Ok(Self::with_evaluators(weights, Arc::new(move || Box::new(SparseEvaluator::new(Arc::clone(&net))))))
    }

    /// The network of these weights, which somebody else evaluates.
    pub fn with_evaluators(weights: &Weights, make_evaluator: Arc<MakeEvaluator>) -> Self {
        let hash = weights.hash();
        Self {
            make_evaluator,
            description: weights.description().clone(),
            weights_hash: hash.clone(),
            hash,
            licence: None,
        }
    }

    /// An evaluator for one thread; all share the numbers.
    pub fn evaluator(&self) -> Box<dyn Evaluator> {
        (self.make_evaluator)()
    }

    /// What the network is.
    pub const fn description(&self) -> &Description {
        &self.description
    }

    /// SHA-256 of the file, in lower-case hexadecimal. A network and its quantised twin differ in it.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// SHA-256 of the weights file that it is or was made from: the network's name in records.
    pub fn weights_hash(&self) -> &str {
        &self.weights_hash
    }

    /// The licence's name, if the file states one. Weights files state none.
    pub fn licence(&self) -> Option<&str> {
        self.licence.as_deref()
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { description, hash, .. } = self;
        f.debug_struct("Network")
            .field("description", description)
            .field("hash", hash)
            .finish_non_exhaustive()
    }
}

impl From<QuantisedWeights> for Network {
    fn from(weights: QuantisedWeights) -> Self {
        let net = Arc::new(SparseNet::quantised(&weights));
        Self {
            make_evaluator: Arc::new(move || Box::new(SparseEvaluator::new(Arc::clone(&net)))),
            description: weights.description().clone(),
            hash: weights.hash(),
            weights_hash: weights.weights_hash().to_owned(),
            licence: weights.licence().map(str::to_owned),
        }
    }
}

/// A file that can't be opened as a network.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It can't be read.
    #[error("can't read a network from {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It was read and is no network for this program.
    #[error("{}: {fault}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        fault: NetworkFault,
    },
}

/// What is wrong with a file's content.
#[derive(Debug, thiserror::Error)]
pub enum NetworkFault {
    /// It begins like neither of the two.
    #[error("not a network: neither an engine file nor a safetensors file")]
    Neither,
    /// A bad engine file.
    #[error(transparent)]
    Engine(#[from] EngineFileError),
    /// A bad weights file.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}
