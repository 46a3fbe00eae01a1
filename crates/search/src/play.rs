//! The tree for play: PUCT at the root, kept from move to move, pruned when it is full, for several walkers at a time.
//!
//! Plain data: no threads, no lock, no clock. Who shares a [`PlayTree`] between threads puts it behind a lock, holds
//! that for [`PlayTree::apply`] and [`PlayTree::descend`], and lets it go while the [`Walk`] plays its moves, lists the
//! legal ones, looks for an end of the game and has the position evaluated. With one walker the tree grows as
//! [`Search`](crate::Search) grows it with [`Root::Puct`](crate::Root::Puct), walk for walk.
//!
//! Verdicts on repetitions belong to the path of moves that led to them, the game before the root included, so
//! positions are never shared between paths.

mod heads;
mod report;
mod root;
mod select;
#[cfg(test)]
mod tests;
mod walk;

pub use report::Line;
pub use walk::Walk;

use crate::proven::Proven;
use crate::settings::Settings;
use crate::tree::{Edge, Node, Tree};
use evaluator::Wdl;
use heads::{Head, Heads};
use rules::{Game, Move, Position, Rules};
use std::collections::TryReserveError;
use std::num::NonZeroU32;
use walk::Stage;

/// One tree for play.
///
/// ```
/// use evaluator::{Answer, Evaluator, Uniform};
/// use rules::{Game, Position, Rules};
/// use search::{Descent, PlayTree, Proven, Settings};
///
/// // A rook cuts the general off, the other mates on the back rank.
/// let position: Position = "5k3/R8/7R1/9/9/9/p8/9/9/3K5 w".parse()?;
/// let mut tree = PlayTree::new(Settings::default(), PlayTree::LEAST_BYTES)?;
/// tree.set_root(&Game::new(position, Rules::default()), None);
/// let mut walk = tree.walk();
/// let mut answer = Answer::default();
/// loop {
///     match tree.descend(&mut walk) {
///         Descent::Leaf => {
///             if let Some(query) = walk.look() {
///                 Uniform.evaluate(&[query], std::slice::from_mut(&mut answer))?;
///                 walk.answer(&answer);
///             }
///             tree.apply(&mut walk);
///         }
///         Descent::Counted => {}
///         Descent::Busy => unreachable!("there is no other walker"),
///         Descent::Finished => break,
///     }
/// }
/// let best = &tree.report(1)[0];
/// assert_eq!((best.mv.to_string().as_str(), best.proven), ("h7h9", Some(Proven::Win { plies: 1 })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PlayTree {
    settings: Settings,
    contempt: f32,
    tree: Tree,
    heads: Heads,
    /// What a draw is worth to Red, by which the heads were reckoned.
    draw_for_red: f32,
    max_bytes: usize,
    /// What was the root before, and all that was beside it, stays in the pools until room is wanted.
    root: u32,
    /// Ends at the root.
    game: Game,
    /// Counts roots, so that a walker for an earlier one is noticed.
    roots: u64,
    /// The moves allowed at the root, if not all.
    only: Option<Vec<Move>>,
    /// The root's result if only these moves are allowed.
    result: Option<Proven>,
    /// How many walks are under way.
    walks: u32,
}

/// How a descent ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Descent {
    /// At a leaf: [`Walk::look`], then [`PlayTree::apply`] or [`PlayTree::cancel`].
    Leaf,
    /// At a result that was known. The walk is counted and at home again.
    Counted,
    /// Nowhere: other walks must come home first. Nothing was counted.
    Busy,
    /// The root's result is proven (or it has as many visits as can be counted): there is nothing to search.
    Finished,
}

/// What a node takes without its moves.
const NODE_BYTES: usize = size_of::<Node>() + Heads::BYTES;

/// Bytes that a walk may add: a node, the moves of one, and a larger block of heads.
const WALK_BYTES: usize = NODE_BYTES + crate::search::MAX_MOVES * (size_of::<Edge>() + size_of::<Head>());

/// So many nodes of the best line keep their moves when the tree is pruned.
const LINE_KEPT: usize = 256;

impl PlayTree {
    /// The least memory that a tree can do with.
    pub const LEAST_BYTES: usize = 4 << 20;
    /// The most that its indices reach.
    pub const MOST_BYTES: usize = 16 << 30;

