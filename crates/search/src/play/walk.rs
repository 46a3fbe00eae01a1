//! One walk from the root to a leaf, and what the walker finds there with a game of its own.

use super::pools::Room;
use crate::proven::Proven;
use crate::tree::Prior;
use evaluator::{Answer, Query, Situation, Wdl, softmax};
use rules::{Game, Move, MoveList};

/// A walker: its own copy of the game, so that moves are played and listed while others work on the tree.
///
/// Made by [`PlayTree::walk`](crate::PlayTree::walk); then over and over
/// [`PlayTree::descend`](crate::PlayTree::descend), [`Walk::look`], if it asks [`Walk::answer`], and
/// [`PlayTree::apply`](crate::PlayTree::apply).
#[derive(Clone, Debug)]
pub struct Walk {
    /// Stands where the last walk ended.
    game: Game,
    root_plies: usize,
    /// Which root of the tree it is for.
    pub(super) root: u64,
    /// The nodes from the root to the leaf.
    pub(super) nodes: Vec<u32>,
    /// The slots of the moves between them, in the order of the edges.
    pub(super) slots: Vec<usize>,
    /// The moves between them.
    pub(super) moves: Vec<Move>,
    /// From here on the nodes bear this walk's marks.
    pub(super) marked: usize,
    pub(super) room: Room,
    /// The leaf's permitted moves.
    legal: MoveList,
    /// Room for their probabilities.
    probabilities: Vec<f32>,
    /// The same with their priors once there is an answer, the likeliest in front.
    pub(super) priors: Vec<(Move, Prior)>,
    pub(super) stage: Stage,
}

/// How far a walk is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Stage {
    /// At home.
    Idle,
    /// At a leaf that nobody has looked at.
    AtLeaf,
    /// At a leaf that wants an answer.
    Asking,
    /// The leaf is the end of the game.
    Ended(Proven),
    /// The leaf has an answer.
    Answered(Wdl),
}

impl Walk {
    pub(super) fn new(game: &Game, root: u64) -> Self {
        Self {
            game: game.clone(),
            root_plies: game.plies().len(),
            root,
            nodes: Vec::new(),
            slots: Vec::new(),
            moves: Vec::new(),
            marked: 0,
            room: Room::default(),
            legal: MoveList::new(),
            probabilities: Vec::new(),
            priors: Vec::new(),
            stage: Stage::Idle,
        }
    }

    /// Goes to the leaf and says what to ask about it; `None` if the game ends there. The root is no end: a game that
    /// is over but has moves left is searched as if it went on.
    ///
    /// # Panics
    /// Unless the walk has come to a leaf.
    pub fn look(&mut self) -> Option<Query<'_>> {
        assert_eq!(self.stage, Stage::AtLeaf, "a walk looks once it has descended");
        self.go_to_leaf();
        self.game.permitted_moves_into(&mut self.legal);
        let standing = self.game.standing();
        let ending = if self.moves.is_empty() {
            None
        } else {
            self.game.ending_given(standing, !self.legal.is_empty())
        };
        if let Some(ending) = ending {
            self.stage = Stage::Ended(Proven::from_ending(ending, self.game.position().turn()));
            return None;
        }
        self.stage = Stage::Asking;
        Some(Query {
            position: self.game.position(),
            situation: Situation::given(&self.game, standing),
            legal: &self.legal,
        })
    }

    /// Goes on to a child.
    pub(super) fn step(&mut self, mv: Move, slot: usize, child: u32) {
        self.moves.push(mv);
        self.slots.push(slot);
        self.nodes.push(child);
    }

    /// The node that it has come to.
    pub(super) fn leaf(&self) -> u32 {
        *self.nodes.last().expect("a walk begins at the root")
    }

    /// How many plies below the root it is, or was when it came home.
    pub fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Takes the answer to what [`Walk::look`] asked. Its numbers must be finite.
    ///
    /// # Panics
    /// If nothing was asked, or the answer has not one logit per legal move.
    pub fn answer(&mut self, answer: &Answer) {
        assert_eq!(self.stage, Stage::Asking, "an answer without a query");
        assert_eq!(answer.logits.len(), self.legal.len(), "one logit per legal move");
        softmax(&answer.logits, &mut self.probabilities);
        self.priors.clear();
        let priors = self.legal.iter().zip(&self.probabilities);
        self.priors.extend(priors.map(|(&mv, &prior)| (mv, Prior::new(prior))));
        // The likeliest in front, the first of equals, as the tree keeps them.
        let likeliest = (0..self.priors.len()).rev().max_by_key(|&slot| self.priors[slot].1);
        self.priors.swap(0, likeliest.expect("a position to evaluate has a move"));
        self.stage = Stage::Answered(answer.wdl);
    }

    /// Takes back what isn't on the way and plays the rest.
    fn go_to_leaf(&mut self) {
        let played = self.game.plies()[self.root_plies..].iter().map(rules::Ply::mv);
        let common = played.zip(&self.moves).take_while(|(played, mv)| played == *mv).count();
        while self.root_plies + common < self.game.plies().len() {
            self.game.undo();
        }
        for &mv in &self.moves[common..] {
            self.game.play_unchecked(mv);
        }
    }
}
