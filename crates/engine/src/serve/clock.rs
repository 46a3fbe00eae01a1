//! How long to think.
//!
//! The clock that counts is another's: it runs before our thread wakes up and after we have answered. So some of it is
//! always left over ([`RESERVE`]), however little is there, and what happened before the thinking began is taken off.

use super::order::Order;
use crate::think::Allowance;
use rules::Colour;
use std::time::Duration;

/// Time for being late on a busy machine, which isn't planned with: 0.3 to 0.7 s were seen, and once 1.4 s, where
/// twenty-four programs shared two cores.
const RESERVE: Duration = Duration::from_secs(1);
/// So many moves more are planned for where nobody says how many and each brings time of its own.
const MOVES_AHEAD: u32 = 30;
/// The same where the clock is all there is.
const MOVES_AHEAD_WITHOUT_INCREMENT: u32 = 40;
/// A move may take so many times its share, if it must.
const STRETCH: u32 = 4;
/// The least time of a move.
const LEAST: Duration = Duration::from_millis(1);

/// One side's clock when it is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Clock {
    left: Duration,
    increment: Duration,
    moves_to_go: Option<u32>,
}

/// How long a move may take from now on. `spent` has gone by since the order came. `None`: as long as it likes.
///
/// `overhead` is what the way to the interface and back costs; `unit` is UCCI's unit of time.
pub(super) fn allowance(
    order: &Order,
    mover: Colour,
    unit: Duration,
    overhead: Duration,
    spent: Duration,
) -> Option<Allowance> {
    let clock = clock(order, mover, unit).map(|clock| for_clock(clock, overhead));
    let fixed = order.move_time.map(|millis| for_move(Duration::from_millis(millis), overhead));
    let whole = match (clock, fixed) {
        (Some(a), Some(b)) => Allowance { soft: a.soft.min(b.soft), hard: a.hard.min(b.hard) },
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return None,
    };
    let left = |time: Duration| time.saturating_sub(spent).max(LEAST);
    Some(Allowance { soft: left(whole.soft), hard: left(whole.hard) })
}

fn clock(order: &Order, mover: Colour, unit: Duration) -> Option<Clock> {
    let moves_to_go = order.moves_to_go.map(|moves| u32::try_from(moves).unwrap_or(u32::MAX));
    // UCCI's words say the mover's clock, UCI's both.
    let (left, increment) = match (order.time, order.clocks[mover]) {
        (Some(time), _) => (units(time, unit), units(order.increment, unit)),
        (None, Some(time)) => (Duration::from_millis(time), Duration::from_millis(order.increments[mover])),
        (None, None) => return None,
    };
    Some(Clock { left, increment, moves_to_go })
}

fn units(count: u64, unit: Duration) -> Duration {
    Duration::from_millis(count.saturating_mul(unit.as_millis() as u64))
}

/// A fixed time is used up, less the way.
fn for_move(time: Duration, overhead: Duration) -> Allowance {
    let time = time.saturating_sub(overhead.min(time / 4)).max(LEAST);
    Allowance { soft: time, hard: time }
}

