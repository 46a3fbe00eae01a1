//! Every knob of the trainer.

use serde::{Deserialize, Serialize};

/// How a network is trained. Numbers of positions are searched positions of the whole run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Positions in a batch.
    pub batch_size: usize,
    /// Steps that each new row pays for, as times that a row is drawn on average; more than
    /// [`MAX_PASSES_PER_ROW`] makes the value overfit (leela-chess #590; `KataGo` uses 4 to 8).
    pub passes_per_row: f64,
    /// Draw each position left–right mirrored half of the time. The rules can't tell the two apart.
    pub mirror: bool,

    /// Share of the weight in drawing that goes by surprise, the divergence of a row's policy target from the prior;
    /// the rest is spread evenly (`KataGo`: 0.5). See [`Sampling`](crate::Sampling).
    pub surprise_share: f64,
    /// What a row of a cheap search, without a policy target, weighs against one of a full search.
    pub cheap_row_weight: f64,
    /// What a row weighs that was searched more cheaply since the game was held for decided, against others of its
    /// kind.
    pub decided_row_weight: f64,
    /// With weights, the most that a single row is expected to be drawn in a window that is full and stays as it is.
    pub max_row_passes: f64,
    /// Draw rows that show the same position as one, with the mean of their targets.
    pub dedupe: bool,

    /// Step size after the warm-up (pgx: 1e-3).
    pub learning_rate: f64,
    /// Steps over which the step size grows linearly from nothing.
    pub warmup_steps: u64,
    /// Positions over which a cool-down takes the step size linearly to zero. The caller says when it begins.
    pub cooldown_positions: u64,
    /// Positions of the run at which a planned decay of the step size begins …
    pub decay_start_positions: u64,
    /// … and at which it ends.
    pub decay_end_positions: u64,
    /// What share of the step size is left then; 1: no decay.
    pub final_learning_rate_share: f64,
    /// Share of a weight (not of a bias) that a step of size 1 takes away (Loshchilov and Hutter 2019).
    pub weight_decay: f64,
    /// Decay of the running mean of gradients.
    pub beta1: f64,
    /// Decay of the running mean of squared gradients.
    pub beta2: f64,
    /// Gradients longer than this, all parameters together, are shortened to it.
    pub gradient_clip_norm: f64,
    /// Decay per step of the weights' running mean, which plays and is gated. Young runs use a shorter one, see
    /// [`ema_decay`](crate::schedule::ema_decay).
    pub ema_decay: f64,

    /// Share of the game's outcome in the value target; the rest is the average of the following root values.
    pub value_outcome_share: f64,
    /// How far ahead, on average, that average looks. The window is made with it; the trainer itself doesn't read it.
    pub short_horizon_plies: f64,
    /// At the start of a run a game that ended without a verdict on the board (ply cap, natural limit, repetition
    /// draw) is worth this · tanh(material balance / 8) instead of nothing.
    pub scoring_weight: f64,
    /// Positions over which that weight falls linearly to zero.
    pub scoring_positions: u64,

    /// Weight of the policy loss.
    pub policy_loss_weight: f64,
    /// Weight of the win–draw–loss loss.
    pub value_loss_weight: f64,
    /// Weight of the moves-left loss.
    pub moves_left_loss_weight: f64,
    /// Weight of the loss of the soft policy, a second policy head that training alone has; 0: there is none.
    pub soft_policy_loss_weight: f64,
    /// The soft policy's target is the policy target to the power of one over this (`KataGo`: 4).
    pub soft_policy_temperature: f64,
    /// Weight of the loss of the head that foretells the opponent's reply, which training alone has; 0: there is none.
    pub opponent_reply_loss_weight: f64,

    /// Threads that libtorch computes with where it does: not for the sparse network on a CPU
    /// ([`Trainer::with_threads`](crate::Trainer::with_threads)). Another number gives other weights in the last bits.
    /// More than the idle cores make it slower by far: libtorch's threads wait by spinning.
    pub threads: usize,
}

/// The most that `passes_per_row` may be.
pub const MAX_PASSES_PER_ROW: f64 = 3.0;

impl Default for Settings {
    fn default() -> Self {
        Self {
            batch_size: 1024,
            passes_per_row: MAX_PASSES_PER_ROW,
            mirror: true,
            surprise_share: 0.5,
            cheap_row_weight: 1.0,
            decided_row_weight: 1.0,
            max_row_passes: 8.0,
            dedupe: false,
            learning_rate: 0.0014,
            warmup_steps: 200,
            cooldown_positions: 200_000,
            decay_start_positions: 0,
            decay_end_positions: 0,
            final_learning_rate_share: 1.0,
            weight_decay: 0.01,
            beta1: 0.9,
            beta2: 0.999,
            gradient_clip_norm: 5.0,
            ema_decay: 0.999,
            value_outcome_share: 0.25,
            short_horizon_plies: 8.0,
            scoring_weight: 0.5,
            scoring_positions: 2_000_000,
            policy_loss_weight: 1.0,
            value_loss_weight: 1.0,
            moves_left_loss_weight: 0.1,
            soft_policy_loss_weight: 0.0,
            soft_policy_temperature: 4.0,
            opponent_reply_loss_weight: 0.0,
            threads: 1,
        }
    }
}

