//! Records of games in all formats.

#[cfg(test)]
mod data;
#[cfg(test)]
mod formats;
#[cfg(test)]
mod pgn;
#[cfg(test)]
mod random_trees;
#[cfg(test)]
mod robust;
#[cfg(test)]
mod samples;

use notation::{Record, Style, read_records, write_dhtmlxq, write_pgn};

/// Writes a record in each format and reads it back.
fn survives(record: &Record, name: &str) {
    let pgn = [Style::CHINESE, Style::Wxf, Style::Iccs].map(|style| (style.name(), write_pgn(record, style)));
    for (format, text) in pgn.into_iter().chain([("dhtmlxq", write_dhtmlxq(record))]) {
        assert_eq!(read_records(text.as_bytes()), [Ok(record.clone())], "{name} as {format}: {text}");
    }
}

#[test]
fn games_of_masters_survive_each_format() {
    let games = include_str!("../../../../tests/games/ccpd_excerpt.tsv");
    let lines: Vec<&str> = games.lines().filter(|line| line.starts_with('G')).collect();
    let records = read_records(games.as_bytes());
    assert_eq!(records.len(), lines.len());
    for (line, record) in lines.into_iter().zip(records) {
        let fields: Vec<&str> = line.split('\t').collect();
        let moves: Vec<rules::Move> = fields[2].split_whitespace().map(|mv| mv.parse().unwrap()).collect();
        let record = record.unwrap();
        assert_eq!((record.main_line(), record.tags.get("id")), (moves, Some(fields[0])));
        survives(&record, fields[0]);
    }
}

#[test]
fn a_game_with_everything_survives_each_format() {
    survives(&samples::game(), "game");
    survives(&samples::endgame(), "endgame");
    survives(&samples::small(), "small");
}
