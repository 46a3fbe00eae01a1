//! Which move a walk follows, while other walks are under way.

use super::heads::Heads;
use crate::settings::Settings;
use crate::tree::Tree;
use rules::Move;

/// So many scores are reckoned side by side.
const LANES: usize = 8;

/// The slot of the move to follow, or `None` while all that could be followed lead to leaves that other walks are at.
///
/// The formula is [`crate::puct`]'s, and without other walks the outcome is the same. Walks under way count as visits
/// but not as results: n and N include them, q doesn't (Liu, Chen, Yu, Zhai, Zhou, Liu 2020, "Watch the Unobserved":
/// unlike a virtual loss this doesn't drive the others away from a move that is clearly best). A leaf that another
/// walk is at isn't followed.
///
/// `draw` is what a draw is worth to the node's mover, `may` says which moves it has.
pub(super) fn select(
    tree: &Tree,
    heads: &Heads,
    index: u32,
    draw: f32,
    may: impl Fn(Move) -> bool,
    settings: &Settings,
) -> Option<usize> {
    let node = tree.node(index);
    let (opened, unopened) = tree.edges(index);
    let visits = (node.visits + u32::from(node.flights)) as f32;
    let growth = ((1.0 + visits + settings.c_puct_base) / settings.c_puct_base).ln();
    let exploration = (growth + settings.c_puct_init) * visits.sqrt();

    let heads = heads.children(index, opened.len());
    let mut best = (f32::NEG_INFINITY, None);
    let mut visited_prior = 0.0;
    for (number, (edges, heads)) in opened.chunks(LANES).zip(heads.chunks(LANES)).enumerate() {
        let mut scores = [f32::NEG_INFINITY; LANES];
        for ((score, edge), head) in scores.iter_mut().zip(edges).zip(heads) {
            *score = exploration * edge.prior.get() / head.divisor + head.q;
        }
        for (lane, (edge, score)) in edges.iter().zip(scores).enumerate() {
            visited_prior += edge.prior.get();
            if score > best.0 && may(edge.mv) {
                best = (score, Some(number * LANES + lane));
            }
        }
    }
    if let Some(edge) = unopened.first().filter(|edge| may(edge.mv)) {
        let unvisited = node.value_given_draw(draw) - settings.fpu_reduction * visited_prior.sqrt();
        if unvisited + exploration * edge.prior.get() > best.0 {
            best.1 = Some(opened.len());
        }
    }
    best.1
}
