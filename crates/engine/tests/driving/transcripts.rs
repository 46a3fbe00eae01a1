//! What engines are told, word for word.

use std::time::Duration;

use engine::drive::{Answer, ClockTime, Dialect, EngineError, Limits, Task};
use engine::fakes::Habit;
use rules::{ByColour, Position};

use crate::support::{PATIENCE, depth, fake, moves, start_engine};

/// Plays the questions in one game, and returns what a fake was told from the first on.
fn told(habit: Habit, dialect: Dialect, start: &Position, questions: &[(&str, &str, Limits)]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let heard = folder.path().join("heard.txt");
    let mut command = fake(habit, dialect);
    command.arguments.extend(["0".to_owned(), heard.display().to_string()]);
    let mut engine = start_engine(&command, PATIENCE).expect("it starts");
    let before = std::fs::read_to_string(&heard).expect("its log").len();
    engine.new_game(start).expect("it can be shown the position");
    for &(played, banned, limits) in questions {
        let (moves, banned) = (moves(played), moves(banned));
        let deadline = Duration::from_secs(5);
        let reply =
            engine.go(&Task { start, moves: &moves, banned: &banned, limits, deadline }).expect("an answer");
        let Answer::Move(mv) = reply.answer else { panic!("{reply:?}") };
        assert!(!banned.contains(&mv), "{mv} was banned");
    }
    engine.quit();
    let log = std::fs::read_to_string(&heard).expect("its log");
    // Pings are numbered; where they are is enough.
    let plain = |line: &str| if line.starts_with("ping ") { "ping".to_owned() } else { line.to_owned() };
    log[before..].lines().map(plain).collect::<Vec<_>>().join("\n")
}

fn check(habit: Habit, dialect: Dialect, questions: &[(&str, &str, Limits)], expected: &[&str]) {
    let found = told(habit, dialect, &Position::start(), questions);
    assert_eq!(found, expected.join("\n"), "{dialect}");
}

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

fn clock() -> Limits {
    let side = |left| ClockTime { left: Duration::from_millis(left), increment: Duration::from_secs(1) };
    Limits { clock: Some(ByColour { red: side(61_500), black: side(50_000) }), ..Limits::default() }
}

#[test]
fn uci() {
    let position = format!("position fen {START}");
    let both = Limits { nodes: Some(300), move_time: Some(Duration::from_millis(1500)), ..Limits::default() };
    check(
        Habit::Good,
        Dialect::Uci,
        &[("", "", both), ("h2e2", "", clock())],
        &[
            "ucinewgame",
            "isready",
            &position,
            "isready",
            "go nodes 300 movetime 1500",
            &format!("{position} moves h2e2"),
            "isready",
            "go wtime 61500 btime 50000 winc 1000 binc 1000",
            "quit",
        ],
    );
    check(
        Habit::OneBased,
        Dialect::UciVariant,
        &[("h2e2 h9g7", "", depth(3))],
        &["ucinewgame", "isready", &format!("{position} moves h3e3 h10g8"), "isready", "go depth 3", "quit"],
    );
}

#[test]
fn cyclone() {
    let after = "fen rnbakab1r/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 2";
    check(
        Habit::Good,
        Dialect::Cyclone,
        &[
            ("h2e2 h9g7", "", depth(1)),
            ("h2e2 h9g7 e2e6", "", depth(1)),
            ("h2e2 h9g7 e2e6 a9a8", "", depth(1)),
        ],
        &[
            "ucinewgame",
            "isready",
            &format!("fen {START} moves h2e2 h9g7"),
            "isready",
            "go depth 1",
            after,
            "isready",
            "go depth 1",
            &format!("{after} moves a9a8"),
            "isready",
            "go depth 1",
            "quit",
        ],
    );
}

#[test]
fn ucci_with_bans_and_the_last_capture() {
    let after = "position fen rnbakab1r/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 2";
    let seconds = Limits { move_time: Some(Duration::from_millis(2500)), ..Limits::default() };
    let nodes = Limits { nodes: Some(9), ..Limits::default() };
    // The first two legal moves at the start are banned, and the fake plays the third.
    let first = Position::start().legal_moves();
    let banned = format!("{} {}", first[0], first[1]);
    check(
        Habit::Good,
        Dialect::Ucci,
        &[("", &banned, nodes), ("h2e2 h9g7 e2e6", "", clock()), ("h2e2 h9g7 e2e6 a9a8", "", seconds)],
        &[
            "uccinewgame",
            "isready",
            &format!("position fen {START}"),
            &format!("banmoves {banned}"),
            "isready",
            "go nodes 9",
            after,
            "isready",
            "go time 50000 increment 1000 opptime 61500 oppincrement 1000",
            &format!("{after} moves a9a8"),
            "isready",
            "go time 2500 movestogo 1",
            "quit",
        ],
    );
}

