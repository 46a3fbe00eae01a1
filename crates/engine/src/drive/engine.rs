//! An engine that runs.

use rules::Position;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::cecp::Cecp;
use super::link::Link;
use super::uci::Uci;
use super::{Command, Dialect, EngineError, Patience, Reply, Task};

/// An engine that runs: a process of ours, which ends with this value.
///
/// ```no_run
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use engine::drive::{Command, Dialect, Engine, Limits, Patience, Task};
/// use rules::Position;
///
/// let command = Command::new("fairy-stockfish", Dialect::UciVariant);
/// let mut engine = Engine::start(&command, Patience::default(), Arc::default())?;
/// let start = Position::start();
/// engine.new_game(&start)?;
/// let limits = Limits { nodes: Some(300), ..Limits::default() };
/// let task = Task { start: &start, moves: &[], banned: &[], limits, deadline: Duration::from_secs(10) };
/// let reply = engine.go(&task)?;
/// println!("{} answers {:?}", engine.name(), reply.answer);
/// engine.quit();
/// # Ok::<(), engine::drive::EngineError>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    name: String,
    link: Link,
    speech: Speech,
}

#[derive(Debug)]
enum Speech {
    Uci(Uci),
    Cecp(Box<Cecp>),
}

impl Engine {
    /// Starts a program, learns what it is, sets its options and waits until it is ready.
    ///
    /// Once `stop` is raised, this and every later wait ends at once with [`EngineError::Stopped`], and [`Self::quit`]
    /// waits a quarter of a second at most.
    pub fn start(command: &Command, patience: Patience, stop: Arc<AtomicBool>) -> Result<Self, EngineError> {
        let mut link = Link::start(command, patience, stop)?;
        let (speech, own_name) = match command.dialect {
            Dialect::Uci | Dialect::UciVariant | Dialect::Cyclone | Dialect::Ucci => {
                let (uci, name) = Uci::start(&mut link, command)?;
                (Speech::Uci(uci), name)
            }
            Dialect::Cecp => {
                let (cecp, name) = Cecp::start(&mut link, command)?;
                (Speech::Cecp(Box::new(cecp)), name)
            }
        };
        let name = command.name.clone().or(own_name).unwrap_or_else(|| link.program.clone());
        Ok(Self { name, link, speech })
    }

    /// What it is called: by the [`Command`], else by itself, else as its program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of its process.
    pub fn process_id(&self) -> u32 {
        self.link.process_id()
    }

    /// Tells it that another game begins, from here.
    pub fn new_game(&mut self, start: &Position) -> Result<(), EngineError> {
        self.link.be_patient_anew();
        match &mut self.speech {
            Speech::Uci(uci) => uci.new_game(&mut self.link),
            Speech::Cecp(cecp) => cecp.new_game(&mut self.link, start),
        }
    }

    /// Asks for a move and waits for it. An engine that isn't ready before has [`Patience::start`] to get so; from
    /// the order to think it has the task's deadline, then it is told to stop and has [`Patience::answer_margin`]. So an
    /// answer may come after the deadline: [`Reply::elapsed`] tells.
    ///
    /// # Panics
    /// If a move of the task isn't legal.
    pub fn go(&mut self, task: &Task<'_>) -> Result<Reply, EngineError> {
        self.link.be_patient_anew();
        match &mut self.speech {
            Speech::Uci(uci) => uci.go(&mut self.link, task),
            Speech::Cecp(cecp) => cecp.go(&mut self.link, task),
        }
    }

    /// Asks it to quit, waits as long as the patience says, then kills it and all that it has started. No process
    /// remains. Dropping an engine kills it at once.
    pub fn quit(mut self) {
        self.link.end("quit");
    }
}
