//! Outside engines as players.

use crate::clock::{LATENESS, TimeControl};
use crate::note::{MoveNote, MoveScore};
use crate::player::{Choice, Fault, Player, PlayerError, Turn};
use engine::drive::{
    Answer, ClockTime, Command, Dialect, Engine, EngineError, EngineScore, Limits, ParseDialectError,
    Patience, Reply, Task, UnsupportedLimit,
};
use rules::{ByColour, Colour, Game, Move, Outcome, Ply};
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// An outside engine, and how strong it may be.
///
/// Written `PROTOCOL:PROGRAM`, then `,key=value` as often as needed. These keys are ours:
///
/// | key | meaning |
/// |---|---|
/// | `nodes`, `depth` | nodes, plies of each search |
/// | `movetime_ms` | time for each move, in milliseconds |
/// | `clock` | seconds for the game and more for each move, `60+0.6`; not with `movetime_ms` |
/// | `name` | what to call it; else the program, its limits and its options |
/// | `args` | the program's arguments, with spaces between |
/// | `folder` | the folder it works in |
/// | `longest_s` | seconds that a move may take where nothing else limits the time; 60 |
/// | `start_s` | seconds to start in, and to get ready before each game and move; 10 |
/// | `grace_s` | seconds to answer in after being told to stop; 1 |
/// | `quit_s` | seconds to quit in, before it is killed; 2 |
///
/// At least one of the first four must be there. Every other key is an option of the engine.
///
/// ```
/// use arena::OutsideEngine;
///
/// let engine: OutsideEngine = "uci-variant:fairy-stockfish,nodes=300,Use NNUE=false".parse()?;
/// assert_eq!(engine.name(), "fairy-stockfish nodes=300 Use NNUE=false");
/// assert_eq!(engine.to_string(), "uci-variant:fairy-stockfish,nodes=300,Use NNUE=false");
/// # Ok::<(), arena::ParseEngineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OutsideEngine {
    settings: EngineSettings,
    /// Starts in a row that failed, of all players that play for it.
    failed_starts: Arc<AtomicU32>,
    /// Was one of them ever ready for a game?
    was_ready: Arc<AtomicBool>,
}

/// What an [`OutsideEngine`] is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSettings {
    /// The program and its protocol.
    pub command: Command,
    /// Nodes of each search.
    pub nodes: Option<u64>,
    /// Plies of each search.
    pub depth: Option<u32>,
    /// Its time.
    pub time: Option<TimeControl>,
    /// How long a move may take where nothing else limits the time.
    pub longest: Duration,
    /// How long it is waited for besides.
    pub patience: Patience,
}

/// So many starts in a row may fail; each loses a game.
const MOST_FAILED_STARTS: u32 = 5;

/// [`EngineSettings::longest`], unless said otherwise.
const LONGEST: Duration = Duration::from_mins(1);

impl OutsideEngine {
    /// An engine that plays as these settings say.
    pub fn new(settings: EngineSettings) -> Result<Self, ParseEngineError> {
        if (settings.nodes, settings.depth, settings.time) == (None, None, None) {
            return Err(ParseEngineError::Unlimited);
        }
        settings.command.dialect.check_limits(&settings.limits(None))?;
        Ok(Self { settings, failed_starts: Arc::default(), was_ready: Arc::default() })
    }

    /// What it is.
    pub const fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// The same engine by another path to its program.
    #[must_use]
    pub fn with_program(mut self, program: PathBuf) -> Self {
        self.settings.command.program = program;
        self
    }

    /// The name in records and tables: what was asked for, or the program, its limits and its options, so that players
    /// of different strength have different names.
    pub fn name(&self) -> String {
        let Command { program, name, options, .. } = &self.settings.command;
        let stem = || program.file_stem().unwrap_or(program.as_os_str()).to_string_lossy();
        let options = || options.iter().map(|(key, value)| format!("{key}={value}")).collect();
        name.clone().unwrap_or_else(|| {
            [vec![stem().into_owned()], self.settings.limit_words(), options()].concat().join(" ")
        })
    }

    /// A player. Its program starts when the first move is asked for.
    pub fn player(&self) -> EnginePlayer {
        EnginePlayer { of: self.clone(), name: self.name(), engine: None, is_new_game: true }
    }
}

