//! `meihua games`: recorded games, those of our runs and those of other programs.
//!
//! [`sources`] finds the files, [`reading`] reads them, counts and complains; then there is one module for each
//! subcommand. [`judge`] asks the rules how a game ended.

mod board;
mod convert;
mod judge;
mod openings;
pub(crate) mod reading;
mod run_games;
mod show;
pub(crate) mod sources;
mod stats;
mod text;

/// Convert, show and count recorded games
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Command {
    Convert(convert::Arguments),
    Show(show::Arguments),
    Stats(stats::Arguments),
    Openings(openings::Arguments),
}

pub(crate) fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Convert(arguments) => convert::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Stats(arguments) => stats::run(arguments),
        Command::Openings(arguments) => openings::run(arguments),
    }
}
