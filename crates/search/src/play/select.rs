//! Which move a walk follows, while other walks are under way.

use super::head::Head;
use super::pools::{Pools, edge_of};
use crate::puct;
use crate::settings::Settings;
use crate::tree::{Node, Prior};
use rules::Move;
use std::sync::atomic::Ordering;

/// So many scores are reckoned side by side.
const LANES: usize = 8;

/// The slot of the move to follow, or `None` while all that could be followed lead to leaves that other walks are at.
///
/// The formula is [`crate::puct`]'s, and without other walks the outcome is the same. Walks under way count as visits
/// but not as results: n and N include them, q doesn't (Liu, Chen, Yu, Zhai, Zhou, Liu 2020, "Watch the Unobserved":
/// unlike a virtual loss this doesn't drive the others away from a move that is clearly best). A leaf that another
/// walk is at isn't followed.
///
/// `node` is the one with this index, as it was read; `draw` is what a draw is worth to its mover, `may` says which
/// moves it has.
pub(super) fn select(
    pools: &Pools,
    index: u32,
    node: &Node,
    draw: f32,
    may: impl Fn(Move) -> bool,
    settings: &Settings,
) -> Option<usize> {
    let (opened, unopened) = pools.edges(node).split_at(node.opened.into());
    let exploration = puct::exploration(node.visits + u32::from(node.flights), settings);

    let heads = pools.heads(index, opened.len());
    let mut best = (f32::NEG_INFINITY, None);
    let mut visited_prior = 0.0;
    for (number, (edges, heads)) in opened.chunks(LANES).zip(heads.chunks(LANES)).enumerate() {
        let (mut priors, mut scores) = ([0.0; LANES], [f32::NEG_INFINITY; LANES]);
        for (((prior, score), edge), head) in priors.iter_mut().zip(&mut scores).zip(edges).zip(heads) {
            *prior = Prior::from_bits(edge.load(Ordering::Relaxed) as u16).get();
            let head = Head::from_word(head.load(Ordering::Relaxed));
            *score = exploration * *prior / head.divisor + head.q;
        }
        for (lane, (edge, (prior, score))) in edges.iter().zip(priors.into_iter().zip(scores)).enumerate() {
            visited_prior += prior;
            if score > best.0 && may(edge_of(edge.load(Ordering::Relaxed)).mv) {
                best = (score, Some(number * LANES + lane));
            }
        }
    }
    let first = unopened.first().map(|edge| edge_of(edge.load(Ordering::Relaxed)));
    if let Some(edge) = first.filter(|edge| may(edge.mv)) {
        let unvisited = node.value_given_draw(draw) - settings.fpu_reduction * visited_prior.sqrt();
        if unvisited + exploration * edge.prior.get() > best.0 {
            best.1 = Some(opened.len());
        }
    }
    best.1
}
