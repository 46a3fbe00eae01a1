//! `meihua perft`: counts legal move sequences, and how fast.

use super::print_result;
use anyhow::{Context as _, bail};
use rules::{Position, START_FEN, perft};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Count the sequences of legal moves from a position.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  meihua perft --depth 5
  meihua perft --depth 3 --divide --fen '3aka3/9/9/9/4R4/9/9/4C4/9/4K4 b'
  meihua perft --depth 5 --beside /usr/games/fairy-stockfish")]
pub(crate) struct Arguments {
    /// Position
    #[arg(long, default_value = START_FEN)]
    fen: String,
    /// Plies, 0 to 12
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=12))]
    depth: u32,
    /// Print the count below each move
    #[arg(long)]
    divide: bool,
    /// A UCI engine that knows `UCI_Variant xiangqi` and `go perft`, to be timed in the same run
    #[arg(long, value_name = "PROGRAM")]
    beside: Option<PathBuf>,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Counted {
    nodes: u64,
    secs: f64,
    nodes_per_sec: f64,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    own: Counted,
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<Counted>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let position: Position = arguments.fen.parse().with_context(|| format!("--fen {:?}", arguments.fen))?;
    let mut text = String::new();
    if arguments.divide && arguments.depth > 0 {
        for (mv, nodes) in divide(&position, arguments.depth) {
            writeln!(text, "{mv} {nodes}")?;
        }
    }
    let own = timed(|| Ok(perft(&position, arguments.depth)))?;
    write!(text, "meihua: {}", own.text())?;
    let beside = match &arguments.beside {
        None => None,
        Some(program) => {
            let other = timed(|| engine_perft(program, &position, arguments.depth))?;
            let ratio = own.nodes_per_sec / other.nodes_per_sec;
            write!(text, "\n{}: {}\nmeihua is {ratio:.1} times as fast", program.display(), other.text())?;
            if other.nodes != own.nodes {
                bail!("meihua counts {} nodes, {} {}", own.nodes, program.display(), other.nodes);
            }
            Some(other)
        }
    };
    print_result(&text, arguments.json.then_some(&Report { own, beside }))
}

impl Counted {
    fn text(&self) -> String {
        format!("{} nodes in {:.3} s, {:.1} million nodes/s", self.nodes, self.secs, self.nodes_per_sec / 1e6)
    }
}

fn divide(position: &Position, depth: u32) -> Vec<(rules::Move, u64)> {
    let below = |&mv| {
        let mut after = position.clone();
        after.play_unchecked(mv);
        (mv, perft(&after, depth - 1))
    };
    position.legal_moves().iter().map(below).collect()
}

fn timed(count: impl FnOnce() -> anyhow::Result<u64>) -> anyhow::Result<Counted> {
    let start = Instant::now();
    let nodes = count()?;
    let secs = start.elapsed().as_secs_f64();
    Ok(Counted { nodes, secs, nodes_per_sec: nodes as f64 / secs.max(1e-9) })
}

/// Nodes a second of an engine's perft from the start position, by the clock on the wall.
pub(super) fn nodes_per_second(program: &Path, depth: u32) -> anyhow::Result<f64> {
    Ok(timed(|| engine_perft(program, &Position::start(), depth))?.nodes_per_sec)
}

/// Asks an engine; its start-up counts in its time, which is little beside a count of seconds.
fn engine_perft(program: &Path, position: &Position, depth: u32) -> anyhow::Result<u64> {
    let mut engine = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let mut input = engine.stdin.take().expect("the pipe was asked for");
    let output = BufReader::new(engine.stdout.take().expect("the pipe was asked for"));
    writeln!(input, "uci\nsetoption name UCI_Variant value xiangqi\nposition fen {}", position.fen())?;
    writeln!(input, "go perft {depth}")?;
    let mut answer = None;
    for line in output.lines() {
        if let Some(nodes) = line?.strip_prefix("Nodes searched: ") {
            answer = Some(nodes.trim().parse().context("the engine's count")?);
            break;
        }
    }
    writeln!(input, "quit")?;
    drop(input);
    engine.wait()?;
    answer.with_context(|| format!("{} did not answer \"go perft\"", program.display()))
}
