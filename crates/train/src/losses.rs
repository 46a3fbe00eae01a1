//! How wrong a network is.

use crate::examples::Examples;
use crate::settings::Settings;
use net::MOVES_LEFT_UNIT;
use serde::{Deserialize, Serialize};
use tch::{Kind, Reduction, TchError, Tensor};
use torch::Outputs;

/// Losses of a batch as numbers, unweighted but for the total.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Losses {
    /// Cross-entropy of the policy over the legal moves, in nats; mean over the positions with a policy target.
    pub policy: f64,
    /// Cross-entropy of win, draw and loss, in nats; mean over all positions.
    pub value: f64,
    /// Huber loss of plies to the end / 32, with the kink at 1; mean over the positions where they are known.
    pub moves_left: f64,
    /// The weighted sum, which is what training makes small.
    pub total: f64,
}

/// Losses of a batch as tensors of no dimension; 0 where the batch has no target.
#[derive(Debug)]
pub(crate) struct LossTensors {
    policy: Tensor,
    value: Tensor,
    moves_left: Tensor,
    /// The weighted sum, to be differentiated.
    pub(crate) total: Tensor,
}

impl LossTensors {
    /// Compares a network's outputs with what it should have said.
    pub(crate) fn new(settings: &Settings, outputs: &Outputs, examples: &Examples) -> Result<Self, TchError> {
        let policy_logits = outputs.policy_logits.f_narrow(0, 0, examples.policies() as i64)?; // [P, L]
        let policy = cross_entropy(&policy_logits, &examples.policy)?;
        let value = cross_entropy(&outputs.wdl_logits, &examples.wdl)?;
        let moves_left = moves_left_loss(&outputs.moves_left, examples)?;
        let total = (policy.f_mul_scalar(settings.policy_loss_weight)?)
            .f_add(&value.f_mul_scalar(settings.value_loss_weight)?)?
            .f_add(&moves_left.f_mul_scalar(settings.moves_left_loss_weight)?)?;
        Ok(Self { policy, value, moves_left, total })
    }

    /// The numbers.
    pub(crate) fn numbers(&self) -> Result<Losses, TchError> {
        Ok(Losses {
            policy: self.policy.f_double_value(&[])?,
            value: self.value.f_double_value(&[])?,
            moves_left: self.moves_left.f_double_value(&[])?,
            total: self.total.f_double_value(&[])?,
        })
    }
}

/// Mean over rows of −Σ target · log softmax(logits); both are `[rows, classes]`.
fn cross_entropy(logits: &Tensor, target: &Tensor) -> Result<Tensor, TchError> {
    let rows = logits.size()[0].max(1) as f64;
    let sum = logits.f_log_softmax(1, Kind::Float)?.f_mul(target)?.f_sum(Kind::Float)?;
    sum.f_mul_scalar(-1.0 / rows)
}

