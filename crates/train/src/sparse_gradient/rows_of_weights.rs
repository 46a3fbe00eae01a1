//! The gradient of the matrices that have a row for each input or move, of which few positions list any one.
#![expect(clippy::inline_always, reason = "only what is inlined into `write_avx2` is compiled for AVX2")]

use super::{Parameters, Workspace};
use crate::heads::Head;
use crate::lists::Columns;
use crate::rows::{row_of, sum_of_squares, write_sum, write_weighted_sum};
use evaluator::{INPUTS, MOVES};

/// How many rows are written at a time.
const ROWS: usize = 64;

/// Some rows of the gradient.
pub(super) enum Rows<'a> {
    /// Of the input layer, `[R, H + 4]`.
    Inputs { first: usize, width: usize, gradient: &'a mut [f32] },
    /// Of a head, `[R, H]`, and of its bias, `[R]`. `slopes` are those of its logits.
    Moves {
        first: usize,
        gradient: &'a mut [f32],
        bias: &'a mut [f32],
        moves: &'a Columns,
        slopes: &'a [f32],
    },
}

/// All rows.
pub(super) fn all<'a>(workspace: &'a Workspace, gradients: Parameters<&'a mut [f32]>) -> Vec<Rows<'a>> {
    let Workspace { logits, soft_logits, reply_logits, moves, replies, .. } = workspace;
    let Parameters { net, heads } = gradients;
    let width = net.input_weight.len() / INPUTS;
    let inputs = net.input_weight.chunks_mut(ROWS * width).zip((0..).step_by(ROWS));
    let mut rows: Vec<Rows<'a>> =
        inputs.map(|(gradient, first)| Rows::Inputs { first, width, gradient }).collect();
    let mut head = |bias: &'a mut [f32], weight: &'a mut [f32], moves: &'a Columns, slopes: &'a [f32]| {
        let width = weight.len() / MOVES;
        let parts = weight.chunks_mut(ROWS * width).zip(bias.chunks_mut(ROWS)).zip((0..).step_by(ROWS));
        rows.extend(parts.map(|((gradient, bias), first)| Rows::Moves {
            first,
            gradient,
            bias,
            moves,
            slopes,
        }));
    };
    head(net.policy_bias, net.policy_weight, moves, logits);
    if let Some(Head { bias, weight, .. }) = heads.soft_policy {
        // The moves are the policy's.
        head(bias, weight, moves, soft_logits);
    }
    if let Some(Head { bias, weight, .. }) = heads.opponent_reply {
        head(bias, weight, replies, reply_logits);
    }
    rows
}

/// Writes rows, and gives the sum of their squares.
pub(super) fn write(workspace: &Workspace, rows: Rows<'_>) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "128 wide it takes a third off; a test compares the two copies")]
        // SAFETY: the processor has AVX2, and the function wants nothing else.
        return unsafe { write_avx2(workspace, rows) };
    }
    write_plainly(workspace, rows)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn write_avx2(workspace: &Workspace, rows: Rows<'_>) -> f64 {
    write_plainly(workspace, rows)
}

#[inline(always)]
pub(super) fn write_plainly(workspace: &Workspace, rows: Rows<'_>) -> f64 {
    let Workspace { hidden, slopes, inputs, .. } = workspace;
    let mut squares = 0.0;
    match rows {
        Rows::Inputs { first, width, gradient } => {
            for (to_row, places) in gradient.chunks_exact_mut(width).zip(inputs.from(first)) {
                write_sum(to_row, places.iter().map(|place| row_of(slopes, place.row as usize, width)));
                squares += sum_of_squares(to_row);
            }
        }
        Rows::Moves { first, gradient, bias, moves, slopes } => {
            let width = gradient.len() / bias.len();
            for ((to_row, to_bias), places) in
                gradient.chunks_exact_mut(width).zip(&mut *bias).zip(moves.from(first))
            {
                let slope = |entry: u32| slopes[entry as usize];
                let rows = places
                    .iter()
                    .map(|place| (row_of(hidden, place.row as usize, width), slope(place.entry)));
                write_weighted_sum(to_row, rows);
                *to_bias = places.iter().map(|place| slope(place.entry)).sum();
                squares += sum_of_squares(to_row);
            }
            squares += sum_of_squares(bias);
        }
    }
    squares
}
