//! A position with its history, and how a game ends.

use crate::moves::Move;
use crate::piece::Colour;
use crate::position::{Position, Undo};
use crate::rule_set::{Loop, Rules, Verdict};

/// One move of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    undo: Undo,
}

impl Ply {
    /// The move.
    pub const fn mv(&self) -> Move {
        self.undo.mv()
    }

    /// The move and what it captured.
    pub const fn undo(&self) -> Undo {
        self.undo
    }
}

/// Who has won.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// This side.
    Win(Colour),
    /// Nobody.
    Draw,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Self; 3] = [Self::Win(Colour::Red), Self::Draw, Self::Win(Colour::Black)];

    /// The name in records and statistics: the winner's colour, or `draw`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Win(winner) => winner.name(),
            Self::Draw => "draw",
        }
    }
}

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// 將死: in check without a legal move, which loses.
    Checkmate,
    /// 困斃: no legal move though not in check, which loses too.
    Stalemate,
    /// One side gave check on every ply of a repetition, and loses.
    RepetitionCheck,
    /// A repetition for which nobody is to blame: a draw.
    RepetitionDraw,
    /// 自然限著: too many plies without a capture, a draw.
    NaturalLimit,
    /// Nothing that can cross the river is left: a draw.
    Material,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 6] = [
        Self::Checkmate,
        Self::Stalemate,
        Self::RepetitionCheck,
        Self::RepetitionDraw,
        Self::NaturalLimit,
        Self::Material,
    ];

    /// The name in records and statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::RepetitionCheck => "repetition-check",
            Self::RepetitionDraw => "repetition-draw",
            Self::NaturalLimit => "move-limit",
            Self::Material => "material",
        }
    }
}

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// Who has won.
    pub outcome: Outcome,
    /// Why.
    pub reason: Reason,
}

/// A move that is not legal; the game is as it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{mv} is not legal in {fen}")]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
    /// The position that refused it.
    pub fen: String,
}

/// A position and the moves that led to it, under a set of rules.
///
/// ```
/// use rules::{Colour, Game, Outcome, Reason, Rules};
///
/// // A rook checks on and on, and the general steps to and fro.
/// let mut game = Game::new("3k5/R8/9/9/9/9/9/9/9/4K4 w".parse()?, Rules::default());
/// for mv in ["a8a9", "d9d8", "a9a8", "d8d9"].repeat(2) {
///     assert_eq!(game.ending(), None);
///     game.play(mv.parse()?)?;
/// }
/// let ending = game.ending().expect("the third occurrence");
/// assert_eq!((ending.outcome, ending.reason), (Outcome::Win(Colour::Black), Reason::RepetitionCheck));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    start: Position,
    position: Position,
    rules: Rules,
    plies: Vec<Ply>,
}

impl Game {
    /// A game that starts here. What came before is unknown, but for the position's count of quiet plies.
    pub fn new(start: Position, rules: Rules) -> Self {
        Self { position: start.clone(), start, rules, plies: Vec::new() }
    }

