//! The `meihua` program: flags, configuration layers, progress bars. Results go to standard output, talk to standard
//! error; the exit code is 0 on success, 1 on an error, 2 for a command line that is wrong.
//!
//! Start with [`commands`]: one module for each command.

mod commands;
mod config;
mod explain;
mod nets;
mod players;
mod progress;
mod stop;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Trains Xiangqi (Chinese chess) engines from zero knowledge by self-play.
#[derive(Parser, Debug)]
#[command(
    name = "meihua",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  meihua train --config configs/laptop.toml     train until stopped; the same command goes on
  meihua engine --net runs/laptop                play the run's champion in any Xiangqi interface
  meihua arena runs/laptop depth-2 --games 100   the run's champion against a searcher
  meihua ladder runs/laptop                     place the champion on the absolute scale
  meihua export runs/laptop --out champion.meihua  the champion as one small file for engines
  meihua rate games.pgn --svg ratings.svg       rate all players of some games together
  meihua games stats runs/laptop                what is in the run's games
  meihua run compare runs/a runs/b              which of two runs learns faster
  meihua referee --rules axf --moves h2e2 h9g7   judge what was played
  meihua perft --depth 5                        count legal move sequences"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Train(commands::train::Arguments),
    Engine(commands::engine::Arguments),
    Arena(commands::arena::Arguments),
    Ladder(commands::ladder::Arguments),
    Export(commands::export::Arguments),
    Rate(commands::rate::Arguments),
    #[command(subcommand)]
    Games(commands::games::Command),
    #[command(subcommand)]
    Run(commands::run::Command),
    Referee(commands::referee::Arguments),
    Perft(commands::perft::Arguments),
    #[command(subcommand)]
    Bench(commands::bench::Command),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Train(arguments) => commands::train::run(&arguments),
        Command::Engine(arguments) => commands::engine::run(arguments),
        Command::Arena(arguments) => commands::arena::run(&arguments),
        Command::Ladder(arguments) => commands::ladder::run(&arguments),
        Command::Export(arguments) => commands::export::run(&arguments),
        Command::Rate(arguments) => commands::rate::run(&arguments),
        Command::Games(command) => commands::games::run(&command),
        Command::Run(command) => commands::run::run(&command),
        Command::Referee(arguments) => commands::referee::run(&arguments),
        Command::Bench(command) => commands::bench::run(&command),
        Command::Perft(arguments) => commands::perft::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            progress::complain(&format!("error: {}", one_line(&error)));
            ExitCode::FAILURE
        }
    }
}

/// An error with its causes in one line. Some of them quote their cause themselves; it is not said again.
fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !line.ends_with(&cause) {
            line += if line.is_empty() { "" } else { ": " };
            line += &cause;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_that_was_quoted_is_not_said_again() {
        let cause = std::io::Error::other("disk full");
        let error = anyhow::Error::from(cause).context("cannot write a: disk full").context("training");
        assert_eq!(one_line(&error), "training: cannot write a: disk full");
    }

    #[test]
    fn the_command_line_is_consistent() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }
}