impl EngineSettings {
    /// The limits as key and value.
    fn limit_words(&self) -> Vec<String> {
        let nodes = self.nodes.map(|nodes| format!("nodes={nodes}"));
        let depth = self.depth.map(|depth| format!("depth={depth}"));
        let time = self.time.map(|time| match time {
            TimeControl::PerMove(time) => format!("movetime_ms={}", time.as_millis()),
            TimeControl::Game { base, increment } => {
                format!("clock={}+{}", base.as_secs_f64(), increment.as_secs_f64())
            }
        });
        [nodes, depth, time].into_iter().flatten().collect()
    }

    /// What the engine is told; `clocks` are what the clocks show.
    fn limits(&self, clocks: Option<ByColour<ClockTime>>) -> Limits {
        let (move_time, clock) = match self.time {
            None => (None, None),
            Some(TimeControl::PerMove(time)) => (Some(time), None),
            Some(TimeControl::Game { base, increment }) => {
                let full = ClockTime { left: base, increment };
                (None, Some(clocks.unwrap_or(ByColour { red: full, black: full })))
            }
        };
        Limits { nodes: self.nodes, depth: self.depth, move_time, clock, moves_to_go: None }
    }
}

impl fmt::Display for OutsideEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Command { program, arguments, folder, dialect, options, name } = &self.settings.command;
        write!(f, "{dialect}:{}", program.display())?;
        for word in self.settings.limit_words() {
            write!(f, ",{word}")?;
        }
        let EngineSettings { longest, patience, .. } = &self.settings;
        let usual = Patience::default();
        for (key, wait, usual) in [
            ("longest_s", *longest, LONGEST),
            ("start_s", patience.start, usual.start),
            ("grace_s", patience.answer_margin, usual.answer_margin),
            ("quit_s", patience.quit, usual.quit),
        ] {
            if wait != usual {
                write!(f, ",{key}={}", wait.as_secs_f64())?;
            }
        }
        if let Some(name) = name {
            write!(f, ",name={name}")?;
        }
        if !arguments.is_empty() {
            write!(f, ",args={}", arguments.join(" "))?;
        }
        if let Some(folder) = folder {
            write!(f, ",folder={}", folder.display())?;
        }
        options.iter().try_for_each(|(key, value)| write!(f, ",{key}={value}"))
    }
}

