//! Records of games as a user handles them: converted, shown and counted, whatever the format and however bad.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use notation::{Opening, Style};
use replay::{EndReason, GameRecord, PlyRecord, StartedBy, write_shard};
use rules::{Colour, Outcome, Position, Reason, RuleSet};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Files of the notation crate's tests.
fn formats(name: &str) -> String {
    format!("{}/../notation/tests/formats/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn games(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_meihua")).arg("games").args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn talk(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What a command writes that must succeed.
fn written(arguments: &[&str]) -> String {
    let output = games(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", talk(&output));
    out(&output)
}

fn last_json(output: &Output) -> Value {
    serde_json::from_str(out(output).lines().last().unwrap()).unwrap()
}

/// The command fails with code 1, and its last line of talk is the error.
fn refused(arguments: &[&str], what: &str) {
    let output = games(arguments);
    let text = talk(&output);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("error: ") && last.contains(what), "want {what} in: {text}");
}

/// The rows of a table with a line of names.
fn table(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), names.len(), "{line}");
        names.iter().zip(cells).map(|(&name, cell)| (name.to_owned(), cell.to_owned())).collect()
    };
    lines.map(row).collect()
}

/// A folder for the test's files.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text_path(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Makes a file and gives back its path.
    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        self.text_path(name)
    }
}

/// The rook checks on and on.
const PERPETUAL: &str = "[FEN \"3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1\"]\n\
    1. a8a9 d9d8 2. a9a8 d8d9 3. a8a9 d9d8 4. a9a8 d8d9 5. a8a9 d9d8 1-0\n";

/// Variations, comments and remarks.
const TREE: &str = "[Event \"t\"]\n[Opening \"mine\"]\n\n{before} 1. h2e2! {centre} (1. c3c4 g6g5 (1... b7c7)) h9g7 2. h0g2 *\n";

#[test]
fn every_dialect_converts_to_its_coordinates() {
    let rows = table(&written(&["convert", &formats("dialects"), "--to", "tsv"]));
    assert_eq!(rows.len(), 18);
    for row in rows {
        let name = Path::new(&row["file"]).file_name().unwrap().to_str().unwrap().to_owned();
        let truth = fs::read_to_string(formats(&format!("dialects/{}.uci", &name[..2]))).unwrap();
        let moves: Vec<&str> = truth.split_whitespace().collect();
        assert_eq!(row["moves"], moves.join(" "), "{name}");
        assert_eq!(row["plies"], moves.len().to_string(), "{name}");
    }
}

#[test]
fn encodings_give_the_same_names() {
    for game in ["g1", "g2"] {
        let read = |file: &str| {
            let text = written(&["convert", &formats(&format!("dialects/{game}_chinese_{file}.pgn"))]);
            assert!(text.contains("[Red \"") && !text.contains('\u{fffd}'), "{text}");
            text
        };
        let twin = read("utf8");
        assert_eq!((&read("gb18030_crlf"), &read("utf8_bom")), (&twin, &twin));
    }
    let folder = Folder::new();
    let file = folder.file("tags.pgn", b"[Red \"\xBA\xFA\xC8\xD9\xBB\xAA\"]\n\n*\n");
    assert!(written(&["convert", &file]).contains("[Red \"胡荣华\"]"));
}

#[test]
fn a_folder_goes_on_past_bad_games_and_counts_them() {
    let folder = formats("pgn_big5");
    let output = games(&["convert", &folder, "--to", "tsv"]);
    let text = talk(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.ends_with("error: 12 games from 12 files, 11 games in 11 files could not be read\n"),
        "{text}"
    );
    let bad: Vec<&str> = text.lines().filter(|line| line.starts_with("bad: ")).collect();
    assert_eq!(bad.len(), 11, "{text}");
    assert!(
        bad[1].contains("bad_02.pgn: game 1, line 22: ply 18: \"士４進５\" is no legal move in "),
        "{text}"
    );
    assert!(bad[10].ends_with("Red has no general"), "{text}");
    assert!(
        text.contains("left out: 1 files that are no games, by their endings or columns, such as "),
        "{text}"
    );

    let expected = table(&fs::read_to_string(formats("pgn_big5/expected.tsv")).unwrap());
    let rows = table(&out(&output));
    let good: Vec<_> = expected.iter().filter(|row| row["status"] == "ok").collect();
    assert_eq!(rows.len(), good.len());
    for (row, want) in rows.iter().zip(good) {
        assert!(row["file"].ends_with(&want["file"]));
        assert_eq!(
            (&row["moves"], &row["result"]),
            (&want["moves_parsed"], &want["result"]),
            "{}",
            row["file"]
        );
    }

    let skipping = games(&["convert", &folder, "--to", "tsv", "--skip-bad"]);
    assert!(skipping.status.success());
    assert_eq!(out(&skipping), out(&output));
    assert!(talk(&skipping).ends_with("\n12 games from 12 files, 11 games in 11 files could not be read\n"));
}

