//! Makes records of raw games: start position, moves checked one by one, variations and comments in their places.

use super::lexer::{self, Item, RawGame, Tag};
use crate::fault::{Caution, MoveFault, Place, RecordFault, Refused, Warning};
use crate::fen::read_fen;
use crate::line::{Proof, Settled};
use crate::read::read_move;
use crate::record::{Record, Stated, Tags, is_held_elsewhere, parse_result};
use crate::style::{Ranks, Style};
use crate::tree::{Cursor, MAX_PLIES, NodeId};
use rules::Position;

/// What `Game` and `Variant` call our game, in small letters without spaces.
const XIANGQI: [&str; 9] = [
    "xiangqi",
    "chinesechess",
    "cchess",
    "chinese",
    "xiangqihouse",
    "象棋",
    "中国象棋",
    "中國象棋",
    "中國將棋",
];

/// Reads all games of a text.
pub(crate) fn read(text: &str) -> Vec<Result<Record, Refused>> {
    lexer::games(text).iter().map(read_game).collect()
}

fn read_game(game: &RawGame) -> Result<Record, Refused> {
    refuse_other_games(game)?;
    let mut record = read_start(game)?;
    read_tags(game, &mut record);
    if let Some((text, line)) = &game.lost {
        warn(&mut record.warnings, *line, Caution::TextLost(text.clone()));
    }
    if let Err((line, fault)) = read_moves(game, &mut record) {
        return Err(Refused::with(Place::Line(line), fault, record));
    }
    match game.unclosed {
        Some((what, line)) => Err(Refused::with(Place::Line(line), RecordFault::Unclosed(what), record)),
        None => Ok(record),
    }
}

fn warn(warnings: &mut Vec<Warning>, line: usize, caution: Caution) {
    warnings.push(Warning { place: Place::Line(line), caution });
}

fn tag<'g>(game: &'g RawGame, name: &str) -> Option<&'g Tag> {
    game.tags.iter().find(|tag| tag.name.eq_ignore_ascii_case(name))
}

/// Refuses what calls itself another game, and what calls itself nothing and begins like one of chess.
fn refuse_other_games(game: &RawGame) -> Result<(), Refused> {
    let names = ["Variant", "Game"].into_iter().filter_map(|name| tag(game, name));
    let mut names = names.filter(|tag| !tag.value.trim().is_empty()).peekable();
    if let Some(other) = names.clone().find(|tag| !is_xiangqi(&tag.value)) {
        let fault = RecordFault::OtherGame(other.value.clone());
        return Err(Refused::at(Place::Line(other.line), fault));
    }
    let is_named = names.peek().is_some() || tag(game, "FEN").is_some() || tag(game, "Format").is_some();
    let first = game.items.iter().find_map(|(item, line)| match item {
        Item::Move(text) => Some((text, *line)),
        _ => None,
    });
    match first {
        Some((text, line)) if !is_named && is_like_chess(text) => Err(Refused::at(
            Place::Line(line),
            RecordFault::OtherGame("chess, to judge by its first move".to_owned()),
        )),
        _ => Ok(()),
    }
}

fn is_xiangqi(name: &str) -> bool {
    let name: String = name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    XIANGQI.contains(&name.as_str())
}

/// A pawn's move without letter, as in `1. e4`.
fn is_like_chess(text: &str) -> bool {
    matches!(text.as_bytes(), [b'a'..=b'h', b'1'..=b'8'])
}

fn read_start(game: &RawGame) -> Result<Record, Refused> {
    let Some(fen) = tag(game, "FEN").filter(|tag| !tag.value.trim().is_empty()) else {
        return Ok(Record::new(Position::start()));
    };
    let (position, notes) = read_fen(&fen.value)
        .map_err(|error| Refused::at(Place::Line(fen.line), RecordFault::Start(error)))?;
    let mut record = Record::new(position);
    for note in notes {
        warn(&mut record.warnings, fen.line, Caution::Position(note));
    }
    Ok(record)
}

fn read_tags(game: &RawGame, record: &mut Record) {
    let Record { tags, warnings, .. } = record;
    for Tag { name, value, line } in &game.tags {
        if !is_held_elsewhere(name) {
            set(tags, name, value, *line, warnings);
        }
    }
    let mut stated = None;
    if let Some(tag) = tag(game, "Result") {
        stated = parse_result(&tag.value);
        if stated.is_none() {
            warn(warnings, tag.line, Caution::UnknownResult(tag.value.clone()));
        }
    }
    record.result = match (stated.and_then(Stated::outcome), game.result.and_then(Stated::outcome)) {
        (None, text) => text,
        (tag, None) => tag,
        (tag, text) => {
            if tag != text {
                let line = game.items.last().map_or(game.line, |(_, line)| *line);
                warn(warnings, line, Caution::ResultsDiffer { tag, text });
            }
            tag
        }
    };
}

fn set(tags: &mut Tags, name: &str, value: &str, line: usize, warnings: &mut Vec<Warning>) {
    match tags.get(name) {
        Some(known) if known == value => {}
        Some(known) if !known.is_empty() => {
            let (name, value) = (name.to_owned(), value.to_owned());
            warn(warnings, line, Caution::TagRepeated { name, value });
        }
        _ => {
            tags.set(name, value);
        }
    }
}

