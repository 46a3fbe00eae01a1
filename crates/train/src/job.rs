//! What a trainer is asked to do, and what it says of it.

use crate::losses::Losses;
use crate::schedule;
use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The training of one generation.
///
/// It names the steps by number, so that a trainer that was stopped in the middle and restored from its snapshot is
/// given the same job again and goes on where it stood.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The steps to do, counted from the start of the run.
    pub steps: Range<u64>,
    /// Positions of the run before this generation's games and after them. Schedules go from the one to the other
    /// in the course of the job.
    pub positions: Range<u64>,
    /// Positions of the run at which the cool-down began, if it has.
    pub cooldown_start: Option<u64>,
}

impl Job {
    /// The steps that the generation's new positions pay for, from `first_step` on.
    pub fn new(
        settings: &Settings,
        first_step: u64,
        positions: Range<u64>,
        cooldown_start: Option<u64>,
    ) -> Self {
        let steps = schedule::steps_for(settings, positions.end.saturating_sub(positions.start));
        Self { steps: first_step..first_step + steps, positions, cooldown_start }
    }

    /// Where on the way from the one number of positions to the other a step is.
    pub(crate) fn positions_at(&self, step: u64) -> u64 {
        let new = u128::from(self.positions.end.saturating_sub(self.positions.start));
        let done = u128::from(step.saturating_sub(self.steps.start));
        let all = u128::from(self.steps.end.saturating_sub(self.steps.start)).max(1);
        self.positions.start + (new * done / all) as u64
    }
}

/// One step, as it was done.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepReport {
    /// Its number, from 0, counted from the start of the run.
    pub step: u64,
    /// How wrong the network was before it.
    pub losses: Losses,
    /// The size of the step.
    pub learning_rate: f64,
    /// The length of the gradient before it was clipped.
    pub gradient_norm: f64,
    /// The weight that material gets, in the value of games without a verdict, when they are played at this point.
    pub scoring_weight: f64,
}

/// A job, as far as it was done.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// How many steps were done.
    pub steps: u64,
    /// Was it stopped before the end?
    pub stopped: bool,
    /// Mean losses of the steps.
    pub losses: Losses,
    /// The size of the last step.
    pub learning_rate: f64,
    /// Mean length of the gradients.
    pub gradient_norm: f64,
    /// Share of the steps whose gradient was clipped.
    pub clipped: f64,
    /// The same weight as [`StepReport::scoring_weight`], at the last step.
    pub scoring_weight: f64,
    /// How often each position of the run has been drawn so far, on average.
    pub passes_per_row: f64,
}

impl Summary {
    /// Adds a step to the means.
    pub(crate) fn add(&mut self, report: &StepReport, clip_norm: f64) {
        self.steps += 1;
        let share = 1.0 / self.steps as f64;
        let clipped = f64::from(u8::from(report.gradient_norm > clip_norm));
        let (mean, new) = (&mut self.losses, &report.losses);
        for (mean, new) in [
            (&mut mean.policy, new.policy),
            (&mut mean.value, new.value),
            (&mut mean.moves_left, new.moves_left),
            (&mut mean.soft_policy, new.soft_policy),
            (&mut mean.opponent_reply, new.opponent_reply),
            (&mut mean.total, new.total),
            (&mut self.gradient_norm, report.gradient_norm),
            (&mut self.clipped, clipped),
        ] {
            *mean += (new - *mean) * share;
        }
        self.learning_rate = report.learning_rate;
        self.scoring_weight = report.scoring_weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_ends_where_the_next_begins() {
        let settings = Settings { batch_size: 100, passes_per_row: 2.0, ..Settings::default() };
        let job = Job::new(&settings, 10, 1000..1200, None);
        assert_eq!(job.steps, 10..14);
        let positions: Vec<u64> = (10..15).map(|step| job.positions_at(step)).collect();
        assert_eq!(positions, [1000, 1050, 1100, 1150, 1200]);
        assert_eq!(Job::new(&settings, 10, 1000..1000, None).positions_at(10), 1000);
    }

    #[test]
    fn a_summary_holds_means() {
        let mut summary = Summary::default();
        for (step, value) in [1.0, 2.0, 6.0].into_iter().enumerate() {
            let losses = Losses { value, ..Losses::default() };
            let report = StepReport {
                step: step as u64,
                losses,
                learning_rate: 0.1,
                gradient_norm: value,
                scoring_weight: 0.2,
            };
            summary.add(&report, 5.0);
        }
        assert!((summary.losses.value - 3.0).abs() < 1e-12 && (summary.clipped - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!((summary.steps, summary.learning_rate), (3, 0.1));
    }
}
