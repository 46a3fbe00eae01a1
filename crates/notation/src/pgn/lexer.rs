//! Cuts a text into games, and each game into tags, moves, comments, remarks and brackets. Knows the form of moves,
//! but nothing of positions.

use super::remark_number;
use crate::read::Pattern;
use crate::record::{Stated, parse_result};

/// One game as it stands in the text.
#[derive(Debug)]
pub(super) struct RawGame {
    pub(super) line: usize,
    pub(super) tags: Vec<Tag>,
    pub(super) items: Vec<(Item, usize)>,
    has_moves: bool,
    /// How many variations are open where the text ends.
    depth: usize,
    /// The result after the moves, if there is one.
    pub(super) result: Option<Stated>,
    /// Text that is no part of the game, or its beginning, and where.
    pub(super) lost: Option<(String, usize)>,
    /// What has no end, and where it begins.
    pub(super) unclosed: Option<(&'static str, usize)>,
}

#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) line: usize,
}

/// A piece of move text.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Item {
    Move(String),
    Comment(String),
    Remark(u8),
    Open,
    Close,
}

/// Separators of words, besides white space.
const SEPARATORS: [char; 5] = [',', '，', '、', '。', '；'];
const OPENING: [char; 2] = ['(', '（'];
const CLOSING: [char; 2] = [')', '）'];
/// The first tags of a game.
const FIRST_TAGS: [&str; 2] = ["game", "event"];
/// What a comment escapes with a backslash.
const ESCAPED: [char; 3] = ['\\', '}', '['];
/// How much of lost text is kept, in characters.
const LOST_LENGTH: usize = 200;

/// Cuts the text.
pub(super) fn games(text: &str) -> Vec<RawGame> {
    let mut lexer = Lexer { rest: text, line: 1, games: Vec::new(), game: RawGame::new(1), is_over: false };
    while !lexer.rest.is_empty() {
        lexer.read_line();
    }
    lexer.finish();
    lexer.games
}

impl RawGame {
    const fn new(line: usize) -> Self {
        Self {
            line,
            tags: Vec::new(),
            items: Vec::new(),
            has_moves: false,
            depth: 0,
            result: None,
            lost: None,
            unclosed: None,
        }
    }

    fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.items.is_empty() && self.result.is_none() && self.unclosed.is_none()
    }

    fn lose(&mut self, text: &str, line: usize) {
        let text = text.trim();
        if text.is_empty() || is_ruler(text) {
            return;
        }
        let (lost, _) = self.lost.get_or_insert_with(|| (String::new(), line));
        let room = LOST_LENGTH.saturating_sub(lost.chars().count());
        if room > 0 && !lost.is_empty() {
            lost.push('\n');
        }
        lost.extend(text.chars().take(room));
    }
}

struct Lexer<'t> {
    rest: &'t str,
    line: usize,
    games: Vec<RawGame>,
    game: RawGame,
    /// Has the game's result been read?
    is_over: bool,
}

impl<'t> Lexer<'t> {
    /// Reads what begins on this line: to its end, or to the end of a comment that goes on.
    fn read_line(&mut self) {
        let line = self.peek_line();
        let trimmed = line.trim();
        if let Some(tags) = tags_of(trimmed) {
            for (name, value) in tags {
                self.push_tag(name, value);
            }
            self.skip_line();
        } else if trimmed.starts_with('[') && is_cut_tag(trimmed) {
            self.begin_if(!self.game.items.is_empty());
            self.game.unclosed.get_or_insert(("a tag", self.line));
            self.skip_line();
        } else if let Some(result) = self.result_line(trimmed) {
            self.end(result);
            self.skip_line();
        } else if self.is_no_move_text(trimmed) {
            self.game.lose(trimmed, self.line);
            self.skip_line();
        } else {
            self.read_move_text();
        }
    }

    /// A result of more than one word, such as "Red wins", in a line of its own.
    fn result_line(&self, line: &str) -> Option<Stated> {
        parse_result(line).filter(|_| line.contains(' ') && !self.is_over)
    }

    /// Footers, rulers, escaped lines and what stands before the first game.
    fn is_no_move_text(&mut self, line: &str) -> bool {
        if line.is_empty() {
            return false;
        }
        if self.is_over && starts_first_round(line) {
            self.begin_if(true);
            return false;
        }
        self.is_over |= self.game.has_moves && is_ruler(line);
        let is_comment = line.starts_with(['{', ';']);
        let is_before = self.game.is_empty() && !is_comment && !words(line).any(is_move);
        line.starts_with('%') || is_before || (self.is_over && !is_comment)
    }

