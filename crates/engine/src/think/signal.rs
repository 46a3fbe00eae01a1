//! How other threads end thinking, or start its clock.

use super::task::Allowance;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Ends thinking from another thread, and lets the clock start later. One for each [`Task`](super::Task).
#[derive(Debug, Default)]
pub struct Signal {
    stopped: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    clock: Option<Clock>,
    /// Something has happened since the last wait.
    has_news: bool,
}

/// A clock that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    pub(super) started: Instant,
    pub(super) allowance: Allowance,
}

impl Signal {
    /// Nothing signalled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Thinking shall end at once. May be said early: then the root is evaluated and nothing else.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// From now on there is so much time (ponderhit). An earlier clock no longer counts.
    pub fn start_clock(&self, allowance: Allowance) {
        let clock = Clock { started: Instant::now(), allowance };
        self.change(|state| state.clock = Some(clock));
    }

    /// Has [`Signal::stop`] been called?
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Is there so much time left, or no hurry?
    pub(super) fn has_time(&self, time: Duration) -> bool {
        self.clock().is_none_or(|clock| clock.started.elapsed() + time <= clock.allowance.hard)
    }

    pub(super) fn clock(&self) -> Option<Clock> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clock
    }

    /// Ends a wait.
    pub(super) fn wake(&self) {
        self.change(|_| ());
    }

    /// Waits for news, at most so long.
    pub(super) fn wait(&self, timeout: Duration) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(state, timeout, |state| !state.has_news);
        waited.unwrap_or_else(PoisonError::into_inner).0.has_news = false;
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        state.has_news = true;
        drop(state);
        self.changed.notify_all();
    }
}
