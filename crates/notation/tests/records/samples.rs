//! A game with everything in it, and writers for the formats that the crate only reads.

use encoding_rs::GB18030;
use notation::{NodeId, Record, Tree, read_records};
use rules::{Colour, Kind, Move, Outcome, Position, Square};
use std::fmt::Write as _;

/// Two first moves, variations in variations, at the end of a line and of the main line's first move, comments.
const GAME: &str = r#"[Title "中炮对屏风马"]
[Event "全国象棋个人赛"]
[Date "1999-12-19"]
[Site "上海"]
[Red "胡荣华"]
[Black "柳大华"]
[TimeControl "60+30"]
[Annotator "某人"]
[Author "作者"]
[Result "1-0"]

{开局说明
第二行 a\}b}
1. 炮二平五 {中炮} (1. 兵七进一 {仙人指路} 卒７进１ (1. ... 炮２平３ 2. 炮二平五) 2. 马八进七)
1. ... 马８进７ 2. 马二进三 (2. 马八进七 车９平８ (2. ... 卒７进１)) (2. 兵三进一)
2. ... 车９平８ {出车} 3. 车一平二 1-0
"#;

/// The game.
pub(crate) fn game() -> Record {
    let record = read_records(GAME.as_bytes()).remove(0).unwrap();
    assert_eq!((record.warnings.len(), record.tree.move_count(), record.tree.leaves().count()), (0, 14, 6));
    record
}

/// An endgame in which Black moves first, without tags.
pub(crate) fn endgame() -> Record {
    let text = "[FEN \"3k5/9/9/9/8r/9/9/9/9/4K4 b - - 0 1\"]\n1. ... 车９平４ 2. 帅五进一 *";
    read_records(text.as_bytes()).remove(0).unwrap()
}

fn result_number(record: &Record) -> u8 {
    match record.result {
        None => 0,
        Some(Outcome::Win(Colour::Red)) => 1,
        Some(Outcome::Win(Colour::Black)) => 2,
        Some(Outcome::Draw) => 3,
    }
}

/// Nodes in the order of binary formats: the node, whether it has children, whether an alternative follows.
fn steps(tree: &Tree) -> Vec<(NodeId, bool, bool)> {
    let has_sibling =
        |node: NodeId| node != NodeId::ROOT && tree.children(tree.parent(node)).last() != Some(&node);
    tree.preorder().map(|node| (node, !tree.children(node).is_empty(), has_sibling(node))).collect()
}

