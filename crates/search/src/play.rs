//! The tree for play: PUCT at the root, kept from move to move, pruned when it is full, for several walkers at a time.
//!
//! Plain data: no threads and no clock. Threads share a [`PlayTree`] behind a lock for reading and writing
//! ([`std::sync::RwLock`]): all walks go on at the same time under its reading side, and only what needs the tree alone
//! (another root, pruning) wants the writing side. Inside, each node has a lock of its own, held for some ten
//! nanoseconds. With one walker the tree grows as [`Search`](crate::Search) grows it with
//! [`Root::Puct`](crate::Root::Puct), walk for walk.
//!
//! Verdicts on repetitions belong to the path of moves that led to them, the game before the root included, so
//! positions are never shared between paths.

mod head;
mod pools;
mod prune;
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
use crate::tree::{Family as _, Node};
use evaluator::Wdl;
use head::Head;
use pools::Pools;
use rules::{Game, Move, Position, Rules};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
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
///         Descent::Full => tree.prune(),
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
    pools: Pools,
    /// What a draw is worth to Red, by which the heads were reckoned.
    draw_for_red: f32,
    max_bytes: usize,
    most_nodes: usize,
    /// What was the root before, and all that was beside it, stays in the pools until room is wanted.
    root: u32,
    /// Ends at the root.
    game: Game,
    /// Counts roots, so that a walker for an earlier one is noticed.
    roots: u64,
    /// The moves allowed at the root, if not all.
    only: Option<Vec<Move>>,
    /// The root's result if only these moves are allowed, as [`pools::proven_bits`] has it. Written under the root's
    /// lock.
    result: AtomicU32,
}

/// There isn't so much memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no memory for a tree of {0} bytes")]
pub struct OutOfMemory(pub usize);

/// How a descent ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Descent {
    /// At a leaf: [`Walk::look`], then [`PlayTree::apply`] or [`PlayTree::cancel`].
    Leaf,
    /// At a result that was known. The walk is counted and at home again.
    Counted,
    /// Nowhere: other walks must come home first. Nothing was counted.
    Busy,
    /// Nowhere: the tree is full, and to be pruned once no walk is under way ([`PlayTree::prune`]).
    Full,
    /// The root's result is proven (or it has as many visits as can be counted): there is nothing to search.
    Finished,
}

/// So many walkers may find at the same time that there is room for one more walk: there is room beyond that.
const MOST_WALKERS: usize = 256;

/// Room that is left for the walks under way, however many there are, before the tree counts as full.
const LEFT_BYTES: usize = 16 * Pools::WALKER_BYTES;

/// Walks under way are marked at nodes with fewer visits than this: at others they change next to nothing, and each
/// mark would have to travel from one core's cache to the other's.
const MARKED_BELOW: u32 = 1024;

/// So many nodes of the best line keep their moves when the tree is pruned.
const LINE_KEPT: usize = 256;

impl PlayTree {
    /// The least memory that a tree can do with.
    pub const LEAST_BYTES: usize = 4 << 20;
    /// The most that its indices reach.
    pub const MOST_BYTES: usize = 16 << 30;

