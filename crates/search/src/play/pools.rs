//! The pools of a tree that several walkers change at the same time.
//!
//! All is atomic, so that anybody may read anything at any moment without a lock; what is read belongs together only
//! so far as it is said here. Who changes a node, its moves or what is noted of its children, holds that node's lock
//! ([`Pools::lock`]), for some ten nanoseconds and never two nodes' at a time. A node is visible once its parent's
//! lock has been given back after [`Locked::open`], and its moves once its own has been after [`Locked::expand`].
//! Nothing is taken away while there are walkers.

use super::head::Head;
use crate::proven::Proven;
use crate::tree::{Edge, Family, Node, Prior};
use bytemuck::allocation::try_zeroed_slice_box;
use rules::Move;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Nodes, the moves of each side by side, and what is noted of the children of each side by side.
///
/// Selection reads the latter in place of the children, which lie far apart: most of the time of a walk would go into
/// fetching them.
#[derive(Debug)]
pub(super) struct Pools {
    nodes: Box<[Words]>,
    edges: Box<[AtomicU64]>,
    /// Blocks of 4, 8, 16, … heads. One that has become too small is left behind.
    heads: Box<[AtomicU64]>,
    ends: Ends,
}

/// How much of the pools is in use. Every walk changes these, so they share a cache line and nothing else does.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Ends {
    nodes: AtomicU32,
    edges: AtomicU32,
    heads: AtomicU32,
}

/// Room in the pools that a walker has for itself, so that what walkers write doesn't lie in the same cache lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    edges: Range<u32>,
    heads: Range<u32>,
}

impl Room {
    /// So many moves or heads a walker takes at a time, at least.
    const AT_ONCE: u32 = 512;

    /// A place for so many, from a pool that ends there.
    fn take(rest: &mut Range<u32>, end: &AtomicU32, count: u32) -> u32 {
        if rest.end - rest.start < count {
            let more = count.max(Self::AT_ONCE);
            let first = end.fetch_add(more, Ordering::Relaxed);
            *rest = first..first + more;
        }
        rest.start += count;
        rest.start - count
    }
}

/// A node in memory: the two sums of [`Node`], visits and first edge, first head and result, and the [`State`] with
/// the lock. The rest of a cache line is left free: two walkers change neighbours all the time.
type Words = [AtomicU64; 8];

const VALUE_SUM: usize = 0;
const DRAW_SUM: usize = 1;
const VISITS: usize = 2;
const PROVEN: usize = 3;
const STATE: usize = 4;

/// In the word [`STATE`]: somebody has the node's lock.
const LOCKED: u64 = 1 << 32;

/// The size of the smallest block of heads.
const LEAST_BLOCK: usize = 4;

/// How often one looks whether a lock is free before the system is asked to let somebody else run, which may be who
/// has it.
const LOOKS: u32 = 64;

/// What of a node isn't a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct State {
    edges: u8,
    opened: u8,
    flights: u16,
}

impl State {
    const fn from_word(word: u64) -> Self {
        Self { edges: word as u8, opened: (word >> 8) as u8, flights: (word >> 16) as u16 }
    }

    fn word(self) -> u64 {
        u64::from(self.edges) | u64::from(self.opened) << 8 | u64::from(self.flights) << 16
    }
}

/// A node whose lock is held. What is changed of it can be seen once this is dropped.
#[derive(Debug)]
pub(super) struct Locked<'a> {
    pools: &'a Pools,
    words: &'a Words,
    state: State,
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        self.words[STATE].store(self.state.word(), Ordering::Release);
    }
}

impl Pools {
    /// What a node takes without its moves: itself, and of blocks at most four heads.
    pub(super) const NODE_BYTES: usize = size_of::<Words>() + LEAST_BLOCK * size_of::<u64>();
    /// What a move takes; as much again is its part of a larger block of heads.
    pub(super) const EDGE_BYTES: usize = size_of::<u64>();

    /// What a walker may take at a time.
    pub(super) const WALKER_BYTES: usize = Self::NODE_BYTES + 2 * Room::AT_ONCE as usize * Self::EDGE_BYTES;

