//! `meihua bench`: what this machine and this program are worth.

mod measure;
mod playing;
mod rules_and_search;
mod speed;
mod training;

/// Measure this program on this machine
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Command {
    Speed(speed::Arguments),
}

pub(crate) fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Speed(arguments) => speed::run(arguments),
    }
}