    fn read_move_text(&mut self) {
        loop {
            let mut characters = self.rest.chars();
            let Some(first) = characters.next() else { return };
            match first {
                '\n' => {
                    self.skip_line();
                    return;
                }
                '{' => {
                    self.rest = characters.as_str();
                    if !self.read_comment() {
                        return;
                    }
                }
                ';' => {
                    let comment = self.peek_line()[1..].trim().to_owned();
                    self.push(Item::Comment(comment));
                    self.skip_line();
                    return;
                }
                _ if first.is_whitespace() || SEPARATORS.contains(&first) || first == '}' => {
                    if first == '}' {
                        self.game.lose("}", self.line);
                    }
                    self.rest = characters.as_str();
                }
                _ if OPENING.contains(&first) || CLOSING.contains(&first) => {
                    self.push(if OPENING.contains(&first) { Item::Open } else { Item::Close });
                    self.rest = characters.as_str();
                }
                _ => {
                    let word = self.rest.split(ends_word).next().unwrap_or_default();
                    // A separator that begins a word was dealt with above, so the word isn't empty.
                    self.rest = &self.rest[word.len()..];
                    self.read_word(word);
                }
            }
            if self.is_over && !self.rest.trim_start_matches([' ', '\t']).starts_with(['{', '\n', '\r']) {
                self.game.lose(self.peek_line(), self.line);
                self.skip_line();
                return;
            }
        }
    }

    fn read_word(&mut self, word: &str) {
        let word = without_number(word).trim_start_matches(['.', '．', '…', '·']);
        if word.is_empty() || word == "--" || word.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        if let Some(number) = remark_number(word) {
            return self.push(Item::Remark(number));
        }
        match result_word(word) {
            Some(result) if self.game.depth == 0 => return self.end(result),
            // That of a variation is none of the game.
            Some(_) => return self.game.lose(word, self.line),
            None => {}
        }
        let moved = word.trim_end_matches(['!', '?', '！', '？']);
        let sign = word[moved.len()..].replace('！', "!").replace('？', "?");
        if moved.is_empty() {
            return self.game.lose(word, self.line);
        }
        for mv in split_glued(moved) {
            self.push(Item::Move(mv));
        }
        if let Some(number) = remark_number(&sign) {
            self.push(Item::Remark(number));
        }
    }

    /// Reads up to the closing brace. False if there is none: a comment that runs into the next game has no end.
    fn read_comment(&mut self) -> bool {
        let begin = self.line;
        let mut comment = String::new();
        let mut characters = self.rest.chars();
        while let Some(character) = characters.next() {
            match character {
                '}' => {
                    self.rest = characters.as_str();
                    self.push_at(Item::Comment(comment), begin);
                    return true;
                }
                '\\' if characters.as_str().starts_with(ESCAPED) => comment.extend(characters.next()),
                '\n' => {
                    self.line += 1;
                    comment.push('\n');
                    let line = characters.as_str().split('\n').next().unwrap_or_default().trim();
                    if line.starts_with('[') && tags_of(line).is_some_and(|tags| is_first(tags[0].0)) {
                        break;
                    }
                }
                _ => comment.push(character),
            }
        }
        self.rest = characters.as_str();
        self.game.unclosed.get_or_insert(("a comment", begin));
        self.push_at(Item::Comment(comment), begin);
        false
    }

    fn push(&mut self, item: Item) {
        self.push_at(item, self.line);
    }

    fn push_at(&mut self, item: Item, line: usize) {
        if self.game.is_empty() {
            self.game.line = line;
        }
        match &item {
            Item::Move(_) => self.game.has_moves = true,
            Item::Open => self.game.depth += 1,
            Item::Close => self.game.depth = self.game.depth.saturating_sub(1),
            Item::Comment(_) | Item::Remark(_) => {}
        }
        self.game.items.push((item, line));
    }

    fn push_tag(&mut self, name: &str, value: String) {
        let is_repeated =
            is_first(name) && self.game.tags.iter().any(|tag| tag.name.eq_ignore_ascii_case(name));
        self.begin_if(self.is_over || self.game.has_moves || is_repeated);
        if self.game.is_empty() {
            self.game.line = self.line;
        }
        self.game.tags.push(Tag { name: name.to_owned(), value, line: self.line });
    }

    fn end(&mut self, result: Stated) {
        self.game.result.get_or_insert(result);
        self.is_over = true;
    }

    /// Begins another game.
    fn begin_if(&mut self, is_time: bool) {
        if is_time {
            let game = std::mem::replace(&mut self.game, RawGame::new(self.line));
            self.games.push(game);
            self.is_over = false;
        }
    }

    fn finish(&mut self) {
        self.begin_if(true);
        self.games.retain(|game| !game.is_empty());
    }

