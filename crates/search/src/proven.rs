//! Results that need no more search (Winands, Björnsson, Saito 2008: Monte-Carlo Tree Search Solver).

use evaluator::Wdl;
use rules::{Colour, Ending, Outcome};

/// The result of a position under the rules of the game, if its mover and the opponent both play for it.
///
/// A win or a loss may be a verdict on a repetition as well as a mate. Verdicts depend on the moves that led to the
/// position, so a result holds for one node of one tree and never for a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proven {
    /// The mover wins.
    Win {
        /// After so many plies; few if there is a choice, though not always the fewest possible.
        plies: u16,
    },
    /// Nobody wins.
    Draw,
    /// The mover loses.
    Loss {
        /// After so many plies; many if there is a choice.
        plies: u16,
    },
}

impl Proven {
    /// The end of a game, for the side whose turn it would be.
    pub(crate) fn from_ending(ending: Ending, mover: Colour) -> Self {
        match ending.outcome {
            Outcome::Win(winner) if winner == mover => Self::Win { plies: 0 },
            Outcome::Win(_) => Self::Loss { plies: 0 },
            Outcome::Draw => Self::Draw,
        }
    }

    /// The same as probabilities.
    pub const fn wdl(self) -> Wdl {
        match self {
            Self::Win { .. } => Wdl::WIN,
            Self::Draw => Wdl::DRAW,
            Self::Loss { .. } => Wdl::LOSS,
        }
    }

    /// What a position with this result makes of the move that leads to it: the other side's view, one ply earlier.
    #[must_use]
    pub(crate) const fn of_move(self) -> Self {
        match self {
            Self::Win { plies } => Self::Loss { plies: plies.saturating_add(1) },
            Self::Draw => Self::Draw,
            Self::Loss { plies } => Self::Win { plies: plies.saturating_add(1) },
        }
    }

    /// How a mover orders results: a short win first, then a long one, a draw or an open result, a long loss, a
    /// short loss.
    pub(crate) fn rank(of_move: Option<Self>) -> i32 {
        const WIN: i32 = 1 << 17;
        match of_move {
            Some(Self::Win { plies }) => WIN - i32::from(plies),
            None | Some(Self::Draw) => 0,
            Some(Self::Loss { plies }) => i32::from(plies) - WIN,
        }
    }
}
