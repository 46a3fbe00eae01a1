//! Gather and apply: the search as a state that a driver moves on.

use crate::gumbel::Gumbel;
use crate::proven::Proven;
use crate::puct::{self, Explorations};
use crate::report::{Decision, Report, RootView};
use crate::settings::Settings;
use crate::tree::{Family as _, Prior, ROOT, Tree, TreeSize};
use evaluator::{Answer, Query, Situation, Wdl, softmax};
use rand::Rng;
use rules::{Game, Move, MoveList, Position, Rules, Standing};
use std::num::NonZeroU32;

/// How the root spends its simulations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Root {
    /// Sequential halving between a few moves ([`considered_moves`](crate::considered_moves)); for few simulations.
    Gumbel {
        /// Choose these moves, and in the end the best, with Gumbel noise: for self-play. Otherwise the likeliest.
        noise: bool,
    },
    /// PUCT, as below the root; for many simulations. The tree can be kept: [`Search::advance`].
    Puct,
}

/// What a query is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// The position where the walk has left the tree, or the root of an empty tree.
    Leaf,
    /// The moves of the last node of the path, whose value is known. The walk goes on from there.
    Moves,
}

/// A tree search that is driven from outside.
///
/// One query is pending at a time. Memory is kept from search to search.
#[derive(Clone, Debug)]
pub struct Search {
    settings: Settings,
    explorations: Explorations,
    root: Root,
    gumbel: Gumbel,
    tree: Tree,
    /// Where [`Search::advance`] builds the next tree.
    spare: Tree,
    /// Stands at the root, or at the position that is asked about.
    game: Game,
    /// How many plies lead to the root.
    root_plies: usize,
    /// The nodes from the root to the parent of the leaf, or to the node whose moves are asked for.
    path: Vec<u32>,
    /// What the query says besides the position.
    situation: Situation,
    /// The moves that the query asks for.
    legal: MoveList,
    /// Room for their probabilities.
    priors: Vec<f32>,
    /// The query that is out.
    pending: Option<Asked>,
    /// Ask for a leaf's value alone, and for its moves when a walk goes on from there.
    values_first: bool,
    /// What the network said about the root.
    network: Wdl,
    budget: u32,
    simulations: u32,
}

impl Search {
    /// A search without a tree; [`Search::start`] comes next.
    ///
    /// # Panics
    /// If the settings are out of range ([`Settings::check`]).
    pub fn new(settings: Settings) -> Self {
        if let Err(error) = settings.check() {
            panic!("{error}");
        }
        Self {
            explorations: Explorations::new(&settings),
            settings,
            root: Root::Puct,
            gumbel: Gumbel::default(),
            tree: Tree::default(),
            spare: Tree::default(),
            game: Game::new(Position::start(), Rules::default()),
            root_plies: 0,
            path: Vec::new(),
            situation: Situation::default(),
            legal: MoveList::new(),
            priors: Vec::new(),
            pending: None,
            values_first: false,
            network: Wdl::DRAW,
            budget: 0,
            simulations: 0,
        }
    }

    /// From now on, asks for the value of a leaf alone (a query without moves), and for the moves of a node when it is
    /// visited again: more queries, but most leaves of a small tree are never visited again. What is found is the same.
    pub const fn ask_values_first(&mut self, values_first: bool) {
        self.values_first = values_first;
    }

    /// Begins a fresh tree at the end of a game, with a budget of at least one simulation. Only Gumbel noise uses
    /// the generator.
    ///
    /// # Panics
    /// If there is no legal move. A game that is over for another reason is searched as if it went on.
    pub fn start(&mut self, game: &Game, root: Root, simulations: u32, rng: &mut impl Rng) {
        self.game.clone_from(game);
        self.root = root;
        self.plant(simulations);
        if let Root::Gumbel { noise } = root {
            self.gumbel.reset(&self.legal, noise.then_some(rng));
        }
    }

