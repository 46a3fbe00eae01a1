//! What changes in the course of a run: pure functions of steps and positions, never of time.

use crate::settings::{MAX_PASSES_PER_ROW, Settings};

/// Training steps that `new_rows` new rows pay for: each row is drawn `passes_per_row` times on average, and never
/// more than [`MAX_PASSES_PER_ROW`] times.
pub fn steps_for(settings: &Settings, new_rows: u64) -> u64 {
    let passes = settings.passes_per_row.clamp(0.0, MAX_PASSES_PER_ROW);
    (new_rows as f64 * passes / settings.batch_size as f64) as u64
}

/// The step size of the step number `step` (from 0) when the run has `positions` positions: warm-up, constant, the
/// planned decay ([`decay`]), and from `cooldown_start` positions on a linear way to zero, whatever it was.
pub fn learning_rate(settings: &Settings, step: u64, positions: u64, cooldown_start: Option<u64>) -> f64 {
    let warm = ((step + 1) as f64 / (settings.warmup_steps + 1) as f64).min(1.0);
    let cooled = cooldown_start.map_or(0.0, |start| {
        (positions.saturating_sub(start) as f64 / settings.cooldown_positions as f64).min(1.0)
    });
    settings.learning_rate * decay(settings, positions) * warm * (1.0 - cooled)
}

/// What the planned decay leaves of the step size: all up to `decay_start_positions`, `final_learning_rate_share` from
/// `decay_end_positions` on, in between as much less with each position as with the one before (warm-up – stable –
/// decay with an exponential decay: Hu et al. 2024, <https://arxiv.org/abs/2404.06395>, section 4.2).
pub fn decay(settings: &Settings, positions: u64) -> f64 {
    let Settings { decay_start_positions: start, decay_end_positions: end, .. } = *settings;
    if positions <= start {
        return 1.0;
    }
    let way = ((positions - start) as f64 / end.saturating_sub(start).max(1) as f64).min(1.0);
    settings.final_learning_rate_share.powf(way)
}

/// The decay of the weights' running mean after the step number `step` (from 0): min(`ema_decay`, (1 + t)/(10 + t)).
///
/// A fixed decay would keep the first weights in the mean for 1/(1 − decay) steps; this one averages over about the
/// last tenth of a young run (TensorFlow's `ExponentialMovingAverage` with `num_updates`).
pub fn ema_decay(settings: &Settings, step: u64) -> f64 {
    let step = step as f64;
    settings.ema_decay.min((1.0 + step) / (10.0 + step))
}

/// The weight of tanh(material / 8) in the value of a game without a verdict, when the run has `positions`
/// positions.
pub fn scoring_weight(settings: &Settings, positions: u64) -> f64 {
    let left = settings.scoring_positions.saturating_sub(positions);
    if left == 0 {
        return 0.0;
    }
    settings.scoring_weight * left as f64 / settings.scoring_positions as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    #[test]
    fn steps_are_capped_by_passes() {
        let settings = Settings { batch_size: 512, passes_per_row: 2.0, ..Settings::default() };
        assert_eq!(steps_for(&settings, 51_200), 200);
        assert_eq!(steps_for(&settings, 255), 0);
        let unchecked = Settings { passes_per_row: 100.0, ..settings };
        assert_eq!(steps_for(&unchecked, 512), 3);
    }

    #[test]
    fn the_step_size_warms_up_stays_and_cools_down() {
        let settings =
            Settings { learning_rate: 0.5, warmup_steps: 3, cooldown_positions: 100, ..Settings::default() };
        let rates: Vec<f64> = (0..5).map(|step| learning_rate(&settings, step, 0, None)).collect();
        assert_eq!(rates, [0.125, 0.25, 0.375, 0.5, 0.5]);
        close(learning_rate(&settings, 9, 1000, Some(1000)), 0.5);
        close(learning_rate(&settings, 9, 1025, Some(1000)), 0.375);
        close(learning_rate(&settings, 9, 5000, Some(1000)), 0.0);
    }

    #[test]
    fn a_planned_decay_goes_from_everything_to_a_tenth() {
        let settings = Settings {
            learning_rate: 1e-3,
            warmup_steps: 0,
            cooldown_positions: 100,
            decay_start_positions: 1000,
            decay_end_positions: 2000,
            final_learning_rate_share: 0.1,
            ..Settings::default()
        };
        let rate = |positions| learning_rate(&settings, 9, positions, None);
        close(rate(0), 1e-3);
        close(rate(1000), 1e-3);
        // 0.1 to the power of 0.398 is 0.4.
        assert!((rate(1398) - 4e-4).abs() < 1e-7);
        close(rate(1500), 1e-3 / 10.0_f64.sqrt());
        close(rate(2000), 1e-4);
        close(rate(1_000_000), 1e-4);
        close(learning_rate(&settings, 9, 1550, Some(1500)), 0.5 * rate(1550));
        // A decay that ends where it begins is a drop, and none is none.
        let drop = Settings { decay_end_positions: 1000, ..settings.clone() };
        close(learning_rate(&drop, 9, 1000, None), 1e-3);
        close(learning_rate(&drop, 9, 1001, None), 1e-4);
        let none = Settings { final_learning_rate_share: 1.0, ..settings };
        close(learning_rate(&none, 9, 1700, None), 1e-3);
    }

    #[test]
    fn the_mean_of_the_weights_forgets_the_start() {
        let settings = Settings { ema_decay: 0.999, ..Settings::default() };
        close(ema_decay(&settings, 0), 0.1);
        close(ema_decay(&settings, 90), 0.91);
        close(ema_decay(&settings, 1_000_000), 0.999);
        let first_weights: f64 = (0..100).map(|step| ema_decay(&settings, step)).product();
        assert!(first_weights < 1e-9, "after 100 steps the start still counts {first_weights}");
    }

    #[test]
    fn scoring_falls_to_nothing() {
        let settings = Settings { scoring_weight: 0.5, scoring_positions: 1000, ..Settings::default() };
        close(scoring_weight(&settings, 0), 0.5);
        close(scoring_weight(&settings, 750), 0.125);
        close(scoring_weight(&settings, 1000), 0.0);
        close(scoring_weight(&Settings { scoring_positions: 0, ..settings }, 0), 0.0);
    }
}
