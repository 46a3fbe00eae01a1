//! A position with its history, and how a game ends.

use crate::attacks;
use crate::moves::{Move, MoveList};
use crate::parameters::Action;
use crate::piece::{ByColour, Colour};
use crate::position::{Position, Undo};
use crate::repetition::{Category, Explanation, Loop, Verdict};
use crate::rule_set::Rules;
use std::num::NonZeroU8;

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
    /// 長將: one side gave check on every ply of a repetition, and loses.
    RepetitionCheck,
    /// 長殺: one side threatened mate on every ply of a repetition, and loses.
    RepetitionKill,
    /// 長捉: one side chased on every ply of a repetition, and loses.
    RepetitionChase,
    /// 一將一殺, 一將一捉, 一殺一捉: one side did something forbidden on every ply of a repetition, and loses.
    RepetitionMixed,
    /// A repetition for which nobody is to blame: a draw.
    RepetitionDraw,
    /// 自然限著: too many plies without a capture, a draw.
    NaturalLimit,
    /// Nothing is left that can win: a draw.
    Material,
    /// All legal moves are refused as repetitions, which loses.
    NoPermittedMove,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 10] = [
        Self::Checkmate,
        Self::Stalemate,
        Self::RepetitionCheck,
        Self::RepetitionKill,
        Self::RepetitionChase,
        Self::RepetitionMixed,
        Self::RepetitionDraw,
        Self::NaturalLimit,
        Self::Material,
        Self::NoPermittedMove,
    ];

    /// Is it a verdict on a position that comes back, or on moves that would bring one back?
    pub const fn is_by_repetition(self) -> bool {
        matches!(
            self,
            Self::RepetitionCheck
                | Self::RepetitionKill
                | Self::RepetitionChase
                | Self::RepetitionMixed
                | Self::RepetitionDraw
                | Self::NoPermittedMove
        )
    }

    /// The name in records and statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::RepetitionCheck => "repetition-check",
            Self::RepetitionKill => "repetition-kill",
            Self::RepetitionChase => "repetition-chase",
            Self::RepetitionMixed => "repetition-mixed",
            Self::RepetitionDraw => "repetition-draw",
            Self::NaturalLimit => "move-limit",
            Self::Material => "material",
            Self::NoPermittedMove => "no-permitted-move",
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

/// A move that can't be played; the game is as it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{mv} is {} in {fen}", .refused.map_or("not legal", |_| "refused as a repetition"))]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
    /// The position that refused it.
    pub fen: String,
    /// It would be legal but for the repetition in which its side did this.
    pub refused: Option<Category>,
}

/// What is asked again and again about the position at the end of a game, so that it can be found out once
/// ([`Game::standing`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The position has occurred before.
    pub repeated: bool,
    /// The side to move is in check.
    pub in_check: bool,
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
#[derive(Debug)]
pub struct Game {
    start: Position,
    position: Position,
    rules: Rules,
    plies: Vec<Ply>,
}

impl Clone for Game {
    fn clone(&self) -> Self {
        let Self { start, position, rules, plies } = self;
        Self { start: start.clone(), position: position.clone(), rules: *rules, plies: plies.clone() }
    }

    /// Keeps the room for plies: a search clones the game into its own before each move.
    fn clone_from(&mut self, other: &Self) {
        let Self { start, position, rules, plies } = self;
        start.clone_from(&other.start);
        position.clone_from(&other.position);
        *rules = other.rules;
        plies.clone_from(&other.plies);
    }
}

impl Game {
    /// A game that starts here. What came before is unknown, but for the position's count of quiet plies.
    ///
    /// A diagram ([`Setup::check_diagram`](crate::Setup::check_diagram)) in which the side to move could capture the other's
    /// general is no start: [`Game::standing`] would overlook checks.
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

    /// Plays a move, if it is legal. Whether the game was over is not asked (see [`Game::ending`]), nor whether the
    /// move is refused as a repetition ([`Game::play_permitted`]): records of other games are played through too.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.position.is_legal(mv) {
            return Err(IllegalMove { mv, fen: self.position.fen(), refused: None });
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

    /// How the game stands.
    #[inline]
    pub fn standing(&self) -> Standing {
        Standing {
            repeated: self.earlier_occurrences().next().is_some(),
            in_check: self.may_be_in_check() && self.position.in_check(),
        }
    }