/// `plies` is what the network said, `[B]`.
fn moves_left_loss(plies: &Tensor, examples: &Examples) -> Result<Tensor, TchError> {
    const KINK: f64 = 1.0;
    let unit = 1.0 / f64::from(MOVES_LEFT_UNIT);
    let target = examples.moves_left.f_mul_scalar(unit)?; // [B]
    let each = plies.f_mul_scalar(unit)?.f_huber_loss(&target, Reduction::None, KINK)?; // [B]
    let sum = each.f_mul(&examples.moves_left_known)?.f_sum(Kind::Float)?;
    sum.f_mul_scalar(1.0 / examples.moves_left_count.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidence::IncidenceBuilder;
    use tch::Device;
    use torch::ILLEGAL_LOGIT;

    /// Two positions: the first with a policy over two moves, the second without; moves left known of the second.
    fn examples() -> Examples {
        let nothing = || IncidenceBuilder::default().build(1, Device::Cpu).unwrap();
        Examples {
            inputs: nothing(),
            moves: nothing(),
            exchanges: Tensor::from_slice(&[0_i64, 0]),
            cells: Tensor::from_slice(&[0_i64, 1]),
            policy: Tensor::from_slice(&[0.75_f32, 0.25]).view([1, 2]),
            wdl: Tensor::from_slice(&[1.0_f32, 0.0, 0.0, 0.25, 0.5, 0.25]).view([2, 3]),
            moves_left: Tensor::from_slice(&[0.0_f32, 48.0]),
            moves_left_known: Tensor::from_slice(&[0.0_f32, 1.0]),
            moves_left_count: 1,
        }
    }

    fn outputs(wdl: &[f32], moves_left: &[f32], policy: &[f32]) -> Outputs {
        Outputs {
            wdl_logits: Tensor::from_slice(wdl).view([2, 3]).set_requires_grad(true),
            moves_left: Tensor::from_slice(moves_left).set_requires_grad(true),
            policy_logits: Tensor::from_slice(policy).view([2, 2]).set_requires_grad(true),
        }
    }

    const ILLEGAL: f32 = ILLEGAL_LOGIT as f32;

    fn total(outputs: &Outputs) -> f64 {
        LossTensors::new(&Settings::default(), outputs, &examples()).unwrap().numbers().unwrap().total
    }

    #[test]
    fn by_hand() {
        let outputs = outputs(&[0.0; 6], &[16.0, 16.0], &[0.0, 3.0_f32.ln(), ILLEGAL, ILLEGAL]);
        let losses =
            LossTensors::new(&Settings::default(), &outputs, &examples()).unwrap().numbers().unwrap();
        // Shares of 1/4 and 3/4 said, 3/4 and 1/4 wanted: ¾ ln 4 + ¼ ln 4/3.
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} is not {b}");
        close(losses.policy, 0.75 * 4.0_f64.ln() + 0.25 * (4.0_f64 / 3.0).ln());
        close(losses.value, 3.0_f64.ln());
        // Wrong by one unit of 32 plies, at the kink: ½.
        close(losses.moves_left, 0.5);
        close(losses.total, losses.policy + losses.value + 0.1 * losses.moves_left);
    }

    /// The analytic gradient of each loss against central differences.
    #[test]
    fn gradients_are_slopes() {
        let wdl = [0.5, -0.25, 0.75, 1.0, 0.0, -0.5];
        let moves_left = [16.0, 30.0];
        let policy = [0.25, -0.5, ILLEGAL, ILLEGAL];
        let at = outputs(&wdl, &moves_left, &policy);
        let loss = LossTensors::new(&Settings::default(), &at, &examples()).unwrap();
        let inputs = [&at.wdl_logits, &at.moves_left, &at.policy_logits];
        let gradients = Tensor::run_backward(&[&loss.total], &inputs, false, false);
        let gradients: Vec<Vec<f32>> =
            gradients.iter().map(|g| Vec::try_from(&g.flatten(0, -1)).unwrap()).collect();

        let slope = |which: usize, index: usize, h: f32| {
            let moved = |by: f32| {
                let mut values = [wdl.to_vec(), moves_left.to_vec(), policy.to_vec()];
                values[which][index] += by;
                total(&outputs(&values[0], &values[1], &values[2]))
            };
            (moved(h) - moved(-h)) / f64::from(2.0 * h)
        };
        for (which, (gradient, h)) in gradients.iter().zip([0.05, 2.0, 0.05]).enumerate() {
            for (index, &found) in gradient.iter().enumerate() {
                let expected = slope(which, index, h);
                assert!(
                    (f64::from(found) - expected).abs() < 1e-3,
                    "{which} {index}: {found}, slope {expected}"
                );
            }
        }
        assert!(gradients.iter().all(|gradient| gradient.iter().any(|&g| g != 0.0)));
        // Unknown moves left and illegal moves pull at nothing.
        assert_eq!((gradients[1][0], gradients[2][2], gradients[2][3]), (0.0, 0.0, 0.0));
    }

    #[test]
    fn a_batch_without_a_target_has_no_such_loss() {
        let outputs = outputs(&[0.0; 6], &[16.0, 16.0], &[ILLEGAL; 4]);
        let mut examples = examples();
        examples.policy = Tensor::zeros([0, 2], (Kind::Float, Device::Cpu));
        (examples.moves_left_known, examples.moves_left_count) = (Tensor::from_slice(&[0.0_f32; 2]), 0);
        let losses = LossTensors::new(&Settings::default(), &outputs, &examples).unwrap().numbers().unwrap();
        assert_eq!((losses.policy, losses.moves_left), (0.0, 0.0));
        assert!((losses.total - losses.value).abs() < 1e-12);
    }
}
