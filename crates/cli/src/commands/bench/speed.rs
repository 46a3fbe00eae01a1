//! `meihua bench speed`: the hot loops in one table, each beside what it can't exceed.

use super::super::print_result;
use super::measure::TwoThreads;
use super::{playing, rules_and_search, short_run, training};
use crate::progress::Bar;
use search::Root;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Measure the hot loops: rules, search, evaluation, self-play, training
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Everything is done from fixed positions and seeds; rates are per second of processor time, medians
of five rounds. What is compared between two windows are the rates of the turn in the middle of
some sixty, by their ratio; the share of training is that of one run. A busy machine makes rates
smaller all the same: compare figures of one run.

Examples:
  meihua bench speed
  meihua bench speed --rows 10000000 --json")]
pub(crate) struct Arguments {
    /// Rows of the large window that is compared with one of 100,000; ten million take 1 GB of memory, and half as much again while they come in
    #[arg(long, default_value_t = 2_000_000, value_parser = clap::value_parser!(u32).range(200_000..))]
    rows: u32,
    /// A UCI engine that knows `UCI_Variant xiangqi` and `go perft`, to be timed beside [default: fairy-stockfish, if found]
    #[arg(long, value_name = "PROGRAM")]
    beside: Option<PathBuf>,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

/// A figure.
#[derive(Serialize)]
struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    /// What is beside it, in the same unit unless the name says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<Beside>,
}

#[derive(Serialize)]
struct Beside {
    what: String,
    value: f64,
}

#[derive(Serialize, Default)]
struct Table {
    rows: Vec<Row>,
}

impl Table {
    fn add(
        &mut self,
        what: impl Into<String>,
        value: f64,
        unit: &'static str,
        beside: Option<(String, f64)>,
    ) {
        let beside = beside.map(|(what, value)| Beside { what, value });
        self.rows.push(Row { what: what.into(), value, unit, beside });
    }

    fn text(&self) -> String {
        let heading = format!("{:<44} {:>10}  {:<12} beside", "", "", "");
        let rows = self.rows.iter().map(Row::text);
        std::iter::once(heading).chain(rows).collect::<Vec<_>>().join("\n")
    }
}

impl Row {
    fn text(&self) -> String {
        let beside = self.beside.as_ref().map_or(String::new(), |beside| {
            format!("{} {} ({:.2} of it)", beside.what, short(beside.value), self.value / beside.value)
        });
        format!("{:<44} {:>10}  {:<12} {beside}", self.what, short(self.value), self.unit)
    }
}

/// Three digits that matter.
fn short(value: f64) -> String {
    match value {
        _ if value >= 1e6 => format!("{:.1} M", value / 1e6),
        _ if value >= 1e4 => format!("{:.1} k", value / 1e3),
        _ if value >= 100.0 => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    torch::init(1);
    let mut table = Table::default();
    let mut bar = Bar::new();
    bar.show("measuring rules".to_owned(), 0, 5);
    rules(&mut table, arguments.beside.as_deref())?;
    bar.show("measuring search".to_owned(), 1, 5);
    search(&mut table);
    bar.show("measuring evaluation".to_owned(), 2, 5);
    evaluation(&mut table);
    bar.show("measuring self-play".to_owned(), 3, 5);
    self_play(&mut table);
    bar.show("measuring training".to_owned(), 4, 5);
    train(&mut table, arguments.rows as usize)?;
    bar.clear();
    print_result(&table.text(), arguments.json.then_some(&table))
}

fn rules(table: &mut Table, beside: Option<&Path>) -> anyhow::Result<()> {
    let bulk = rules_and_search::perft_in_bulk();
    let peer = match beside {
        Some(program) => Some(program.to_owned()),
        None => ["/usr/games/fairy-stockfish", "/usr/bin/fairy-stockfish"]
            .map(PathBuf::from)
            .into_iter()
            .find(|path| path.exists()),
    };
    let beside = match peer {
        Some(program) => {
            let rate = super::super::perft::nodes_per_second(&program, 4)?;
            Some((program.display().to_string(), rate))
        }
        None => None,
    };
    table.add("perft 4, last ply counted", bulk, "nodes/s", beside);
    let one_by_one = rules_and_search::perft_one_by_one();
    table.add("perft 4, one by one", one_by_one, "nodes/s", Some(("counted".to_owned(), bulk)));
    Ok(())
}

fn search(table: &mut Table) {
    let judged = rules_and_search::positions_judged();
    let beside = || Some(("positions played and judged".to_owned(), judged));
    for (name, root, simulations) in [
        ("Gumbel, 32", Root::Gumbel { noise: true }, 32),
        ("PUCT, 800", Root::Puct, 800),
        ("PUCT, 100,000", Root::Puct, 100_000),
    ] {
        let rate = rules_and_search::simulations(root, simulations);
        table.add(format!("simulations without a net, {name}"), rate, "per s", beside());
    }
    let (visited, all) = rules_and_search::bytes_per_node();
    table.add(
        "memory of a visited node with its edge",
        visited,
        "bytes",
        Some(("with all edges".to_owned(), all)),
    );
}

fn evaluation(table: &mut Table) {
    for (hidden, integers) in [(128, true), (128, false), (256, true), (256, false)] {
        let (bare, whole) = playing::evaluations_bare_and_whole(hidden, integers);
        let name = format!("evaluations, {hidden} wide, in {}", if integers { "integers" } else { "floats" });
        table.add(name, whole, "per s", Some(("the bare net".to_owned(), bare)));
    }
}

fn self_play(table: &mut Table) {
    for hidden in [128, 256] {
        let found = playing::self_play(hidden);
        let name = format!("self-play, 32/8 simulations, {hidden} wide");
        table.add(
            name,
            found.positions,
            "positions/s",
            Some(("evaluations alone".to_owned(), found.ceiling)),
        );
        let name = format!("share of encoding, net, softmax, {hidden} wide");
        table.add(name, found.evaluation_share, "", None);
    }
    add_two_threads(table, "self-play, two threads to one", &playing::two_threads());
}

fn add_two_threads(table: &mut Table, name: &str, found: &TwoThreads) {
    table.add(name, found.elapsed, "times", Some(("by processor time".to_owned(), found.core_seconds)));
}

fn train(table: &mut Table, rows: usize) -> anyhow::Result<()> {
    let games = training::sample_games();
    let (small, large) = (training::window(&games, 100_000), training::window(&games, rows));
    let found = training::training(&small)?;
    table.add(
        format!("training, 128 wide, batch {}", train::Settings::default().batch_size),
        found.whole,
        "samples/s",
        Some(("the bare step by libtorch".to_owned(), found.bare_by_libtorch)),
    );
    table.add(
        "the bare step, gradient by hand",
        found.bare,
        "samples/s",
        Some(("by libtorch".to_owned(), found.bare_by_libtorch)),
    );
    add_two_threads(table, "training, two threads to one", &training::two_threads(&small)?);
    let name = format!("share of training in a run of {} s", short_run::CORE_SECS);
    table.add(name, short_run::share_of_training()?, "", None);
    let [of_small, of_large] = training::training_from([&small, &large])?;
    let beside = |value| Some(("of 100,000".to_owned(), value));
    table.add(format!("training from a window of {rows}"), of_large, "samples/s", beside(of_small));
    let [of_small, of_large] = training::rows_drawn([&small, &large]);
    table.add(format!("rows drawn from a window of {rows}"), of_large, "rows/s", beside(of_small));
    let [of_small, of_large] = [&small, &large].map(training::bytes_per_row);
    table.add("memory of a row in it", of_large, "bytes", beside(of_small));
    Ok(())
}
