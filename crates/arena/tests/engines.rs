//! Outside engines in matches: whatever an engine does wrong, the game ends with the right reason and the match goes
//! on. The engines are shell scripts that speak UCI.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use arena::{
    Baseline, EndReason, EngineSettings, MatchEnd, MatchError, MatchResult, MatchSettings, OutsideEngine,
    PairRecord, Points, TimeControl, play_match,
};
use engine::drive::{Command, Dialect, Patience};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// An engine that does `on_go` when it is to move, and else what it should.
fn script(on_go: &str) -> String {
    format!(
        "while read -r word rest; do case $word in \
         uci) echo 'id name script'; echo uciok;; isready) echo readyok;; go) {on_go};; quit) exit;; esac; done"
    )
}

fn engine(script: &str, time: Option<TimeControl>) -> OutsideEngine {
    let mut command = Command::new("/bin/sh", Dialect::Uci);
    command.arguments = vec!["-c".to_owned(), script.to_owned()];
    let patience = Patience {
        start: Duration::from_secs(5),
        answer_margin: Duration::from_millis(100),
        quit: Duration::from_millis(200),
    };
    let longest = Duration::from_millis(150);
    let depth = time.is_none().then_some(1);
    OutsideEngine::new(EngineSettings { command, nodes: None, depth, time, longest, patience }).unwrap()
}

fn play(engine: &OutsideEngine, pairs: u32) -> (Result<MatchResult, MatchError>, Vec<PairRecord>) {
    let settings = MatchSettings { pairs, threads: 2, seed: 3, ..MatchSettings::default() };
    let mut played = Vec::new();
    let result = play_match(
        &settings,
        || engine.player(),
        || "depth-1".parse::<Baseline>().unwrap().player(),
        &AtomicBool::new(false),
        |pair, _| {
            played.push(pair.clone());
            ControlFlow::Continue(())
        },
    );
    (result, played)
}

#[test]
fn every_fault_loses_the_game_with_its_reason_and_the_match_is_played_to_its_end() {
    let answer_late = "read -r stop; sleep 0.05; echo bestmove a0a1";
    for (on_go, reason, said) in [
        ("exit 3", EndReason::Crash, "exit status: 3"),
        ("kill -9 $$", EndReason::Crash, "signal: 9"),
        ("exec >&-; sleep 5", EndReason::Crash, ""),
        ("true", EndReason::Stall, "no answer"),
        ("sleep 5", EndReason::Stall, "no answer"),
        (answer_late, EndReason::Time, " took 0."),
        ("echo bestmove a0a0", EndReason::IllegalMove, "bestmove a0a0"),
        ("echo bestmove e9e8", EndReason::IllegalMove, "e9e8 is not legal"),
        ("echo 'bestmove (none)'", EndReason::IllegalMove, "no move"),
        ("printf 'bestmove \\377\\001\\n'", EndReason::IllegalMove, ""),
    ] {
        let (result, pairs) = play(&engine(&script(on_go), None), 3);
        let result = result.unwrap();
        assert_eq!((result.end, result.score.losses()), (MatchEnd::Complete, 6), "{on_go}");
        assert_eq!(result.reasons.count(reason), 6, "{on_go}: {}", result.reasons);
        for game in pairs.iter().flat_map(|pair| &pair.games) {
            assert_eq!(game.points(), Points::Loss);
            let fault = game.fault.as_deref().unwrap();
            assert!(fault.contains(said), "{on_go}: {fault}");
            // The record of the game is legal, and the fault stands in its last comment.
            let text = notation::write_pgn(&game.to_record("faults"), notation::Style::CHINESE);
            let read = notation::read_records(text.as_bytes()).pop().unwrap().unwrap();
            assert_eq!((read.main_line(), &read.warnings), (game.moves.clone(), &vec![]), "{text}");
        }
    }
}

#[test]
fn an_engine_may_resign() {
    let (result, pairs) = play(&engine(&script("echo bestmove resign"), None), 1);
    let reasons = result.unwrap().reasons;
    assert_eq!(reasons.count(EndReason::Resignation), 2, "{reasons}");
    assert_eq!((pairs[0].games[0].points(), &pairs[0].games[0].fault), (Points::Loss, &None));
}

#[test]
fn the_clock_and_the_time_for_a_move_are_the_referees() {
    let slow = script("sleep 0.3; echo bestmove a0a1");
    let ms = Duration::from_millis;
    for time in [TimeControl::PerMove(ms(150)), TimeControl::Game { base: ms(150), increment: ms(0) }] {
        let mut slow = engine(&slow, Some(time)).settings().clone();
        slow.patience.answer_margin = ms(2000);
        let (result, pairs) = play(&OutsideEngine::new(slow).unwrap(), 1);
        let reasons = result.unwrap().reasons;
        assert_eq!(reasons.count(EndReason::Time), 2, "{reasons}: {:?}", pairs[0].games[0].fault);
    }
}

#[test]
fn an_engine_that_never_starts_ends_the_match_at_once() {
    let mut missing = engine("", None).settings().clone();
    missing.command.program = "/nowhere/engine".into();
    let (result, pairs) = play(&OutsideEngine::new(missing).unwrap(), 50);
    let error = result.unwrap_err().to_string();
    assert!(error.starts_with("engine depth=1 failed in pair 0: ") && pairs.is_empty(), "{error}");

    let (result, pairs) = play(&engine("exit 7", None), 50);
    let error = result.unwrap_err().to_string();
    assert!(error.contains("failed in pair 0: ") && pairs.is_empty(), "{error}");
}
