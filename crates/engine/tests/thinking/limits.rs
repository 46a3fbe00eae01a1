//! When thinking ends.

use crate::support::{MIDDLEGAME, check, game, hashed, nodes, settings, think, thinker};
use engine::think::{Allowance, Proven, Signal, Task, ThinkerError, ThinkerSettings};
use evaluator::{Answer, Evaluator, Hashed, Query, Situation, Uniform};
use rules::START_FEN;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[test]
fn so_many_nodes_are_so_many_nodes() {
    for threads in [1, 2, 4] {
        for limit in [1, 2, 3, 100, 1000] {
            let thought = think(&mut hashed(threads), &game(MIDDLEGAME), &nodes(limit)).unwrap();
            assert_eq!(thought.nodes, limit, "{threads} threads");
            assert!(1 <= thought.depth && thought.depth <= thought.seldepth);
        }
    }
}

#[test]
fn lc0_one_node_is_the_networks_favourite_with_a_line_of_one_move() {
    for fen in [START_FEN, MIDDLEGAME] {
        let game = game(fen);
        let legal = game.permitted_moves();
        let query = Query { position: game.position(), situation: Situation::of(&game), legal: &legal };
        let mut answers = [Answer::default()];
        Hashed { seed: 5 }.evaluate(&[query], &mut answers).unwrap();
        let [Answer { wdl, logits, .. }] = answers;
        let favourite = (0..legal.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap();
        for threads in [1, 2] {
            let mut thinker = hashed(threads);
            // What was thought before makes no difference.
            think(&mut thinker, &game, &Task { depth: Some(3), ..Task::default() }).unwrap();
            let thought = think(&mut thinker, &game, &nodes(1)).unwrap();
            assert_eq!(thought.lines[0].pv, [legal[favourite]]);
            assert!((thought.lines[0].value - wdl.value()).abs() < 1e-6);
        }
    }
}

#[test]
fn a_depth_is_reached_and_ends_it() {
    let mut depths = Vec::new();
    let task = Task { depth: Some(5), ..Task::default() };
    let thought = hashed(2)
        .think(&game(START_FEN), &task, &Signal::new(), &mut |seen| depths.push(seen.depth))
        .unwrap();
    assert_eq!(thought.depth, 5);
    assert!(depths.is_sorted() && depths.iter().all(|&depth| (1..=5).contains(&depth)), "{depths:?}");
}

#[test]
fn a_proven_result_ends_it() {
    // Mate in two for Red.
    let game = game("4k4/9/R8/1R7/9/9/p8/9/9/3K5 w");
    for threads in [1, 2] {
        let mut thinker = thinker(Uniform, &settings(threads));
        let thought = think(&mut thinker, &game, &Task::default()).unwrap();
        let Some(Proven::Win { plies }) = thought.lines[0].proven else { panic!("{thought:?}") };
        assert_eq!(thought.lines[0].pv.len(), usize::from(plies));
        // Asked again: known already.
        let again = think(&mut thinker, &game, &Task::default()).unwrap();
        assert_eq!((again.nodes, &again.lines), (0, &thought.lines));
    }
}

#[test]
fn a_stop_ends_it_even_before_it_begins() {
    for threads in [1, 2] {
        let (mut thinker, signal) = (hashed(threads), Signal::new());
        signal.stop();
        let thought = thinker.think(&game(START_FEN), &Task::default(), &signal, &mut |_| ()).unwrap();
        assert!((1..=threads as u64).contains(&thought.nodes), "{}", thought.nodes);
        assert_eq!(thought.lines.len(), 1);
        let signal = Arc::new(Signal::new());
        let other = Arc::clone(&signal);
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            other.stop();
        });
        let thought = thinker.think(&game(START_FEN), &Task::default(), &signal, &mut |_| ()).unwrap();
        stopper.join().unwrap();
        assert!(Duration::from_millis(40) <= thought.elapsed, "{:?}", thought.elapsed);
    }
}