    /// Empty pools with room for so many nodes and so many moves, and more for so many walkers; `None` if the system
    /// hasn't got the memory. Only what is used will take any.
    pub(super) fn new(nodes: usize, edges: usize, walkers: usize) -> Option<Self> {
        let more = walkers * Room::AT_ONCE as usize;
        Some(Self {
            nodes: try_zeroed_slice_box(nodes + walkers).ok()?,
            edges: try_zeroed_slice_box(edges + more).ok()?,
            heads: try_zeroed_slice_box(LEAST_BLOCK * nodes + more).ok()?,
            ends: Ends::default(),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.ends.nodes.load(Ordering::Relaxed) as usize
    }

    /// What is in use.
    pub(super) fn bytes(&self) -> usize {
        let words = self.ends.edges.load(Ordering::Relaxed) + self.ends.heads.load(Ordering::Relaxed);
        self.len() * size_of::<Words>() + words as usize * size_of::<u64>()
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.ends = Ends::default();
    }

    /// A new node: a root, or a leaf that nobody can see yet, with so many walks on it.
    pub(super) fn add(&self, flights: u16) -> u32 {
        let index = self.ends.nodes.fetch_add(1, Ordering::Relaxed);
        let words = &self.nodes[index as usize];
        for word in &words[..STATE] {
            word.store(0, Ordering::Relaxed);
        }
        words[STATE].store(State { flights, ..State::default() }.word(), Ordering::Relaxed);
        index
    }

    /// The lock of a node, waited for.
    #[inline]
    pub(super) fn lock(&self, index: u32) -> Locked<'_> {
        let words = &self.nodes[index as usize];
        let mut looks = 0;
        loop {
            let word = words[STATE].load(Ordering::Relaxed);
            if word & LOCKED == 0 {
                let locked = words[STATE].compare_exchange_weak(
                    word,
                    word | LOCKED,
                    Ordering::Acquire,
                    Ordering::Relaxed,
                );
                if locked.is_ok() {
                    return Locked { pools: self, words, state: State::from_word(word) };
                }
            }
            looks += 1;
            if looks % LOOKS == 0 { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
    }

    /// What selection reads of a node's child in a slot. Never older than when the node was read.
    #[inline]
    pub(super) fn head(&self, first: u32, slot: usize) -> Head {
        Head::from_word(self.heads[first as usize + slot].load(Ordering::Relaxed))
    }

    /// Where the heads of a node's children begin. Ask after the node itself was read: then there are as many as it
    /// has children.
    #[inline]
    pub(super) fn first_head(&self, index: u32) -> u32 {
        self.nodes[index as usize][PROVEN].load(Ordering::Relaxed) as u32
    }

    /// The heads of a node's children, of which there are so many.
    #[inline]
    pub(super) fn heads(&self, index: u32, count: usize) -> &[AtomicU64] {
        let first = self.first_head(index) as usize;
        &self.heads[first..first + count]
    }

    /// The moves of a node.
    #[inline]
    pub(super) fn edges(&self, node: &Node) -> &[AtomicU64] {
        let first = node.first_edge as usize;
        &self.edges[first..first + usize::from(node.edges)]
    }

    /// Writes a node as a whole. Nobody else may be there.
    pub(super) fn set(&mut self, index: u32, node: &Node) {
        let words = &mut self.nodes[index as usize];
        let first_head = *words[PROVEN].get_mut() & u64::from(u32::MAX);
        *words[VALUE_SUM].get_mut() = node.value_sum.to_bits();
        *words[DRAW_SUM].get_mut() = node.draw_sum.to_bits();
        *words[VISITS].get_mut() = pair(node.visits, node.first_edge);
        *words[PROVEN].get_mut() = first_head | u64::from(proven_bits(node.proven)) << 32;
        let Node { edges, opened, flights, .. } = *node;
        *words[STATE].get_mut() = State { edges, opened, flights }.word();
    }

    /// Puts a node with all that belongs to it in another's place. Nobody else may be there.
    pub(super) fn move_node(&mut self, from: u32, to: u32) {
        for word in 0..=STATE {
            let value = *self.nodes[from as usize][word].get_mut();
            *self.nodes[to as usize][word].get_mut() = value;
        }
    }

    /// Writes a move. Nobody else may be there.
    pub(super) fn set_edge(&mut self, at: u32, edge: Edge) {
        *self.edges[at as usize].get_mut() = edge_word(edge);
    }

    /// The move at a place of the pool.
    pub(super) fn edge_at(&self, at: u32) -> Edge {
        edge_of(self.edges[at as usize].load(Ordering::Relaxed))
    }

    /// From now on there are only so many nodes and moves. Nobody else may be there.
    pub(super) fn truncate(&mut self, nodes: u32, edges: u32) {
        *self.ends.nodes.get_mut() = nodes;
        *self.ends.edges.get_mut() = edges;
    }

    /// Closes the gaps that blocks of heads have left.
    pub(super) fn pack_heads(&mut self) {
        let mut packed = Vec::with_capacity(*self.ends.heads.get_mut() as usize);
        for index in 0..self.len() as u32 {
            let count = usize::from(self.get(index).opened);
            let block = if count == 0 { 0 } else { count.next_power_of_two().max(LEAST_BLOCK) };
            let first = packed.len();
            packed.extend(self.heads(index, count).iter().map(|word| word.load(Ordering::Relaxed)));
            packed.resize(first + block, 0);
            self.set_first_head(index, first as u32);
        }
        for (head, &word) in self.heads.iter_mut().zip(&packed) {
            *head.get_mut() = word;
        }
        *self.ends.heads.get_mut() = packed.len() as u32;
    }

    /// Forgets all heads. Those of a node's children are to be pushed again ([`Locked::push_head`]).
    pub(super) fn clear_heads(&mut self) {
        *self.ends.heads.get_mut() = 0;
        for index in 0..self.len() as u32 {
            self.set_first_head(index, 0);
        }
    }

    fn set_first_head(&mut self, index: u32, first: u32) {
        let word = self.nodes[index as usize][PROVEN].get_mut();
        *word = *word >> 32 << 32 | u64::from(first);
    }
}

impl Family for Pools {
    /// Its moves and its children are at least as new as it.
    #[inline]
    fn get(&self, index: u32) -> Node {
        let words = &self.nodes[index as usize];
        let State { edges, opened, flights } = State::from_word(words[STATE].load(Ordering::Acquire));
        let [value_sum, draw_sum, visits, proven] =
            [VALUE_SUM, DRAW_SUM, VISITS, PROVEN].map(|word| words[word].load(Ordering::Relaxed));
        Node {
            value_sum: f64::from_bits(value_sum),
            draw_sum: f64::from_bits(draw_sum),
            visits: visits as u32,
            first_edge: (visits >> 32) as u32,
            proven: proven_of((proven >> 32) as u32),
            edges,
            opened,
            flights,
        }
    }

    #[inline]
    fn edge_of(&self, node: &Node, slot: usize) -> Edge {
        edge_of(self.edges[node.first_edge as usize + slot].load(Ordering::Relaxed))
    }
}

impl Locked<'_> {
    pub(super) fn is_leaf(&self) -> bool {
        self.state.edges == 0 && self.proven().is_none()
    }

    pub(super) fn opened(&self) -> usize {
        self.state.opened.into()
    }

    /// How many walks are on their way through here.
    pub(super) fn flights(&self) -> u16 {
        self.state.flights
    }

    pub(super) fn take_off(&mut self) {
        self.state.flights += 1;
    }

    pub(super) fn land(&mut self) {
        self.state.flights -= 1;
    }

    /// Counts a visit with this result, from the mover's view.
    #[inline]
    pub(super) fn visit(&self, wdl: evaluator::Wdl) {
        let add = |word: usize, value: f32| {
            let sum = f64::from_bits(self.load(word)) + f64::from(value);
            self.store(word, sum.to_bits());
        };
        add(VALUE_SUM, wdl.value());
        add(DRAW_SUM, wdl.draw);
        self.store(VISITS, self.load(VISITS) + 1);
    }

    pub(super) fn proven(&self) -> Option<Proven> {
        proven_of((self.load(PROVEN) >> 32) as u32)
    }

    pub(super) fn set_proven(&self, proven: Option<Proven>) {
        self.store(PROVEN, pair(self.first_head(), proven_bits(proven)));
    }

    /// Gives the node its moves.
    pub(super) fn expand(&mut self, moves: &[(Move, Prior)], room: &mut Room) {
        let count = u8::try_from(moves.len()).expect("a position has at most 128 moves");
        let first = Room::take(&mut room.edges, &self.pools.ends.edges, count.into());
        let edges = &self.pools.edges[first as usize..first as usize + moves.len()];
        for (edge, &(mv, prior)) in edges.iter().zip(moves) {
            edge.store(edge_word(Edge { child: None, mv, prior }), Ordering::Relaxed);
        }
        self.store(VISITS, pair(self.load(VISITS) as u32, first));
        self.state.edges = count;
    }

    /// Adds a child at the end of the first move without one, with a walk on it that has just come: the child and the
    /// move.
    pub(super) fn open(&mut self, room: &mut Room) -> (u32, Move) {
        let child = self.pools.add(1);
        let slot = self.opened();
        let edges = self.edges();
        let mut edge = edge_of(edges[slot].load(Ordering::Relaxed));
        edge.child = NonZeroU32::new(child);
        edges[slot].store(edge_word(edge), Ordering::Relaxed);
        self.push_head(slot, Head::AWAITED, room);
        self.state.opened += 1;
        (child, edge.mv)
    }

    /// Puts the likeliest of some of the moves without a child before the others; if there is none, nothing changes.
    #[inline]
    pub(super) fn bring_likeliest_forward(&self, counts: impl Fn(Move) -> bool) {
        let unopened = &self.edges()[self.opened()..];
        let mut likeliest: Option<(usize, Prior)> = None;
        for (slot, word) in unopened.iter().enumerate() {
            let edge = edge_of(word.load(Ordering::Relaxed));
            if likeliest.is_none_or(|(_, prior)| edge.prior > prior) && counts(edge.mv) {
                likeliest = Some((slot, edge.prior));
            }
        }
        if let Some((slot, _)) = likeliest.filter(|&(slot, _)| 0 < slot) {
            let (front, word) = (unopened[0].load(Ordering::Relaxed), unopened[slot].load(Ordering::Relaxed));
            unopened[0].store(word, Ordering::Relaxed);
            unopened[slot].store(front, Ordering::Relaxed);
        }
    }

    #[inline]
    pub(super) fn set_head(&self, slot: usize, head: Head) {
        let at = self.first_head() as usize + slot;
        self.pools.heads[at].store(head.word(), Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn head(&self, slot: usize) -> Head {
        self.pools.head(self.first_head(), slot)
    }

    /// Adds the head of a child to a node that has so many.
    pub(super) fn push_head(&self, count: usize, head: Head, room: &mut Room) {
        let is_full = count == 0 || (LEAST_BLOCK <= count && count.is_power_of_two());
        if is_full {
            let block = LEAST_BLOCK.max(2 * count) as u32;
            let moved = Room::take(&mut room.heads, &self.pools.ends.heads, block);
            for slot in 0..count {
                let word = self.head(slot).word();
                self.pools.heads[moved as usize + slot].store(word, Ordering::Relaxed);
            }
            self.store(PROVEN, pair(moved, (self.load(PROVEN) >> 32) as u32));
        }
        self.set_head(count, head);
    }

    fn edges(&self) -> &[AtomicU64] {
        let first = (self.load(VISITS) >> 32) as usize;
        &self.pools.edges[first..first + usize::from(self.state.edges)]
    }

    #[inline]
    fn first_head(&self) -> u32 {
        self.load(PROVEN) as u32
    }

    #[inline]
    fn load(&self, word: usize) -> u64 {
        self.words[word].load(Ordering::Relaxed)
    }

    #[inline]
    fn store(&self, word: usize, value: u64) {
        self.words[word].store(value, Ordering::Relaxed);
    }
}

const fn pair(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}

#[inline]
pub(super) fn edge_of(word: u64) -> Edge {
    Edge {
        child: NonZeroU32::new((word >> 32) as u32),
        mv: Move::from_bits((word >> 16) as u16).expect("it was written from a move"),
        prior: Prior::from_bits(word as u16),
    }
}

fn edge_word(edge: Edge) -> u64 {
    let child = edge.child.map_or(0, NonZeroU32::get);
    u64::from(child) << 32 | u64::from(edge.mv.bits()) << 16 | u64::from(edge.prior.to_bits())
}

pub(super) const fn proven_bits(proven: Option<Proven>) -> u32 {
    match proven {
        None => 0,
        Some(Proven::Win { plies }) => 1 << 16 | plies as u32,
        Some(Proven::Draw) => 2 << 16,
        Some(Proven::Loss { plies }) => 3 << 16 | plies as u32,
    }
}

#[inline]
pub(super) const fn proven_of(bits: u32) -> Option<Proven> {
    let plies = bits as u16;
    match bits >> 16 {
        1 => Some(Proven::Win { plies }),
        2 => Some(Proven::Draw),
        3 => Some(Proven::Loss { plies }),
        _ => None,
    }
}