    /// An empty tree of at most so many bytes, [`PlayTree::LEAST_BYTES`] to [`PlayTree::MOST_BYTES`], for at most 256
    /// walkers at a time. The bytes are reserved at once, but only what is used takes memory.
    /// ([`Settings::max_nodes`] is for other trees.)
    ///
    /// # Panics
    /// If the settings or the bytes are out of range.
    pub fn new(settings: Settings, max_bytes: usize) -> Result<Self, OutOfMemory> {
        if let Err(error) = settings.check() {
            panic!("{error}");
        }
        assert!((Self::LEAST_BYTES..=Self::MOST_BYTES).contains(&max_bytes), "{max_bytes} bytes for a tree");
        // Room for nodes with eight moves each; with more moves the edges are full before the nodes are.
        let nodes = max_bytes / (Pools::NODE_BYTES + 8 * Pools::EDGE_BYTES);
        let edges = max_bytes / Pools::EDGE_BYTES;
        let pools = Pools::new(nodes, edges, MOST_WALKERS).ok_or(OutOfMemory(max_bytes))?;
        Ok(Self {
            settings,
            contempt: 0.0,
            most_nodes: nodes,
            pools,
            draw_for_red: 0.0,
            max_bytes,
            root: 0,
            game: Game::new(Position::start(), Rules::default()),
            roots: 0,
            only: None,
            result: AtomicU32::new(0),
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

    /// Forgets everything but the root. Walks under way are lost with it; new walkers are wanted.
    pub fn forget(&mut self) {
        self.roots += 1;
        self.clear();
        self.result = AtomicU32::new(0);
    }

    /// A walker for the present root.
    pub fn walk(&self) -> Walk {
        Walk::new(&self.game, self.roots)
    }

    /// Walks from the root to a leaf and marks the way, so that other walks go elsewhere until this one is applied.
    ///
    /// # Panics
    /// If the walk is under way already or is for another root, or if no move is allowed at the root.
    pub fn descend(&self, walk: &mut Walk) -> Descent {
        assert_eq!((walk.root, walk.stage), (self.roots, Stage::Idle), "a walk from this root, at home");
        let is_countable = self.pools.get(self.root).visits < u32::MAX - MOST_WALKERS as u32;
        if self.result().is_some() || !is_countable {
            return Descent::Finished;
        }
        if self.is_full() {
            return Descent::Full;
        }
        walk.nodes.clear();
        walk.slots.clear();
        walk.moves.clear();
        walk.nodes.push(self.root);
        let mut index = self.root;
        let mut draw = self.draw_for_root();
        loop {
            let node = self.pools.get(index);
            if let Some(proven) = node.proven.filter(|_| index != self.root) {
                self.back_up(walk, proven.wdl(), Arrival::Known);
                return Descent::Counted;
            }
            if node.is_leaf() {
                let mut leaf = self.pools.lock(index);
                if !leaf.is_leaf() {
                    continue;
                }
                if 0 < leaf.flights() {
                    return Descent::Busy;
                }
                leaf.take_off();
                drop(leaf);
                self.take_off(walk, draw);
                return Descent::Leaf;
            }
            let Some(slot) = self.select(index, &node, draw) else { return Descent::Busy };
            let (mv, child) = if slot < usize::from(node.opened) {
                let edge = self.pools.edge_of(&node, slot);
                (edge.mv, edge.child.expect("an opened move has a child").get())
            } else {
                let mut parent = self.pools.lock(index);
                if parent.opened() != slot {
                    // Another walk has opened it meanwhile.
                    continue;
                }
                let (child, mv) = parent.open(&mut walk.room);
                parent.bring_likeliest_forward(|mv| self.counts(index, mv));
                drop(parent);
                walk.step(mv, slot, child);
                self.take_off(walk, -draw);
                return Descent::Leaf;
            };
            walk.step(mv, slot, child);
            index = child;
            draw = -draw;
        }
    }

    /// Counts a walk with what it has found, on the whole way back to the root.
    ///
    /// # Panics
    /// If it has found nothing, or is for another root.
    pub fn apply(&self, walk: &mut Walk) {
        assert_eq!(walk.root, self.roots, "a walk from this root");
        let index = walk.leaf();
        let mut leaf = self.pools.lock(index);
        let wdl = match walk.stage {
            Stage::Ended(proven) => {
                leaf.set_proven(Some(proven));
                proven.wdl()
            }
            Stage::Answered(wdl) => {
                leaf.expand(&walk.priors, &mut walk.room);
                if index == self.root && self.only.is_some() {
                    leaf.bring_likeliest_forward(|mv| self.may(mv));
                }
                wdl
            }
            stage => panic!("nothing to apply: {stage:?}"),
        };
        drop(leaf);
        let is_end = matches!(walk.stage, Stage::Ended(_));
        self.back_up(walk, wdl, if is_end { Arrival::End } else { Arrival::Evaluated });
        walk.stage = Stage::Idle;
    }

    /// Takes a walk back that can't be finished, as if it had never been. At home already, it stays there.
    pub fn cancel(&self, walk: &mut Walk) {
        if walk.stage == Stage::Idle || walk.root != self.roots {
            return;
        }
        self.pools.lock(walk.leaf()).land();
        let mut draw = self.draw_at(walk.slots.len());
        for (number, (pair, &slot)) in walk.nodes.windows(2).zip(&walk.slots).enumerate().rev() {
            let mut parent = self.pools.lock(pair[0]);
            parent.set_head(slot, Head::of(&self.pools.get(pair[1]), draw));
            if walk.marked <= number {
                parent.land();
            }
            draw = -draw;
        }
        walk.stage = Stage::Idle;
    }

    /// How many walks have been counted below and at the root, those kept from earlier roots included.
    pub fn visits(&self) -> u64 {
        if self.pools.is_empty() { 0 } else { self.pools.get(self.root).visits.into() }
    }

    /// Are the root's value and its moves known? Of a node that was pruned only its value is.
    pub fn is_begun(&self) -> bool {
        !self.pools.is_empty() && {
            let root = self.pools.get(self.root);
            // A walker that has just brought the first answer writes the moves first.
            0 < root.edges && 0 < root.visits
        }
    }

    /// The root's result for its mover, with the moves that are allowed, if it is certain.
    pub fn result(&self) -> Option<Proven> {
        pools::proven_of(self.result.load(Ordering::Relaxed))
    }

    /// What the tree takes, and may take.
    pub fn bytes(&self) -> (usize, usize) {
        (self.pools.bytes(), self.max_bytes)
    }

    /// Must the tree be pruned before it can grow? That takes a while, the longer the more memory it may take.
    pub fn is_full(&self) -> bool {
        self.max_bytes < self.bytes().0 + LEFT_BYTES || self.most_nodes <= self.pools.len()
    }

    /// Halves the tree: what was visited least is forgotten. New walkers are wanted, and no walk may be under way.
    pub fn prune(&mut self) {
        self.roots += 1;
        let line: Vec<u32> = self.best_line().take(LINE_KEPT).collect();
        self.pools.prune(self.root, self.max_bytes / 2, &line);
        self.root = crate::tree::ROOT;
    }

    fn select(&self, index: u32, node: &Node, draw: f32) -> Option<usize> {
        if index == self.root {
            select::select(&self.pools, index, node, draw, |mv| self.may(mv), &self.settings)
        } else {
            select::select(&self.pools, index, node, draw, |_| true, &self.settings)
        }
    }

    fn may(&self, mv: Move) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&mv))
    }

