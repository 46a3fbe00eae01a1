//! How wrong a network is.

use crate::examples::Examples;
use crate::heads::HeadLogits;
use crate::lists::Lists;
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
    /// Cross-entropy of the soft policy, like the policy's; 0 without that head.
    pub soft_policy: f64,
    /// Cross-entropy of the opponent's reply, in nats; mean over the positions where it is known; 0 without that head.
    pub opponent_reply: f64,
    /// The weighted sum, which is what training makes small.
    pub total: f64,
}

/// What a network should say of a batch, as tensors.
#[derive(Debug)]
pub(crate) struct TargetTensors {
    /// f32 `[P, L]`: of the first P positions a share for each legal move, 0 after the last.
    policy: Tensor,
    /// f32 `[P, L]`: the same, softened.
    soft_policy: Tensor,
    /// f32 `[B, R]`: a share for each move that the opponent might reply with, 0 after the last.
    opponent_reply: Tensor,
    /// In how many rows of `opponent_reply` there is a share.
    known_replies: usize,
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
    pub(crate) fn new(settings: &Settings, examples: &Examples, device: Device) -> Result<Self, TchError> {
        let policy = matrix(&examples.moves, &examples.policy, device)?;
        let softened = policy.f_pow_tensor_scalar(1.0 / settings.soft_policy_temperature)?; // [P, L]
        let sums = softened.f_sum_dim_intlist(1, true, Kind::Float)?; // [P, 1]
        let moves_left: Vec<f32> = examples.moves_left.iter().map(|plies| plies.unwrap_or(0.0)).collect();
        let known: Vec<f32> =
            examples.moves_left.iter().map(|plies| f32::from(u8::from(plies.is_some()))).collect();
        let tensor = |values: &[f32]| Tensor::f_from_slice(values)?.f_to_device(device);
        Ok(Self {
            soft_policy: softened.f_div(&sums)?,
            policy,
            opponent_reply: matrix(&examples.replies, &examples.reply, device)?,
            known_replies: examples.known_replies(),
            wdl: tensor(examples.wdl.as_flattened())?.f_view([-1, 3])?,
            moves_left: tensor(&moves_left)?,
            known: examples.moves_left.iter().flatten().count(),
            moves_left_known: tensor(&known)?,
        })
    }
}

/// A row of numbers for each row of `lists`, 0 after the last.
fn matrix(lists: &Lists, numbers: &[f32], device: Device) -> Result<Tensor, TchError> {
    let width = lists.rows().map(<[_]>::len).max().unwrap_or(0).max(1);
    let mut cells = vec![0.0; lists.len() * width];
    let mut numbers = numbers.iter();
    for (cells, row) in cells.chunks_exact_mut(width).zip(lists.rows()) {
        for (cell, &number) in cells[..row.len()].iter_mut().zip(&mut numbers) {
            *cell = number;
        }
    }
    Tensor::f_from_slice::<f32>(&cells)?.f_view([lists.len() as i64, width as i64])?.f_to_device(device)
}

/// Losses of a batch as tensors of no dimension; 0 where the batch has no target.
#[derive(Debug)]
pub(crate) struct LossTensors {
    policy: Tensor,
    value: Tensor,
    moves_left: Tensor,
    soft_policy: Option<Tensor>,
    opponent_reply: Option<Tensor>,
    /// The weighted sum, to be differentiated.
    pub(crate) total: Tensor,
}

impl LossTensors {
    /// Compares a network's outputs with what it should have said.
    pub(crate) fn new(
        settings: &Settings,
        outputs: &Outputs,
        heads: &HeadLogits,
        targets: &TargetTensors,
    ) -> Result<Self, TchError> {
        let policy_logits = outputs.policy_logits.f_narrow(0, 0, targets.policy.size()[0])?; // [P, L]
        let policy = cross_entropy(&policy_logits, &targets.policy, targets.policy.size()[0])?;
        let value = cross_entropy(&outputs.wdl_logits, &targets.wdl, targets.wdl.size()[0])?;
        let moves_left = moves_left_loss(&outputs.moves_left, targets)?;
        let soft_policy = heads.soft_policy.as_ref();
        let soft_policy = soft_policy
            .map(|logits| cross_entropy(logits, &targets.soft_policy, targets.soft_policy.size()[0]))
            .transpose()?;
        let opponent_reply = heads.opponent_reply.as_ref();
        let opponent_reply = opponent_reply
            .map(|logits| cross_entropy(logits, &targets.opponent_reply, targets.known_replies as i64))
            .transpose()?;
        let mut total = (policy.f_mul_scalar(settings.policy_loss_weight)?)
            .f_add(&value.f_mul_scalar(settings.value_loss_weight)?)?
            .f_add(&moves_left.f_mul_scalar(settings.moves_left_loss_weight)?)?;
        for (loss, weight) in [
            (&soft_policy, settings.soft_policy_loss_weight),
            (&opponent_reply, settings.opponent_reply_loss_weight),
        ] {
            if let Some(loss) = loss {
                total = total.f_add(&loss.f_mul_scalar(weight)?)?;
            }
        }
        Ok(Self { policy, value, moves_left, soft_policy, opponent_reply, total })
    }

