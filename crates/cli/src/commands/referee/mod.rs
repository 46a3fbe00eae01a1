//! `meihua referee`: a position and what was played, judged by the rules, with every reason.
//!
//! [`ruling`] is what it says, as text and as JSON; [`cases`] runs files of cases.

mod cases;
mod ruling;

use super::{by_name, print_result};
use crate::progress::complain;
use anyhow::Context as _;
use notation::{read_fen, read_moves};
use rules::{Game, Material, RuleSet, Rules, START_FEN};
use ruling::Ruling;
use std::num::{NonZeroU8, NonZeroU16};
use std::path::PathBuf;

/// Judge a position and the moves that led to it
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  meihua referee --rules formal --fen '3k5/R8/9/9/9/9/9/9/9/4K4 w' \\
                 --moves a8a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9
  meihua referee --rules axf --json --moves 炮二平五 马８进７
  meihua referee --cases tests/rules/cases.jsonl     run a file of cases (of these, R024-axf is disputed and fails)

Exit code: 0 for a ruling, whatever it is; 1 if the input can't be read or a case fails.")]
pub(crate) struct Arguments {
    /// Run a file of cases instead: one JSON object a line, as in tests/rules/cases.jsonl
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rules", "fen", "moves"])]
    cases: Option<PathBuf>,
    /// The repetition rules
    #[arg(long, default_value = RuleSet::Formal.name(), value_parser = by_name(RuleSet::ALL, RuleSet::name))]
    rules: RuleSet,
    /// Where the game starts, as FEN in any dialect
    #[arg(long, default_value = START_FEN)]
    fen: String,
    /// What was played, in any notation
    #[arg(long, num_args = 0.., value_name = "MOVE")]
    moves: Vec<String>,
    /// At which occurrence of a position the rules judge [default: as the rule set has it]
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=9))]
    folds: Option<u8>,
    /// Plies without a capture that make a draw; 0: none
    #[arg(long, default_value_t = 120)]
    limit_plies: u16,
    /// Checks of each side since the last capture that count for that; 0: all
    #[arg(long, default_value_t = 0)]
    check_cap: u8,
    /// Which material is a draw
    #[arg(long, default_value = Material::Strict.name(), value_parser = by_name(Material::ALL, Material::name))]
    material: Material,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if let Some(file) = &arguments.cases {
        return cases::run(file, arguments.json);
    }
    let usual = Rules::of(arguments.rules);
    let rules = Rules {
        folds: arguments.folds.and_then(NonZeroU8::new).unwrap_or(usual.folds),
        natural_limit_plies: NonZeroU16::new(arguments.limit_plies),
        check_cap: NonZeroU8::new(arguments.check_cap),
        material: arguments.material,
        ..usual
    };
    let (start, notes) = read_fen(&arguments.fen).with_context(|| format!("--fen \"{}\"", arguments.fen))?;
    for note in notes {
        complain(&format!("--fen: {note}"));
    }
    // One argument for each move, or all in one.
    let texts: Vec<&str> = arguments.moves.iter().flat_map(|text| text.split_whitespace()).collect();
    let moves = read_moves(&start, &texts).context("--moves")?;
    let mut game = Game::new(start, rules);
    for mv in moves {
        game.play(mv)?;
    }
    let ruling = Ruling::of(&game);
    print_result(&ruling.to_string(), arguments.json.then_some(&ruling))
}
