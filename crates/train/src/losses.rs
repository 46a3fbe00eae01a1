//! How wrong a network is.

use crate::error::TrainError;
use crate::examples::Examples;
use crate::settings::Settings;
use net::MOVES_LEFT_UNIT;
use serde::{Deserialize, Serialize};
use tch::{Kind, Reduction, Tensor};
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

/// Losses of a batch as tensors of no dimension; `None` where the batch has no target.
#[derive(Debug)]
pub(crate) struct LossTensors {
    policy: Option<Tensor>,
    value: Tensor,
    moves_left: Option<Tensor>,
    /// The weighted sum, to be differentiated.
    pub(crate) total: Tensor,
}

impl LossTensors {
    /// Compares a network's outputs with what it should have said.
    pub(crate) fn new(settings: &Settings, outputs: &Outputs, examples: &Examples) -> Result<Self, TrainError> {
        let policy = policy_loss(outputs, examples)?;
        let value = cross_entropy(&outputs.wdl_logits, &examples.wdl)?;
        let moves_left = moves_left_loss(outputs, examples)?;
        let mut total = value.f_mul_scalar(settings.value_loss_weight)?;
        let others = [
            (&policy, settings.policy_loss_weight),
            (&moves_left, settings.moves_left_loss_weight),
        ];
        for (loss, weight) in others {
            if let Some(loss) = loss {
                total = total.f_add(&loss.f_mul_scalar(weight)?)?;
            }
        }
        Ok(Self { policy, value, moves_left, total })
    }

    /// The numbers.
    pub(crate) fn numbers(&self) -> Result<Losses, TrainError> {
        let number = |loss: &Option<Tensor>| loss.as_ref().map_or(Ok(0.0), |loss| loss.f_double_value(&[]));
        Ok(Losses {
            policy: number(&self.policy)?,
            value: self.value.f_double_value(&[])?,
            moves_left: number(&self.moves_left)?,
            total: self.total.f_double_value(&[])?,
        })
    }
}

/// Mean over rows of −Σ target · log softmax(logits); both are `[rows, classes]`.
fn cross_entropy(logits: &Tensor, target: &Tensor) -> Result<Tensor, TrainError> {
    let rows = logits.size()[0] as f64;
    let sum = logits.f_log_softmax(1, Kind::Float)?.f_mul(target)?.f_sum(Kind::Float)?;
    Ok(sum.f_mul_scalar(-1.0 / rows)?)
}

fn policy_loss(outputs: &Outputs, examples: &Examples) -> Result<Option<Tensor>, TrainError> {
    let count = examples.policies();
    if count == 0 {
        return Ok(None);
    }
    let logits = outputs.policy_logits.f_narrow(0, 0, count as i64)?; // [P, L]
    cross_entropy(&logits, &examples.policy).map(Some)
}

fn moves_left_loss(outputs: &Outputs, examples: &Examples) -> Result<Option<Tensor>, TrainError> {
    const KINK: f64 = 1.0;
    if examples.moves_left_count == 0 {
        return Ok(None);
    }
    let unit = 1.0 / f64::from(MOVES_LEFT_UNIT);
    let said = outputs.moves_left.f_mul_scalar(unit)?; // [B]
    let target = examples.moves_left.f_mul_scalar(unit)?; // [B]
    let each = said.f_huber_loss(&target, Reduction::None, KINK)?; // [B]
    let sum = each.f_mul(&examples.moves_left_known)?.f_sum(Kind::Float)?;
    Ok(Some(sum.f_mul_scalar(1.0 / examples.moves_left_count as f64)?))
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
        let losses = LossTensors::new(&Settings::default(), &outputs, &examples()).unwrap().numbers().unwrap();
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
        let gradients: Vec<Vec<f32>> = gradients.iter().map(|g| Vec::try_from(&g.flatten(0, -1)).unwrap()).collect();

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
                assert!((f64::from(found) - expected).abs() < 1e-3, "{which} {index}: {found}, slope {expected}");
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
        examples.moves_left_count = 0;
        let losses = LossTensors::new(&Settings::default(), &outputs, &examples).unwrap().numbers().unwrap();
        assert_eq!((losses.policy, losses.moves_left), (0.0, 0.0));
        assert_eq!(losses.total, losses.value);
    }
}
