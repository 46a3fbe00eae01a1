//! The Gumbel root: Danihelka, Guez, Schrittwieser, Silver 2022, "Policy improvement by planning with Gumbel".
//!
//! Of all moves the m with the greatest g + logit are considered (g: Gumbel noise, or 0), and sequential halving
//! (Karnin, Koren, Somekh 2013) shares the simulations between them. The result is a policy that is better than
//! the prior however few the simulations: softmax(logits + σ(completed q)).
//!
//! Ours ↔ theirs: [`considered_moves`] = m, simulations = n, log-priors = logits (they differ by a constant, which
//! changes nothing).

use crate::noise::{self, gumbel_noise};
use crate::settings::Settings;
use crate::tree::{Prior, ROOT, Tree};
use rand::Rng;
use rules::Move;

/// How many moves a search of so many simulations considers: up to 4 below 16 simulations, 8 below 64, then 16 (the
/// paper: min(n, 16)). Fewer moves leave each with enough visits to tell it from the others.
pub const fn considered_moves(simulations: u32) -> u32 {
    match simulations {
        0..4 => simulations,
        4..16 => 4,
        16..64 => 8,
        64.. => 16,
    }
}

/// The state of a Gumbel root. Everything per move is in the order of the root's edges: those considered first, by g +
/// logit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gumbel {
    candidates: Vec<Candidate>,
    /// For each simulation: how many visits the move that it follows must have.
    schedule: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    mv: Move,
    prior: f32,
    log_prior: f32,
    /// Gumbel noise + log-prior.
    perturbed: f32,
}

impl Gumbel {
    /// The moves of a new root with their noise (0 without a generator), before anything is known about them.
    pub(crate) fn reset(&mut self, moves: &[Move], rng: Option<&mut impl Rng>) {
        self.candidates.clear();
        self.candidates.extend(moves.iter().map(|&mv| Candidate {
            mv,
            prior: 0.0,
            log_prior: 0.0,
            perturbed: 0.0,
        }));
        if let Some(rng) = rng {
            for candidates in self.candidates.chunks_mut(noise::LANES) {
                for (candidate, noise) in candidates.iter_mut().zip(gumbel_noise(rng)) {
                    candidate.perturbed = noise;
                }
            }
        }
    }

    /// Takes in the priors and before them their logarithms (in the order of the moves as they were given) and makes the
    /// plan.
    pub(crate) fn prepare(&mut self, priors: impl Iterator<Item = (f32, f32)>, simulations: u32) {
        for (candidate, (log_prior, prior)) in self.candidates.iter_mut().zip(priors) {
            candidate.prior = prior;
            candidate.log_prior = log_prior;
            candidate.perturbed += log_prior;
        }
        let considered = considered_moves(simulations).min(self.candidates.len() as u32);
        bring_greatest_forward(&mut self.candidates, considered as usize);
        write_schedule(&mut self.schedule, simulations, considered);
    }

    /// The moves with their priors, in the order of the root's edges.
    pub(crate) fn priors(&self) -> impl Iterator<Item = (Move, Prior)> {
        self.candidates.iter().map(|candidate| (candidate.mv, Prior::new(candidate.prior)))
    }

    /// The priors' logarithms, and the priors, in the order of the root's edges.
    pub(crate) fn exact_priors(&self) -> impl Iterator<Item = (f32, f32)> {
        self.candidates.iter().map(|candidate| (candidate.log_prior, candidate.prior))
    }

    /// The slot of the move that this simulation (counted from 0) follows.
    pub(crate) fn select(&self, tree: &Tree, simulation: u32, settings: &Settings) -> usize {
        let visits = self.schedule[simulation as usize];
        let (opened, _) = tree.edges(ROOT);
        if visits == 0 {
            // The moves considered are ordered by g + logit, so the first without a child is the best of them.
            return opened.len();
        }
        // The schedule never decreases, so no move has more visits than the one that was followed last.
        let most = self.schedule[simulation as usize - 1] + 1;
        let mut best = (f32::NEG_INFINITY, 0);
        for (slot, child) in opened.iter().filter_map(|&edge| tree.child(edge)).enumerate() {
            if child.visits == visits {
                let merit = self.merit(slot, -child.value(), most, settings);
                if merit > best.0 {
                    best = (merit, slot);
                }
            }
        }
        best.1
    }

    /// g + logit + σ(q), by which moves with equal visits are ordered.
    pub(crate) fn merit(&self, slot: usize, q: f32, most_visits: u32, settings: &Settings) -> f32 {
        self.candidates[slot].perturbed + sigma(q, most_visits, settings)
    }
}

