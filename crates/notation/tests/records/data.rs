//! Files of other programs. Most are not part of the project: `MEIHUA_DATA` names their folder, and without it their
//! tests do nothing.

use notation::{Caution, Record, RecordError, RecordFault, Style, read_records, write_dhtmlxq, write_pgn};
use rules::{Colour, Outcome, Position};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files that are part of the project.
const FORMATS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats");

/// The folder; without it a line that says that the test was skipped.
fn folder(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("MEIHUA_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: {test} needs MEIHUA_DATA");
    }
    folder
}

fn read(path: &Path) -> Vec<Result<Record, RecordError>> {
    read_records(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The files of a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The rows of a table with a line of names.
fn table(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let row = |line: &str| {
        let values = line.split('\t').map(str::to_owned);
        names.iter().map(|&name| name.to_owned()).zip(values).collect()
    };
    lines.map(row).collect()
}

fn moves(record: &Record) -> String {
    record.main_line().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

const fn result(record: &Record) -> &'static str {
    match record.result {
        Some(Outcome::Win(Colour::Red)) => "1-0",
        Some(Outcome::Win(Colour::Black)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        None => "*",
    }
}

#[test]
fn files_of_other_programs_read_as_listed() {
    let Some(folder) = folder("files_of_other_programs_read_as_listed") else { return };
    for row in table(&folder.join("formats/expected.tsv")) {
        let file = &row["file"];
        let records = read(&folder.join("formats").join(file));
        assert_eq!(records.len(), 1, "{file}");
        let record = records[0].as_ref().unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(moves(record), row["first_line"], "{file}");
        assert_eq!(record.tree.leaves().count().to_string(), row["lines_root_to_leaf"], "{file}");
        assert_eq!(result(record), row["result"], "{file}");
        assert_eq!(record.start().fen().split(" - ").next(), Some(row["start_fen"].as_str()), "{file}");
        // One of the files ends with a move that isn't one.
        let stray_moves = usize::from(file.ends_with("cchess_BadMoveTest3.xqf"));
        assert_eq!(record.warnings.len(), stray_moves, "{file}: {:?}", record.warnings);
        for text in [write_pgn(record, Style::CHINESE), write_dhtmlxq(record)] {
            let again = read_records(text.as_bytes());
            assert_eq!(again[0].as_ref().map(|again| &again.tree), Ok(&record.tree), "{file}");
        }
    }
}

#[test]
fn each_game_has_one_truth_in_all_dialects() {
    let folder = Path::new(FORMATS).join("dialects");
    for file in files(&folder).iter().filter(|file| file.extension().unwrap() == "pgn") {
        let name = file.file_name().unwrap().to_str().unwrap();
        let truth = std::fs::read_to_string(folder.join(format!("{}.uci", &name[..2]))).unwrap();
        let records = read(file);
        assert_eq!(records.len(), 1, "{name}");
        let record = records[0].as_ref().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(moves(record), truth.split_whitespace().collect::<Vec<_>>().join(" "), "{name}");
        assert_eq!(record.warnings, [], "{name}");
    }
}

#[test]
fn good_files_in_big5_read_and_bad_ones_say_why_not() {
    let folder = Path::new(FORMATS).join("pgn_big5");
    let mut errors = Vec::new();
    for row in table(&folder.join("expected.tsv")) {
        let file = &row["file"];
        let game = read(&folder.join(file)).remove(0);
        match game {
            Ok(record) => {
                assert_eq!(row["status"], "ok", "{file}");
                assert_eq!(
                    (moves(&record), result(&record)),
                    (row["moves_parsed"].clone(), row["result"].as_str()),
                    "{file}"
                );
                assert_eq!(record.warnings, [], "{file}");
            }
            Err(error) => {
                // The table counts from 0, and its reader accepts a board without a general.
                if let RecordFault::Move { ply, .. } = &error.fault {
                    assert!(
                        row["status"].starts_with(&format!("error: move {} illegal ", ply - 1)),
                        "{file}: {error}"
                    );
                    assert_eq!(
                        moves(error.partial.as_ref().unwrap()),
                        row["moves_parsed"],
                        "{file}: {error}"
                    );
                } else {
                    assert!(matches!(error.fault, RecordFault::Start(_)), "{file}: {error}");
                }
                errors.push(format!("{file}: {error}"));
            }
        }
    }
    assert_eq!(errors.len(), 11, "{errors:#?}");
}

#[test]
fn files_in_gbk_and_pages_read() {
    let Some(folder) = folder("files_in_gbk_and_pages_read") else { return };
    let mut counts = BTreeMap::new();
    for file in ["pgn_gbk", "dhtmlxq"].iter().flat_map(|sub| files(&folder.join("formats").join(sub))) {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let records = read(&file);
        let plies = |game: &Result<Record, RecordError>| {
            let record = game.as_ref().unwrap_or_else(|error| panic!("{name}: {error}"));
            let is_footer = |warning: &notation::Warning| matches!(warning.caution, Caution::TextLost(_));
            assert!(record.warnings.iter().all(is_footer), "{name}: {:?}", record.warnings);
            record.main_line().len()
        };
        let plies: usize = records.iter().map(plies).sum();
        counts.insert(name, (records.len(), plies));
    }
    assert_eq!(counts.len(), 23);
    assert!(counts.values().all(|&(games, plies)| games > 0 && plies > 20), "{counts:?}");
    assert_eq!(counts["eleeye_SAMPLE.PGN"], (1, 75));
    assert_eq!(counts["wxf_traditional_sample.pgn"], (10, 929));
    assert_eq!(counts["wxf_116.html"], (1, 85));
}

#[test]
fn libraries_read_as_listed() {
    let Some(folder) = folder("libraries_read_as_listed") else { return };
    let rows = table(&folder.join("games/cbl_1956_1989.tsv"));
    for (file, games, headings) in [("national1956_93.cbl", 93, 0), ("longhua1989_35.cbl", 38, 2)] {
        let records = read(&folder.join("formats/ccbridge").join(file));
        let rows: Vec<_> = rows.iter().filter(|row| row["file"] == file).collect();
        assert_eq!((records.len(), rows.len()), (games, games), "{file}");
        let mut refused = 0;
        for (row, record) in rows.iter().zip(&records) {
            let title = &row["title"];
            match record {
                Ok(record) => {
                    let red = record.tags.get("Red").unwrap_or_default();
                    assert_eq!(
                        (moves(record), result(record)),
                        (row["moves"].clone(), row["result"].as_str()),
                        "{title}"
                    );
                    assert_eq!((record.tags.get("Title"), red), (Some(title.trim()), row["red"].trim()));
                    assert_eq!(record.tree.leaves().count().to_string(), row["lines"], "{title}");
                }
                // Headings have an empty board.
                Err(error) => {
                    assert!(
                        row["moves"].is_empty() && matches!(error.fault, RecordFault::Start(_)),
                        "{error}"
                    );
                    refused += 1;
                }
            }
        }
        assert_eq!(refused, headings, "{file}");
    }
}

#[test]
fn all_games_of_the_selection_survive_each_format() {
    let Some(folder) = folder("all_games_of_the_selection_survive_each_format") else { return };
    for row in table(&folder.join("games/ccpd_selection.tsv")) {
        let list: Vec<rules::Move> = row["moves"].split_whitespace().map(|mv| mv.parse().unwrap()).collect();
        let mut record = Record::new(Position::start());
        record.tree = notation::Tree::from_moves(Position::start(), &list).unwrap();
        super::survives(&record, &row["id"]);
    }
}