#[test]
fn cecp_follows_the_game() {
    let second = Limits { move_time: Some(Duration::from_secs(1)), ..Limits::default() };
    let first = Position::start().legal_moves()[0];
    let game = format!("{first} a9a8");
    check(
        Habit::Good,
        Dialect::Cecp,
        &[("", "", second), (&game, "", depth(2)), ("h2e2", "", depth(2))],
        &[
            "new",
            "variant xiangqi",
            "post",
            "easy",
            "force",
            "ping", // new_game
            "force",
            "ping",
            "st 1",
            "ping",
            "go", // the first move
            "force",
            "ping",
            "usermove a9a8",
            "ping",
            "st 5",
            "sd 2",
            "ping",
            "go", // goes on
            "new",
            "variant xiangqi",
            "post",
            "easy",
            "force",
            "ping",
            "usermove h2e2",
            "ping", // another game
            "st 5",
            "sd 2",
            "ping",
            "go",
            "quit",
        ],
    );
    check(
        Habit::Plain,
        Dialect::Cecp,
        &[("h2e2", "", clock())],
        &[
            "new",
            "variant xiangqi",
            "post",
            "easy",
            "force",
            "ping", // new_game
            "force",
            "ping",
            "h2e2",
            "ping",
            "level 0 0:50 1",
            "ping",
            "time 5000",
            "otim 6150",
            "go",
            "quit",
        ],
    );
}

#[test]
fn cecp_is_shown_positions_if_it_can_be() {
    let start: Position = "4k4/9/9/9/9/9/4n4/9/9/2BK1R3 w - - 4 9".parse().expect("a position");
    let found = told(Habit::Good, Dialect::Cecp, &start, &[("f0f9", "", depth(1))]);
    assert!(found.contains("force\nping\nsetboard 4k4/9/9/9/9/9/4h4/9/9/2EK1R3 w 4 9\nping\n"), "{found}");
    let mut engine = start_engine(&fake(Habit::Plain, Dialect::Cecp), PATIENCE).expect("it starts");
    let error = engine.new_game(&start).expect_err("it knows no setboard");
    assert!(matches!(&error, EngineError::Position { fen, .. } if *fen == start.fen()), "{error}");
    // It still runs.
    engine.new_game(&Position::start()).expect("the usual start");
}

#[test]
fn cecp_is_made_to_go_on_when_it_claims_an_end() {
    let first = Position::start().legal_moves()[0];
    let game = format!("{first} a9a8");
    let mut position = Position::start();
    position.play_unchecked(first);
    position.play_unchecked(moves("a9a8")[0]);
    let second = position.legal_moves()[0];
    position.play_unchecked(second);
    let longer = format!("{game} {second} a8a7");
    let questions = [("", "", depth(1)), (game.as_str(), "", depth(1)), (longer.as_str(), "", depth(1))];
    let found = told(Habit::ClaimsDraw, Dialect::Cecp, &Position::start(), &questions);
    let fen = position.fen();
    let (board, _) = fen.split_once(" b - - 3 2").expect("Black's turn");
    let board = board.replace('b', "e").replace('B', "E").replace('n', "h").replace('N', "H");
    let expected = format!("force\nping\nsetboard {board} b 0 2\nping\nusermove a8a7\nping\n");
    assert!(found.contains(&expected), "{expected}\nis not in\n{found}");
}

#[test]
fn limits_that_cannot_be_said_leave_the_engine_running() {
    let start = Position::start();
    for (dialect, limits, words) in [
        (
            Dialect::Cecp,
            Limits { nodes: Some(1), ..Limits::default() },
            "cecp engines can't be limited by nodes",
        ),
        (Dialect::Uci, Limits::default(), "uci engines can't be limited by nothing"),
    ] {
        let mut engine = start_engine(&fake(Habit::Good, dialect), PATIENCE).expect("it starts");
        let task = Task { start: &start, moves: &[], banned: &[], limits, deadline: Duration::from_secs(5) };
        let error = engine.go(&task).expect_err("it can't be said");
        assert!(error.to_string().contains(words), "{error}");
        engine.go(&Task { limits: depth(1), ..task }).expect("it still runs");
    }
}
