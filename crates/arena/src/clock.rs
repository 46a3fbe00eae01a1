//! The referee's clock.

use engine::drive::ClockTime;
use std::time::Duration;

/// How much time a player has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// So much for each move.
    PerMove(Duration),
    /// So much for the game, and more after each move (Fischer's clock).
    Game {
        /// At the start.
        base: Duration,
        /// Added after each move.
        increment: Duration,
    },
}

/// One side's clock in one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Clock {
    control: TimeControl,
    left: Duration,
    /// What has been taken of the allowance of [`LATENESS`].
    late: Duration,
}

/// By how much a move, or with a clock for the game all moves together, may be late: what it takes to hear of a move, on
/// a machine that is busy with other games.
pub(crate) const LATENESS: Duration = Duration::from_millis(100);

impl Clock {
    /// The clock at the start of a game.
    pub(crate) const fn new(control: TimeControl) -> Self {
        let left = match control {
            TimeControl::PerMove(time) => time,
            TimeControl::Game { base, .. } => base,
        };
        Self { control, left, late: Duration::ZERO }
    }

    /// What it shows; none if there is a time for each move.
    pub(crate) const fn shown(&self) -> Option<ClockTime> {
        match self.control {
            TimeControl::PerMove(_) => None,
            TimeControl::Game { increment, .. } => Some(ClockTime { left: self.left, increment }),
        }
    }

    /// Takes the time of a move off the clock; false if it was too late, by more than is left of the allowance.
    pub(crate) fn spend(&mut self, time: Duration) -> bool {
        let late = self.late + time.saturating_sub(self.left);
        if let TimeControl::Game { increment, .. } = self.control {
            self.left = self.left.saturating_sub(time) + increment;
            self.late = late;
        }
        late <= LATENESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_clock_runs_and_gains() {
        let mut clock = Clock::new(TimeControl::Game { base: ms(1000), increment: ms(10) });
        assert!(clock.spend(ms(400)));
        assert_eq!(clock.shown(), Some(ClockTime { left: ms(610), increment: ms(10) }));
        assert!(clock.spend(ms(650)), "the way takes time");
        assert_eq!(clock.shown().unwrap().left, ms(10));
        assert!(clock.spend(ms(70)), "100 ms in all");
        assert!(!clock.spend(ms(11)));
    }

    #[test]
    fn time_for_each_move_is_not_saved_up() {
        let mut clock = Clock::new(TimeControl::PerMove(ms(50)));
        assert_eq!(clock.shown(), None);
        assert!(clock.spend(ms(10)));
        assert!(clock.spend(ms(150)));
        assert!(!clock.spend(ms(151)));
    }
}