    /// The numbers.
    pub(crate) fn numbers(&self) -> Result<Losses, TchError> {
        let of_head = |loss: &Option<Tensor>| loss.as_ref().map_or(Ok(0.0), |loss| loss.f_double_value(&[]));
        Ok(Losses {
            soft_policy: of_head(&self.soft_policy)?,
            opponent_reply: of_head(&self.opponent_reply)?,
            policy: self.policy.f_double_value(&[])?,
            value: self.value.f_double_value(&[])?,
            moves_left: self.moves_left.f_double_value(&[])?,
            total: self.total.f_double_value(&[])?,
        })
    }
}

/// Sum over rows of −Σ target · log softmax(logits), both `[rows, classes]`, over the number of rows that have a target.
fn cross_entropy(logits: &Tensor, target: &Tensor, with_target: i64) -> Result<Tensor, TchError> {
    let sum = logits.f_log_softmax(1, Kind::Float)?.f_mul(target)?.f_sum(Kind::Float)?;
    sum.f_mul_scalar(-1.0 / with_target.max(1) as f64)
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
    use torch::ILLEGAL_LOGIT;

    /// Two positions: the first with a policy over two moves, the second without; moves left known of the second.
    fn examples() -> Examples {
        let (mut moves, mut replies) = (Lists::default(), Lists::default());
        moves.push([0, 1]);
        replies.push([]);
        replies.push([5, 6, 7]);
        Examples {
            inputs: Lists::default(),
            moves,
            replies,
            reply: vec![0.5, 0.25, 0.25],
            exchanges: vec![0, 0],
            policy: vec![0.75, 0.25],
            wdl: vec![[1.0, 0.0, 0.0], [0.25, 0.5, 0.25]],
            moves_left: vec![None, Some(48.0)],
        }
    }

    /// Every loss with its own weight.
    fn settings() -> Settings {
        Settings {
            soft_policy_loss_weight: 0.5,
            soft_policy_temperature: 2.0,
            opponent_reply_loss_weight: 0.25,
            ..Settings::default()
        }
    }

    /// Everything that a network says of the two positions.
    struct Said {
        outputs: Outputs,
        heads: HeadLogits,
    }

    impl Said {
        /// Logits of win, draw and loss; plies; logits of policy, soft policy and reply.
        fn new([wdl, moves_left, policy, soft_policy, reply]: [&[f32]; 5]) -> Self {
            let tensor =
                |values: &[f32], rows| Tensor::from_slice(values).view([rows, -1]).set_requires_grad(true);
            let outputs = Outputs {
                wdl_logits: tensor(wdl, 2),
                moves_left: Tensor::from_slice(moves_left).set_requires_grad(true),
                policy_logits: tensor(policy, 2),
                hidden: None,
            };
            let heads = HeadLogits {
                soft_policy: Some(tensor(soft_policy, 1)),
                opponent_reply: Some(tensor(reply, 2)),
            };
            Self { outputs, heads }
        }

        fn inputs(&self) -> [&Tensor; 5] {
            let Outputs { wdl_logits, moves_left, policy_logits, .. } = &self.outputs;
            let HeadLogits { soft_policy, opponent_reply } = &self.heads;
            [
                wdl_logits,
                moves_left,
                policy_logits,
                soft_policy.as_ref().unwrap(),
                opponent_reply.as_ref().unwrap(),
            ]
        }

        fn losses(&self, examples: &Examples) -> LossTensors {
            let targets = TargetTensors::new(&settings(), examples, Device::Cpu).unwrap();
            LossTensors::new(&settings(), &self.outputs, &self.heads, &targets).unwrap()
        }
    }

    const ILLEGAL: f32 = ILLEGAL_LOGIT as f32;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    }

    #[test]
    fn by_hand() {
        let ln_3 = 3.0_f32.ln();
        let policy = [0.0, ln_3, ILLEGAL, ILLEGAL];
        let reply = [ILLEGAL, ILLEGAL, ILLEGAL, 0.0, 0.0, 0.0];
        let said = Said::new([&[0.0; 6], &[16.0, 16.0], &policy, &[0.0, ln_3], &reply]);
        let losses = said.losses(&examples()).numbers().unwrap();
        // Shares of 1/4 and 3/4 said, 3/4 and 1/4 wanted: ¾ ln 4 + ¼ ln 4/3.
        close(losses.policy, 0.75 * 4.0_f64.ln() + 0.25 * (4.0_f64 / 3.0).ln());
        close(losses.value, 3.0_f64.ln());
        // Wrong by one unit of 32 plies, at the kink: ½.
        close(losses.moves_left, 0.5);
        // At temperature 2, √3 to 1 is wanted.
        let first = 3.0_f64.sqrt() / (3.0_f64.sqrt() + 1.0);
        close(losses.soft_policy, first * 4.0_f64.ln() + (1.0 - first) * (4.0_f64 / 3.0).ln());
        // The one known reply of the two positions: a third each.
        close(losses.opponent_reply, 3.0_f64.ln());
        let of_network = losses.policy + losses.value + 0.1 * losses.moves_left;
        close(losses.total, of_network + 0.5 * losses.soft_policy + 0.25 * losses.opponent_reply);
    }

    /// The analytic gradient of each loss against central differences.
    #[test]
    fn gradients_are_slopes() {
        let wdl = [0.5, -0.25, 0.75, 1.0, 0.0, -0.5];
        let reply = [ILLEGAL, ILLEGAL, ILLEGAL, 0.5, -0.5, 0.25];
        let values: [&[f32]; 5] =
            [&wdl, &[16.0, 30.0], &[0.25, -0.5, ILLEGAL, ILLEGAL], &[0.5, -0.25], &reply];
        let at = Said::new(values);
        let loss = at.losses(&examples());
        let gradients = Tensor::run_backward(&[&loss.total], &at.inputs(), false, false);
        let gradients: Vec<Vec<f32>> =
            gradients.iter().map(|g| Vec::try_from(&g.flatten(0, -1)).unwrap()).collect();

        let slope = |which: usize, index: usize, h: f32| {
            let moved = |by: f32| {
                let mut moved = values.map(<[f32]>::to_vec);
                moved[which][index] += by;
                let said = Said::new(moved.each_ref().map(Vec::as_slice));
                said.losses(&examples()).numbers().unwrap().total
            };
            (moved(h) - moved(-h)) / f64::from(2.0 * h)
        };
        for (which, (gradient, h)) in gradients.iter().zip([0.05, 2.0, 0.05, 0.05, 0.05]).enumerate() {
            for (index, &found) in gradient.iter().enumerate() {
                let expected = slope(which, index, h);
                assert!(
                    (f64::from(found) - expected).abs() < 1e-3,
                    "{which} {index}: {found}, slope {expected}"
                );
            }
        }
        assert!(gradients.iter().all(|gradient| gradient.iter().any(|&g| g != 0.0)));
        // Unknown moves left, illegal moves and unknown replies pull at nothing.
        assert_eq!(
            (gradients[1][0], gradients[2][2], gradients[2][3], gradients[4][0]),
            (0.0, 0.0, 0.0, 0.0)
        );
    }

    #[test]
    fn a_batch_without_a_target_has_no_such_loss() {
        let outputs = Said::new([&[0.0; 6], &[16.0, 16.0], &[ILLEGAL; 4], &[0.0], &[ILLEGAL; 2]]);
        let mut replies = Lists::default();
        (0..2).for_each(|_| replies.push([]));
        let without = Examples {
            moves: Lists::default(),
            exchanges: Vec::new(),
            policy: Vec::new(),
            moves_left: vec![None, None],
            replies,
            reply: Vec::new(),
            ..examples()
        };
        let outputs = Said {
            heads: HeadLogits {
                soft_policy: Some(Tensor::zeros([0, 1], (Kind::Float, Device::Cpu))),
                ..outputs.heads
            },
            ..outputs
        };
        let losses = outputs.losses(&without).numbers().unwrap();
        let none = [losses.policy, losses.moves_left, losses.soft_policy, losses.opponent_reply];
        for loss in none {
            close(loss, 0.0);
        }
        close(losses.total, losses.value);
    }
}