#[test]
fn each_notation_converts_back_unchanged() {
    let folder = Folder::new();
    let first = folder.text_path("first.pgn");
    let tree = folder.file("tree.pgn", TREE);
    written(&["convert", &formats("dialects"), &formats("pgn_big5/good"), &tree, "-o", &first]);
    let whole = fs::read_to_string(&first).unwrap();
    // From each notation to the next, and at last back.
    let mut from = first.clone();
    for style in Style::ALL.into_iter().filter(|&style| style != Style::CHINESE) {
        let to = folder.text_path(&format!("{style}.pgn"));
        let output = games(&["convert", &from, "--notation", style.name(), "--output", &to]);
        assert_eq!(talk(&output), "31 games from 1 files, 0 games in 0 files could not be read\n", "{style}");
        assert_ne!(fs::read_to_string(&to).unwrap(), whole);
        from = to;
    }
    assert_eq!(written(&["convert", &from]), whole);
    // Tags have other names there, but moves, variations and comments stay.
    written(&["convert", &first, "--to", "dhtmlxq", "-o", &folder.text_path("all.ubb")]);
    let moves = |file: &str| -> Vec<String> {
        table(&written(&["convert", file, "--to", "tsv"])).iter().map(|row| row["moves"].clone()).collect()
    };
    assert_eq!(moves(&folder.text_path("all.ubb")), moves(&first));
}

#[test]
fn a_table_that_was_written_reads_as_the_same_games() {
    let folder = Folder::new();
    let all = folder.text_path("all/games.tsv");
    fs::create_dir(folder.path("all")).unwrap();
    written(&["convert", &formats("dialects"), "--to", "tsv", "--output", &all]);
    // A table of something else in the same folder is none of games.
    folder.file("all/counts.tsv", "name\tgames\nx\t7\n");
    let output = games(&["convert", &folder.text_path("all"), "--to", "tsv"]);
    assert!(talk(&output).contains("left out: 1 files that are no games"), "{}", talk(&output));
    let (rows, again) = (table(&fs::read_to_string(&all).unwrap()), table(&out(&output)));
    assert_eq!(rows.len(), again.len());
    for (before, mut after) in rows.into_iter().zip(again) {
        for name in ["file", "game"] {
            after.insert(name.to_owned(), before[name].clone());
        }
        assert_eq!(before, after);
    }
    refused(&["convert", &folder.text_path("all/counts.tsv")], "could not be read");

    // What TSV has no column for is said.
    let table = "id\tRules\tSite\tfile\tterminal\topening\tmoves\n7\taxf\t\tx.pgn\tresigned\tmine\th2e2\n";
    let tagged = folder.file("tagged.tsv", table);
    let output = games(&["convert", &tagged, "--to", "tsv"]);
    let lost = "left out, tsv has no place for them: the tags Rules file id\n";
    assert!(talk(&output).contains(lost), "{}", talk(&output));
    assert!(out(&output).contains("\tresigned\tmine\t\t1\t"), "{}", out(&output));
    assert!(written(&["show", &tagged]).contains("rules    axf: "));
}

