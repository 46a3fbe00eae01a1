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
/// Plies over which a value is compared with those that follow, as the value target's average looks ahead by default.
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

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;
    use replay::{EndReason, StartedBy, value_to_i16};
    use rules::{Outcome, RuleSet};

    /// Horses that go out and back, searched with these values and divergences; no value: not searched.
    fn game(number: u64, searches: &[Option<(f32, f32)>]) -> GameRecord {
        let moves = ["h0g2", "h9g7", "g2h0", "g7h9"].into_iter().cycle();
        let plies = searches.iter().zip(moves).map(|(search, mv)| {
            let ply = PlyRecord::unsearched(mv.parse().unwrap());
            match *search {
                Some((value, kl)) => PlyRecord { simulations: 8, root_value: value_to_i16(value), kl, ..ply },
                None => ply,
            }
        });
        GameRecord {
            run: "test".to_owned(),
            game: number,
            seed: 0,
            net: String::new(),
            rule_set: RuleSet::Formal,
            feature_version: evaluator::FEATURE_VERSION,
            start: Position::start(),
            outcome: Outcome::Draw,
            reason: EndReason::PlyCap,
            started_by: StartedBy::StartPosition,
            scoring_weight: 0.0,
            decided: None,
            plies: plies.collect(),
        }
    }

    fn with_values(values: &[f32]) -> Vec<PlyRecord> {
        game(0, &values.iter().map(|&value| Some((value, 0.0))).collect::<Vec<_>>()).plies
    }

    #[test]
    fn the_ply_that_surprised_most_is_found() {
        // Quiet but for a target far from the prior at ply 2.
        let divergences = [0.1, 0.2, 0.9, 0.1].map(|kl| Some((0.0, kl)));
        assert_eq!(surprising(&game(0, &divergences).plies), Some(2));
        // Values go 0, 0, −0.6, 0.6 …: ply 1 said 0 and all that follow say +0.6 for its mover, which is the largest
        // gap; ply 0 is off by less, since the next ply still said 0.
        assert_eq!(surprising(&with_values(&[0.0, 0.0, -0.6, 0.6, -0.6])), Some(1));
        let error = error_of_value(&with_values(&[0.0, 0.0, -0.6, 0.6, -0.6]));
        assert!((error - 0.45).abs() < 1e-4, "(0 + 0.6 + 0.6 + 0.6) / 4 is not {error}");
        // Of equal ones the first.
        assert_eq!(surprising(&with_values(&[0.0; 4])), Some(0));
        // What is decided surprises nobody any more, and a random ply was never searched.
        let searches = [None, Some((0.9, 5.0)), Some((-0.1, 0.1)), Some((-0.9, 5.0))];
        assert_eq!(surprising(&game(0, &searches).plies), Some(2));
        assert_eq!(surprising(&game(0, &[None; 3]).plies), None);
        assert_eq!(surprising(&[]), None);
    }

    #[test]
    fn only_the_next_eight_plies_judge_a_value() {
        let mut values = [0.0; 12];
        values[9] = 0.7;
        assert!(error_of_value(&with_values(&values)) < 1e-6);
        values[8] = 0.8;
        assert!((error_of_value(&with_values(&values)) - 0.1).abs() < 1e-4);
    }

    #[test]
    fn the_last_balanced_ply_before_the_tip_is_found() {
        assert_eq!(decisive(&with_values(&[0.0, 0.1, -0.2, 0.5, -0.6, 0.8, -0.9])), Some(2));
        assert_eq!(decisive(&with_values(&[0.0, 0.1, 0.5, -0.6, 0.7])), None, "never decided");
        assert_eq!(decisive(&with_values(&[0.8, -0.9])), None, "never balanced");
        let slowly: Vec<f32> = [0.2].into_iter().chain([0.5; 12]).chain([0.8]).collect();
        assert_eq!(decisive(&with_values(&slowly)), None);
        assert_eq!(
            decisive(&with_values(&slowly[..12].iter().copied().chain([0.8]).collect::<Vec<_>>())),
            Some(0)
        );
        let searches = [Some((0.0, 0.0)), None, Some((0.8, 0.0))];
        assert_eq!(decisive(&game(0, &searches).plies), Some(0));
    }

    #[test]
    fn positions_are_those_of_the_game_but_for_their_counts() {
        let mut archive = Archive::new(10);
        archive.push(&game(0, &[Some((0.0, 0.0)), Some((0.0, 1.0)), Some((0.9, 0.0))]));
        assert_eq!(archive.counts(), [1, 1]);
        let mut expected = Position::start();
        expected.play_unchecked("h0g2".parse().unwrap());
        for position in [&archive.surprising[0].1, &archive.decisive[0].1] {
            assert_eq!((position, position.quiet_plies(), position.round()), (&expected, 0, 1));
        }
    }

    #[test]
    fn the_newest_games_stay_whenever_one_began_to_fill_it() {
        let games: Vec<GameRecord> = (0..40)
            .map(|number| match number % 3 {
                // Some games have both, some one, some none.
                0 => game(number, &[Some((0.0, 0.0)), Some((0.1, 1.0)), Some((0.9, 0.0))]),
                1 => game(number, &[Some((0.0, 0.3))]),
                _ => game(number, &[None]),
            })
            .collect();
        let filled = |from: usize| {
            let mut archive = Archive::new(10);
            games[from..].iter().for_each(|game| archive.push(game));
            archive
        };
        let archive = filled(0);
        let numbers = |kept: &Kept| kept.iter().map(|&(game, _)| game).collect::<Vec<_>>();
        assert_eq!(numbers(&archive.surprising), [30, 31, 33, 34, 36, 37, 39]);
        assert_eq!(numbers(&archive.decisive), [30, 33, 36, 39]);
        assert_eq!(archive, filled(30));
        assert_ne!(archive, filled(31));
    }

    #[test]
    fn each_kind_is_drawn_as_often_and_all_of_a_kind_alike() {
        let mut archive = Archive::new(100);
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        assert_eq!(archive.draw(&mut rng), None);
        // Three surprising positions, before plies 0 to 2; decisive is only that before ply 0.
        for (number, most) in [(1, 0), (2, 1), (3, 2)] {
            let mut searches = [Some((0.5, 0.0)); 3];
            searches[most] = Some((0.5, 3.0));
            archive.push(&game(number, &searches));
        }
        assert_eq!(archive.counts(), [3, 0]);
        assert!(archive.draw(&mut rng).is_some(), "there is none of the other kind");
        archive.push(&game(4, &[Some((0.0, 9.0)), Some((0.9, 0.0))]));
        assert_eq!(archive.counts(), [4, 1]);
        let mut start = 0;
        for _ in 0..4000 {
            start += u32::from(archive.draw(&mut rng) == Some(&Position::start()));
        }
        // All of the decisive, half of the surprising: three quarters.
        assert!((2900..3100).contains(&start), "{start} of 4000");
    }
}
