//! From nothing to beating a searcher: that the parts together learn. Bounded in positions, never in time.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use arena::{Baseline, MatchSettings, Score, Searcher, SearcherSettings};
use net::{SparseEvaluator, SparseNet};
use pipeline::{Config, Options, Silent};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The champion's score against a built-in opponent, 32 simulations a move, colours swapped.
fn score(root: &Path, opponent: &str, games: u32) -> Score {
    let net = Arc::new(SparseNet::new(&pipeline::champion(root).unwrap()).unwrap());
    let opponent: Baseline = opponent.parse().unwrap();
    let settings = MatchSettings { pairs: games / 2, threads: 2, seed: 1, ..MatchSettings::default() };
    let champion = || {
        let evaluator = SparseEvaluator::new(Arc::clone(&net));
        Searcher::new("champion", evaluator, &SearcherSettings::default()).unwrap()
    };
    let stop = AtomicBool::new(false);
    arena::play_match(&settings, champion, || opponent.player(), &stop, |_, _| ControlFlow::Continue(()))
        .unwrap()
        .score
}

/// With the default settings, whose runs score 98 % against depth 1 at this point.
#[test]
fn a_quarter_of_a_million_positions_beat_a_searcher_of_depth_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    // The ladder is measured below.
    config.run.ladder_every_generations = 1000;
    let options = Options {
        threads: NonZeroUsize::new(2).unwrap(),
        generations: None,
        positions: Some(250_000),
        core_secs: None,
        cooldown: false,
        device: torch::Device::Cpu,
        clock: std::time::SystemTime::now,
        program: "test".to_owned(),
    };
    let state =
        pipeline::train(folder.path(), &config, &options, &AtomicBool::new(false), &mut Silent).unwrap();
    assert!(state.champion().generation > 1, "the gate lets better nets through");

    let depth_1 = score(folder.path(), "depth-1", 60);
    let random = score(folder.path(), "random", 40);
    assert!(depth_1.share() > 0.75, "against depth 1: {depth_1}");
    assert!(random.share() > 0.9, "against random: {random}");
}
