//! Every bad habit ends with its own error or answer, in time, and leaves no process.

use std::time::{Duration, Instant};

use engine::drive::{Answer, Command, Dialect, EngineError, EngineScore, Patience};
use engine::fakes::Habit;
use rules::Position;

use crate::support::{PATIENCE, ask, ask_from, fake, hurried, lives, moves, start_engine};

const SECOND: Duration = Duration::from_secs(1);

/// What comes of two questions to an engine of this habit.
fn play(
    habit: Habit,
    dialect: Dialect,
    patience: Patience,
    deadline: Duration,
) -> Vec<Result<Answer, String>> {
    let mut engine = match start_engine(&fake(habit, dialect), patience) {
        Ok(engine) => engine,
        Err(error) => return vec![Err(error.to_string())],
    };
    let process_id = engine.process_id();
    assert!(lives(process_id));
    let begun = Instant::now();
    let mut found = vec![];
    if let Err(error) = engine.new_game(&Position::start()) {
        found.push(Err(error.to_string()));
    }
    let mut game = String::new();
    for _ in 0..2 {
        let reply = ask(&mut engine, &game, deadline);
        found.push(reply.map(|reply| reply.answer).map_err(|error| error.to_string()));
        game += "a0a1 a9a8 ";
        assert!(begun.elapsed() < 2 * (deadline + 5 * SECOND), "{habit}: too long");
    }
    let ending = Instant::now();
    engine.quit();
    assert!(ending.elapsed() < 5 * SECOND, "{habit}: quits too slowly");
    assert!(!lives(process_id), "{habit}: its process lives on");
    found
}

/// Every dialect that a fake of this habit speaks.
fn check(habit: Habit, deadline: Duration, expected: [&str; 2]) {
    for dialect in [Dialect::Uci, Dialect::Cyclone, Dialect::Ucci, Dialect::Cecp] {
        let found = play(habit, dialect, PATIENCE, deadline);
        let texts: Vec<_> = found.iter().map(|answer| format!("{answer:?}")).collect();
        let fits = texts.iter().zip(expected).all(|(text, part)| text.contains(part));
        assert!(fits && texts.len() == 2, "{habit} {dialect}: {texts:#?}");
    }
}

const FIRST_MOVE: &str = "Ok(Move(";

#[test]
fn good_ones_play() {
    check(Habit::Good, SECOND, [FIRST_MOVE, FIRST_MOVE]);
    check(Habit::Plain, SECOND, [FIRST_MOVE, FIRST_MOVE]);
    check(Habit::AnswersTwice, SECOND, [FIRST_MOVE, FIRST_MOVE]);
    check(Habit::IgnoresQuit, SECOND, [FIRST_MOVE, FIRST_MOVE]);
}

#[test]
fn a_reply_holds_what_was_said() -> Result<(), EngineError> {
    for dialect in [Dialect::Uci, Dialect::Cyclone, Dialect::Ucci, Dialect::Cecp] {
        let mut engine = start_engine(&fake(Habit::Good, dialect), PATIENCE)?;
        let reply = ask(&mut engine, "h2e2", SECOND)?;
        assert_eq!(reply.answer, Answer::Move(reply.info.line[0]), "{dialect}");
        assert_eq!(reply.info.score, Some(EngineScore::Centipawns(25)));
        assert_eq!((reply.info.depth, reply.info.nodes), (Some(1), Some(44)));
        assert!(!reply.offers_draw && reply.elapsed < SECOND);
        assert_eq!(engine.name(), "Fake engine");
    }
    Ok(())
}

#[test]
fn ranks_from_one_are_only_read_where_they_are_spoken() -> Result<(), EngineError> {
    let mut engine = start_engine(&fake(Habit::OneBased, Dialect::UciVariant), PATIENCE)?;
    let legal = Position::start().legal_moves();
    let reply = ask(&mut engine, "", SECOND)?;
    assert_eq!(reply.answer, Answer::Move(legal[0]));
    // All that Black can do starts from e10.
    let start: Position = "4k4/9/9/9/9/9/9/9/9/3K5 b".parse().expect("a position");
    let reply = ask_from(&mut engine, &start, "", SECOND)?;
    assert_eq!(reply.answer, Answer::Move(start.legal_moves()[0]));
    let wrong = start_engine(&fake(Habit::OneBased, Dialect::Uci), PATIENCE).expect_err("it starts as chess");
    assert!(wrong.to_string().contains("its dialect is uci-variant"), "{wrong}");
    let wrong = start_engine(&fake(Habit::Good, Dialect::UciVariant), PATIENCE).expect_err("no such option");
    assert!(wrong.to_string().contains("it has no option UCI_Variant"), "{wrong}");
    Ok(())
}

