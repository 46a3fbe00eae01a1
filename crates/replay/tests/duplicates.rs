//! Rows are grouped by what a network sees of them, and only so.

mod common;

use evaluator::{Features, mirrored_input};
use replay::{Duplicates, GameRecord, Row, Window};
use rules::{Move, Position};
use std::collections::BTreeMap;

fn window(games: impl IntoIterator<Item = GameRecord>) -> Window {
    let mut window = Window::new(1_000_000, 8.0);
    for (number, game) in (0..).zip(games) {
        window.push(&GameRecord { game: number, ..game }).expect("a game in order");
    }
    window
}

/// The inputs of a row, ascending, and those of its mirror image.
fn inputs(row: &Row<'_>) -> [Vec<u16>; 2] {
    let features = Features::encode(&row.position(), row.situation());
    let mut mirrored: Vec<u16> = features.active().iter().map(|&input| mirrored_input(input)).collect();
    mirrored.sort_unstable();
    [features.active().to_vec(), mirrored]
}

/// Turned by 180° with colours exchanged: to the other side the same game.
fn turned(game: &GameRecord) -> GameRecord {
    changed(game, Position::turned, Move::turned)
}

fn mirrored(game: &GameRecord) -> GameRecord {
    changed(game, Position::mirrored, Move::mirrored)
}

fn changed(
    game: &GameRecord,
    position: impl Fn(&Position) -> Position,
    change: impl Fn(Move) -> Move,
) -> GameRecord {
    let mut game = GameRecord { start: position(&game.start), ..game.clone() };
    for ply in &mut game.plies {
        ply.mv = change(ply.mv);
        for entry in &mut ply.policy {
            entry.mv = change(entry.mv);
        }
    }
    game
}

/// Known twice: by comparing the inputs of all rows.
#[test]
fn rows_of_a_group_are_those_that_look_alike() {
    // Broken off, and so free to be turned: the outcome is a draw for both.
    let games: Vec<_> = (0..8).map(|number| common::game(number, 40)).collect();
    let images = games.iter().flat_map(|game| [game.clone(), mirrored(game), turned(game)]);
    let window = window(images);
    let mut expected: BTreeMap<Vec<u16>, Vec<usize>> = BTreeMap::new();
    for index in 0..window.len() {
        let [plain, mirrored] = inputs(&window.row(index));
        expected.entry(plain.min(mirrored)).or_default().push(index);
    }
    let duplicates = Duplicates::of(&window);
    let (mut found, mut images) = (Vec::new(), 0);
    for group in 0..duplicates.len() {
        let members: Vec<_> = duplicates.members(group).collect();
        let [first, _] = inputs(&window.row(members[0].row));
        for member in &members {
            let views = inputs(&window.row(member.row));
            assert_eq!(views[usize::from(member.mirrored)], first);
            images += usize::from(member.mirrored);
        }
        found.push(members.iter().map(|member| member.row).collect::<Vec<_>>());
    }
    let mut expected: Vec<_> = expected.into_values().collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    assert!(duplicates.len() * 2 < window.len() && 100 < images, "{} of {}", duplicates.len(), window.len());
}

#[test]
fn groups_take_at_most_8_bytes_a_row() {
    let window = window((0..200).map(|number| common::game(number, 160)));
    let bytes = Duplicates::of(&window).bytes();
    assert!(bytes <= 8 * window.len(), "{bytes} bytes for {} rows", window.len());
}

#[test]
fn an_empty_window_has_no_groups() {
    assert!(Duplicates::of(&Window::new(9, 8.0)).is_empty());
}
