//! Several threads, and threads that fail.

use crate::support::{MIDDLEGAME, game, hashed, nodes, settings, think, thinker};
use engine::think::{Allowance, Signal, Task, Thinker, ThinkerSettings};
use evaluator::{Answer, Evaluator, EvaluatorError, Query, Uniform};
use rules::{Game, Rules, START_FEN};
use std::num::NonZeroU8;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{ThreadId, current, sleep};
use std::time::Duration;

/// Fails in some way at its nth query.
#[derive(Clone)]
struct Failing {
    left: Arc<AtomicU32>,
    how: fn() -> Result<(), EvaluatorError>,
}

impl Evaluator for Failing {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            (self.how)()?;
        }
        Uniform.evaluate(queries, answers)
    }
}

fn failing(after: u32, how: fn() -> Result<(), EvaluatorError>, threads: usize) -> Thinker {
    thinker(Failing { left: Arc::new(AtomicU32::new(after)), how }, &settings(threads))
}

#[test]
fn an_error_of_the_evaluator_ends_it_and_is_handed_on() {
    let how = || Err(EvaluatorError::NotFinite { what: "a move", value: f32::NAN, fen: "…".to_owned() });
    for threads in [1, 2, 4] {
        for after in [1, 2, 100] {
            let mut thinker = failing(after, how, threads);
            let error = think(&mut thinker, &game(START_FEN), &Task::default()).unwrap_err();
            assert!(matches!(error, EvaluatorError::NotFinite { .. }), "{error}");
            // It failed once; afterwards all is well.
            assert_eq!(think(&mut thinker, &game(START_FEN), &nodes(500)).unwrap().nodes, 500);
        }
    }
}

#[test]
fn a_thread_that_dies_ends_it() {
    for threads in [1, 2, 4] {
        for after in [1, 2, 100] {
            let mut thinker = failing(after, || panic!("on purpose"), threads);
            let error = think(&mut thinker, &game(START_FEN), &Task::default()).unwrap_err();
            assert_eq!(error.to_string(), "evaluation failed: a thread died: on purpose");
            assert_eq!(think(&mut thinker, &game(START_FEN), &nodes(500)).unwrap().nodes, 500);
        }
    }
}

#[test]
fn more_threads_than_there_are_leaves() {
    // One move, and then few: most threads wait most of the time.
    let game = game("3k5/9/9/9/9/9/9/3r1r3/9/4K4 w");
    let thought = think(&mut hashed(16), &game, &nodes(2000)).unwrap();
    assert!(thought.nodes == 2000 || thought.lines[0].proven.is_some(), "{}", thought.nodes);
}

#[test]
fn suragnair_27_shuffling_ends() {
    // A rook each, and a policy that knows nothing but going to and fro.
    let game = game("3k1a2r/4a4/9/9/9/9/9/9/4A4/R2A1K3 w");
    let mut thinker = thinker(First, &settings(2));
    let thought = think(&mut thinker, &game, &nodes(100_000)).unwrap();
    assert_eq!(thought.nodes, 100_000);
    let limit = u32::from(Rules::default().natural_limit_plies.unwrap().get());
    assert!(thought.seldepth <= limit, "{}", thought.seldepth);
}

#[test]
fn a_line_of_a_thousand_plies_needs_no_stack() {
    // No natural limit and 255 folds: a policy sure of its move walks to and fro for ever.
    let folds = NonZeroU8::new(255).unwrap();
    let rules = Rules { folds, natural_limit_plies: None, ..Rules::default() };
    let game = Game::new("3k5/9/9/9/9/9/9/9/9/R3K4 w".parse().unwrap(), rules);
    let thought = think(&mut thinker(First, &settings(2)), &game, &nodes(3000)).unwrap();
    // How deep depends on how often the threads get into each other's way.
    assert!(thought.nodes == 3000 && thought.seldepth > 700, "{}", thought.seldepth);
}

/// Sure of the first legal move.
#[derive(Clone)]
struct First;

impl Evaluator for First {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        Uniform.evaluate(queries, answers)?;
        for answer in answers {
            answer.logits[0] = 20.0;
        }
        Ok(())
    }
}

#[test]
fn a_small_memory_is_enough_for_ever() {
    let small = ThinkerSettings { hash_mib: 8, ..settings(2) };
    let mut thinker = thinker(evaluator::Hashed { seed: 5 }, &small);
    let task = Task { lines: 3, ..nodes(150_000) };
    let thought = think(&mut thinker, &game(MIDDLEGAME), &task).unwrap();
    assert_eq!((thought.nodes, thought.lines.len()), (150_000, 3));
}

#[test]
fn a_full_memory_leaves_room_to_think_when_there_is_no_time_to_prune() {
    let small = ThinkerSettings { hash_mib: 8, ..settings(1) };
    let mut thinker = thinker(evaluator::Hashed { seed: 5 }, &small);
    let game = game(MIDDLEGAME);
    // Less than pruning 8 MiB is taken to need, and never enough to fill them twice.
    let time = Allowance::fixed(Duration::from_millis(20));
    let task = Task { time: Some(time), ..Task::default() };
    let filled = think(&mut thinker, &game, &nodes(18_000)).unwrap();
    assert!(filled.hashfull_permille > 700, "{}", filled.hashfull_permille);
    for _ in 0..3 {
        let thought = think(&mut thinker, &game, &task).unwrap();
        assert!(!thought.lines.is_empty());
    }
}