/// Puts the candidates of greatest g + logit first, in descending order, as many as are considered.
fn bring_greatest_forward(candidates: &mut [Candidate], considered: usize) {
    for place in 0..considered {
        let rest = &mut candidates[place..];
        let mut greatest = (f32::NEG_INFINITY, 0);
        for (other, candidate) in rest.iter().enumerate() {
            if candidate.perturbed > greatest.0 {
                greatest = (candidate.perturbed, other);
            }
        }
        rest.swap(0, greatest.1);
    }
}

/// Sequential halving as a table: simulation i follows the best move among those that have `schedule[i]` visits.
///
/// Each round gives the moves that are left an equal share of n / ⌈log2 m⌉ simulations, at least one visit each, then
/// drops the worse half; the last two share what remains. This form is mctx's (`seq_halving`).
fn write_schedule(schedule: &mut Vec<u32>, simulations: u32, considered: u32) {
    schedule.clear();
    let simulations = simulations as usize;
    if considered <= 1 {
        schedule.extend(0..simulations as u32);
        return;
    }
    let rounds = considered.next_power_of_two().ilog2();
    let mut left = considered;
    let mut visits = 0;
    while schedule.len() < simulations {
        let share = (simulations as u32 / (rounds * left)).max(1);
        for visits in visits..visits + share {
            schedule.extend(std::iter::repeat_n(visits, left as usize));
        }
        visits += share;
        left = (left / 2).max(2);
    }
    schedule.truncate(simulations);
}

/// σ: how much a value in [−1, 1] counts against a logit, (`c_visit` + most visits) · `c_scale` · (q + 1) / 2.
pub(crate) fn sigma(q: f32, most_visits: u32, settings: &Settings) -> f32 {
    (settings.c_visit + most_visits as f32) * settings.c_scale * (q + 1.0) / 2.0
}

/// What an unvisited move is taken to be worth: the paper's `v_mix` (appendix D),
/// (v + N · Σ π q / Σ π) / (1 + N), the sums over the visited moves, N all their visits, v the network's value.
///
/// `visited`: (π, visits, q) of each visited move.
pub(crate) fn mixed_value(network: f32, visited: impl Iterator<Item = (f32, u32, f32)>) -> f32 {
    let (mut visits, mut priors, mut weighted) = (0.0, 0.0, 0.0);
    for (prior, count, q) in visited {
        visits += count as f32;
        priors += prior;
        weighted += prior * q;
    }
    if priors > 0.0 { (network + visits * weighted / priors) / (1.0 + visits) } else { network }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(simulations: u32, considered: u32) -> Vec<u32> {
        let mut schedule = Vec::new();
        write_schedule(&mut schedule, simulations, considered);
        schedule
    }

    #[test]
    fn the_schedule_is_sequential_halving() {
        // 8 moves once; 4 moves twice; 2 moves with the rest. 32 / (3 · 8) = 1, 32 / (3 · 4) = 2.
        let rest = [3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10];
        assert_eq!(schedule(32, 8), [&[0; 8][..], &[1; 4], &[2; 4], &rest].concat());
        // 4 moves once, 2 moves twice. 8 / (2 · 4) = 1, 8 / (2 · 2) = 2.
        assert_eq!(schedule(8, 4), [0, 0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(schedule(1, 1), [0]);
        assert_eq!(schedule(3, 1), [0, 1, 2]);
        // Fewer simulations than moves: each once, as far as they go.
        assert_eq!(schedule(3, 8), [0, 0, 0]);
        // An odd number: 3 moves once (6 / (2 · 3) = 1), then 2 moves.
        assert_eq!(schedule(6, 3), [0, 0, 0, 1, 1, 2]);
    }

    #[test]
    fn more_simulations_consider_more_moves() {
        let counts = [1, 2, 8, 15, 16, 32, 63, 64, 800].map(considered_moves);
        assert_eq!(counts, [1, 2, 4, 4, 8, 8, 8, 16, 16]);
    }

    #[test]
    fn sigma_by_hand() {
        let settings = Settings { c_visit: 50.0, c_scale: 1.0, ..Settings::default() };
        for (q, most_visits, expected) in [(-1.0, 7, 0.0), (0.0, 10, 30.0), (1.0, 0, 50.0)] {
            assert!((sigma(q, most_visits, &settings) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn mixed_value_by_hand() {
        // Σ π q / Σ π = (0.5 · 0.2 + 0.25 · −0.4) / 0.75 = 0; (0.3 + 4 · 0) / 5.
        let mixed = mixed_value(0.3, [(0.5, 3, 0.2), (0.25, 1, -0.4)].into_iter());
        assert!((mixed - 0.06).abs() < 1e-6, "{mixed}");
        assert!((mixed_value(0.3, std::iter::empty()) - 0.3).abs() < 1e-6);
    }
}