/// A setting outside its range.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{key} = {value}: want {allowed}")]
pub struct SettingsError {
    /// The setting's name.
    pub key: &'static str,
    /// What it was set to.
    pub value: f64,
    /// What it may be.
    pub allowed: &'static str,
}

impl Settings {
    /// Says which setting is out of its range, if one is.
    pub fn check(&self) -> Result<(), SettingsError> {
        let counts = [
            ("batch_size", self.batch_size as u64, 1, 65_536, "1 to 65536"),
            ("warmup_steps", self.warmup_steps, 0, 1_000_000, "0 to 1000000"),
            ("cooldown_positions", self.cooldown_positions, 1, MANY, "1 to 10^12"),
            ("decay_start_positions", self.decay_start_positions, 0, MANY, "0 to 10^12"),
            (
                "decay_end_positions",
                self.decay_end_positions,
                self.decay_start_positions,
                MANY,
                "decay_start_positions to 10^12",
            ),
            ("scoring_positions", self.scoring_positions, 0, MANY, "0 to 10^12"),
            ("threads", self.threads as u64, 1, 1024, "1 to 1024"),
        ];
        for (key, value, least, most, allowed) in counts {
            if !(least..=most).contains(&value) {
                return Err(SettingsError { key, value: value as f64, allowed });
            }
        }
        let numbers = [
            ("passes_per_row", self.passes_per_row, 0.01, MAX_PASSES_PER_ROW, "0.01 to 3"),
            ("surprise_share", self.surprise_share, 0.0, 0.9, "0 to 0.9"),
            ("cheap_row_weight", self.cheap_row_weight, 0.01, 1.0, "0.01 to 1"),
            ("decided_row_weight", self.decided_row_weight, 0.01, 1.0, "0.01 to 1"),
            ("max_row_passes", self.max_row_passes, self.passes_per_row, 8.0, "passes_per_row to 8"),
            ("learning_rate", self.learning_rate, 1e-8, 1.0, "1e-8 to 1"),
            ("final_learning_rate_share", self.final_learning_rate_share, 0.001, 1.0, "0.001 to 1"),
            ("weight_decay", self.weight_decay, 0.0, 1.0, "0 to 1"),
            ("beta1", self.beta1, 0.0, 0.9999, "0 to 0.9999"),
            ("beta2", self.beta2, 0.5, 0.99999, "0.5 to 0.99999"),
            ("gradient_clip_norm", self.gradient_clip_norm, 1e-3, 1e6, "0.001 to 1000000"),
            ("ema_decay", self.ema_decay, 0.0, 0.99999, "0 to 0.99999"),
            ("value_outcome_share", self.value_outcome_share, 0.0, 1.0, "0 to 1"),
            ("short_horizon_plies", self.short_horizon_plies, 0.0, 1000.0, "0 to 1000"),
            ("scoring_weight", self.scoring_weight, 0.0, 1.0, "0 to 1"),
            ("policy_loss_weight", self.policy_loss_weight, 0.0, 1000.0, "0 to 1000"),
            ("value_loss_weight", self.value_loss_weight, 0.0, 1000.0, "0 to 1000"),
            ("moves_left_loss_weight", self.moves_left_loss_weight, 0.0, 1000.0, "0 to 1000"),
            ("soft_policy_loss_weight", self.soft_policy_loss_weight, 0.0, 1000.0, "0 to 1000"),
            ("soft_policy_temperature", self.soft_policy_temperature, 1.0, 100.0, "1 to 100"),
            ("opponent_reply_loss_weight", self.opponent_reply_loss_weight, 0.0, 1000.0, "0 to 1000"),
        ];
        for (key, value, least, most, allowed) in numbers {
            if !(least..=most).contains(&value) {
                return Err(SettingsError { key, value, allowed });
            }
        }
        Ok(())
    }
}

const MANY: u64 = 1_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_in_range() {
        assert_eq!(Settings::default().check(), Ok(()));
    }

    #[test]
    fn an_error_names_key_value_and_range() {
        let error = Settings { passes_per_row: 4.0, ..Settings::default() }.check().unwrap_err();
        assert_eq!(error.to_string(), "passes_per_row = 4: want 0.01 to 3");
        let error = Settings { max_row_passes: 2.5, ..Settings::default() }.check().unwrap_err();
        assert_eq!(error.to_string(), "max_row_passes = 2.5: want passes_per_row to 8");
        let error = Settings { decay_start_positions: 9, ..Settings::default() }.check().unwrap_err();
        assert_eq!(error.to_string(), "decay_end_positions = 0: want decay_start_positions to 10^12");
        let error = Settings { threads: 0, ..Settings::default() }.check().unwrap_err();
        assert_eq!(error.to_string(), "threads = 0: want 1 to 1024");
        let error = Settings { learning_rate: f64::NAN, ..Settings::default() }.check().unwrap_err();
        assert_eq!(error.key, "learning_rate");
    }

    #[test]
    fn unknown_keys_are_refused() {
        let mut json = serde_json::to_value(Settings::default()).unwrap();
        json["momentum"] = 0.9.into();
        assert!(serde_json::from_value::<Settings>(json).unwrap_err().to_string().contains("momentum"));
    }
}
