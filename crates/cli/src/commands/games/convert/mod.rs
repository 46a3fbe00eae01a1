//! `meihua games convert`: games in another format.

mod output;
mod writers;

use super::super::by_name;
use super::reading::Reading;
use super::sources::some_sources;
use crate::progress::complain;
use clap::ValueEnum;
use notation::Style;
use output::Output;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use writers::{Losses, Writer};

/// Convert games of any format.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  meihua games convert game.xqf                              PGN in Chinese on standard output
  meihua games convert match.cbl --notation iccs -o match.pgn
  meihua games convert masters/ --to tsv --skip-bad -o masters.tsv
  meihua games convert masters/ -o converted/                one file for each, in the same folders
  meihua games convert runs/laptop --notation wxf -o selfplay.pgn

Read: PGN in any dialect and encoding, DhtmlXQ (also in HTML), XQF, CBR, CBL, CBF, and TSV with a
column named moves (without numbers or quotes; and start or fen, result, and others, which become
tags), told apart by their content; and the Parquet shards of runs. In folders the ending says what
is a file of games: .pgn .txt .html .htm .ubb .dhtmlxq .xqf .cbr .cbl .cbf .parquet, and .tsv if it
has a column named moves.
A game that can't be read is one line on standard error, and the others go on; then the exit code
is 1.

Written, all in UTF-8: PGN and DhtmlXQ keep variations and comments; TSV and JSON Lines have the
main line only, TSV no other tags than its columns say, and what they leave out is said. PGN and TSV
get the tags Opening (in Chinese) and OpeningEnglish if the game begins with a named opening,
Termination if it ends in checkmate or stalemate, and PlyCount, each unless the file has it; DhtmlXQ
gets the opening.
A game of a run has the tags Event (the run), Round (the game's number), Red and Black (the net),
Rules, StartedBy and Termination; one that was broken off (ply-cap) has no result. What the search
found is not kept.")]
pub(crate) struct Arguments {
    /// Files of games in any format, run folders, folders of files
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// What to write
    #[arg(long, value_name = "FORMAT", default_value = "pgn")]
    to: Target,
    /// How moves are written [default: chinese in PGN, coordinates in TSV and JSON Lines]
    #[arg(long, value_name = "STYLE", value_parser = by_name(Style::ALL, Style::name))]
    notation: Option<Style>,
    /// Where to write: a file; or a folder, if it is one or ends in "/" [default: standard output]
    #[arg(long, short, value_name = "FILE|FOLDER")]
    output: Option<PathBuf>,
    /// Exit with 0 even if games could not be read
    #[arg(long)]
    skip_bad: bool,
}

/// A format that is written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    /// Tags and moves, with variations and comments
    Pgn,
    /// Tags in square brackets, as forums and web pages show games; moves always as points
    Dhtmlxq,
    /// One line a game, under a line of names
    Tsv,
    /// One JSON object a line
    Jsonl,
}

impl Target {
    const fn name(self) -> &'static str {
        match self {
            Self::Pgn => "pgn",
            Self::Dhtmlxq => "dhtmlxq",
            Self::Tsv => "tsv",
            Self::Jsonl => "jsonl",
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let writer = Writer::new(arguments.to, arguments.notation)?;
    let sources = some_sources(&arguments.inputs)?;
    let mut output = Output::open(arguments.output.as_deref(), &sources, arguments.to.name())?;
    let with_bar = io::stderr().is_terminal() && (arguments.output.is_some() || !io::stdout().is_terminal());
    let mut reading = Reading::new(sources.len(), with_bar);
    let mut losses = Losses::default();
    for (number, source) in sources.iter().enumerate() {
        let mut text = String::new();
        for game in reading.read(source) {
            let is_first = text.is_empty() && output.is_at_beginning();
            writer.write(&mut text, source, game, is_first, &mut losses)?;
        }
        if !text.is_empty() && !output.write(number, &text)? {
            // Nobody reads on.
            return Ok(());
        }
    }
    output.finish()?;
    if let Some(line) = losses.line(arguments.to) {
        complain(&line);
    }
    reading.finish(arguments.skip_bad)
}