    /// An empty tree of at most so many bytes, [`PlayTree::LEAST_BYTES`] to [`PlayTree::MOST_BYTES`]. They are
    /// reserved at once, but only what is used takes memory. ([`Settings::max_nodes`] is for other trees.)
    ///
    /// # Panics
    /// If the settings or the bytes are out of range.
    pub fn new(settings: Settings, max_bytes: usize) -> Result<Self, TryReserveError> {
        if let Err(error) = settings.check() {
            panic!("{error}");
        }
        assert!((Self::LEAST_BYTES..=Self::MOST_BYTES).contains(&max_bytes), "{max_bytes} bytes for a tree");
        let mut tree = Tree::default();
        // Room for nodes with eight moves each; with more moves the edges are full before the nodes are.
        let nodes = max_bytes / (NODE_BYTES + 8 * size_of::<Edge>());
        tree.reserve(nodes, max_bytes / size_of::<Edge>())?;
        let mut heads = Heads::default();
        heads.reserve(nodes)?;
        Ok(Self {
            settings,
            contempt: 0.0,
            tree,
            heads,
            draw_for_red: 0.0,
            max_bytes,
            root: 0,
            game: Game::new(Position::start(), Rules::default()),
            roots: 0,
            only: None,
            result: None,
            walks: 0,
        })
    }

    /// Changes the knobs. What is known is kept.
    ///
    /// `contempt` in [−1, 1] is how much a draw counts as a loss for the root's mover: at 0.2 a draw is worth −0.2 to
    /// it and 0.2 to the opponent. It guides the walks; proven results and reported values stay what they are.
    ///
    /// # Panics
    /// If a value is out of range.
    pub fn set_settings(&mut self, settings: Settings, contempt: f32) {
        if let Err(error) = settings.check() {
            panic!("{error}");
        }
        assert!((-1.0..=1.0).contains(&contempt), "contempt = {contempt}: want -1 to 1");
        self.settings = settings;
        self.contempt = contempt;
        self.reckon_draw();
    }

    /// Forgets everything but the root. Walks under way are lost with it; new ones are wanted.
    pub fn forget(&mut self) {
        self.roots += 1;
        self.walks = 0;
        self.clear();
        self.result = None;
    }

    /// A walker for the present root.
    pub fn walk(&self) -> Walk {
        Walk::new(&self.game, self.roots)
    }

    /// Walks from the root to a leaf and marks the way, so that other walks go elsewhere until this one is applied.
    /// Prunes the tree when it is full and no walk is under way.
    ///
    /// # Panics
    /// If the walk is under way already or is for another root, or if no move is allowed at the root.
    pub fn descend(&mut self, walk: &mut Walk) -> Descent {
        assert_eq!((walk.root, walk.stage), (self.roots, Stage::Idle), "a walk from this root, at home");
        if self.result.is_some() || u32::MAX - 1 - self.walks <= self.tree.node(self.root).visits {
            return Descent::Finished;
        }
        if self.is_full() {
            if 0 < self.walks {
                return Descent::Busy;
            }
            self.prune();
        }
        walk.nodes.clear();
        walk.slots.clear();
        walk.moves.clear();
        let mut index = self.root;
        let mut draw = self.draw_for_root();
        loop {
            walk.nodes.push(index);
            let node = self.tree.node(index);
            if let Some(proven) = node.proven.filter(|_| index != self.root) {
                self.back_up(walk, proven.wdl(), false);
                return Descent::Counted;
            }
            if node.is_leaf() {
                return self.take_off(walk);
            }
            let Some(slot) = self.select(index, draw) else { return Descent::Busy };
            let edge = self.tree.edge(index, slot);
            walk.slots.push(slot);
            walk.moves.push(edge.mv);
            index = edge.child.map_or_else(|| self.open(index), NonZeroU32::get);
            draw = -draw;
        }
    }

    /// Counts a walk with what it has found, on the whole way back to the root.
    ///
    /// # Panics
    /// If it has found nothing, or is for another root.
    pub fn apply(&mut self, walk: &mut Walk) {
        assert_eq!(walk.root, self.roots, "a walk from this root");
        let leaf = *walk.nodes.last().expect("a walk under way has a leaf");
        let (wdl, is_proven) = match walk.stage {
            Stage::Ended(proven) => {
                self.tree.node_mut(leaf).proven = Some(proven);
                (proven.wdl(), true)
            }
            Stage::Answered(wdl) => {
                self.tree.expand(leaf, walk.priors.iter().copied());
                if leaf == self.root && self.only.is_some() {
                    self.bring_likeliest_forward(leaf);
                }
                (wdl, false)
            }
            stage => panic!("nothing to apply: {stage:?}"),
        };
        self.land(walk);
        self.back_up(walk, wdl, is_proven);
    }

    /// Takes a walk back that can't be finished, as if it had never been. At home already, it stays there.
    pub fn cancel(&mut self, walk: &mut Walk) {
        if walk.stage != Stage::Idle && walk.root == self.roots {
            self.land(walk);
            self.note_way(walk);
        }
    }

    /// How many walks have been counted below and at the root, those kept from earlier roots included.
    pub fn visits(&self) -> u64 {
        if self.tree.is_empty() { 0 } else { self.tree.node(self.root).visits.into() }
    }

    /// How many walks are under way.
    pub fn walks_under_way(&self) -> u32 {
        self.walks
    }

    /// The root's result for its mover, with the moves that are allowed, if it is certain.
    pub fn result(&self) -> Option<Proven> {
        self.result
    }