#[test]
fn deaths_are_crashes_with_status_and_last_words() {
    check(Habit::Dies, SECOND, [FIRST_MOVE, "crashed (exit status: 7); its last words:"]);
    let found = play(Habit::Dies, Dialect::Uci, PATIENCE, SECOND);
    assert!(format!("{found:?}").contains("assertion failed: nodes > 0"), "{found:?}");
}

#[test]
fn handshakes_that_fail() {
    for dialect in Dialect::ALL {
        let died = play(Habit::DiesAtHandshake, dialect, PATIENCE, SECOND);
        let text = format!("{died:?}");
        assert!(text.contains("it ended (exit status: 3)") && text.contains("no licence found"), "{text}");
        let silent = play(Habit::Silent, dialect, hurried(), SECOND);
        assert!(format!("{silent:?}").contains("it didn't say"), "{silent:?}");
        if dialect != Dialect::UciVariant {
            let never = play(Habit::NeverReady, dialect, hurried(), SECOND);
            assert!(format!("{never:?}").contains("it didn't say"), "{never:?}");
        }
    }
    let missing =
        start_engine(&Command::new("/nowhere/at-all", Dialect::Uci), PATIENCE).expect_err("not there");
    assert!(missing.to_string().starts_with("/nowhere/at-all can't be started: "), "{missing}");
    let other = start_engine(&Command::new("cat", Dialect::Uci), hurried()).expect_err("no engine");
    assert!(matches!(other, EngineError::Handshake { .. }), "{other}");
}

#[test]
fn silence_is_a_stall_and_ends_in_time() {
    let deadline = Duration::from_millis(100);
    let begun = Instant::now();
    check(Habit::Sleeps, deadline, ["gave no answer in ", "was ended after an error"]);
    check(Habit::FloodsForever, deadline, ["gave no answer in ", "was ended after an error"]);
    assert!(begun.elapsed() < 20 * SECOND);
}

#[test]
fn late_answers_are_told_by_their_time_or_are_stalls() -> Result<(), EngineError> {
    for dialect in [Dialect::Uci, Dialect::Ucci, Dialect::Cecp] {
        let mut command = fake(Habit::Late, dialect);
        command.arguments.push("150".to_owned());
        let patience = Patience { answer_margin: 5 * SECOND, ..PATIENCE };
        let mut engine = start_engine(&command, patience)?;
        let reply = ask(&mut engine, "", Duration::from_millis(50))?;
        assert!(matches!(reply.answer, Answer::Move(_)));
        assert!(reply.elapsed >= Duration::from_millis(150), "{:?}", reply.elapsed);
        // The order to stop, which it heard too late, doesn't disturb what follows.
        assert!(matches!(ask(&mut engine, "a0a1 a9a8", SECOND)?.answer, Answer::Move(_)));
        command.arguments[1] = "60000".to_owned();
        let mut engine = start_engine(&command, PATIENCE)?;
        let stalled = ask(&mut engine, "", Duration::from_millis(50));
        assert!(matches!(stalled, Err(EngineError::Stalled { .. })), "{stalled:?}");
    }
    Ok(())
}

#[test]
fn nonsense_in_place_of_a_move() {
    let illegal = format!("{:?}", Ok::<_, ()>(Answer::Move(moves("a0a9")[0])));
    check(Habit::Illegal, SECOND, [&illegal, &illegal]);
    check(Habit::Unreadable, SECOND, ["Unreadable(", "pass"]);
    check(Habit::Resigns, SECOND, ["Ok(Resign)", "Ok(Resign)"]);
    check(Habit::NoMove, SECOND, ["Ok(None)", "Ok(None)"]);
}