#[test]
fn remembered_evaluations_change_no_answer() {
    let game = game(MIDDLEGAME);
    let expected = think(&mut hashed(1), &game, &Task { lines: 500, ..nodes(3000) }).unwrap();
    let remembering = ThinkerSettings { evaluations_mib: 8, ..settings(1) };
    let mut thinker = thinker(evaluator::Hashed { seed: 5 }, &remembering);
    for _ in 0..2 {
        let thought = think(&mut thinker, &game, &Task { lines: 500, ..nodes(3000) }).unwrap();
        assert_eq!(thought.lines, expected.lines);
    }
}

#[test]
fn settings_may_change_between_thoughts() {
    let mut thinker = hashed(1);
    let game = game(MIDDLEGAME);
    for (threads, hash_mib, contempt) in [(2, 32, 0.0), (1, 32, 0.5), (3, 16, -0.5), (1, 16, 0.0)] {
        let changed = ThinkerSettings { threads, hash_mib, contempt, ..settings(1) };
        thinker.set_settings(&changed).unwrap();
        let thought =
            thinker.think(&game, &Task { depth: Some(4), ..Task::default() }, &Signal::new(), &mut |_| ());
        // What is kept from the thought before may be deeper already.
        assert!(4 <= thought.unwrap().depth);
    }
    let first = think(&mut thinker, &game, &nodes(300)).unwrap();
    assert_eq!(first.lines, think(&mut hashed(1), &game, &nodes(300)).unwrap().lines);
}

/// Counts its evaluations, and takes its time, so that no memory gets full.
#[derive(Clone)]
struct Slow(Arc<AtomicU32>);

impl Evaluator for Slow {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        sleep(Duration::from_millis(1));
        Uniform.evaluate(queries, answers)
    }
}

/// The thread that watches was the one that ended the others when their time was up, and it needed the lock for that:
/// on a busy machine it didn't get its turn, or not the lock, and games were lost on time. Here it doesn't get on at
/// all until the others have ended.
#[test]
fn threads_end_by_themselves() {
    let millis = Duration::from_millis;
    let ends: [fn(&Signal); 4] = [
        |signal| signal.start_clock(Allowance::fixed(Duration::ZERO)),
        |signal| signal.start_clock(Allowance::fixed(Duration::from_millis(50))),
        |signal| {
            let soft = Duration::from_millis(50);
            signal.start_clock(Allowance { soft, hard: Duration::from_hours(1) });
        },
        Signal::stop,
    ];
    for threads in [1, 2, 4] {
        for end in ends {
            let (evaluations, signal) = (Arc::new(AtomicU32::new(0)), Signal::new());
            let mut thinker = thinker(Slow(Arc::clone(&evaluations)), &settings(threads));
            let mut stood_still = None;
            let mut seen = |_: &_| {
                if stood_still.is_some() {
                    return;
                }
                end(&signal);
                stood_still = Some((0..30).any(|_| {
                    let before = evaluations.load(Ordering::Relaxed);
                    sleep(millis(300));
                    before == evaluations.load(Ordering::Relaxed)
                }));
                signal.stop();
            };
            thinker.think(&game(START_FEN), &Task::default(), &signal, &mut seen).unwrap();
            assert_eq!(stood_still, Some(true), "{threads} threads");
        }
    }
}

/// Counts the queries of the thread that made it and those of others.
#[derive(Clone)]
struct Homely {
    home: ThreadId,
    here: Arc<AtomicU32>,
    elsewhere: Arc<AtomicU32>,
}

impl Evaluator for Homely {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        let count = if current().id() == self.home { &self.here } else { &self.elsewhere };
        count.fetch_add(1, Ordering::Relaxed);
        Uniform.evaluate(queries, answers)
    }
}

/// On a busy machine a thread that has to be woken first comes too late.
#[test]
fn with_little_time_the_thread_that_is_asked_searches() {
    for (threads, millis, searches_here) in
        [(1, 1, true), (1, 100, true), (2, 20, true), (2, 100, false), (1, 700, false)]
    {
        let homely = Homely { home: current().id(), here: Arc::default(), elsewhere: Arc::default() };
        let (here, elsewhere) = (Arc::clone(&homely.here), Arc::clone(&homely.elsewhere));
        let time = Some(Allowance::fixed(Duration::from_millis(millis)));
        let thought = think(
            &mut thinker(homely, &settings(threads)),
            &game(START_FEN),
            &Task { time, ..Task::default() },
        );
        assert!(thought.unwrap().nodes > 0);
        let counts = (here.load(Ordering::Relaxed) > 0, elsewhere.load(Ordering::Relaxed) > 0);
        assert_eq!(counts, (searches_here, !searches_here), "{threads} threads, {millis} ms");
    }
    // What goes wrong there is handed on too.
    let time = Some(Allowance::fixed(Duration::from_millis(20)));
    let mut thinker = failing(1, || panic!("on purpose"), 2);
    let error = think(&mut thinker, &game(START_FEN), &Task { time, ..Task::default() }).unwrap_err();
    assert_eq!(error.to_string(), "evaluation failed: a thread died: on purpose");
    assert_eq!(think(&mut thinker, &game(START_FEN), &nodes(500)).unwrap().nodes, 500);
}
