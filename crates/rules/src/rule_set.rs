//! When a game ends by the count of plies or material, and which rules judge a position that comes back.

use crate::parameters::Parameters;
use std::num::{NonZeroU8, NonZeroU16};

/// Everything that decides the end of a game besides mate and stalemate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Who is to blame for a repetition.
    pub rule_set: RuleSet,
    /// At which occurrence of a position the rule set judges; 3 in most sets, 1: never.
    pub folds: NonZeroU8,
    /// The natural limit: a draw after this many plies without a capture. `None`: no limit.
    pub natural_limit_plies: Option<NonZeroU16>,
    /// So many checks of each side since the last capture count for the natural limit; a further check doesn't count,
    /// nor does the reply to it. `None`: all count.
    pub check_cap: Option<NonZeroU8>,
    /// Which material is a draw.
    pub material: Material,
}

impl Default for Rules {
    /// The 1999 Chinese rules: third occurrence, 120 plies (60 rounds; RULES 1.3), all checks counted.
    fn default() -> Self {
        Self::of(RuleSet::Formal)
    }
}

impl Rules {
    /// A rule set with the occurrence at which it judges, 120 plies without a capture, and strict material.
    pub const fn of(rule_set: RuleSet) -> Self {
        const LIMIT: NonZeroU16 = NonZeroU16::new(120).expect("not zero");
        Self {
            rule_set,
            folds: rule_set.folds(),
            natural_limit_plies: Some(LIMIT),
            check_cap: None,
            material: Material::Strict,
        }
    }
}

/// A set of repetition rules (棋例). What each of them forbids stands in its [`Parameters`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleSet {
    /// The Chinese rules of 1999: perpetual check, kill, chase and their mixtures.
    Formal,
    /// The same, and what wins only after checks counts: a chase through two checks (1999 rules, 29.1), a kill by three
    /// (28.2). The rules know no bound; every further check costs a search.
    FormalThroughChecks,
    /// Online play: a third repetition of check or of a chase of one unrooted piece is refused; no repetition loses.
    Casual,
    /// 長打 as encyclopaedias tell it: the side that attacks with more pieces must vary.
    Wiki,
    /// The Asian (AXF, WXF) rules: perpetual check and the perpetual chase of one piece lose.
    Axf,
    /// The UCCI engine league: fourth occurrence, the moved piece alone chases.
    UcciLeague,
    /// The engine Pikafish.
    Pikafish,
    /// One-sided perpetual check loses, every other repetition is a draw.
    Checks,
}

impl RuleSet {
    /// The sets that there are, the default first.
    pub const ALL: [Self; 8] = [
        Self::Formal,
        Self::FormalThroughChecks,
        Self::Casual,
        Self::Wiki,
        Self::Axf,
        Self::UcciLeague,
        Self::Pikafish,
        Self::Checks,
    ];

    /// The name in configurations and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Formal => "formal",
            Self::FormalThroughChecks => "formal_through_checks",
            Self::Casual => "casual",
            Self::Wiki => "wiki",
            Self::Axf => "axf",
            Self::UcciLeague => "ucci_league",
            Self::Pikafish => "pikafish",
            Self::Checks => "checks",
        }
    }

    /// The set with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }

    /// The occurrence of a position at which the set judges unless told otherwise.
    pub const fn folds(self) -> NonZeroU8 {
        const THREE: NonZeroU8 = NonZeroU8::new(3).expect("not zero");
        const FOUR: NonZeroU8 = NonZeroU8::new(4).expect("not zero");
        match self {
            Self::UcciLeague => FOUR,
            _ => THREE,
        }
    }

    /// What it forbids.
    pub const fn parameters(self) -> &'static Parameters {
        match self {
            Self::Formal => &Parameters::FORMAL,
            Self::FormalThroughChecks => &Parameters::FORMAL_THROUGH_CHECKS,
            Self::Casual => &Parameters::CASUAL,
            Self::Wiki => &Parameters::WIKI,
            Self::Axf => &Parameters::AXF,
            Self::UcciLeague => &Parameters::UCCI_LEAGUE,
            Self::Pikafish => &Parameters::PIKAFISH,
            Self::Checks => &Parameters::CHECKS,
        }
    }
}

/// Which material is a draw at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Material {
    /// Nothing is left that can cross the river. Nobody can ever give check then.
    Strict,
    /// Also a cannon, or one on each side, without the guards that it needs for screens, as Pikafish has it. Some of
    /// these can't be won by force, though by a blunder.
    Extended,
}

impl Material {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Strict, Self::Extended];

    /// The name in configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Extended => "extended",
        }
    }

    /// The rule with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }
}
