//! Plain alpha-beta on material: the baselines `depth-1` to `depth-8`.

use crate::material::gain;
use crate::note::{MoveNote, MoveScore};
use crate::player::{Choice, Player, PlayerError, Turn};
use crate::random::one_of;
use evaluator::material_balance;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Move, MoveList, Position};
use std::cmp::Reverse;

/// How many plies [`AlphaBeta`] looks ahead: 1 to 8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Depth(u8);

impl Depth {
    /// The most plies.
    pub const MAX: Self = Self(8);

    /// This many plies, if that is between 1 and 8.
    pub const fn new(plies: u8) -> Option<Self> {
        if 1 <= plies && plies <= Self::MAX.0 { Some(Self(plies)) } else { None }
    }

    /// The number of plies.
    pub const fn plies(self) -> u8 {
        self.0
    }
}

/// The value of having mated on the spot, in pawns: more than all material. A mate in `n` plies is worth `n` less, so
/// that the shortest is played.
const MATE: i32 = 10_000;

/// Full-width alpha-beta to a fixed depth; the leaves are valued by material alone (the scale of
/// [`evaluator::material_balance`]).
///
/// No quiescence search, no knowledge of repetition or the natural limit, no memory of the last move; among equally
/// good moves one at random. This is the opponent that the ladder's reference ratings were measured with, so it must
/// stay as simple as it is.
#[derive(Clone, Debug)]
pub struct AlphaBeta {
    depth: Depth,
    rng: ChaCha8Rng,
    nodes: u64,
}

impl Player for AlphaBeta {
    fn name(&self) -> String {
        format!("depth-{}", self.depth.0)
    }

    fn start_game(&mut self, seed: u64) {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
        let before = self.nodes;
        let (value, best) = self.best_of(turn.game.position(), &turn.game.permitted_moves());
        let note = MoveNote {
            score: Some(score_of(value)),
            depth: Some(self.depth.0.into()),
            nodes: Some(self.nodes - before),
            time: None,
        };
        Ok(Choice { mv: Some(one_of(&best, &mut self.rng)), note })
    }
}

/// A value in pawns as others write it. A mate in `n` plies is one in ⌈n/2⌉ moves.
fn score_of(value: i32) -> MoveScore {
    let plies = MATE - value.abs();
    match value.signum() {
        sign if plies <= i32::from(Depth::MAX.0) => MoveScore::Mate(sign * ((plies + 1) / 2)),
        _ => MoveScore::Centipawns(100 * value),
    }
}

impl AlphaBeta {
    /// A player that looks this far ahead.
    pub fn new(depth: Depth) -> Self {
        Self { depth, rng: ChaCha8Rng::seed_from_u64(0), nodes: 0 }
    }

    /// Positions searched so far, the leaves not among them.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The value of a position for the side to move, in pawns, and all moves that keep it, in the order of the legal
    /// moves; none if the side to move has none.
    ///
    /// ```
    /// use arena::{AlphaBeta, Depth};
    ///
    /// // Rook a8 holds one rank and the general the middle file, so rook f1 mates in two ways.
    /// let position = "3k5/R8/9/9/p8/9/9/9/5R3/4K4 w".parse()?;
    /// let (value, best) = AlphaBeta::new(Depth::new(2).unwrap()).best_moves(&position);
    /// assert!(value > 9_000);
    /// assert_eq!(best.iter().map(ToString::to_string).collect::<Vec<_>>(), ["f1d1", "f1f9"]);
    /// # Ok::<(), rules::FenError>(())
    /// ```
    pub fn best_moves(&mut self, position: &Position) -> (i32, Vec<Move>) {
        self.best_of(position, &position.legal_moves())
    }

    /// The same if only these legal moves may be played now.
    fn best_of(&mut self, position: &Position, permitted: &[Move]) -> (i32, Vec<Move>) {
        let mut position = position.clone();
        let balance = material_balance(&position, position.turn());
        let (mut value, mut best) = (-MATE, Vec::new());
        self.nodes += 1;
        for (gained, mv) in captures_first(&position).iter().filter(|(_, mv)| permitted.contains(mv)) {
            let found = if self.depth.0 == 1 {
                balance + gained
            } else {
                // A value that equals the best so far must come out exact: hence one below it is the bound.
                let undo = position.play_unchecked(mv);
                let found =
                    -self.search(&mut position, -(balance + gained), self.depth.0 - 1, 1, -MATE, 1 - value);
                position.undo(undo);
                found
            };
            if found > value {
                value = found;
                best.clear();
            }
            if found == value {
                best.push(mv);
            }
        }
        best.sort_by_key(|mv| permitted.iter().position(|other| other == mv));
        (value, best)
    }

    /// The value for the side to move: exact between `alpha` and `beta`, else a bound on the right side of them.
    ///
    /// `balance` is the mover's material balance, `depth` at least 1, `ply` the distance from the root.
    fn search(
        &mut self,
        position: &mut Position,
        balance: i32,
        depth: u8,
        ply: i32,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        self.nodes += 1;
        if depth == 1 {
            return last_ply(position, balance, ply, beta);
        }
        let mut best = ply - MATE;
        for (gained, mv) in captures_first(position).iter() {
            let undo = position.play_unchecked(mv);
            let found = -self.search(position, -(balance + gained), depth - 1, ply + 1, -beta, -alpha);
            position.undo(undo);
            best = best.max(found);
            alpha = alpha.max(found);
            if beta <= alpha {
                break;
            }
        }
        best
    }
}

