//! `DhtmlXQ`, also called UBB: tags in square brackets as 東萍 (dpxq.com) shows games in web pages and forum posts.
//! Reading ([`reader`]), writing ([`writer`]) and the texts between tags ([`escape`]).

mod escape;
mod reader;
mod writer;

pub(crate) use reader::read;
pub use writer::write_dhtmlxq;

const OPEN: &str = "[dhtmlxq";

/// Names of tags for which PGN has another.
const NAMES: [(&str, &str); 10] = [
    ("title", "Title"),
    ("place", "Site"),
    ("timerule", "TimeControl"),
    ("redteam", "RedTeam"),
    ("blackteam", "BlackTeam"),
    ("redelo", "RedElo"),
    ("blackelo", "BlackElo"),
    ("open", "Opening"),
    ("remark", "Annotator"),
    ("ecco", "ECCO"),
];

/// A piece that is not on the board.
const NOWHERE: &str = "99";

/// Does the text have such tags?
pub(crate) fn is_in(text: &str) -> bool {
    text.as_bytes().windows(OPEN.len()).any(|window| window.eq_ignore_ascii_case(OPEN.as_bytes()))
}

/// Is it a tag with moves or for the board, no tag of a record?
fn is_content(name: &str) -> bool {
    matches!(name, "movelist" | "binit" | "fen" | "ver" | "init")
        || variation_of(name).is_some()
        || comment_of(name).is_some()
}

/// The numbers in `move_<parent>_<ply>_<own number>`.
fn variation_of(name: &str) -> Option<[usize; 3]> {
    let mut numbers = name.strip_prefix("move_")?.split('_').map(str::parse);
    match (numbers.next(), numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(parent)), Some(Ok(ply)), Some(Ok(own)), None) => Some([parent, ply, own]),
        _ => None,
    }
}

/// Line and ply in `comment<ply>` or `comment<line>_<ply>`.
fn comment_of(name: &str) -> Option<[usize; 2]> {
    let numbers = name.strip_prefix("comment")?;
    match numbers.split_once('_') {
        Some((line, ply)) => Some([line.parse().ok()?, ply.parse().ok()?]),
        None => Some([0, numbers.parse().ok()?]),
    }
}
