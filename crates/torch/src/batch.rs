//! Positions as tensors.

use crate::error::TorchError;
use tch::{Device, Kind, Tensor};

/// B positions, with N inputs that are on in all, and room for L moves each: as many as any of them has.
#[derive(Debug)]
pub struct Batch {
    /// i64 `[N]`: numbers of the inputs that are on, one position after another, ascending in each.
    pub active: Tensor,
    /// i64 `[B]`: where each position's inputs start in `active`.
    pub offsets: Tensor,
    /// i64 `[B, L]`: [`evaluator::MoveIndex`] of each legal move, in the order they were given; 0 after the last.
    pub moves: Tensor,
    /// i64 `[B, L]`: [`evaluator::Features::exchange`] of each legal move; 0 after the last.
    pub exchanges: Tensor,
    /// bool `[B, L]`: true for a legal move, false after the last.
    pub legal: Tensor,
}

impl Batch {
    /// B, how many positions.
    pub fn len(&self) -> usize {
        self.moves.size()[0] as usize
    }

    /// Never: a batch has at least one position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Collects positions for a [`Batch`].
#[derive(Clone, Debug, Default)]
pub struct BatchBuilder {
    active: Vec<i64>,
    offsets: Vec<i64>,
    /// (move index, exchange) of all positions' moves, one position after another.
    moves: Vec<(i64, i64)>,
    /// Where each position's moves end in `moves`.
    move_ends: Vec<usize>,
}

impl BatchBuilder {
    /// No positions yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a position: the inputs that are on ([`evaluator::Features::active`]) and of each legal move the move
    /// index (below [`evaluator::MOVES`]) and the exchange (below [`evaluator::EXCHANGES`]).
    pub fn push(&mut self, active: &[u16], moves: impl IntoIterator<Item = (usize, usize)>) {
        self.offsets.push(self.active.len() as i64);
        self.active.extend(active.iter().map(|&input| i64::from(input)));
        self.moves.extend(moves.into_iter().map(|(index, exchange)| (index as i64, exchange as i64)));
        self.move_ends.push(self.moves.len());
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// No positions yet?
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Forgets all positions, keeps the memory.
    pub fn clear(&mut self) {
        self.active.clear();
        self.offsets.clear();
        self.moves.clear();
        self.move_ends.clear();
    }

    /// The positions as tensors on a device, in the order they were added; at least one.
    pub fn build(&self, device: Device) -> Result<Batch, TorchError> {
        if self.is_empty() {
            return Err(TorchError::EmptyBatch);
        }
        let rows = || {
            self.move_ends.iter().scan(0, |start, &end| Some(&self.moves[std::mem::replace(start, end)..end]))
        };
        let width = rows().map(<[_]>::len).max().unwrap_or(0).max(1);
        let cells = self.len() * width;
        let (mut moves, mut exchanges, mut legal) = (vec![0; cells], vec![0; cells], vec![false; cells]);
        for (row, start) in rows().zip((0..cells).step_by(width)) {
            for (cell, &(index, exchange)) in (start..).zip(row) {
                (moves[cell], exchanges[cell], legal[cell]) = (index, exchange, true);
            }
        }
        let shape = [self.len() as i64, width as i64];
        let matrix = |values: &[i64]| Tensor::f_from_slice(values)?.f_view(shape)?.f_to_device(device);
        Ok(Batch {
            active: Tensor::f_from_slice(&self.active)?.f_to_device(device)?,
            offsets: Tensor::f_from_slice(&self.offsets)?.f_to_device(device)?,
            moves: matrix(&moves)?,
            exchanges: matrix(&exchanges)?,
            legal: Tensor::f_from_slice(&legal)?.f_view(shape)?.f_to_kind(Kind::Bool)?.f_to_device(device)?,
        })
    }
}
