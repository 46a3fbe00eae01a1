//! What is recorded of a game, and the test that it can have happened.

use rules::{Colour, Ending, Game, Material, Move, Outcome, Position, Reason, RuleSet, Rules};
use std::num::NonZeroU8;

pub use crate::record_error::RecordError;

/// One game: facts only, so that a new input or a new target needs no new data.
///
/// Any value of this type can be built; [`GameRecord::check`] says whether it is a game that can have been played.
/// The shard's writer and reader and the window ask it.
#[derive(Clone, PartialEq, Debug)]
pub struct GameRecord {
    /// The training run that the game belongs to.
    pub run: String,
    /// The game's number in its run.
    pub game: u64,
    /// The seed that all of the game's random choices come from.
    pub seed: u64,
    /// The net that played, as SHA-256 of its weights in hexadecimal.
    pub net: String,
    /// Who is to blame for repetitions.
    pub rule_set: RuleSet,
    /// The version of the input features that the net read.
    pub feature_version: u32,
    /// Where the game started.
    pub start: Position,
    /// Who won. A game broken off is a draw here; `reason` tells the two apart.
    pub outcome: Outcome,
    /// Why it ended.
    pub reason: EndReason,
    /// How it got going.
    pub started_by: StartedBy,
    /// The weight that material had, when this was played, in the value of games without a verdict; in [0, 1].
    pub scoring_weight: f32,
    /// From where on one side was held for lost, if it ever was.
    pub decided: Option<Decided>,
    /// What was played, at most 65,535 plies.
    pub plies: Vec<PlyRecord>,
}

/// A game that both sides' searches called decided. It was played to its end all the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decided {
    /// The first ply after the searches that said so; at least 1, and the game has it.
    pub ply: u16,
    /// Was the rest searched like the rest of any game, so as to see how often such searches err? Otherwise more
    /// cheaply.
    pub played_through: bool,
}

/// One move of a game and what the search for it found.
#[derive(Clone, PartialEq, Debug)]
pub struct PlyRecord {
    /// The move.
    pub mv: Move,
    /// Simulations of the search that chose it; 0 for a random or book move, and then nothing else is known.
    pub simulations: u16,
    /// Win − loss at the root, mover's view, × 32,767 ([`value_to_i16`]).
    pub root_value: i16,
    /// Probability of a draw at the root, × 255 ([`draw_to_u8`]).
    pub root_draw: u8,
    /// Kullback–Leibler divergence of the policy target from the prior, in nats.
    pub kl: f32,
    /// The policy target: after a full search one entry for each move that has a share, else empty.
    pub policy: Vec<PolicyEntry>,
}

/// One move's part in a policy target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PolicyEntry {
    /// The move.
    pub mv: Move,
    /// How often the search went there.
    pub visits: u16,
    /// Its share, in parts of [`FULL_TARGET`]; never 0. The shares of a ply add up to [`FULL_TARGET`].
    pub target: u16,
}

/// What the targets of one ply add up to.
pub const FULL_TARGET: u16 = u16::MAX;
/// Shares below this are dropped from a policy target.
pub const LEAST_TARGET: f32 = 1.0 / 1024.0;

impl PolicyEntry {
    /// A policy target in whole numbers: shares below [`LEAST_TARGET`] of the sum are dropped and the others scaled up
    /// to [`FULL_TARGET`], rounded by largest remainder so that the sum is kept.
    ///
    /// Takes (move, visits, share ≥ 0), keeps the order.
    ///
    /// # Panics
    /// If the shares add up to nothing.
    pub fn quantise(shares: impl IntoIterator<Item = (Move, u32, f32)>) -> Vec<Self> {
        let mut shares: Vec<_> = shares.into_iter().collect();
        let sum =
            |shares: &[(Move, u32, f32)]| shares.iter().map(|&(_, _, share)| f64::from(share)).sum::<f64>();
        let least = f64::from(LEAST_TARGET) * sum(&shares);
        shares.retain(|&(_, _, share)| share > 0.0 && f64::from(share) >= least);
        let kept = sum(&shares);
        assert!(kept > 0.0, "a policy target needs a share above 0");

        let exact = |share: f32| f64::from(share) / kept * f64::from(FULL_TARGET);
        let mut entries: Vec<Self> = shares
            .iter()
            .map(|&(mv, visits, share)| Self {
                mv,
                visits: u16::try_from(visits).unwrap_or(u16::MAX),
                target: exact(share).floor() as u16,
            })
            .collect();
        let missing = FULL_TARGET - entries.iter().map(|entry| entry.target).sum::<u16>();
        let mut by_remainder: Vec<usize> = (0..entries.len()).collect();
        by_remainder.sort_by(|&a, &b| exact(shares[b].2).fract().total_cmp(&exact(shares[a].2).fract()));
        for &index in by_remainder.iter().take(usize::from(missing)) {
            entries[index].target += 1;
        }
        entries
    }
}

