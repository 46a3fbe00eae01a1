//! What the threads share.

use super::signal::{Signal, TimeLeft};
use search::{Descent, PlayTree, Walk};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

/// What the threads share: the tree, the counts and the limits.
#[derive(Debug)]
pub(super) struct Table {
    /// All walk under the reading side; who prunes has the writing side.
    tree: RwLock<PlayTree>,
    /// Walks begun, while their number is limited.
    begun: AtomicU64,
    /// Greatest mean length so far.
    depth: AtomicU32,
    /// Each worker's.
    tallies: Vec<Tally>,
    limits: Limits,
    /// When thinking began.
    start: Instant,
    /// When it is to be asked next whether the best move can still be overtaken, in nanoseconds after the start.
    next_check: AtomicU64,
    /// Nothing more is begun.
    is_closed: AtomicBool,
    /// How many threads work.
    workers: AtomicUsize,
}

/// Ends of thinking that are counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    pub(super) nodes: Option<u64>,
    pub(super) depth: Option<u32>,
}

/// What one worker has counted since thinking began. Only it writes here, at every walk, so these have a cache line
/// for themselves.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Tally {
    /// Walks that have come home.
    nodes: AtomicU64,
    /// Their lengths, added up.
    plies: AtomicU64,
    /// Greatest length.
    seldepth: AtomicU32,
}

/// The counts at some moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    /// Walks that have come home.
    pub(super) nodes: u64,
    /// Greatest mean length so far.
    pub(super) depth: u32,
    /// Greatest length.
    pub(super) seldepth: u32,
}

/// What a thread is to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Look at the leaf.
    Look,
    /// Ask again.
    GoOn,
    /// Ask again when other walks have come home.
    Wait,
    /// Leave the tree and have it pruned.
    Prune,
    /// Go home.
    End,
}

/// How often it is asked, while a clock runs, whether the best move can still be overtaken.
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// So many walks a worker begins and ends together at most, once the tree is large.
///
/// What two threads change in turn travels between their cores' caches: the root and what lies near it, once a walk if
/// walks are taken singly.
pub(super) const MOST_AT_ONCE: usize = 8;

/// A worker may have one walk more under way for each so many visits of the root, so that the walks that don't know of
/// each other's results stay few among all. (With 256 two threads lost some 10 Elo at 1,600 nodes: 48.6 ± 0.8 % of
/// 2,724 games.)
const VISITS_PER_WALK: u64 = 2048;

impl Table {
    pub(super) fn new(tree: PlayTree) -> Self {
        Self {
            tree: RwLock::new(tree),
            begun: AtomicU64::new(0),
            depth: AtomicU32::new(0),
            tallies: Vec::new(),
            limits: Limits::default(),
            start: Instant::now(),
            next_check: AtomicU64::new(0),
            is_closed: AtomicBool::new(true),
            workers: AtomicUsize::new(0),
        }
    }

