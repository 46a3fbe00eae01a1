//! The network's sparse inputs, version 1.
//!
//! 5,040 inputs for pieces: owner (mover, opponent) × kind (7) × point (90) × attacked (2) × defended (2), one of
//! them on for each piece. 16 more for the situation. All are 0 or 1; the ones that are on are listed, ascending.
//!
//! *attacked*: some enemy piece could capture on that point by its movement rule (legs, eyes, screens, palace and
//! river count; generals as one-step attackers; facing generals and pins don't count). *defended*: some piece of
//! the same side could capture there if the piece on it were an enemy's.

use crate::evaluate::{Query, Situation};
use rules::{Bitboard, Colour, Kind, Move, Position, Square};

/// Changes whenever the meaning of an input changes; weights of another version are refused.
pub const FEATURE_VERSION: u32 = 1;
/// Inputs that pieces switch on.
pub const PIECE_INPUTS: usize = 2 * 7 * 90 * 4;
/// All inputs.
pub const INPUTS: usize = PIECE_INPUTS + 16;
/// At most this many inputs are on: 32 pieces and 12 of the situation (4 are reserved).
pub const MAX_ACTIVE: usize = 44;

/// Kinds of exchange that [`Features::exchange`] tells apart: 7 movers × 8 victims (0 = none) × defended × attacked.
pub const EXCHANGES: usize = 7 * 8 * 2 * 2;

/// Eight steps of the count of plies without capture: step i is on from 15 · (i + 1) plies.
const QUIET_STEPS: usize = 8;
const QUIET_PLIES_PER_STEP: usize = 15;
const REPEATED: usize = PIECE_INPUTS + QUIET_STEPS;
const MOVER_BOUND: usize = REPEATED + 1;
const OPPONENT_BOUND: usize = REPEATED + 2;
const IN_CHECK: usize = REPEATED + 3;

/// How many of the inputs that count plies without capture are on; 0 to 8. All that a network sees of the count.
pub fn quiet_steps(quiet_plies: u16) -> usize {
    (usize::from(quiet_plies) / QUIET_PLIES_PER_STEP).min(QUIET_STEPS)
}

/// The inputs that are on, ascending, without allocation.
#[derive(Clone, Debug)]
pub struct Features {
    inputs: [u16; MAX_ACTIVE],
    len: usize,
    threatened: Bitboard,
}

impl Features {
    /// The inputs of a query.
    pub fn of(query: &Query<'_>) -> Self {
        Self::encode(query.position, query.situation)
    }

    /// The inputs of a position in a situation.
    #[inline]
    pub fn encode(position: &Position, situation: Situation) -> Self {
        let mover = position.turn();
        let (own, threatened) = (position.attacks(mover), position.attacks(mover.opponent()));
        let mut features = Self { inputs: [0; MAX_ACTIVE], len: 0, threatened };
        for (owner, colour, attacked, defended) in
            [(0, mover, threatened, own), (1, mover.opponent(), own, threatened)]
        {
            for kind in Kind::ALL {
                let mut push = |square: Square, seen: Square| {
                    let state =
                        2 * usize::from(attacked.contains(square)) + usize::from(defended.contains(square));
                    features.push(piece_input(owner, kind, seen) + state);
                };
                // Ascending as the mover sees it.
                let squares = position.pieces(colour, kind).into_iter();
                match mover {
                    Colour::Red => squares.for_each(|square| push(square, square)),
                    Colour::Black => squares.rev().for_each(|square| push(square, square.turned())),
                }
            }
        }
        features.push_situation(situation);
        features
    }

    fn push_situation(&mut self, situation: Situation) {
        for step in 0..quiet_steps(situation.quiet_plies) {
            self.push(PIECE_INPUTS + step);
        }
        let flags = [
            (situation.repeated, REPEATED),
            (situation.mover_bound, MOVER_BOUND),
            (situation.opponent_bound, OPPONENT_BOUND),
            (situation.in_check, IN_CHECK),
        ];
        for (on, input) in flags {
            if on {
                self.push(input);
            }
        }
    }

    #[inline]
    fn push(&mut self, input: usize) {
        self.inputs[self.len] = input as u16;
        self.len += 1;
    }

    /// The numbers of the inputs that are on, ascending, each below [`INPUTS`].
    #[inline]
    pub fn active(&self) -> &[u16] {
        &self.inputs[..self.len]
    }

    /// The number of a move's exchange: what moves, what it captures (or nothing), whether the opponent attacks
    /// the target, and whether it attacks the start. Below [`EXCHANGES`]; the same for a move and its mirror.
    /// `position` is the one that was encoded.
    #[inline]
    pub fn exchange(&self, position: &Position, mv: Move) -> usize {
        let moved = position.kind_at(mv.from()).expect("a legal move starts on a piece").index();
        let captured = position.kind_at(mv.to()).map_or(0, |victim| victim.index() + 1);
        let defended = usize::from(self.threatened.contains(mv.to()));
        let attacked = usize::from(self.threatened.contains(mv.from()));
        ((moved * 8 + captured) * 2 + defended) * 2 + attacked
    }
}

impl PartialEq for Features {
    fn eq(&self, other: &Self) -> bool {
        self.active() == other.active()
    }
}

/// The first of the four inputs of a piece on a point.
const fn piece_input(owner: usize, kind: Kind, square: Square) -> usize {
    ((owner * 7 + kind.index()) * 90 + square.index()) * 4
}

/// The input that takes this one's place when left and right are exchanged.
///
/// # Panics
/// If there is no such input.
#[inline]
pub fn mirrored_input(input: u16) -> u16 {
    MIRRORED[usize::from(input)]
}

static MIRRORED: [u16; INPUTS] = {
    let mut mirrored = [0; INPUTS];
    let mut input = 0;
    while input < INPUTS {
        mirrored[input] = if input < PIECE_INPUTS {
            let square = Square::from_index(input / 4 % 90);
            (input / 360 * 360 + square.mirrored().index() * 4 + input % 4) as u16
        } else {
            input as u16
        };
        input += 1;
    }
    mirrored
};
