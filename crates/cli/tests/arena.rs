//! The arena's flags as a user gives them, on matches between built-in opponents and a shell script that speaks UCI.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn meihua(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meihua"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

/// A match of `depth-2` against `depth-1` with more arguments.
fn arena(folder: &Path, more: &[&str]) -> Output {
    meihua(folder, &[&["arena", "depth-2", "depth-1"], more].concat())
}

/// The last line of standard output as JSON.
fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(String::from_utf8_lossy(&output.stdout).lines().last().unwrap()).unwrap()
}

/// Fails with `code` and one error, which says this.
fn refused(output: &Output, code: i32, what: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    let errors = text.lines().filter(|line| line.starts_with("error: ")).count();
    assert!(errors == 1 && text.contains(what), "want {what} in: {text}");
}

/// The moves of each game of a match file, with how many of them are the opening.
fn games(file: &Path) -> Vec<(Vec<String>, usize)> {
    let text = fs::read_to_string(file).unwrap();
    let pairs = text.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
    let game = |game: &Value| {
        let moves: Vec<String> = game["moves"].as_str().unwrap().split(' ').map(str::to_owned).collect();
        (moves, game["opening_plies"].as_u64().unwrap() as usize)
    };
    pairs.flat_map(|pair| pair["games"].as_array().unwrap().iter().map(game).collect::<Vec<_>>()).collect()
}

#[test]
fn openings_come_from_where_they_should() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("book.epd"), "3k5/9/9/9/9/9/4R4/9/9/4K4 w - - 0 1 ; id \"a rook\"\n").unwrap();
    fs::write(folder.join("book.pgn"), "[Event \"x\"]\n\n1. h2e2 h9g7 2. h0g2 i9h9 *\n").unwrap();
    let books: [(&str, &[&str], &[&str]); 3] = [
        ("中炮", &[], &["h2e2"]),
        ("book.epd", &[], &[]),
        ("book.pgn", &["--opening-plies", "3"], &["h2e2", "h9g7", "h0g2"]),
    ];
    for (number, (openings, more, opening)) in books.into_iter().enumerate() {
        let file = format!("match-{number}");
        let flags = ["--games", "4", "--openings", openings, "--match-file", &file];
        json(&arena(folder, &[&flags, more, &["--json"]].concat()));
        let games = games(&folder.join(file));
        assert_eq!(games.len(), 4);
        for (moves, plies) in games {
            assert_eq!((moves[..plies].join(" "), plies), (opening.join(" "), opening.len()), "{openings}");
        }
    }
    for openings in ["masters", "named"] {
        let found = json(&arena(folder, &["--games", "4", "--openings", openings, "--json"]));
        let named: u64 =
            found["openings"].as_object().unwrap().values().map(|games| games.as_u64().unwrap()).sum();
        assert_eq!(named, 4, "{openings}: {found}");
    }
    refused(&arena(folder, &["--openings", "nonsense"]), 1, "\"nonsense\" is no opening with a name");
    fs::write(folder.join("empty"), "").unwrap();
    refused(&arena(folder, &["--openings", "empty"]), 1, "in empty: no opening in it");
}

#[test]
fn a_sequential_test_ends_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let decided = json(&arena(folder.path(), &["--games", "400", "--sprt", "0,50", "--json"]));
    assert_eq!(decided["sprt"]["verdict"], "accept-h1", "{decided}");
    let pairs: u64 =
        decided["score"]["pairs"].as_array().unwrap().iter().map(|pairs| pairs.as_u64().unwrap()).sum();
    assert!(pairs < 100, "{pairs}");
    let worse =
        meihua(folder.path(), &["arena", "random", "depth-1", "--games", "400", "--sprt", "0,50", "--json"]);
    assert_eq!(json(&worse)["sprt"]["verdict"], "accept-h0");
    for (flag, what) in [
        ("50,0", "sprt.elo0 = 50: want -1000 to below sprt.elo1"),
        ("x,5", "want 2 numbers"),
        ("5", "want 2 numbers"),
    ] {
        let output = arena(folder.path(), &["--sprt", flag]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains(what), "{flag}: {text}");
    }
    refused(&arena(folder.path(), &["--sprt-errors", "0.1,0.1"]), 2, "--sprt");
}

