//! When a game ends by the count of plies, and who is to blame when a position comes back.

use crate::game::{Outcome, Ply, Reason};
use crate::piece::{ByColour, Colour};
use crate::position::Position;
use std::num::{NonZeroU8, NonZeroU16};

/// Everything that decides the end of a game besides mate and stalemate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Who is to blame for a repetition.
    pub rule_set: RuleSet,
    /// At which occurrence of a position the rule set judges; 3 in most sets.
    pub folds: NonZeroU8,
    /// The natural limit: a draw after this many plies without a capture. `None`: no limit.
    pub natural_limit_plies: Option<NonZeroU16>,
}

impl Default for Rules {
    /// Third occurrence, 120 plies (60 rounds; RULES 1.3).
    fn default() -> Self {
        const FOLDS: NonZeroU8 = NonZeroU8::new(3).expect("not zero");
        const LIMIT: NonZeroU16 = NonZeroU16::new(120).expect("not zero");
        Self { rule_set: RuleSet::Checks, folds: FOLDS, natural_limit_plies: Some(LIMIT) }
    }
}

/// A set of repetition rules (棋例).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleSet {
    /// One-sided perpetual check loses, every other repetition is a draw.
    Checks,
}

impl RuleSet {
    /// The sets that there are.
    pub const ALL: [Self; 1] = [Self::Checks];

    /// The name in configurations and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checks => "checks",
        }
    }

    /// The set with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }

    /// Who is to blame for this loop.
    pub fn judge(self, repeated: &Loop<'_>) -> Verdict {
        let sides = match self {
            Self::Checks => repeated.checking_sides(),
        };
        match (sides.red, sides.black) {
            (Category::PerpetualCheck, Category::Allowed) => Verdict::loss(Colour::Red, sides),
            (Category::Allowed, Category::PerpetualCheck) => Verdict::loss(Colour::Black, sides),
            _ => Verdict { outcome: Outcome::Draw, reason: Reason::RepetitionDraw, sides },
        }
    }
}

/// The plies from an earlier occurrence of a position to its return.
#[derive(Clone, Debug)]
pub struct Loop<'a> {
    /// The position that came back, as it was at the first of the occurrences.
    pub start: Position,
    /// What has been played since; none of it a capture.
    pub plies: &'a [Ply],
}

impl Loop<'_> {
    /// For each side: did every move of its give check?
    fn checking_sides(&self) -> ByColour<Category> {
        let mut sides = ByColour { red: Category::PerpetualCheck, black: Category::PerpetualCheck };
        let mut position = self.start.clone();
        for ply in self.plies {
            let mover = position.turn();
            position.play_unchecked(ply.mv());
            if !position.in_check() {
                sides[mover] = Category::Allowed;
            }
        }
        sides
    }
}

/// What a side did in every ply of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Category {
    /// Nothing that a rule forbids.
    Allowed,
    /// 長將: every move gave check.
    PerpetualCheck,
}

/// A repetition judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Who wins, if anyone.
    pub outcome: Outcome,
    /// Under which rule.
    pub reason: Reason,
    /// What each side did.
    pub sides: ByColour<Category>,
}

impl Verdict {
    const fn loss(offender: Colour, sides: ByColour<Category>) -> Self {
        Self { outcome: Outcome::Win(offender.opponent()), reason: Reason::RepetitionCheck, sides }
    }
}
