//! Short games with engines that Debian has, where they are installed.

#![expect(
    clippy::print_stderr,
    reason = "a test that is skipped says so, and one that is not shows the games"
)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::drive::{Answer, Command, Dialect, Engine, EngineError, Limits, Patience, Task};
use rules::{ByColour, Game, Move, Ply, Position, Rules};

use crate::support::{depth, moves, start_engine};

const DEADLINE: Duration = Duration::from_secs(20);

/// The program in the path or where Debian puts games.
fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]);
    let found = folders.map(|folder| folder.join(program)).find(|file| Path::is_file(file));
    if found.is_none() {
        eprintln!("skipped: {program} is not installed");
    }
    found
}

fn start(program: &str, dialect: Dialect, options: &[(&str, &str)]) -> Option<Engine> {
    let mut command = Command::new(find(program)?, dialect);
    command.options = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    Some(start_engine(&command, Patience::default()).expect("it starts"))
}

/// The engine plays both sides for so many plies; every move must be legal and come in time.
fn play(engine: &mut Engine, start: &Position, opening: &str, plies: usize, limits: Limits) {
    engine.new_game(start).expect("a game");
    let mut position = start.clone();
    let mut game = moves(opening);
    for &mv in &game {
        position.play_unchecked(mv);
    }
    for _ in 0..plies {
        let reply = engine.go(&Task { start, moves: &game, banned: &[], limits, deadline: DEADLINE });
        let reply = reply.expect("an answer");
        let Answer::Move(mv) = reply.answer else { panic!("{}: {reply:?}", engine.name()) };
        assert!(position.legal_moves().contains(&mv), "{}: {mv} in {}", engine.name(), position.fen());
        assert!(reply.elapsed < DEADLINE, "{reply:?}");
        // Some don't think where there is no choice.
        let thought = reply.info.depth.is_some() && reply.info.score.is_some();
        assert!(thought || position.legal_moves().len() == 1, "{reply:?}");
        position.play_unchecked(mv);
        game.push(mv);
    }
    eprintln!("{}: {}", engine.name(), game.iter().map(Move::to_string).collect::<Vec<_>>().join(" "));
}

fn endgame() -> Position {
    "3ak4/4a4/9/2n6/8R/9/4p4/9/4A4/2BK5 b - - 3 40".parse().expect("a position")
}

#[test]
fn fairy_stockfish_by_uci() {
    let options = [("Threads", "1"), ("skill level", "10"), ("Clear Hash", "")];
    let Some(mut engine) = start("fairy-stockfish", Dialect::UciVariant, &options) else { return };
    let nodes = Limits { nodes: Some(200), ..Limits::default() };
    play(&mut engine, &Position::start(), "h2e2 h9g7", 12, nodes);
    play(&mut engine, &endgame(), "", 8, nodes);
    let side =
        engine::drive::ClockTime { left: Duration::from_secs(1), increment: Duration::from_millis(100) };
    let clock = Limits { clock: Some(ByColour { red: side, black: side }), ..Limits::default() };
    play(&mut engine, &Position::start(), "", 3, clock);
    engine.quit();
    let wrong = Command::new(find("fairy-stockfish").expect("it was there"), Dialect::Uci);
    let error = start_engine(&wrong, Patience::default()).expect_err("it would play chess");
    assert!(
        error.to_string().contains("it plays chess unless told otherwise; its dialect is uci-variant"),
        "{error}"
    );
}

#[test]
fn fairy_stockfish_by_ucci() {
    let Some(mut engine) = start("fairy-stockfish", Dialect::Ucci, &[("Threads", "1")]) else { return };
    let nodes = Limits { nodes: Some(200), ..Limits::default() };
    play(&mut engine, &Position::start(), "h2e2 h9g7 e2e6", 12, nodes);
    play(&mut engine, &endgame(), "", 8, nodes);
    // It doesn't say what its unit of time is.
    let start_position = Position::start();
    let time = Limits { move_time: Some(Duration::from_millis(200)), ..Limits::default() };
    let task = Task { start: &start_position, moves: &[], banned: &[], limits: time, deadline: DEADLINE };
    let error = engine.go(&task).expect_err("a unit is wanted");
    assert!(matches!(error, EngineError::Limit { .. }), "{error}");
    engine.quit();
    let Some(mut engine) = start("fairy-stockfish", Dialect::Ucci, &[("usemillisec", "true")]) else {
        return;
    };
    play(&mut engine, &Position::start(), "", 2, time);
}

