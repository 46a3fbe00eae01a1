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
struct Slot {
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

/// The best move with its slot, and the target of each slot.
struct Judged {
    decision: Decision,
    slot: usize,
    targets: Vec<f32>,
}

impl RootView<'_> {
    pub(crate) fn report(&self) -> Report {
        let slots = self.slots();
        let Judged { decision, slot, targets } = self.judge(&slots);
        let mut moves: Vec<RootMove> =
            slots.iter().zip(targets).map(|(slot, target)| slot.root_move(target)).collect();
        moves[..self.opened()].sort_by(|a, b| {
            b.visits.cmp(&a.visits).then(b.target.total_cmp(&a.target)).then(b.prior.total_cmp(&a.prior))
        });
        Report { decision, moves, line: self.line(slot) }
    }

    pub(crate) fn decide(&self) -> Decision {
        self.judge(&self.slots()).decision
    }

    fn slots(&self) -> Vec<Slot> {
        let edges = self.tree.all_edges(ROOT);
        let mut slots: Vec<Slot> = if let Some(gumbel) = self.gumbel {
            edges.iter().zip(gumbel.exact_priors()).map(Slot::unvisited).collect()
        } else {
            let sum: f32 = edges.iter().map(|edge| edge.prior.get()).sum();
            let priors = edges.iter().map(|edge| edge.prior.get() / sum).map(|prior| (prior.ln(), prior));
            edges.iter().zip(priors).map(Slot::unvisited).collect()
        };
        for slot in &mut slots[..self.opened()] {
            if let Some(child) = self.tree.child(slot.edge) {
                slot.visits = child.visits;
                slot.q = Some(-child.value());
                slot.proven = child.proven.map(Proven::of_move);
                slot.rank = Proven::rank(slot.proven);
            }
        }
        slots
    }

    /// Only the first so many slots have been visited.
    fn opened(&self) -> usize {
        self.tree.node(ROOT).opened.into()
    }

    fn judge(&self, slots: &[Slot]) -> Judged {
        let (opened, unopened) = slots.split_at(self.opened());
        let visited = |value: fn(&Node) -> f32| {
            let value = move |slot: &Slot| self.tree.child(slot.edge).map(value);
            opened.iter().filter_map(move |slot| Some((slot.prior, slot.visits, value(slot)?)))
        };
        let unvisited = gumbel::mixed_value(self.network.value(), visited(|child| -child.value()));
        // Only these are worth playing: a shortest win; else all that don't lose; else a longest loss.
        let best_rank = opened.iter().chain(unopened.first()).map(|slot| slot.rank).max().unwrap_or(0);
        let worthy = |slot: &Slot| slot.rank == best_rank;
        let most = Most {
            of_all: opened.iter().map(|slot| slot.visits).max().unwrap_or(0),
            of_worthy: opened.iter().filter(|slot| worthy(slot)).map(|slot| slot.visits).max().unwrap_or(0),
        };
        let logits = slots.iter().map(|slot| {
            if worthy(slot) { self.target_logit(slot, unvisited, most) } else { f32::NEG_INFINITY }
        });
        let (targets, kl) = targets(logits.collect(), slots);

        let merit = |(number, slot): (usize, &Slot)| (self.merit(number, slot, unvisited, most), number);
        let candidates = slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.visits == most.of_worthy && worthy(slot))
            .map(merit);
        // Of equals the first.
        let best =
            candidates.reduce(|best, next| if next.0.total_cmp(&best.0).is_gt() { next } else { best });
        let number = best.expect("the root has a legal move").1;

        let slot = &slots[number];
        let unvisited_draw = || gumbel::mixed_value(self.network.draw, visited(Node::draw));
        let decision = Decision {
            best: slot.edge.mv,
            value: slot.q.unwrap_or(unvisited),
            draw: self.tree.child(slot.edge).map_or_else(unvisited_draw, Node::draw),
            kl,
            simulations: self.simulations,
            proven: self.tree.node(ROOT).proven,
        };
        Judged { decision, slot: number, targets }
    }

    /// The targets are the softmax of these.
    fn target_logit(&self, slot: &Slot, unvisited: f32, most: Most) -> f32 {
        match self.gumbel {
            Some(_) => {
                slot.log_prior + gumbel::sigma(slot.q.unwrap_or(unvisited), most.of_all, self.settings)
            }
            // The share of the visits; the prior while there are none.
            None if most.of_worthy > 0 => (slot.visits as f32).ln(),
            None => slot.log_prior,
        }
    }

    /// Of the most visited moves that are worth playing, the one where this is greatest is played: with a Gumbel root g +
    /// logit + σ(q), with PUCT q.
    fn merit(&self, number: usize, slot: &Slot, unvisited: f32, most: Most) -> f32 {
        match self.gumbel {
            Some(gumbel) => gumbel.merit(number, slot.q.unwrap_or(unvisited), most.of_all, self.settings),
            None => slot.q.unwrap_or(slot.prior),
        }
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

impl Slot {
    /// A move before its first visit, with the logarithm of its prior, and the prior.
    fn unvisited((&edge, (log_prior, prior)): (&Edge, (f32, f32))) -> Self {
        Self { edge, log_prior, prior, visits: 0, q: None, proven: None, rank: 0 }
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
fn targets(logits: Vec<f32>, slots: &[Slot]) -> (Vec<f32>, f32) {
    let mut targets = logits.clone();
    let (greatest, sum) = exponentiate(&mut targets);
    let log_sum = greatest + sum.ln();
    let mut kl = 0.0;
    for ((target, logit), slot) in targets.iter_mut().zip(logits).zip(slots) {
        if logit > f32::NEG_INFINITY {
            *target /= sum;
            kl += *target * (logit - log_sum - slot.log_prior);
        } else {
            *target = 0.0;
        }
    }
    (targets, kl.max(0.0))
}
