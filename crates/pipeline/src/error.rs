//! What can go wrong in a run.

use std::io;
use std::path::{Path, PathBuf};

/// Why a run can't go on. The run folder is always left so that the same command can continue it.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The file system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Another process works on the run.
    #[error("run folder {} is in use by process {process}; stop that one or choose another --run folder", folder.display())]
    InUse {
        /// The run folder.
        folder: PathBuf,
        /// Its process number.
        process: String,
    },
    /// A file of ours that we can't read.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The run was begun with other settings.
    #[error("the run in {} was begun with {differences}; use those settings or another --run folder", folder.display())]
    OtherConfig {
        /// The run folder.
        folder: PathBuf,
        /// The keys with both values.
        differences: String,
    },
    /// A setting out of its range.
    #[error("{0}")]
    Setting(String),
    /// Games of a run, but nothing that says where it stood.
    #[error("{} holds games but no state.json: put it back, or choose another --run folder", folder.display())]
    NoState {
        /// The run folder.
        folder: PathBuf,
    },
    /// A folder that is no run's.
    #[error("{} is no run folder: it holds no generations", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
    /// libtorch failed.
    #[error(transparent)]
    Torch(#[from] torch::TorchError),
    /// A net that this program can't use.
    #[error("{}: {source}", path.display())]
    Net {
        /// Its file.
        path: PathBuf,
        /// Why not.
        source: net::WeightsError,
    },
    /// The weights can't be made, read or written.
    #[error(transparent)]
    Weights(#[from] net::WeightsError),
    /// A shard can't be read or written.
    #[error(transparent)]
    Shard(#[from] replay::ShardError),
    /// Self-play ended with an error.
    #[error("self-play: {0}")]
    SelfPlay(#[from] selfplay::SelfPlayError),
    /// The trainer ended with an error.
    #[error("training: {0}")]
    Train(#[from] train::TrainError),
    /// The match ended with an error.
    #[error("match: {0}")]
    Arena(#[from] arena::MatchError),
}

impl PipelineError {
    /// Names the file, unless the error does.
    pub(crate) fn net(path: &Path, source: net::WeightsError) -> Self {
        match source {
            net::WeightsError::Read { .. } | net::WeightsError::Write { .. } => Self::Weights(source),
            source => Self::Net { path: path.to_owned(), source },
        }
    }

    /// Makes an I/O error of this kind, for `map_err`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