#[test]
fn hoixiangqi() {
    let Some(mut engine) = start("hoixiangqi", Dialect::Cecp, &[]) else { return };
    assert!(engine.name().starts_with("HoiXiangqi"), "{}", engine.name());
    play(&mut engine, &Position::start(), "h2e2 h9g7", 12, depth(2));
    play(&mut engine, &endgame(), "", 8, depth(2));
    // After fifty moves without a capture it claims a draw and doesn't think about that position.
    let quiet: Position = "3k5/4a4/9/9/8r/R8/9/9/4A4/4K4 w - - 97 60".parse().expect("a position");
    play(&mut engine, &quiet, "a4a5 i5i6 a5a4", 4, depth(2));
    // It claims one at the third occurrence too, and ends if a move comes after that. So it is shown the position anew.
    let start = Position::start();
    let mut repeated = "a0a1 a9a8 a1a0 a8a9 ".repeat(2);
    repeated += "b0c2 b9c7";
    play(&mut engine, &start, &repeated, 2, depth(2));
}

#[test]
fn maxqi() {
    let Some(mut engine) = start("maxqi", Dialect::Cecp, &[("memory", "16")]) else { return };
    play(&mut engine, &Position::start(), "h2e2 h9g7", 12, depth(3));
    // It claims a draw after fifty moves, but goes on when asked.
    play(&mut engine, &Position::start(), &"a0a1 a9a8 a1a0 a8a9 ".repeat(26), 2, depth(2));
    let error = engine.new_game(&endgame()).expect_err("it has no setboard");
    assert!(matches!(error, EngineError::Position { .. }), "{error}");
}

#[test]
fn sjaak() {
    let options = [("level", "normal"), ("Randomise opening moves", "0")];
    let Some(mut engine) = start("sjaakii", Dialect::Cecp, &options) else { return };
    play(&mut engine, &Position::start(), "h2e2 h9g7", 12, depth(2));
    play(&mut engine, &endgame(), "", 8, depth(2));
    let second = Limits { move_time: Some(Duration::from_secs(1)), ..Limits::default() };
    play(&mut engine, &Position::start(), "", 1, second);
}

/// Two engines play until the rules end the game.
fn play_out(engines: &mut [Engine; 2], limits: [Limits; 2]) {
    let mut game = Game::new(Position::start(), Rules::default());
    let start = game.start().clone();
    for engine in &mut *engines {
        engine.new_game(&start).expect("a game");
    }
    let mut ply = 0;
    while game.ending().is_none() {
        let side = ply % 2;
        let moves: Vec<_> = game.plies().iter().map(Ply::mv).collect();
        let task =
            Task { start: &start, moves: &moves, banned: &[], limits: limits[side], deadline: DEADLINE };
        let reply = engines[side].go(&task).expect("an answer");
        match reply.answer {
            Answer::Move(mv) => game.play(mv).expect("a legal move"),
            Answer::Resign => break,
            other => panic!("{}: {other:?} in {}", engines[side].name(), game.position().fen()),
        }
        ply += 1;
    }
    let [red, black] = [0, 1].map(|side| engines[side].name());
    eprintln!("{red} - {black}: {:?} after {ply} plies", game.ending());
}

#[test]
fn whole_games() {
    let nodes = Limits { nodes: Some(100), ..Limits::default() };
    let all = [
        ("hoixiangqi", Dialect::Cecp, depth(2)),
        ("maxqi", Dialect::Cecp, depth(2)),
        ("sjaakii", Dialect::Cecp, depth(2)),
        ("fairy-stockfish", Dialect::UciVariant, nodes),
        ("fairy-stockfish", Dialect::Ucci, nodes),
    ];
    for (index, red) in all.iter().enumerate() {
        let black = &all[(index + 1) % all.len()];
        let [Some(first), Some(second)] =
            [red, black].map(|&(program, dialect, _)| start(program, dialect, &[]))
        else {
            continue;
        };
        play_out(&mut [first, second], [red.2, black.2]);
    }
}