/// What is wrong with a text that should name an engine.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseEngineError {
    /// It doesn't start with a protocol and a colon.
    #[error("\"{0}\" names no engine: want PROTOCOL:PROGRAM,key=value,...")]
    NoColon(String),
    /// The protocol isn't known.
    #[error(transparent)]
    Dialect(#[from] ParseDialectError),
    /// There is no program.
    #[error("no program after \"{0}:\"")]
    NoProgram(Dialect),
    /// Something between commas is no pair of key and value.
    #[error("\"{0}\": want key=value")]
    NoValue(String),
    /// A value isn't what its key wants.
    #[error("{key} = {value}: want {allowed}")]
    Value {
        /// The key.
        key: &'static str,
        /// What it is set to.
        value: String,
        /// What it may be set to.
        allowed: &'static str,
    },
    /// Nothing limits it.
    #[error("nothing limits the engine: want nodes, depth, movetime_ms or clock")]
    Unlimited,
    /// Its protocol can't limit it so.
    #[error(transparent)]
    Limit(#[from] UnsupportedLimit),
}

impl FromStr for OutsideEngine {
    type Err = ParseEngineError;

    fn from_str(text: &str) -> Result<Self, ParseEngineError> {
        let (dialect, rest) =
            text.split_once(':').ok_or_else(|| ParseEngineError::NoColon(text.to_owned()))?;
        let dialect: Dialect = dialect.parse()?;
        let mut parts = rest.split(',');
        let program = parts.next().filter(|program| !program.is_empty());
        let program = program.ok_or(ParseEngineError::NoProgram(dialect))?;
        let mut settings = EngineSettings {
            command: Command::new(program, dialect),
            nodes: None,
            depth: None,
            time: None,
            longest: LONGEST,
            patience: Patience::default(),
        };
        for part in parts {
            let (key, value) =
                part.split_once('=').ok_or_else(|| ParseEngineError::NoValue(part.to_owned()))?;
            settings.set(key, value)?;
        }
        Self::new(settings)
    }
}

impl EngineSettings {
    fn set(&mut self, key: &str, value: &str) -> Result<(), ParseEngineError> {
        let wrong = |key, allowed| ParseEngineError::Value { key, value: value.to_owned(), allowed };
        let once = || wrong("clock", "one of clock and movetime_ms");
        match key {
            "nodes" => {
                let nodes = value.parse().ok().filter(|&nodes| 0 < nodes);
                self.nodes = Some(nodes.ok_or_else(|| wrong("nodes", "a whole number from 1"))?);
            }
            "depth" => {
                let depth = value.parse().ok().filter(|&depth| 0 < depth);
                self.depth = Some(depth.ok_or_else(|| wrong("depth", "a whole number from 1"))?);
            }
            "movetime_ms" => {
                let ms = value.parse().ok().filter(|ms| (1..=86_400_000).contains(ms));
                let ms = ms.ok_or_else(|| wrong("movetime_ms", "milliseconds, 1 to 86400000"))?;
                if self.time.replace(TimeControl::PerMove(Duration::from_millis(ms))).is_some() {
                    return Err(once());
                }
            }
            "clock" => {
                let allowed = "seconds for the game + seconds for each move, such as 60+0.6";
                let (base, increment) = value.split_once('+').ok_or_else(|| wrong("clock", allowed))?;
                let (base, increment) =
                    seconds(base).zip(seconds(increment)).ok_or_else(|| wrong("clock", allowed))?;
                if self.time.replace(TimeControl::Game { base, increment }).is_some() {
                    return Err(once());
                }
            }
            "longest_s" => self.longest = some_seconds("longest_s", value)?,
            "start_s" => self.patience.start = some_seconds("start_s", value)?,
            "grace_s" => self.patience.answer_margin = some_seconds("grace_s", value)?,
            "quit_s" => self.patience.quit = some_seconds("quit_s", value)?,
            "name" => self.command.name = Some(value.to_owned()),
            "args" => self.command.arguments = value.split_whitespace().map(str::to_owned).collect(),
            "folder" => self.command.folder = Some(Path::new(value).to_owned()),
            _ => self.command.options.push((key.to_owned(), value.to_owned())),
        }
        Ok(())
    }
}

/// Up to a day, in milliseconds.
fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    (0.0..=86_400.0).contains(&seconds).then(|| Duration::from_millis((1000.0 * seconds).round() as u64))
}

fn some_seconds(key: &'static str, text: &str) -> Result<Duration, ParseEngineError> {
    let allowed = "seconds, more than 0, to 86400";
    let wrong = || ParseEngineError::Value { key, value: text.to_owned(), allowed };
    seconds(text).filter(|wait| !wait.is_zero()).ok_or_else(wrong)
}

/// An outside engine that plays. A process of its own runs from the first move on; after a fault it is ended, and
/// another one starts with the next game.
///
/// The engine is told of everything and trusted in nothing: what it says of the result is no result (no move where
/// there is one is a fault), an offer of a draw is neither accepted nor passed on (few protocols have a word for it, and
/// [`crate::Adjudication`] ends games on terms that are the same for both), and its time is measured here.
#[derive(Debug)]
pub struct EnginePlayer {
    of: OutsideEngine,
    name: String,
    engine: Option<Engine>,
    /// The engine hasn't been told of the game yet.
    is_new_game: bool,
}

impl Player for EnginePlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    /// The seed is of no use to an engine.
    fn start_game(&mut self, _seed: u64) {
        self.is_new_game = true;
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
        let asked = self.ask(turn);
        let reply = asked.map_err(|error| {
            // What is left of it ends here, but for one that may still be asked to quit.
            if !matches!(error, EngineError::Stopped { .. }) {
                self.engine = None;
            }
            self.judge(&error)
        })?;
        let note = note_on(&reply);
        let unfit = |what: &str| PlayerError::Forfeit {
            fault: Fault::IllegalMove,
            message: format!("{} answered {what}", self.name),
        };
        match reply.answer {
            Answer::Move(mv) => Ok(Choice { mv: Some(mv), note }),
            Answer::Resign => Ok(Choice { mv: None, note }),
            Answer::None => Err(unfit("that it has no move, or that the game is over")),
            Answer::Unreadable(text) => Err(unfit(&format!("\"{}\"", text.escape_debug()))),
        }
    }

    fn time_control(&self) -> Option<TimeControl> {
        let settings = &self.of.settings;
        Some(settings.time.unwrap_or(TimeControl::PerMove(settings.longest)))
    }
}

