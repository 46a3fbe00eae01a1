//! What a search has found.

use crate::gumbel::{self, Gumbel};
use crate::proven::Proven;
use crate::settings::Settings;
use crate::tree::{Edge, Family as _, Node, ROOT, Tree};
use evaluator::Wdl;
use rules::Move;

/// What a search has found, from the root mover's point of view.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// All legal moves, most visited first.
    pub moves: Vec<RootMove>,
    /// The move to play.
    pub best: Move,
    /// What the best move is worth: win − loss in [−1, 1]. (The mean over all simulations would be too low, since
    /// many go to moves that turn out worse.)
    pub value: f32,
    /// The probability of a draw after the best move.
    pub draw: f32,
    /// KL divergence of the target policy from the prior, Σ target · ln(target / prior), in nats: how much the
    /// search has changed the network's mind.
    pub kl: f32,
    /// Simulations since the search was started or advanced. The evaluation of the root is none.
    pub simulations: u32,
    /// The moves that both sides prefer, [`Report::best`] first. Legal from the root on.
    pub line: Vec<Move>,
    /// The result, if it is certain. Then the search ended early.
    pub proven: Option<Proven>,
}

/// A legal move at the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// How many simulations followed it.
    pub visits: u32,
    /// The network's policy: all priors add up to 1.
    pub prior: f32,
    /// Win − loss in [−1, 1] for the root's mover; `None` if it has no visit.
    pub q: Option<f32>,
    /// The improved policy, from which a network may learn: all targets add up to 1.
    ///
    /// With a Gumbel root softmax(logits + σ(completed q)), with PUCT the share of the visits. Moves that are
    /// proven to lose get nothing while there are others; moves proven to win get everything, the shortest first.
    pub target: f32,
    /// The result after the move, if it is certain.
    pub proven: Option<Proven>,
}

/// The root of a search, as a report needs it.
pub(crate) struct RootView<'a> {
    pub(crate) tree: &'a Tree,
    /// Without it the root is PUCT's.
    pub(crate) gumbel: Option<&'a Gumbel>,
    /// The network's value of the root.
    pub(crate) network: Wdl,
    pub(crate) settings: &'a Settings,
    pub(crate) simulations: u32,
}

