//! Threads that share work.

use crate::error::TrainError;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::num::NonZeroUsize;

/// Threads that do what a list asks for, each item once.
#[derive(Debug, Default)]
pub(crate) struct Crew {
    /// None: the thread that asks does it.
    pool: Option<rayon::ThreadPool>,
}

impl Crew {
    /// So many threads.
    pub(crate) fn new(threads: NonZeroUsize) -> Result<Self, TrainError> {
        let pool = (threads.get() > 1).then(|| {
            let name = |number| format!("trainer {number}");
            rayon::ThreadPoolBuilder::new().num_threads(threads.get()).thread_name(name).build()
        });
        Ok(Self { pool: pool.transpose()? })
    }

    /// How many threads there are.
    pub(crate) fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads)
    }

    /// What the work on each item gives, in the order of the items.
    pub(crate) fn each<T: Send, R: Send>(
        &self,
        items: Vec<T>,
        work: impl Fn(T) -> R + Send + Sync,
    ) -> Vec<R> {
        match &self.pool {
            Some(pool) => pool.install(|| items.into_par_iter().map(work).collect()),
            None => items.into_iter().map(work).collect(),
        }
    }
}
