//! A program with its three pipes, each served by a thread of its own.
//!
//! The threads talk through bounded channels. A full one holds up who writes into it: a program that floods its
//! output between questions waits at its pipe, and is read on when it is asked again.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, bounded};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
#[cfg(target_os = "linux")]
use rustix::process::{getpid, getppid, set_parent_process_death_signal};

use super::Command;
use super::lines::{Closed, for_each_line};

/// Lines of output that wait to be read.
const OUTPUT_LINES: usize = 256;
/// Lines of input that wait to be written.
const INPUT_LINES: usize = 64;
/// Lines kept for error messages, of each stream.
const LAST_LINES: usize = 5;
/// How long a program that has closed its output may take to be gone.
const EXIT_TIME: Duration = Duration::from_millis(500);
/// How long threads may take to end after the process. One that takes longer hangs on a pipe that some process
/// outside our reach holds open, and is left to itself.
const THREAD_TIME: Duration = Duration::from_secs(1);

/// A program that runs. It leads a process group of its own: what it has started dies with it, and a Ctrl-C meant for
/// us doesn't reach it. On Linux it doesn't outlive us either, however we end; elsewhere an end of ours that leaves us
/// no time shows it only the end of its input.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// `None` once it has been ended.
    pipes: Option<Pipes>,
    last_output: VecDeque<String>,
    last_errors: Arc<Mutex<VecDeque<String>>>,
}

#[derive(Debug)]
struct Pipes {
    input: Sender<String>,
    output: Receiver<Line>,
    /// While this lives, so does the thread that has started the program.
    hold: Sender<Infallible>,
    threads: Vec<JoinHandle<()>>,
}

/// A line of output.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) text: String,
    /// When it had come in.
    pub(super) at: Instant,
}

/// Why there was nothing to read, or no room to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Silence {
    /// The time is up.
    Late,
    /// The program has ended, or closed its pipe.
    Ended,
    /// Nobody wants to hear more of it.
    Stopped,
}

impl Process {
    pub(super) fn start(command: &Command) -> io::Result<Self> {
        let program = if command.program.components().count() > 1 {
            std::path::absolute(&command.program)?
        } else {
            command.program.clone()
        };
        let mut builder = std::process::Command::new(program);
        builder.args(&command.arguments).process_group(0);
        builder.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &command.folder {
            builder.current_dir(folder);
        }
        die_with_us(&mut builder);
        let last_errors = Arc::new(Mutex::new(VecDeque::new()));
        let (hold, held) = bounded(0);
        let (mut child, starter) = spawn_and_hold(builder, Arc::clone(&last_errors), held)?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (input, to_write) = bounded(INPUT_LINES);
        let (read, output) = bounded(OUTPUT_LINES);
        let mut process = Self {
            child,
            pipes: Some(Pipes { input, output, hold, threads: vec![starter] }),
            last_output: VecDeque::new(),
            last_errors,
        };
        process.serve("engine input", move || write_lines(stdin, &to_write))?;
        process.serve("engine output", move || read_lines(stdout, &read))?;
        Ok(process)
    }

