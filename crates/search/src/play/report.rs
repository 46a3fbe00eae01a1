//! What a tree for play says about its root.

use crate::play::PlayTree;
use crate::proven::Proven;
use crate::tree::Edge;
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
        let (opened, unopened) = self.tree.edges(self.root);
        let mut edges: Vec<Edge> =
            opened.iter().chain(unopened).copied().filter(|edge| self.may(edge.mv)).collect();
        edges.sort_by(|&a, &b| self.merit(b).partial_cmp(&self.merit(a)).expect("values are finite"));
        edges.truncate(count);
        edges.into_iter().map(|edge| self.line(edge)).collect()
    }

    /// What moves are ordered by: the rank of a result, visits, then value or prior.
    fn merit(&self, edge: Edge) -> (i32, u32, f32) {
        match self.tree.child(edge).filter(|child| 0 < child.visits) {
            Some(child) => (Proven::rank(self.tree.of_move(edge)), child.visits, -child.value()),
            None => (0, 0, edge.prior.get()),
        }
    }

    fn line(&self, edge: Edge) -> Line {
        let root = self.tree.node(self.root);
        let child = self.tree.child(edge).filter(|child| 0 < child.visits);
        let wdl = match child {
            Some(child) => Wdl::from_value(child.value(), child.draw()).flipped(),
            None => Wdl::from_value(root.value(), root.draw()),
        };
        let mut pv = vec![edge.mv];
        if let Some(index) = edge.child {
            pv.extend(self.tree.line_from(index.get()));
        }
        Line {
            mv: edge.mv,
            visits: child.map_or(0, |child| child.visits.into()),
            prior: edge.prior.get(),
            // 0 − 0 is 0, and not −0.
            value: child.map_or(root.value(), |child| 0.0 - child.value()),
            wdl,
            proven: self.tree.of_move(edge),
            pv,
        }
    }
}