/// The search of depth 1: leaves are valued by material, so no move needs playing.
fn last_ply(position: &Position, balance: i32, ply: i32, beta: i32) -> i32 {
    let mut moves = MoveList::new();
    position.legal_moves_into(&mut moves);
    let mut best = ply - MATE;
    for &mv in &moves {
        best = best.max(balance + gain(position, mv));
        if beta <= best {
            break;
        }
    }
    best
}

/// Legal moves with what they gain, the largest gain first.
struct Ordered {
    moves: [(i32, Move); 128],
    len: usize,
}

impl Ordered {
    fn iter(&self) -> impl Iterator<Item = (i32, Move)> {
        self.moves[..self.len].iter().copied()
    }
}

fn captures_first(position: &Position) -> Ordered {
    let mut moves = MoveList::new();
    position.legal_moves_into(&mut moves);
    let unused = rules::Square::from_index(0);
    let mut ordered = Ordered { moves: [(0, Move::new(unused, unused)); 128], len: moves.len() };
    for (slot, &mv) in ordered.moves.iter_mut().zip(moves.iter()) {
        *slot = (gain(position, mv), mv);
    }
    ordered.moves[..moves.len()].sort_by_key(|&(gained, _)| Reverse(gained));
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minimax by the book, on another road: plays every move, and values leaves from scratch.
    fn minimax(position: &mut Position, depth: u8, ply: i32) -> i32 {
        if depth == 0 {
            return material_balance(position, position.turn());
        }
        let mut best = ply - MATE;
        for &mv in &position.legal_moves() {
            let undo = position.play_unchecked(mv);
            best = best.max(-minimax(position, depth - 1, ply + 1));
            position.undo(undo);
        }
        best
    }

    fn minimax_best(position: &Position, depth: u8) -> (i32, Vec<Move>) {
        let mut position = position.clone();
        let moves = position.legal_moves();
        let values: Vec<i32> = moves
            .iter()
            .map(|&mv| {
                let undo = position.play_unchecked(mv);
                let value = -minimax(&mut position, depth - 1, 1);
                position.undo(undo);
                value
            })
            .collect();
        let best = values.iter().copied().max().unwrap_or(-MATE);
        let keep = moves.iter().copied().zip(&values).filter(|&(_, &value)| value == best);
        (best, keep.map(|(mv, _)| mv).collect())
    }

    fn random_positions(count: usize, plies: usize, seed: u64) -> Vec<Position> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..count)
            .map(|_| {
                let mut position = Position::start();
                for _ in 0..plies {
                    let moves = position.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    position.play_unchecked(one_of(&moves, &mut rng));
                }
                position
            })
            .collect()
    }

    #[test]
    fn finds_the_value_and_all_the_best_moves_of_minimax() {
        for (depth, count) in [(1, 60), (2, 60), (3, 20)] {
            for plies in [0, 11, 60, 200] {
                for position in random_positions(count / 4, plies, 5) {
                    let found = AlphaBeta::new(Depth(depth)).best_moves(&position);
                    assert_eq!(found, minimax_best(&position, depth), "depth {depth}, {position:?}");
                }
            }
        }
    }

    #[test]
    fn values_do_not_depend_on_colour_or_side() {
        for position in random_positions(20, 40, 8) {
            let value = |position: &Position| AlphaBeta::new(Depth(3)).best_moves(position).0;
            assert_eq!(value(&position), value(&position.turned()), "{position:?}");
            assert_eq!(value(&position), value(&position.mirrored()), "{position:?}");
        }
    }

    /// Positions composed for this test, and in how many plies Red wins.
    #[test]
    fn sees_a_mate_as_soon_as_it_is_deep_enough_and_takes_the_shortest() {
        for (fen, plies, moves) in [
            ("3k5/R8/9/9/9/9/9/9/5R3/4K4 w", 1, 2),
            // Stalemate loses too: after a7a8 the general can't go anywhere.
            ("3k5/9/R8/9/9/9/9/9/9/4K4 w", 1, 1),
            // First a7a8, then the other rook on the back rank.
            ("3k5/9/R8/1R7/9/9/9/9/9/5K3 w", 3, 1),
        ] {
            let position: Position = fen.parse().unwrap();
            for position in [position.turned(), position] {
                for depth in 1..=5 {
                    let (value, best) = AlphaBeta::new(Depth(depth)).best_moves(&position);
                    if i32::from(depth) <= plies {
                        assert!(value.abs() < 100, "{position:?} depth {depth}: {value}");
                    } else {
                        assert_eq!(value, MATE - plies, "{position:?} depth {depth}");
                        assert!(moves <= best.len(), "{position:?} depth {depth}: {best:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn equal_moves_are_chosen_by_the_seed() {
        let game = rules::Game::new(Position::start(), rules::Rules::default());
        let mut player = AlphaBeta::new(Depth(2));
        let mut choose = |seed| {
            player.start_game(seed);
            player.choose(&Turn::from(&game)).unwrap().mv.unwrap()
        };
        let chosen: Vec<Move> = (0..20).map(&mut choose).collect();
        assert_eq!(chosen, (0..20).map(&mut choose).collect::<Vec<_>>());
        assert!(chosen.iter().any(|&mv| mv != chosen[0]));
    }
}
