//! What selection reads of the children, side by side for each parent.
//!
//! The nodes themselves lie far apart, and most of the time of a walk would go into fetching them.

use crate::proven::Proven;
use crate::tree::Node;

/// The heads of each node's children, in the order of the edges that lead to them.
#[derive(Debug, Default)]
pub(super) struct Heads {
    /// Of each node: where the block of its children begins, once there is one.
    first: Vec<u32>,
    /// Blocks of 4, 8, 16, … heads. One that has become too small is left behind.
    pool: Vec<Head>,
}

/// A node as its parent's mover sees it. 8 bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Head {
    /// What the move that leads here is worth to its mover, with contempt; −∞ if it isn't to be followed, because it
    /// loses or because a walk is already at this leaf.
    pub(super) q: f32,
    /// One more than the visits and the walks under way.
    pub(super) divisor: f32,
}

/// The size of the smallest block.
const LEAST: usize = 4;

impl Head {
    /// Nothing known, nobody there.
    const NONE: Self = Self { q: 0.0, divisor: 1.0 };

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
}

impl Heads {
    /// Bytes for each node, at most: its place, and of blocks at most four heads for each child.
    pub(super) const BYTES: usize = size_of::<u32>() + LEAST * size_of::<Head>();

    /// Makes room, so that nothing is moved later.
    pub(super) fn reserve(&mut self, nodes: usize) -> Result<(), std::collections::TryReserveError> {
        self.first.try_reserve_exact(nodes)?;
        self.pool.try_reserve_exact(LEAST * nodes)
    }

    pub(super) fn bytes(&self) -> usize {
        self.first.len() * size_of::<u32>() + self.pool.len() * size_of::<Head>()
    }

    /// Forgets all, and has places for so many nodes.
    pub(super) fn reset(&mut self, nodes: usize) {
        self.pool.clear();
        self.first.clear();
        self.first.resize(nodes, 0);
    }

    /// A new node.
    pub(super) fn add(&mut self) {
        self.first.push(0);
    }

    /// Keeps the blocks of the nodes that stay: where they were, and how many children each has now.
    pub(super) fn keep(&mut self, nodes: impl Iterator<Item = (u32, usize)>) {
        let old = std::mem::take(&mut self.first);
        let mut pool = Vec::new();
        self.first.reserve(old.capacity());
        for (node, count) in nodes {
            self.first.push(pool.len() as u32);
            if 0 < count {
                let first = old[node as usize] as usize;
                pool.extend_from_slice(&self.pool[first..first + count]);
                pool.resize(pool.len() + count.next_power_of_two().max(LEAST) - count, Head::NONE);
            }
        }
        // Copied back, so that the reserved memory stays.
        self.pool.clear();
        self.pool.extend_from_slice(&pool);
    }

    /// The heads of a node's children, of which there are so many.
    #[inline]
    pub(super) fn children(&self, node: u32, count: usize) -> &[Head] {
        let first = self.first[node as usize] as usize;
        &self.pool[first..first + count]
    }

    #[inline]
    pub(super) fn child_mut(&mut self, node: u32, slot: usize) -> &mut Head {
        &mut self.pool[self.first[node as usize] as usize + slot]
    }

    /// Adds a child to a node that has so many.
    pub(super) fn push(&mut self, node: u32, count: usize) {
        let first = self.first[node as usize] as usize;
        let is_full = count == 0 || (LEAST <= count && count.is_power_of_two());
        if is_full {
            let moved = self.pool.len();
            self.pool.extend_from_within(first..first + count);
            self.pool.resize(moved + LEAST.max(2 * count), Head::NONE);
            self.first[node as usize] = moved as u32;
        }
    }
}