/// Of a pruned node only the value was left, and a thought that was stopped at once had no move to say.
#[test]
fn a_stop_at_once_after_a_move_whose_replies_were_forgotten_finds_a_move() {
    let small = ThinkerSettings { hash_mib: 8, ..settings(1) };
    let (mut thinker, mut game) = (thinker(Hashed { seed: 5 }, &small), game(MIDDLEGAME));
    let task = Task { lines: usize::MAX, ..nodes(50_000) };
    let thought = think(&mut thinker, &game, &task).unwrap();
    let least = thought.lines.iter().filter(|line| line.visits > 0).min_by_key(|line| line.visits);
    game.play(least.expect("some moves are visited").mv).unwrap();
    let signal = Signal::new();
    signal.stop();
    let thought = thinker.think(&game, &Task::default(), &signal, &mut |_| ()).unwrap();
    check(&thought, &game, &Task::default());
    // A root with replies would be looked at no more.
    assert_eq!((thought.lines.len(), thought.nodes), (1, 1));
}

#[test]
fn the_clock_runs_from_the_start_or_from_when_it_is_started() {
    let time = Duration::from_millis(60);
    let mut thinker = hashed(2);
    let task = Task { time: Some(Allowance::fixed(time)), ..Task::default() };
    // Two moves alike: neither can be overtaken for long.
    let thought = think(&mut thinker, &game(START_FEN), &task).unwrap();
    assert!(thought.nodes > 1);
    // Pondering: no clock until it is started.
    let signal = Signal::new();
    let start = Instant::now();
    let thought = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(time);
            signal.start_clock(Allowance::fixed(Duration::from_millis(1)));
        });
        thinker.think(&game(MIDDLEGAME), &Task::default(), &signal, &mut |_| ())
    });
    check(&thought.unwrap(), &game(MIDDLEGAME), &Task::default());
    assert!(time <= start.elapsed());
}

#[test]
fn one_move_is_played_at_once_but_with_something_to_say() {
    let game = game("3k5/9/9/9/9/9/9/3r1r3/9/4K4 w");
    let task = Task { time: Some(Allowance::fixed(Duration::from_hours(1))), ..Task::default() };
    let thought = think(&mut hashed(1), &game, &task).unwrap();
    assert_eq!((thought.lines.len(), thought.lines[0].mv.to_string().as_str()), (1, "e0e1"));
    assert!(thought.nodes >= 1);
}

#[test]
fn a_settled_choice_ends_at_the_soft_limit() {
    // All the policy is on one move, and all positions are worth the same.
    let game = game(START_FEN);
    let favourite = game.permitted_moves()[7];
    let mut thinker = thinker(Sure(favourite), &settings(1));
    let time = Allowance { soft: Duration::from_millis(30), hard: Duration::from_hours(1) };
    let thought = think(&mut thinker, &game, &Task { time: Some(time), ..Task::default() }).unwrap();
    assert_eq!(thought.lines[0].mv, favourite);
}

#[derive(Clone)]
struct Sure(rules::Move);

impl Evaluator for Sure {
    fn evaluate(
        &mut self,
        queries: &[Query<'_>],
        answers: &mut [Answer],
    ) -> Result<(), evaluator::EvaluatorError> {
        Uniform.evaluate(queries, answers)?;
        for (query, answer) in queries.iter().zip(answers) {
            if let Some(slot) = query.legal.iter().position(|&mv| mv == self.0) {
                answer.logits[slot] = 20.0;
            }
        }
        Ok(())
    }
}

#[test]
fn settings_out_of_range_are_named() {
    let make = || -> engine::think::MakeEvaluator { Arc::new(|| Box::new(Uniform)) };
    for (settings, key) in [
        (ThinkerSettings { threads: 0, ..ThinkerSettings::default() }, "threads = 0: want 1 to 256"),
        (ThinkerSettings { hash_mib: 7, ..ThinkerSettings::default() }, "hash_mib = 7: want 8 to 16384"),
        (ThinkerSettings { contempt: f32::NAN, ..ThinkerSettings::default() }, "contempt = NaN: "),
    ] {
        let error = engine::think::Thinker::new(make(), &settings).unwrap_err();
        assert!(error.to_string().starts_with(key), "{error}");
    }
    let search = search::Settings { c_puct_init: -1.0, ..search::Settings::default() };
    let wrong = ThinkerSettings { search, ..ThinkerSettings::default() };
    let mut thinker = hashed(1);
    assert!(matches!(thinker.set_settings(&wrong), Err(ThinkerError::Search(_))));
    assert_eq!(*thinker.settings(), settings(1));
}