fn for_clock(clock: Clock, overhead: Duration) -> Allowance {
    let Clock { left, increment, moves_to_go } = clock;
    // The last move before the clock is filled up again may have nearly all; its interface adds nothing in between.
    if moves_to_go == Some(1) {
        let time =
            left.saturating_sub(overhead.min(left / 4)).saturating_sub(RESERVE.min(left / 20)).max(LEAST);
        return Allowance { soft: time, hard: time };
    }
    let usable = left.saturating_sub(RESERVE + overhead);
    let ahead = if increment.is_zero() { MOVES_AHEAD_WITHOUT_INCREMENT } else { MOVES_AHEAD };
    let moves = moves_to_go.map_or(ahead, |moves| moves.min(ahead));
    let share = usable / moves + increment * 3 / 4;
    // Whoever has nothing but the reserve lives on a part of it, and saves of the increment.
    let most = (usable / 2).max(left / 20);
    let soft = share.min(most).max(LEAST);
    Allowance { soft, hard: (share * STRETCH).min(most).max(soft) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::ByColour;

    const OVERHEAD: Duration = Duration::from_millis(30);

    fn millis(order: &Order) -> (u128, u128) {
        let Allowance { soft, hard } =
            allowance(order, Colour::Red, Duration::from_secs(1), OVERHEAD, Duration::ZERO).expect("a clock");
        (soft.as_millis(), hard.as_millis())
    }

    #[test]
    fn only_the_movers_clock_counts() {
        let order = Order::read("wtime 60000 btime 1 winc 0 binc 9999");
        assert_eq!(order.clocks, ByColour { red: Some(60_000), black: Some(1) });
        assert_eq!(millis(&order), (1474, 5897));
        let black = allowance(&order, Colour::Black, Duration::from_secs(1), OVERHEAD, Duration::ZERO)
            .expect("a clock");
        assert!(black.hard <= Duration::from_millis(1), "{black:?}");
        assert_eq!(allowance(&Order::read("depth 3"), Colour::Red, RESERVE, OVERHEAD, Duration::ZERO), None);
    }

    #[test]
    fn ucci_counts_seconds_unless_told_otherwise() {
        assert_eq!(millis(&Order::read("time 60 increment 0")), (1474, 5897));
        let order = Order::read("time 1000 increment 0");
        let quick = allowance(&order, Colour::Red, Duration::from_millis(1), OVERHEAD, Duration::ZERO);
        assert!(quick.is_some_and(|quick| quick.hard < Duration::from_millis(500)), "{quick:?}");
    }

    #[test]
    fn a_fixed_time_is_used_and_the_way_is_left_out() {
        assert_eq!(millis(&Order::read("movetime 1000")), (970, 970));
        assert_eq!(millis(&Order::read("movetime 40")), (30, 30));
        assert_eq!(millis(&Order::read("movetime 0")), (1, 1));
        assert_eq!(millis(&Order::read("wtime 2000 movestogo 1")), (1870, 1870));
        let order = Order::read("movetime 1000");
        let late = allowance(&order, Colour::Red, RESERVE, OVERHEAD, Duration::from_millis(900));
        assert_eq!(late.map(|late| late.hard), Some(Duration::from_millis(70)));
        let too_late = allowance(&order, Colour::Red, RESERVE, OVERHEAD, Duration::from_secs(9));
        assert_eq!(too_late.map(|late| late.hard), Some(LEAST));
    }

    /// The least that a clock shows if each move takes as long as `time` says, and is late besides.
    fn least_left(
        mut left: Duration,
        increment: Duration,
        lateness: Duration,
        time: impl Fn(Allowance) -> Duration,
    ) -> Duration {
        let mut least = left;
        for _ in 0..150 {
            let used = time(for_clock(Clock { left, increment, moves_to_go: None }, OVERHEAD)) + lateness;
            left = left.checked_sub(used).expect("the clock runs out");
            least = least.min(left);
            left += increment;
        }
        least
    }

    #[test]
    fn no_clock_runs_out_in_a_long_game() {
        let millis = Duration::from_millis;
        // Every move takes the most it may.
        assert!(millis(250) < least_left(millis(1000), millis(100), millis(80), |time| time.hard));
        assert!(millis(400) < least_left(millis(60_000), millis(600), millis(150), |time| time.hard));
        // Without an increment that can't be; every move takes its share.
        assert!(millis(500) < least_left(millis(60_000), Duration::ZERO, millis(1), |time| time.soft));
    }

    #[test]
    fn increments_build_the_reserve_up() {
        let (mut left, increment) = (Duration::from_secs(1), Duration::from_millis(100));
        for _ in 0..30 {
            let clock = Clock { left, increment, moves_to_go: None };
            left = left.saturating_sub(for_clock(clock, OVERHEAD).soft) + increment;
        }
        assert!(RESERVE * 3 / 2 < left, "{left:?}");
    }

    #[test]
    fn absurd_clocks_do_no_harm() {
        let huge = u64::MAX;
        for text in [format!("wtime {huge} winc {huge}"), format!("time {huge} increment {huge}")] {
            let (soft, hard) = millis(&Order::read(&text));
            assert!(soft <= hard);
        }
        assert_eq!(millis(&Order::read("wtime 0 winc 0")), (1, 1));
        let (_, hard) = millis(&Order::read("wtime 10 winc 0"));
        assert!(hard < 10);
    }
}
