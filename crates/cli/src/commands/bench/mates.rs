//! `meihua bench mates`: how many mates of a collection a net under the search finds, and whether it tells the truth.

use super::super::print_result;
use super::mate_proof::{Proof, check};
use crate::players::Contestant;
use crate::progress::Bar;
use anyhow::{Context as _, bail, ensure};
use engine::think::{MakeEvaluator, Proven, Signal, Task, Thinker, ThinkerSettings};
use rules::{Game, Move, Rules};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// Count how many mates of a collection a net finds
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A line of FILE is a position with the first move or moves of a mate, such as
  5k3/R8/7R1/9/9/9/p8/9/9/3K5 w - - 0 1 bm h7h9; dm 1; id \"two rooks\";
A mate is solved if the move chosen is one of these or the search has proved that it wins. Every win that it claims is
checked by the rules: short ones against each defence, long ones along the line. One that doesn't hold is an error.

Examples:
  meihua bench mates tests/search/mates.epd --net runs/laptop
  meihua bench mates mates.epd --net runs/laptop --visits 100,1600,10000 --json")]
pub(crate) struct Arguments {
    /// Positions with their solutions (EPD)
    file: PathBuf,
    /// A weights file, or a run folder, whose champion thinks
    #[arg(long, value_name = "NET")]
    net: String,
    /// Visits for each position; several numbers are measured one after the other
    #[arg(long, value_delimiter = ',', default_value = "100,1600,10000",
          value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    visits: Vec<u64>,
    /// Threads of the search
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: u64,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

/// A position with a mate in it.
struct Problem {
    name: String,
    game: Game,
    /// Moves that begin it.
    solutions: Vec<Move>,
    /// In how many of the mover's moves, as far as is known.
    moves_to_mate: Option<u16>,
}

/// What was found with one number of visits.
#[derive(Serialize)]
struct Round {
    visits: u64,
    positions: usize,
    solved: usize,
    /// How many of the moves chosen are among the solutions.
    chosen: usize,
    /// How many wins were proved.
    proved: usize,
    /// How many of these were checked against every defence.
    checked_whole: usize,
    /// How many proofs were no longer than the mate that is known.
    shortest: usize,
    attempts: Vec<Attempt>,
}

/// What was found in one position.
#[derive(Serialize)]
struct Attempt {
    name: String,
    mv: String,
    nodes: u64,
    is_solution: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    proved_plies: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_shortest: Option<bool>,
    #[serde(skip)]
    proof: Option<Proof>,
}

#[derive(Serialize)]
struct Table {
    rounds: Vec<Round>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let problems = read(arguments)?;
    let mut thinker = thinker(arguments)?;
    let mut bar = Bar::new();
    let total = (problems.len() * arguments.visits.len()) as u64;
    let mut done = 0;
    let mut rounds = Vec::new();
    for &visits in &arguments.visits {
        let mut attempts = Vec::new();
        for problem in &problems {
            bar.show(format!("{visits} visits, {}", problem.name), done, total);
            attempts.push(attempt(&mut thinker, problem, visits)?);
            done += 1;
        }
        rounds.push(Round::new(visits, attempts));
    }
    bar.clear();
    let table = Table { rounds };
    print_result(&table.text(), arguments.json.then_some(&table))?;
    table.refuse_false_proofs()
}

fn thinker(arguments: &Arguments) -> anyhow::Result<Thinker> {
    let Contestant::Net { net, .. } = Contestant::net(&arguments.net)? else {
        bail!("--net {}: want a weights file or a run folder", arguments.net);
    };
    let make: MakeEvaluator = Arc::new(move || Box::new(net.evaluator()));
    let settings = ThinkerSettings { threads: arguments.threads as usize, ..ThinkerSettings::default() };
    Ok(Thinker::new(make, &settings)?)
}

fn read(arguments: &Arguments) -> anyhow::Result<Vec<Problem>> {
    let file = arguments.file.display();
    let text = std::fs::read_to_string(&arguments.file).with_context(|| format!("cannot read {file}"))?;
    let lines = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let problems: Vec<Problem> = lines
        .map(|(number, line)| {
            Problem::parse(line, number + 1).with_context(|| format!("{file}:{}", number + 1))
        })
        .collect::<anyhow::Result<_>>()?;
    ensure!(!problems.is_empty(), "{file} has no positions");
    Ok(problems)
}

impl Problem {
    fn parse(line: &str, number: usize) -> anyhow::Result<Self> {
        let (fen, operations) =
            line.split_once(" bm ").context("want a position and then bm with its moves")?;
        let operations = operations_of(&format!("bm {operations}"));
        let operand = |name: &str| {
            operations.iter().find(|(operation, _)| operation == name).map(|(_, operand)| operand.as_str())
        };
        let game = Game::new(fen.parse().with_context(|| format!("position {fen}"))?, Rules::default());
        let solutions = operand("bm").context("want bm")?.split_whitespace();
        let solutions: Vec<Move> = solutions.map(str::parse).collect::<Result<_, _>>()?;
        let legal = game.permitted_moves();
        for mv in &solutions {
            ensure!(legal.contains(mv), "bm = {mv}: want legal moves");
        }
        let moves_to_mate = operand("dm").map(|text| {
            text.parse().with_context(|| format!("dm = {text}: want the number of moves to mate"))
        });
        Ok(Self {
            name: operand("id").map_or_else(|| format!("line {number}"), str::to_owned),
            game,
            solutions,
            moves_to_mate: moves_to_mate.transpose()?,
        })
    }
}

/// The operations of an EPD line with their operands, quotation marks taken off. What is quoted may hold a semicolon.
fn operations_of(text: &str) -> Vec<(String, String)> {
    let mut operations = vec![String::new()];
    let mut is_quoted = false;
    for letter in text.chars() {
        is_quoted ^= letter == '"';
        match operations.last_mut() {
            Some(last) if letter != ';' || is_quoted => last.push(letter),
            _ => operations.push(String::new()),
        }
    }
    let split = |operation: String| {
        let (name, operand) = operation.trim().split_once(' ')?;
        Some((name.to_owned(), operand.trim().trim_matches('"').to_owned()))
    };
    operations.into_iter().filter_map(split).collect()
}

fn attempt(thinker: &mut Thinker, problem: &Problem, visits: u64) -> anyhow::Result<Attempt> {
    let task = Task { nodes: Some(visits), ..Task::default() };
    let thought = thinker.think(&problem.game, &task, &Signal::new(), &mut |_| ())?;
    let line = thought.lines.first().with_context(|| format!("{}: no legal move", problem.name))?;
    let proved_plies = match line.proven {
        Some(Proven::Win { plies }) => Some(plies),
        _ => None,
    };
    let proof = proved_plies.map(|plies| match check(&problem.game, &line.pv) {
        proof if line.pv.len() == usize::from(plies) => proof,
        _ => Proof::Refuted,
    });
    let is_shortest = proved_plies.zip(problem.moves_to_mate).map(|(plies, moves)| plies < 2 * moves);
    Ok(Attempt {
        name: problem.name.clone(),
        mv: line.mv.to_string(),
        nodes: thought.nodes,
        is_solution: problem.solutions.contains(&line.mv),
        proved_plies,
        is_shortest,
        proof,
    })
}

impl Round {
    fn new(visits: u64, attempts: Vec<Attempt>) -> Self {
        let count = |is: fn(&Attempt) -> bool| attempts.iter().filter(|&attempt| is(attempt)).count();
        Self {
            visits,
            positions: attempts.len(),
            solved: count(|attempt| attempt.is_solution || attempt.proof.is_some()),
            chosen: count(|attempt| attempt.is_solution),
            proved: count(|attempt| attempt.proof.is_some()),
            checked_whole: count(|attempt| attempt.proof == Some(Proof::Whole)),
            shortest: count(|attempt| attempt.is_shortest == Some(true)),
            attempts,
        }
    }
}

impl Table {
    fn text(&self) -> String {
        let heading = "    visits  positions  solved  chosen  proved  whole  shortest".to_owned();
        let rows = self.rounds.iter().map(|round| {
            let Round { visits, positions, solved, chosen, proved, checked_whole, shortest, .. } = round;
            format!("{visits:>10} {positions:>10} {solved:>7} {chosen:>7} {proved:>7} {checked_whole:>6} {shortest:>9}")
        });
        let legend = "chosen: the move is a solution; proved: a win was proved, and holds along its line; whole: it was \
                      checked against every defence; shortest: it is no longer than the mate that is known"
            .to_owned();
        std::iter::once(heading).chain(rows).chain([legend]).collect::<Vec<_>>().join("\n")
    }

