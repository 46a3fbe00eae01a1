//! What a network is: its architecture, the versions it speaks, where it comes from.

use crate::tower;
use crate::weights::WeightsError;
use evaluator::{EXCHANGES, FEATURE_VERSION, INPUTS, MOVE_INDEX_VERSION, MOVES};
use serde::{Deserialize, Serialize};

/// The widest hidden layer.
pub const MAX_HIDDEN: usize = 4096;
/// The widest hidden layer of the value head.
pub const MAX_VALUE_HIDDEN: usize = 256;
/// The most channels of a tower.
pub const MAX_CHANNELS: usize = 256;
/// The most blocks of a tower.
pub const MAX_BLOCKS: usize = 40;
/// Outputs besides the policy: logits of win, draw and loss, and the raw moves left.
pub const OUTPUTS: usize = 4;
/// Plies in one unit of the moves-left output: moves left = 32 · softplus(raw).
pub const MOVES_LEFT_UNIT: f32 = 32.0;

/// The layout of a network, and with it the names and shapes of its tensors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Architecture {
    /// One wide layer over the sparse inputs ([`evaluator::Features`]); the policy is one row per move.
    ///
    /// With x the inputs (0 or 1), H = `hidden`, V = `value_hidden`:
    ///
    /// - a = `input.bias` + Σ `input.weight`\[i\] over the inputs i that are on, ascending; h = relu(a\[..H\])
    /// - v = relu(`value.bias` + `value.weight` · h)
    /// - (win, draw, loss, m) = a\[H..\] + `value.out` · v; wdl = softmax(win, draw, loss);
    ///   moves left = 32 · softplus(m) plies
    /// - logit(move) = `policy.bias`\[i\] + `policy.weight`\[i\] · h + `policy.exchange`\[e\] with
    ///   i = [`evaluator::MoveIndex`] and e = [`evaluator::Features::exchange`] of the move
    Sparse {
        /// Width of the hidden layer: a multiple of 8 from 8 to 4,096.
        hidden: usize,
        /// Width of the value head's hidden layer: a multiple of 8 from 8 to 256.
        value_hidden: usize,
    },
    /// Residual blocks of convolutions over the board, for libtorch, at best on a GPU.
    ///
    /// The same inputs, laid out on the board: x is `[56, 10, 9]`, plane 4 · piece + state, where piece and state (0 to
    /// 3: attacked, defended) are those of [`evaluator::Features`], rows from the mover's side; s are the 16 of the
    /// situation. Convolutions are 3 × 3 with a border of zeros, `∗` below; 1 × 1 where it says \[point by point\].
    /// C = `channels`.
    ///
    /// - t = relu(`input.weight` ∗ x + `input.bias` + `input.situation` · s), the last alike on all points
    /// - each block: u = `second` ∗ relu(`first` ∗ t + bias) + bias; of u the mean and the maximum over all points are
    ///   squeezed to C / 4 numbers by `squeeze` with a relu, from which `gate` makes C factors and C summands;
    ///   t ← relu(t + sigmoid(factors) · u + summands): squeeze and excitation (Hu et al. 2018,
    ///   <https://arxiv.org/abs/1709.01507>) with summands as Leela Chess Zero has it, and global pooling as in `KataGo`
    ///   (Wu 2019, section 3.3). Nothing is normalised: a block begins as the identity, as in Fixup (Zhang, Dauphin and
    ///   Ma 2019, <https://arxiv.org/abs/1901.09321>), so that a network answers alike in training and in play, and the
    ///   running mean of its weights is a network too.
    /// - v = relu(`value.weight` · relu(`value.planes` t \[point by point\]) + `value.bias`);
    ///   (win, draw, loss, m) = `value.out` · v; result and moves left as of the sparse network
    /// - logit(move) = q\[from\] · k\[to\] / √32 + `policy.bias`\[i\] + `policy.exchange`\[e\] with
    ///   q = `policy.from` t and k = `policy.to` t \[point by point\], i and e as of the sparse network
    Tower {
        /// Channels of each layer: a multiple of 8 from 8 to 256.
        channels: usize,
        /// How many residual blocks; 1 to 40.
        blocks: usize,
        /// Width of the value head's hidden layer: a multiple of 8 from 8 to 256.
        value_hidden: usize,
    },
}

