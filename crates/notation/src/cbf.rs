//! CBF, a format of 象棋桥 (`CCBridge`) in XML: a head with the tags and the FEN, and a list of moves, each two points
//! counted from the top left. Read only; no file with variations was seen, and moves after the end of the main line are
//! left out with a warning.

use crate::binary;
use crate::fault::{Caution, Fault, MoveFault, Place, RecordFault, Refused, Warning};
use crate::fen::read_fen;
use crate::record::Record;
use roxmltree::{Document, Node};
use rules::{Move, Position, Square};

/// The element that holds everything.
pub(crate) const ROOT: &str = "ChineseChessRecord";
/// A move that only carries the comment on the start position.
const NO_MOVE: &str = "00-00";

/// The known attributes of a move. Nothing is known of variations.
const ATTRIBUTES: [&str; 2] = ["value", "end"];

/// Names of the head for which PGN has another.
const NAMES: [(&str, &str); 8] = [
    ("Name", "Title"),
    ("Contest", "Event"),
    ("TimeRule", "TimeControl"),
    ("RedRating", "RedElo"),
    ("BlackRating", "BlackElo"),
    ("Commentator", "Annotator"),
    ("Creator", "Author"),
    ("From", "Source"),
];

/// Reads the game of a file.
pub(crate) fn read(text: &str) -> Result<Record, Refused> {
    let document = Document::parse(text).map_err(|error| {
        let place = Place::Line(error.pos().row as usize);
        Refused::at(place, RecordFault::Xml(error.to_string()))
    })?;
    let root = document.root_element();
    let lacks = |name: &str| Refused::at(line(root), RecordFault::Xml(format!("no element {name}")));
    let head = child(root, "Head").ok_or_else(|| lacks("Head"))?;
    let moves = child(root, "MoveList").ok_or_else(|| lacks("MoveList"))?;
    let mut record = read_head(head)?;
    match read_moves(moves, &mut record) {
        Ok(()) => Ok(record),
        Err((place, fault)) => Err(Refused::with(place, fault, record)),
    }
}

fn read_head(head: Node<'_, '_>) -> Result<Record, Refused> {
    let fields = || head.children().filter(Node::is_element);
    let mut record =
        match fields().find(|field| field.has_tag_name("FEN")).filter(|fen| !content(*fen).is_empty()) {
            None => Record::new(Position::start()),
            Some(fen) => {
                let (position, notes) = read_fen(&content(fen))
                    .map_err(|error| Refused::at(line(fen), RecordFault::Start(error)))?;
                let mut record = Record::new(position);
                let warn = |note| Warning { place: line(fen), caution: Caution::Position(note) };
                record.warnings = notes.into_iter().map(warn).collect();
                record
            }
        };
    for field in fields() {
        let (name, value) = (field.tag_name().name(), content(field));
        match name {
            "FEN" => {}
            "RecordResult" => read_result(field, &value, &mut record),
            _ if value.is_empty() => {}
            _ => {
                let name = NAMES.iter().find(|(own, _)| *own == name).map_or(name, |(_, pgn)| pgn);
                record.tags.set(name, &value);
            }
        }
    }
    Ok(record)
}

fn read_result(field: Node<'_, '_>, value: &str, record: &mut Record) {
    let value = if value.is_empty() { "0" } else { value };
    if let Ok(number) = value.parse() {
        record.result = binary::result(number, line(field), &mut record.warnings);
    } else {
        let caution = Caution::UnknownResult(value.to_owned());
        record.warnings.push(Warning { place: line(field), caution });
    }
}

fn read_moves(list: Node<'_, '_>, record: &mut Record) -> Result<(), Fault> {
    let mut cursor = record.tree.cursor();
    let mut elements = list.children().filter(Node::is_element);
    for element in elements.by_ref() {
        let value = element.attribute("value").unwrap_or_default();
        if value != NO_MOVE || cursor.ply() > 0 {
            let mv = parse_move(value).ok_or_else(|| MoveFault::Points(value.to_owned()));
            let added = mv.and_then(|mv| cursor.add(mv).map_err(MoveFault::from));
            if let Err(cause) = added {
                return Err((line(element), RecordFault::Move { ply: cursor.ply() + 1, cause }));
            }
        }
        cursor.comment(&content(element));
        for attribute in element.attributes().filter(|attribute| !ATTRIBUTES.contains(&attribute.name())) {
            let text = format!("{}={:?}", attribute.name(), attribute.value());
            record.warnings.push(Warning { place: line(element), caution: Caution::TextLost(text) });
        }
        if element.attribute("end").is_some() {
            break;
        }
    }
    if let Some(element) = elements.next() {
        let text = format!("{} moves after the end of the main line", elements.count() + 1);
        record.warnings.push(Warning { place: line(element), caution: Caution::VariationLost(text) });
    }
    Ok(())
}

/// `file row-file row`, from the top left.
fn parse_move(text: &str) -> Option<Move> {
    let square = |file: u8, row: u8| {
        let digit = |byte: u8| byte.is_ascii_digit().then(|| byte - b'0');
        Square::new(digit(file)?, 9 - digit(row)?)
    };
    match text.as_bytes() {
        &[from_file, from_row, b'-', to_file, to_row] => {
            Some(Move::new(square(from_file, from_row)?, square(to_file, to_row)?))
        }
        _ => None,
    }
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.has_tag_name(name))
}

/// The text within an element.
fn content(element: Node<'_, '_>) -> String {
    element.children().filter_map(|child| child.text()).collect::<String>().trim().to_owned()
}

/// The line of an element.
fn line(element: Node<'_, '_>) -> Place {
    Place::Line(element.document().text_pos_at(element.range().start).row as usize)
}