#[test]
fn variations_and_comments_stay_or_their_loss_is_said() {
    let folder = Folder::new();
    let file = folder.file("tree.pgn", TREE);
    let text = written(&["convert", &file, "--notation", "coordinates"]);
    assert!(text.contains("{before}\n"), "{text}");
    assert!(text.contains("1. h2e2 $1 {centre} (1. c3c4 g6g5 (1. ... b7c7)) 1. ... h9g7"), "{text}");
    assert!(text.contains("[Opening \"mine\"]") && !text.contains("OpeningEnglish"), "{text}");
    assert!(text.contains("[PlyCount \"3\"]") && !text.contains("Termination"), "{text}");
    for target in ["tsv", "jsonl"] {
        let output = games(&["convert", &file, "--to", target, "--notation", "wxf"]);
        let lost = format!(
            "left out, {target} has no place for them: the variations of 1 games, the comments of 1 games\n"
        );
        assert!(talk(&output).contains(&lost), "{}", talk(&output));
        assert!(out(&output).contains("C2=5"), "{}", out(&output));
    }
    let line: Value = serde_json::from_str(&written(&["convert", &file, "--to", "jsonl"])).unwrap();
    assert_eq!(line["tags"]["Event"], "t");
    assert_eq!(line["moves"], serde_json::json!(["h2e2", "h9g7", "h0g2"]));
    let page = written(&["convert", &file, "--to", "dhtmlxq"]);
    assert!(
        page.contains("[DhtmlXQ_comment0]before[/DhtmlXQ_comment0]") && page.contains("[DhtmlXQ_move_0_1_1]"),
        "{page}"
    );
}

#[test]
fn what_is_no_xiangqi_is_refused_and_the_others_go_on() {
    let folder = Folder::new();
    folder.file("a/chess.pgn", "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n");
    folder.file("a/shogi.pgn", "[Variant \"Shogi\"]\n\n1. P-7f P-3d *\n");
    folder.file("b/empty.pgn", "");
    folder.file("b/title.xqf", xqf_with_title(&[0xFF, 0xFE, 0x80]));
    folder.file("c/two.PGN", format!("[Red \"A\"]\n1. h2e2 h9g7 2. a0a9 *\n\n{PERPETUAL}"));
    folder.file("c/broken.parquet", "PAR1 and no more");
    folder.file("c/notes.md", "no games");
    let output = games(&["convert", folder.0.path().to_str().unwrap(), "--to", "tsv"]);
    let text = talk(&output);
    let lines: Vec<&str> = text.lines().collect();
    let named = |what: &str| lines.iter().filter(|line| line.contains(what)).count();
    assert_eq!(
        named("chess.pgn: game 1, line 3: the game is \"chess, to judge by its first move\", not xiangqi"),
        1,
        "{text}"
    );
    assert_eq!(named("shogi.pgn: game 1, line 1: the game is \"Shogi\", not xiangqi"), 1, "{text}");
    assert_eq!(named("empty.pgn: game 1, line 1: no game in a known format"), 1, "{text}");
    assert_eq!(named("two.PGN: game 1, line 2: ply 3: \"a0a9\" is no legal move in "), 1, "{text}");
    assert_eq!(named("broken.parquet: not a file of games"), 1, "{text}");
    assert_eq!(named("warning: "), 1, "{text}");
    assert_eq!(named("title.xqf: game 1, byte 80: the text of the Title is not all Gb18030"), 1, "{text}");
    assert_eq!(named("left out: 1 files"), 1, "{text}");
    assert_eq!(
        lines.last(),
        Some(&"error: 2 games from 2 files, 5 games in 5 files could not be read, 1 warnings")
    );
    let rows = table(&out(&output));
    assert_eq!(rows[0]["moves"], "h2e2");
    assert_eq!((rows[1]["game"].as_str(), rows[1]["plies"].as_str()), ("2", "10"));
}

/// A plain XQF file of 炮二平五 with a title.
fn xqf_with_title(title: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 1024];
    file[..3].copy_from_slice(b"XQ\x0A");
    let files: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 7, 0, 2, 4, 6, 8];
    let ranks: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 3, 3, 3, 3, 3];
    for (index, (column, rank)) in files.into_iter().zip(ranks).enumerate() {
        file[0x10 + index] = column * 10 + rank;
        file[0x20 + index] = column * 10 + 9 - rank;
    }
    file[0x50] = title.len() as u8;
    file[0x51..0x51 + title.len()].copy_from_slice(title);
    file.extend([0x18, 0x20, 0xF0, 0, 0, 0, 0, 0]);
    file.extend([72 + 0x18, 42 + 0x20, 0, 0, 0, 0, 0, 0]);
    file
}

