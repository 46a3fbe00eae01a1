//! The wire to an engine: what every dialect needs of a process, with its errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::process::{Line, Process, Silence, after};
use super::{Command, EngineError, Patience};

/// A running program, its name for messages, and how long to wait for it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) program: String,
    patience: Patience,
    process: Process,
    /// Nobody wants an answer any more.
    stop: Arc<AtomicBool>,
    /// Until when the engine may take to get ready for a question.
    ready_by: Instant,
}

/// How often a wait looks whether it is wanted.
const LOOK: Duration = Duration::from_millis(20);

/// The most that an engine gets to quit in when all is to stop.
const QUIT_WHEN_STOPPED: Duration = Duration::from_millis(250);

/// What a line means to one who waits for an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Heard<T> {
    /// Nothing.
    Nothing,
    /// The answer, unless a better one follows soon.
    Perhaps(T),
    /// The answer.
    Answer(T),
}

impl Link {
    pub(super) fn start(
        command: &Command,
        patience: Patience,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, EngineError> {
        let program = command.program.display().to_string();
        match Process::start(command) {
            Ok(process) => Ok(Self { program, patience, process, stop, ready_by: after(patience.start) }),
            Err(source) => Err(EngineError::Start { program, source }),
        }
    }

    pub(super) fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// From now on the engine has so much time to get ready, in all.
    pub(super) fn be_patient_anew(&mut self) {
        self.ready_by = after(self.patience.start);
    }

    /// Says a line.
    pub(super) fn send(&mut self, line: &str) -> Result<(), EngineError> {
        let sent = self.unless_stopped(self.ready_by, |process, until| process.send(line, until));
        sent.map_err(|silence| self.failure(silence, self.patience.start))
    }

    fn receive(&mut self, until: Instant) -> Result<Line, Silence> {
        self.unless_stopped(until, Process::receive)
    }

    /// Waits in short steps, and no longer than it is wanted.
    fn unless_stopped<T>(
        &mut self,
        until: Instant,
        mut wait: impl FnMut(&mut Process, Instant) -> Result<T, Silence>,
    ) -> Result<T, Silence> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Silence::Stopped);
            }
            let step = until.min(after(LOOK));
            match wait(&mut self.process, step) {
                Err(Silence::Late) if step < until => (),
                other => return other,
            }
        }
    }

    /// Reads lines until one that `read` makes something of, at most as long as the engine may take to get ready.
    pub(super) fn wait_for<T>(&mut self, mut read: impl FnMut(&str) -> Option<T>) -> Result<T, EngineError> {
        loop {
            match self.receive(self.ready_by) {
                Ok(line) => {
                    if let Some(found) = read(&line.text) {
                        return Ok(found);
                    }
                }
                Err(silence) => return Err(self.failure(silence, self.patience.start)),
            }
        }
    }

    /// Says `order` and reads lines until the answer, with how long it took. At `deadline` says `stop` and waits a
    /// little more.
    pub(super) fn ask<T>(
        &mut self,
        order: &str,
        stop: &str,
        deadline: Duration,
        mut read: impl FnMut(&str) -> Heard<T>,
    ) -> Result<(T, Duration), EngineError> {
        let asked = Instant::now();
        self.send(order)?;
        let margin = self.patience.answer_margin;
        let mut until = after(deadline);
        let mut stopped = false;
        let mut fallback = None;
        loop {
            match self.receive(until) {
                Ok(Line { text, at }) => match read(&text) {
                    Heard::Answer(answer) => return Ok((answer, at.saturating_duration_since(asked))),
                    Heard::Perhaps(answer) if fallback.is_none() => {
                        fallback = Some((answer, at.saturating_duration_since(asked)));
                        until = until.min(after(margin));
                    }
                    Heard::Perhaps(_) | Heard::Nothing => (),
                },
                Err(Silence::Late) if fallback.is_some() || !stopped => {
                    if let Some(found) = fallback {
                        return Ok(found);
                    }
                    stopped = true;
                    until = after(margin);
                    let sent = self.process.send(stop, until);
                    sent.map_err(|silence| self.failure(silence, asked.elapsed()))?;
                }
                Err(silence) => return Err(self.failure(silence, asked.elapsed())),
            }
        }
    }

    /// Ends the process, if it wasn't yet and isn't to be asked to quit, and says why.
    fn failure(&mut self, silence: Silence, waited: Duration) -> EngineError {
        let program = self.program.clone();
        if self.process.is_ended() {
            return EngineError::Ended { program };
        }
        match silence {
            Silence::Ended => {
                let status = self.process.bury();
                EngineError::Crashed { program, status, last_lines: self.process.last_lines() }
            }
            Silence::Late => {
                self.process.end(Duration::ZERO);
                EngineError::Stalled { program, after: waited }
            }
            Silence::Stopped => EngineError::Stopped { program },
        }
    }

    /// During the handshake any failure is one of the handshake.
    pub(super) fn unfit(&self, cause: EngineError, waited_for: &str) -> EngineError {
        let problem = match cause {
            EngineError::Crashed { status: Some(status), .. } => {
                format!("it ended ({status}) where \"{waited_for}\" was expected")
            }
            EngineError::Crashed { status: None, .. } => {
                format!("it closed its output where \"{waited_for}\" was expected")
            }
            EngineError::Stalled { after, .. } => {
                format!("it didn't say \"{waited_for}\" in {:.1} s", after.as_secs_f64())
            }
            other => return other,
        };
        self.refuse(problem)
    }

    pub(super) fn refuse(&self, problem: String) -> EngineError {
        EngineError::Handshake {
            program: self.program.clone(),
            problem,
            last_lines: self.process.last_lines(),
        }
    }

    pub(super) fn bad_option(&self, option: &str, problem: String) -> EngineError {
        EngineError::Option { program: self.program.clone(), option: option.to_owned(), problem }
    }

    /// Says `word` and waits until the process is gone, then kills it.
    pub(super) fn end(&mut self, word: &str) {
        let stopped = self.stop.load(Ordering::Relaxed);
        let grace = if stopped { self.patience.quit.min(QUIT_WHEN_STOPPED) } else { self.patience.quit };
        // An engine that can't be told is ended all the same.
        _ = self.process.send(word, after(Duration::ZERO));
        self.process.end(grace);
    }
}
