//! The game that is thought about.

use crate::drive::coordinates;
use notation::{FenNote, Ranks, read_fen};
use rules::{FenError, Game, IllegalMove, Move, Position, Rules};

/// A game, and the moves that the engine may not play now.
#[derive(Clone, Debug)]
pub(super) struct Board {
    game: Game,
    banned: Vec<Move>,
}

/// Why a position isn't taken over; the one before stands.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum BoardError {
    /// Neither a FEN nor the start.
    #[error("position \"{0}\": want startpos or fen, and perhaps moves")]
    NoPosition(String),
    /// A FEN that can't be.
    #[error("fen \"{fen}\": {cause}")]
    Fen { fen: String, cause: FenError },
    /// A word that names no points of the board.
    #[error("move {number}: \"{text}\" is no move, want two points such as {example}")]
    Unreadable { number: usize, text: String, example: &'static str },
    /// A move that can't be played.
    #[error("move {number}: {cause}")]
    Illegal { number: usize, cause: IllegalMove },
}

impl Board {
    /// The start of a game.
    pub(super) fn new(rules: Rules) -> Self {
        Self { game: Game::new(Position::start(), rules), banned: Vec::new() }
    }

    /// The game so far.
    pub(super) const fn game(&self) -> &Game {
        &self.game
    }

    /// Moves that may not be played now.
    pub(super) fn banned(&self) -> &[Move] {
        &self.banned
    }

    /// Judges the same game by other rules.
    pub(super) fn set_rules(&mut self, rules: Rules) {
        let mut game = Game::new(self.game.start().clone(), rules);
        self.game.plies().iter().for_each(|ply| game.play_unchecked(ply.mv()));
        self.game = game;
    }

    /// Takes over `startpos …` or `fen F …` with its moves, all or nothing. What was passed over in the FEN is returned.
    ///
    /// Before F there may have been moves. If F is the position after the last capture, nothing is lost: no
    /// earlier position can come back.
    pub(super) fn set(&mut self, text: &str, ranks: Ranks) -> Result<Vec<FenNote>, BoardError> {
        let mut words = text.split_whitespace().peekable();
        let is_start = words.next_if(|word| word.eq_ignore_ascii_case("startpos")).is_some();
        if !is_start {
            // Without the word it must look like a board.
            let is_fen = words.next_if(|word| word.eq_ignore_ascii_case("fen")).is_some();
            if !is_fen && !words.peek().is_some_and(|word| word.contains('/')) {
                return Err(BoardError::NoPosition(text.to_owned()));
            }
        }
        let before_moves = std::iter::from_fn(|| words.next_if(|word| !word.eq_ignore_ascii_case("moves")));
        let before_moves = before_moves.collect::<Vec<_>>().join(" ");
        let (start, notes) = match is_start {
            true if before_moves.is_empty() => (Position::start(), Vec::new()),
            true => return Err(BoardError::NoPosition(text.to_owned())),
            false => read_fen(&before_moves)
                .map_err(|cause| BoardError::Fen { fen: before_moves.clone(), cause })?,
        };
        let mut game = Game::new(start, *self.game.rules());
        for (number, text) in (1..).zip(words.skip(1)) {
            let mv = read_move(text, ranks).ok_or_else(|| BoardError::Unreadable {
                number,
                text: text.to_owned(),
                example: example(ranks),
            })?;
            game.play(mv).map_err(|cause| BoardError::Illegal { number, cause })?;
        }
        self.game = game;
        self.banned.clear();
        Ok(notes)
    }

    /// Bans moves until the next position. The words that name no legal move are returned.
    pub(super) fn ban(&mut self, text: &str, ranks: Ranks) -> Vec<String> {
        let words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
        let (moves, unknown) = self.legal_moves(&words, ranks);
        self.banned.extend(moves);
        unknown
    }

    /// The legal moves among some words, and the words that name none.
    pub(super) fn legal_moves(&self, words: &[String], ranks: Ranks) -> (Vec<Move>, Vec<String>) {
        let mut moves = Vec::new();
        let mut unknown = Vec::new();
        for word in words {
            match read_move(word, ranks).filter(|&mv| self.game.position().is_legal(mv)) {
                Some(mv) if moves.contains(&mv) => {}
                Some(mv) => moves.push(mv),
                None => unknown.push(word.clone()),
            }
        }
        (moves, unknown)
    }
}

/// A move by its points; a letter for what a pawn becomes may follow and means nothing.
fn read_move(text: &str, ranks: Ranks) -> Option<Move> {
    coordinates::read_promoted(text, ranks)
}

const fn example(ranks: Ranks) -> &'static str {
    match ranks {
        Ranks::ZeroBased => "h2e2 (ranks 0 to 9)",
        Ranks::OneBased => "h3e3 (ranks 1 to 10)",
    }
}

#[cfg(test)]
mod tests;
