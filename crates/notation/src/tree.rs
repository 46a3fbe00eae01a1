//! The moves of a game with their variations, every one of them legal.

use rules::{IllegalMove, Move, Position, Undo};

/// The longest line that a tree holds, in plies; no game comes near it.
pub const MAX_PLIES: usize = 10_000;

/// The start of a game or one of its moves, in the [`Tree`] that gave the number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The start position, before any move.
    pub const ROOT: Self = Self(0);

    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A start position and the moves from there: the first child of each node goes on with the main line, the others
/// are variations. The start itself may have several children.
///
/// A [`Cursor`] builds it and lets only legal moves in. Two trees are equal when they have the same start, moves,
/// order of variations, comments and remarks, in whatever order they were built.
///
/// ```
/// use notation::{NodeId, Tree};
/// use rules::Position;
///
/// let mut tree = Tree::new(Position::start());
/// let mut cursor = tree.cursor();
/// cursor.add("h2e2".parse()?)?;
/// cursor.back();
/// cursor.add("c3c4".parse()?)?;
/// cursor.comment("a variation");
/// assert!(cursor.add("c4c5".parse()?).is_err(), "it is Black's turn");
/// assert_eq!(tree.main_line(), ["h2e2".parse()?]);
/// assert_eq!(tree.children(NodeId::ROOT).len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tree {
    start: Position,
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Node {
    mv: Option<Move>,
    parent: NodeId,
    depth: usize,
    children: Vec<NodeId>,
    comment: String,
    remarks: Vec<u8>,
}

impl Node {
    const fn new(mv: Option<Move>, parent: NodeId, depth: usize) -> Self {
        Self { mv, parent, depth, children: Vec::new(), comment: String::new(), remarks: Vec::new() }
    }

    fn is_like(&self, other: &Self) -> bool {
        (self.mv, self.children.len()) == (other.mv, other.children.len())
            && self.comment == other.comment
            && self.remarks == other.remarks
    }
}

/// Why a move doesn't go into a tree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AddError {
    /// The rules of movement forbid it.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The line would have too many plies.
    #[error("a line has more than {MAX_PLIES} plies")]
    TooLong,
}

impl Tree {
    /// No moves yet.
    pub fn new(start: Position) -> Self {
        Self { start, nodes: vec![Node::new(None, NodeId::ROOT, 0)] }
    }

    /// A main line without variations.
    pub fn from_moves(start: Position, moves: &[Move]) -> Result<Self, AddError> {
        let mut tree = Self::new(start);
        let mut cursor = tree.cursor();
        for &mv in moves {
            cursor.add(mv)?;
        }
        Ok(tree)
    }

    /// The position before the first move.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// How many moves there are, those of variations included.
    pub const fn move_count(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The move that leads to a node; none leads to the root.
    pub fn mv(&self, node: NodeId) -> Option<Move> {
        self.nodes[node.index()].mv
    }

    /// The node before this one; the root's is itself.
    pub fn parent(&self, node: NodeId) -> NodeId {
        self.nodes[node.index()].parent
    }

    /// How many moves lead to a node.
    pub fn depth(&self, node: NodeId) -> usize {
        self.nodes[node.index()].depth
    }

    /// The moves that go on from a node, that of its main line first.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        &self.nodes[node.index()].children
    }

    /// The comment on a move, or on the start; empty if there is none.
    pub fn comment(&self, node: NodeId) -> &str {
        &self.nodes[node.index()].comment
    }

    /// Remarks on a move as PGN numbers them: 1 `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!` and so on.
    pub fn remarks(&self, node: NodeId) -> &[u8] {
        &self.nodes[node.index()].remarks
    }

    /// The moves of the main line.
    pub fn main_line(&self) -> Vec<Move> {
        let first = |node: &NodeId| self.children(*node).first().copied();
        std::iter::successors(first(&NodeId::ROOT), first).filter_map(|node| self.mv(node)).collect()
    }

    /// The last node of every line, the main line's first; the root alone if there is no move.
    pub fn leaves(&self) -> impl Iterator<Item = NodeId> {
        self.preorder().filter(|&node| self.children(node).is_empty())
    }

    /// The moves from the start to a node.
    pub fn line_to(&self, node: NodeId) -> Vec<Move> {
        let back = |node: &NodeId| (*node != NodeId::ROOT).then(|| self.parent(*node));
        let mut moves: Vec<Move> =
            std::iter::successors(Some(node), back).filter_map(|node| self.mv(node)).collect();
        moves.reverse();
        moves
    }