#[test]
fn a_folder_of_outputs_mirrors_the_inputs_and_overwrites_none() {
    let folder = Folder::new();
    folder.file("in/a.pgn", "1. h2e2 *");
    folder.file("in/a.txt", "1. b2e2 *");
    folder.file("in/deep/b.pgn", "1. h0g2 *");
    folder.file("in/deep/bad.pgn", "1. h0h9 *");
    let (from, to) = (folder.text_path("in"), format!("{}/", folder.text_path("out")));
    refused(&["convert", &from, "-o", &to], "3 games from 3 files, 1 games in 1 files could not be read");
    let made = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    assert!(made("out/a.pgn").contains("炮二平五"));
    assert!(made("out/a.txt.pgn").contains("炮八平五"));
    assert!(made("out/deep/b.pgn").contains("马二进三"));
    assert!(!folder.path("out/deep/bad.pgn").exists());
    refused(&["convert", &from, "-o", &from], "is one of the inputs");
    refused(&["convert", &from, "-o", &folder.text_path("in/deep/b.pgn")], "is one of the inputs");
    assert_eq!(made("in/deep/b.pgn"), "1. h0g2 *");
}

/// A game of a run without searches.
fn played(number: u64, start: &str, moves: &[&str], outcome: Outcome, reason: EndReason) -> GameRecord {
    GameRecord {
        run: "test-run".to_owned(),
        game: number,
        seed: 7,
        net: "0123456789abcdef".repeat(4),
        rule_set: RuleSet::Axf,
        feature_version: 1,
        start: start.parse().unwrap(),
        outcome,
        reason,
        started_by: StartedBy::Thinned,
        scoring_weight: 0.0,
        decided: None,
        plies: moves.iter().map(|mv| PlyRecord::unsearched(mv.parse().unwrap())).collect(),
    }
}

/// A folder like that of a run, with a shard of two games.
fn run_folder() -> Folder {
    let folder = Folder::new();
    folder.file("run/state.json", "{}");
    folder.file("run/config.toml", "");
    fs::create_dir_all(folder.path("run/games")).unwrap();
    let mate = played(
        40,
        "3k5/R8/9/9/9/9/9/9/8R/4K4 w - - 0 1",
        &["i1i9"],
        Outcome::Win(Colour::Red),
        EndReason::Rules(Reason::Checkmate),
    );
    let start = Position::start().fen();
    let cut = played(41, &start, &["b2e2", "b9c7", "h2h4"], Outcome::Draw, EndReason::PlyCap);
    write_shard(&folder.path("run/games/g000001.parquet"), &[mate, cut]).unwrap();
    folder
}

#[test]
fn a_run_converts_to_pgn_and_back() {
    let folder = run_folder();
    let (run, file) = (folder.text_path("run"), folder.text_path("run.pgn"));
    let output = games(&["convert", &run, "-o", &file]);
    assert_eq!(talk(&output), "2 games from 1 files, 0 games in 0 files could not be read\n");
    let text = fs::read_to_string(&file).unwrap();
    for tag in [
        "[Event \"test-run\"]",
        "[Round \"40\"]",
        "[Red \"net 0123456789ab\"]",
        "[Rules \"axf\"]",
        "[StartedBy \"thinned\"]",
        "[Termination \"checkmate\"]\n[PlyCount \"1\"]\n[Result \"1-0\"]\n[FEN \"3k5/R8/",
        "[Termination \"ply-cap\"]\n[Opening \"中炮\"]\n[OpeningEnglish \"Central Cannon\"]\n[PlyCount \"3\"]\n[Result \"*\"]",
    ] {
        assert!(text.contains(tag), "{tag} in {text}");
    }
    let table_of = |input: &str| {
        let mut rows = table(&written(&["convert", input, "--to", "tsv"]));
        for row in &mut rows {
            row.remove("file");
        }
        rows
    };
    assert_eq!(table_of(&file), table_of(&run));
    assert_eq!(table_of(&format!("{run}/games/g000001.parquet")), table_of(&run));
    assert_eq!(written(&["convert", &file]), text);
}