/// Win − loss in [−1, 1] as records store it.
pub fn value_to_i16(value: f32) -> i16 {
    (value.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round() as i16
}

/// Win − loss in [−1, 1] from a record.
pub fn value_from_i16(value: i16) -> f32 {
    f32::from(value) / f32::from(i16::MAX)
}

/// A probability as records store it.
pub fn draw_to_u8(draw: f32) -> u8 {
    (draw.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// A probability from a record.
pub fn draw_from_u8(draw: u8) -> f32 {
    f32::from(draw) / 255.0
}

/// Why a recorded game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndReason {
    /// The rules say so.
    Rules(Reason),
    /// Self-play broke it off after its longest number of plies: no result, stored as a draw.
    PlyCap,
}

impl EndReason {
    /// All reasons.
    pub fn all() -> impl Iterator<Item = Self> {
        Reason::ALL.into_iter().map(Self::Rules).chain([Self::PlyCap])
    }

    /// The name in records and statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules(reason) => reason.name(),
            Self::PlyCap => "ply-cap",
        }
    }
}

/// How a game got going.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartedBy {
    /// The start position, searched from the first move on.
    StartPosition,
    /// The start position and some random plies.
    RandomPlies,
    /// Armies from which the same pieces were taken on both sides, with or without random plies.
    Thinned,
    /// A position from an earlier game of the run.
    Archive,
    /// The start position and an opening of masters' games.
    Classical,
}

impl StartedBy {
    /// All beginnings.
    pub const ALL: [Self; 5] =
        [Self::StartPosition, Self::RandomPlies, Self::Thinned, Self::Archive, Self::Classical];

    /// The name in records and statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StartPosition => "start-position",
            Self::RandomPlies => "random-plies",
            Self::Thinned => "thinned",
            Self::Archive => "archive",
            Self::Classical => "classical",
        }
    }
}

impl GameRecord {
    /// Can the game have been played as it is recorded? Replays it: every move and every move of a policy is legal,
    /// the policies add up, and the last position ends the game in the way that is recorded.
    ///
    /// Not checked: natural limit, folds and ply cap themselves, which the record doesn't name.
    pub fn check(&self) -> Result<(), RecordError> {
        self.replay(|_, _| ())?;
        Ok(())
    }

    /// The game, checked as by [`GameRecord::check`]; `visit` sees it before each ply.
    pub fn replay(&self, mut visit: impl FnMut(&Game, &PlyRecord)) -> Result<Game, RecordError> {
        if self.plies.len() > usize::from(u16::MAX) {
            return Err(RecordError::TooLong(self.plies.len()));
        }
        self.check_facts()?;
        let mut game = Game::new(self.start.clone(), self.rules(NonZeroU8::MAX));
        for (number, ply) in self.plies.iter().enumerate() {
            ply.check(number, game.position())?;
            visit(&game, ply);
            game.play(ply.mv).map_err(|source| RecordError::IllegalMove { ply: number, source })?;
        }
        self.check_ending(&game)?;
        Ok(game)
    }

    fn check_facts(&self) -> Result<(), RecordError> {
        if !(0.0..=1.0).contains(&self.scoring_weight) {
            return Err(RecordError::ScoringWeight(self.scoring_weight));
        }
        let Some(Decided { ply, .. }) = self.decided else { return Ok(()) };
        let plies = self.plies.len();
        let before = usize::from(ply).checked_sub(1).and_then(|before| self.plies.get(before));
        let searched = before.is_some_and(|before| before.simulations > 0);
        if searched && usize::from(ply) < plies { Ok(()) } else { Err(RecordError::Decided { ply, plies }) }
    }