#[test]
fn floods_and_rubbish_hide_no_answer() {
    for habit in [Habit::Floods, Habit::LongLine, Habit::Garbage, Habit::Complains] {
        check(habit, 5 * SECOND, [FIRST_MOVE, FIRST_MOVE]);
    }
}

#[test]
fn one_that_never_listens_holds_nobody_up() -> Result<(), EngineError> {
    let mut engine = start_engine(&fake(Habit::Deaf, Dialect::Uci), PATIENCE)?;
    let game = "a0a1 a9a8 a1a0 a8a9 ".repeat(60);
    // Its pipe holds so many positions; then it counts as stalled.
    let begun = Instant::now();
    let error = (0..200).find_map(|_| ask(&mut engine, &game, SECOND).err());
    assert!(matches!(error, Some(EngineError::Stalled { .. })), "{error:?}");
    assert!(begun.elapsed() < 2 * PATIENCE.start);
    Ok(())
}

#[test]
fn closed_output_is_a_crash() {
    let mut command = Command::new("sh", Dialect::Uci);
    command.arguments =
        ["-c", "echo uciok; echo readyok; read a; read b; exec >&-; sleep 60"].map(str::to_owned).to_vec();
    let mut engine = start_engine(&command, PATIENCE).expect("it says all that is needed");
    let process_id = engine.process_id();
    let error = engine.new_game(&Position::start()).expect_err("it closed its output");
    assert!(matches!(error, EngineError::Crashed { status: None, .. }), "{error}");
    assert!(!lives(process_id));
}

#[test]
fn children_of_an_engine_die_with_it() {
    let mut command = Command::new("sh", Dialect::Uci);
    let script = "sleep 60 & echo id name $!; echo uciok; echo readyok; read a; read b; read c; exit 0";
    command.arguments = ["-c", script].map(str::to_owned).to_vec();
    let engine = start_engine(&command, PATIENCE).expect("it says all that is needed");
    let child: u32 = engine.name().parse().expect("its child's number");
    assert!(lives(child));
    engine.quit();
    // Whoever inherits the child waits for it soon.
    let until = Instant::now() + 2 * SECOND;
    let is_gone = || {
        let status = std::fs::read_to_string(format!("/proc/{child}/status"));
        status.map_or(true, |status| status.contains("State:\tZ"))
    };
    while !is_gone() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(is_gone(), "the child lives on");
}

#[test]
fn a_program_and_its_folder() -> Result<(), EngineError> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = fake(Habit::Good, Dialect::Ucci);
    command.folder = Some(folder.path().to_owned());
    command.arguments.extend(["0", "heard.txt"].map(str::to_owned));
    command.name = Some("Mine".to_owned());
    let engine = start_engine(&command, PATIENCE)?;
    assert_eq!(engine.name(), "Mine");
    engine.quit();
    let heard = std::fs::read_to_string(folder.path().join("heard.txt")).expect("it worked in the folder");
    assert!(heard.starts_with("ucci\n"), "{heard}");
    Ok(())
}

#[test]
fn options_are_checked() {
    let set = |dialect, name: &str, value: &str| {
        let mut command = fake(Habit::Good, dialect);
        command.options = vec![(name.to_owned(), value.to_owned())];
        start_engine(&command, PATIENCE).map(drop).map_err(|error| error.to_string())
    };
    let program = env!("CARGO_BIN_EXE_fake-engine");
    assert_eq!(set(Dialect::Uci, "hash", "64"), Ok(()));
    assert_eq!(set(Dialect::Cecp, "level", "low"), Ok(()));
    assert_eq!(set(Dialect::Cecp, "memory", "16"), Ok(()));
    let refused = |text: &str| Err(format!("{program}: option {text}"));
    assert_eq!(
        set(Dialect::Uci, "Hash", "2048"),
        refused("\"Hash\" \"2048\": want a whole number from 1 to 1024")
    );
    assert_eq!(set(Dialect::Uci, "Threads", "1"), refused("\"Threads\" is not there; there are: Hash"));
    assert_eq!(set(Dialect::Cecp, "cores", "1"), refused("\"cores\" is not there; there are: Level, memory"));
    assert_eq!(
        set(Dialect::Ucci, "usemillisec", "yes"),
        refused("\"usemillisec\" \"yes\": want true or false")
    );
}