fn read_moves(game: &RawGame, record: &mut Record) -> Result<(), (usize, RecordFault)> {
    let ranks = settle_ranks(game, record);
    let Record { tree, warnings, .. } = record;
    let mut builder = Builder { cursor: tree.cursor(), warnings, ranks, open: Vec::new(), pending: None };
    for (item, line) in &game.items {
        builder.take(item, *line)?;
    }
    match builder.open.first() {
        Some(variation) => Err((variation.line, RecordFault::Unclosed("a variation"))),
        None => Ok(()),
    }
}

/// Decides by the main line how coordinates count ranks, and if that proves nothing by the format.
fn settle_ranks(game: &RawGame, record: &mut Record) -> Ranks {
    let mut depth = 0_usize;
    let mut texts = Vec::new();
    for (item, _) in &game.items {
        match item {
            Item::Open => depth += 1,
            Item::Close => depth = depth.saturating_sub(1),
            Item::Move(text) if depth == 0 && texts.len() < MAX_PLIES => texts.push(text.as_str()),
            Item::Move(_) | Item::Comment(_) | Item::Remark(_) => {}
        }
    }
    let Settled { ranks, proof } = Settled::of(record.start(), &texts);
    if proof != Proof::Convention {
        return ranks;
    }
    let format =
        tag(game, "Format").and_then(|tag| tag.value.trim().to_ascii_lowercase().parse::<Style>().ok());
    if format.is_none() {
        warn(&mut record.warnings, game.line, Caution::RanksUnproved);
    }
    format.map_or(ranks, Style::ranks)
}

struct Builder<'r> {
    cursor: Cursor<'r>,
    warnings: &'r mut Vec<Warning>,
    ranks: Ranks,
    /// The variations that have begun, outermost first.
    open: Vec<Variation>,
    /// Comments before a variation's first move, which belong to that move.
    pending: Option<String>,
}

struct Variation {
    line: usize,
    /// Where the line goes on of which this is a variation.
    back_to: NodeId,
    /// The warning that says why no more moves of this variation are taken.
    cut: Option<usize>,
}

impl Builder<'_> {
    fn take(&mut self, item: &Item, line: usize) -> Result<(), (usize, RecordFault)> {
        match item {
            Item::Move(text) => return self.take_move(text, line),
            Item::Comment(text) if self.cut().is_some() => self.lose_comment(text, line),
            Item::Comment(text) => match &mut self.pending {
                Some(pending) => {
                    pending.push('\n');
                    pending.push_str(text);
                }
                None => self.cursor.comment(text),
            },
            Item::Remark(number) if self.cut().is_none() => self.cursor.remark(*number),
            Item::Remark(_) => {}
            Item::Open => self.open(line),
            Item::Close => self.close(line),
        }
        Ok(())
    }

    /// The warning about the innermost variation, if that was cut.
    fn cut(&self) -> Option<usize> {
        self.open.last().and_then(|variation| variation.cut)
    }

    fn take_move(&mut self, text: &str, line: usize) -> Result<(), (usize, RecordFault)> {
        if let Some(cut) = self.cut() {
            if let Some(warning) = self.warnings.get_mut(cut) {
                warning.count_dropped();
            }
            return Ok(());
        }
        let mv = read_move(self.cursor.position(), text, self.ranks).map_err(MoveFault::from);
        match mv.and_then(|mv| self.cursor.add(mv).map_err(MoveFault::from)) {
            Ok(_) => {
                if let Some(comment) = self.pending.take() {
                    self.cursor.comment(&comment);
                }
                Ok(())
            }
            Err(cause) => {
                let ply = self.cursor.ply() + 1;
                let Some(variation) = self.open.last_mut() else {
                    return Err((line, RecordFault::Move { ply, cause }));
                };
                variation.cut = Some(self.warnings.len());
                warn(self.warnings, line, Caution::LineCut { ply, cause, dropped: 1 });
                if let Some(comment) = self.pending.take() {
                    self.lose_comment(&comment, line);
                }
                Ok(())
            }
        }
    }

    fn open(&mut self, line: usize) {
        let mut cut = self.cut();
        let back_to = self.cursor.node();
        if cut.is_none() {
            self.flush_comment();
            if !self.cursor.back() {
                cut = Some(self.warnings.len());
                warn(
                    self.warnings,
                    line,
                    Caution::VariationLost("there is no move that it replaces".to_owned()),
                );
            }
            self.pending = cut.is_none().then(String::new);
        }
        self.open.push(Variation { line, back_to, cut });
    }

    fn close(&mut self, line: usize) {
        match self.open.pop() {
            Some(variation) => {
                let comment = self.pending.take();
                self.cursor.go_to(variation.back_to);
                self.pending = comment;
                self.flush_comment();
            }
            None => warn(self.warnings, line, Caution::TextLost(")".to_owned())),
        }
    }

    /// A comment that waits for a move which doesn't come stays where it is.
    fn flush_comment(&mut self) {
        if let Some(comment) = self.pending.take() {
            self.cursor.comment(&comment);
        }
    }

    fn lose_comment(&mut self, text: &str, line: usize) {
        let text = text.trim();
        if !text.is_empty() {
            warn(self.warnings, line, Caution::CommentLost(text.to_owned()));
        }
    }
}
