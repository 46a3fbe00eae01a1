//! What the threads share.

use super::signal::{Signal, TimeLeft};
use search::{Descent, PlayTree, Walk};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// What the threads share: the tree and the counts behind one lock.
#[derive(Debug)]
pub(super) struct Table {
    desk: Mutex<Desk>,
    /// A walk has come home.
    home: Condvar,
}

/// What is behind the lock.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) tree: PlayTree,
    pub(super) tally: Tally,
    limits: Limits,
    /// When thinking began.
    start: Instant,
    /// When it is to be asked next whether the time is up.
    next_check: Instant,
    /// Nothing more is begun.
    pub(super) is_closed: bool,
    /// How many threads work.
    pub(super) workers: usize,
    /// How many threads wait for a walk to come home.
    waiting: usize,
}

/// Ends of thinking that are counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    pub(super) nodes: Option<u64>,
    pub(super) depth: Option<u32>,
}

/// What has been counted since thinking began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// Walks begun.
    begun: u64,
    /// Walks that have come home.
    pub(super) nodes: u64,
    /// Their lengths, added up.
    plies: u64,
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
    /// Let others have the lock, then ask again.
    GoOn,
    /// Wait for a walk to come home, then ask again.
    Wait,
    /// Go home.
    End,
}

/// How often it is asked, while a clock runs, whether the best move can still be overtaken.
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// Results that were known are counted in the lock, at most so many at a time.
const COUNTED_AT_ONCE: usize = 32;

/// How often a thread tries to get the lock before it sleeps, some 10 to 20 microseconds in all.
const TRIES: usize = 100;
/// How long it pauses after each: one takes 10 to 50 nanoseconds.
const PAUSES: usize = 4;

impl Table {
    pub(super) fn new(tree: PlayTree) -> Self {
        let now = Instant::now();
        let desk = Desk {
            tree,
            tally: Tally::default(),
            limits: Limits::default(),
            start: now,
            next_check: now,
            is_closed: true,
            workers: 0,
            waiting: 0,
        };
        Self { desk: Mutex::new(desk), home: Condvar::new() }
    }

    /// The desk for one who has it alone.
    pub(super) fn desk(&mut self) -> &mut Desk {
        self.desk.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the lock. After a panic of its holder too: then the desk is closed, and the tree is thrown away.
    ///
    /// The holder is done within some microseconds, unless the machine is busy with something else. To sleep and be
    /// woken takes longer, so a while goes by before that.
    pub(super) fn lock(&self) -> MutexGuard<'_, Desk> {
        for _ in 0..TRIES {
            match self.desk.try_lock() {
                Ok(desk) => return desk,
                Err(TryLockError::Poisoned(error)) => return error.into_inner(),
                Err(TryLockError::WouldBlock) => (0..PAUSES).for_each(|_| std::hint::spin_loop()),
            }
        }
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the desk for a number of workers. `start` is when thinking began.
    pub(super) fn open(&mut self, limits: Limits, workers: usize, start: Instant) {
        let desk = self.desk();
        desk.tally = Tally::default();
        desk.limits = limits;
        (desk.start, desk.next_check) = (start, start);
        desk.workers = workers;
        desk.waiting = 0;
        desk.is_closed = false;
    }

    /// What the walker is to do next.
    pub(super) fn next(&self, desk: &mut Desk, walk: &mut Walk, signal: &Signal) -> Step {
        // The root is evaluated in any case.
        if 0 < desk.tree.visits() {
            let is_over = signal.is_stopped() || signal.time_left().is_some_and(|left| desk.is_time_up(left));
            if is_over {
                self.close(desk);
            }
        }
        for _ in 0..COUNTED_AT_ONCE {
            if desk.is_closed || desk.has_enough() {
                return Step::End;
            }
            if desk.tree.is_full() && !signal.has_time(desk.time_to_prune()) {
                return Step::End;
            }
            match desk.tree.descend(walk) {
                Descent::Leaf => {
                    desk.tally.begun += 1;
                    return Step::Look;
                }
                Descent::Counted => {
                    desk.tally.begun += 1;
                    desk.count(walk, signal);
                }
                Descent::Busy => return Step::Wait,
                Descent::Finished => return Step::End,
            }
        }
        Step::GoOn
    }

    /// Takes a walk home that has found something.
    pub(super) fn apply(&self, desk: &mut Desk, walk: &mut Walk, signal: &Signal) {
        desk.tree.apply(walk);
        desk.count(walk, signal);
        self.tell_those_who_wait(desk);
    }

    /// Ends the work of all threads.
    pub(super) fn close(&self, desk: &mut Desk) {
        desk.is_closed = true;
        self.tell_those_who_wait(desk);
    }

    /// Waits until a walk comes home.
    pub(super) fn wait<'a>(&self, mut desk: MutexGuard<'a, Desk>) -> MutexGuard<'a, Desk> {
        desk.waiting += 1;
        let mut desk = self.home.wait(desk).unwrap_or_else(PoisonError::into_inner);
        desk.waiting -= 1;
        desk
    }

    fn tell_those_who_wait(&self, desk: &Desk) {
        if 0 < desk.waiting {
            self.home.notify_all();
        }
    }
}

impl Desk {
    /// Counts a walk. Whoever watches is told of a new depth.
    fn count(&mut self, walk: &Walk, signal: &Signal) {
        if self.tally.count(walk.plies()) {
            signal.wake();
        }
    }

    /// What pruning the tree may take, on a slow machine.
    pub(super) fn time_to_prune(&self) -> Duration {
        const BYTES_PER_SEC: f64 = (256 << 20) as f64;
        Duration::from_secs_f64(self.tree.bytes().1 as f64 / BYTES_PER_SEC)
    }

    fn is_time_up(&mut self, left: TimeLeft) -> bool {
        if left.hard.is_zero() {
            return true;
        }
        let now = Instant::now();
        if now < self.next_check {
            return false;
        }
        self.next_check = now + if left.soft.is_zero() { CHECK_EVERY } else { CHECK_EVERY.min(left.soft) };
        self.is_settled(left.soft, now - self.start)
    }

    /// With so much left until the soft limit, is there no reason to go on?
    fn is_settled(&self, left: Duration, elapsed: Duration) -> bool {
        let lines = self.tree.report(2);
        let [best, second] = lines.as_slice() else { return !lines.is_empty() };
        if left.is_zero() {
            return second.value <= best.value;
        }
        // The speed must be seen first: a tree that goes on from the move before has visits before any time is spent.
        if self.tally.nodes == 0 || elapsed < CHECK_EVERY {
            return false;
        }
        let nodes_per_sec = self.tally.nodes as f64 / elapsed.as_secs_f64();
        let to_come = nodes_per_sec * left.as_secs_f64();
        (second.visits as f64 + to_come) < best.visits as f64
    }

    fn has_enough(&self) -> bool {
        self.limits.nodes.is_some_and(|nodes| nodes <= self.tally.begun)
            || self.limits.depth.is_some_and(|depth| depth <= self.tally.depth && 0 < self.tree.visits())
    }
}

impl Tally {
    /// Counts a walk. Is the depth new?
    fn count(&mut self, plies: usize) -> bool {
        self.nodes += 1;
        self.plies += plies as u64;
        self.seldepth = self.seldepth.max(plies as u32);
        let depth = (self.plies / self.nodes) as u32;
        let is_deeper = self.depth < depth;
        self.depth = self.depth.max(depth);
        is_deeper
    }
}