    /// May this move be followed from this node?
    fn counts(&self, index: u32, mv: Move) -> bool {
        index != self.root || self.may(mv)
    }

    fn clear(&mut self) {
        self.pools.clear();
        self.root = self.pools.add(0);
    }

    /// What a draw is worth to the mover so many plies below the root.
    fn draw_at(&self, plies: usize) -> f32 {
        if plies.is_multiple_of(2) { self.draw_for_root() } else { -self.draw_for_root() }
    }

    /// Marks the way of a walk that has just been marked at its leaf. `draw` is what one is worth to the leaf's mover.
    fn take_off(&self, walk: &mut Walk, mut draw: f32) {
        walk.marked = walk.slots.len();
        for (pair, &slot) in walk.nodes.windows(2).zip(&walk.slots).rev() {
            if MARKED_BELOW <= self.pools.get(pair[0]).visits {
                break;
            }
            walk.marked -= 1;
            let mut parent = self.pools.lock(pair[0]);
            parent.take_off();
            parent.set_head(slot, Head::of(&self.pools.get(pair[1]), draw));
            draw = -draw;
        }
        walk.stage = Stage::AtLeaf;
    }

    /// Counts a result of the leaf, from its mover's view, and takes the marks away if there are any. If it is a new
    /// result of the game, then what it proves is noted on the way.
    ///
    /// From the leaf up, so that who comes last to a node sees all that was counted below it.
    fn back_up(&self, walk: &Walk, mut wdl: Wdl, arrival: Arrival) {
        let is_marked = arrival != Arrival::Known;
        let mut newly_proven = arrival == Arrival::End;
        let mut leaf = self.pools.lock(walk.leaf());
        leaf.visit(wdl);
        if is_marked {
            leaf.land();
        }
        drop(leaf);
        let mut draw = self.draw_at(walk.slots.len());
        for (number, (pair, &slot)) in walk.nodes.windows(2).zip(&walk.slots).enumerate().rev() {
            let [index, child] = [pair[0], pair[1]];
            wdl = wdl.flipped();
            let mut node = self.pools.lock(index);
            node.set_head(slot, Head::of(&self.pools.get(child), draw));
            draw = -draw;
            if newly_proven {
                let proven = self.pools.prove(index);
                node.set_proven(proven);
                if index == self.root {
                    self.result.store(pools::proven_bits(self.prove_root()), Ordering::Relaxed);
                }
                newly_proven = proven.is_some();
                wdl = proven.map_or(wdl, Proven::wdl);
            }
            node.visit(wdl);
            if is_marked && walk.marked <= number {
                node.land();
            }
        }
    }

    /// The nodes of the best line, the root first.
    fn best_line(&self) -> impl Iterator<Item = u32> {
        let moves = self.report(1).pop().map_or_else(Vec::new, |line| line.pv);
        let mut moves = moves.into_iter();
        std::iter::successors(Some(self.root), move |&index| {
            let mv = moves.next()?;
            let node = self.pools.get(index);
            self.pools.opened_edges(node).find(|edge| edge.mv == mv)?.child.map(NonZeroU32::get)
        })
    }
}

/// How a result came to a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Arrival {
    /// It stood there: no walk is marked.
    Known,
    /// It is an evaluation.
    Evaluated,
    /// The game ends there.
    End,
}
