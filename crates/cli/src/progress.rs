//! What a person sees while work goes on: bars and remarks on standard error, each generation's line on standard
//! output.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pipeline::{Elapsed, Event, Observer};
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

/// A line on standard error. A terminal that has gone away is no reason to stop.
pub(crate) fn complain(line: &str) {
    drop(writeln!(io::stderr(), "{line}"));
}

/// A bar on standard error with rate and time left; invisible where standard error is no terminal.
#[derive(Debug)]
pub(crate) struct Bar {
    bar: ProgressBar,
    work: String,
}

impl Bar {
    /// No work yet.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style =
            ProgressStyle::with_template("{msg:28} {bar:30} {human_pos}/{human_len}  {per_sec}  {eta} left");
        bar.set_style(style.expect("the template is right: every run draws it"));
        Self { bar, work: String::new() }
    }

    /// Shows how much of a work is done; another work begins a new bar.
    pub(crate) fn show(&mut self, work: String, done: u64, total: u64) {
        if self.work != work {
            self.bar.reset();
            self.bar.set_message(work.clone());
            self.work = work;
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
    }

    /// Runs something that prints, with the bar out of its way.
    pub(crate) fn aside(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Watches a training run.
#[derive(Debug)]
pub(crate) struct Terminal {
    start: Instant,
    bar: Bar,
}

impl Terminal {
    /// Time counts from now.
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), bar: Bar::new() }
    }

    /// Takes the bar away.
    pub(crate) fn close(&self) {
        self.bar.clear();
    }
}

impl Observer for Terminal {
    fn elapsed(&mut self) -> Elapsed {
        let cores = cpu_time::ProcessTime::try_now().map_or(Duration::ZERO, |time| time.as_duration());
        Elapsed { wall: self.start.elapsed(), cores }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Opened { generation, step } => {
                self.bar
                    .aside(|| complain(&format!("going on with generation {generation}: {}", step.name())));
            }
            Event::Warning(text) => self.bar.aside(|| complain(&format!("warning: {text}"))),
            Event::Progress { generation, work, done, total } => {
                self.bar.show(format!("generation {generation} {work}"), done, total);
            }
            Event::Generation(summary) => {
                // A reader that has gone away is no reason to stop training; the line is in the run's log.
                self.bar.aside(|| drop(writeln!(io::stdout(), "{summary}")));
            }
        }
    }
}
