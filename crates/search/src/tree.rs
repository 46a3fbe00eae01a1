//! The tree: a pool of nodes and a pool of edges, joined by indices.

use crate::proven::Proven;
use evaluator::Wdl;
use rules::Move;
use std::num::NonZeroU32;

/// The root's index. No edge leads to the root, so that 0 can stand for "no child".
pub(crate) const ROOT: u32 = 0;

/// A position that has been visited, reached by one sequence of moves. 32 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Sum over the visits of win − loss, from the mover's view.
    pub(crate) value_sum: f64,
    /// Sum over the visits of the probability of a draw.
    pub(crate) draw_sum: f64,
    /// How many simulations ended here or below.
    pub(crate) visits: u32,
    pub(crate) first_edge: u32,
    /// The result, from the mover's view, once it is known.
    pub(crate) proven: Option<Proven>,
    pub(crate) edges: u8,
    /// How many edges have children: the first so many.
    pub(crate) opened: u8,
    /// How many walks that have not come back yet went this way. Only trees for play have any.
    pub(crate) flights: u16,
}

/// A legal move of a node. 8 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) child: Option<NonZeroU32>,
    pub(crate) mv: Move,
    pub(crate) prior: Prior,
}

/// The policy's probability of a move, to the nearest 1/65,535 and never 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Prior(u16);

impl Prior {
    pub(crate) fn new(probability: f32) -> Self {
        /// Added to a smaller number, it leaves no room for what comes after the point, and that number is its last bits.
        const ROUNDING: f32 = (1 << 23) as f32;
        let steps = probability * f32::from(u16::MAX);
        Self((if steps > 1.0 { steps } else { 1.0 } + ROUNDING).to_bits() as u16)
    }

    #[inline]
    pub(crate) fn get(self) -> f32 {
        f32::from(self.0) * (1.0 / 65_535.0)
    }

    #[inline]
    pub(crate) const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    #[inline]
    pub(crate) const fn to_bits(self) -> u16 {
        self.0
    }
}

impl Node {
    /// A node without visits or moves.
    fn new(proven: Option<Proven>) -> Self {
        Self {
            value_sum: 0.0,
            draw_sum: 0.0,
            visits: 0,
            first_edge: 0,
            proven,
            edges: 0,
            opened: 0,
            flights: 0,
        }
    }

    /// Counts a visit with this result, from the mover's view.
    #[inline]
    pub(crate) fn visit(&mut self, wdl: Wdl) {
        self.visits += 1;
        self.value_sum += f64::from(wdl.value());
        self.draw_sum += f64::from(wdl.draw);
    }

    /// Win − loss in [−1, 1] from the mover's view: exact if proven, else the mean of the visits (at least one).
    #[inline]
    pub(crate) fn value(&self) -> f32 {
        match self.proven {
            Some(proven) => proven.wdl().value(),
            None => self.value_sum as f32 / self.visits as f32,
        }
    }

    /// The same if a draw is worth so much to the mover, in [−1, 1]. Wins and losses stay what they are.
    #[inline]
    pub(crate) fn value_given_draw(&self, draw: f32) -> f32 {
        match self.proven {
            Some(Proven::Draw) => draw,
            Some(proven) => proven.wdl().value(),
            None => (self.value_sum + self.draw_sum * f64::from(draw)) as f32 / self.visits as f32,
        }
    }

    /// Does it want an evaluation? It has no moves and no result.
    #[inline]
    pub(crate) fn is_leaf(&self) -> bool {
        self.edges == 0 && self.proven.is_none()
    }

    /// The probability of a draw: exact if proven, else the mean of the visits (at least one).
    pub(crate) fn draw(&self) -> f32 {
        match self.proven {
            Some(proven) => proven.wdl().draw,
            None => self.draw_sum as f32 / self.visits as f32,
        }
    }
}

/// The size of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeSize {
    /// Visited positions.
    pub nodes: usize,
    /// What they take with the edges that lead to them.
    pub bytes_visited: usize,
    /// What they take with all their edges.
    pub bytes: usize,
}

