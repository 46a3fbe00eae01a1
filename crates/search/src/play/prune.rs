//! Making room in a full tree: what was visited least is forgotten.
//!
//! A node that falls under the threshold keeps what is known about it (visits, values, a result) but loses its moves;
//! it is a leaf again. Everything happens in place, in the order in which the nodes were made: a child is always made
//! after its parent, and stays behind it.

use super::pools::Pools;
use crate::tree::{Edge, Family as _, ROOT};
use std::num::NonZeroU32;

/// Stands for a node that goes.
const GONE: u32 = u32::MAX;

impl Pools {
    /// Makes `root` the root and forgets what isn't below it; then lets the least visited nodes lose their moves until
    /// the rest takes at most `goal_bytes`, and in addition what the nodes in `line` need, which keep theirs.
    ///
    /// No walk may be under way.
    pub(super) fn prune(&mut self, root: u32, goal_bytes: usize, line: &[u32]) {
        let reachable = self.reachable(root);
        let threshold = self.threshold(&reachable, goal_bytes);
        let mut stays = vec![false; self.len()];
        for &index in line {
            stays[index as usize] = true;
        }
        let mut moved_to = vec![GONE; self.len()];
        moved_to[root as usize] = ROOT;
        for index in root..self.len() as u32 {
            if moved_to[index as usize] == GONE {
                continue;
            }
            let mut node = self.get(index);
            if node.edges != 0 && (threshold <= node.visits || stays[index as usize]) {
                self.children(index).for_each(|child| moved_to[child as usize] = ROOT);
            } else {
                (node.first_edge, node.edges, node.opened) = (0, 0, 0);
                self.set(index, &node);
            }
        }
        let kept: Vec<u32> =
            (root..self.len() as u32).filter(|&index| moved_to[index as usize] != GONE).collect();
        for (to, &from) in kept.iter().enumerate() {
            moved_to[from as usize] = to as u32;
        }
        let edges = self.slide_edges(&kept, &moved_to);
        for (to, &from) in kept.iter().enumerate() {
            self.move_node(from, to as u32);
        }
        self.truncate(kept.len() as u32, edges);
        self.pack_heads();
    }

    fn children(&self, index: u32) -> impl Iterator<Item = u32> {
        self.opened_edges(self.get(index)).filter_map(|edge| edge.child.map(NonZeroU32::get))
    }

    /// Which nodes are the root or below it.
    fn reachable(&self, root: u32) -> Vec<bool> {
        // Nothing has been left behind since the tree was begun or pruned.
        if root == ROOT {
            return vec![true; self.len()];
        }
        let mut reachable = vec![false; self.len()];
        reachable[root as usize] = true;
        for index in root..self.len() as u32 {
            if reachable[index as usize] {
                self.children(index).for_each(|child| reachable[child as usize] = true);
            }
        }
        reachable
    }

    /// How many visits a node must have to keep its moves, so that all that stay take at most `goal_bytes`. A node has
    /// no more visits than its parent, so those that stay hang together.
    fn threshold(&self, reachable: &[bool], goal_bytes: usize) -> u32 {
        let mut bytes = [0; CLASSES];
        for (index, _) in reachable.iter().enumerate().filter(|&(_, &reachable)| reachable) {
            let node = self.get(index as u32);
            bytes[class(node.visits)] +=
                usize::from(node.edges) * Self::EDGE_BYTES + usize::from(node.opened) * Self::NODE_BYTES;
        }
        let mut sum = Self::NODE_BYTES;
        let mut least = CLASSES;
        while 0 < least && sum + bytes[least - 1] <= goal_bytes {
            least -= 1;
            sum += bytes[least];
        }
        least_visits(least)
    }

    /// Closes the gaps between the moves of the nodes that stay: where they end.
    fn slide_edges(&mut self, kept: &[u32], moved_to: &[u32]) -> u32 {
        let mut owners: Vec<(u32, u32)> = kept
            .iter()
            .map(|&index| (self.get(index), index))
            .filter(|(node, _)| node.edges != 0)
            .map(|(node, index)| (node.first_edge, index))
            .collect();
        // Nearly sorted already: nodes get their moves soon after they are made.
        owners.sort_unstable();
        let mut end = 0;
        for (first, owner) in owners {
            let mut node = self.get(owner);
            node.first_edge = end;
            self.set(owner, &node);
            for at in first..first + u32::from(node.edges) {
                let Edge { child, mv, prior } = self.edge_at(at);
                let child = child.and_then(|child| NonZeroU32::new(moved_to[child.get() as usize]));
                self.set_edge(end, Edge { child, mv, prior });
                end += 1;
            }
        }
        end
    }
}

/// Numbers of visits in classes that are exact up to 15 and then an eighth of a power of two wide.
const CLASSES: usize = 16 + 28 * 8;

const fn class(visits: u32) -> usize {
    if visits < 16 {
        return visits as usize;
    }
    let shift = visits.ilog2() - 3;
    16 + (shift as usize - 1) * 8 + (visits >> shift) as usize - 8
}

/// The least number of visits of a class; more than there can be for the class after the last.
const fn least_visits(class: usize) -> u32 {
    match class {
        0..16 => class as u32,
        16..CLASSES => (8 + (class as u32 - 16) % 8) << ((class as u32 - 16) / 8 + 1),
        CLASSES.. => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_each_other() {
        assert_eq!((class(0), class(u32::MAX)), (0, CLASSES - 1));
        for number in 1..CLASSES {
            let least = least_visits(number);
            assert_eq!((class(least - 1), class(least)), (number - 1, number), "{least}");
        }
    }
}
