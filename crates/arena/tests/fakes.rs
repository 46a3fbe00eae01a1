//! Every fake engine in real matches: each game ends with the right reason, each match is played to its end or ended by
//! what can't play at all, and nothing is left of the engines: no process, no descriptor, no thread.
//!
//! This program is its own fake engine: started with `MEIHUA_HABIT` it is one of that habit.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use arena::{
    Baseline, Book, EndReason, EngineSettings, MatchEnd, MatchError, MatchResult, MatchSettings,
    OpeningSettings, OutsideEngine, play_match,
};
use engine::drive::{Command, Dialect, Patience};
use engine::fakes::{Habit, run};
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use std::{fs, thread};

const HABIT: &str = "MEIHUA_HABIT";
const MATCHES: &str = "MEIHUA_FAKE_MATCHES";

/// Not a test of its own: what the matches start.
#[test]
#[expect(clippy::exit, reason = "an engine's exit code is its own")]
fn the_engine() {
    let Ok(habit) = std::env::var(HABIT) else { return };
    // The line that the test harness has begun.
    writeln!(io::stdout()).unwrap();
    let (input, output, errors) = (io::stdin().lock(), io::stdout().lock(), io::stderr().lock());
    let late = Duration::from_millis(400);
    let code = run(habit.parse().unwrap(), late, input, output, errors, io::sink());
    std::process::exit(if matches!(code, Ok(ExitCode::SUCCESS)) { 0 } else { 7 });
}

#[test]
fn every_habit_ends_its_games_with_the_right_reason_and_leaves_nothing() {
    // Other tests of this program have engines too, so that this one's matches are played by themselves.
    let mut matches = std::process::Command::new(std::env::current_exe().unwrap());
    matches.args(["--exact", "the_matches", "--nocapture"]).env(MATCHES, "");
    let output = matches.output().unwrap();
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success() && said[0].contains("all as expected"), "{}\n{}", said[0], said[1]);
}

fn engine(habit: Habit, dialect: Dialect) -> OutsideEngine {
    let mut command = Command::new("/usr/bin/env", dialect);
    let program = std::env::current_exe().unwrap();
    command.arguments = [format!("{HABIT}={habit}"), program.display().to_string()].to_vec();
    command.arguments.extend(["--exact", "the_engine", "--nocapture"].map(str::to_owned));
    let ms = Duration::from_millis;
    // Who answers late is waited for, who never answers isn't, and a busy machine makes nobody late.
    let (longest, answer_margin) = match habit {
        Habit::Late => (ms(100), ms(20_000)),
        Habit::Sleeps | Habit::FloodsForever => (ms(50), ms(50)),
        // A claimed result is waited on so long for a move, as some say the result first.
        _ => (ms(60_000), ms(300)),
    };
    let start = match habit {
        Habit::Silent | Habit::NeverReady => ms(200),
        Habit::Deaf => ms(1_000),
        _ => ms(60_000),
    };
    let quit = if habit == Habit::IgnoresQuit { ms(20) } else { ms(2_000) };
    let patience = Patience { start, answer_margin, quit };
    let settings = EngineSettings { command, nodes: None, depth: Some(1), time: None, longest, patience };
    OutsideEngine::new(settings).unwrap()
}

/// The natural limit is two plies away.
const LAST_MOVES: &[u8] = b"3k5/9/9/9/9/9/9/9/r8/4K4 w - - 118 60";

fn play(habit: Habit, engine: &OutsideEngine) -> Result<MatchResult, MatchError> {
    // Each move of these takes long.
    let is_slow = matches!(habit, Habit::Floods | Habit::LongLine | Habit::Garbage | Habit::Complains);
    let openings =
        if is_slow { Book::read(LAST_MOVES, 1).unwrap().into() } else { OpeningSettings::default().into() };
    let settings = MatchSettings { pairs: 2, threads: 2, seed: 9, openings, ..MatchSettings::default() };
    play_match(
        &settings,
        || engine.player(),
        || "depth-1".parse::<Baseline>().unwrap().player(),
        &AtomicBool::new(false),
        |_, _| ControlFlow::Continue(()),
    )
}

#[test]
fn the_matches() {
    if std::env::var_os(MATCHES).is_none() {
        return;
    }
    play(Habit::Good, &engine(Habit::Good, Dialect::Uci)).unwrap();
    // The system shows a thread a moment longer than it runs.
    thread::sleep(Duration::from_millis(300));
    let before = (count("fd"), count("task"));
    let mut habits = 0;
    for habit in Habit::ALL {
        let dialects: &[Dialect] = match habit {
            Habit::OneBased => &[Dialect::UciVariant],
            Habit::Plain | Habit::ClaimsDraw => &[Dialect::Cecp],
            Habit::Deaf => &[Dialect::Uci],
            _ => &[Dialect::Uci, Dialect::Cecp],
        };
        for &dialect in dialects {
            check(habit, dialect);
            let until = Instant::now() + Duration::from_secs(10);
            while (count("fd"), count("task")) != before && Instant::now() < until {
                thread::sleep(Duration::from_millis(5));
            }
            assert_eq!((count("fd"), count("task")), before, "{habit} {dialect}: descriptors and threads");
            assert_eq!(children(), "", "{habit} {dialect}: processes");
        }
        habits += 1;
    }
    assert_eq!(habits, 22);
    println!("all as expected");
}

fn check(habit: Habit, dialect: Dialect) {
    let result = play(habit, &engine(habit, dialect));
    let reason = match habit {
        Habit::DiesAtHandshake | Habit::Silent | Habit::NeverReady => {
            let error = result.unwrap_err().to_string();
            let says = |part: &str| error.contains(part);
            assert!(says("/usr/bin/env") && says(dialect.name()) && says("protocols to try: "), "{error}");
            return;
        }
        Habit::Dies => EndReason::Crash,
        Habit::Sleeps | Habit::FloodsForever => EndReason::Stall,
        Habit::Late => EndReason::Time,
        Habit::Illegal | Habit::Unreadable | Habit::NoMove | Habit::Deaf => EndReason::IllegalMove,
        Habit::Resigns => EndReason::Resignation,
        Habit::Good
        | Habit::OneBased
        | Habit::Plain
        | Habit::Floods
        | Habit::LongLine
        | Habit::Garbage
        | Habit::Complains
        | Habit::IgnoresQuit
        | Habit::AnswersTwice
        | Habit::ClaimsDraw => {
            let result = result.unwrap();
            let by_rules = result.reasons.iter().filter(|(reason, _)| matches!(reason, EndReason::Rules(_)));
            let by_rules: u32 = by_rules.map(|(_, games)| games).sum();
            assert_eq!(
                (result.end, by_rules),
                (MatchEnd::Complete, 4),
                "{habit} {dialect}: {}",
                result.reasons
            );
            return;
        }
    };
    let result = result.unwrap();
    let found = (result.end, result.reasons.count(reason), result.score.losses());
    assert_eq!(found, (MatchEnd::Complete, 4, 4), "{habit} {dialect}: {}", result.reasons);
}

/// How many descriptors or threads this process has.
fn count(what: &str) -> usize {
    fs::read_dir(format!("/proc/self/{what}")).unwrap().count()
}

/// The numbers of the processes that this one has started.
fn children() -> String {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let of = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
    tasks.map(|task| of(task.unwrap())).collect::<String>().trim().to_owned()
}
