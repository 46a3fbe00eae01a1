//! Heads that are trained beside the network's own and never play: they only make the hidden layer learn more. A
//! snapshot has them, a weights file hasn't. A tower has no hidden layer for them, and is refused with one of them on.
//!
//! With h the hidden layer, i a move's index and e its exchange, as in `net::Architecture::Sparse`:
//!
//! - soft policy: logit = `soft_policy.bias`\[i\] + `soft_policy.weight`\[i\] · h + `soft_policy.exchange`\[e\], for
//!   each legal move; its target is the policy's, softened ([`targets::soften`](crate::targets::soften));
//! - opponent's reply: logit = `opponent_reply.bias`\[i\] + `opponent_reply.weight`\[i\] · h, for each of the
//!   [`targets::replies`](crate::targets::replies), i as the opponent numbers it; its target is the policy target of
//!   the next ply, so far as it is among them (Wu 2019, <https://arxiv.org/abs/1902.10565>, section 4.1).

use crate::examples::Examples;
use crate::settings::Settings;
use evaluator::{EXCHANGES, MOVES};
use tch::{Device, Kind, TchError, Tensor};
use torch::{Batch, BatchBuilder, TorchError};

/// Something of each head's parameters; `None` for a head that is off.
#[derive(Debug)]
pub(crate) struct Heads<T> {
    pub(crate) opponent_reply: Option<Head<T>>,
    pub(crate) soft_policy: Option<Head<T>>,
}

/// Something of each parameter of a head that has a row for each move.
#[derive(Debug)]
pub(crate) struct Head<T> {
    /// `[2062]`
    pub(crate) bias: T,
    /// `[224]`
    pub(crate) exchange: Option<T>,
    /// `[2062, H]`
    pub(crate) weight: T,
}

impl<T> Heads<T> {
    /// Takes what belongs to each parameter, in the order of [`shapes`].
    pub(crate) fn take(settings: &Settings, mut from: impl Iterator<Item = T>) -> Self {
        let mut next = || from.next().expect("one for each parameter");
        let mut head = |weight: f64, exchanges: bool| {
            let on = weight > 0.0;
            on.then(|| Head { bias: next(), exchange: exchanges.then(&mut next), weight: next() })
        };
        let opponent_reply = head(settings.opponent_reply_loss_weight, false);
        let soft_policy = head(settings.soft_policy_loss_weight, true);
        Self { opponent_reply, soft_policy }
    }
}

/// Is any of them on?
pub(crate) fn any(settings: &Settings) -> bool {
    settings.opponent_reply_loss_weight > 0.0 || settings.soft_policy_loss_weight > 0.0
}

/// Name and shape of each parameter of the heads that are on, in the order of their names.
fn shapes(settings: &Settings, hidden: i64) -> Vec<(&'static str, Vec<i64>)> {
    let (moves, exchanges) = (MOVES as i64, EXCHANGES as i64);
    let mut shapes = Vec::new();
    if settings.opponent_reply_loss_weight > 0.0 {
        shapes.extend([("opponent_reply.bias", vec![moves]), ("opponent_reply.weight", vec![moves, hidden])]);
    }
    if settings.soft_policy_loss_weight > 0.0 {
        shapes.extend([
            ("soft_policy.bias", vec![moves]),
            ("soft_policy.exchange", vec![exchanges]),
            ("soft_policy.weight", vec![moves, hidden]),
        ]);
    }
    shapes
}

/// The parameters of the heads that are on, all zero like the first policy's.
pub(crate) fn parameters(
    settings: &Settings,
    hidden: i64,
    device: Device,
) -> Result<Vec<(String, Tensor)>, TchError> {
    let parameter = |(name, shape): (&str, Vec<i64>)| {
        let mut zeros = Tensor::f_zeros(&shape, (Kind::Float, device))?;
        Ok((name.to_owned(), zeros.f_requires_grad_(true)?))
    };
    shapes(settings, hidden).into_iter().map(parameter).collect()
}

/// The logits of the heads that are on, by libtorch: of the soft policy `[P, L]`, like the policy's; of the reply
/// `[B, R]`, R the most that any position has, [`torch::ILLEGAL_LOGIT`] after the last.
#[derive(Debug)]
pub(crate) struct HeadLogits {
    pub(crate) opponent_reply: Option<Tensor>,
    pub(crate) soft_policy: Option<Tensor>,
}

impl HeadLogits {
    /// From the hidden layer, `[B, H]`, of the batch; without one there are no heads.
    pub(crate) fn new(
        heads: &Heads<&Tensor>,
        hidden: Option<&Tensor>,
        batch: &Batch,
        examples: &Examples,
    ) -> Result<Self, TorchError> {
        let Some(hidden) = hidden else { return Ok(Self { opponent_reply: None, soft_policy: None }) };
        let soft_policy = heads.soft_policy.as_ref().map(|head| {
            let logits = torch::move_logits(batch, hidden, head.bias, head.weight, head.exchange)?;
            Ok::<_, TorchError>(logits.f_narrow(0, 0, examples.policies() as i64)?)
        });
        let opponent_reply = heads.opponent_reply.as_ref().map(|head| {
            let mut builder = BatchBuilder::new();
            for moves in examples.replies.rows() {
                builder.push(&[], moves.iter().map(|&index| (usize::from(index), 0)));
            }
            let replies = builder.build(hidden.device())?;
            torch::move_logits(&replies, hidden, head.bias, head.weight, None)
        });
        Ok(Self { opponent_reply: opponent_reply.transpose()?, soft_policy: soft_policy.transpose()? })
    }
}
