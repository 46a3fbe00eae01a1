//! What a search has found.

use crate::gumbel::{self, Gumbel};
use crate::order::sort_descending;
use crate::proven::Proven;
use crate::settings::Settings;
use crate::tree::{Edge, Family as _, Node, ROOT, Tree};
use evaluator::{Wdl, exponentiate};
use rules::Move;

/// What to play, and what is known about it, from the root mover's point of view.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Decision {
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
    /// The result, if it is certain. Then the search ended early.
    pub proven: Option<Proven>,
}

/// All that a search has found.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// What to play.
    pub decision: Decision,
    /// All legal moves, most visited first.
    pub moves: Vec<RootMove>,
    /// The moves that both sides prefer, the best move first. Legal from the root on.
    pub line: Vec<Move>,
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

/// The root of a search, as a report needs it. Slots are places in the order of the root's edges.
pub(crate) struct RootView<'a> {
    pub(crate) tree: &'a Tree,
    /// Without it the root is PUCT's.
    pub(crate) gumbel: Option<&'a Gumbel>,
    /// The network's value of the root.
    pub(crate) network: Wdl,
    pub(crate) settings: &'a Settings,
    pub(crate) simulations: u32,
}

/// The best move with its slot, and the target of each slot.
struct Judged {
    decision: Decision,
    slot: usize,
    targets: Vec<f32>,
}

