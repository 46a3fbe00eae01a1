//! What a net says of games that it has not learnt from.

use crate::nets;
use evaluator::{Answer, Evaluator as _, Query, Situation, Wdl};
use net::Weights;
use replay::{GameRecord, draw_from_u8, value_from_i16};
use serde::Serialize;

/// Means over all positions of the games.
#[derive(Clone, Copy, PartialEq, Serialize, Debug, Default)]
pub(super) struct Measured {
    /// How many positions.
    positions: u64,
    /// Share of the positions in which the net's first move is the one that was played.
    pub(super) top_1: f64,
    /// −ln of the probability of the move that was played.
    pub(super) policy_loss: f64,
    /// −ln of the probability of the result.
    pub(super) value_loss: f64,
}

/// Asks the net about every position of the games.
pub(super) fn measure(weights: &Weights, games: &[GameRecord]) -> anyhow::Result<Measured> {
    let mut evaluator = nets::of_weights(weights)?.evaluator();
    let (mut sum, mut answers, mut failed) = (Measured::default(), [Answer::default()], Ok(()));
    for record in games {
        record.replay(|game, ply| {
            let legal = game.position().legal_moves();
            let query = Query { position: game.position(), situation: Situation::of(game), legal: &legal };
            if let Err(error) = evaluator.evaluate(&[query], &mut answers) {
                failed = Err(error);
            }
            let [answer] = &answers;
            let played = legal.iter().position(|&mv| mv == ply.mv).expect("a record's moves are legal");
            let result = Wdl::from_value(value_from_i16(ply.root_value), draw_from_u8(ply.root_draw));
            sum.positions += 1;
            sum.top_1 += f64::from(u8::from(first(&answer.logits) == played));
            sum.policy_loss -= log_softmax(&answer.logits, played);
            sum.value_loss += cross_entropy(answer.wdl, result);
        })?;
    }
    failed?;
    let count = sum.positions.max(1) as f64;
    Ok(Measured {
        positions: sum.positions,
        top_1: sum.top_1 / count,
        policy_loss: sum.policy_loss / count,
        value_loss: sum.value_loss / count,
    })
}

/// The first of the largest.
fn first(logits: &[f32]) -> usize {
    (0..logits.len()).rev().max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap_or(0)
}

fn log_softmax(logits: &[f32], index: usize) -> f64 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = logits.iter().map(|&logit| f64::from(logit - most).exp()).sum();
    f64::from(logits[index] - most) - sum.ln()
}

fn cross_entropy(said: Wdl, wanted: Wdl) -> f64 {
    let term = |said: f32, wanted: f32| -f64::from(wanted) * f64::from(said.max(f32::MIN_POSITIVE)).ln();
    term(said.win, wanted.win) + term(said.draw, wanted.draw) + term(said.loss, wanted.loss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(first(&[0.0, 2.0, 2.0, -1.0]), 1);
        assert!((log_softmax(&[0.0, 3.0_f32.ln()], 1) - 0.75_f64.ln()).abs() < 1e-6);
        let said = Wdl { win: 0.5, draw: 0.25, loss: 0.25 };
        assert!((cross_entropy(said, Wdl::DRAW) - 4.0_f64.ln()).abs() < 1e-6);
    }
}
