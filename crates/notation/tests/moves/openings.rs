//! Names of openings.

use notation::{Opening, read_moves};
use rules::{Move, Position};
use std::collections::HashMap;

fn parse(moves: &str) -> Vec<Move> {
    moves.split_whitespace().map(|mv| mv.parse().unwrap()).collect()
}

#[test]
fn every_line_is_itself_mirrored_or_not() {
    assert_eq!(Opening::all().len(), 30);
    for opening in Opening::all() {
        let mirrored: Vec<Move> = opening.moves.iter().map(|mv| mv.mirrored()).collect();
        for moves in [&opening.moves, &mirrored] {
            let texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
            assert_eq!(read_moves(&Position::start(), &texts).as_ref(), Ok(moves), "{}", opening.name_en);
            assert_eq!(Opening::of(&Position::start(), moves), Some(opening));
        }
        assert_eq!(Opening::of(&opening.position(), &[]), Some(opening));
    }
    let mut names: Vec<_> = Opening::all().iter().map(|opening| opening.name_zh).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 30);
}

#[test]
fn transpositions_are_recognised_in_time() {
    let of = |moves| Opening::of(&Position::start(), &parse(moves)).map(|opening| opening.name_zh);
    assert_eq!(of(""), None);
    assert_eq!(of("a0a1"), None);
    assert_eq!(of("h2e2 a9a8"), Some("中炮"));
    assert_eq!(of("h2e2 b9c7 h0g2 h9g7"), Some("屏风马"));
    assert_eq!(of("h2e2 h7e7 h0g2 h9g7 i0h0 i9i8 h0h6"), Some("顺炮直车"));
    // The same position four plies too late.
    assert_eq!(of("h2e2 h9g7 h0g2 a9a8 a0a1 a8a9 a1a0 b9c7"), Some("中炮"));
    // Nothing after an illegal move counts.
    assert_eq!(of("h2e2 h2e2 h7e7"), Some("中炮"));
}

/// The excerpt's games get names, and the commonest opening is the central cannon.
#[test]
fn games_of_masters_have_names() {
    let games = include_str!("../../../../tests/games/ccpd_excerpt.tsv");
    let games =
        games.lines().filter(|line| line.starts_with('G')).map(|line| line.rsplit('\t').next().unwrap());
    let named = games.filter(|moves| Opening::of(&Position::start(), &parse(moves)).is_some()).count();
    assert!(named >= 30, "{named}");
}

/// A selection can't have more games of an opening than the whole, and has some of each that is common.
#[test]
fn counts_over_a_selection_are_plausible() {
    let Some(data) = std::env::var_os("MEIHUA_DATA") else {
        println!("skipped: MEIHUA_DATA doesn't name the folder of reference data");
        return;
    };
    let read = |name: &str| std::fs::read_to_string(std::path::PathBuf::from(&data).join(name)).unwrap();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let games = read("games/ccpd_selection.tsv");
    for moves in games.lines().skip(1).map(|line| line.rsplit('\t').next().unwrap()) {
        for opening in Opening::reached(&Position::start(), &parse(moves)) {
            *counts.entry(opening.name_zh).or_default() += 1;
        }
    }
    for line in read("openings/named_lines.tsv").lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (count, whole) = (counts.get(columns[0]).copied().unwrap_or(0), columns[3].parse().unwrap());
        println!("{} {count} of {whole}", columns[0]);
        assert!(count <= whole && (count > 0 || whole < 20), "{} {count} of {whole}", columns[0]);
    }
}
