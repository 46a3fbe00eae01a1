//! Which moves are thought about and which is played.

use crate::support::{MIDDLEGAME, game, hashed, nodes, settings, think, thinker};
use engine::think::{Level, Proven, Task, ThinkerSettings, Thought, Variety};
use evaluator::{Hashed, Uniform};
use rules::{Move, START_FEN};
use std::collections::BTreeSet;

#[test]
fn the_same_question_gets_the_same_answer() {
    let mut thinker = hashed(1);
    let task = Task { lines: 5, ..nodes(700) };
    let first = think(&mut thinker, &game(MIDDLEGAME), &task).unwrap();
    think(&mut thinker, &game(START_FEN), &Task { depth: Some(4), ..Task::default() }).unwrap();
    for _ in 0..2 {
        let again = think(&mut thinker, &game(MIDDLEGAME), &task).unwrap();
        assert_eq!(first.lines, again.lines);
        assert_eq!((first.nodes, first.depth, first.seldepth), (again.nodes, again.depth, again.seldepth));
    }
}

#[test]
fn lc0_1072_more_lines_change_neither_visits_nor_the_best_move() {
    let game = game(MIDDLEGAME);
    let lines = |lines| think(&mut hashed(1), &game, &Task { lines, ..nodes(800) }).unwrap().lines;
    let (one, four, all) = (lines(1), lines(4), lines(500));
    assert_eq!((&all[..1], &all[..4]), (&one[..], &four[..]));
    assert_eq!(all.len(), game.permitted_moves().len());
    // Fewer moves than lines.
    let two_moves = self::game("4k4/9/9/9/9/9/9/9/4N4/4K4 w");
    let lines = think(&mut hashed(1), &two_moves, &Task { lines: 500, ..nodes(50) }).unwrap().lines;
    let moves: Vec<String> = lines.iter().map(|line| line.mv.to_string()).collect();
    assert_eq!(BTreeSet::from_iter(moves), BTreeSet::from(["e0d0".to_owned(), "e0f0".to_owned()]));
}

#[test]
fn only_the_moves_asked_for() {
    let game = game(MIDDLEGAME);
    let legal = game.permitted_moves();
    for threads in [1, 2] {
        let mut thinker = hashed(threads);
        for only in [vec![legal[4]], vec![legal[0], legal[9], legal[2]]] {
            let task = Task { only: Some(only.clone()), lines: 10, ..nodes(300) };
            assert_eq!(think(&mut thinker, &game, &task).unwrap().lines.len(), only.len());
        }
        // Nothing is allowed: nothing is thought, and nothing hangs.
        let illegal: Move = "a0a9".parse().unwrap();
        for only in [vec![], vec![illegal]] {
            let task = Task { only: Some(only), ..Task::default() };
            let thought = think(&mut thinker, &game, &task).unwrap();
            assert_eq!((thought.nodes, thought.lines), (0, vec![]));
        }
        let mated = self::game("3k5/9/3P5/9/9/9/9/9/4R4/4K4 b");
        assert!(think(&mut thinker, &mated, &Task::default()).unwrap().lines.is_empty());
    }
}

#[test]
fn the_tree_is_kept_as_the_game_goes_on() {
    let mut game = game(MIDDLEGAME);
    let mut thinker = hashed(2);
    let deep = Task { depth: Some(6), ..Task::default() };
    let short = Task { depth: Some(1), lines: 500, ..Task::default() };
    let visits = |thought: &Thought| thought.lines.iter().map(|line| line.visits).sum::<u64>();
    for _ in 0..3 {
        let line = think(&mut thinker, &game, &deep).unwrap().lines.remove(0);
        line.pv[..2].iter().for_each(|&mv| game.play(mv).unwrap());
        let kept = think(&mut thinker, &game, &short).unwrap();
        // Without what was kept there would be fewer visits than nodes. How many are kept depends on the threads.
        assert!(kept.nodes + 10 < visits(&kept), "{} new nodes, {} visits", kept.nodes, visits(&kept));
    }
    thinker.forget();
    let fresh = think(&mut thinker, &game, &short).unwrap();
    assert!(visits(&fresh) < fresh.nodes, "{} nodes, {} visits", fresh.nodes, visits(&fresh));
}

