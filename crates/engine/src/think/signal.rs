//! How other threads end thinking, or start its clock.

use super::task::Allowance;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Ends thinking from another thread, and lets the clock start later. One for each [`Task`](super::Task).
///
/// The threads that think look at it themselves and without a lock, so that on a busy machine no other thread has to
/// get its turn before they end.
#[derive(Debug)]
pub struct Signal {
    made: Instant,
    stopped: AtomicBool,
    /// When the soft and the hard limit are reached, in nanoseconds after `made`; [`NEVER`] without a clock.
    soft: AtomicU64,
    hard: AtomicU64,
    /// Something has happened since the last wait.
    has_news: Mutex<bool>,
    changed: Condvar,
}

const NEVER: u64 = u64::MAX;

/// What is left until the limits; zero afterwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLeft {
    pub(super) soft: Duration,
    pub(super) hard: Duration,
}

impl Default for Signal {
    fn default() -> Self {
        Self::new()
    }
}

impl Signal {
    /// Nothing signalled yet.
    pub fn new() -> Self {
        Self {
            made: Instant::now(),
            stopped: AtomicBool::new(false),
            soft: AtomicU64::new(NEVER),
            hard: AtomicU64::new(NEVER),
            has_news: Mutex::new(false),
            changed: Condvar::new(),
        }
    }

    /// Thinking shall end at once. May be said early: then the root is evaluated and nothing else.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// From now on there is so much time (ponderhit). An earlier clock no longer counts.
    pub fn start_clock(&self, allowance: Allowance) {
        let spent = self.made.elapsed();
        let at = |time: Duration| spent.saturating_add(time).as_nanos().min(u128::from(NEVER - 1)) as u64;
        // Who looks in between sees the soft limit of an earlier clock with the hard one of this: no harm is done.
        self.hard.store(at(allowance.hard), Ordering::Relaxed);
        self.soft.store(at(allowance.soft), Ordering::Relaxed);
        self.wake();
    }

    /// Has [`Signal::stop`] been called?
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Is there so much time left, or no hurry?
    pub(super) fn has_time(&self, time: Duration) -> bool {
        self.time_left().is_none_or(|left| time <= left.hard)
    }

    /// `None` without a clock.
    pub(super) fn time_left(&self) -> Option<TimeLeft> {
        let hard = self.hard.load(Ordering::Relaxed);
        if hard == NEVER {
            return None;
        }
        let spent = self.made.elapsed();
        let until = |nanos| Duration::from_nanos(nanos).saturating_sub(spent);
        Some(TimeLeft { soft: until(self.soft.load(Ordering::Relaxed)), hard: until(hard) })
    }

    /// Ends a wait.
    pub(super) fn wake(&self) {
        *self.lock() = true;
        self.changed.notify_all();
    }

    /// Waits for news, at most so long.
    pub(super) fn wait(&self, timeout: Duration) {
        let waited = self.changed.wait_timeout_while(self.lock(), timeout, |has_news| !*has_news);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.has_news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