    /// All nodes: a node, then its first child with all that follows, then its second, and so on.
    pub fn preorder(&self) -> impl Iterator<Item = NodeId> {
        let mut pending = vec![NodeId::ROOT];
        std::iter::from_fn(move || {
            let node = pending.pop()?;
            pending.extend(self.children(node).iter().rev());
            Some(node)
        })
    }

    /// The position at a node.
    pub fn position(&self, node: NodeId) -> Position {
        let mut walk = Walk::new(self);
        walk.go_to(self, node);
        walk.position
    }

    /// A cursor on the start position, to add moves.
    pub fn cursor(&mut self) -> Cursor<'_> {
        let walk = Walk::new(self);
        Cursor { tree: self, walk }
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.start.fen() == other.start.fen()
            && self.nodes.len() == other.nodes.len()
            && self
                .preorder()
                .zip(other.preorder())
                .all(|(own, theirs)| self.nodes[own.index()].is_like(&other.nodes[theirs.index()]))
    }
}

impl Eq for Tree {}

/// A place in a [`Tree`] from which moves are added, with the position there.
#[derive(Debug)]
pub struct Cursor<'t> {
    tree: &'t mut Tree,
    walk: Walk,
}

impl Cursor<'_> {
    /// The node.
    pub const fn node(&self) -> NodeId {
        self.walk.node
    }

    /// The position there.
    pub const fn position(&self) -> &Position {
        &self.walk.position
    }

    /// How many moves lead there.
    pub const fn ply(&self) -> usize {
        self.walk.path.len()
    }

    /// Adds a move as the last child and goes there. After an error all is as it was.
    pub fn add(&mut self, mv: Move) -> Result<NodeId, AddError> {
        if self.ply() >= MAX_PLIES {
            return Err(AddError::TooLong);
        }
        if !self.position().is_legal(mv) {
            return Err(IllegalMove { mv, fen: self.position().fen(), refused: None }.into());
        }
        let child = NodeId(u32::try_from(self.tree.nodes.len()).map_err(|_many| AddError::TooLong)?);
        self.tree.nodes.push(Node::new(Some(mv), self.node(), self.ply() + 1));
        self.tree.nodes[self.walk.node.index()].children.push(child);
        self.walk.step(child, mv);
        Ok(child)
    }

    /// Goes back one move; false at the start.
    pub fn back(&mut self) -> bool {
        self.walk.back(self.tree)
    }

    /// Goes to any node of the tree, by the shortest way.
    pub fn go_to(&mut self, target: NodeId) {
        self.walk.go_to(self.tree, target);
    }

    /// The node of a line that so many moves lead to, if the line that ends at `end` is that long.
    pub(crate) fn before(&self, end: NodeId, depth: usize) -> Option<NodeId> {
        let mut node = end;
        while self.tree.depth(node) > depth {
            node = self.tree.parent(node);
        }
        (self.tree.depth(node) == depth).then_some(node)
    }

    /// Adds a comment to the node, in a line of its own if there is one already. Space around it is left out, and
    /// lines end in line feeds.
    pub fn comment(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text = text.trim();
        let comment = &mut self.tree.nodes[self.walk.node.index()].comment;
        if !comment.is_empty() && !text.is_empty() {
            comment.push('\n');
        }
        comment.push_str(text);
    }

    /// Adds a remark to the node, by its number in PGN (see [`Tree::remarks`]).
    pub fn remark(&mut self, number: u8) {
        self.tree.nodes[self.walk.node.index()].remarks.push(number);
    }
}

/// A place in a tree and the position there.
#[derive(Debug)]
pub(crate) struct Walk {
    node: NodeId,
    position: Position,
    path: Vec<Undo>,
}

impl Walk {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self { node: NodeId::ROOT, position: tree.start.clone(), path: Vec::new() }
    }

    pub(crate) const fn position(&self) -> &Position {
        &self.position
    }

    pub(crate) fn go_to(&mut self, tree: &Tree, target: NodeId) {
        // Up from both ends until they meet, then down again.
        let mut way = Vec::new();
        let mut node = target;
        while self.node != node {
            let depth = tree.depth(node);
            if self.path.len() >= depth {
                self.back(tree);
            }
            if self.path.len() < depth && self.node != node {
                way.push(node);
                node = tree.parent(node);
            }
        }
        for &node in way.iter().rev() {
            if let Some(mv) = tree.mv(node) {
                self.step(node, mv);
            }
        }
    }

    fn step(&mut self, child: NodeId, mv: Move) {
        self.path.push(self.position.play_unchecked(mv));
        self.node = child;
    }

    fn back(&mut self, tree: &Tree) -> bool {
        let undo = self.path.pop();
        if let Some(undo) = undo {
            self.position.undo(undo);
            self.node = tree.parent(self.node);
        }
        undo.is_some()
    }
}
