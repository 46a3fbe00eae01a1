//! What an engine is asked to think about.

use std::time::Duration;

use rules::{ByColour, Colour, Move, Position};

use super::Dialect;

/// A position with its history, and how long to think.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Where the game started.
    pub start: &'a Position,
    /// The legal moves that have been played since.
    pub moves: &'a [Move],
    /// Moves that the rules refuse now. Only UCCI has a word for them; other engines aren't told.
    pub banned: &'a [Move],
    /// How long to think.
    pub limits: Limits,
    /// From the order to think until the order to stop, on the wall clock. [`super::Patience::answer_margin`] later
    /// the engine is given up.
    pub deadline: Duration,
}

impl Task<'_> {
    /// Whose move is asked for.
    pub(super) const fn turn(&self) -> Colour {
        let start = self.start.turn();
        if self.moves.len().is_multiple_of(2) { start } else { start.opponent() }
    }
}

/// How long to think: whatever is reached first. [`Dialect::check_limits`] says which of these a dialect can say.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// Nodes, as the engine counts them.
    pub nodes: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// What both have on their clocks.
    pub clock: Option<ByColour<ClockTime>>,
    /// Moves until the next time control, if the clock has one.
    pub moves_to_go: Option<u32>,
}

/// One side's clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClockTime {
    /// The time left.
    pub left: Duration,
    /// What is added for each move.
    pub increment: Duration,
}

/// A limit that a dialect can't say.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{dialect} engines can't be limited by {limit}: {allowed}")]
pub struct UnsupportedLimit {
    /// The dialect.
    pub dialect: Dialect,
    /// What was asked for.
    pub limit: String,
    /// What can be asked for.
    pub allowed: &'static str,
}

impl Dialect {
    /// Can an engine of this dialect be told to keep to `limits`? There must be one, and none may be zero.
    ///
    /// UCCI takes one of nodes, depth, time for the move and clock. CECP takes no nodes, and time for the move and
    /// increments in whole seconds only.
    pub fn check_limits(self, limits: &Limits) -> Result<(), UnsupportedLimit> {
        let refuse =
            |limit: &str, allowed| Err(UnsupportedLimit { dialect: self, limit: limit.to_owned(), allowed });
        let &Limits { nodes, depth, move_time, clock, moves_to_go } = limits;
        let count = [nodes.is_some(), depth.is_some(), move_time.is_some(), clock.is_some()];
        let count = count.into_iter().filter(|&given| given).count();
        if count == 0 {
            return refuse("nothing", "want nodes, depth, time for the move or a clock");
        }
        if nodes == Some(0) || depth == Some(0) || move_time.is_some_and(|time| time.is_zero()) {
            return refuse("0", "want 1 or more");
        }
        if moves_to_go.is_some_and(|moves| moves == 0 || clock.is_none()) {
            return refuse("moves to go", "want 1 or more, and a clock");
        }
        let whole = |time: Duration| time.subsec_nanos() == 0;
        match self {
            Self::Ucci if count > 1 => {
                refuse("several things", "want one of nodes, depth, time for the move, clock")
            }
            Self::Cecp if nodes.is_some() => refuse("nodes", "want depth, time for the move or a clock"),
            Self::Cecp if move_time.is_some() && clock.is_some() => {
                refuse("time for the move and a clock", "want one of them")
            }
            Self::Cecp if !move_time.is_none_or(whole) => {
                refuse("parts of a second", "want whole seconds for the move")
            }
            Self::Cecp
                if !clock.is_none_or(|clock| whole(clock.red.increment) && whole(clock.black.increment)) =>
            {
                refuse("increments of parts of a second", "want whole seconds")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_dialects_can_say() {
        let check = |limits: Limits, able: &[Dialect]| {
            let found: Vec<_> =
                Dialect::ALL.into_iter().filter(|dialect| dialect.check_limits(&limits).is_ok()).collect();
            assert_eq!(found, able, "{limits:?}");
        };
        let none = Limits::default();
        let side = ClockTime { left: Duration::from_mins(1), increment: Duration::from_millis(600) };
        let clock = Some(ByColour { red: side, black: side });
        let uci = &[Dialect::Uci, Dialect::UciVariant, Dialect::Cyclone];
        let all_but_cecp = &Dialect::ALL[..4];
        check(none, &[]);
        check(Limits { nodes: Some(0), ..none }, &[]);
        check(Limits { nodes: Some(1), ..none }, all_but_cecp);
        check(Limits { depth: Some(1), ..none }, &Dialect::ALL);
        check(Limits { depth: Some(1), nodes: Some(1), ..none }, uci);
        check(Limits { move_time: Some(Duration::from_millis(1500)), ..none }, all_but_cecp);
        check(Limits { move_time: Some(Duration::from_secs(1)), ..none }, &Dialect::ALL);
        check(Limits { clock, ..none }, all_but_cecp);
        check(Limits { moves_to_go: Some(5), ..none }, &[]);
    }
}