    /// The tree for one who has it alone.
    pub(super) fn tree_mut(&mut self) -> &mut PlayTree {
        self.tree.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tree for one who walks in it or reads. After a panic too: then the table is closed, and the tree is thrown
    /// away.
    pub(super) fn tree(&self) -> RwLockReadGuard<'_, PlayTree> {
        self.tree.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prunes the tree if it is full, once all have left it.
    pub(super) fn prune(&self) {
        let mut tree = self.tree.write().unwrap_or_else(PoisonError::into_inner);
        if tree.is_full() && !self.is_closed.load(Ordering::Relaxed) {
            tree.prune();
        }
    }

    /// Opens the table for a number of workers. `start` is when thinking began.
    pub(super) fn open(&mut self, limits: Limits, workers: usize, start: Instant) {
        self.begun = AtomicU64::new(0);
        self.depth = AtomicU32::new(0);
        self.tallies = (0..workers).map(|_| Tally::default()).collect();
        self.limits = limits;
        self.start = start;
        self.next_check = AtomicU64::new(0);
        self.workers = AtomicUsize::new(workers);
        self.is_closed = AtomicBool::new(false);
    }

    /// What a worker is to do next.
    pub(super) fn next(&self, worker: usize, tree: &PlayTree, walk: &mut Walk, signal: &Signal) -> Step {
        // The root is evaluated in any case.
        if tree.is_begun() {
            let is_over =
                signal.is_stopped() || signal.time_left().is_some_and(|left| self.is_time_up(tree, left));
            if is_over || self.is_deep_enough() {
                self.close();
            }
        }
        if self.is_closed.load(Ordering::Relaxed) || !self.begin() {
            return Step::End;
        }
        let step = match tree.descend(walk) {
            Descent::Leaf => return Step::Look,
            Descent::Counted => {
                self.count(worker, walk, signal);
                return Step::GoOn;
            }
            Descent::Busy => Step::Wait,
            Descent::Full if signal.has_time(time_to_prune(tree)) => Step::Prune,
            Descent::Full | Descent::Finished => Step::End,
        };
        self.give_back();
        step
    }

    /// Counts a worker's walk that has come home. Whoever watches is told of a new depth.
    pub(super) fn count(&self, worker: usize, walk: &Walk, signal: &Signal) {
        let tally = &self.tallies[worker];
        let length = walk.plies() as u32;
        let plies = tally.plies.load(Ordering::Relaxed) + u64::from(length);
        let nodes = tally.nodes.load(Ordering::Relaxed) + 1;
        tally.plies.store(plies, Ordering::Relaxed);
        tally.nodes.store(nodes, Ordering::Relaxed);
        tally.seldepth.store(length.max(tally.seldepth.load(Ordering::Relaxed)), Ordering::Relaxed);
        let known = self.depth.load(Ordering::Relaxed);
        // The others' counts are far away: they are asked for only if there may be news.
        if known < (plies / nodes) as u32 && known < self.mean_plies() {
            self.depth.fetch_max(self.mean_plies(), Ordering::Relaxed);
            signal.wake();
        }
    }

    /// What has been counted.
    pub(super) fn counts(&self) -> Counts {
        let longest = self.tallies.iter().map(|tally| tally.seldepth.load(Ordering::Relaxed)).max();
        Counts {
            nodes: self.tallies.iter().map(|tally| tally.nodes.load(Ordering::Relaxed)).sum(),
            depth: self.depth.load(Ordering::Relaxed),
            seldepth: longest.unwrap_or(0),
        }
    }

    /// How long the walks of all workers are on average.
    fn mean_plies(&self) -> u32 {
        let sum = |of: fn(&Tally) -> &AtomicU64| -> u64 {
            self.tallies.iter().map(|tally| of(tally).load(Ordering::Relaxed)).sum()
        };
        (sum(|tally| &tally.plies) / sum(|tally| &tally.nodes).max(1)) as u32
    }

    /// How many walks a worker begins at once: a worker alone one after the other.
    pub(super) fn at_once(&self, tree: &PlayTree) -> usize {
        if self.tallies.len() < 2 {
            return 1;
        }
        (tree.visits() / VISITS_PER_WALK).clamp(1, MOST_AT_ONCE as u64) as usize
    }

    /// Ends the work of all threads.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// A worker goes home.
    pub(super) fn leave(&self) {
        self.workers.fetch_sub(1, Ordering::Release);
    }

    /// Have all workers gone home?
    pub(super) fn is_left(&self) -> bool {
        self.workers.load(Ordering::Acquire) == 0
    }

    /// May one more walk be begun? Then it counts as begun.
    fn begin(&self) -> bool {
        let Some(nodes) = self.limits.nodes else { return true };
        let begun = self.begun.fetch_add(1, Ordering::Relaxed);
        if nodes <= begun {
            self.give_back();
        }
        begun < nodes
    }

    /// The walk that was to begin didn't.
    fn give_back(&self) {
        if self.limits.nodes.is_some() {
            self.begun.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn is_deep_enough(&self) -> bool {
        self.limits.depth.is_some_and(|depth| depth <= self.depth.load(Ordering::Relaxed))
    }

    fn is_time_up(&self, tree: &PlayTree, left: TimeLeft) -> bool {
        if left.hard.is_zero() {
            return true;
        }
        let elapsed = self.start.elapsed();
        let now = elapsed.as_nanos() as u64;
        let due = self.next_check.load(Ordering::Relaxed);
        let wait = if left.soft.is_zero() { CHECK_EVERY } else { CHECK_EVERY.min(left.soft) };
        let next = now + wait.as_nanos() as u64;
        // One of the threads asks.
        due <= now
            && self.next_check.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
            && self.is_settled(tree, left.soft, elapsed)
    }

    /// With so much left until the soft limit, is there no reason to go on?
    fn is_settled(&self, tree: &PlayTree, left: Duration, elapsed: Duration) -> bool {
        let lines = tree.report(2);
        let [best, second] = lines.as_slice() else { return !lines.is_empty() };
        if left.is_zero() {
            return second.value <= best.value;
        }
        let nodes = self.counts().nodes;
        // The speed must be seen first: a tree that goes on from the move before has visits before any time is spent.
        if nodes == 0 || elapsed < CHECK_EVERY {
            return false;
        }
        let to_come = nodes as f64 / elapsed.as_secs_f64() * left.as_secs_f64();
        (second.visits as f64 + to_come) < best.visits as f64
    }
}

/// What pruning the tree may take, on a slow machine.
pub(super) fn time_to_prune(tree: &PlayTree) -> Duration {
    const BYTES_PER_SEC: f64 = (256 << 20) as f64;
    Duration::from_secs_f64(tree.bytes().1 as f64 / BYTES_PER_SEC)
}
