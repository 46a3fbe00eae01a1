//! Orders to think that have not been answered yet: what the reader tells the one who thinks.

use crate::think::{Allowance, Signal};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One order to think, from when it is read until it is answered.
#[derive(Debug)]
pub(super) struct Pending {
    /// When it was read.
    pub(super) read: Instant,
    /// Ends the thinking.
    pub(super) signal: Signal,
    /// Nothing but a word from the interface is sure to end it.
    is_open: bool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    is_stopped: bool,
    /// The move that was pondered on has been played.
    is_hit: bool,
    /// A draw was offered with it.
    draw_offered: bool,
    /// The time from then on, once it is known.
    time_after_hit: Option<Allowance>,
}

impl Pending {
    pub(super) fn new(read: Instant, is_open: bool) -> Self {
        let (state, changed) = (Mutex::default(), Condvar::new());
        Self { read, signal: Signal::new(), is_open, state, changed }
    }

    /// `stop`.
    pub(super) fn stop(&self) {
        self.lock().is_stopped = true;
        self.signal.stop();
        self.changed.notify_all();
    }

    /// `ponderhit`.
    pub(super) fn hit(&self, draw: bool) {
        let mut state = self.lock();
        state.is_hit = true;
        state.draw_offered |= draw;
        if let Some(time) = state.time_after_hit {
            self.signal.start_clock(time);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Pondering begins, and `time` when it is hit; that may have been already.
    pub(super) fn start_clock_when_hit(&self, time: Allowance) {
        let mut state = self.lock();
        state.time_after_hit = Some(time);
        if state.is_hit {
            self.signal.start_clock(time);
        }
    }

    /// Blocks until `stop`, or `ponderhit` if that counts.
    pub(super) fn wait(&self, hit_counts: bool) {
        let waits = |state: &mut State| !(state.is_stopped || hit_counts && state.is_hit);
        // Its value is of no use.
        drop(self.changed.wait_while(self.lock(), waits));
    }

    /// Was a draw offered with `ponderhit`?
    pub(super) fn draw_offered(&self) -> bool {
        self.lock().draw_offered
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All orders that have not been answered, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Unanswered {
    orders: Mutex<Vec<Arc<Pending>>>,
    fewer: Condvar,
}

impl Unanswered {
    /// Takes one in.
    pub(super) fn add(&self, order: Arc<Pending>) {
        self.lock().push(order);
    }

    /// Stops all; were there any?
    pub(super) fn stop_all(&self) -> bool {
        let orders = self.lock();
        orders.iter().for_each(|order| order.stop());
        !orders.is_empty()
    }

    /// Stops those that nothing else is sure to end.
    pub(super) fn stop_open(&self) {
        self.lock().iter().filter(|order| order.is_open).for_each(|order| order.stop());
    }

    /// The move that was pondered on has been played.
    pub(super) fn hit(&self, draw: bool) {
        self.lock().iter().for_each(|order| order.hit(draw));
    }

    /// Is there any that hasn't been stopped?
    pub(super) fn has_any_running(&self) -> bool {
        self.lock().iter().any(|order| !order.signal.is_stopped())
    }

    /// Takes one out while its answer is given: who asks in between waits, so an order is stopped before it is answered or
    /// not at all.
    pub(super) fn answer(&self, order: &Arc<Pending>, say: impl FnOnce()) {
        let mut orders = self.lock();
        say();
        orders.retain(|other| !Arc::ptr_eq(order, other));
        drop(orders);
        self.fewer.notify_all();
    }

    /// Blocks until all are answered, at most so long.
    pub(super) fn wait_until_answered(&self, longest: Duration) {
        // Its value is of no use.
        drop(self.fewer.wait_timeout_while(self.lock(), longest, |orders| !orders.is_empty()));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Pending>>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
