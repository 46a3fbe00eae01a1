//! Who is to blame when a position comes back: from what each move does to a category for each side, and from the
//! categories to a verdict.

use crate::game::{Outcome, Ply, Reason};
use crate::label::{Chase, Examined, Label, Roster};
use crate::moves::Move;
use crate::parameters::{Action, Mixtures, Parameters, Ranking};
use crate::piece::{ByColour, Colour};
use crate::position::Position;
use std::ops::Range;

/// The plies from an earlier occurrence of a position to its return.
#[derive(Clone, Debug)]
pub struct Loop<'a> {
    /// The position that came back, as it was at the first of the occurrences.
    pub start: Position,
    /// What has been played since; none of it a capture.
    pub plies: &'a [Ply],
}

/// What a side did in every ply of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Category {
    /// Nothing that a rule forbids.
    Allowed,
    /// 長捉: every move chased, but only because roots or counter-attacks fell away.
    IndirectChase,
    /// 長捉: every move chased.
    PerpetualChase,
    /// 長殺: every move threatened mate.
    PerpetualKill,
    /// Every move was forbidden, not all for the same reason: 一將一殺, 一將一捉, 一殺一捉.
    Mixed,
    /// 長將: every move gave check.
    PerpetualCheck,
}

impl Category {
    /// The name in explanations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::IndirectChase => "indirect perpetual chase",
            Self::PerpetualChase => "perpetual chase",
            Self::PerpetualKill => "perpetual kill",
            Self::Mixed => "mixed check, kill and chase",
            Self::PerpetualCheck => "perpetual check",
        }
    }

    const fn reason(self) -> Reason {
        match self {
            Self::Allowed => Reason::RepetitionDraw,
            Self::IndirectChase | Self::PerpetualChase => Reason::RepetitionChase,
            Self::PerpetualKill => Reason::RepetitionKill,
            Self::Mixed => Reason::RepetitionMixed,
            Self::PerpetualCheck => Reason::RepetitionCheck,
        }
    }
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

/// A repetition judged, with everything that led to the verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The verdict.
    pub verdict: Verdict,
    /// What each move did. Its ply is its number from the start of the loop.
    pub plies: Vec<(Move, Label)>,
    /// Where in the list the position stood on the board: 0, and the length of the list at the end.
    pub occurrences: Vec<usize>,
    /// One side was to blame over the whole, but not in every single loop, which makes it a draw.
    pub broken_off: bool,
}

impl Parameters {
    /// Who is to blame for this loop.
    pub fn judge(&self, repeated: &Loop<'_>) -> Verdict {
        Trial::new(self, repeated).verdict()
    }

    /// The same with what every move did.
    pub fn explain(&self, repeated: &Loop<'_>) -> Explanation {
        let mut trial = Trial::new(self, repeated);
        let whole = 0..trial.plies.len();
        let on_the_whole = trial.compare(whole.clone());
        let sides = trial.sides(whole);
        let pawns = trial.pawns_answer(sides);
        let verdict = trial.verdict();
        let plies = trial.plies.iter();
        Explanation {
            plies: plies.map(|ply| (ply.mv, ply.label(pawns == Some(ply.mover)))).collect(),
            occurrences: trial.occurrences.clone(),
            verdict,
            broken_off: on_the_whole.outcome != verdict.outcome,
        }
    }

    /// Would this loop be refused to the side? Only under [`Action::Refusal`].
    pub(crate) fn refuses(&self, repeated: &Loop<'_>, side: Colour) -> Option<Category> {
        let mut trial = Trial::new(self, repeated);
        let category = trial.category(0..trial.plies.len(), side, false);
        (category != Category::Allowed).then_some(category)
    }
}

/// The moves of a repetition while they are judged.
#[derive(Clone, Debug)]
struct Trial<'a> {
    parameters: &'a Parameters,
    plies: Vec<Examined<'a>>,
    /// Where between the plies the position stood on the board.
    occurrences: Vec<usize>,
}

impl<'a> Trial<'a> {
    fn new(parameters: &'a Parameters, repeated: &Loop<'_>) -> Self {
        let mut position = repeated.start.clone();
        let mut roster = Roster::new(&position);
        let mut trial =
            Self { parameters, plies: Vec::with_capacity(repeated.plies.len()), occurrences: vec![0] };
        for (number, ply) in repeated.plies.iter().enumerate() {
            roster.play(ply.mv());
            let before = position.clone();
            position.play_unchecked(ply.mv());
            trial.plies.push(Examined::new(parameters, before, ply.mv(), roster.clone()));
            if position == repeated.start {
                trial.occurrences.push(number + 1);
            }
        }
        trial
    }

    fn verdict(&mut self) -> Verdict {
        let whole = 0..self.plies.len();
        let verdict = self.compare(whole);
        let loses = matches!(verdict.outcome, Outcome::Win(_));
        if !loses || !self.parameters.every_loop || self.occurrences.len() <= 2 {
            return verdict;
        }
        let loops: Vec<_> = self.occurrences.windows(2).map(|ends| ends[0]..ends[1]).collect();
        if loops.into_iter().all(|one| self.compare(one).outcome == verdict.outcome) {
            return verdict;
        }
        Verdict { outcome: Outcome::Draw, reason: Reason::RepetitionDraw, ..verdict }
    }