    fn peek_line(&self) -> &'t str {
        self.rest.split('\n').next().unwrap_or_default()
    }

    fn skip_line(&mut self) {
        let length = self.peek_line().len();
        self.rest = self.rest.get(length + 1..).unwrap_or_default();
        self.line += 1;
    }
}

fn is_first(tag_name: &str) -> bool {
    FIRST_TAGS.iter().any(|first| tag_name.eq_ignore_ascii_case(first))
}

/// The tags of a line, if it consists of tags: names and values.
fn tags_of(line: &str) -> Option<Vec<(&str, String)>> {
    let mut tags = Vec::new();
    let mut rest = line;
    while let Some(tag) = rest.strip_prefix('[') {
        let tag = tag.trim_start();
        let name =
            tag.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())?;
        let value = tag[name.len()..].trim_start();
        let (value, after) = match value.strip_prefix(['"', '“', '”']) {
            Some(quoted) => quoted_value(quoted)?,
            // Without quotes; "[" in a comment or clock is none, since a space must follow the name.
            None if name.is_ascii() && tag[name.len()..].starts_with([' ', '\t']) => {
                let (value, after) = value.split_once(']')?;
                (value.trim().to_owned(), after)
            }
            None => return None,
        };
        tags.push((name, value));
        rest = after.trim_start();
    }
    (!tags.is_empty() && rest.is_empty()).then_some(tags)
}

/// A value up to the quote before a closing bracket; quotes within it may be escaped or not.
fn quoted_value(quoted: &str) -> Option<(String, &str)> {
    let is_end = |after: &str| after.trim_start().starts_with(']');
    let mut value = String::new();
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.as_str().starts_with(['\\', '"']) => value.extend(characters.next()),
            '"' | '”' if is_end(characters.as_str()) => {
                let after = characters.as_str().trim_start();
                return Some((value, &after[1..]));
            }
            _ => value.push(character),
        }
    }
    // A backslash that was not meant to escape, as in "C:\".
    let (value, after) = quoted.rsplit_once("\"]")?;
    Some((value.to_owned(), after))
}

/// Is the line the beginning of a tag?
fn is_cut_tag(line: &str) -> bool {
    let name = line[1..].split(' ').next().unwrap_or_default();
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()) && line.contains(" \"")
}

/// Signs that divide a page: `======`.
fn is_ruler(line: &str) -> bool {
    let mut characters = line.chars();
    let first = characters.next();
    line.chars().count() >= 4
        && first.is_some_and(|c| "=-*_#~+－＝—".contains(c))
        && line.chars().all(|c| Some(c) == first)
}

fn ends_word(c: char) -> bool {
    c.is_whitespace()
        || SEPARATORS.contains(&c)
        || OPENING.contains(&c)
        || CLOSING.contains(&c)
        || "{};".contains(c)
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(ends_word).map(without_number).filter(|word| !word.is_empty())
}

fn is_move(word: &str) -> bool {
    split_glued(word).iter().all(|word| Pattern::read(word).is_some())
}

/// Does the line begin with "1." and a move?
fn starts_first_round(line: &str) -> bool {
    let number = line.trim_start_matches(['1', '１']);
    line.starts_with(['1', '１'])
        && number.starts_with(['.', '．', '、'])
        && words(line).next().is_some_and(is_move)
}

/// Results that may stand among the moves, in one word.
fn result_word(word: &str) -> Option<Stated> {
    parse_result(word).filter(|_| word.starts_with(['*', '1', '0', '½']) || !word.is_ascii())
}

/// The word without the number of a round before it. The dot of `16.5`, a pawn's move, is none of a number.
fn without_number(word: &str) -> &str {
    let is_digit = |c: char| c.is_ascii_digit() || ('０'..='９').contains(&c);
    let after = word.trim_start_matches(is_digit);
    if after.len() == word.len() {
        return word;
    }
    let dotted = after.trim_start_matches(['.', '．', '…']);
    let rest = dotted.chars().count();
    let is_number = if dotted.len() < after.len() {
        rest == 0 || rest >= 3
    } else {
        // "1炮二平五" has none, but "1-0" and "1卒平5" are no numbers.
        rest >= 4 && !dotted.starts_with(|c: char| c.is_ascii() && !c.is_ascii_alphabetic())
    };
    if is_number { dotted } else { word }
}

/// Moves in Chinese that were written without a space between them.
fn split_glued(word: &str) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    let is_glued = characters.len() > 4 && characters.len().is_multiple_of(4) && !word.is_ascii();
    if is_glued && Pattern::read(word).is_none() {
        let parts: Vec<String> = characters.chunks(4).map(|part| part.iter().collect()).collect();
        if parts.iter().all(|part| Pattern::read(part).is_some()) {
            return parts;
        }
    }
    vec![word.to_owned()]
}
