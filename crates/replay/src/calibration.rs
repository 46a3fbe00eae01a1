//! Do values come true? Root values of searches against the outcomes of their games.

use crate::record::{EndReason, GameRecord, value_from_i16};
use rules::{Colour, Outcome};
use serde::Serialize;

/// Values in bins of equal width from −1 to 1.
const BINS: usize = 10;

/// Root values of searched plies and what their movers got in the end, by bins of the value. Games that were broken
/// off have no outcome and don't count.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Calibration {
    /// From the most hopeless to the surest values.
    pub bins: [CalibrationBin; BINS],
}

/// Plies whose values are about the same.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct CalibrationBin {
    /// How many.
    pub plies: u64,
    /// The mean of their root values: win − loss, mover's view; 0 if there is none.
    pub mean_value: f64,
    /// The mean of what the movers got: 1 for a win, 0 for a draw, −1 for a loss.
    pub mean_outcome: f64,
}

impl Calibration {
    /// Expected calibration error: the mean distance of value and outcome over the bins, each weighing as much as its
    /// plies (Naeini, Cooper and Hauskrecht 2015), in [0, 2]; 0 if there is no ply.
    pub fn error(&self) -> f64 {
        let plies: u64 = self.bins.iter().map(|bin| bin.plies).sum();
        let distance = |bin: &CalibrationBin| bin.plies as f64 * (bin.mean_value - bin.mean_outcome).abs();
        self.bins.iter().map(distance).sum::<f64>() / plies.max(1) as f64
    }

    /// Counts the searched plies of a game.
    pub(crate) fn count(&mut self, record: &GameRecord) {
        if record.reason == EndReason::PlyCap {
            return;
        }
        let mut mover = record.start.turn();
        for ply in &record.plies {
            if ply.simulations > 0 {
                self.add(value_from_i16(ply.root_value).into(), result(record.outcome, mover));
            }
            mover = mover.opponent();
        }
    }

    fn add(&mut self, value: f64, outcome: f64) {
        let bin = (value + 1.0) * (BINS as f64 / 2.0);
        let bin = &mut self.bins[(bin as usize).min(BINS - 1)];
        bin.plies += 1;
        bin.mean_value += (value - bin.mean_value) / bin.plies as f64;
        bin.mean_outcome += (outcome - bin.mean_outcome) / bin.plies as f64;
    }
}

fn result(outcome: Outcome, mover: Colour) -> f64 {
    match outcome {
        Outcome::Draw => 0.0,
        Outcome::Win(winner) if winner == mover => 1.0,
        Outcome::Win(_) => -1.0,
    }
}
