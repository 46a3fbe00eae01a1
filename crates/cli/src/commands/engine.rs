//! `meihua engine`: plays in an interface. What it says there is `engine::serve`'s.

use crate::nets;
use engine::serve::{Nets, OpenNet, serve};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Play in an interface that speaks UCI, UCI-Cyclone or UCCI, on standard input and output.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Interfaces want one program without a command: meihua-engine is the same without libtorch, which towers need. Type \"uci\",
\"position startpos\", \"go nodes 100\" to try it; crates/engine/README.md has the options.

Examples:
  meihua engine --net runs/laptop
  meihua engine --net champion.meihua")]
pub(crate) struct Arguments {
    /// A net's file, or a run folder, whose champion plays [default: what the interface sets as EvalFile, or what lies
    /// beside the program]
    #[arg(long, value_name = "NET")]
    net: Option<PathBuf>,
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let program = std::env::current_exe().ok();
    let folder = program.and_then(|program| Some(program.parent()?.to_path_buf()));
    let given = arguments.net.map(|path| Box::new(move || Ok((name(&path), open(&path)?))) as OpenNet);
    let nets = Nets { open_file: open, given, folders: folder.into_iter().collect(), built_in: None };
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    match serve(io::stdin().lock(), io::stdout(), nets, seed) {
        // Nobody listens any more.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

fn open(path: &Path) -> Result<net::Network, String> {
    nets::open(path).map_err(|error| crate::one_line(&error))
}

fn name(path: &Path) -> String {
    if path.is_dir() { format!("the champion of {}", path.display()) } else { path.display().to_string() }
}
