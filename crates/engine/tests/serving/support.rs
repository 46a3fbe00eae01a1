//! The program `meihua-engine` as an interface has it: a process with two pipes.

use net::{Architecture, Description, Weights};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than anything takes on the busiest machine.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) const START_FEN: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// A running engine. It ends with the value.
pub(crate) struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    _folder: Option<TempDir>,
}

/// Writes weights of no worth, the same ones each time.
pub(crate) fn write_net(path: &Path) {
    let description =
        Description::new(Architecture::Sparse { hidden: 32, value_hidden: 16 }, "formal", "test");
    let weights = Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    weights.write(path).unwrap();
}

/// The program, alone in a folder.
pub(crate) fn copy_program(folder: &Path) -> PathBuf {
    let program = folder.join("meihua-engine");
    std::fs::copy(env!("CARGO_BIN_EXE_meihua-engine"), &program).unwrap();
    program
}

impl Engine {
    /// With a net.
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let net = folder.path().join("net.safetensors");
        write_net(&net);
        let mut command = Command::new(env!("CARGO_BIN_EXE_meihua-engine"));
        command.arg("--net").arg(net);
        Self::run(&mut command, Some(folder))
    }

    /// With a net, and after the greeting of a dialect.
    pub(crate) fn greeted(hello: &str) -> Self {
        let mut engine = Self::start();
        engine.say(hello);
        engine.until(&format!("{hello}ok"));
        engine
    }

    /// Without a net anywhere.
    pub(crate) fn without_net() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = copy_program(folder.path());
        Self::run(&mut Command::new(program), Some(folder))
    }

    pub(crate) fn run(command: &mut Command, folder: Option<TempDir>) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)).ok();
        });
        Self { input: child.stdin.take(), child, lines, _folder: folder }
    }

    /// Says a line, or several.
    pub(crate) fn say(&mut self, line: &str) {
        self.say_bytes(format!("{line}\n").as_bytes());
    }

    pub(crate) fn say_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// All lines up to the first that is or begins with `word`, which comes last.
    #[track_caller]
    pub(crate) fn until(&self, word: &str) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => heard.push(line),
                Err(error) => panic!("{error} before {word}: {heard:#?}"),
            }
            let line = heard.last().unwrap();
            if line == word || line.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ')) {
                return heard;
            }
        }
    }

    /// The words of the next `bestmove`, and all that was said before.
    #[track_caller]
    pub(crate) fn best_move(&self) -> (Vec<String>, Vec<String>) {
        let mut heard = self.until("bestmove");
        let line = heard.pop().unwrap();
        (line.split(' ').skip(1).map(str::to_owned).collect(), heard)
    }

    /// What is said in so long a time.
    pub(crate) fn listen(&self, time: Duration) -> Vec<String> {
        let end = Instant::now() + time;
        let mut heard = Vec::new();
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => heard.push(line),
                Err(RecvTimeoutError::Timeout) => return heard,
                Err(RecvTimeoutError::Disconnected) => panic!("it has ended: {heard:#?}"),
            }
        }
    }

    /// Waits until everything that was said has been done. Nothing may be left to say but what `isready` is answered
    /// with.
    #[track_caller]
    pub(crate) fn assert_silent(&mut self) {
        self.say("isready");
        let heard = self.until("readyok");
        assert!(heard.len() == 1, "{heard:#?}");
    }

    /// Closes the input, and waits for the end: the rest of what is said, how the process ended, and how long that took.
    #[track_caller]
    pub(crate) fn close(mut self) -> (Vec<String>, ExitStatus, Duration) {
        let closed = Instant::now();
        drop(self.input.take());
        let mut heard = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => heard.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it goes on though nobody speaks: {heard:#?}"),
            }
        }
        let status = self.child.wait().unwrap();
        (heard, status, closed.elapsed())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