    fn refuse_false_proofs(&self) -> anyhow::Result<()> {
        let attempts = self.rounds.iter().flat_map(|round| &round.attempts);
        let wrong: Vec<&str> = attempts
            .filter(|attempt| attempt.proof == Some(Proof::Refuted))
            .map(|attempt| attempt.name.as_str())
            .collect();
        ensure!(wrong.is_empty(), "proved, but no win by the rules: {}", wrong.join(", "));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_keep_what_is_quoted_together() {
        let found = operations_of("bm a0a1 b0b1; dm 2; id \"two; rooks\"; c0 \"\";");
        let expected = [("bm", "a0a1 b0b1"), ("dm", "2"), ("id", "two; rooks"), ("c0", "")];
        assert!(found.iter().map(|(a, b)| (a.as_str(), b.as_str())).eq(expected), "{found:?}");
    }

    #[test]
    fn problems_are_read_or_refused_by_name() {
        let problem = Problem::parse("5k3/R8/7R1/9/9/9/p8/9/9/3K5 w - - 0 1 bm h7h9; dm 1;", 7).unwrap();
        assert_eq!(
            (problem.name.as_str(), problem.solutions.len(), problem.moves_to_mate),
            ("line 7", 1, Some(1))
        );
        for (line, message) in [
            ("5k3/R8/7R1/9/9/9/p8/9/9/3K5 w", "want a position and then bm"),
            ("5k3/R8/7R1/9/9/9/p8/9/9/3K5 w bm a0a9;", "bm = a0a9: want legal moves"),
            ("5k3/R8/7R1/9/9/9/p8/9/9/3K5 w bm h7h9; dm x;", "dm = x: want"),
        ] {
            let error = Problem::parse(line, 1).err().unwrap().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
