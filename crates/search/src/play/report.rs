//! What a tree for play says about its root.

use crate::play::PlayTree;
use crate::proven::Proven;
use crate::tree::{Edge, Family as _, Node};
use evaluator::Wdl;
use rules::Move;

/// A move at the root and what is known about it, from the root mover's point of view.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The move.
    pub mv: Move,
    /// How many walks followed it.
    pub visits: u64,
    /// The network's policy; the priors of all moves add up to 1.
    pub prior: f32,
    /// Win − loss in [−1, 1], without contempt; the root's own if the move has no visit.
    pub value: f32,
    /// The same as probabilities.
    pub wdl: Wdl,
    /// The result after the move, if it is certain. A win or loss is forced in so many plies; fewer may be possible.
    pub proven: Option<Proven>,
    /// The moves that both sides prefer, `mv` first; legal. To the end of the game if a win or loss is proven.
    pub pv: Vec<Move>,
}

impl PlayTree {
    /// The best `count` moves of those allowed at the root, the one to play first: a proven win before all, then by
    /// visits, proven losses last. Fewer if there are fewer; none before the root is evaluated.
    pub fn report(&self, count: usize) -> Vec<Line> {
        if self.pools.is_empty() {
            return Vec::new();
        }
        // The moves change places now and then.
        let root = self.pools.lock(self.root);
        let node = self.pools.get(self.root);
        let edges = self.pools.opened_edges(node).chain(self.pools.unopened_edges(node));
        let edges: Vec<Edge> = edges.filter(|edge| self.may(edge.mv)).collect();
        drop(root);
        // What is compared must not change meanwhile.
        let mut moves: Vec<_> = edges.into_iter().map(|edge| (self.merit(edge), edge)).collect();
        moves.sort_by(|(a, _), (b, _)| b.partial_cmp(a).expect("values are finite"));
        moves.truncate(count);
        moves.into_iter().map(|(_, edge)| self.line(&node, edge)).collect()
    }

    /// What moves are ordered by: the rank of a result, visits, then value or prior.
    fn merit(&self, edge: Edge) -> (i32, u32, f32) {
        match self.visited(edge) {
            Some(child) => (Proven::rank(child.proven.map(Proven::of_move)), child.visits, -child.value()),
            None => (0, 0, edge.prior.get()),
        }
    }

    /// The child at the end of a move, if it has a visit.
    fn visited(&self, edge: Edge) -> Option<Node> {
        Some(self.pools.get(edge.child?.get())).filter(|child| 0 < child.visits)
    }

    fn line(&self, root: &Node, edge: Edge) -> Line {
        let child = self.visited(edge);
        let wdl = match &child {
            Some(child) => Wdl::from_value(child.value(), child.draw()).flipped(),
            None => Wdl::from_value(root.value(), root.draw()),
        };
        let mut pv = vec![edge.mv];
        if let Some(index) = edge.child {
            pv.extend(self.pools.line_from(index.get()));
        }
        Line {
            mv: edge.mv,
            visits: child.as_ref().map_or(0, |child| child.visits.into()),
            prior: edge.prior.get(),
            // 0 − 0 is 0, and not −0.
            value: child.as_ref().map_or(root.value(), |child| 0.0 - child.value()),
            wdl,
            proven: child.and_then(|child| child.proven).map(Proven::of_move),
            pv,
        }
    }
}
