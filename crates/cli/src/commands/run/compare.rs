//! `meihua run compare`: learning curves side by side.

use super::super::print_result;
use super::chart::{Panel, to_png, to_svg};
use super::curves::{Curves, Measure, sparkline};
use anyhow::{Context as _, bail};
use arena::Rung;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Draw the learning curves of runs: points against each rung of the ladder.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The champions' scores in the generations that measured the ladder (run.ladder_every_generations), by core-seconds of
self-play, training and gate, and by searched positions of self-play. In the text one character is a share of the
longest run: ▁ is 0 %, █ 100 %, and · not measured yet; in the picture both axes below are logarithmic.

Examples:
  meihua run compare runs/laptop runs/wide
  meihua run compare runs/* --svg curves.svg --png curves.png")]
pub(crate) struct Arguments {
    /// The run folders
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Draw the curves into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw the curves into this file, in pixels
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Print one JSON object on the last line
    #[arg(long)]
    json: bool,
}

/// Characters of a curve.
const COLUMNS: usize = 24;

#[derive(Serialize)]
struct Report {
    runs: Vec<Curves>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut runs = Vec::new();
    for path in &arguments.runs {
        runs.push(Curves::of(path.display().to_string(), &pipeline::history(path)?));
    }
    let rungs = rungs(&runs);
    if rungs.is_empty() {
        bail!("no generation of these runs has measured the ladder yet: see run.ladder_every_generations");
    }
    if arguments.svg.is_some() || arguments.png.is_some() {
        let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        let panels: Vec<[Panel; 2]> =
            rungs.iter().map(|&rung| Measure::ALL.map(|measure| panel(&runs, rung, measure))).collect();
        let svg = to_svg(&names, &panels);
        if let Some(path) = &arguments.svg {
            write(path, svg.as_bytes())?;
        }
        if let Some(path) = &arguments.png {
            write(path, &to_png(&svg)?)?;
        }
    }
    print_result(&text(&runs, &rungs), arguments.json.then_some(&Report { runs }))
}

fn write(path: &Path, picture: &[u8]) -> anyhow::Result<()> {
    net::bytes::write_atomically(path, picture).with_context(|| format!("cannot write {}", path.display()))
}

/// All that some run was measured against, weakest first.
fn rungs(runs: &[Curves]) -> Vec<Rung> {
    let mut rungs: Vec<Rung> = Vec::new();
    for rung in runs.iter().flat_map(Curves::rungs) {
        if !rungs.contains(&rung) {
            rungs.push(rung);
        }
    }
    rungs.sort_by(|a, b| a.reference().elo.total_cmp(&b.reference().elo));
    rungs
}

fn panel(runs: &[Curves], rung: Rung, measure: Measure) -> Panel {
    Panel {
        title: rung.to_string(),
        unit: measure.name(),
        curves: runs.iter().map(|run| run.curve(rung, measure)).collect(),
    }
}

fn text(runs: &[Curves], rungs: &[Rung]) -> String {
    let width = runs.iter().map(|run| run.name.chars().count()).max().unwrap_or(0);
    let [core_secs, positions] = Measure::ALL.map(|measure| {
        let ends = runs.iter().filter_map(|run| run.points.last()).map(|point| measure.of(point));
        ends.fold(0.0, f64::max)
    });
    let mut text = format!(
        "{:width$} {:COLUMNS$} {:COLUMNS$} {:>6} {:>12} {:>12} {:>14}",
        "run",
        format!("0 to {core_secs:.0} core-s"),
        format!("0 to {positions:.0} pos."),
        "last %",
        "core-seconds",
        "positions",
        "90 % at core-s"
    );
    for &rung in rungs {
        write!(text, "\nagainst {rung}").expect("a string takes all");
        for run in runs {
            let curves = [(Measure::CoreSeconds, core_secs), (Measure::Positions, positions)]
                .map(|(measure, end)| sparkline(&run.curve(rung, measure), end, COLUMNS));
            let Some(last) = run.last(rung) else {
                write!(text, "\n{:width$} not measured", run.name).expect("a string takes all");
                continue;
            };
            let reached =
                run.first_above(rung, 0.9).map_or("-".to_owned(), |point| format!("{:.0}", point.core_secs));
            write!(
                text,
                "\n{:width$} {} {} {:>6.1} {:>12.0} {:>12} {reached:>14}",
                run.name,
                curves[0],
                curves[1],
                100.0 * last.share(rung).unwrap_or(0.0),
                last.core_secs,
                last.positions,
            )
            .expect("a string takes all");
        }
    }
    text
}
