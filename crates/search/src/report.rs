//! What a search has found.

use crate::gumbel::{self, Gumbel};
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
    /// All legal moves: those visited, most visited first, then the others in no order of meaning.
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

/// What is known about the move in a slot.
#[derive(Clone, Copy)]
struct Choice {
    edge: Edge,
    log_prior: f32,
    prior: f32,
    visits: u32,
    /// What it is worth to the root's mover, if it has been visited.
    q: Option<f32>,
    /// The result after it, from the root mover's view, if it is certain.
    proven: Option<Proven>,
    /// The place of this result among results.
    rank: i32,
}

/// The best move with its slot, and the target of each choice.
struct Judged {
    decision: Decision,
    slot: usize,
    targets: Vec<f32>,
}

impl RootView<'_> {
    pub(crate) fn report(&self) -> Report {
        let choices = self.choices();
        let Judged { decision, slot, targets } = self.judge(&choices);
        let mut moves: Vec<RootMove> =
            choices.iter().zip(targets).map(|(choice, target)| choice.root_move(target)).collect();
        moves[..self.opened()].sort_by(|a, b| {
            b.visits.cmp(&a.visits).then(b.target.total_cmp(&a.target)).then(b.prior.total_cmp(&a.prior))
        });
        Report { decision, moves, line: self.line(slot) }
    }

    pub(crate) fn decide(&self) -> Decision {
        self.judge(&self.choices()).decision
    }

    fn choices(&self) -> Vec<Choice> {
        let edges = self.tree.all_edges(ROOT);
        let mut choices: Vec<Choice> = if let Some(gumbel) = self.gumbel {
            edges.iter().zip(gumbel.exact_priors()).map(Choice::unvisited).collect()
        } else {
            let sum: f32 = edges.iter().map(|edge| edge.prior.get()).sum();
            let priors = edges.iter().map(|edge| edge.prior.get() / sum).map(|prior| (prior.ln(), prior));
            edges.iter().zip(priors).map(Choice::unvisited).collect()
        };
        for choice in &mut choices[..self.opened()] {
            if let Some(child) = self.tree.child(choice.edge) {
                choice.visits = child.visits;
                choice.q = Some(-child.value());
                choice.proven = child.proven.map(Proven::of_move);
                choice.rank = Proven::rank(choice.proven);
            }
        }
        choices
    }

    /// Only the first so many choices have been visited.
    fn opened(&self) -> usize {
        self.tree.node(ROOT).opened.into()
    }

    fn judge(&self, choices: &[Choice]) -> Judged {
        let (opened, unopened) = choices.split_at(self.opened());
        let visited = |value: fn(&Node) -> f32| {
            let value = move |choice: &Choice| self.tree.child(choice.edge).map(value);
            opened.iter().filter_map(move |choice| Some((choice.prior, choice.visits, value(choice)?)))
        };
        let unvisited = gumbel::mixed_value(self.network.value(), visited(|child| -child.value()));
        // Only these are worth playing: a shortest win; else all that don't lose; else a longest loss.
        let best_rank = opened.iter().chain(unopened.first()).map(|choice| choice.rank).max().unwrap_or(0);
        let worthy = |choice: &Choice| choice.rank == best_rank;
        let most = Most {
            of_all: opened.iter().map(|choice| choice.visits).max().unwrap_or(0),
            of_worthy: opened
                .iter()
                .filter(|choice| worthy(choice))
                .map(|choice| choice.visits)
                .max()
                .unwrap_or(0),
        };
        let logits = choices.iter().map(|choice| {
            if worthy(choice) { self.target_logit(choice, unvisited, most) } else { f32::NEG_INFINITY }
        });
        let (targets, kl) = targets(logits.collect(), choices);

        let merit = |(slot, choice): (usize, &Choice)| (self.merit(slot, choice, unvisited, most), slot);
        let candidates = choices
            .iter()
            .enumerate()
            .filter(|(_, choice)| choice.visits == most.of_worthy && worthy(choice))
            .map(merit);
        // Of equals the first.
        let best =
            candidates.reduce(|best, next| if next.0.total_cmp(&best.0).is_gt() { next } else { best });
        let slot = best.expect("the root has a legal move").1;

        let choice = &choices[slot];
        let unvisited_draw = || gumbel::mixed_value(self.network.draw, visited(Node::draw));
        let decision = Decision {
            best: choice.edge.mv,
            value: choice.q.unwrap_or(unvisited),
            draw: self.tree.child(choice.edge).map_or_else(unvisited_draw, Node::draw),
            kl,
            simulations: self.simulations,
            proven: self.tree.node(ROOT).proven,
        };
        Judged { decision, slot, targets }
    }

    /// The targets are the softmax of these.
    fn target_logit(&self, choice: &Choice, unvisited: f32, most: Most) -> f32 {
        match self.gumbel {
            Some(_) => {
                choice.log_prior + gumbel::sigma(choice.q.unwrap_or(unvisited), most.of_all, self.settings)
            }
            // The share of the visits; the prior while there are none.
            None if most.of_worthy > 0 => (choice.visits as f32).ln(),
            None => choice.log_prior,
        }
    }

    /// Of the most visited moves that are worth playing, the one where this is greatest is played: with a Gumbel root g +
    /// logit + σ(q), with PUCT q.
    fn merit(&self, slot: usize, choice: &Choice, unvisited: f32, most: Most) -> f32 {
        match self.gumbel {
            Some(gumbel) => gumbel.merit(slot, choice.q.unwrap_or(unvisited), most.of_all, self.settings),
            None => choice.q.unwrap_or(choice.prior),
        }
    }

    fn line(&self, slot: usize) -> Vec<Move> {
        let edge = self.tree.edge(ROOT, slot);
        let mut line = vec![edge.mv];
        if let Some(child) = edge.child {
            line.extend(self.tree.line_from(child.get()));
        }
        line
    }
}

impl Choice {
    /// A move before its first visit, with the logarithm of its prior, and the prior.
    fn unvisited((&edge, (log_prior, prior)): (&Edge, (f32, f32))) -> Self {
        Self { edge, log_prior, prior, visits: 0, q: None, proven: None, rank: Proven::rank(None) }
    }

    fn root_move(&self, target: f32) -> RootMove {
        let Self { edge, prior, visits, q, proven, .. } = *self;
        RootMove { mv: edge.mv, visits, prior, q, target, proven }
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
fn targets(logits: Vec<f32>, choices: &[Choice]) -> (Vec<f32>, f32) {
    let mut targets = logits.clone();
    let (greatest, sum) = exponentiate(&mut targets);
    let log_sum = greatest + sum.ln();
    let mut kl = 0.0;
    for ((target, logit), choice) in targets.iter_mut().zip(logits).zip(choices) {
        if logit > f32::NEG_INFINITY {
            *target /= sum;
            kl += *target * (logit - log_sum - choice.log_prior);
        } else {
            *target = 0.0;
        }
    }
    (targets, kl.max(0.0))
}