#[test]
fn statistics_count_runs_and_records_apart() {
    let folder = run_folder();
    let run = folder.text_path("run");
    let shards = last_json(&games(&["stats", &run, "--json"]));
    assert_eq!(
        (&shards["games"], &shards["shards"], &shards["bad_shards"]),
        (&2.into(), &1.into(), &0.into())
    );
    assert_eq!(
        (&shards["reasons"]["ply-cap"], &shards["nets"]["0123456789abcdef".repeat(4)]),
        (&1.into(), &2.into())
    );
    let names = |openings: &Value| -> Vec<(String, u64)> {
        let rows = openings.as_array().unwrap().iter();
        rows.map(|row| (row["name_en"].as_str().unwrap().to_owned(), row["games"].as_u64().unwrap()))
            .collect()
    };
    assert_eq!(names(&shards["openings"]), [("Central Cannon".to_owned(), 1), ("other".to_owned(), 1)]);

    let counted = last_json(&games(&["openings", &run, "--json"]));
    assert_eq!(counted["openings"], shards["openings"]);

    let records =
        folder.file("records/perpetual.pgn", format!("{PERPETUAL}\n{TREE}\n[Red \"x\"]\n1. h2e9 *\n"));
    let output = games(&["stats", &records, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let counted = last_json(&output);
    for (key, want) in
        [("games", 2), ("files", 1), ("bad_games", 1), ("bad_files", 1), ("plies", 13), ("least_plies", 3)]
    {
        assert_eq!(counted[key], want, "{key}: {counted}");
    }
    assert_eq!(counted["outcomes"], serde_json::json!({"red": 1, "unknown": 1}));
    assert_eq!(counted["reasons"], serde_json::json!({"repetition-check": 1}));
    assert_eq!(
        (&counted["open"], &counted["played_on"], &counted["contradicted"]),
        (&1.into(), &1.into(), &1.into())
    );
    assert_eq!((&counted["with_variations"], &counted["mean_plies"]), (&1.into(), &6.5.into()));

    let both = last_json(&games(&["stats", &run, &records, "--json", "--skip-bad"]));
    assert_eq!((&both["self_play"], &both["records"]), (&shards, &counted));
    let text = written(&["stats", &run, &records, "--skip-bad"]);
    assert!(text.contains("reason ply-cap") && text.contains("end repetition-check"), "{text}");
}

#[test]
fn a_game_is_shown_with_board_opening_and_end() {
    let folder = Folder::new();
    let perpetual = folder.file("perpetual.pgn", PERPETUAL);
    let text = written(&["show", &perpetual, "--notation", "wxf"]);
    for part in [
        "start         3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1\n",
        "  1. R9+1 K4+1    2. R9-1 K4-1    3. R9+1 K4+1    4. R9-1 K4-1\n  5. R9+1 K4+1\n",
        "ply 10 K4+1, Red to move\n\n 9  R . . . . . . . .\n 8  . . . k . . . . .\n",
        " 0  . . . . K . . . .\n    a b c d e f g h i\n",
        "result   Red wins\n",
        "Black wins by repetition-check after ply 8; Red: perpetual check, Black: allowed; 2 plies were \
         played after that; the file says otherwise",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let json = last_json(&games(&["show", &perpetual, "--rules", "axf", "--ply", "1", "--json"]));
    assert_eq!((&json["ply"], &json["rules"]), (&1.into(), &"axf".into()));
    assert_eq!(json["fen"], "R2k5/9/9/9/9/9/9/9/9/4K4 b - - 1 1");
    assert_eq!(json["ending"]["ply"], 8);
    assert_eq!(json["ending"]["sides"], serde_json::json!({"red": "perpetual check", "black": "allowed"}));

    let tree = folder.file("two.pgn", format!("{PERPETUAL}\n{TREE}"));
    let text = written(&["show", &tree, "--game", "2"]);
    for part in [
        "Event         t\n",
        "named opening 中炮 Central Cannon\n",
        "  1. 炮二平五 马８进７    2. 马二进三\n",
        "start: before\nply 1 炮二平五: centre\n2 variations",
        "１ ２ ３ ４ ５ ６ ７ ８ ９\n车 马 象 士 将 士 象 ＋ 车\n",
        "\n俥 傌 相 仕 帅 仕 相 ＋ 俥\n九 八 七",
        "result   unknown\nrules    formal: the game is not over on the board\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    refused(&["show", &tree, "--game", "3"], "--game 3: ");
    refused(&["show", &tree, "--ply", "11"], "--ply 11: the game has 10 plies");
    let bad = folder.file("bad.pgn", "1. h2e9 *");
    refused(&["show", &bad], "bad.pgn: game 1, line 1: ply 1: \"h2e9\" is no legal move");

    let run = run_folder();
    let text = written(&["show", &run.text_path("run"), "--notation", "iccs"]);
    assert!(text.ends_with("rules    axf: Red wins by checkmate after ply 1\n"), "{text}");
}

#[test]
fn openings_are_listed_and_counted() {
    let listed = last_json(&games(&["openings", "--notation", "iccs", "--json"]));
    let listed = listed["openings"].as_array().unwrap();
    assert_eq!(listed.len(), Opening::all().len());
    assert_eq!((&listed[0]["name_zh"], &listed[0]["moves"]), (&"中炮".into(), &serde_json::json!(["H2-E2"])));
    assert!(
        written(&["openings"])
            .lines()
            .any(|line| line.starts_with("屏风马 ") && line.ends_with("炮二平五 马８进７ 马二进三 马２进３"))
    );

    let folder = Folder::new();
    // The Screen Horses, as listed; mirrored and in another order; the Central Cannon alone; something else.
    let file = folder.file(
        "openings.pgn",
        "[Red \"a\"]\n1. h2e2 h9g7 2. h0g2 b9c7 1-0\n[Red \"b\"]\n1. b2e2 b9c7 2. b0c2 h9g7 0-1\n\
         [Red \"c\"]\n1. h2e2 a9a8 1/2-1/2\n[Red \"d\"]\n1. a0a1 *\n",
    );
    let counted = last_json(&games(&["openings", &file, "--json"]));
    let row = |index: usize| {
        let row = &counted["openings"][index];
        let numbers =
            ["games", "reached", "red", "draw", "black", "unknown"].map(|key| row[key].as_u64().unwrap());
        (row["name_en"].as_str().unwrap(), numbers)
    };
    assert_eq!(row(0), ("Screen Horses", [2, 2, 1, 0, 1, 0]));
    assert_eq!(row(1), ("Central Cannon", [1, 3, 0, 1, 0, 0]));
    assert_eq!(row(2), ("other", [1, 0, 0, 0, 0, 1]));
    assert!(written(&["openings", &file]).contains("屏风马 Screen Horses"));
}

#[test]
fn bad_requests_are_one_line() {
    let folder = Folder::new();
    let file = folder.file("a.pgn", "1. h2e2 *");
    let missing = folder.text_path("missing.pgn");
    for command in ["convert", "show", "stats", "openings"] {
        refused(&[command, &missing], "cannot read");
    }
    fs::create_dir(folder.path("empty")).unwrap();
    refused(&["convert", &folder.text_path("empty")], "want files that end in .pgn, ");
    refused(&["convert", &file, "--to", "dhtmlxq", "--notation", "wxf"], "--notation is not for dhtmlxq");
    refused(&["convert", &file, "-o", &folder.text_path("no/where.pgn")], "cannot write");
    for wrong in [
        &["convert", &file, "--to", "xqf"][..],
        &["show", &file, "--notation", "french"],
        &["show", &file, "--game", "0"],
        &["convert"],
    ] {
        assert_eq!(games(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

/// All files of other programs in one go; they are not part of the project.
#[test]
fn all_foreign_files_convert_in_one_go() {
    let Some(data) = std::env::var_os("MEIHUA_DATA").map(PathBuf::from) else {
        println!("skipped: all_foreign_files_convert_in_one_go needs MEIHUA_DATA");
        return;
    };
    let folder = data.join("formats");
    let output = games(&["convert", folder.to_str().unwrap(), "--to", "tsv"]);
    let text = talk(&output);
    assert_eq!(output.status.code(), Some(1));
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("error: ") && last.contains(", 13 games in 12 files could not be read"),
        "{last}"
    );
    let rows: BTreeMap<String, _> = table(&out(&output))
        .into_iter()
        .filter(|row| row["game"] == "1")
        .map(|row| (Path::new(&row["file"]).strip_prefix(&folder).unwrap().to_str().unwrap().to_owned(), row))
        .collect();
    let expected = table(&fs::read_to_string(folder.join("expected.tsv")).unwrap());
    assert_eq!(expected.len(), 27);
    for want in expected {
        let row = &rows[&want["file"]];
        assert_eq!(
            (&row["moves"], &row["result"]),
            (&want["first_line"], &want["result"]),
            "{}",
            want["file"]
        );
    }
}