    /// What the tree takes, and may take.
    pub fn bytes(&self) -> (usize, usize) {
        (self.tree.bytes() + self.heads.bytes(), self.max_bytes)
    }

    /// Will the next descent prune the tree? That takes a while, the longer the more memory it may take.
    pub fn is_full(&self) -> bool {
        let walks = self.walks as usize + 1;
        self.max_bytes < self.bytes().0 + walks * WALK_BYTES || self.tree.capacity() < self.tree.len() + walks
    }

    fn select(&self, index: u32, draw: f32) -> Option<usize> {
        if index == self.root {
            select::select(&self.tree, &self.heads, index, draw, |mv| self.may(mv), &self.settings)
        } else {
            select::select(&self.tree, &self.heads, index, draw, |_| true, &self.settings)
        }
    }

    fn may(&self, mv: Move) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&mv))
    }

    fn clear(&mut self) {
        self.tree.clear();
        self.heads.reset(1);
        self.root = self.tree.add(None);
    }

    fn bring_likeliest_forward(&mut self, index: u32) {
        match &self.only {
            Some(only) if index == self.root => {
                self.tree.bring_likeliest_of_forward(index, |mv| only.contains(&mv));
            }
            _ => self.tree.bring_likeliest_forward(index),
        }
    }

    /// Adds the child at the end of the first move without one.
    fn open(&mut self, parent: u32) -> u32 {
        let child = self.tree.add(None);
        self.heads.add();
        self.heads.push(parent, self.tree.edges(parent).0.len());
        self.tree.open(parent, child);
        self.bring_likeliest_forward(parent);
        child
    }

    /// Marks the way of a walk that has come to a leaf, unless another is there.
    fn take_off(&mut self, walk: &mut Walk) -> Descent {
        let leaf = *walk.nodes.last().expect("it begins at the root");
        if 0 < self.tree.node(leaf).flights {
            return Descent::Busy;
        }
        for &index in &walk.nodes {
            self.tree.node_mut(index).flights += 1;
        }
        for (pair, &slot) in walk.nodes.windows(2).zip(&walk.slots) {
            self.heads.child_mut(pair[0], slot).divisor = Head::divisor(self.tree.node(pair[1]));
        }
        if let (Some(&slot), [.., parent, _]) = (walk.slots.last(), walk.nodes.as_slice()) {
            self.heads.child_mut(*parent, slot).q = f32::NEG_INFINITY;
        }
        self.walks += 1;
        walk.stage = Stage::AtLeaf;
        Descent::Leaf
    }

    /// Takes the marks away, but for the heads.
    fn land(&mut self, walk: &mut Walk) {
        for &index in &walk.nodes {
            self.tree.node_mut(index).flights -= 1;
        }
        self.walks -= 1;
        walk.stage = Stage::Idle;
    }

    /// Counts a result of the leaf, from its mover's view. If it is a result of the game, and new, then what it proves
    /// is noted on the way.
    fn back_up(&mut self, walk: &Walk, mut wdl: Wdl, is_new: bool) {
        let (&leaf, way) = walk.nodes.split_last().expect("it begins at the root");
        self.tree.node_mut(leaf).visit(wdl);
        let mut newly_proven = is_new;
        for &index in way.iter().rev() {
            wdl = wdl.flipped();
            if newly_proven {
                let proven = self.tree.prove(index);
                self.tree.node_mut(index).proven = proven;
                if index == self.root {
                    self.result = self.prove_root();
                }
                newly_proven = proven.is_some();
                wdl = proven.map_or(wdl, Proven::wdl);
            }
            self.tree.node_mut(index).visit(wdl);
        }
        self.note_way(walk);
    }

    /// Brings the heads on a walk's way up to date.
    fn note_way(&mut self, walk: &Walk) {
        let mut draw = self.draw_for_root();
        for (pair, &slot) in walk.nodes.windows(2).zip(&walk.slots) {
            draw = -draw;
            *self.heads.child_mut(pair[0], slot) = Head::of(self.tree.node(pair[1]), draw);
        }
    }

    /// Halves the tree.
    fn prune(&mut self) {
        let line: Vec<u32> = self.best_line().take(LINE_KEPT).collect();
        let kept = self.tree.prune(self.root, self.max_bytes / 2, &line);
        let now = (0..).map(|index| self.tree.opened(index));
        self.heads.keep(kept.into_iter().zip(now));
        self.root = crate::tree::ROOT;
    }

    /// The nodes of the best line, the root first.
    fn best_line(&self) -> impl Iterator<Item = u32> {
        let moves = self.report(1).pop().map_or_else(Vec::new, |line| line.pv);
        let mut moves = moves.into_iter();
        std::iter::successors(Some(self.root), move |&index| {
            let mv = moves.next()?;
            let (opened, _) = self.tree.edges(index);
            opened.iter().find(|edge| edge.mv == mv)?.child.map(NonZeroU32::get)
        })
    }
}
