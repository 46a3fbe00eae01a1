//! Engines, positions and tasks for all tests.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::drive::{Command, Dialect, Engine, EngineError, Limits, Patience, Reply, Task};
use engine::fakes::Habit;
use rules::{Move, Position};

/// A little patience, so that tests of silence are short.
pub(crate) const PATIENCE: Patience = Patience {
    start: Duration::from_secs(5),
    answer_margin: Duration::from_millis(200),
    quit: Duration::from_millis(200),
};

pub(crate) fn fake(habit: Habit, dialect: Dialect) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-engine"), dialect);
    command.arguments = vec![habit.name().to_owned()];
    command
}

/// A good patience with a short start, for engines that don't get that far.
pub(crate) fn hurried() -> Patience {
    Patience { start: Duration::from_millis(300), ..PATIENCE }
}

pub(crate) fn moves(text: &str) -> Vec<Move> {
    text.split_whitespace().map(|word| word.parse().expect("a move")).collect()
}

pub(crate) fn depth(plies: u32) -> Limits {
    Limits { depth: Some(plies), ..Limits::default() }
}

/// Asks from the usual start.
pub(crate) fn ask(engine: &mut Engine, played: &str, deadline: Duration) -> Result<Reply, EngineError> {
    ask_from(engine, &Position::start(), played, deadline)
}

pub(crate) fn ask_from(
    engine: &mut Engine,
    start: &Position,
    played: &str,
    deadline: Duration,
) -> Result<Reply, EngineError> {
    let moves = moves(played);
    engine.go(&Task { start, moves: &moves, banned: &[], limits: depth(2), deadline })
}

/// Is there still a process of this number, though only as a zombie?
pub(crate) fn lives(process_id: u32) -> bool {
    Path::new(&format!("/proc/{process_id}")).exists()
}

/// An engine that nobody will stop.
pub(crate) fn start_engine(command: &Command, patience: Patience) -> Result<Engine, EngineError> {
    Engine::start(command, patience, Arc::default())
}
