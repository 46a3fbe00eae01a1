//! The program as a user runs it: exit codes, one clear line for bad input, JSON on the last line.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn meihua(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_meihua")).args(arguments).output().unwrap()
}

fn ci_config() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/ci.toml")
}

/// A small run in `folder` with more arguments.
fn train(folder: &Path, more: &[&str]) -> Output {
    let (config, folder) = (ci_config(), folder.to_str().unwrap().to_owned());
    let mut arguments = vec!["train", "--config", config.to_str().unwrap(), "--run", &folder];
    arguments.extend(more);
    meihua(&arguments)
}

/// The command fails with code 1 and says this in the last line, which is the only one that begins with "error".
fn refused(output: &Output, what: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(text.lines().last().into_iter().collect::<Vec<_>>(), errors, "{text}");
    assert!(errors[0].contains(what), "want {what} in: {text}");
}

/// The last line of standard output as JSON.
fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn bad_settings_are_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for (set, what) in [
        ("selfplay.ply_kap=3", "unknown key selfplay.ply_kap (did you mean selfplay.ply_cap?)"),
        ("train.learning_rate=7", "train.learning_rate = 7: want 1e-8 to 1"),
        ("train.batch_size=many", "train.batch_size = \"many\": want a whole number"),
        ("selfplay.ply_cap=99999999", "selfplay.ply_cap"),
        ("run.seed=-1", "run.seed"),
        ("ladder.rungs=[\"nobody\"]", "nobody"),
        ("arena.searcher.root=sideways", "sideways"),
        ("rules.rule_set=none", "rules.rule_set = \"none\": want one of formal"),
        ("net.hidden=100", "net.hidden = 100: want a multiple of 8"),
        ("selfplay.search.max_nodes=1", "selfplay.search.max_nodes = 1: want 2 to"),
        ("nonsense", "want key=value"),
        ("=5", "want key=value"),
        ("run..seed=3", "want key=value"),
        ("run.seed=1\nnet.hidden=64", "want key=value"),
        ("selfplay.natural_limit_plies.start=5", "selfplay.natural_limit_plies.start = 5: want 9 to 1000"),
    ] {
        refused(&train(folder.path(), &["--set", set]), what);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was begun");
}

#[test]
fn bad_files_and_folders_are_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    refused(&meihua(&["train", "--config", &path("none.toml")]), "none.toml");
    fs::write(path("half.toml"), "[net\nhidden = 8").unwrap();
    refused(&meihua(&["train", "--config", &path("half.toml")]), "line 1: unclosed table");
    fs::write(path("file"), "").unwrap();
    refused(&train(&folder.path().join("file/run"), &[]), "cannot create folder");
    refused(&meihua(&["arena", "nobody", "random"]), "\"nobody\" is no player");
    refused(&meihua(&["arena", &path("file"), "random"]), "neither an engine file nor a safetensors file");
    refused(&meihua(&["ladder", &path("none")]), "none");
    refused(&meihua(&["games", "stats", &path("none")]), "cannot read");
    fs::write(path("file.parquet"), "").unwrap();
    refused(&meihua(&["games", "stats", &path("file.parquet")]), "1 of 1 shards could not be read");
}

#[test]
fn a_wrong_command_line_exits_with_2() {
    for arguments in [
        &["train", "--threads", "0"][..],
        &["train", "--threads", "30000"],
        &["perft", "--depth", "99"],
        &["nothing"],
        &[],
    ] {
        assert_eq!(meihua(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn perft_counts() {
    let fen = "3aka3/9/9/9/4R4/9/9/4C4/9/4K4 b";
    assert_eq!(json(&meihua(&["perft", "--fen", fen, "--depth", "1", "--json"]))["nodes"], 2);
    assert_eq!(json(&meihua(&["perft", "--depth", "3", "--json"]))["nodes"], 79_666);
    let divided = meihua(&["perft", "--fen", fen, "--depth", "1", "--divide"]);
    assert!(String::from_utf8_lossy(&divided.stdout).starts_with("d9e8 1\nf9e8 1\n"));
}

#[test]
fn positions_that_cannot_be_are_refused_with_every_reason() {
    for (fen, what) in [
        ("9/9/9", "the board has 3 ranks"),
        ("3k5/9/9/9/9/9/9/9/9/3K5 w", "the generals face each other"),
        ("9/9/9/9/9/9/9/9/9/4K4 w", "Black has no general"),
        ("4k4/9/9/9/9/9/9/9/9/P3K4 w", "Red's Pawn on a0 can never get there"),
        ("4k4/9/9/9/4p4/A8/9/9/9/4K4 w", "Red's Advisor on a4 can never get there"),
        ("4k4/9/9/9/4R4/9/9/9/9/3K5 w", "Black is in check but it is the other side's turn"),
        ("4k4/9/9/9/4p4/9/RRR6/9/9/4K4 w", "Red has 3 pieces of kind Rook, at most 2"),
    ] {
        refused(&meihua(&["perft", "--fen", fen, "--depth", "1"]), what);
    }
}

#[test]
fn a_run_trains_plays_and_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().to_str().unwrap();
    let trained = train(folder.path(), &["--generations", "2", "--json"]);
    let lines = String::from_utf8_lossy(&trained.stdout).into_owned();
    assert_eq!(lines.lines().filter(|line| line.starts_with("generation ")).count(), 2, "{lines}");
    assert_eq!(json(&trained)["generation"], 3);

    let counted = json(&meihua(&["games", "stats", run, "--json"]));
    assert_eq!((&counted["games"], &counted["bad_shards"]), (&80.into(), &0.into()));
    let outcomes = counted["outcomes"].as_object().unwrap();
    assert_eq!(outcomes.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 80);

    let played = |threads| {
        meihua(&[
            "arena",
            run,
            "random",
            "--games",
            "4",
            "--simulations",
            "8",
            "--threads",
            threads,
            "--json",
        ])
    };
    assert_eq!(json(&played("1")), json(&played("2")));
    let climb = json(&meihua(&[
        "ladder",
        run,
        "--games",
        "2",
        "--simulations",
        "4",
        "--set",
        "ladder.rungs=[\"random\"]",
        "--json",
    ]));
    assert_eq!(climb["rungs"].as_array().unwrap().len(), 1);

    refused(&train(folder.path(), &["--seed", "5"]), "run.seed = 1 (now 5)");
    let again = train(folder.path(), &["--generations", "2"]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("complete: 2 generations, 80 games"));
    // The run knows its own settings.
    let by_itself = meihua(&["train", "--run", run, "--generations", "2"]);
    assert!(String::from_utf8_lossy(&by_itself.stderr).contains("complete: 2 generations, 80 games"));
    refused(&meihua(&["train", "--run", run, "--seed", "5"]), "begun with run.seed = 1 (now 5); use");
}
