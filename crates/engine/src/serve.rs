//! Our engine for everybody's interfaces: UCI with both ways of counting ranks, UCI-Cyclone and UCCI, told apart by what is
//! said first.
//!
//! Start with [`serve`]. It knows the protocols; what to play comes from [`think`](crate::think), what is legal from
//! `rules`. No command line, no search for configuration: the program hands in streams and where nets are ([`Nets`]).
//!
//! `command`, `order`, `options` and `board` are the words that come in, `speech` and `score` those that go out, `clock`
//! says how long to think, `nets` and `thinking` with what, and `worker` does it. `README.md` is for users.
//!
//! Two threads besides the thinker's: the caller's reads, so that `stop`, `ponderhit`, `isready` and `quit` are heard
//! while the other thinks, which does everything else in the order in which it was asked for. Thus what comes while it
//! thinks is done afterwards, each `go` has one answer, and scripts can be piped in.

mod board;
mod clock;
mod command;
mod dialect;
mod lines;
mod nets;
mod options;
mod order;
mod pending;
mod score;
mod speech;
mod thinking;
mod voice;
mod worker;

pub use nets::{Nets, OpenFile, OpenNet, open_sparse};

use command::Command;
use crossbeam_channel::{Sender, TrySendError, bounded};
use lines::{Line, next_line};
use options::Options;
use pending::{Pending, Unanswered};
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use voice::Voice;
use worker::{Job, Worker};

/// So much may be asked for while the engine thinks. When that is full, thinking without an end is ended, and reading
/// waits.
const QUEUE: usize = 256;

/// After the end of the input what is being thought may go on for so long: enough for short scripts, and nobody is left
/// behind when an interface dies.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Talks with an interface until it says `quit` or its words end. `seed` is of what is drawn by lot.
///
/// Nothing that comes in makes it fail; an error is one of the streams, of which the output's comes first.
///
/// ```
/// use engine::serve::{Nets, serve};
///
/// let mut said = Vec::new();
/// serve(&b"uci\nposition startpos\ngo nodes 1\nquit\n"[..], &mut said, Nets::default(), 1)?;
/// let said = String::from_utf8(said)?;
/// assert!(said.contains("uciok\n") && said.contains("info string error no net was found"));
/// assert!(said.lines().last().is_some_and(|line| line.starts_with("bestmove ")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn serve(mut input: impl BufRead, output: impl Write + Send, nets: Nets, seed: u64) -> io::Result<()> {
    let voice = Voice::new(output);
    let unanswered = Unanswered::default();
    let read = thread::scope(|scope| {
        let (jobs, queue) = bounded(QUEUE);
        let worker = Worker::new(&voice, &unanswered, nets, seed);
        let worker = scope.spawn(move || worker.run(&queue));
        let mut reader = Reader { jobs, voice: &voice, unanswered: &unanswered, is_batch: false };
        let read = reader.run(&mut input);
        reader.finish();
        drop(reader);
        worker.join().expect("a worker catches its panics");
        read
    });
    voice.into_result().and(read)
}

/// Hears what is said, and does at once what can't wait.
struct Reader<'a, W> {
    jobs: Sender<Job>,
    voice: &'a Voice<W>,
    unanswered: &'a Unanswered,
    /// Finish what was asked for after the end of the input too (UCCI).
    is_batch: bool,
}

impl<W: Write> Reader<'_, W> {
    fn run(&mut self, input: &mut impl BufRead) -> io::Result<()> {
        while let Some(line) = next_line(input)? {
            let read = Instant::now();
            match line {
                Line::TooLong => self.send(Job::TooLong),
                Line::Text(text) => {
                    let command = Command::read(&text);
                    let is_end = command == Command::Quit;
                    self.hear(command, read);
                    if is_end {
                        break;
                    }
                }
            }
            if self.voice.has_failed() {
                break;
            }
        }
        Ok(())
    }

    fn hear(&mut self, command: Command, read: Instant) {
        match command {
            Command::Nothing => {}
            Command::Stop if self.unanswered.stop_all() => {}
            Command::PonderHit { draw } => self.unanswered.hit(draw),
            // After `stop` it waits for the answer: some take what comes after `readyok` for the answer to what they say
            // next.
            Command::IsReady if self.unanswered.has_any_running() => self.voice.say("readyok"),
            Command::Go(order) => {
                // An answer to this would be waited for in vain.
                self.unanswered.stop_open();
                let pending = Arc::new(Pending::new(read, order.is_open()));
                self.unanswered.add(Arc::clone(&pending));
                self.send(Job::Go(order, pending));
            }
            Command::Quit => {
                self.unanswered.stop_all();
                self.send(Job::Do(Command::Quit));
            }
            other => {
                if let Command::SetOption(text) = &other {
                    self.is_batch = Options::read_batch(text).unwrap_or(self.is_batch);
                }
                self.send(Job::Do(other));
            }
        }
    }

    fn send(&self, job: Job) {
        if let Err(TrySendError::Full(job)) = self.jobs.try_send(job) {
            self.unanswered.stop_open();
            // The other end is there as long as this one is.
            self.jobs.send(job).expect("the worker works until there are no more senders");
        }
    }

    /// The input has ended.
    fn finish(&self) {
        self.unanswered.stop_open();
        if self.is_batch && !self.voice.has_failed() {
            return;
        }
        self.unanswered.wait_until_answered(LAST_WORDS);
        self.unanswered.stop_all();
    }
}
