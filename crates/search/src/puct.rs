//! PUCT: which move to follow below the root (and at a [`Root::Puct`](crate::Root::Puct)).

use crate::proven::Proven;
use crate::settings::Settings;
use crate::tree::{Edge, Tree};
use std::array;

/// c(N) · √N (see [`select`]).
pub(crate) fn exploration(visits: u32, settings: &Settings) -> f32 {
    let visits = visits as f32;
    let growth = ((1.0 + visits + settings.c_puct_base) / settings.c_puct_base).ln();
    (growth + settings.c_puct_init) * visits.sqrt()
}

/// The same as a table for the first visits, since small trees are walked often: self-play without a net takes 2 % less
/// time.
#[derive(Clone, Debug)]
pub(crate) struct Explorations([f32; 64]);

impl Explorations {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self(array::from_fn(|visits| exploration(visits as u32, settings)))
    }

    fn after(&self, visits: u32, settings: &Settings) -> f32 {
        self.0.get(visits as usize).copied().unwrap_or_else(|| exploration(visits, settings))
    }
}

/// The slot of the move that a simulation follows from an open node.
///
/// Silver et al. 2018, with p the prior, n the move's visits, N the node's:
/// q + c(N) · p · √N / (1 + n), c(N) = ln((1 + N + `c_puct_base`) / `c_puct_base`) + `c_puct_init`.
/// An unvisited move's q is the node's value less `fpu_reduction` · √(sum of the visited moves' priors), as in
/// `KataGo` and Lc0. A move that is proven to lose is never followed. The first of equals wins.
///
/// All unvisited moves have the same q, so of these only the likeliest counts, which the tree keeps in front.
pub(crate) fn select(tree: &Tree, index: u32, settings: &Settings, explorations: &Explorations) -> usize {
    let node = tree.node(index);
    let (opened, unopened) = tree.edges(index);
    let exploration = explorations.after(node.visits, settings);

    let mut best = (f32::NEG_INFINITY, None);
    let mut visited_prior = 0.0;
    for (slot, &edge) in opened.iter().enumerate() {
        let child = tree.child(edge).expect("an opened move has a child");
        visited_prior += edge.prior.get();
        if matches!(child.proven, Some(Proven::Win { .. })) {
            continue;
        }
        let score = exploration * edge.prior.get() / (1 + child.visits) as f32 - child.value();
        if score > best.0 {
            best = (score, Some(slot));
        }
    }
    if let Some(Edge { prior, .. }) = unopened.first() {
        let unvisited_value = node.value() - settings.fpu_reduction * visited_prior.sqrt();
        if unvisited_value + exploration * prior.get() > best.0 {
            best.1 = Some(opened.len());
        }
    }
    best.1.expect("a node of which all moves lose is proven and isn't searched")
}
