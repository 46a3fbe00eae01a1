//! How wrong a network is.

use crate::examples::Examples;
use crate::settings::Settings;
use net::MOVES_LEFT_UNIT;
use serde::{Deserialize, Serialize};
use tch::{Device, Kind, Reduction, TchError, Tensor};
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

/// What a network should say of a batch, as tensors.
#[derive(Debug)]
pub(crate) struct TargetTensors {
    /// f32 `[P, L]`: of the first P positions a share for each legal move, 0 after the last.
    policy: Tensor,
    /// f32 `[B, 3]`: win, draw, loss.
    wdl: Tensor,
    /// f32 `[B]`: plies to the end, 0 where unknown.
    moves_left: Tensor,
    /// f32 `[B]`: 1 where the plies to the end are known, else 0.
    moves_left_known: Tensor,
    /// How many of `moves_left_known` are 1.
    known: usize,
}

impl TargetTensors {
    /// The targets of a batch on a device.
    pub(crate) fn new(examples: &Examples, device: Device) -> Result<Self, TchError> {
        let width = examples.moves.rows().map(<[_]>::len).max().unwrap_or(1); // L
        let mut policy = vec![0.0; examples.policies() * width];
        let mut shares = examples.policy.iter();
        for (cells, moves) in policy.chunks_exact_mut(width).zip(examples.moves.rows()) {
            for (cell, &share) in cells[..moves.len()].iter_mut().zip(&mut shares) {
                *cell = share;
            }
        }
        let moves_left: Vec<f32> = examples.moves_left.iter().map(|plies| plies.unwrap_or(0.0)).collect();
        let known: Vec<f32> =
            examples.moves_left.iter().map(|plies| f32::from(u8::from(plies.is_some()))).collect();
        let tensor = |values: &[f32]| Tensor::f_from_slice(values)?.f_to_device(device);
        Ok(Self {
            policy: tensor(&policy)?.f_view([examples.policies() as i64, width as i64])?,
            wdl: tensor(examples.wdl.as_flattened())?.f_view([-1, 3])?,
            moves_left: tensor(&moves_left)?,
            known: examples.moves_left.iter().flatten().count(),
            moves_left_known: tensor(&known)?,
        })
    }
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
    pub(crate) fn new(
        settings: &Settings,
        outputs: &Outputs,
        targets: &TargetTensors,
    ) -> Result<Self, TchError> {
        let policy_logits = outputs.policy_logits.f_narrow(0, 0, targets.policy.size()[0])?; // [P, L]
        let policy = cross_entropy(&policy_logits, &targets.policy)?;
        let value = cross_entropy(&outputs.wdl_logits, &targets.wdl)?;
        let moves_left = moves_left_loss(&outputs.moves_left, targets)?;
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
fn moves_left_loss(plies: &Tensor, targets: &TargetTensors) -> Result<Tensor, TchError> {
    const KINK: f64 = 1.0;
    let unit = 1.0 / f64::from(MOVES_LEFT_UNIT);
    let target = targets.moves_left.f_mul_scalar(unit)?; // [B]
    let each = plies.f_mul_scalar(unit)?.f_huber_loss(&target, Reduction::None, KINK)?; // [B]
    let sum = each.f_mul(&targets.moves_left_known)?.f_sum(Kind::Float)?;
    sum.f_mul_scalar(1.0 / targets.known.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::Lists;
    use torch::ILLEGAL_LOGIT;

    /// Two positions: the first with a policy over two moves, the second without; moves left known of the second.
    fn examples() -> Examples {
        let mut moves = Lists::default();
        moves.push([0, 1]);
        Examples {
            inputs: Lists::default(),
            moves,
            exchanges: vec![0, 0],
            policy: vec![0.75, 0.25],
            wdl: vec![[1.0, 0.0, 0.0], [0.25, 0.5, 0.25]],
            moves_left: vec![None, Some(48.0)],
        }
    }

    fn losses(outputs: &Outputs, examples: &Examples) -> LossTensors {
        let targets = TargetTensors::new(examples, Device::Cpu).unwrap();
        LossTensors::new(&Settings::default(), outputs, &targets).unwrap()
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
        losses(outputs, &examples()).numbers().unwrap().total
    }

    #[test]
    fn by_hand() {
        let outputs = outputs(&[0.0; 6], &[16.0, 16.0], &[0.0, 3.0_f32.ln(), ILLEGAL, ILLEGAL]);
        let losses = losses(&outputs, &examples()).numbers().unwrap();
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
        let loss = losses(&at, &examples());
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
        let without = Examples {
            moves: Lists::default(),
            exchanges: Vec::new(),
            policy: Vec::new(),
            moves_left: vec![None, None],
            ..examples()
        };
        let losses = losses(&outputs, &without).numbers().unwrap();
        assert_eq!((losses.policy, losses.moves_left), (0.0, 0.0));
        assert!((losses.total - losses.value).abs() < 1e-12);
    }
}