#[test]
fn a_match_goes_on_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let play =
        |file: &str, games: &str| json(&arena(folder, &["--games", games, "--match-file", file, "--json"]));
    let whole = play("whole", "12");
    play("parts", "4");
    // What a kill may leave.
    let text = fs::read_to_string(folder.join("parts")).unwrap();
    fs::write(folder.join("parts"), &text[..text.len() - 9]).unwrap();
    let output = arena(folder, &["--games", "12", "--match-file", "parts", "--pgn", "parts.pgn", "--json"]);
    assert_eq!(json(&output), whole);
    assert!(String::from_utf8_lossy(&output.stderr).contains("its pair is played again"));
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("whole"), read("parts"));
    assert_eq!(read("parts.pgn").matches("[Event ").count(), 12, "the games of the first time are in it too");
    assert_eq!(play("whole", "4")["score"]["wins"], play("whole", "4")["score"]["wins"]);

    let other =
        |flags: &[&str]| arena(folder, &[&["--games", "12", "--match-file", "whole"], flags].concat());
    refused(&other(&["--seed", "5"]), 1, "whole: holds another match: its seed is 1, not 5");
    let rules = other(&["--set", "rules.natural_limit_plies=60"]);
    refused(&rules, 1, "holds another match: its natural limit is 120, not 60");
    let players = meihua(folder, &["arena", "depth-3", "depth-1", "--match-file", "whole"]);
    refused(&players, 1, "holds another match: its a is depth-2, not depth-3");
    refused(&other(&["--pgn", "whole"]), 1, "--pgn and --match-file name the same file");
    assert_eq!(read("whole"), read("parts"), "nothing of it was changed");

    let edited = read("whole").replacen("\"outcome\":\"red\"", "\"outcome\":\"black\"", 1);
    fs::write(folder.join("edited"), edited).unwrap();
    for arguments in [&["rate", "edited"][..], &["arena", "depth-2", "depth-1", "--match-file", "edited"]] {
        refused(&meihua(folder, arguments), 1, "outcome = black: want red (");
    }
}

/// `--match-file /dev/full` was read without end.
#[test]
#[cfg(target_os = "linux")]
fn a_failed_write_ends_the_match_with_one_error() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for device in ["/dev/full", "/dev/zero", "/dev/null", "."] {
        refused(&arena(folder, &["--match-file", device]), 1, "want a file, or a name that isn't there yet");
    }
    refused(&arena(folder, &["--pgn", "/dev/full"]), 1, "cannot write /dev/full: No space left on device");
    refused(&arena(folder, &["--pgn", "none/x.pgn"]), 1, "cannot write none/x.pgn: No such file");
    refused(&arena(folder, &["--match-file", "none/x"]), 1, "none/x: No such file");
    // A file that may not grow: the match ends, and goes on when there is room again.
    let program = env!("CARGO_BIN_EXE_meihua");
    let command = format!(
        "trap '' XFSZ; ulimit -f 8; exec {program} arena depth-2 depth-1 --games 40 --match-file small"
    );
    let output = Command::new("sh").current_dir(folder).args(["-c", &command]).output().unwrap();
    refused(&output, 1, "small: File too large");
    let flags = |file| ["--games", "40", "--match-file", file, "--json"];
    assert_eq!(json(&arena(folder, &flags("small"))), json(&arena(folder, &flags("large"))));
    let same = fs::read(folder.join("small")).unwrap() == fs::read(folder.join("large")).unwrap();
    assert!(same, "the files differ");
}

#[test]
fn games_are_written_as_pgn() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json(&arena(folder, &["--games", "4", "--pgn", "games.pgn", "--notation", "wxf", "--json"]));
    let text = fs::read_to_string(folder.join("games.pgn")).unwrap();
    for tag in ["[Red \"depth-2\"]", "[Black \"depth-2\"]", "[Round \"4\"]", "[Termination \""] {
        assert!(text.contains(tag), "{tag} in {text}");
    }
    assert_eq!(text.matches("[Game \"Chinese Chess\"]").count(), 4, "{text}");
    let rated = json(&meihua(folder, &["rate", "games.pgn", "--json"]));
    assert_eq!(rated["games"], 4);
    refused(&arena(folder, &["--pgn", "x", "--notation", "morse"]), 2, "morse");
}

