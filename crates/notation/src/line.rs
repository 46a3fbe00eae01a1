//! Reading a list of moves, whose coordinates are counted one way throughout.

use crate::read::{MoveTextError, Pattern, read_move};
use crate::style::Ranks;
use rules::{Move, Position};

/// How a list of moves counts ranks, and how that is known.
///
/// `h3e3` is a move in both countings, often a legal one, so this is decided for a whole list and never for a move:
/// a misread move would hardly ever be noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settled {
    /// How ranks are counted.
    pub ranks: Ranks,
    /// How that is known.
    pub proof: Proof,
}

/// What shows how a list counts ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// No move names a rank.
    NoRanks,
    /// A rank is 0, so they start there.
    Zero,
    /// A rank is 10, so they start from 1.
    Ten,
    /// All moves are legal in this counting and not in the other, or more of them from the start.
    Legality,
    /// Both countings give legal moves throughout; 0 to 9 is what ICCS prescribes and nearly all files have.
    Convention,
}

impl Settled {
    /// Decides how a list of moves that starts at `start` counts ranks. If a 0 and a 10 both occur, the first one
    /// counts, and reading will refuse the other.
    ///
    /// ```
    /// use notation::{Proof, Ranks, Settled};
    /// use rules::Position;
    ///
    /// let settled = Settled::of(&Position::start(), &["h3e3", "h8e8"]);
    /// assert_eq!(settled, Settled { ranks: Ranks::OneBased, proof: Proof::Legality });
    /// ```
    pub fn of(start: &Position, texts: &[impl AsRef<str>]) -> Self {
        let patterns = texts.iter().filter_map(|text| Pattern::read(text.as_ref()));
        let mut ranks = patterns.flat_map(|pattern| pattern.ranks().collect::<Vec<_>>()).peekable();
        if ranks.peek().is_none() {
            return Self { ranks: Ranks::ZeroBased, proof: Proof::NoRanks };
        }
        match ranks.find(|rank| matches!(rank, 0 | 10)) {
            Some(0) => return Self { ranks: Ranks::ZeroBased, proof: Proof::Zero },
            Some(_) => return Self { ranks: Ranks::OneBased, proof: Proof::Ten },
            None => {}
        }
        let readable = |ranks| match read_with(start, texts, ranks) {
            Ok(moves) => moves.len(),
            Err(error) => error.index,
        };
        let (zero_based, one_based) = (readable(Ranks::ZeroBased), readable(Ranks::OneBased));
        if zero_based == one_based {
            return Self { ranks: Ranks::ZeroBased, proof: Proof::Convention };
        }
        let ranks = if zero_based > one_based { Ranks::ZeroBased } else { Ranks::OneBased };
        Self { ranks, proof: Proof::Legality }
    }
}

/// Which move of a list can't be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("move {}: {cause}", index + 1)]
pub struct MoveListError {
    /// Its place in the list, from 0.
    pub index: usize,
    /// How the list's ranks were counted.
    pub ranks: Ranks,
    /// What is wrong with it.
    #[source]
    pub cause: MoveTextError,
}

/// Reads moves, one after the other from `start`, each in any [`Style`](crate::Style) (see [`read_move`]); how
/// coordinates count ranks is [settled](Settled::of) for the whole list.
///
/// ```
/// use notation::read_moves;
/// use rules::Position;
///
/// let moves = read_moves(&Position::start(), &["h3e3", "h10g8", "H2+3"])?;
/// assert_eq!(moves.iter().map(ToString::to_string).collect::<Vec<_>>(), ["h2e2", "h9g7", "h0g2"]);
/// let error = read_moves(&Position::start(), &["h2e2", "h9g8"]).unwrap_err();
/// assert!(error.to_string().starts_with("move 2: \"h9g8\" is no legal move in "));
/// # Ok::<(), notation::MoveListError>(())
/// ```
pub fn read_moves(start: &Position, texts: &[impl AsRef<str>]) -> Result<Vec<Move>, MoveListError> {
    read_with(start, texts, Settled::of(start, texts).ranks)
}

fn read_with(start: &Position, texts: &[impl AsRef<str>], ranks: Ranks) -> Result<Vec<Move>, MoveListError> {
    let mut position = start.clone();
    let read = |(index, text): (usize, &_)| {
        let text: &str = AsRef::as_ref(text);
        let mv = read_move(&position, text, ranks).map_err(|cause| MoveListError { index, ranks, cause })?;
        position.play_unchecked(mv);
        Ok(mv)
    };
    texts.iter().enumerate().map(read).collect()
}
