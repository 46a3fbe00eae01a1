//! The engine as a program of its own: plays by a net's file in any Xiangqi interface (`README.md` of the crate).

use engine::serve::{Nets, OpenNet, open_sparse, serve};
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

const HELP: &str = "\
Plays Xiangqi in any interface that speaks UCI, UCI-Cyclone or UCCI: add this program to it as an engine.

Usage: meihua-engine [--net FILE]

Options:
  --net FILE   The net that plays (the option EvalFile of the interface wins over it)
  --help       Print this
  --version    Print the version

Without --net the folder of the program is looked in: the first file by name that ends in .meihua, else in
.safetensors. Words come from standard input and go to standard output: type \"uci\", \"position startpos\",
\"go nodes 100\" to try it. Nodes are simulations: evaluations of the net, and walks that end in a result of the game.
";

/// What the command line asks for.
enum Wish {
    Help,
    Version,
    Serve(Option<PathBuf>),
}

fn main() -> ExitCode {
    match read(std::env::args_os().skip(1)) {
        Ok(Wish::Help) => print(HELP),
        Ok(Wish::Version) => print(concat!("meihua-engine ", env!("CARGO_PKG_VERSION"), "\n")),
        Ok(Wish::Serve(net)) => exit_code(play(net)),
        Err(fault) => {
            complain(&format!("{fault}; meihua-engine --help says more"));
            ExitCode::from(2)
        }
    }
}

fn read(arguments: impl Iterator<Item = OsString>) -> Result<Wish, String> {
    let mut net = None;
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--help" | "-h") => return Ok(Wish::Help),
            Some("--version" | "-V") => return Ok(Wish::Version),
            Some("--net") => net = Some(arguments.next().ok_or("--net: want a file after it")?.into()),
            Some(text) if text.starts_with("--net=") => net = Some(text["--net=".len()..].into()),
            _ => return Err(format!("{}: want --net FILE, --help or --version", argument.display())),
        }
    }
    Ok(Wish::Serve(net))
}

fn play(net: Option<PathBuf>) -> io::Result<()> {
    let program = std::env::current_exe().ok();
    let folder = program.and_then(|program| Some(program.parent()?.to_path_buf()));
    let open =
        |path: PathBuf| Box::new(move || Ok((path.display().to_string(), open_sparse(&path)?))) as OpenNet;
    let nets = Nets { given: net.map(open), folders: folder.into_iter().collect(), ..Nets::default() };
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    serve(io::stdin().lock(), io::stdout(), nets, since.map_or(0, |since| since.as_nanos() as u64))
}

fn exit_code(result: io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody listens any more.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn print(text: &str) -> ExitCode {
    exit_code(io::stdout().write_all(text.as_bytes()))
}

fn complain(text: &str) {
    // There is nobody left to tell if this fails.
    drop(writeln!(io::stderr(), "error: {text}"));
}