    /// If the thread can't be had, dropping `self` ends the program.
    fn serve(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work)?;
        self.pipes.as_mut().expect("it has just been started").threads.push(thread);
        Ok(())
    }

    /// Writes a line, or at least hands it to the thread that does.
    pub(super) fn send(&self, line: &str, until: Instant) -> Result<(), Silence> {
        let pipes = self.pipes.as_ref().ok_or(Silence::Ended)?;
        pipes.input.send_deadline(format!("{line}\n"), until).map_err(|error| match error {
            SendTimeoutError::Timeout(_) => Silence::Late,
            SendTimeoutError::Disconnected(_) => Silence::Ended,
        })
    }

    /// The next line of output.
    pub(super) fn receive(&mut self, until: Instant) -> Result<Line, Silence> {
        // Asked first, as a channel that always has something never runs into a deadline.
        if Instant::now() >= until {
            return Err(Silence::Late);
        }
        let pipes = self.pipes.as_ref().ok_or(Silence::Ended)?;
        let line = pipes.output.recv_deadline(until).map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::Late,
            RecvTimeoutError::Disconnected => Silence::Ended,
        })?;
        keep(&mut self.last_output, &line.text);
        Ok(line)
    }

    /// What it wrote last, errors after output.
    pub(super) fn last_lines(&self) -> Vec<String> {
        let errors = self.last_errors.lock().unwrap_or_else(PoisonError::into_inner);
        self.last_output.iter().chain(errors.iter()).cloned().collect()
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Has it been ended?
    pub(super) const fn is_ended(&self) -> bool {
        self.pipes.is_none()
    }

    /// After [`Silence::Ended`]: waits a moment until it is gone, then ends it. Its status, if it went by itself.
    pub(super) fn bury(&mut self) -> Option<ExitStatus> {
        self.end(EXIT_TIME)
    }

    /// Closes its input, waits until it is gone, at most as long as `grace`, then kills it with all that it has started.
    /// Its status, if it went by itself.
    pub(super) fn end(&mut self, grace: Duration) -> Option<ExitStatus> {
        let Pipes { input, output, hold, threads } = self.pipes.take()?;
        drop(input);
        let went = self.goes_within(grace, &output);
        // While nobody has waited for the process, no other has its number, and the group's is the same.
        if let Err(error) = kill_process_group(self.pid(), Signal::KILL)
            && error != rustix::io::Errno::SRCH
        {
            // The group is gone or was never ours to kill; the process itself is.
            _ = self.child.kill();
        }
        let status = self.child.wait().ok();
        drop((output, hold));
        join(threads);
        status.filter(|_| went)
    }

    fn goes_within(&self, grace: Duration, output: &Receiver<Line>) -> bool {
        let until = after(grace);
        let mut nap = Duration::from_micros(100);
        loop {
            if self.has_exited() {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            // It may have more to say before it sees that it should go.
            if let Err(RecvTimeoutError::Disconnected) = output.recv_timeout(nap) {
                thread::sleep(nap);
            }
            nap = (nap * 2).min(Duration::from_millis(10));
        }
    }

    /// Leaves it to be waited for.
    fn has_exited(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that there is nothing to wait for.
        !matches!(waitid(WaitId::Pid(self.pid()), options), Ok(None))
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

/// Starts the program from a thread that keeps what it writes to its standard error, and then stays until `held` has no
/// sender any more: the system kills the program with the *thread* that has started it.
fn spawn_and_hold(
    mut builder: std::process::Command,
    last_errors: Arc<Mutex<VecDeque<String>>>,
    held: Receiver<Infallible>,
) -> io::Result<(Child, JoinHandle<()>)> {
    let (started, start) = bounded(1);
    let thread = thread::Builder::new().name("engine errors".to_owned()).spawn(move || {
        let mut child = builder.spawn();
        // The builder may hold ends of the pipes.
        drop(builder);
        let stderr = child.as_mut().ok().and_then(|child| child.stderr.take());
        if started.send(child).is_ok() {
            keep_lines(stderr, &last_errors);
            _ = held.recv();
        }
    })?;
    let child = start.recv().expect("the thread sends before it ends")?;
    Ok((child, thread))
}

/// Has the program killed when the thread that starts it ends, and so when we do, in whatever way.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "nothing else speaks to the system between fork and exec")]
fn die_with_us(builder: &mut std::process::Command) {
    let parent = getpid();
    let ask = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // A parent that was gone by then gives no signal.
        if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    };
    // SAFETY: what runs between fork and exec makes two system calls, takes no lock and no memory.
    unsafe { builder.pre_exec(ask) };
}

/// No other system can be asked to.
#[cfg(not(target_os = "linux"))]
fn die_with_us(_builder: &mut std::process::Command) {}

/// The instant so long from now, or one that nobody lives to see.
pub(super) fn after(wait: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(1_000_000_000);
    let now = Instant::now();
    now.checked_add(wait).unwrap_or_else(|| now + FAR)
}

/// Ends when the program or the sender of `lines` does.
fn write_lines(stdin: Option<ChildStdin>, lines: &Receiver<String>) {
    let Some(mut stdin) = stdin else { return };
    for line in lines {
        if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(stdout: Option<impl Read>, lines: &Sender<Line>) {
    let Some(stdout) = stdout else { return };
    _ = for_each_line(stdout, |text| {
        lines.send(Line { text, at: Instant::now() }).map_err(|_nobody_listens| Closed)
    });
}

fn keep_lines(stderr: Option<impl Read>, lines: &Mutex<VecDeque<String>>) {
    let Some(stderr) = stderr else { return };
    _ = for_each_line(stderr, |text| {
        keep(&mut lines.lock().unwrap_or_else(PoisonError::into_inner), &text);
        Ok(())
    });
}

fn keep(lines: &mut VecDeque<String>, line: &str) {
    const MAX_CHARACTERS: usize = 200;
    if lines.len() == LAST_LINES {
        lines.pop_front();
    }
    lines.push_back(line.chars().take(MAX_CHARACTERS).collect());
}

fn join(threads: Vec<JoinHandle<()>>) {
    let until = after(THREAD_TIME);
    let mut nap = Duration::from_micros(50);
    while threads.iter().any(|thread| !thread.is_finished()) && Instant::now() < until {
        thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(10));
    }
    for thread in threads.into_iter().filter(JoinHandle::is_finished) {
        thread.join().expect("the threads of an engine don't panic");
    }
}