impl RootView<'_> {
    pub(crate) fn report(&self) -> Report {
        let log_priors = self.log_priors();
        let mut moves: Vec<RootMove> = self
            .edges()
            .zip(&log_priors)
            .map(|(edge, log_prior)| self.root_move(edge, log_prior.exp()))
            .collect();
        let unvisited =
            gumbel::mixed_value(self.network.value(), self.visited(&moves, |child| -child.value()));
        let unvisited_draw = gumbel::mixed_value(self.network.draw, self.visited(&moves, Node::draw));
        self.set_targets(&mut moves, &log_priors, unvisited);

        let slot = self.best(&moves, unvisited);
        let best = moves[slot];
        let draw = self.tree.child(self.tree.edge(ROOT, slot)).map_or(unvisited_draw, Node::draw);
        let kl = moves.iter().zip(&log_priors).map(|(root_move, log_prior)| {
            let target = root_move.target;
            if target > 0.0 { target * (target.ln() - log_prior) } else { 0.0 }
        });
        let report = Report {
            best: best.mv,
            value: best.q.unwrap_or(unvisited),
            draw,
            kl: kl.sum::<f32>().max(0.0),
            simulations: self.simulations,
            line: self.line(slot),
            proven: self.tree.node(ROOT).proven,
            moves,
        };
        report.sorted()
    }

    fn edges(&self) -> impl Iterator<Item = Edge> {
        let (opened, unopened) = self.tree.edges(ROOT);
        opened.iter().chain(unopened).copied()
    }

    fn log_priors(&self) -> Vec<f32> {
        if let Some(gumbel) = self.gumbel {
            return gumbel.log_priors().collect();
        }
        let sum: f32 = self.edges().map(|edge| edge.prior.get()).sum();
        self.edges().map(|edge| (edge.prior.get() / sum).ln()).collect()
    }

    /// All but the target.
    fn root_move(&self, edge: Edge, prior: f32) -> RootMove {
        let child = self.tree.child(edge);
        RootMove {
            mv: edge.mv,
            visits: child.map_or(0, |child| child.visits),
            prior,
            q: child.map(|child| -child.value()),
            target: 0.0,
            proven: self.tree.of_move(edge),
        }
    }

    /// (prior, visits, some value) of each visited move.
    fn visited(
        &self,
        moves: &[RootMove],
        value: impl Fn(&Node) -> f32,
    ) -> impl Iterator<Item = (f32, u32, f32)> {
        moves.iter().zip(self.edges()).filter_map(move |(root_move, edge)| {
            self.tree.child(edge).map(|child| (root_move.prior, child.visits, value(child)))
        })
    }

    /// Fills in the targets: a softmax over the moves that are worth playing.
    fn set_targets(&self, moves: &mut [RootMove], log_priors: &[f32], unvisited: f32) {
        let best_rank = best_rank(moves);
        let most = most_visits(moves.iter());
        let worthy_most = most_visits(moves.iter().filter(|root_move| rank(root_move) == best_rank));
        for (root_move, &log_prior) in moves.iter_mut().zip(log_priors) {
            let logit = match self.gumbel {
                Some(_) => log_prior + gumbel::sigma(root_move.q.unwrap_or(unvisited), most, self.settings),
                // The share of the visits; the prior while there are none.
                None if worthy_most > 0 => (root_move.visits as f32).ln(),
                None => log_prior,
            };
            root_move.target = if rank(root_move) == best_rank { logit } else { f32::NEG_INFINITY };
        }
        let greatest = moves.iter().map(|root_move| root_move.target).fold(f32::NEG_INFINITY, f32::max);
        let mut sum = 0.0;
        for root_move in &mut *moves {
            root_move.target = (root_move.target - greatest).exp();
            sum += root_move.target;
        }
        for root_move in moves {
            root_move.target /= sum;
        }
    }

    /// The slot of the move to play: the most visited of those worth playing; of equals, with a Gumbel root the one
    /// with the greatest g + logit + σ(q), with PUCT the greatest q.
    fn best(&self, moves: &[RootMove], unvisited: f32) -> usize {
        let best_rank = best_rank(moves);
        let most = most_visits(moves.iter());
        let merit = |slot: usize| {
            let q = moves[slot].q;
            match self.gumbel {
                Some(gumbel) => gumbel.merit(slot, q.unwrap_or(unvisited), most, self.settings),
                None => q.unwrap_or(moves[slot].prior),
            }
        };
        (0..moves.len())
            .filter(|&slot| rank(&moves[slot]) == best_rank)
            .rev() // of equals the last is taken
            .max_by(|&a, &b| moves[a].visits.cmp(&moves[b].visits).then(merit(a).total_cmp(&merit(b))))
            .expect("the root has a legal move")
    }

    fn line(&self, best: usize) -> Vec<Move> {
        let edge = self.tree.edge(ROOT, best);
        let mut line = vec![edge.mv];
        if let Some(child) = edge.child {
            line.extend(self.tree.line_from(child.get()));
        }
        line
    }
}

impl Report {
    fn sorted(mut self) -> Self {
        self.moves.sort_by(|a, b| {
            b.visits.cmp(&a.visits).then(b.target.total_cmp(&a.target)).then(b.prior.total_cmp(&a.prior))
        });
        self
    }
}

/// Only moves of this rank are worth playing: a shortest win; else all that don't lose; else a longest loss.
fn best_rank(moves: &[RootMove]) -> i32 {
    moves.iter().map(rank).max().unwrap_or(0)
}

fn rank(root_move: &RootMove) -> i32 {
    Proven::rank(root_move.proven)
}

fn most_visits<'a>(moves: impl Iterator<Item = &'a RootMove>) -> u32 {
    moves.map(|root_move| root_move.visits).max().unwrap_or(0)
}