    fn compare(&mut self, range: Range<usize>) -> Verdict {
        let mut sides = self.sides(range.clone());
        if let Some(side) = self.pawns_answer(sides) {
            sides[side] = self.category(range.clone(), side, true);
        }
        let ranks = ByColour {
            red: self.rank(&range, sides, Colour::Red),
            black: self.rank(&range, sides, Colour::Black),
        };
        let loser = match ranks.red.cmp(&ranks.black) {
            std::cmp::Ordering::Greater => Some(Colour::Red),
            std::cmp::Ordering::Less => Some(Colour::Black),
            std::cmp::Ordering::Equal => None,
        };
        match loser {
            Some(loser) => {
                Verdict { outcome: Outcome::Win(loser.opponent()), reason: sides[loser].reason(), sides }
            }
            None => Verdict { outcome: Outcome::Draw, reason: Reason::RepetitionDraw, sides },
        }
    }

    fn sides(&mut self, range: Range<usize>) -> ByColour<Category> {
        ByColour {
            red: self.category(range.clone(), Colour::Red, false),
            black: self.category(range, Colour::Black, false),
        }
    }

    /// The side whose pawns count, since the other alone offends, and not by checks.
    fn pawns_answer(&self, sides: ByColour<Category>) -> Option<Colour> {
        let offends = |side: Colour| sides[side] != Category::Allowed;
        Colour::ALL.into_iter().find(|&side| {
            let other = side.opponent();
            self.parameters.pawns_answer
                && !offends(side)
                && offends(other)
                && sides[other] != Category::PerpetualCheck
        })
    }

    /// What a side did in every one of its plies in this part.
    fn category(&mut self, range: Range<usize>, side: Colour, with_pawns: bool) -> Category {
        let excused = self.parameters.check_excuses_chases
            && self.plies[range.clone()].iter().any(|ply| ply.checkers() != 0);
        let parameters = self.parameters;
        let mut plies: Vec<_> = self.plies[range].iter_mut().filter(|ply| ply.mover == side).collect();
        let chase = |ply: &mut Examined<'_>| {
            let mut chase = ply.chase();
            if with_pawns {
                chase.victims |= ply.chase_by_pawns().victims;
            }
            chase
        };
        if plies.iter().all(|ply| ply.checkers() != 0) {
            return Category::PerpetualCheck;
        }
        if 0 < parameters.kill_checks && plies.iter_mut().all(|ply| ply.kills()) {
            return Category::PerpetualKill;
        }
        if !excused {
            let chased = if parameters.one_victim {
                one_victim(plies.iter_mut().map(|ply| chase(ply)))
            } else {
                plies.iter_mut().all(|ply| chase(ply).victims != 0).then_some(Category::PerpetualChase)
            };
            if let Some(category) = chased {
                return category;
            }
        }
        let mixed = |ply: &mut Examined<'_>| match parameters.mixtures {
            Mixtures::Allowed => false,
            Mixtures::CheckAndKill => ply.checkers() != 0 || ply.kills(),
            Mixtures::Any => ply.checkers() != 0 || chase(ply).victims != 0 || ply.kills(),
        };
        if plies.iter_mut().all(|ply| mixed(ply)) { Category::Mixed } else { Category::Allowed }
    }

    /// The higher the worse.
    fn rank(&mut self, range: &Range<usize>, sides: ByColour<Category>, side: Colour) -> u32 {
        let (own, other) = (sides[side], sides[side.opponent()]);
        match (self.parameters.ranking, own) {
            (_, Category::Allowed) => 0,
            (Ranking::Pieces, _) if other == Category::Allowed => 1,
            (Ranking::Pieces, _) => self.offenders(range.clone(), side, own).count_ones(),
            (_, Category::PerpetualCheck) => 3,
            (Ranking::CheckThenDirectChase, Category::IndirectChase) => 1,
            _ => 2,
        }
    }

    /// The pieces with which a side committed its offence.
    fn offenders(&mut self, range: Range<usize>, side: Colour, category: Category) -> u32 {
        let plies = self.plies[range].iter_mut().filter(|ply| ply.mover == side);
        plies.fold(0, |pieces, ply| {
            pieces
                | match category {
                    Category::Allowed => 0,
                    Category::PerpetualCheck => ply.checkers(),
                    Category::PerpetualChase | Category::IndirectChase => ply.chase().attackers,
                    Category::PerpetualKill | Category::Mixed => ply.moved(),
                }
        })
    }
}

/// Is there a piece that all of these moves chase?
fn one_victim(mut chases: impl Iterator<Item = Chase>) -> Option<Category> {
    let (mut victims, mut direct) = (u32::MAX, u32::MAX);
    let all = chases.all(|chase| {
        victims &= chase.victims;
        direct &= chase.direct;
        victims != 0
    });
    if !all || victims == u32::MAX {
        return None;
    }
    let direct = direct & victims != 0;
    Some(if direct { Category::PerpetualChase } else { Category::IndirectChase })
}

impl Verdict {
    /// The side that loses.
    pub const fn loser(&self) -> Option<Colour> {
        match self.outcome {
            Outcome::Win(winner) => Some(winner.opponent()),
            Outcome::Draw => None,
        }
    }
}

impl Action {
    /// Does the verdict end the game? A refused repetition never arises by the offender's move; if the other side
    /// makes it, the game goes on.
    pub(crate) fn ends(self, verdict: Verdict) -> bool {
        let offends = [verdict.sides.red, verdict.sides.black].iter().any(|&side| side != Category::Allowed);
        self == Self::Loss || !offends
    }
}
