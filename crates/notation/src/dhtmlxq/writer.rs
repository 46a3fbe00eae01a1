//! Writes a game.

use super::escape::escape;
use super::{NAMES, NOWHERE, is_content};
use crate::placed;
use crate::record::Record;
use crate::tree::{NodeId, Tree};
use rules::{Colour, Outcome, START_FEN, Square};
use std::collections::VecDeque;
use std::fmt::Write as _;

/// Writes a game as `DhtmlXQ`, with its variations and comments. Remarks such as `!` stand before the comment.
///
/// ```
/// let mut record = notation::Record::new(rules::Position::start());
/// record.tree.cursor().add("h2e2".parse()?)?;
/// assert!(notation::write_dhtmlxq(&record).contains("[DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_dhtmlxq(record: &Record) -> String {
    let mut text = "[DhtmlXQ]\n".to_owned();
    for (name, value) in record.tags.iter() {
        let name = NAMES.iter().find(|(_, pgn)| *pgn == name).map_or(name, |(own, _)| own);
        let own_names = ["Event", "Date", "Round", "Red", "Black", "Author"];
        let mut name = if own_names.contains(&name) { name.to_ascii_lowercase() } else { name.to_owned() };
        if is_content(&name.to_ascii_lowercase()) {
            name.push('_');
        }
        write_field(&mut text, &name, value);
    }
    let result = match record.result {
        Some(Outcome::Win(Colour::Red)) => "红胜",
        Some(Outcome::Win(Colour::Black)) => "黑胜",
        Some(Outcome::Draw) => "和局",
        None => "未知",
    };
    write_field(&mut text, "result", result);
    let start = record.start().fen();
    if start != START_FEN {
        write_field(&mut text, "fen", &start);
    }
    let point = |point: &Option<Square>| point.map_or_else(|| NOWHERE.to_owned(), digits);
    write_field(&mut text, "binit", &placed::points(record.start()).iter().map(point).collect::<String>());
    write_lines(&mut text, &record.tree);
    text.push_str("[/DhtmlXQ]\n");
    text
}

/// Writes the main line, which is line 0, then its variations, then theirs.
fn write_lines(text: &mut String, tree: &Tree) {
    let mut comments = String::new();
    write_comment(&mut comments, tree, 0, NodeId::ROOT);
    let mut lines = VecDeque::from([(NodeId::ROOT, None, 0)]);
    let mut number = 0;
    while let Some((before, first, parent)) = lines.pop_front() {
        let mut moves = String::new();
        let (mut node, mut next) = (before, first);
        let ply = tree.depth(before) + 1;
        loop {
            let children = tree.children(node);
            // The alternatives to the first move of a variation are its parent's business.
            if next.is_none() {
                for &variation in children.iter().skip(1) {
                    lines.push_back((node, Some(variation), number));
                }
            }
            let Some(child) = next.take().or_else(|| children.first().copied()) else { break };
            if let Some(mv) = tree.mv(child) {
                moves.push_str(&digits(mv.from()));
                moves.push_str(&digits(mv.to()));
            }
            write_comment(&mut comments, tree, number, child);
            node = child;
        }
        let name = if number == 0 { "movelist".to_owned() } else { format!("move_{parent}_{ply}_{number}") };
        write_field(text, &name, &moves);
        number += 1;
    }
    text.push_str(&comments);
}

fn write_comment(text: &mut String, tree: &Tree, line: usize, node: NodeId) {
    let mut comment: String =
        tree.remarks(node).iter().map(|&remark| crate::pgn::remark_text(remark) + " ").collect();
    comment.push_str(tree.comment(node));
    if comment.is_empty() {
        return;
    }
    let ply = tree.depth(node);
    let name = if line == 0 { format!("comment{ply}") } else { format!("comment{line}_{ply}") };
    write_field(text, &name, comment.trim_end());
}

fn digits(square: Square) -> String {
    format!("{}{}", square.file(), 9 - square.rank())
}

fn write_field(text: &mut String, name: &str, value: &str) {
    let value = escape(value);
    writeln!(text, "[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]").expect("a String takes any text");
}