impl Drop for EnginePlayer {
    /// Asks the engine to quit before it is killed.
    fn drop(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.quit();
        }
    }
}

impl EnginePlayer {
    fn ask(&mut self, turn: &Turn<'_>) -> Result<Reply, EngineError> {
        let settings = &self.of.settings;
        let engine = match &mut self.engine {
            Some(engine) => engine,
            empty => {
                let stop = turn.stop.map(Arc::clone).unwrap_or_default();
                let engine = Engine::start(&settings.command, settings.patience, stop)?;
                self.of.failed_starts.store(0, Ordering::Relaxed);
                empty.insert(engine)
            }
        };
        if std::mem::take(&mut self.is_new_game) {
            engine.new_game(turn.game.start())?;
            self.of.was_ready.store(true, Ordering::Relaxed);
        }
        let moves: Vec<Move> = turn.game.plies().iter().map(Ply::mv).collect();
        let is_told_bans = settings.command.dialect == Dialect::Ucci;
        let banned = if is_told_bans { banned_moves(turn.game) } else { Vec::new() };
        let side = turn.game.position().turn();
        let clocks = turn.clocks[side].map(|own| {
            // An opponent without a clock has as much time as the engine itself, and CECP knows one increment for both.
            let shown = |side| turn.clocks[side].unwrap_or(own);
            let mut clocks = ByColour { red: shown(Colour::Red), black: shown(Colour::Black) };
            if settings.command.dialect == Dialect::Cecp {
                clocks[side.opponent()].increment = own.increment;
            }
            clocks
        });
        let allowed = match settings.time {
            None => settings.longest,
            Some(TimeControl::PerMove(time)) => time,
            Some(TimeControl::Game { base, .. }) => turn.clocks[side].map_or(base, |own| own.left),
        };
        engine.go(&Task {
            start: turn.game.start(),
            moves: &moves,
            banned: &banned,
            limits: settings.limits(clocks),
            deadline: allowed + LATENESS,
        })
    }

    /// What an error means for the game: it is lost, unless the fault is the user's.
    fn judge(&self, error: &EngineError) -> PlayerError {
        let forfeit = |fault| PlayerError::Forfeit { fault, message: error.to_string() };
        match error {
            EngineError::Start { source, .. }
                if [ErrorKind::NotFound, ErrorKind::PermissionDenied].contains(&source.kind()) =>
            {
                PlayerError::Other(error.to_string())
            }
            EngineError::Option { .. } | EngineError::Limit { .. } | EngineError::Position { .. } => {
                PlayerError::Other(error.to_string())
            }
            EngineError::Stopped { .. } => PlayerError::Stopped,
            // What was never ready is the wrong program or speaks another protocol.
            _ if !self.of.was_ready.load(Ordering::Relaxed) => {
                let dialect = self.of.settings.command.dialect;
                let others = Dialect::ALL.into_iter().filter(|&other| other != dialect).map(Dialect::name);
                let others = others.collect::<Vec<_>>().join(", ");
                PlayerError::Other(format!(
                    "{error} (it was never ready, as an engine that speaks {dialect}; other protocols to try: {others})"
                ))
            }
            EngineError::Start { .. } | EngineError::Handshake { .. } => {
                let failed = 1 + self.of.failed_starts.fetch_add(1, Ordering::Relaxed);
                if failed < MOST_FAILED_STARTS {
                    forfeit(Fault::Crash)
                } else {
                    PlayerError::Other(format!("it couldn't be started {failed} times in a row: {error}"))
                }
            }
            EngineError::Crashed { .. } | EngineError::Ended { .. } => forfeit(Fault::Crash),
            EngineError::Stalled { .. } => forfeit(Fault::Stall),
        }
    }
}

