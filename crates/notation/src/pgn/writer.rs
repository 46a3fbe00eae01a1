//! Writing a game as PGN.

use crate::record::{Record, result_text};
use crate::style::Style;
use crate::tree::{NodeId, Tree, Walk};
use crate::write::write_move;
use rules::{Colour, START_FEN};
use std::fmt::Write as _;

/// Writes a game as PGN, in UTF-8: the tag `Game`, the record's tags, `Result`, `FEN` unless it is the usual start,
/// `Format`; then the moves in `style` with variations, comments and remarks, a round a
/// line, and the result. Games one after the other make a file of several.
///
/// What is written reads back as the same record. Other programs know the formats `Chinese`, `WXF` and `ICCS`.
///
/// ```
/// let record = &notation::read_records(b"1. h2e2 {the centre} h9g7 2. h0g2 *")[0].as_ref().unwrap().clone();
/// let text = notation::write_pgn(record, notation::Style::CHINESE);
/// assert_eq!(
///     text,
///     "[Game \"Chinese Chess\"]\n[Result \"*\"]\n[Format \"Chinese\"]\n\n\
///      \x20 1. 炮二平五 {the centre} 1. ... 马８进７\n  2. 马二进三\n  *\n"
/// );
/// assert_eq!(notation::read_records(text.as_bytes())[0].as_ref(), Ok(record));
/// ```
pub fn write_pgn(record: &Record, style: Style) -> String {
    let mut text = String::new();
    write_tag(&mut text, "Game", "Chinese Chess");
    for (name, value) in record.tags.iter() {
        write_tag(&mut text, name, value);
    }
    write_tag(&mut text, "Result", result_text(record.result));
    let start = record.start().fen();
    if start != START_FEN {
        write_tag(&mut text, "FEN", &start);
    }
    let format = match style {
        Style::Chinese { .. } => "Chinese",
        Style::Wxf => "WXF",
        Style::Iccs => "ICCS",
        _ => style.name(),
    };
    write_tag(&mut text, "Format", format);
    text.push('\n');
    let mut moves =
        Moves { text, tree: &record.tree, walk: Walk::new(&record.tree), style, depth: 0, is_fresh: true };
    moves.write();
    writeln!(moves.text, "  {}", result_text(record.result)).expect("a String takes any text");
    moves.text
}

fn write_tag(text: &mut String, name: &str, value: &str) {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(text, "[{name} \"{value}\"]").expect("a String takes any text");
}

struct Moves<'r> {
    text: String,
    tree: &'r Tree,
    walk: Walk,
    style: Style,
    /// How many variations are open.
    depth: usize,
    /// Does the next move need a number, whoever moves?
    is_fresh: bool,
}

enum Task {
    /// The move to a node.
    Move(NodeId),
    /// What follows a node.
    After(NodeId),
    Open,
    Close,
}

impl Moves<'_> {
    fn write(&mut self) {
        self.write_remarks(NodeId::ROOT);
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        let mut tasks = vec![Task::After(NodeId::ROOT)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Move(node) => self.write_move(node),
                Task::After(node) => self.push_children(node, &mut tasks),
                Task::Open => self.bracket(" (", 1),
                Task::Close => self.bracket(")", -1),
            }
        }
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// The first move, the others as variations in brackets, then what follows the first.
    fn push_children(&self, node: NodeId, tasks: &mut Vec<Task>) {
        if let Some((&first, variations)) = self.tree.children(node).split_first() {
            tasks.push(Task::After(first));
            for &variation in variations.iter().rev() {
                tasks.extend([Task::Close, Task::After(variation), Task::Move(variation), Task::Open]);
            }
            tasks.push(Task::Move(first));
        }
    }

    fn bracket(&mut self, text: &str, change: isize) {
        self.text.push_str(text);
        self.depth = self.depth.saturating_add_signed(change);
        self.is_fresh = true;
    }

    fn write_move(&mut self, node: NodeId) {
        let Some(mv) = self.tree.mv(node) else { return };
        self.walk.go_to(self.tree, self.tree.parent(node));
        let position = self.walk.position();
        let (turn, round) = (position.turn(), position.round());
        let moved = write_move(position, mv, self.style);
        if self.depth == 0 && turn == Colour::Red && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        let (is_line_start, is_bracket) = (self.text.ends_with('\n'), self.text.ends_with('('));
        if is_line_start {
            write!(self.text, "{round:>3}. ").expect("a String takes any text");
        } else {
            let space = if is_bracket { "" } else { " " };
            let number =
                if turn == Colour::Red || self.is_fresh { format!("{round}. ") } else { String::new() };
            self.text += space;
            self.text += &number;
        }
        if turn == Colour::Black && self.is_fresh {
            self.text += "... ";
        }
        self.text.push_str(&moved);
        self.is_fresh = false;
        self.write_remarks(node);
    }

    /// What is said about a node.
    fn write_remarks(&mut self, node: NodeId) {
        for remark in self.tree.remarks(node) {
            self.write_spaced(&format!("${remark}"));
        }
        let comment = self.tree.comment(node);
        if !comment.is_empty() {
            self.write_comment(comment);
        }
    }

    fn write_spaced(&mut self, text: &str) {
        if !self.text.ends_with('\n') {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    fn write_comment(&mut self, comment: &str) {
        let comment = comment.replace('\\', "\\\\").replace('}', "\\}");
        let escape = |(index, line): (usize, &str)| match line.trim_start().strip_prefix('[') {
            // Else a reader could take it for a tag of the next game.
            Some(rest) if index > 0 => format!("{}\\[{rest}", &line[..line.len() - rest.len() - 1]),
            _ => line.to_owned(),
        };
        let comment = comment.split('\n').enumerate().map(escape).collect::<Vec<_>>().join("\n");
        self.write_spaced(&format!("{{{comment}}}"));
        self.is_fresh = true;
    }
}