/// Two pools. Nodes are never shared between parents: a verdict on a repetition holds for one path only.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl Tree {
    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn size(&self) -> TreeSize {
        let (nodes, edges) = (self.nodes.len(), self.edges.len());
        let bytes = |edges: usize| nodes * size_of::<Node>() + edges * size_of::<Edge>();
        TreeSize { nodes, bytes_visited: bytes(nodes), bytes: bytes(edges) }
    }

    /// Forgets all nodes but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    #[inline]
    pub(crate) fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    #[inline]
    pub(crate) fn node_mut(&mut self, index: u32) -> &mut Node {
        &mut self.nodes[index as usize]
    }

    /// A node's moves: those with children, and those without.
    #[inline]
    pub(crate) fn edges(&self, index: u32) -> (&[Edge], &[Edge]) {
        self.all_edges(index).split_at(usize::from(self.node(index).opened))
    }

    /// The same in one.
    #[inline]
    pub(crate) fn all_edges(&self, index: u32) -> &[Edge] {
        let node = self.node(index);
        let first = node.first_edge as usize;
        &self.edges[first..first + usize::from(node.edges)]
    }

    #[inline]
    pub(crate) fn edge(&self, index: u32, slot: usize) -> Edge {
        self.edges[self.node(index).first_edge as usize + slot]
    }

    /// The child at the end of an edge, if there is one.
    #[inline]
    pub(crate) fn child(&self, edge: Edge) -> Option<&Node> {
        edge.child.map(|child| self.node(child.get()))
    }

    /// Adds a node: the root of an empty tree, or a leaf that still hangs in the air.
    pub(crate) fn add(&mut self, proven: Option<Proven>) -> u32 {
        self.nodes.push(Node::new(proven));
        (self.nodes.len() - 1) as u32
    }

    /// Gives a node its moves.
    pub(crate) fn expand(&mut self, index: u32, moves: impl Iterator<Item = (Move, Prior)>) {
        let first = self.edges.len();
        self.edges.extend(moves.map(|(mv, prior)| Edge { child: None, mv, prior }));
        let count = self.edges.len() - first;
        let node = self.node_mut(index);
        node.first_edge = first as u32;
        node.edges = u8::try_from(count).expect("a position has at most 128 moves");
    }

    /// Makes `child` the child of the first move without one.
    pub(crate) fn open(&mut self, parent: u32, child: u32) {
        let node = self.node_mut(parent);
        let slot = node.first_edge as usize + usize::from(node.opened);
        node.opened += 1;
        self.edges[slot].child = NonZeroU32::new(child);
    }

    /// Exchanges the first move of a node and the first with this prior, which is the greatest.
    pub(crate) fn bring_forward(&mut self, index: u32, greatest: Prior) {
        let node = &self.nodes[index as usize];
        let edges = &mut self.edges[node.first_edge as usize..][..usize::from(node.edges)];
        let slot = edges.iter().position(|edge| edge.prior == greatest);
        edges.swap(0, slot.expect("the greatest prior is one of them"));
    }

    /// Puts the likeliest move without a child before the other moves without one.
    #[inline]
    pub(crate) fn bring_likeliest_forward(&mut self, index: u32) {
        let node = &self.nodes[index as usize];
        let end = node.first_edge as usize + usize::from(node.edges);
        let unopened = &mut self.edges[node.first_edge as usize + usize::from(node.opened)..end];
        let mut likeliest = (Prior::from_bits(0), 0);
        for (slot, edge) in unopened.iter().enumerate() {
            if edge.prior > likeliest.0 {
                likeliest = (edge.prior, slot);
            }
        }
        if !unopened.is_empty() {
            unopened.swap(0, likeliest.1);
        }
    }

    /// Copies the part of the tree below a node, breadth first, into `kept`, where the node becomes the root.
    pub(crate) fn copy_below(&self, index: u32, kept: &mut Self) {
        kept.clear();
        kept.nodes.push(*self.node(index));
        let mut next = 0;
        // The nodes from `next` on still have the edges of the old tree.
        while next < kept.nodes.len() {
            let old = kept.nodes[next].first_edge as usize;
            let count = usize::from(kept.nodes[next].edges);
            kept.nodes[next].first_edge = kept.edges.len() as u32;
            for &edge in &self.edges[old..old + count] {
                let child = self.child(edge).and_then(|child| {
                    kept.nodes.push(*child);
                    NonZeroU32::new((kept.nodes.len() - 1) as u32)
                });
                kept.edges.push(Edge { child, ..edge });
            }
            next += 1;
        }
    }
}

/// What can be read off parents and children, however they are kept.
pub(crate) trait Family {
    /// A node as it is at this moment.
    fn get(&self, index: u32) -> Node;

