//! What can go wrong in training.

use crate::settings::SettingsError;
use std::io;
use std::path::PathBuf;
use tch::TchError;
use torch::TorchError;

/// Why training stops. The trainer is as it was after the last step that was done.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A setting outside its range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Something that only a sparse network has was asked of a tower.
    #[error("the network is a tower: it has no {what}, which sparse networks have")]
    Tower {
        /// What it was.
        what: &'static str,
    },
    /// The system gives no more threads.
    #[error("cannot make threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// There is nothing to learn from.
    #[error("the window of positions is empty")]
    EmptyWindow,
    /// The job was made for another state of the trainer.
    #[error("the trainer is at step {step}, the job goes from step {start} to {end}")]
    WrongStep {
        /// Where the trainer stands.
        step: u64,
        /// The job's first step.
        start: u64,
        /// The step after the job's last.
        end: u64,
    },
    /// More steps than the rows pay for.
    #[error(
        "{draws} draws from {positions} positions are more than {} passes",
        crate::settings::MAX_PASSES_PER_ROW
    )]
    TooManyPasses {
        /// Draws of rows in the whole run after the job.
        draws: u64,
        /// Positions of the whole run.
        positions: u64,
    },
    /// A loss or gradient that is no number.
    #[error("step {step}: {what} is {value}; its batch is in {}", batch.display())]
    NotFinite {
        /// The step, which was not done.
        step: u64,
        /// Loss or gradient.
        what: &'static str,
        /// NaN or an infinity.
        value: f64,
        /// The file that holds the batch.
        batch: PathBuf,
    },
    /// A file that can't be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A snapshot that is none of ours, or no longer whole.
    #[error("snapshot {} can't be used: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A snapshot of a trainer with other settings.
    #[error("snapshot {} was made with other settings: {differences}", path.display())]
    OtherSettings {
        /// The file.
        path: PathBuf,
        /// Keys with the snapshot's value and today's.
        differences: String,
    },
    /// libtorch failed.
    #[error(transparent)]
    Torch(#[from] TorchError),
}

impl From<TchError> for TrainError {
    fn from(error: TchError) -> Self {
        Self::Torch(error.into())
    }
}
