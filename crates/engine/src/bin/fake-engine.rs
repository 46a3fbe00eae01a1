//! An engine for tests (see `engine::fakes`): `fake-engine HABIT [MILLISECONDS [LOG]]`.

use std::error::Error;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use engine::fakes::{Habit, run};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let habit: Habit = arguments.first().ok_or("want a habit")?.parse()?;
    let late = arguments.get(1).map_or(Ok(0), |text| text.parse())?;
    let heard: Box<dyn Write> = match arguments.get(2) {
        Some(path) => Box::new(File::options().create(true).append(true).open(path)?),
        None => Box::new(io::sink()),
    };
    let (input, output, errors) = (io::stdin().lock(), io::stdout().lock(), io::stderr().lock());
    match run(habit, Duration::from_millis(late), input, output, errors, heard) {
        // Nobody listens any more.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        other => Ok(other?),
    }
}