    /// A node's move in a slot.
    fn edge_of(&self, node: &Node, slot: usize) -> Edge;

    /// A node's moves with children.
    fn opened_edges(&self, node: Node) -> impl Iterator<Item = Edge> {
        (0..usize::from(node.opened)).map(move |slot| self.edge_of(&node, slot))
    }

    /// A node's moves without children.
    fn unopened_edges(&self, node: Node) -> impl Iterator<Item = Edge> {
        (node.opened.into()..node.edges.into()).map(move |slot| self.edge_of(&node, slot))
    }

    /// The result of a node, if its children prove one: a move that wins, or the best when all are proven.
    fn prove(&self, index: u32) -> Option<Proven> {
        self.prove_with(index, |_| true)
    }

    /// The same if the mover had only some of its moves.
    #[inline]
    fn prove_with(&self, index: u32, may: impl Fn(Move) -> bool) -> Option<Proven> {
        let node = self.get(index);
        let mut open = self.unopened_edges(node).any(|edge| may(edge.mv));
        let mut best: Option<Proven> = None;
        for edge in self.opened_edges(node).filter(|edge| may(edge.mv)) {
            match self.of_move(edge) {
                None => open = true,
                Some(result) => {
                    if best.is_none_or(|best| Proven::rank(Some(best)) < Proven::rank(Some(result))) {
                        best = Some(result);
                    }
                }
            }
        }
        best.filter(|best| !open || matches!(best, Proven::Win { .. }))
    }

    /// The proven result of a move, from its mover's view.
    fn of_move(&self, edge: Edge) -> Option<Proven> {
        self.get(edge.child?.get()).proven.map(Proven::of_move)
    }

    /// The moves that both sides prefer so far, from a node down: proven results first, then visits.
    fn line_from(&self, mut index: u32) -> Vec<Move> {
        let mut line = Vec::new();
        while let Some(edge) = self.preferred(index) {
            line.push(edge.mv);
            index = edge.child.expect("only moves with children are preferred").get();
        }
        line
    }

    /// The move that its mover prefers so far; none while nothing is known.
    fn preferred(&self, index: u32) -> Option<Edge> {
        let merit = |edge: Edge| {
            let child = self.get(edge.child.expect("an opened move has a child").get());
            (Proven::rank(child.proven.map(Proven::of_move)), child.visits)
        };
        let node = self.get(index);
        let moves = self.opened_edges(node).map(|edge| (edge, merit(edge)));
        // Of equals the first.
        let (best, (rank, _)) = moves.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        // Where all moves tried lose but some are untried, nothing is known yet.
        (node.opened == node.edges || rank >= 0).then_some(best)
    }
}

impl Family for Tree {
    fn get(&self, index: u32) -> Node {
        *self.node(index)
    }

    fn edge_of(&self, node: &Node, slot: usize) -> Edge {
        self.edges[node.first_edge as usize + slot]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_edges_are_small() {
        assert_eq!(size_of::<Node>(), 32);
        assert_eq!(size_of::<Edge>(), 8);
    }

    fn node_with_children(results: &[Option<Proven>], unopened: usize) -> Tree {
        let mut tree = Tree::default();
        let root = tree.add(None);
        let mv: Move = "a0a1".parse().unwrap();
        tree.expand(root, (0..results.len() + unopened).map(|_| (mv, Prior::new(0.1))));
        for &result in results {
            let child = tree.add(result);
            tree.open(root, child);
        }
        tree
    }

    #[test]
    fn a_node_is_proven_by_one_win_or_by_all_results() {
        let (win, loss) = (|plies| Some(Proven::Win { plies }), |plies| Some(Proven::Loss { plies }));
        let draw = Some(Proven::Draw);
        // The children's results, moves not tried, the node's result.
        for (children, unopened, expected) in [
            (vec![win(1), None, loss(4), loss(2)], 3, win(3)),
            (vec![draw, None], 0, None),
            (vec![draw], 1, None),
            (vec![draw, win(0)], 0, draw),
            (vec![win(3), draw], 0, draw),
            (vec![win(3), win(7), win(5)], 0, loss(8)),
            (vec![win(3), win(7)], 1, None),
            (vec![win(3), None], 0, None),
            (vec![], 1, None),
        ] {
            let tree = node_with_children(&children, unopened);
            assert_eq!(tree.prove(ROOT), expected, "{children:?}, {unopened} not tried");
        }
    }
}