    /// Only a move that left or reached a point of the general's lines, or of the horses around it and their legs, can have
    /// given check: before it there was none, since no position of a game leaves a general to be captured. (A diagram may;
    /// it is no start of a game.)
    #[inline]
    fn may_be_in_check(&self) -> bool {
        let (Some(ply), Some(general)) = (self.plies.last(), self.position.general(self.position.turn()))
        else {
            return true;
        };
        let around = attacks::lines(general) | attacks::horse_circle(general) | attacks::legs(general);
        around.contains(ply.mv().from()) || around.contains(ply.mv().to())
    }

    /// As many as the times when the position stood on the board before, latest first.
    #[inline]
    fn earlier_occurrences(&self) -> impl Iterator<Item = ()> {
        let (now, key) = (self.plies.len(), self.position.key());
        let oldest = now - self.reversible_plies();
        // Four plies ago at the latest, then every other ply.
        let pairs = self.plies[oldest..now.saturating_sub(2).max(oldest)].rchunks_exact(2);
        pairs.filter(move |pair| pair[0].undo.key() == key).map(|_| ())
    }

    /// The verdict on the repetition that ends the game, if the position has now occurred as often as the rules ask.
    pub fn repetition(&self) -> Option<Verdict> {
        let parameters = self.rules.rule_set.parameters();
        let verdict = parameters.judge(&self.repeated()?);
        parameters.action.ends(verdict).then_some(verdict)
    }

    /// What led to the verdict: what each move of the repetition did. `None` unless the position has now occurred as
    /// often as the rules ask.
    pub fn explanation(&self) -> Option<Explanation> {
        Some(self.rules.rule_set.parameters().explain(&self.repeated()?))
    }

    /// Which sides must vary: going round once more as since the last occurrence of the position would lose for them,
    /// or be refused. Nobody unless the position has occurred before.
    pub fn bound_to_vary(&self) -> ByColour<bool> {
        let mut bound = ByColour::default();
        if self.earlier_occurrences().next().is_none() {
            return bound;
        }
        if let Some(repeated) = self.loop_since(1) {
            let parameters = self.rules.rule_set.parameters();
            let verdict = parameters.judge(&repeated);
            for side in Colour::ALL {
                bound[side] = match parameters.action {
                    Action::Loss => verdict.loser() == Some(side),
                    Action::Refusal => verdict.sides[side] != Category::Allowed,
                };
            }
        }
        bound
    }

