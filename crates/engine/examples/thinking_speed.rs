//! How much faster more threads think, measured beside what the machine can give at that moment.
//!
//!     cargo run --release -p engine --example thinking_speed -- NET.safetensors [THREADS] [SECONDS]
//!
//! Prints nodes per second of one thread, of several threads over one tree, and of as many processes with one thread
//! each, all at the same time: the last is the ceiling. Several rounds in turn, so that a busy machine disturbs all
//! alike.

#![expect(clippy::print_stdout, reason = "a program")]

use engine::think::{Signal, Task, Thinker, ThinkerSettings};
use net::{SparseEvaluator, SparseNet, Weights};
use rules::{Game, Position, Rules};
use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let path = arguments.get(1).ok_or("want a weights file")?;
    let threads: usize = arguments.get(2).map_or(Ok(2), |text| text.parse())?;
    let seconds: f64 = arguments.get(3).map_or(Ok(2.0), |text| text.parse())?;
    let time = Duration::from_secs_f64(seconds);
    let net = Arc::new(SparseNet::new(&Weights::read(Path::new(path))?)?);
    if arguments.get(4).is_some() {
        println!("{}", nodes_per_sec(&net, 1, time)?);
        return Ok(());
    }
    for _ in 0..ROUNDS {
        let one = nodes_per_sec(&net, 1, time)?;
        let several = nodes_per_sec(&net, threads, time)?;
        let ceiling = processes(&arguments[0], path, threads, seconds)?;
        println!(
            "one thread {one:.0} nodes/s; {threads} threads {several:.0} ({:.2} times); {threads} processes {ceiling:.0} \
             ({:.2} times); of the ceiling {:.0} %",
            several / one,
            ceiling / one,
            100.0 * several / ceiling
        );
    }
    Ok(())
}

fn game() -> Game {
    Game::new(Position::start(), Rules::default())
}

fn nodes_per_sec(net: &Arc<SparseNet>, threads: usize, time: Duration) -> Result<f64, Box<dyn Error>> {
    let net = Arc::clone(net);
    let settings = ThinkerSettings { threads, hash_mib: 1024, ..ThinkerSettings::default() };
    let mut thinker =
        Thinker::new(Arc::new(move || Box::new(SparseEvaluator::new(Arc::clone(&net)))), &settings)?;
    let signal = Signal::new();
    let (nodes, elapsed) = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(time);
            signal.stop();
        });
        thinker
            .think(&game(), &Task::default(), &signal, &mut |_| ())
            .map(|thought| (thought.nodes, thought.elapsed))
    })?;
    Ok(nodes as f64 / elapsed.as_secs_f64())
}

fn processes(program: &str, path: &str, count: usize, seconds: f64) -> Result<f64, Box<dyn Error>> {
    let started: Vec<_> = (0..count)
        .map(|_| {
            let arguments = [path, "1", &seconds.to_string(), "alone"];
            Command::new(program).args(arguments).stdout(Stdio::piped()).spawn()
        })
        .collect::<Result<_, _>>()?;
    let mut sum = 0.0;
    for process in started {
        let output = process.wait_with_output()?;
        sum += String::from_utf8(output.stdout)?.trim().parse::<f64>()?;
    }
    Ok(sum)
}
