//! What selection reads of a child.

use crate::proven::Proven;
use crate::tree::Node;

/// A node as its parent's mover sees it. 8 bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Head {
    /// What the move that leads here is worth to its mover, with contempt; −∞ if it isn't to be followed, because it
    /// loses or because a walk is already at this leaf.
    pub(super) q: f32,
    /// One more than the visits and the walks under way.
    pub(super) divisor: f32,
}

impl Head {
    /// A leaf that the first walk has just come to.
    pub(super) const AWAITED: Self = Self { q: f32::NEG_INFINITY, divisor: 2.0 };

    /// What a node's head must be if a draw is worth so much to the node's mover. A leaf that nobody could evaluate
    /// gets another chance, and counts as even.
    #[inline]
    pub(super) fn of(node: &Node, draw: f32) -> Self {
        let is_awaited = node.is_leaf() && 0 < node.flights;
        let q = if is_awaited || matches!(node.proven, Some(Proven::Win { .. })) {
            f32::NEG_INFINITY
        } else if node.visits == 0 {
            0.0
        } else {
            -node.value_given_draw(draw)
        };
        Self { q, divisor: Self::divisor(node) }
    }

    #[inline]
    pub(super) fn divisor(node: &Node) -> f32 {
        (1 + node.visits + u32::from(node.flights)) as f32
    }

    #[inline]
    pub(super) const fn from_word(word: u64) -> Self {
        Self { q: f32::from_bits(word as u32), divisor: f32::from_bits((word >> 32) as u32) }
    }

    #[inline]
    pub(super) const fn word(self) -> u64 {
        self.q.to_bits() as u64 | (self.divisor.to_bits() as u64) << 32
    }
}
