//! What belongs to training besides the loop: budgets, explanations, games of others, runs beside each other.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn meihua(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_meihua")).args(arguments).output().unwrap()
}

fn ci_config() -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/ci.toml");
    path.to_str().unwrap().to_owned()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

fn refused(output: &Output, what: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.lines().last().unwrap().contains(what), "want {what} in: {text}");
}

fn figures(run: &Path, generation: u32) -> Value {
    let path = run.join(format!("generations/g{generation:06}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Core-seconds are counted over restarts, the ladder left out; a budget ends a run with a generation, and one that is
/// used up adds none.
#[test]
fn a_budget_of_core_seconds_ends_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let (config, path) = (ci_config(), run.to_str().unwrap().to_owned());
    let train = |more: &[&str]| {
        let common = ["train", "--config", &config, "--run", &path, "--threads", "1", "--json"];
        json(&meihua(&[&common, more].concat()))["generation"].as_u64().unwrap() as u32 - 1
    };
    assert_eq!(train(&["--generations", "2"]), 2);
    let used = figures(&run, 2)["core_secs"].as_f64().unwrap();
    let budget = (used + 0.2).ceil();
    let complete = train(&["--core-seconds", &budget.to_string()]);
    assert!(2 < complete, "{used} of {budget} core-seconds were used");
    let mut sum = 0.0;
    for generation in 1..=complete {
        let figures = figures(&run, generation);
        for step in ["selfplay", "training", "gate"] {
            sum += figures["timings"][step]["core_secs"].as_f64().unwrap();
        }
        let total = figures["core_secs"].as_f64().unwrap();
        assert!((total - sum).abs() < 1e-6 * sum, "generation {generation}: {total}, want {sum}");
        assert_eq!(total < budget, generation < complete, "generation {generation}: {total} of {budget}");
        let ladder = figures["timings"]["ladder"]["core_secs"].as_f64().unwrap();
        assert_eq!(0.0 < ladder, generation % 2 == 0, "generation {generation}: {ladder}");
    }
    assert_eq!(train(&["--core-seconds", &budget.to_string()]), complete, "nothing is left of the budget");

    let compared = meihua(&["run", "compare", &path, &path, "--svg", &format!("{path}.svg"), "--json"]);
    let points = json(&compared)["runs"][1]["points"].as_array().unwrap().clone();
    assert_eq!(points.len() as u32, complete / 2);
    assert_eq!(points[0]["scores"][0]["opponent"], "random");
    let text = String::from_utf8_lossy(&compared.stdout).into_owned();
    assert!(text.contains("\nagainst depth-1\n"), "{text}");
    assert!(fs::read_to_string(run.with_extension("svg")).unwrap().starts_with("<svg "));

    let explained = json(&meihua(&["train", "--explain", "--run", &path, "--json"]));
    let setting = |key: &str| explained.as_array().unwrap().iter().find(|s| s["key"] == key).unwrap();
    let origin = format!("{path}/config.toml");
    assert_eq!(
        (&setting("net.hidden")["value"], &setting("net.hidden")["origin"]),
        (&32.into(), &origin.into())
    );
    assert_eq!(setting("train.mirror")["origin"], "default");
}

#[test]
fn what_is_no_run_is_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    refused(&meihua(&["run", "compare", path]), "is no run folder: it holds no generations");
    refused(&meihua(&["run", "compare", &format!("{path}/none")]), "none is no run folder");
    fs::create_dir(folder.path().join("generations")).unwrap();
    refused(&meihua(&["run", "compare", path]), "no generation of these runs has measured the ladder yet");
    fs::write(folder.path().join("generations/g000001.json"), "{\"generation\": 1").unwrap();
    refused(&meihua(&["run", "compare", path]), "g000001.json is damaged");
}

#[test]
fn settings_are_explained_without_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    fs::write(&file, "[selfplay]\nply_cap = 100\n").unwrap();
    let file = file.to_str().unwrap();
    let run = folder.path().join("run");
    let run = run.to_str().unwrap();
    let output = meihua(&["train", "--explain", "--config", file, "--seed", "9", "--run", run]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("\n# Plies after which a game is broken off. 41 to 10000.\n"), "{text}");
    assert!(text.contains(&format!("\nply_cap = 100  # {file}\n")), "{text}");
    assert!(text.contains("\nseed = 9  # flag\n") && text.contains("\nhidden = 128  # default\n"), "{text}");
    assert!(!Path::new(run).exists(), "nothing was begun");
    refused(
        &meihua(&["train", "--explain", "--set", "net.hidden=100"]),
        "net.hidden = 100: want a multiple of 8",
    );
}

/// Games from a run of random moves are as good as any to see that files are read, doubles left out, and a net written
/// that can play.
#[test]
fn a_net_learns_from_games_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let played = meihua(&["arena", "depth-1", "random", "--games", "30", "--pgn", &path("games.pgn")]);
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    let games = fs::read_to_string(path("games.pgn")).unwrap();
    // The same games again, and one that nobody has won.
    let mut twice = games;
    write!(twice, "\n[Event \"unfinished\"]\n[Result \"*\"]\n\n1. 炮二平五 馬8進7 *\n").unwrap();
    fs::write(path("twice.pgn"), twice).unwrap();
    let learn = |out: &str| {
        json(&meihua(&[
            "train",
            "--from-games",
            &path("games.pgn"),
            &path("twice.pgn"),
            "--epochs",
            "4",
            "--held-out",
            "20",
            "--out",
            &path(out),
            "--set",
            "net.hidden=32",
            "--set",
            "train.batch_size=64",
            "--json",
        ]))
    };
    let report = learn("net.safetensors");
    assert_eq!((&report["games"], &report["held_out_games"]), (&24.into(), &6.into()));
    assert_eq!(report["left_out"]["copies of others"], 30);
    assert_eq!(report["left_out"]["without moves or result"], 1);
    let epochs = report["epochs"].as_array().unwrap();
    assert_eq!(epochs.len(), 4);
    let loss = |index: usize| epochs[index]["losses"]["total"].as_f64().unwrap();
    assert!(loss(3) < loss(0) - 0.05, "{epochs:?}");
    assert!(0 < epochs[1]["held_out"]["positions"].as_u64().unwrap());

    learn("again.safetensors");
    assert_eq!(fs::read(path("net.safetensors")).unwrap(), fs::read(path("again.safetensors")).unwrap());
    let played = meihua(&[
        "arena",
        &path("net.safetensors"),
        "random",
        "--games",
        "2",
        "--simulations",
        "4",
        "--json",
    ]);
    assert_eq!(json(&played)["score"]["pairs"].as_array().unwrap().len(), 5);

    refused(&meihua(&["train", "--from-games", &path("none"), "--out", &path("x")]), "cannot read");
    assert_eq!(
        meihua(&["train", "--from-games", &path("games.pgn")]).status.code(),
        Some(2),
        "without --out"
    );
    assert_eq!(meihua(&["train", "--epochs", "3"]).status.code(), Some(2), "without games");
}
