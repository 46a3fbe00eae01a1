//! Openings that have a name.

use rules::{Move, Position};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A named line from the start position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The Chinese name, simplified: 屏风马.
    pub name_zh: &'static str,
    /// The English name: Screen Horses.
    pub name_en: &'static str,
    /// The moves that lead there, in one of their orders and not mirrored.
    pub moves: Vec<Move>,
    /// Another name, or what is typical; may be empty.
    pub note: &'static str,
}

/// Name, English name, moves and note of each opening: tab-separated, one a line, under a heading.
const TABLE: &str = include_str!("openings.tsv");

static OPENINGS: LazyLock<Vec<Opening>> = LazyLock::new(|| {
    let opening = |line: &'static str| {
        let mut columns = line.split('\t');
        let mut next = || columns.next().unwrap_or_default();
        let (name_zh, name_en, moves, note) = (next(), next(), next(), next());
        let moves = moves.split(' ').map(|mv| mv.parse().expect("a test reads every line")).collect();
        Opening { name_zh, name_en, moves, note }
    };
    TABLE.lines().skip(1).map(opening).collect()
});

/// The openings whose last position this is, mirrored or not, by the position's key.
static BY_KEY: LazyLock<HashMap<u64, Vec<(Position, &'static Opening)>>> = LazyLock::new(|| {
    let mut by_key: HashMap<u64, Vec<_>> = HashMap::new();
    for opening in Opening::all() {
        let position = opening.position();
        for position in [position.mirrored(), position] {
            by_key.entry(position.key()).or_default().push((position, opening));
        }
    }
    by_key
});

impl Opening {
    /// Every named opening.
    pub fn all() -> &'static [Self] {
        &OPENINGS
    }

    /// The position that the moves lead to.
    pub fn position(&self) -> Position {
        let mut position = Position::start();
        for &mv in &self.moves {
            position.play_unchecked(mv);
        }
        position
    }

    /// The most specific opening of a game: of those that it [reached](Self::reached), the longest; of equally long
    /// ones, the first reached.
    ///
    /// ```
    /// use notation::{Opening, read_moves};
    /// use rules::Position;
    ///
    /// // The Screen Horses, mirrored and in another order.
    /// let moves = read_moves(&Position::start(), &["炮八平五", "马2进3", "马八进七", "马8进7"])?;
    /// let opening = Opening::of(&Position::start(), &moves).unwrap();
    /// assert_eq!((opening.name_zh, opening.name_en), ("屏风马", "Screen Horses"));
    /// # Ok::<(), notation::MoveListError>(())
    /// ```
    pub fn of(start: &Position, moves: &[Move]) -> Option<&'static Self> {
        let longest = |best: &'static Self, next: &'static Self| {
            if next.moves.len() > best.moves.len() { next } else { best }
        };
        Self::reached(start, moves).into_iter().reduce(longest)
    }

    /// The openings whose position a game reached within the opening's number of plies, in any order of moves and
    /// with left and right exchanged or not; in the order of reaching them. Stops at a move that is not legal.
    pub fn reached(start: &Position, moves: &[Move]) -> Vec<&'static Self> {
        let longest = Self::all().iter().map(|opening| opening.moves.len()).max().unwrap_or_default();
        let mut reached: Vec<&'static Self> = Vec::new();
        let mut position = start.clone();
        for plies in 0..=longest {
            let here = BY_KEY.get(&position.key()).into_iter().flatten();
            let here = here.filter(|(last, opening)| plies <= opening.moves.len() && *last == position);
            for (_, opening) in here {
                if !reached.iter().any(|known| std::ptr::eq(*known, *opening)) {
                    reached.push(opening);
                }
            }
            match moves.get(plies) {
                Some(&mv) if position.is_legal(mv) => position.play_unchecked(mv),
                _ => break,
            };
        }
        reached
    }
}
