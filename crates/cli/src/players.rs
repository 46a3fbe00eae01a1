//! Players by name: a built-in opponent, a weights file, or a run folder, whose champion plays.

use anyhow::Context as _;
use arena::{Baseline, Player, Searcher, SearcherSettings};
use net::{SparseEvaluator, SparseNet, Weights};
use std::path::Path;
use std::sync::Arc;

/// Someone who can be asked to play as often as there are threads.
pub(crate) enum Contestant {
    /// A built-in opponent.
    Baseline(Baseline),
    /// A net under the search.
    Net {
        /// What the user called it.
        name: String,
        /// Its weights, ready for inference.
        net: Arc<SparseNet>,
    },
}

impl Contestant {
    /// Reads what a user means by a player.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        if let Ok(baseline) = text.parse() {
            return Ok(Self::Baseline(baseline));
        }
        let path = Path::new(text);
        if !path.exists() {
            anyhow::bail!(
                "\"{text}\" is no player: want random, greedy, depth-1 to depth-8, a weights file or a run folder"
            );
        }
        Self::net(text)
    }

    /// Reads a weights file or a run's champion.
    pub(crate) fn net(text: &str) -> anyhow::Result<Self> {
        let path = Path::new(text);
        let weights = if path.is_dir() {
            pipeline::champion(path)?
        } else {
            Weights::read(path).with_context(|| format!("in {text}"))?
        };
        Ok(Self::Net { name: text.to_owned(), net: Arc::new(SparseNet::new(&weights)) })
    }

    /// Makes a player; nets search as `settings` say, which must be in range.
    pub(crate) fn player(&self, settings: &SearcherSettings) -> Box<dyn Player> {
        match self {
            Self::Baseline(baseline) => baseline.player(),
            Self::Net { name, net } => {
                let evaluator = SparseEvaluator::new(Arc::clone(net));
                Box::new(Searcher::new(name, evaluator, settings).expect("the settings were checked"))
            }
        }
    }
}
