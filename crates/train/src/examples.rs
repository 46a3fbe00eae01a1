//! A batch with targets.

use crate::lists::Lists;
use tch::Tensor;

/// B positions and what the network should say of them. The first P of them have a policy target, over M legal moves
/// in all.
#[derive(Clone, PartialEq, Debug)]
pub struct Examples {
    /// B rows: the inputs that are on.
    pub inputs: Lists,
    /// P rows: the [numbers](evaluator::MoveIndex) of the legal moves.
    pub moves: Lists,
    /// `[M]`: the [exchange](evaluator::Features::exchange) of each of `moves`.
    pub exchanges: Vec<u16>,
    /// `[M]`: policy targets; those of a position add up to 1.
    pub policy: Vec<f32>,
    /// B rows: the [numbers](evaluator::MoveIndex) of the moves that the opponent might reply with, see
    /// [`targets::replies`](crate::targets::replies); none where the reply isn't known. No rows without
    /// [`TargetRule::opponent_reply`](crate::targets::TargetRule).
    pub replies: Lists,
    /// One share for each of `replies`; those of a position add up to 1.
    pub reply: Vec<f32>,
    /// `[B]`: win, draw, loss.
    pub wdl: Vec<[f32; 3]>,
    /// `[B]`: plies to the end, where they are known.
    pub moves_left: Vec<Option<f32>>,
}

impl Examples {
    /// B: how many positions.
    pub const fn len(&self) -> usize {
        self.wdl.len()
    }

    /// Is there none?
    pub const fn is_empty(&self) -> bool {
        self.wdl.is_empty()
    }

    /// P: how many of them have a policy target.
    pub const fn policies(&self) -> usize {
        self.moves.len()
    }

    /// How many positions have a known reply.
    pub fn known_replies(&self) -> usize {
        self.replies.rows().filter(|moves| !moves.is_empty()).count()
    }

    /// All of it by name, for a file (FORMAT.md).
    pub(crate) fn tensors(&self) -> Vec<(String, Tensor)> {
        let whole = |numbers: &[u16]| numbers.iter().map(|&number| number.into()).collect::<Vec<i64>>();
        let ends = |lists: &Lists| lists.ends().iter().map(|&end| end.into()).collect::<Vec<i64>>();
        let moves_left: Vec<f32> = self.moves_left.iter().map(|plies| plies.unwrap_or(-1.0)).collect();
        [
            ("inputs", Tensor::from_slice(&whole(self.inputs.numbers()))),
            ("input_ends", Tensor::from_slice(&ends(&self.inputs))),
            ("moves", Tensor::from_slice(&whole(self.moves.numbers()))),
            ("move_ends", Tensor::from_slice(&ends(&self.moves))),
            ("exchanges", Tensor::from_slice(&whole(&self.exchanges))),
            ("policy", Tensor::from_slice(&self.policy)),
            ("replies", Tensor::from_slice(&whole(self.replies.numbers()))),
            ("reply_ends", Tensor::from_slice(&ends(&self.replies))),
            ("reply", Tensor::from_slice(&self.reply)),
            ("wdl", Tensor::from_slice(self.wdl.as_flattened()).view([-1, 3])),
            ("moves_left", Tensor::from_slice(&moves_left)),
        ]
        .map(|(name, tensor)| (name.to_owned(), tensor))
        .into()
    }
}
