//! The knobs of thinking.

use super::choice::{Level, Variety};
use evaluator::{Cached, Evaluator};
use search::PlayTree;

/// The knobs of thinking. [`ThinkerSettings::check`] knows the ranges.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ThinkerSettings {
    /// Threads that search; 1 to 256.
    pub threads: usize,
    /// Memory for the tree; 8 to 16,384 MiB. When it is full, the least visited parts are dropped.
    pub hash_mib: usize,
    /// Memory for evaluations that are remembered, shared out to the threads; 0 (none) to 16,384 MiB. Pays with
    /// networks that take much longer than some microseconds: a tenth to a fifth of the positions come back.
    pub evaluations_mib: usize,
    /// The knobs of the search. Its `max_nodes` doesn't count here.
    pub search: search::Settings,
    /// How much a draw counts as a loss for the side that thinks; −1 to 1.
    pub contempt: f32,
    /// Variety in the opening.
    pub variety: Variety,
    /// Weaker play, if wanted.
    pub level: Option<Level>,
    /// Of what is drawn by lot.
    pub seed: u64,
}

impl Default for ThinkerSettings {
    /// One thread, 256 MiB for the tree, no evaluations remembered, full strength, no contempt and nothing drawn by
    /// lot.
    fn default() -> Self {
        Self {
            threads: 1,
            hash_mib: 256,
            evaluations_mib: 0,
            search: search::Settings::default(),
            contempt: 0.0,
            variety: Variety::NONE,
            level: None,
            seed: 0,
        }
    }
}

/// Why there can't be such a thinker. The message begins with the key.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
pub enum ThinkerError {
    /// A number outside its range.
    #[error("{key} = {value}: want {least} to {most}")]
    OutOfRange {
        /// The field of [`ThinkerSettings`].
        key: &'static str,
        /// What was given.
        value: f64,
        /// The least value allowed.
        least: f64,
        /// The greatest value allowed.
        most: f64,
    },
    /// A knob of the search is out of range.
    #[error("{0}")]
    Search(search::SettingsError),
    /// There isn't so much memory.
    #[error("hash_mib = {0}: want no more than the memory of this machine")]
    Memory(usize),
}

impl ThinkerSettings {
    /// Is every value in its range? The first that isn't, is the error.
    pub fn check(&self) -> Result<(), ThinkerError> {
        self.search.check().map_err(ThinkerError::Search)?;
        for (key, value, least, most) in [
            ("threads", self.threads as f64, 1.0, 256.0),
            ("hash_mib", self.hash_mib as f64, 8.0, 16_384.0),
            ("evaluations_mib", self.evaluations_mib as f64, 0.0, 16_384.0),
            ("contempt", f64::from(self.contempt), -1.0, 1.0),
            ("variety.temperature", f64::from(self.variety.temperature), 0.0, 10.0),
        ] {
            // A NaN is in no range.
            if !(least..=most).contains(&value) {
                return Err(ThinkerError::OutOfRange { key, value, least, most });
            }
        }
        Ok(())
    }

    /// An evaluator for one thread, with its share of the memory.
    pub(super) fn evaluator(&self, bare: Box<dyn Evaluator>) -> Box<dyn Evaluator> {
        /// About what one evaluation takes, with its position, moves and logits.
        const BYTES: usize = 1024;
        match (self.evaluations_mib << 20) / BYTES / self.threads {
            0 => bare,
            capacity => Box::new(Cached::new(bare, capacity)),
        }
    }

    /// An empty tree.
    pub(super) fn tree(&self) -> Result<PlayTree, ThinkerError> {
        let tree = PlayTree::new(self.search, self.hash_mib << 20);
        // The library's error says no more.
        let mut tree = tree.map_err(|_no_more| ThinkerError::Memory(self.hash_mib))?;
        tree.set_settings(self.search, self.contempt);
        Ok(tree)
    }
}