#[test]
fn games_are_adjudicated_by_both_scores() {
    let folder = tempfile::tempdir().unwrap();
    let play = |flags: &[&str]| json(&arena(folder.path(), &[&["--games", "12", "--json"], flags].concat()));
    let count = |found: &Value| found["reasons"]["adjudication"].as_u64().unwrap_or(0);
    assert_eq!(count(&play(&[])), 0);
    let won = play(&["--adjudicate-win", "400,2"]);
    assert!(6 <= count(&won), "{won}");
    let drawn = play(&["--adjudicate-draw", "2000,1,5"]);
    assert_eq!((count(&drawn), &drawn["score"]["draws"]), (12, &12.into()), "{drawn}");
    let short = play(&["--longest-plies", "40"]);
    let draws = short["score"]["draws"].as_u64().unwrap();
    assert!(0 < count(&short) && count(&short) <= draws, "{short}");
    let wrong = arena(folder.path(), &["--longest-plies", "39"]);
    refused(&wrong, 1, "adjudication.longest_plies = 39: want 40 to 10000");
    let wrong = arena(folder.path(), &["--adjudicate-win", "0,2"]);
    refused(&wrong, 1, "adjudication.win.centipawns = 0: want 1 or more");
}

/// A setting of training would be taken for one of the match.
#[test]
fn a_setting_that_changes_nothing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for set in ["train.batch_size=3", "selfplay.ply_cap=77", "ladder.give_up_below=0.9"] {
        let wrong = arena(folder.path(), &["--set", set]);
        let key = set.split_once('=').unwrap().0;
        refused(&wrong, 1, &format!("--set {set}: {key} changes nothing here"));
    }
}

/// A crash loss for each game would look like a result.
#[test]
#[cfg(unix)]
fn an_engine_that_is_never_ready_ends_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("engine.sh"), "echo 'I only speak Esperanto'; while read -r line; do :; done\n")
        .unwrap();
    for protocol in ["uci", "uci-variant", "cyclone", "ucci", "cecp"] {
        let player = format!("{protocol}:/bin/sh,depth=1,args=engine.sh,start_s=0.3");
        let output = meihua(folder, &["arena", &player, "random", "--games", "4", "--match-file", protocol]);
        let said = "its last words: I only speak Esperanto (it was never ready, as an engine that speaks ";
        refused(&output, 1, said);
        refused(&output, 1, &format!("{said}{protocol}; other protocols to try: "));
        refused(&output, 1, "/sh doesn't work as an engine");
        assert!(games(&folder.join(protocol)).is_empty(), "no game is scored");
    }
}

#[test]
fn help_names_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    for (command, words) in [
        (
            "arena",
            &["--openings", "--sprt", "--match-file", "--adjudicate-win", "start_s", "meihua arena depth-1"]
                [..],
        ),
        ("ladder", &["--rungs", "--folder", "fairy-stockfish-100", "0 is Fairy-Stockfish at 100 nodes"]),
        ("rate", &["--anchor", "--svg", "95 % intervals", "Games that came in pairs"]),
    ] {
        let output = meihua(folder.path(), &[command, "--help"]);
        let text = String::from_utf8_lossy(&output.stdout);
        for word in words {
            assert!(output.status.success() && text.contains(word), "{command}: {word} in {text}");
        }
    }
}

#[test]
fn a_single_decisive_game_is_no_rating() {
    let folder = tempfile::tempdir().unwrap();
    let game = "[Event \"x\"]\n[Red \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. h2e2 h9g7 1-0\n";
    fs::write(folder.path().join("one.pgn"), game).unwrap();
    let output = meihua(folder.path(), &["rate", "one.pgn"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("0.0 (origin)") && text.contains("< +306.1"), "{text}");
    assert!(text.contains("too few games for ratings"), "{text}");
}

#[test]
fn the_gate_takes_its_openings_from_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let refused_value = meihua(folder.path(), &["train", "--run", "run", "--set", "gate.openings=mine"]);
    let text = String::from_utf8_lossy(&refused_value.stderr);
    assert!(!refused_value.status.success() && text.contains("`random`, `masters`, `named`"), "{text}");
}
