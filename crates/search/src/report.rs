//! What a search has found.

use crate::gumbel::{self, Gumbel};
use crate::order::sort_descending;
use crate::proven::Proven;
use crate::settings::Settings;
use crate::tree::{Edge, Family as _, Node, ROOT, Tree};
use evaluator::{Wdl, exponentiate};
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
        let priors = self.priors();
        let mut moves: Vec<RootMove> =
            self.edges().zip(&priors).map(|(edge, &(_, prior))| self.root_move(edge, prior)).collect();
        let unvisited =
            gumbel::mixed_value(self.network.value(), self.visited(&moves, |child| -child.value()));
        let unvisited_draw = gumbel::mixed_value(self.network.draw, self.visited(&moves, Node::draw));
        // Only these are worth playing: a shortest win; else all that don't lose; else a longest loss.
        let best_rank = moves.iter().map(rank).max().unwrap_or(0);
        let worthy = |root_move: &RootMove| rank(root_move) == best_rank;
        let logits = self.target_logits(&moves, &priors, unvisited, worthy);
        let kl = set_targets(&mut moves, &logits, &priors);

        let slot = self.best(&moves, unvisited, worthy);
        let best = moves[slot];
        let draw = self.tree.child(self.tree.edge(ROOT, slot)).map_or(unvisited_draw, Node::draw);
        sort(&mut moves, self.tree.edges(ROOT).0.len());
        Report {
            best: best.mv,
            value: best.q.unwrap_or(unvisited),
            draw,
            kl,
            simulations: self.simulations,
            line: self.line(slot),
            proven: self.tree.node(ROOT).proven,
            moves,
        }
    }

    fn edges(&self) -> impl Iterator<Item = Edge> {
        let (opened, unopened) = self.tree.edges(ROOT);
        opened.iter().chain(unopened).copied()
    }

    /// The logarithm of each move's prior, and the prior.
    fn priors(&self) -> Vec<(f32, f32)> {
        if let Some(gumbel) = self.gumbel {
            return gumbel.exact_priors().collect();
        }
        let sum: f32 = self.edges().map(|edge| edge.prior.get()).sum();
        self.edges().map(|edge| edge.prior.get() / sum).map(|prior| (prior.ln(), prior)).collect()
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
        let (opened, _) = self.tree.edges(ROOT);
        moves.iter().zip(opened).filter_map(move |(root_move, &edge)| {
            self.tree.child(edge).map(|child| (root_move.prior, child.visits, value(child)))
        })
    }

    /// Whose softmax are the targets; −∞ for moves that aren't worth playing.
    fn target_logits(
        &self,
        moves: &[RootMove],
        priors: &[(f32, f32)],
        unvisited: f32,
        worthy: impl Fn(&RootMove) -> bool,
    ) -> Vec<f32> {
        let most = most_visits(moves.iter());
        let worthy_most = most_visits(moves.iter().filter(|root_move| worthy(root_move)));
        let logit = |(root_move, &(log_prior, _)): (&RootMove, &(f32, f32))| match self.gumbel {
            _ if !worthy(root_move) => f32::NEG_INFINITY,
            Some(_) => log_prior + gumbel::sigma(root_move.q.unwrap_or(unvisited), most, self.settings),
            // The share of the visits; the prior while there are none.
            None if worthy_most > 0 => (root_move.visits as f32).ln(),
            None => log_prior,
        };
        moves.iter().zip(priors).map(logit).collect()
    }

    /// The slot of the move to play: the most visited of those worth playing; of equals, with a Gumbel root the one
    /// with the greatest g + logit + σ(q), with PUCT the greatest q.
    fn best(&self, moves: &[RootMove], unvisited: f32, worthy: impl Fn(&RootMove) -> bool) -> usize {
        let most = most_visits(moves.iter());
        let worthy_most = most_visits(moves.iter().filter(|root_move| worthy(root_move)));
        let merit = |(slot, root_move): (usize, &RootMove)| {
            let merit = match self.gumbel {
                Some(gumbel) => gumbel.merit(slot, root_move.q.unwrap_or(unvisited), most, self.settings),
                None => root_move.q.unwrap_or(root_move.prior),
            };
            (merit, slot)
        };
        let candidates = moves
            .iter()
            .enumerate()
            .filter(|(_, root_move)| worthy(root_move) && root_move.visits == worthy_most)
            .map(merit);
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

fn rank(root_move: &RootMove) -> i32 {
    Proven::rank(root_move.proven)
}

fn most_visits<'a>(moves: impl Iterator<Item = &'a RootMove>) -> u32 {
    moves.map(|root_move| root_move.visits).max().unwrap_or(0)
}

/// Fills in the targets, softmax(`logits`), and returns their divergence from the priors.
fn set_targets(moves: &mut [RootMove], logits: &[f32], priors: &[(f32, f32)]) -> f32 {
    let mut powers = logits.to_vec();
    let (greatest, sum) = exponentiate(&mut powers);
    let log_sum = greatest + sum.ln();
    let mut kl = 0.0;
    for (((root_move, power), logit), (log_prior, _)) in moves.iter_mut().zip(powers).zip(logits).zip(priors)
    {
        if *logit > f32::NEG_INFINITY {
            root_move.target = power / sum;
            kl += root_move.target * (logit - log_sum - log_prior);
        }
    }
    kl.max(0.0)
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
