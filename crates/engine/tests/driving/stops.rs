//! Engines whose work isn't wanted any more, and engines whose master is gone.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use engine::drive::{Dialect, Engine, EngineError};
use engine::fakes::Habit;
use rules::Position;

use crate::support::{PATIENCE, ask, fake, lives, start_engine};

const FAR: Duration = Duration::from_mins(1);

#[test]
fn a_thinking_engine_is_not_waited_for() {
    for (habit, dialect) in
        [(Habit::Sleeps, Dialect::Uci), (Habit::FloodsForever, Dialect::Ucci), (Habit::Sleeps, Dialect::Cecp)]
    {
        let stop = Arc::new(AtomicBool::new(false));
        let patience = engine::drive::Patience { quit: FAR, ..PATIENCE };
        let mut engine =
            Engine::start(&fake(habit, dialect), patience, Arc::clone(&stop)).expect("it starts");
        let process_id = engine.process_id();
        let begun = Instant::now();
        let raise = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            stop.store(true, Ordering::Relaxed);
        });
        let error = ask(&mut engine, "", FAR).expect_err("it never answers");
        assert!(matches!(error, EngineError::Stopped { .. }), "{habit}: {error}");
        let again = engine.new_game(&Position::start());
        assert!(matches!(again, Err(EngineError::Stopped { .. })), "{habit}: {again:?}");
        // It was to have a minute to quit in.
        engine.quit();
        assert!(!lives(process_id) && begun.elapsed() < FAR, "{habit}");
        raise.join().expect("it only sleeps");
    }
}

#[test]
fn a_silent_engine_is_not_waited_for() {
    let patience = engine::drive::Patience { start: FAR, ..PATIENCE };
    let started =
        Engine::start(&fake(Habit::Silent, Dialect::Uci), patience, Arc::new(AtomicBool::new(true)));
    assert!(matches!(started, Err(EngineError::Stopped { .. })), "{started:?}");
}

/// The system kills the program with the thread that started it, so that must not be any thread of the caller's.
#[test]
fn an_engine_outlives_the_thread_that_asked_for_it() {
    let started = thread::spawn(|| start_engine(&fake(Habit::Good, Dialect::Uci), PATIENCE));
    let mut engine = started.join().expect("no panic").expect("it starts");
    for _ in 0..3 {
        ask(&mut engine, "", Duration::from_secs(5)).expect("it answers");
    }
}

const MASTER: &str = "MEIHUA_MASTER_OF";

/// A SIGKILL, or an exit without a good-bye, leaves no time to end engines: the system does.
#[test]
#[cfg(target_os = "linux")]
fn no_engine_outlives_its_master() {
    let program = std::env::current_exe().expect("this program");
    for habit in [Habit::IgnoresQuit, Habit::Sleeps, Habit::FloodsForever] {
        let mut run = std::process::Command::new(&program);
        run.args(["--exact", "stops::the_master", "--nocapture"]).env(MASTER, habit.name());
        let mut master = run.stdout(Stdio::piped()).spawn().expect("this program can be run");
        let output = BufReader::new(master.stdout.take().expect("it is piped"));
        let said =
            output.lines().map_while(Result::ok).find_map(|line| line.strip_prefix("engine ")?.parse().ok());
        let process_id: u32 = said.expect("the master names its engine");
        assert!(lives(process_id), "{habit}");
        master.kill().expect("it runs");
        master.wait().expect("it was killed");
        let until = Instant::now() + Duration::from_secs(10);
        while lives(process_id) && !is_zombie(process_id) && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(!lives(process_id) || is_zombie(process_id), "{habit}: it lives on");
    }
}

/// Whoever inherits a process may take a while to bury it.
fn is_zombie(process_id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process_id}/status"));
    status.map_or(true, |status| status.contains("State:\tZ"))
}

/// Not a test of its own: the program that is killed.
#[test]
fn the_master() {
    let Ok(habit) = std::env::var(MASTER) else { return };
    let mut engine =
        start_engine(&fake(habit.parse().expect("a habit"), Dialect::Uci), PATIENCE).expect("it starts");
    println!("\nengine {}", engine.process_id());
    if habit != Habit::IgnoresQuit.name() {
        _ = ask(&mut engine, "", FAR);
    }
    thread::sleep(FAR);
}
