//! How fast the baselines are.

use arena::{AlphaBeta, Depth, MatchSettings, play_match};
use divan::Bencher;
use divan::counter::ItemsCount;
use rules::Position;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

fn main() {
    divan::main();
}

fn alpha_beta(depth: u8) -> AlphaBeta {
    AlphaBeta::new(Depth::new(depth).expect("between 1 and 8"))
}

/// Games between depth 1 and itself, on one thread.
#[divan::bench]
fn games_depth_1(bencher: Bencher<'_, '_>) {
    let settings = MatchSettings { pairs: 20, ..MatchSettings::default() };
    bencher.counter(ItemsCount::new(2 * settings.pairs)).bench(|| {
        let stop = AtomicBool::new(false);
        play_match(&settings, || alpha_beta(1), || alpha_beta(1), &stop, |_, _| ControlFlow::Continue(()))
    });
}

/// Nodes of alpha-beta, leaves not counted, in an open middle game.
#[divan::bench(args = [1, 2, 3, 4])]
fn alpha_beta_nodes(bencher: Bencher<'_, '_>, depth: u8) {
    let fen = "r1bakab1r/9/1cn4c1/p1p1p3p/6p2/2P6/P3P1P1P/1C2C1N2/9/RNBAKABR1 b - - 1 6";
    let position: Position = fen.parse().expect("a valid position");
    let mut counting = alpha_beta(depth);
    counting.best_moves(&position);
    bencher
        .counter(ItemsCount::new(counting.nodes()))
        .with_inputs(|| alpha_beta(depth))
        .bench_values(|mut player| player.best_moves(&position));
}
