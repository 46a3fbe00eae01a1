//! Nothing is left of engines that are gone: no process, no descriptor, no thread.
//!
//! `MEIHUA_ENGINE_STARTS` says how many of each kind are started, 50 if it isn't set.

use std::time::{Duration, Instant};
use std::{fs, thread};

use engine::drive::Dialect;
use engine::fakes::Habit;

use crate::support::{ask, fake, hurried, lives, start_engine};

#[test]
fn starts_and_stops_leave_nothing() {
    let starts = std::env::var("MEIHUA_ENGINE_STARTS").map_or(50, |text| text.parse().expect("a number"));
    // Other tests of this program have engines too, so the count is of this one's only: it is run by itself.
    let program = std::env::current_exe().expect("this program");
    let mut run = std::process::Command::new(program);
    run.args(["--exact", "leaks::the_loop", "--nocapture"]).env("MEIHUA_ENGINE_LOOP", format!("{starts}"));
    let output = run.output().expect("this program can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_loop() {
    let Ok(starts) = std::env::var("MEIHUA_ENGINE_LOOP") else { return };
    let starts: usize = starts.parse().expect("a number");
    let kinds = [
        (Habit::Good, Dialect::Uci),
        (Habit::Dies, Dialect::Ucci),
        (Habit::DiesAtHandshake, Dialect::Cecp),
        (Habit::Good, Dialect::Cecp),
        (Habit::FloodsForever, Dialect::Uci),
        (Habit::Illegal, Dialect::Uci),
        (Habit::IgnoresQuit, Dialect::Ucci),
    ];
    // What is only had once is had by then.
    once(Habit::Good, Dialect::Uci);
    let before = (count("fd"), count("task"));
    for (habit, dialect) in kinds {
        for _ in 0..starts {
            once(habit, dialect);
        }
        // The system shows a thread a moment longer than it runs.
        let until = Instant::now() + Duration::from_secs(20);
        while (count("fd"), count("task")) != before && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!((count("fd"), count("task")), before, "{habit}: descriptors and threads");
    }
    let children = fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    assert_eq!(children.trim(), "", "children are left");
}

fn once(habit: Habit, dialect: Dialect) {
    let mut patience = hurried();
    patience.start = Duration::from_secs(5);
    patience.answer_margin = Duration::from_millis(1);
    patience.quit = Duration::from_millis(if habit == Habit::IgnoresQuit { 1 } else { 1000 });
    let Ok(mut engine) = start_engine(&fake(habit, dialect), patience) else { return };
    let process_id = engine.process_id();
    let deadline = Duration::from_millis(if habit == Habit::FloodsForever { 1 } else { 5000 });
    for _ in 0..2 {
        _ = ask(&mut engine, "", deadline);
    }
    engine.quit();
    assert!(!lives(process_id), "{habit}: its process lives on");
}

/// How many descriptors or threads this process has.
fn count(what: &str) -> usize {
    fs::read_dir(format!("/proc/self/{what}")).expect("this is Linux").count()
}