impl RootView<'_> {
    pub(crate) fn report(&self) -> Report {
        let priors = self.priors();
        let Judged { decision, slot, targets } = self.judge(&priors);
        let of_slot = |((edge, &(_, prior)), target)| self.root_move(edge, prior, target);
        let mut moves: Vec<RootMove> = self.edges().zip(&priors).zip(targets).map(of_slot).collect();
        sort(&mut moves, self.tree.edges(ROOT).0.len());
        Report { decision, moves, line: self.line(slot) }
    }

    pub(crate) fn decide(&self) -> Decision {
        self.judge(&self.priors()).decision
    }

    /// `priors`: of each slot the logarithm of the prior, and the prior.
    fn judge(&self, priors: &[(f32, f32)]) -> Judged {
        let unvisited =
            gumbel::mixed_value(self.network.value(), self.visited(priors, |child| -child.value()));
        // Only these are worth playing: a shortest win; else all that don't lose; else a longest loss.
        let best_rank = self.edges().map(|edge| self.rank(edge)).max().unwrap_or(0);
        let worthy = |edge: Edge| self.rank(edge) == best_rank;
        let most = Most {
            of_all: self.edges().map(|edge| self.visits(edge)).max().unwrap_or(0),
            of_worthy: self
                .edges()
                .filter(|&edge| worthy(edge))
                .map(|edge| self.visits(edge))
                .max()
                .unwrap_or(0),
        };
        let (targets, kl) = targets(self.target_logits(priors, unvisited, most, worthy), priors);
        let slot = self.best(priors, unvisited, most, worthy);
        let edge = self.tree.edge(ROOT, slot);
        let unvisited_draw = || gumbel::mixed_value(self.network.draw, self.visited(priors, Node::draw));
        let decision = Decision {
            best: edge.mv,
            value: self.q(edge).unwrap_or(unvisited),
            draw: self.tree.child(edge).map_or_else(unvisited_draw, Node::draw),
            kl,
            simulations: self.simulations,
            proven: self.tree.node(ROOT).proven,
        };
        Judged { decision, slot, targets }
    }

    fn edges(&self) -> impl Iterator<Item = Edge> {
        self.tree.all_edges(ROOT).iter().copied()
    }

    /// The logarithm of each slot's prior, and the prior.
    fn priors(&self) -> Vec<(f32, f32)> {
        if let Some(gumbel) = self.gumbel {
            return gumbel.exact_priors().collect();
        }
        let sum: f32 = self.edges().map(|edge| edge.prior.get()).sum();
        self.edges().map(|edge| edge.prior.get() / sum).map(|prior| (prior.ln(), prior)).collect()
    }

    fn visits(&self, edge: Edge) -> u32 {
        self.tree.child(edge).map_or(0, |child| child.visits)
    }

    /// What a move is worth, if it has been visited.
    fn q(&self, edge: Edge) -> Option<f32> {
        self.tree.child(edge).map(|child| -child.value())
    }

    fn rank(&self, edge: Edge) -> i32 {
        Proven::rank(self.tree.of_move(edge))
    }

    fn root_move(&self, edge: Edge, prior: f32, target: f32) -> RootMove {
        let (visits, q, proven) = (self.visits(edge), self.q(edge), self.tree.of_move(edge));
        RootMove { mv: edge.mv, visits, prior, q, target, proven }
    }

    /// (prior, visits, some value) of each visited move.
    fn visited(
        &self,
        priors: &[(f32, f32)],
        value: impl Fn(&Node) -> f32,
    ) -> impl Iterator<Item = (f32, u32, f32)> {
        let (opened, _) = self.tree.edges(ROOT);
        priors.iter().zip(opened).filter_map(move |(&(_, prior), &edge)| {
            self.tree.child(edge).map(|child| (prior, child.visits, value(child)))
        })
    }

    /// Whose softmax are the targets; −∞ for moves that aren't worth playing.
    fn target_logits(
        &self,
        priors: &[(f32, f32)],
        unvisited: f32,
        most: Most,
        worthy: impl Fn(Edge) -> bool,
    ) -> Vec<f32> {
        let logit = |(edge, &(log_prior, _)): (Edge, &(f32, f32))| match self.gumbel {
            _ if !worthy(edge) => f32::NEG_INFINITY,
            Some(_) => {
                log_prior + gumbel::sigma(self.q(edge).unwrap_or(unvisited), most.of_all, self.settings)
            }
            // The share of the visits; the prior while there are none.
            None if most.of_worthy > 0 => (self.visits(edge) as f32).ln(),
            None => log_prior,
        };
        self.edges().zip(priors).map(logit).collect()
    }

    /// The slot of the move to play: the most visited of those worth playing; of equals, with a Gumbel root the one
    /// with the greatest g + logit + σ(q), with PUCT the greatest q.
    fn best(
        &self,
        priors: &[(f32, f32)],
        unvisited: f32,
        most: Most,
        worthy: impl Fn(Edge) -> bool,
    ) -> usize {
        let merit = |(slot, (edge, &(_, prior))): (usize, (Edge, &(f32, f32)))| {
            let merit = match self.gumbel {
                Some(gumbel) => {
                    gumbel.merit(slot, self.q(edge).unwrap_or(unvisited), most.of_all, self.settings)
                }
                None => self.q(edge).unwrap_or(prior),
            };
            (merit, slot)
        };
        let is_candidate =
            |(_, (edge, _)): &(usize, (Edge, _))| self.visits(*edge) == most.of_worthy && worthy(*edge);
        let candidates = self.edges().zip(priors).enumerate().filter(is_candidate).map(merit);
        // Of equals the first.
        let best =
            candidates.reduce(|best, next| if next.0.total_cmp(&best.0).is_gt() { next } else { best });
        best.expect("the root has a legal move").1
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

/// The visits of the most visited moves.
#[derive(Clone, Copy)]
struct Most {
    of_all: u32,
    /// Of those worth playing.
    of_worthy: u32,
}

/// Softmax of the logits, and its divergence from the priors.
fn targets(logits: Vec<f32>, priors: &[(f32, f32)]) -> (Vec<f32>, f32) {
    let mut targets = logits.clone();
    let (greatest, sum) = exponentiate(&mut targets);
    let log_sum = greatest + sum.ln();
    let mut kl = 0.0;
    for ((target, logit), (log_prior, _)) in targets.iter_mut().zip(logits).zip(priors) {
        *target = if logit > f32::NEG_INFINITY { *target / sum } else { 0.0 };
        if logit > f32::NEG_INFINITY {
            kl += *target * (logit - log_sum - log_prior);
        }
    }
    (targets, kl.max(0.0))
}

/// Sorts by visits, target and prior. Only the first `opened` have visits; of the others one that is likelier has a target
/// that is no smaller.
fn sort(moves: &mut [RootMove], opened: usize) {
    let (opened, unopened) = moves.split_at_mut(opened);
    opened.sort_by(|a, b| {
        b.visits.cmp(&a.visits).then(b.target.total_cmp(&a.target)).then(b.prior.total_cmp(&a.prior))
    });
    sort_descending(unopened, |root_move| root_move.prior);
}