    /// What the rules judge: the plies since the position stood on the board as many times ago as they ask, if it has
    /// occurred so often.
    pub fn repeated(&self) -> Option<Loop<'_>> {
        let earlier = usize::from(self.rules.folds.get()) - 1;
        // Keys say cheaply when to look closer.
        self.earlier_occurrences().nth(earlier.checked_sub(1)?)?;
        self.loop_since(earlier)
    }

    /// The loop from the time when the position stood on the board this many times before, counted by comparing
    /// positions, since different ones may have equal keys.
    fn loop_since(&self, mut earlier: usize) -> Option<Loop<'_>> {
        let reversible = self.reversible_plies();
        let mut start = self.position.clone();
        for (first, ply) in self.plies.iter().enumerate().rev().take(reversible) {
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

    /// The legal moves that are refused as repetitions, and as what. Empty but under rules that refuse
    /// ([`Action::Refusal`]): there a move is refused if it would make a position occur as often as the rules ask, and
    /// its side has given check, or chased one and the same piece, by every move since.
    pub fn refusals(&self) -> Vec<(Move, Category)> {
        let parameters = self.rules.rule_set.parameters();
        // A position recurs after 4 plies at the soonest.
        let shortest = 4 * (usize::from(self.rules.folds.get()) - 1);
        if parameters.action != Action::Refusal || self.reversible_plies() + 1 < shortest.max(1) {
            return Vec::new();
        }
        let mut game = self.clone();
        let mut refusal = |mv: Move| {
            game.play_unchecked(mv);
            let mover = game.position.turn().opponent();
            let refused = game.repeated().and_then(|repeated| parameters.refuses(&repeated, mover));
            game.undo();
            Some((mv, refused?))
        };
        self.position.legal_moves().iter().filter_map(|&mv| refusal(mv)).collect()
    }

    /// The plies since the last capture that are known.
    fn reversible_plies(&self) -> usize {
        self.plies.len().min(self.position.quiet_plies().into())
    }

    /// Writes the legal moves that are not refused to `moves`, replacing what was there. Under most rules these are all
    /// legal moves.
    #[inline]
    pub fn permitted_moves_into(&self, moves: &mut MoveList) {
        self.position.legal_moves_into(moves);
        if self.rules.rule_set.parameters().action == Action::Refusal {
            let refused = self.refusals();
            if !refused.is_empty() {
                moves.retain(|mv| refused.iter().all(|&(other, _)| other != mv));
            }
        }
    }

    /// Plays a move, if it is legal and not refused.
    pub fn play_permitted(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let refusals = self.refusals();
        match refusals.iter().find(|&&(other, _)| other == mv) {
            Some(&(_, refused)) => Err(IllegalMove { mv, fen: self.position.fen(), refused: Some(refused) }),
            None => self.play(mv),
        }
    }

    /// The legal moves that are not refused.
    pub fn permitted_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.permitted_moves_into(&mut moves);
        moves
    }

    /// How the game ended, if it is over.
    pub fn ending(&self) -> Option<Ending> {
        self.ending_at(self.standing())
    }

    /// The same for a caller who knows already how the game stands.
    #[inline]
    pub fn ending_at(&self, standing: Standing) -> Option<Ending> {
        let has_permitted_move = match self.rules.rule_set.parameters().action {
            Action::Loss => self.position.has_legal_move_given(standing.in_check),
            Action::Refusal => !self.permitted_moves().is_empty(),
        };
        self.ending_given(standing, has_permitted_move)
    }

    /// The same for a caller who knows also whether there is a permitted move.
    ///
    /// The order decides when two ends meet (RULES 1.2): mate and stalemate, repetition, natural limit, material.
    #[inline]
    pub fn ending_given(&self, standing: Standing, has_permitted_move: bool) -> Option<Ending> {
        if !has_permitted_move {
            return Some(self.ending_without_moves());
        }
        if standing.repeated
            && let Some(verdict) = self.repetition()
        {
            return Some(Ending { outcome: verdict.outcome, reason: verdict.reason });
        }
        let drawn = |reason| Some(Ending { outcome: Outcome::Draw, reason });
        // What counts is never more than what has been played.
        let reached =
            |limit: u16| limit <= self.position.quiet_plies() && limit <= self.counted_quiet_plies();
        if self.rules.natural_limit_plies.is_some_and(|limit| reached(limit.get())) {
            return drawn(Reason::NaturalLimit);
        }
        if self.rules.material.is_drawn(&self.position) { drawn(Reason::Material) } else { None }
    }

    fn ending_without_moves(&self) -> Ending {
        let reason = if self.position.has_legal_move() {
            Reason::NoPermittedMove
        } else if self.position.in_check() {
            Reason::Checkmate
        } else {
            Reason::Stalemate
        };
        Ending { outcome: Outcome::Win(self.position.turn().opponent()), reason }
    }

    /// The plies since the last capture that count for the natural limit: all, or without the checks beyond the rules'
    /// cap and the replies to them. Plies before the start of the game all count.
    pub fn counted_quiet_plies(&self) -> u16 {
        match self.rules.check_cap {
            None => self.position.quiet_plies(),
            Some(cap) => self.position.quiet_plies() - self.void_plies(cap),
        }
    }

    /// The checks since the last capture beyond the cap of each side, and the replies to them.
    fn void_plies(&self, cap: NonZeroU8) -> u16 {
        let first = self.plies.len() - self.reversible_plies();
        let mut position = self.position.clone();
        for ply in self.plies[first..].iter().rev() {
            position.undo(ply.undo);
        }
        let mut checks = ByColour::<u16>::default();
        let mut void = 0;
        let mut answers_void_check = false;
        for ply in &self.plies[first..] {
            let mover = position.turn();
            position.play_unchecked(ply.mv());
            let gives_check = position.in_check();
            checks[mover] += u16::from(gives_check);
            let beyond = gives_check && u16::from(cap.get()) < checks[mover];
            void += u16::from(beyond || answers_void_check);
            answers_void_check = beyond;
        }
        void
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