#[test]
fn lines_end_with_the_mate_they_claim() {
    let text = include_str!("../../../../tests/search/mates.epd");
    let mut solved = 0;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let game = game(line.split(" bm ").next().unwrap());
        let mut thinker = thinker(Uniform, &settings(2));
        let thought = think(&mut thinker, &game, &nodes(40_000)).unwrap();
        let best = &thought.lines[0];
        let Some(Proven::Win { plies }) = best.proven else { panic!("not solved: {line}: {best:?}") };
        assert_eq!(best.pv.len(), usize::from(plies));
        let mut played = game.clone();
        best.pv.iter().for_each(|&mv| played.play(mv).unwrap());
        assert!(played.ending().is_some(), "{line}");
        solved += 1;
    }
    assert_eq!(solved, 30);
}

#[test]
fn openings_vary_and_the_rest_does_not() {
    let variety = Variety { plies: 2, temperature: 1.0 };
    let with_seed = |seed| ThinkerSettings { variety, seed, ..settings(1) };
    let choose = |seed, game: &rules::Game| {
        think(&mut thinker(Hashed { seed: 5 }, &with_seed(seed)), game, &nodes(300)).unwrap().lines[0].clone()
    };
    let start = game(START_FEN);
    let drawn: Vec<_> = (0..20).map(|seed| choose(seed, &start)).collect();
    assert!(drawn.iter().map(|line| line.mv).collect::<BTreeSet<_>>().len() > 3);
    assert!(drawn.iter().all(|line| line.visits > 0), "what was never visited isn't drawn");
    assert_eq!(choose(3, &start), choose(3, &start));
    let mut later = start;
    later.play("h2e2".parse().unwrap()).unwrap();
    later.play("h9g7".parse().unwrap()).unwrap();
    let drawn: BTreeSet<_> = (0..20).map(|seed| choose(seed, &later).mv).collect();
    assert_eq!(drawn.len(), 1);
}

#[test]
fn levels_spend_more_and_stray_less() {
    assert_eq!((Level::new(0), Level::new(21)), (None, None));
    let levels: Vec<Level> = (1..=Level::MOST).map(|level| Level::new(level).unwrap()).collect();
    assert!(levels.is_sorted_by(|a, b| {
        a.nodes() < b.nodes() || (a.nodes() == 1 && b.nodes() == 1 && a.temperature() > b.temperature())
    }));
    // Where search begins the temperature rises again.
    assert!(levels[8..].is_sorted_by(|a, b| a.temperature() > b.temperature()));
    assert_eq!((levels[0].nodes(), levels[19].temperature().to_bits()), (1, 0));
    for level in [levels[0], levels[9], levels[19]] {
        let mut thinker = thinker(Hashed { seed: 5 }, &ThinkerSettings { level: Some(level), ..settings(1) });
        let thought = think(&mut thinker, &game(MIDDLEGAME), &Task::default()).unwrap();
        assert_eq!(thought.nodes, level.nodes(), "a level needs no other limit");
    }
    // A mate that was seen is given at every level.
    let level = Level::new(12);
    for seed in 0..20 {
        let settings = ThinkerSettings { level, seed, ..settings(1) };
        let game = game("5k3/R8/7R1/9/9/9/p8/9/9/3K5 w");
        let only = Some(vec!["h7h9".parse().unwrap(), "a8a7".parse().unwrap()]);
        let task = Task { only, ..Task::default() };
        let thought = think(&mut thinker(Uniform, &settings), &game, &task).unwrap();
        assert_eq!(thought.lines[0].proven, Some(Proven::Win { plies: 1 }));
    }
}