    /// The side that the game was held to be won for when it was decided, if it was: the last search before says so.
    pub fn expected_winner(&self) -> Option<Colour> {
        let before = self.decided?.ply.checked_sub(1)?;
        let first = self.start.turn();
        let mover = if before % 2 == 0 { first } else { first.opponent() };
        match self.plies.get(usize::from(before))?.root_value {
            1.. => Some(mover),
            0 => None,
            ..0 => Some(mover.opponent()),
        }
    }

    /// The rules that the game is replayed under: never the end by a count, since neither the natural limit nor the
    /// number of folds is recorded, and the material that ended it, if that did.
    fn rules(&self, folds: NonZeroU8) -> Rules {
        let by_material = self.reason == EndReason::Rules(Reason::Material);
        let material = if by_material { Material::Extended } else { Material::Strict };
        Rules { folds, natural_limit_plies: None, material, ..Rules::of(self.rule_set) }
    }

    fn check_ending(&self, game: &Game) -> Result<(), RecordError> {
        let found = match self.reason {
            EndReason::Rules(reason) if reason.is_by_repetition() => self.repetition_ending(game),
            _ => game.ending(),
        };
        let fits = match self.reason {
            EndReason::PlyCap => found.is_none() && self.outcome == Outcome::Draw,
            EndReason::Rules(Reason::NaturalLimit) => {
                self.outcome == Outcome::Draw && found.is_none_or(|ending| ending.reason == Reason::Material)
            }
            EndReason::Rules(reason) => {
                found.is_some_and(|ending| ending.reason == reason && ending.outcome == self.outcome)
            }
        };
        if fits {
            return Ok(());
        }
        let ending = |outcome: Outcome, reason: EndReason| format!("{}, {}", outcome.name(), reason.name());
        Err(RecordError::Ending {
            recorded: ending(self.outcome, self.reason),
            plies: self.plies.len(),
            found: found
                .map_or("unfinished".to_owned(), |end| ending(end.outcome, EndReason::Rules(end.reason))),
        })
    }

    /// How the game ends if the rules judge the last position at just this occurrence, or refuse all that would make
    /// the next one.
    fn repetition_ending(&self, game: &Game) -> Option<Ending> {
        let now = u8::try_from(game.occurrences()).ok()?;
        let under = |folds| {
            let mut again = Game::new(self.start.clone(), self.rules(NonZeroU8::new(folds)?));
            self.plies.iter().for_each(|ply| again.play_unchecked(ply.mv));
            again.ending()
        };
        under(now).or_else(|| under(now.checked_add(1)?))
    }
}

impl PlyRecord {
    /// A move that nobody searched for.
    pub const fn unsearched(mv: Move) -> Self {
        Self { mv, simulations: 0, root_value: 0, root_draw: 0, kl: 0.0, policy: Vec::new() }
    }

    fn check(&self, ply: usize, position: &Position) -> Result<(), RecordError> {
        if self.simulations == 0 && *self != Self::unsearched(self.mv) {
            return Err(RecordError::NotSearched(ply));
        }
        if self.root_value == i16::MIN {
            return Err(RecordError::RootValue(ply));
        }
        if !self.kl.is_finite() {
            return Err(RecordError::Divergence { ply, kl: self.kl });
        }
        if self.policy.is_empty() { Ok(()) } else { self.check_policy(ply, position) }
    }

    fn check_policy(&self, ply: usize, position: &Position) -> Result<(), RecordError> {
        let sum = self.policy.iter().map(|entry| u32::from(entry.target)).sum();
        let least = self.policy.iter().map(|entry| entry.target).min().unwrap_or(0);
        if sum != u32::from(FULL_TARGET) || least == 0 {
            return Err(RecordError::TargetSum { ply, sum, least });
        }
        let legal = position.legal_moves();
        let mut seen = 0_u128;
        for &PolicyEntry { mv, .. } in &self.policy {
            let index = legal.iter().position(|&other| other == mv);
            let bit = 1 << index.ok_or(RecordError::IllegalTarget { ply, mv })?;
            if seen & bit != 0 {
                return Err(RecordError::DoubleTarget { ply, mv });
            }
            seen |= bit;
        }
        Ok(())
    }
}