    /// Where it started.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// Where it stands.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The rules it is played by.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What has been played.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Plays a move, if it is legal. Whether the game was over is not asked: see [`Game::ending`].
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.position.is_legal(mv) {
            return Err(IllegalMove { mv, fen: self.position.fen() });
        }
        self.play_unchecked(mv);
        Ok(())
    }

    /// Plays a move that the caller took from the list of legal moves.
    #[inline]
    pub fn play_unchecked(&mut self, mv: Move) {
        let undo = self.position.play_unchecked(mv);
        self.plies.push(Ply { undo });
    }

    /// Takes the last move back and returns it; `None` at the start.
    #[inline]
    pub fn undo(&mut self) -> Option<Move> {
        let ply = self.plies.pop()?;
        self.position.undo(ply.undo);
        Some(ply.mv())
    }

    /// How often the position has occurred, this time included. A capture makes a return impossible, so the look
    /// back ends there.
    ///
    /// Compares keys; [`Game::repetition`], which decides games, compares positions as well.
    #[inline]
    pub fn occurrences(&self) -> u32 {
        1 + self.earlier_occurrences().count() as u32
    }

    /// The numbers of plies played when the position stood on the board before, latest first.
    #[inline]
    fn earlier_occurrences(&self) -> impl Iterator<Item = usize> {
        let (now, key) = (self.plies.len(), self.position.key());
        let reversible = now.min(self.position.quiet_plies().into());
        (4..=reversible)
            .step_by(2)
            .map(move |back| now - back)
            .filter(move |&ply| self.plies[ply].undo.key() == key)
    }

    /// The verdict on the repetition, if the position has now occurred as often as the rules ask.
    pub fn repetition(&self) -> Option<Verdict> {
        let earlier = usize::from(self.rules.folds.get()) - 1;
        // Keys say cheaply when to look closer.
        self.earlier_occurrences().nth(earlier.checked_sub(1)?)?;
        self.loop_since(earlier).map(|repeated| self.rules.rule_set.judge(&repeated))
    }

    /// The loop from the time when the position stood on the board this many times before, counted by comparing
    /// positions, since different ones may have equal keys.
    fn loop_since(&self, mut earlier: usize) -> Option<Loop<'_>> {
        let mut start = self.position.clone();
        for (first, ply) in self.plies.iter().enumerate().rev() {
            start.undo(ply.undo);
            if start == self.position {
                earlier -= 1;
                if earlier == 0 {
                    return Some(Loop { start, plies: &self.plies[first..] });
                }
            }
        }
        None
    }

    /// How the game ended, if it is over.
    pub fn ending(&self) -> Option<Ending> {
        self.ending_given(self.position.has_legal_move())
    }

    /// The same for a caller who knows already whether there is a legal move.
    ///
    /// The order decides when two ends meet (RULES 1.2): mate and stalemate, repetition, natural limit, material.
    #[inline]
    pub fn ending_given(&self, has_legal_move: bool) -> Option<Ending> {
        if !has_legal_move {
            let outcome = Outcome::Win(self.position.turn().opponent());
            let reason = if self.position.in_check() { Reason::Checkmate } else { Reason::Stalemate };
            return Some(Ending { outcome, reason });
        }
        if let Some(verdict) = self.repetition() {
            return Some(Ending { outcome: verdict.outcome, reason: verdict.reason });
        }
        if self.rules.natural_limit_plies.is_some_and(|limit| limit.get() <= self.position.quiet_plies()) {
            return Some(Ending { outcome: Outcome::Draw, reason: Reason::NaturalLimit });
        }
        self.position.is_barren().then_some(Ending { outcome: Outcome::Draw, reason: Reason::Material })
    }
}

impl Position {
    /// Is neither side left with a piece that can cross the river? Then nobody can ever give check (RULES 1.4).
    pub fn is_barren(&self) -> bool {
        use crate::piece::Kind;
        [Kind::Rook, Kind::Horse, Kind::Cannon, Kind::Pawn].iter().all(|&kind| self.of_kind(kind).is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shuffled(rounds: usize) -> Game {
        let start = "r3k4/9/9/9/9/9/9/9/9/R4K3 w".parse().unwrap();
        let mut game = Game::new(start, Rules::default());
        for mv in ["a0a1", "a9a8", "a1a0", "a8a9"].repeat(rounds) {
            game.play(mv.parse().unwrap()).unwrap();
        }
        game
    }

    #[test]
    fn equal_keys_of_different_positions_are_no_repetition() {
        let mut game = shuffled(1);
        for mv in ["a0b0", "a9b9", "b0c0", "b9c9"] {
            game.play(mv.parse().unwrap()).unwrap();
        }
        assert_eq!((game.occurrences(), game.repetition()), (1, None));
        let key = game.position.key();
        for ply in [0, 2] {
            game.plies[ply].undo = game.plies[ply].undo.with_key(key);
        }
        assert_eq!((game.occurrences(), game.repetition()), (3, None));
    }

    #[test]
    fn an_equal_key_of_another_position_hides_no_repetition() {
        let mut game = shuffled(2);
        let verdict = game.repetition();
        assert!(verdict.is_some());
        let key = game.position.key();
        game.plies[2].undo = game.plies[2].undo.with_key(key);
        assert_eq!(game.repetition(), verdict);
    }
}
