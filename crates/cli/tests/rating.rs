//! The program's ratings: `rate` and `ladder` on matches between built-in opponents.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn meihua(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meihua"));
    command.current_dir(folder).args(arguments).output().expect("the program starts")
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(text.lines().last().expect("a line")).expect("JSON on the last line")
}

fn refused(output: &Output, what: &str) {
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && message.contains(what), "{message}");
}

fn play(folder: &Path, a: &str, b: &str) {
    let (file, pgn) = (format!("{a}-{b}.jsonl"), format!("{a}-{b}.pgn"));
    let output = meihua(folder, &["arena", a, b, "--games", "12", "--match-file", &file, "--pgn", &pgn]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn match_files_and_pgn_give_the_same_ratings() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    play(folder, "depth-2", "depth-1");
    play(folder, "depth-1", "random");
    let rate = |kind: &str| {
        let files = ["depth-2-depth-1", "depth-1-random"].map(|name| format!("{name}.{kind}"));
        let arguments =
            ["rate", &files[0], &files[1], "--anchor", "depth-1=-931", "--json", "--svg", "picture.svg"];
        json(&meihua(folder, &arguments))
    };
    let rated = rate("jsonl");
    assert_eq!(rated, rate("pgn"));
    let names: Vec<&Value> =
        rated["players"].as_array().unwrap().iter().map(|player| &player["name"]).collect();
    assert_eq!(names, ["depth-2", "depth-1", "random"]);
    assert_eq!((&rated["games"], &rated["players"][1]["elo"]["value"]), (&24.into(), &(-931.0).into()));
    assert!(fs::read_to_string(folder.join("picture.svg")).unwrap().starts_with("<svg "));

    refused(&meihua(folder, &["rate", "none.pgn"]), "in none.pgn: cannot read it");
    refused(&meihua(folder, &["rate", "picture.svg"]), "no game between two different players");
    let anchored = |anchor| meihua(folder, &["rate", "depth-1-random.pgn", "--anchor", anchor]);
    refused(&anchored("depth-9=0"), "anchor \"depth-9\" has no games: want one of depth-1, random");
    refused(&anchored("depth-1"), "want a name, = and an Elo");
}

#[test]
fn a_ladder_goes_on_from_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let climb = |games: &str, more: &[&str]| {
        let arguments = ["ladder", "depth-1", "--rungs", "random,greedy", "--games", games, "--json"];
        json(&meihua(folder, &[&arguments, more].concat()))
    };
    let short = climb("6", &["--folder", "climb", "--share", "50"]);
    assert_eq!(short["rungs"][0]["score"]["pairs"].as_array().unwrap().len(), 5);
    let longer = climb("10", &["--folder", "climb", "--threads", "1"]);
    assert_eq!(longer, climb("10", &[]), "in one go or two, the same");
    let lines = fs::read_to_string(folder.join("climb/random.jsonl")).unwrap().lines().count();
    assert_eq!(lines, 1 + 5, "the pairs of the first time are not played again");
    refused(&meihua(folder, &["ladder", "depth-2", "--folder", "climb"]), "climb/random.jsonl");
    refused(
        &meihua(folder, &["ladder", "depth-1", "--rungs", "nobody"]),
        "\"nobody\" is no rung of the ladder",
    );
}