/// An XQF file of a version, enciphered with these key bytes if the version is.
pub(crate) fn xqf(record: &Record, version: u8, keys: [u8; 4]) -> Vec<u8> {
    const ORDER: &str = "rnbakabnrccppppp";
    let spread = |key: u8| {
        let sum = u32::from(key).pow(2) * 3 + 9;
        (((sum * 3 + 8) * 2 + 1) * 3 + 8) as u8
    };
    let (mut piece, mut from, mut to, mut length) = (0, 0, 0, 0);
    let (mask, or) = (0x5A, [0x81, 0x42, 0x24, 0x18]);
    let mut stream = [0; 32];
    let is_plain = version <= 10;
    if !is_plain {
        piece = spread(keys[1]).wrapping_mul(keys[1]);
        from = spread(keys[2]).wrapping_mul(piece);
        to = spread(keys[3]).wrapping_mul(from);
        length = (u32::from(keys[0]) * 256 + u32::from(keys[1])) % 32_000 + 767;
        for (i, letter) in b"[(C) Copyright Mr. Dong Shiwei.]".iter().enumerate() {
            stream[i] = letter & ((keys[i % 4] & mask) | or[i % 4]);
        }
    }
    let mut file = vec![0; 1024];
    file[..2].copy_from_slice(b"XQ");
    file[2] = version;
    file[3] = mask;
    file[8..12].copy_from_slice(&or);
    file[12..16].copy_from_slice(&keys);
    let number = |square: Square| square.file() * 10 + square.rank();
    let mut i = 0;
    for colour in Colour::ALL {
        let mut points = Kind::ALL.map(|kind| record.start().pieces(colour, kind).into_iter());
        for letter in ORDER.chars() {
            let kind = rules::Piece::from_fen_letter(letter).unwrap().kind;
            let point = points[kind.index()].next().map_or(0xFF, number);
            let place = if version < 12 { i } else { (i + 32 - usize::from(piece) % 32 - 1) % 32 };
            // The place where the reader looks for piece i.
            file[0x10 + place] = point.wrapping_add(piece);
            i += 1;
        }
    }
    file[0x32] = u8::from(record.start().turn() == Colour::Black);
    file[0x33] = result_number(record);
    for (at, name) in [
        (0x50, "Title"),
        (0xD0, "Event"),
        (0x110, "Date"),
        (0x120, "Site"),
        (0x130, "Red"),
        (0x140, "Black"),
        (0x150, "TimeControl"),
        (0x1D0, "Annotator"),
        (0x1E0, "Author"),
    ] {
        let text = GB18030.encode(record.tags.get(name).unwrap_or_default()).0;
        file[at] = text.len() as u8;
        file[at + 1..=at + text.len()].copy_from_slice(&text);
    }
    let mut body = Vec::new();
    for (node, has_child, has_sibling) in steps(&record.tree) {
        let mv = record.tree.mv(node).unwrap_or(Move::new(Square::from_index(0), Square::from_index(0)));
        let comment = GB18030.encode(&record.tree.comment(node).replace('\n', "\r\n")).0.into_owned();
        body.push(number(mv.from()).wrapping_add(0x18).wrapping_add(from));
        body.push(number(mv.to()).wrapping_add(0x20).wrapping_add(to));
        let flags = if is_plain { [0xF0, 0x0F, 0] } else { [0x80, 0x40, 0x20] };
        let set = [has_child, has_sibling, !comment.is_empty()];
        body.push(flags.iter().zip(set).map(|(flag, is_set)| if is_set { *flag } else { 0 }).sum());
        body.push(0);
        if is_plain || !comment.is_empty() {
            body.extend((comment.len() as u32 + length).to_le_bytes());
            body.extend(comment);
        }
    }
    file.extend(body.iter().zip(stream.iter().cycle()).map(|(byte, key)| byte.wrapping_add(*key)));
    file
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A CBR file.
pub(crate) fn cbr(record: &Record) -> Vec<u8> {
    const KINDS: &str = "rnbakcp";
    let mut file = vec![0; 2210];
    file[..16].copy_from_slice(b"CCBridge Record\0");
    for (at, name) in [
        (180, "Title"),
        (692, "Event"),
        (884, "Date"),
        (948, "Site"),
        (1012, "TimeControl"),
        (1076, "Red"),
        (1300, "Black"),
        (1652, "Annotator"),
    ] {
        let text = wide(record.tags.get(name).unwrap_or_default());
        file[at..at + text.len()].copy_from_slice(&text);
    }
    file[2076] = result_number(record);
    file[2112] = 1 + record.start().turn() as u8;
    let number = |square: Square| (9 - square.rank()) * 9 + square.file();
    for square in Square::all() {
        if let Some(piece) = record.start().piece_at(square) {
            let letter = piece.fen_letter().to_ascii_lowercase();
            let kind = KINDS.find(letter).unwrap() as u8 + 1;
            file[2120 + usize::from(number(square))] = (piece.colour as u8 + 1) << 4 | kind;
        }
    }
    file.extend([0xFF; 4]);
    for (node, has_child, has_sibling) in steps(&record.tree) {
        let comment = wide(record.tree.comment(node));
        let marks = [(!has_child, 1), (has_sibling, 2), (!comment.is_empty(), 4)];
        let points = record.tree.mv(node).map_or([0, 0], |mv| [number(mv.from()), number(mv.to())]);
        file.extend([marks.iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| mark).sum(), 0]);
        file.extend(points);
        if !comment.is_empty() {
            file.extend((comment.len() as u32).to_le_bytes());
            file.extend(comment);
        }
    }
    file
}

/// A CBL file.
pub(crate) fn cbl(name: &str, records: &[&[u8]]) -> Vec<u8> {
    let mut file = b"CCBridgeLibrary\0".to_vec();
    file.resize(64, 0);
    file.extend(wide(name));
    file.resize(2048, 0);
    for record in records {
        file.extend(*record);
        file.resize(file.len().next_multiple_of(4096), 0);
    }
    file
}

/// A CBF file of the main line.
pub(crate) fn cbf(record: &Record) -> String {
    let mut text =
        "\u{feff}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ChineseChessRecord Version=\"1.0\">\n<Head>\n"
            .to_owned();
    let tag = |name| record.tags.get(name).unwrap_or_default();
    for (name, value) in [("Name", tag("Title")), ("Contest", tag("Event")), ("Red", tag("Red")), ("URL", "")]
    {
        writeln!(text, "<{name}>{value}</{name}>").unwrap();
    }
    writeln!(text, "<RecordResult>{}</RecordResult>", result_number(record)).unwrap();
    writeln!(text, "<FEN>{}</FEN>\n</Head>\n<MoveList>", record.start().fen()).unwrap();
    let digits = |square: Square| format!("{}{}", square.file(), 9 - square.rank());
    writeln!(text, "<Move value=\"00-00\"><![CDATA[{}]]></Move>", record.tree.comment(NodeId::ROOT)).unwrap();
    for mv in record.main_line() {
        writeln!(text, "<Move value=\"{}-{}\" />", digits(mv.from()), digits(mv.to())).unwrap();
    }
    text + "</MoveList>\n</ChineseChessRecord>\n"
}

/// The start position with a move of a variation, for tests that need a small tree.
pub(crate) fn small() -> Record {
    let mut record = Record::new(Position::start());
    let mut cursor = record.tree.cursor();
    cursor.add("h2e2".parse().unwrap()).unwrap();
    cursor.back();
    cursor.add("c3c4".parse().unwrap()).unwrap();
    record
}
