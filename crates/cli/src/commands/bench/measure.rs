//! Rates that a busy machine disturbs little: per second of processor time, the median of several rounds.

use cpu_time::ProcessTime;
use std::time::{Duration, Instant};

/// Rounds of a measurement.
const ROUNDS: usize = 5;
/// A round is repeated until it took so long.
const LEAST: Duration = Duration::from_millis(200);

/// Items a second of processor time, all threads together. `work` says how many items it did.
pub(crate) fn per_core_second(work: impl FnMut() -> u64) -> f64 {
    median(work, || ProcessTime::now().as_duration())
}

/// Items a second by the clock on the wall.
pub(crate) fn per_second(work: impl FnMut() -> u64) -> f64 {
    let start = Instant::now();
    median(work, move || start.elapsed())
}

fn median(mut work: impl FnMut() -> u64, clock: impl Fn() -> Duration) -> f64 {
    let mut rates: Vec<f64> = (0..ROUNDS).map(|_| round(&mut work, &clock)).collect();
    rates.sort_by(f64::total_cmp);
    rates[ROUNDS / 2]
}

fn round(work: &mut impl FnMut() -> u64, clock: &impl Fn() -> Duration) -> f64 {
    let (start, mut items) = (clock(), 0);
    loop {
        items += work();
        let took = clock().saturating_sub(start);
        if LEAST <= took {
            return items as f64 / took.as_secs_f64();
        }
    }
}
