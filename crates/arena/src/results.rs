//! What two players did against each other, with what it says of the spread.

use crate::pool::Tally;
use crate::score::{Score, Statistics};

/// What one player did against another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Results {
    /// Games by themselves.
    pub(crate) single: Tally,
    /// Games in pairs, of which the two share an opening.
    pub(crate) paired: Score,
}

impl Results {
    pub(crate) fn add(&mut self, other: Self) {
        self.single.add(other.single);
        self.paired = self.paired.with(&other.paired);
    }

    pub(crate) fn reversed(self) -> Self {
        Self { single: self.single.reversed(), paired: self.paired.reversed() }
    }

    /// All games.
    pub(crate) fn tally(&self) -> Tally {
        let mut tally = self.single;
        let (wins, draws, losses) = (self.paired.wins(), self.paired.draws(), self.paired.losses());
        tally.add(Tally { wins, draws, losses });
        tally
    }

    /// By pairs, unless there are games by themselves.
    pub(crate) fn statistics(&self) -> Statistics {
        let Tally { wins, draws, losses } = self.tally();
        if self.single == Tally::default() {
            self.paired.by_pairs()
        } else {
            Statistics::of(&[losses, draws, wins], 1.0)
        }
    }

    /// The variance of the points if `share` of them is expected.
    pub(crate) fn variance(&self, share: f64) -> f64 {
        let by_model = |games: u32| f64::from(games) * share * (1.0 - share);
        by_model(self.single.games()) + self.variance_of_pairs(share, by_model(self.paired.games()))
    }

    fn variance_of_pairs(&self, share: f64, by_model: f64) -> f64 {
        let count = f64::from(self.paired.pair_count());
        if count < 1.0 {
            return 0.0;
        }
        let squares = self.paired.pairs().into_iter().zip([0.0, 0.5, 1.0, 1.5, 2.0]);
        let seen: f64 =
            squares.map(|(pairs, points)| f64::from(pairs) * (points - 2.0 * share).powi(2)).sum();
        let doubtful = count * (seen + PRIOR_PAIRS * by_model / count) / (count + PRIOR_PAIRS);
        seen.max(doubtful)
    }
}

/// A few pairs that all end alike seem to know more than they do: the spread of pairs is taken as if so many more had
/// spread as independent games do, where that is wider.
const PRIOR_PAIRS: f64 = 4.0;