/// What the engine said, and how long it took by our clock, to the millisecond.
fn note_on(reply: &Reply) -> MoveNote {
    let score = reply.info.score.map(|score| match score {
        // Beyond these an engine says nothing that a pawn more would change.
        EngineScore::Centipawns(value) => MoveScore::Centipawns(value.clamp(-1_000_000, 1_000_000)),
        EngineScore::Mate(moves) => MoveScore::Mate(moves.clamp(-9_999, 9_999)),
    });
    let time = Duration::from_millis(reply.elapsed.as_millis() as u64);
    MoveNote { score, depth: reply.info.depth, nodes: reply.info.nodes, time: Some(time) }
}

/// The legal moves that a UCCI engine is told not to play: those that the rules refuse, and those that lose at once by
/// repetition, unless there is no other move.
fn banned_moves(game: &Game) -> Vec<Move> {
    let mut banned: Vec<Move> = game.refusals().into_iter().map(|(mv, _)| mv).collect();
    let permitted = game.permitted_moves();
    // A position recurs after four plies at the soonest.
    let recurs = 4 * (u16::from(game.rules().folds.get()) - 1) <= game.position().quiet_plies() + 1;
    if recurs {
        let mut next = game.clone();
        let mut loses = |mv: Move| {
            next.play_unchecked(mv);
            let ending = next.ending();
            next.undo();
            let winner = game.position().turn().opponent();
            ending.is_some_and(|ending| {
                ending.reason.is_by_repetition() && ending.outcome == Outcome::Win(winner)
            })
        };
        let losing: Vec<Move> = permitted.iter().copied().filter(|&mv| loses(mv)).collect();
        if losing.len() < permitted.len() {
            banned.extend(losing);
        }
    }
    banned
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{RuleSet, Rules};

    #[test]
    fn engines_are_written_and_read_back() {
        for (text, name) in [
            ("ucci:/usr/games/fairy-stockfish,nodes=1", "fairy-stockfish nodes=1"),
            ("cecp:hoixiangqi,depth=2,name=Hoi 2", "Hoi 2"),
            (
                "uci:a.exe,clock=60+0.6,args=-x 1,folder=/tmp,Threads=1,Hash=",
                "a clock=60+0.6 Threads=1 Hash=",
            ),
            ("cyclone:./b,nodes=5,movetime_ms=20,longest_s=0.5", "b nodes=5 movetime_ms=20"),
        ] {
            let engine: OutsideEngine = text.parse().unwrap();
            assert_eq!((engine.to_string(), engine.name()), (text.to_owned(), name.to_owned()));
        }
        for (text, what) in [
            ("fairy-stockfish", "\"fairy-stockfish\" names no engine: want PROTOCOL:PROGRAM"),
            ("usi:x,nodes=1", "\"usi\" is no protocol: want one of uci, "),
            ("uci:,nodes=1", "no program after \"uci:\""),
            ("uci:x", "nothing limits the engine"),
            ("uci:x,nodes", "\"nodes\": want key=value"),
            ("uci:x,nodes=0", "nodes = 0: want a whole number from 1"),
            ("uci:x,clock=60", "clock = 60: want seconds for the game"),
            ("uci:x,clock=60+-1", "clock = 60+-1: want seconds for the game"),
            ("uci:x,clock=60+1,movetime_ms=5", "clock = 5: want one of clock and movetime_ms"),
        ] {
            let error = text.parse::<OutsideEngine>().unwrap_err().to_string();
            assert!(error.starts_with(what), "{error}");
        }
    }

    #[test]
    fn moves_that_the_rules_refuse_or_that_lose_at_once_are_banned() {
        // A rook checks on and on: the move that brings the start back for the second time loses, or is refused.
        for rule_set in [RuleSet::Formal, RuleSet::Casual] {
            let mut game = Game::new("R2k5/9/9/9/9/9/9/9/9/4K4 b".parse().unwrap(), Rules::of(rule_set));
            let moves = ["d9d8", "a9a8", "d8d9", "a8a9"].repeat(2);
            for mv in &moves[..7] {
                assert_eq!(banned_moves(&game), []);
                game.play(mv.parse().unwrap()).unwrap();
            }
            let banned = banned_moves(&game);
            let banned: Vec<String> = banned.iter().map(ToString::to_string).collect();
            assert_eq!(banned, ["a8a9"], "{rule_set:?}");
        }
    }
}
