//! Rates that a busy machine disturbs little: per second of processor time, the median of several rounds.

use cpu_time::ProcessTime;
use std::time::{Duration, Instant};

/// Rounds of a measurement.
pub(crate) const ROUNDS: usize = 5;
/// How long a round takes at least.
const LEAST: Duration = Duration::from_millis(200);

/// Items a second of processor time, all threads together. `work` says how many items it did.
pub(crate) fn per_core_second(mut work: impl FnMut() -> u64) -> f64 {
    median_of(|| round(&mut work, LEAST))
}

/// The median of several rounds of any figure.
pub(crate) fn median_of(figure: impl FnMut() -> f64) -> f64 {
    let mut figures: Vec<f64> = std::iter::repeat_with(figure).take(ROUNDS).collect();
    figures.sort_by(f64::total_cmp);
    figures[ROUNDS / 2]
}

/// Two rates as [`per_core_second`] takes them, by many short turns, so that a busy machine disturbs both alike: those of
/// the turn whose ratio is the median.
pub(crate) fn by_turns(mut one: impl FnMut() -> u64, mut other: impl FnMut() -> u64) -> [f64; 2] {
    let turn = || [&mut one as &mut dyn FnMut() -> u64, &mut other].map(|work| round(work, LEAST / 4));
    let mut turns: Vec<[f64; 2]> = std::iter::repeat_with(turn).take(12 * ROUNDS).collect();
    turns.sort_by(|a, b| (a[1] / a[0]).total_cmp(&(b[1] / b[0])));
    turns[turns.len() / 2]
}

/// How many times as fast as one thread two are.
pub(crate) struct TwoThreads {
    /// By the clock on the wall.
    pub(crate) elapsed: f64,
    /// By processor time, which other programs on the machine don't take from us.
    pub(crate) core_seconds: f64,
}

/// Lets one thread do some work and then two, several times: one after the other, so that a busy machine disturbs both
/// alike. `work` is given the number of threads and says how many items it did.
pub(crate) fn two_threads_to_one(mut work: impl FnMut(usize) -> u64) -> TwoThreads {
    let mut rate = |threads| {
        let (start, cores) = (Instant::now(), ProcessTime::now());
        let items = work(threads) as f64;
        [start.elapsed(), cores.elapsed()].map(|took| items / took.as_secs_f64())
    };
    let ratios = || {
        let ([one, one_core], [two, two_cores]) = (rate(1), rate(2));
        [two / one, 2.0 * two_cores / one_core]
    };
    let mut rounds: Vec<[f64; 2]> = std::iter::repeat_with(ratios).take(ROUNDS).collect();
    let mut median = |which: usize| {
        rounds.sort_by(|a, b| a[which].total_cmp(&b[which]));
        rounds[ROUNDS / 2][which]
    };
    TwoThreads { elapsed: median(0), core_seconds: median(1) }
}

/// Items a second of processor time; `work` is repeated until it took at least so long.
fn round(mut work: impl FnMut() -> u64, least: Duration) -> f64 {
    let (start, mut items) = (ProcessTime::now(), 0);
    loop {
        items += work();
        let took = start.elapsed();
        if least <= took {
            return items as f64 / took.as_secs_f64();
        }
    }
}
