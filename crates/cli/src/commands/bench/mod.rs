//! `meihua bench`: what this machine and this program are worth.

mod mate_proof;
mod mates;
mod measure;
mod playing;
mod rules_and_search;
mod short_run;
mod speed;
mod training;

/// Measure this program on this machine
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Command {
    Mates(mates::Arguments),
    Speed(speed::Arguments),
}

pub(crate) fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Mates(arguments) => mates::run(arguments),
        Command::Speed(arguments) => speed::run(arguments),
    }
}