impl Architecture {
    /// Name and shape of every tensor, in the order of their names; `[rows, columns]`, row-major.
    pub fn shapes(self) -> Vec<(String, Vec<usize>)> {
        match self {
            Self::Sparse { hidden, value_hidden } => sparse_shapes(hidden, value_hidden),
            Self::Tower { channels, blocks, value_hidden } => tower::shapes(channels, blocks, value_hidden),
        }
    }

    /// What kind of network it is, in a word.
    pub const fn family(self) -> &'static str {
        match self {
            Self::Sparse { .. } => "sparse",
            Self::Tower { .. } => "tower",
        }
    }

    /// `hidden` and `value_hidden` of a sparse network; a tower is refused.
    pub const fn sparse(self) -> Result<(usize, usize), WeightsError> {
        match self {
            Self::Sparse { hidden, value_hidden } => Ok((hidden, value_hidden)),
            Self::Tower { .. } => Err(WeightsError::Tower),
        }
    }

    fn check(self) -> Result<(), WeightsError> {
        match self {
            Self::Sparse { hidden, value_hidden } => {
                check_width("hidden", hidden, MAX_HIDDEN)?;
                check_width("value_hidden", value_hidden, MAX_VALUE_HIDDEN)
            }
            Self::Tower { channels, blocks, value_hidden } => {
                check_width("channels", channels, MAX_CHANNELS)?;
                if !(1..=MAX_BLOCKS).contains(&blocks) {
                    return Err(WeightsError::Blocks { blocks });
                }
                check_width("value_hidden", value_hidden, MAX_VALUE_HIDDEN)
            }
        }
    }
}

fn sparse_shapes(hidden: usize, value_hidden: usize) -> Vec<(String, Vec<usize>)> {
    named([
        ("input.bias", vec![hidden + OUTPUTS]),
        ("input.weight", vec![INPUTS, hidden + OUTPUTS]),
        ("policy.bias", vec![MOVES]),
        ("policy.exchange", vec![EXCHANGES]),
        ("policy.weight", vec![MOVES, hidden]),
        ("value.bias", vec![value_hidden]),
        ("value.out", vec![OUTPUTS, value_hidden]),
        ("value.weight", vec![value_hidden, hidden]),
    ])
    .collect()
}

pub(crate) fn named<const N: usize>(
    shapes: [(&str, Vec<usize>); N],
) -> impl Iterator<Item = (String, Vec<usize>)> {
    shapes.map(|(name, shape)| (name.to_owned(), shape)).into_iter()
}

fn check_width(what: &'static str, width: usize, most: usize) -> Result<(), WeightsError> {
    let right = width.is_multiple_of(8) && (8..=most).contains(&width);
    if right { Ok(()) } else { Err(WeightsError::Width { what, width, most }) }
}

/// All there is to say about a network besides its numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Layout of the tensors.
    pub architecture: Architecture,
    /// Meaning of the inputs; must be [`FEATURE_VERSION`].
    pub feature_version: u32,
    /// Numbering of the moves; must be [`MOVE_INDEX_VERSION`].
    pub move_index_version: u32,
    /// The rule set that the training games were played by ([`rules::RuleSet::name`]); information only.
    pub rule_set: String,
    /// Training steps so far.
    pub step: u64,
    /// The training run that made it.
    pub run: String,
    /// SHA-256 ([`Weights::hash`](crate::Weights::hash)) of the network that training went on from; none for
    /// the first.
    pub parent: Option<String>,
}

impl Description {
    /// A new network of today's versions: step 0, no parent.
    pub fn new(architecture: Architecture, rule_set: &str, run: &str) -> Self {
        Self {
            architecture,
            feature_version: FEATURE_VERSION,
            move_index_version: MOVE_INDEX_VERSION,
            rule_set: rule_set.to_owned(),
            step: 0,
            run: run.to_owned(),
            parent: None,
        }
    }

    /// Refuses other versions and impossible widths.
    pub(crate) fn check(&self) -> Result<(), WeightsError> {
        if self.feature_version != FEATURE_VERSION {
            return Err(WeightsError::FeatureVersion { found: self.feature_version });
        }
        if self.move_index_version != MOVE_INDEX_VERSION {
            return Err(WeightsError::MoveIndexVersion { found: self.move_index_version });
        }
        if let Some(parent) = &self.parent
            && !is_hash(parent)
        {
            return Err(WeightsError::Parent(parent.clone()));
        }
        self.architecture.check()
    }
}

pub(crate) fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