    /// Plays a move at the root and goes on from there with a new budget. What is known below the move is kept. Only
    /// for [`Root::Puct`].
    ///
    /// # Panics
    /// If the move is illegal, if no legal move follows it, or at a Gumbel root, whose moves get unequal attention.
    pub fn advance(&mut self, mv: Move, simulations: u32) {
        assert_eq!(self.root, Root::Puct, "only a PUCT tree can be kept");
        self.return_to_root();
        self.game.play(mv).expect("the move played at the root is legal");
        // Of a child with one visit there is nothing to keep but an evaluation.
        let child = self.child_of_root(mv).filter(|&child| {
            let node = self.tree.node(child);
            node.visits > 1 && node.edges > 0
        });
        let Some(child) = child else {
            self.plant(simulations);
            return;
        };
        self.tree.copy_below(child, &mut self.spare);
        std::mem::swap(&mut self.tree, &mut self.spare);
        let root = self.tree.node(ROOT);
        self.network = Wdl::from_value(root.value(), root.draw());
        self.root_plies = self.game.plies().len();
        self.set_budget(simulations);
    }

    /// Walks to the next position that wants an evaluation. Simulations that end in a result of the game or in a proven
    /// node are counted on the way. Asked again before the answer, it hands out the same query.
    ///
    /// `None` when the budget is spent, the root is proven or the tree is full.
    pub fn gather(&mut self) -> Option<Query<'_>> {
        while self.pending.is_none() {
            if self.is_finished() {
                return None;
            }
            self.simulate();
        }
        Some(Query { position: self.game.position(), situation: self.situation, legal: &self.legal })
    }

    /// Takes the answer to the pending query. Its numbers must be finite.
    ///
    /// # Panics
    /// If no query is pending, or the answer has not one logit for each move asked for.
    pub fn apply(&mut self, answer: &Answer) {
        let asked = self.pending.expect("an answer without a query");
        assert_eq!(answer.logits.len(), self.legal.len(), "one logit for each move asked for");
        self.pending = None;
        match asked {
            Asked::Moves => {
                let &node = self.path.last().expect("a path leads to a node that has been visited");
                self.expand(node, &answer.logits);
                self.walk_on();
            }
            Asked::Leaf => {
                let leaf = self.attach(None);
                if !self.legal.is_empty() {
                    self.expand(leaf, &answer.logits);
                }
                if leaf == ROOT {
                    self.network = answer.wdl;
                    self.tree.node_mut(ROOT).visit(answer.wdl);
                } else {
                    self.finish_simulation(leaf, answer.wdl);
                }
            }
        }
    }

    /// Gives a node the moves that were asked for.
    fn expand(&mut self, node: u32, logits: &[f32]) {
        let (greatest, sum) = softmax(logits, &mut self.priors);
        if node == ROOT && self.root != Root::Puct {
            // By so much a logit exceeds the logarithm of its probability.
            let log_sum = greatest + sum.ln();
            let log_priors = logits.iter().map(|logit| logit - log_sum);
            self.gumbel.prepare(log_priors.zip(self.priors.iter().copied()), self.budget);
            self.tree.expand(ROOT, self.gumbel.priors());
        } else {
            let priors = self.priors.iter().map(|&prior| Prior::new(prior));
            self.tree.expand(node, self.legal.iter().copied().zip(priors));
            // Softmax of the greatest logit, e^0 / sum.
            self.tree.bring_forward(node, Prior::new(1.0 / sum));
        }
    }

    /// How large the tree is.
    pub fn tree_size(&self) -> TreeSize {
        self.tree.size()
    }

    /// What has been found so far.
    ///
    /// # Panics
    /// Before the root has been evaluated.
    pub fn report(&self) -> Report {
        self.root_view().report()
    }

    /// What to play by what has been found so far: [`Report::decision`] without the list of moves.
    ///
    /// # Panics
    /// Before the root has been evaluated.
    pub fn decide(&self) -> Decision {
        self.root_view().decide()
    }

    fn root_view(&self) -> RootView<'_> {
        assert!(!self.tree.is_empty(), "nothing is known before the root has been evaluated");
        RootView {
            tree: &self.tree,
            gumbel: (self.root != Root::Puct).then_some(&self.gumbel),
            network: self.network,
            settings: &self.settings,
            simulations: self.simulations,
        }
    }

    /// Makes the end of the game the root of an empty tree.
    fn plant(&mut self, simulations: u32) {
        self.tree.clear();
        self.path.clear();
        self.root_plies = self.game.plies().len();
        self.game.permitted_moves_into(&mut self.legal);
        assert!(!self.legal.is_empty(), "no permitted move in {}", self.game.position().fen());
        self.ask(Asked::Leaf, self.game.standing());
        self.set_budget(simulations);
    }

    fn set_budget(&mut self, simulations: u32) {
        assert!(simulations > 0, "a search needs at least one simulation");
        self.budget = simulations;
        self.simulations = 0;
    }

    fn is_finished(&self) -> bool {
        self.tree.is_empty()
            || self.simulations >= self.budget
            || self.tree.node(ROOT).proven.is_some()
            || self.tree.len() >= self.settings.max_nodes as usize
    }

    /// Walks from the root until there is a query to answer or a result to count.
    fn simulate(&mut self) {
        self.path.clear();
        self.path.push(ROOT);
        self.walk_on();
    }

    /// The same from the last node of the path, where the game stands.
    fn walk_on(&mut self) {
        let mut index = *self.path.last().expect("a walk begins at the root");
        while self.tree.node(index).edges > 0 {
            let edge = self.tree.edge(index, self.select(index));
            let Some(child) = edge.child else {
                self.game.play_unchecked(edge.mv);
                return self.reach_leaf();
            };
            if let Some(proven) = self.tree.node(child.get()).proven {
                return self.finish_simulation(child.get(), proven.wdl());
            }
            self.game.play_unchecked(edge.mv);
            index = child.get();
            self.path.push(index);
        }
        self.game.permitted_moves_into(&mut self.legal);
        self.ask(Asked::Moves, self.game.standing());
    }

    /// Makes a query of the position where the game stands and the moves that are listed.
    fn ask(&mut self, asked: Asked, standing: Standing) {
        self.situation = Situation::given(&self.game, standing);
        self.pending = Some(asked);
    }

    /// The slot of the move to follow from a node. A move without a child is the first such.
    fn select(&self, index: u32) -> usize {
        match self.root {
            Root::Gumbel { .. } if index == ROOT => {
                self.gumbel.select(&self.tree, self.simulations, &self.settings)
            }
            Root::Gumbel { .. } | Root::Puct => {
                puct::select(&self.tree, index, &self.settings, &self.explorations)
            }
        }
    }

    /// The game stands at a position new to the tree: either it is over, or it is for the evaluator.
    fn reach_leaf(&mut self) {
        let standing = self.game.standing();
        let ending = if self.values_first {
            self.legal.clear();
            self.game.ending_at(standing)
        } else {
            self.game.permitted_moves_into(&mut self.legal);
            self.game.ending_given(standing, !self.legal.is_empty())
        };
        match ending {
            Some(ending) => {
                let proven = Proven::from_ending(ending, self.game.position().turn());
                let leaf = self.attach(Some(proven));
                self.finish_simulation(leaf, proven.wdl());
            }
            None => self.ask(Asked::Leaf, standing),
        }
    }

    /// Adds the node where the path ends.
    fn attach(&mut self, proven: Option<Proven>) -> u32 {
        let leaf = self.tree.add(proven);
        if let Some(&parent) = self.path.last() {
            self.tree.open(parent, leaf);
            // A Gumbel root's moves have their own order.
            if parent != ROOT || self.root == Root::Puct {
                self.tree.bring_likeliest_forward(parent);
            }
        }
        leaf
    }

    /// Counts a simulation that ended in this node with this result, from the node's mover's view.
    fn finish_simulation(&mut self, leaf: u32, wdl: Wdl) {
        self.simulations += 1;
        self.back_up(leaf, wdl);
        self.return_to_root();
    }

    fn back_up(&mut self, leaf: u32, mut wdl: Wdl) {
        let node = self.tree.node_mut(leaf);
        let mut newly_proven = node.proven.is_some() && node.visits == 0;
        node.visit(wdl);
        for &index in self.path.iter().rev() {
            wdl = wdl.flipped();
            if newly_proven {
                let proven = self.tree.prove(index);
                self.tree.node_mut(index).proven = proven;
                newly_proven = proven.is_some();
                wdl = proven.map_or(wdl, Proven::wdl);
            }
            self.tree.node_mut(index).visit(wdl);
        }
    }

    /// Takes back what the walk has played; a pending query is forgotten.
    fn return_to_root(&mut self) {
        while self.game.plies().len() > self.root_plies {
            self.game.undo();
        }
        self.path.clear();
        self.pending = None;
    }

    fn child_of_root(&self, mv: Move) -> Option<u32> {
        if self.tree.is_empty() {
            return None;
        }
        let (opened, _) = self.tree.edges(ROOT);
        opened.iter().find(|edge| edge.mv == mv)?.child.map(NonZeroU32::get)
    }
}
