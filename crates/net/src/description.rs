//! What a network is: its architecture, the versions it speaks, where it comes from.

use crate::weights::WeightsError;
use evaluator::{EXCHANGES, FEATURE_VERSION, INPUTS, MOVE_INDEX_VERSION, MOVES};
use serde::{Deserialize, Serialize};

/// The widest hidden layer.
pub const MAX_HIDDEN: usize = 4096;
/// The widest hidden layer of the value head.
pub const MAX_VALUE_HIDDEN: usize = 256;
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
}

impl Architecture {
    /// Name and shape of every tensor, in the order of their names; `[rows, columns]`, row-major.
    pub fn shapes(self) -> Vec<(&'static str, Vec<usize>)> {
        let Self::Sparse { hidden, value_hidden } = self;
        vec![
            ("input.bias", vec![hidden + OUTPUTS]),
            ("input.weight", vec![INPUTS, hidden + OUTPUTS]),
            ("policy.bias", vec![MOVES]),
            ("policy.exchange", vec![EXCHANGES]),
            ("policy.weight", vec![MOVES, hidden]),
            ("value.bias", vec![value_hidden]),
            ("value.out", vec![OUTPUTS, value_hidden]),
            ("value.weight", vec![value_hidden, hidden]),
        ]
    }

    fn check(self) -> Result<(), WeightsError> {
        let Self::Sparse { hidden, value_hidden } = self;
        check_width("hidden", hidden, MAX_HIDDEN)?;
        check_width("value_hidden", value_hidden, MAX_VALUE_HIDDEN)
    }
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
