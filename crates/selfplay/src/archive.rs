//! Positions of earlier games to start games from: where searches erred, and where games tipped.
//!
//! Starting again from positions that were reached before shows a net more of the middle of games and gives it more
//! independent results for them (Go-Exploit, Trudeau and Bowling 2023). Which positions are worth it is chosen here:
//! those that surprised the search, as some forks of `KataGo` do, and those shortly before the decision, from which a
//! young net learns to win (the backward curriculum of Seer, from decided endgames to the opening).

use rand::{Rng, RngExt as _};
use replay::{GameRecord, PlyRecord, value_from_i16};
use rules::Position;
use std::collections::VecDeque;

/// Positions from the newest games of a run: at most one of each kind from each game.
///
/// What it holds is a function of those games alone, in whatever steps they came in.
#[derive(Clone, PartialEq, Debug)]
pub struct Archive {
    games: u64,
    surprising: Kept,
    decisive: Kept,
}

/// Positions and the numbers of the games that they are from, oldest first.
type Kept = VecDeque<(u64, Position)>;

/// Beyond this a root value calls the game decided, for one side or the other.
const DECIDED: f32 = 0.75;
/// Up to this it calls it balanced.
const BALANCED: f32 = 0.25;
/// So many plies lie between the two at most, or the game was lost bit by bit and no ply decided it.
const TIPPING_PLIES: usize = 12;
/// Plies over which a value is compared with those that follow, as the trainer's average looks ahead by default.
const LOOK_AHEAD_PLIES: usize = 8;

impl Archive {
    /// An empty archive of the newest `games` games.
    pub const fn new(games: u64) -> Self {
        Self { games, surprising: VecDeque::new(), decisive: VecDeque::new() }
    }

    /// Takes the positions of a game in, whose number must be above those before, and drops those of the games that
    /// are too old now. The game must be one that [`GameRecord::check`] accepts.
    pub fn push(&mut self, record: &GameRecord) {
        let too_old = |&(game, _): &(u64, Position)| game.saturating_add(self.games) <= record.game;
        for (kept, ply) in
            [(&mut self.surprising, surprising(&record.plies)), (&mut self.decisive, decisive(&record.plies))]
        {
            while kept.front().is_some_and(too_old) {
                kept.pop_front();
            }
            kept.extend(ply.map(|ply| (record.game, position_before(record, ply))));
        }
    }

    /// How many surprising and how many decisive positions there are.
    pub fn counts(&self) -> [usize; 2] {
        [self.surprising.len(), self.decisive.len()]
    }

    /// A position of either kind, each kind as likely while there are both; `None` if there is none.
    pub(crate) fn draw(&self, rng: &mut impl Rng) -> Option<&Position> {
        let mut kinds = [self.surprising.as_slices(), self.decisive.as_slices()];
        if rng.random() {
            kinds.reverse();
        }
        let length = |(front, back): &(&[_], &[_])| front.len() + back.len();
        let (front, back) = kinds.into_iter().find(|kind| length(kind) > 0)?;
        let number = rng.random_range(0..front.len() + back.len());
        front.get(number).or_else(|| back.get(number - front.len())).map(|(_, position)| position)
    }
}

/// The ply before which the search was surprised most: divergence of target from prior in nats, plus the distance of
/// the root value from the mean of those of the following plies. Only of plies that didn't call the game decided:
/// there the search has nothing more to find.
fn surprising(plies: &[PlyRecord]) -> Option<usize> {
    let open =
        (0..plies.len()).filter(|&ply| plies[ply].simulations > 0 && value(&plies[ply]).abs() < DECIDED);
    let surprise = |ply: usize| plies[ply].kl + error_of_value(&plies[ply..]);
    // Of equal ones the first.
    open.rev().max_by(|&a, &b| surprise(a).total_cmp(&surprise(b)))
}

/// How far the value of the first ply is from what the next few said of it, in [0, 2]; 0 if none did.
fn error_of_value(plies: &[PlyRecord]) -> f32 {
    let following = plies.iter().enumerate().skip(1).take(LOOK_AHEAD_PLIES);
    let values: Vec<f32> = following
        .filter(|(_, ply)| ply.simulations > 0)
        .map(|(distance, ply)| if distance % 2 == 0 { value(ply) } else { -value(ply) })
        .collect();
    if values.is_empty() {
        return 0.0;
    }
    (value(&plies[0]) - values.iter().sum::<f32>() / values.len() as f32).abs()
}

/// The last ply that was balanced before the first that was decided, if the game tipped as quickly as that.
fn decisive(plies: &[PlyRecord]) -> Option<usize> {
    let searched = |ply: &PlyRecord| ply.simulations > 0;
    let tipped = plies.iter().position(|ply| searched(ply) && value(ply).abs() >= DECIDED)?;
    let balanced = plies[..tipped].iter().rposition(|ply| searched(ply) && value(ply).abs() <= BALANCED)?;
    (tipped - balanced <= TIPPING_PLIES).then_some(balanced)
}

fn value(ply: &PlyRecord) -> f32 {
    value_from_i16(ply.root_value)
}

/// The position before a ply, as the first of a game: nothing has been counted or repeated.
fn position_before(record: &GameRecord, ply: usize) -> Position {
    let mut position = record.start.clone();
    for before in &record.plies[..ply] {
        position.play_unchecked(before.mv);
    }
    let mut setup = position.to_setup();
    (setup.quiet_plies, setup.round) = (0, 1);
    setup.check().expect("it was a position, and 0 and 1 are good counts")
}
