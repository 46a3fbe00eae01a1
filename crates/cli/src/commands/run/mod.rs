//! `meihua run`: what training runs did. [`compare`] is the command, [`curves`] what it shows, [`chart`] the picture.

mod chart;
mod compare;
mod curves;

/// Look at training runs
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Command {
    Compare(compare::Arguments),
}

pub(crate) fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Compare(arguments) => compare::run(arguments),
    }
}
