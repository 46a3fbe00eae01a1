//! Rates that a busy machine disturbs little: per second of processor time, the median of several rounds.

use cpu_time::ProcessTime;
use std::time::Duration;

/// Rounds of a measurement.
pub(crate) const ROUNDS: usize = 5;
/// A round is repeated until it took so long.
const LEAST: Duration = Duration::from_millis(200);

/// Items a second of processor time, all threads together. `work` says how many items it did.
pub(crate) fn per_core_second(mut work: impl FnMut() -> u64) -> f64 {
    median_of(|| round(&mut work))
}

/// The median of several rounds of any figure.
pub(crate) fn median_of(figure: impl FnMut() -> f64) -> f64 {
    let mut figures: Vec<f64> = std::iter::repeat_with(figure).take(ROUNDS).collect();
    figures.sort_by(f64::total_cmp);
    figures[ROUNDS / 2]
}

fn round(work: &mut impl FnMut() -> u64) -> f64 {
    let (start, mut items) = (ProcessTime::now(), 0);
    loop {
        items += work();
        let took = start.elapsed();
        if LEAST <= took {
            return items as f64 / took.as_secs_f64();
        }
    }
}
