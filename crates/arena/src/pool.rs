//! Everybody rated at once, from all games that are known.

use crate::elo::{Elo, NORMAL_95, expected_share, normal_distribution};
use crate::linear::{invert, product};
use crate::rating::{Encounter, maximum_likelihood};
use crate::record::Points;
use crate::results::Results;
use crate::score::{Score, Statistics};
use rules::Outcome;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::LN_10;

/// Games between any number of players.
///
/// ```
/// use arena::Pool;
/// use rules::{Colour, Outcome};
/// use std::collections::BTreeMap;
///
/// let mut pool = Pool::default();
/// for (red, black, winner) in [("a", "b", Colour::Red), ("b", "a", Colour::Red), ("a", "b", Colour::Red)] {
///     pool.add(red, black, Outcome::Win(winner));
/// }
/// let rating = pool.rate(&BTreeMap::from([("b".to_owned(), 1000.0)]))?;
/// assert_eq!(rating.players[0].name, "a");
/// assert_eq!(rating.players[0].elo.value.round(), 1120.0);
/// # Ok::<(), arena::PoolError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pool {
    /// By the two names, the first one before the second; in the first one's view.
    pairings: BTreeMap<(String, String), Results>,
    games: u64,
    games_against_itself: u64,
}

/// Games counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// Won.
    pub wins: u32,
    /// Drawn.
    pub draws: u32,
    /// Lost.
    pub losses: u32,
}

impl Tally {
    /// All of them.
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// A draw being half a point.
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// As the opponent counts them.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// Why a pool can't be rated.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PoolError {
    /// There is no game between two players.
    #[error("no game between two different players")]
    NoGames,
    /// An anchor didn't play.
    #[error("anchor \"{name}\" has no games: want one of {known}")]
    UnknownAnchor {
        /// The anchor.
        name: String,
        /// Who did play.
        known: String,
    },
    /// An anchor's rating is no use.
    #[error("anchor \"{name}\" = {elo}: want -10000 to 10000")]
    AnchorRange {
        /// The anchor.
        name: String,
        /// Its rating.
        elo: f64,
    },
}

/// A pool rated. As text (it prints), JSON (serde) and picture: [`PoolRating::to_svg`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PoolRating {
    /// The fixed ratings; if there are none, the mean of all rated players is 0.
    pub anchors: BTreeMap<String, f64>,
    /// Games that count.
    pub games: u64,
    /// Games of a player against itself, which say nothing.
    pub games_against_itself: u64,
    /// The strongest first.
    pub players: Vec<PoolPlayer>,
    /// Who played whom, by name, and what was to be expected.
    pub pairings: Vec<Pairing>,
    /// A beats B beats C beats A, the surest first.
    pub triples: Vec<Triple>,
}

/// One player's rating.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PoolPlayer {
    /// Its name.
    pub name: String,
    /// The rating with its 95 % interval. Of an anchor, and of the origin, all three are the same.
    pub elo: Elo,
    /// How it came by it.
    pub standing: Standing,
    /// Its games.
    #[serde(flatten)]
    pub tally: Tally,
    /// The likelihood that it is stronger than the next one in the list; `None` where that can't be said.
    pub above_next: Option<f64>,
}

/// How a player came by its rating.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It was given.
    Anchor,
    /// From the games.
    Rated,
    /// Nobody can be rated, since there are no anchors and no two players who took points from each other: the bounds of
    /// others are counted from this one, which is put at 0.
    Origin,
    /// It isn't linked to the rated players by points taken and given, directly or through others: there is a bound
    /// if it played against them, else nothing.
    Unlinked,
}

/// What two players did against each other.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Pairing {
    /// The first player, whose view this is.
    pub a: String,
    /// The second.
    pub b: String,
    /// Their games.
    #[serde(flatten)]
    pub tally: Tally,
    /// The first one's share of the points.
    pub share: f64,
    /// What the ratings say that it should be; `None` if one of the two isn't rated.
    pub expected: Option<f64>,
    /// The likelihood that the first is stronger, from their own games alone; by pairs, if all came in pairs.
    pub los: f64,
}

/// Three players who beat each other in a circle, which no rating can show.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Triple {
    /// The first beats the second, the second the third, the third the first.
    pub names: [String; 3],
    /// The winner's share of the points in each of the three.
    pub shares: [f64; 3],
    /// The likelihood that each is no chance: the smallest of the three.
    pub likelihood: f64,
}

impl Pool {
    /// Counts one more game. One of a player against itself is counted apart.
    pub fn add(&mut self, red: &str, black: &str, outcome: Outcome) {
        let tally = match outcome {
            Outcome::Draw => Tally { draws: 1, ..Tally::default() },
            Outcome::Win(rules::Colour::Red) => Tally { wins: 1, ..Tally::default() },
            Outcome::Win(rules::Colour::Black) => Tally { losses: 1, ..Tally::default() },
        };
        self.add_tally(red, black, tally);
    }

    /// Counts two games with one opening, colours exchanged, in the view of the first player.
    pub fn add_pair(&mut self, a: &str, b: &str, points: [Points; 2]) {
        let mut paired = Score::default();
        paired.add(points);
        self.add_results(a, b, Results { paired, ..Results::default() });
    }

    /// Counts games between two players, in the view of the first.
    pub fn add_tally(&mut self, a: &str, b: &str, tally: Tally) {
        self.add_results(a, b, Results { single: tally, ..Results::default() });
    }

    fn add_results(&mut self, a: &str, b: &str, results: Results) {
        let tally = results.tally();
        if a == b {
            self.games_against_itself += u64::from(tally.games());
            return;
        }
        self.games += u64::from(tally.games());
        let (key, results) = if a < b { ((a, b), results) } else { ((b, a), results.reversed()) };
        self.pairings.entry((key.0.to_owned(), key.1.to_owned())).or_default().add(results);
    }

    /// How many games count.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// The ratings under which all results together are likeliest.
    ///
    /// # Formulas
    /// The model of Bradley and Terry (1952) on the logistic Elo scale, a draw being half a win and half a loss: with
    /// wᵢⱼ points of i in nᵢⱼ games against j and L(x) = 1/(1 + 10^(−x/400)), ℓ = Σ wᵢⱼ ln L(rᵢ − rⱼ) is greatest
    /// where each player's points are what is expected, Σⱼ nᵢⱼ L(rᵢ − rⱼ). Newton's method finds it. Anchors are
    /// fixed; without any the mean is 0. The intervals are ± 1.96 √Cᵢᵢ with the sandwich C = F⁻¹ V F⁻¹ (Huber 1967): F is
    /// the Fisher information, Fᵢⱼ = −nᵢⱼ L(1 − L) (ln 10/400)², rows adding up to 0 (without anchors its inverse on the
    /// ratings of mean 0), and V the same with the variance of the points in place of nᵢⱼ L(1 − L). For games by
    /// themselves these are one and C = F⁻¹, in which draws are as uncertain as wins. The games of a pair depend on each
    /// other, so there the variance is that of whole pairs, Σ (w − 2L)² over their points w, or a little more if they are
    /// few. Pairs are taken for independent. An anchor's own error is not in the intervals.
    ///
    /// A likeliest rating exists for players who took points from each other all around (Ford 1957): of these groups
    /// the one with the anchors is rated, or that with the most games. Others won or lost all their games against it
    /// and get the bound that these leave ([`maximum_likelihood`]).
    pub fn rate(&self, anchors: &BTreeMap<String, f64>) -> Result<PoolRating, PoolError> {
        let names: Vec<&str> = self
            .pairings
            .keys()
            .flat_map(|(a, b)| [a.as_str(), b])
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        if names.is_empty() {
            return Err(PoolError::NoGames);
        }
        for (name, &elo) in anchors {
            if !names.contains(&name.as_str()) {
                return Err(PoolError::UnknownAnchor { name: name.clone(), known: names.join(", ") });
            }
            if !(-10_000.0..=10_000.0).contains(&elo) {
                return Err(PoolError::AnchorRange { name: name.clone(), elo });
            }
        }
        let table = Table::new(self, &names, anchors);
        let fit = table.fit(&table.linked());
        let players = table.players(&names, &fit);
        Ok(PoolRating {
            anchors: anchors.clone(),
            games: self.games,
            games_against_itself: self.games_against_itself,
            pairings: self.pairings(&names, &fit),
            triples: table.triples(&names),
            players,
        })
    }

    fn pairings(&self, names: &[&str], fit: &Fit) -> Vec<Pairing> {
        let elo = |name: &str| names.binary_search(&name).ok().and_then(|player| fit.elo[player]);
        let pairings = self.pairings.iter().map(|((a, b), results)| {
            let statistics = results.statistics();
            Pairing {
                a: a.clone(),
                b: b.clone(),
                tally: results.tally(),
                share: statistics.share,
                expected: elo(a).zip(elo(b)).map(|(a, b)| expected_share(a - b)),
                los: statistics.los,
            }
        });
        pairings.collect()
    }
}

/// The pool with players by number.
struct Table {
    /// `results[i][j]`: i against j, in i's view.
    results: Vec<Vec<Results>>,
    anchors: Vec<Option<f64>>,
}

/// Ratings found.
struct Fit {
    /// `None`: not linked.
    elo: Vec<Option<f64>>,
    /// Row and column of the players in `covariance`; anchors and those not linked have none.
    free: Vec<Option<usize>>,
    /// Of the ratings, in square Elo.
    covariance: Vec<Vec<f64>>,
}

impl Fit {
    /// One alone, with nobody to be compared with.
    fn has_origin(&self) -> bool {
        self.elo.iter().flatten().count() == 1
    }

    fn covariance(&self, a: usize, b: usize) -> f64 {
        self.free[a].zip(self.free[b]).map_or(0.0, |(a, b)| self.covariance[a][b])
    }
}

impl Table {
    fn new(pool: &Pool, names: &[&str], anchors: &BTreeMap<String, f64>) -> Self {
        let mut results = vec![vec![Results::default(); names.len()]; names.len()];
        for (i, a) in names.iter().enumerate() {
            for (j, b) in names.iter().enumerate().skip(i + 1) {
                let key = ((*a).to_owned(), (*b).to_owned());
                let found = pool.pairings.get(&key).copied().unwrap_or_default();
                results[i][j] = found;
                results[j][i] = found.reversed();
            }
        }
        Self { results, anchors: names.iter().map(|&name| anchors.get(name).copied()).collect() }
    }

    fn len(&self) -> usize {
        self.anchors.len()
    }

    fn has_anchors(&self) -> bool {
        self.anchors.iter().any(Option::is_some)
    }

    fn tallies(&self, player: usize) -> impl Iterator<Item = Tally> {
        self.results[player].iter().map(Results::tally)
    }

    fn games_of(&self, player: usize) -> u64 {
        self.tallies(player).map(|tally| u64::from(tally.games())).sum()
    }

    /// The players to be rated: who reaches each other by points taken, anchors all reaching each other.
    fn linked(&self) -> Vec<bool> {
        let took = |a: usize, b: usize| {
            0.0 < self.results[a][b].tally().points()
                || (self.anchors[a].is_some() && self.anchors[b].is_some())
        };
        let reached = |start: usize, edge: &dyn Fn(usize, usize) -> bool| {
            let mut seen = vec![false; self.len()];
            let mut todo = vec![start];
            while let Some(player) = todo.pop() {
                if !seen[player] {
                    seen[player] = true;
                    todo.extend((0..self.len()).filter(|&other| edge(player, other)));
                }
            }
            seen
        };
        let group = |start: usize| -> Vec<bool> {
            let (down, up) = (reached(start, &took), reached(start, &|a, b| took(b, a)));
            down.into_iter().zip(up).map(|(down, up)| down && up).collect()
        };
        if let Some(anchor) = self.anchors.iter().position(Option::is_some) {
            return group(anchor);
        }
        let groups = (0..self.len()).map(|player| {
            let group = group(player);
            let games: u64 = (0..self.len()).filter(|&i| group[i]).map(|i| self.games_of(i)).sum();
            (group, games)
        });
        // The first one of those with the most games.
        let best = groups.reduce(|best, other| if best.1 < other.1 { other } else { best });
        best.map(|(group, _)| group).unwrap_or_default()
    }

    fn fit(&self, linked: &[bool]) -> Fit {
        let mut free = vec![None; self.len()];
        let mut players = Vec::new();
        for player in (0..self.len()).filter(|&player| linked[player] && self.anchors[player].is_none()) {
            free[player] = Some(players.len());
            players.push(player);
        }
        let start =
            self.anchors.iter().flatten().sum::<f64>() / self.anchors.iter().flatten().count().max(1) as f64;
        let mut elo: Vec<Option<f64>> =
            (0..self.len()).map(|i| linked[i].then(|| self.anchors[i].unwrap_or(start))).collect();
        let mut inverse = Vec::new();
        for _ in 0..NEWTON_STEPS {
            let (gradient, information) = self.slope(&elo, &players);
            inverse = invert(information);
            let step: Vec<f64> = inverse
                .iter()
                .map(|row| row.iter().zip(&gradient).map(|(c, g)| c * g).sum::<f64>())
                .collect();
            let longest = step.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
            // Far from the maximum Newton's steps are too long; the likelihood is concave, so shorter ones lead there.
            let scale = (LONGEST_STEP / longest).min(1.0);
            for (&player, step) in players.iter().zip(&step) {
                elo[player] = elo[player].map(|elo| elo + scale * step);
            }
            if longest < PRECISION {
                break;
            }
        }
        // What the filling has added to the inverse is the same everywhere, and rows of the middle add up to 0.
        let middle = self.matrix(&elo, &players, Results::variance);
        let covariance = product(&product(&inverse, &middle), &inverse);
        Fit { elo, free, covariance }
    }

    /// The gradient of the log-likelihood and the Fisher information, for each Elo of these players' ratings.
    fn slope(&self, elo: &[Option<f64>], players: &[usize]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut gradient = vec![0.0; players.len()];
        for (row, &player) in players.iter().enumerate() {
            for other in (0..self.len()).filter(|&other| other != player) {
                let (Some(own), Some(theirs)) = (elo[player], elo[other]) else { continue };
                let tally = self.results[player][other].tally();
                gradient[row] +=
                    UNIT * (tally.points() - f64::from(tally.games()) * expected_share(own - theirs));
            }
        }
        let weight =
            |results: &Results, share: f64| f64::from(results.tally().games()) * share * (1.0 - share);
        let mut information = self.matrix(elo, players, weight);
        if !self.has_anchors() {
            // Only differences matter then: adding the same everywhere fixes the mean and changes nothing else.
            information.iter_mut().flatten().for_each(|entry| *entry += UNIT * UNIT);
        }
        (gradient, information)
    }

    /// The matrix whose rows add up to 0, but for what goes to anchors, with −`weight` for each two of these players,
    /// for each square Elo; `weight` is told the expected share.
    fn matrix(
        &self,
        elo: &[Option<f64>],
        players: &[usize],
        weight: impl Fn(&Results, f64) -> f64,
    ) -> Vec<Vec<f64>> {
        let mut matrix = vec![vec![0.0; players.len()]; players.len()];
        let column = |other: usize| players.binary_search(&other).ok();
        for (row, &player) in players.iter().enumerate() {
            for other in (0..self.len()).filter(|&other| other != player) {
                let (Some(own), Some(theirs)) = (elo[player], elo[other]) else { continue };
                let weight = UNIT * UNIT * weight(&self.results[player][other], expected_share(own - theirs));
                matrix[row][row] += weight;
                if let Some(column) = column(other) {
                    matrix[row][column] -= weight;
                }
            }
        }
        matrix
    }

    fn players(&self, names: &[&str], fit: &Fit) -> Vec<PoolPlayer> {
        let elos: Vec<Elo> = (0..self.len()).map(|player| self.elo(player, fit)).collect();
        let mut order: Vec<usize> = (0..self.len()).collect();
        // Who has no rating and no bound goes last.
        let key = |player: usize| {
            (elos[player].low.is_finite() || elos[player].high.is_finite(), elos[player].value)
        };
        order.sort_by(|&a, &b| {
            let ((known_a, a), (known_b, b)) = (key(a), key(b));
            known_b.cmp(&known_a).then(b.total_cmp(&a))
        });
        let players = order.iter().enumerate().map(|(place, &player)| {
            let mut tally = Tally::default();
            self.tallies(player).for_each(|against| tally.add(against));
            PoolPlayer {
                name: names[player].to_owned(),
                elo: elos[player],
                standing: match (fit.elo[player], self.anchors[player]) {
                    (None, _) => Standing::Unlinked,
                    (_, Some(_)) => Standing::Anchor,
                    _ if fit.has_origin() => Standing::Origin,
                    _ => Standing::Rated,
                },
                tally,
                above_next: order.get(place + 1).and_then(|&next| Self::superiority(player, next, fit)),
            }
        });
        players.collect()
    }

    fn elo(&self, player: usize, fit: &Fit) -> Elo {
        if let Some(value) = fit.elo[player] {
            let error = NORMAL_95 * fit.covariance(player, player).sqrt();
            return Elo { value, low: value - error, high: value + error };
        }
        let against = self.tallies(player).zip(&fit.elo);
        let known: Vec<Encounter> = against
            .filter_map(|(tally, &opponent)| {
                Some(Encounter {
                    opponent: opponent?,
                    games: f64::from(tally.games()),
                    points: tally.points(),
                })
            })
            .collect();
        maximum_likelihood(&known)
    }

    /// The likelihood that a is stronger than b.
    fn superiority(a: usize, b: usize, fit: &Fit) -> Option<f64> {
        let lead = fit.elo[a]? - fit.elo[b]?;
        let variance = fit.covariance(a, a) + fit.covariance(b, b) - 2.0 * fit.covariance(a, b);
        (0.0 < variance).then(|| normal_distribution(lead / variance.sqrt()))
    }

    fn triples(&self, names: &[&str]) -> Vec<Triple> {
        let count = self.len();
        let beats: Vec<Vec<Option<Statistics>>> = self
            .results
            .iter()
            .map(|row| {
                row.iter().map(|found| Some(found.statistics()).filter(|found| 0.5 < found.share)).collect()
            })
            .collect();
        let mut triples = Vec::new();
        for a in 0..count {
            // The first is the one with the first name.
            for b in a + 1..count {
                for c in (a + 1..count).filter(|&c| c != b) {
                    let (Some(first), Some(second), Some(third)) = (beats[a][b], beats[b][c], beats[c][a])
                    else {
                        continue;
                    };
                    triples.push(Triple {
                        names: [a, b, c].map(|player| names[player].to_owned()),
                        shares: [first, second, third].map(|found| found.share),
                        likelihood: first.los.min(second.los).min(third.los),
                    });
                }
            }
        }
        triples.sort_by(|a, b| b.likelihood.total_cmp(&a.likelihood));
        triples
    }
}

/// Of the slope: the logistic scale has 400/ln 10 Elo for each unit of the logarithm of odds.
const UNIT: f64 = LN_10 / 400.0;

/// More than Newton's method needs from 100 Elo away at a time.
const NEWTON_STEPS: u32 = 400;

/// The most that a rating may change in one step, in Elo.
const LONGEST_STEP: f64 = 100.0;

/// When ratings change by less than this, in Elo, they are found.
const PRECISION: f64 = 1e-7;

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    fn find<'a>(rating: &'a PoolRating, name: &str) -> &'a PoolPlayer {
        rating.players.iter().find(|player| player.name == name).unwrap()
    }

    fn anchors(anchors: &[(&str, f64)]) -> BTreeMap<String, f64> {
        anchors.iter().map(|&(name, elo)| (name.to_owned(), elo)).collect()
    }

    /// The American League's Eastern Division in 1987: A. Agresti, "Categorical Data Analysis", second edition, tables
    /// 10.10 and 10.11, which has the logarithms of strength over Baltimore to two decimals and standard errors of
    /// about 0.3; also a test of the R package `BradleyTerry2` (`tests/testthat/test-baseball.R`).
    #[test]
    fn agrees_with_agresti() {
        let names = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"];
        let wins = [
            [0, 7, 9, 7, 7, 9, 11],
            [6, 0, 7, 5, 11, 9, 9],
            [4, 6, 0, 7, 7, 8, 12],
            [6, 8, 6, 0, 6, 7, 10],
            [6, 2, 6, 7, 0, 7, 12],
            [4, 4, 5, 6, 6, 0, 6],
            [2, 4, 1, 3, 1, 7, 0],
        ];
        let mut pool = Pool::default();
        for (i, a) in names.iter().enumerate() {
            for (j, b) in names.iter().enumerate().skip(i + 1) {
                pool.add_tally(a, b, Tally { wins: wins[i][j], draws: 0, losses: wins[j][i] });
            }
        }
        let rating = pool.rate(&anchors(&[("Baltimore", 0.0)])).unwrap();
        let unit = LN_10 / 400.0;
        for (name, strength) in names.iter().zip([1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0]) {
            let elo = find(&rating, name).elo;
            assert!((unit * elo.value - strength).abs() < 0.005, "{name}: {elo}");
            if 0.0 < strength {
                let error = unit * elo.error() / NORMAL_95;
                assert!((0.25..0.35).contains(&error), "{name}: {error}");
            }
        }
        assert_eq!(rating.players.iter().map(|player| player.name.as_str()).collect::<Vec<_>>(), names);
        // Without an anchor the differences are the same and the mean is 0.
        let free = pool.rate(&BTreeMap::new()).unwrap();
        let sum: f64 = free.players.iter().map(|player| player.elo.value).sum();
        assert!(sum.abs() < 1e-4);
        let shift = find(&free, "Baltimore").elo.value;
        for player in &rating.players {
            assert!((find(&free, &player.name).elo.value - shift - player.elo.value).abs() < 1e-4);
        }
        // So is who is above whom: 0.14 with an error of 0.31 is Φ(0.47).
        for rating in [rating, free] {
            assert!((rating.players[0].above_next.unwrap() - 0.68).abs() < 0.01, "{rating}");
        }
    }

    /// With one opponent the rating is the Elo of the share, and its error that of Fisher's information.
    #[test]
    fn one_opponent_gives_the_elo_of_the_share() {
        let mut pool = Pool::default();
        pool.add_tally("b", "a", Tally { wins: 34, draws: 42, losses: 24 });
        let rating = pool.rate(&anchors(&[("a", -300.0)])).unwrap();
        let elo = find(&rating, "b").elo;
        assert!((elo.value + 265.14).abs() < 0.01 && (elo.error() - 68.44).abs() < 0.01, "{elo}");
        assert_eq!(find(&rating, "a").standing, Standing::Anchor);
        assert_eq!(rating.pairings[0].tally, Tally { wins: 24, draws: 42, losses: 34 });
        assert!((rating.pairings[0].expected.unwrap() - 0.45).abs() < 1e-9);
    }

    #[test]
    fn recovers_known_ratings_within_its_intervals() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let truths = [-1200.0, -900.0, -550.0, -300.0, 0.0, 60.0, 340.0, 900.0];
        let (mut inside, mut all) = (0, 0);
        for _ in 0..40 {
            let mut pool = Pool::default();
            for i in 0..truths.len() {
                for j in i.saturating_sub(3)..i {
                    for _ in 0..40 {
                        let won = rng.random_bool(expected_share(truths[i] - truths[j]));
                        let tally = Tally { wins: won.into(), draws: 0, losses: (!won).into() };
                        pool.add_tally(&format!("p{i}"), &format!("p{j}"), tally);
                    }
                }
            }
            let rating = pool.rate(&anchors(&[("p4", 0.0)])).unwrap();
            for (i, truth) in truths.iter().enumerate().filter(|&(i, _)| i != 4) {
                let elo = find(&rating, &format!("p{i}")).elo;
                inside += u32::from(elo.low < *truth && *truth < elo.high);
                all += 1;
            }
        }
        let share = f64::from(inside) / f64::from(all);
        assert!((0.91..=0.98).contains(&share), "{inside} of {all} intervals hold the truth");
    }

    #[test]
    fn who_only_wins_or_loses_gets_a_bound_and_strangers_nothing() {
        let mut pool = Pool::default();
        let won = Tally { wins: 10, ..Tally::default() };
        pool.add_tally("a", "b", Tally { wins: 6, draws: 1, losses: 3 });
        pool.add_tally("best", "a", won);
        pool.add_tally("b", "worst", won);
        pool.add_tally("worst", "beyond", won);
        pool.add_tally("stranger", "other", Tally { draws: 3, ..Tally::default() });
        let rating = pool.rate(&BTreeMap::new()).unwrap();
        let names: Vec<&str> = rating.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["best", "a", "b", "worst", "beyond", "other", "stranger"]);
        let best = find(&rating, "best");
        assert!(best.standing == Standing::Unlinked && best.elo.high.is_infinite() && 0.0 < best.elo.low);
        assert!(find(&rating, "worst").elo.high < find(&rating, "b").elo.low);
        for name in ["beyond", "stranger"] {
            assert_eq!(find(&rating, name).elo.to_string(), "unknown");
        }
        assert_eq!(rating.pairings.iter().filter(|pairing| pairing.expected.is_some()).count(), 1);
        let json = serde_json::to_value(&rating).unwrap();
        assert_eq!(json["players"][0]["standing"], "unlinked");
        assert_eq!(json["players"][0]["wins"], 10);
    }

    #[test]
    fn two_anchors_hold_groups_apart() {
        let mut pool = Pool::default();
        let even = Tally { wins: 5, draws: 0, losses: 5 };
        pool.add_tally("a", "low", even);
        pool.add_tally("b", "high", even);
        let rating = pool.rate(&anchors(&[("low", -500.0), ("high", 500.0)])).unwrap();
        assert!((find(&rating, "a").elo.value + 500.0).abs() < 1e-6);
        assert!((find(&rating, "b").elo.value - 500.0).abs() < 1e-6);
    }

    #[test]
    fn circles_are_found_once_the_surest_first() {
        let mut pool = Pool::default();
        for (a, b, wins) in [("a", "b", 30), ("b", "c", 28), ("c", "a", 29), ("c", "d", 21), ("d", "a", 21)] {
            pool.add_tally(a, b, Tally { wins, draws: 0, losses: 40 - wins });
        }
        let rating = pool.rate(&BTreeMap::new()).unwrap();
        let [triple] = &rating.triples[..] else { panic!("{:?}", rating.triples) };
        assert_eq!(triple.names, ["a", "b", "c"]);
        let per_mille = triple.shares.map(|share| (1000.0 * share).round() as u32);
        assert_eq!(per_mille, [750, 700, 725]);
        assert!((0.99..0.9999).contains(&triple.likelihood));
    }

    #[test]
    fn pools_that_cannot_be_rated_are_refused() {
        let mut pool = Pool::default();
        assert_eq!(pool.rate(&BTreeMap::new()), Err(PoolError::NoGames));
        pool.add("a", "a", Outcome::Draw);
        assert_eq!(pool.rate(&BTreeMap::new()), Err(PoolError::NoGames));
        pool.add("a", "b", Outcome::Draw);
        let error = pool.rate(&anchors(&[("c", 0.0)])).unwrap_err().to_string();
        assert_eq!(error, "anchor \"c\" has no games: want one of a, b");
        assert!(matches!(pool.rate(&anchors(&[("a", f64::NAN)])), Err(PoolError::AnchorRange { .. })));
    }

    /// One decisive game says little: who won isn't 0 ± 0, and who lost may still be the stronger.
    #[test]
    fn a_single_decisive_game_gives_a_bound() {
        let mut pool = Pool::default();
        pool.add("a", "b", Outcome::Win(rules::Colour::Red));
        let rating = pool.rate(&BTreeMap::new()).unwrap();
        let standings: Vec<Standing> = rating.players.iter().map(|player| player.standing).collect();
        assert_eq!(standings, [Standing::Origin, Standing::Unlinked]);
        let elo = find(&rating, "b").elo;
        assert!(elo.low.is_infinite() && (elo.high - 306.1).abs() < 0.1, "{elo}");
        let text = rating.to_string();
        assert!(text.contains(" 0.0 (origin)") && text.contains("< +306.1"), "{text}");
        assert!(text.ends_with("1 games; too few games for ratings, as no two players took points from each other: only bounds, from the origin"), "{text}");
        // One point for the other, and both are rated, however badly.
        pool.add("a", "b", Outcome::Win(rules::Colour::Black));
        let rating = pool.rate(&BTreeMap::new()).unwrap();
        assert!(
            rating
                .players
                .iter()
                .all(|player| player.standing == Standing::Rated && 200.0 < player.elo.error())
        );
    }

    /// Pairs in which both games mostly end alike, as between players who repeat themselves: intervals of independent
    /// games would be too narrow by a quarter.
    #[test]
    fn intervals_hold_when_the_games_of_a_pair_end_alike() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let truths = [-500.0, -250.0, 0.0, 150.0, 400.0];
        let (mut inside, mut all, mut naive) = (0, 0, 0);
        for _ in 0..120 {
            let (mut pool, mut apart) = (Pool::default(), Pool::default());
            for i in 0..truths.len() {
                for j in i.saturating_sub(2)..i {
                    for _ in 0..60 {
                        let mut game = || {
                            if rng.random_bool(expected_share(truths[i] - truths[j])) {
                                Points::Win
                            } else {
                                Points::Loss
                            }
                        };
                        let (first, second) = (game(), game());
                        let pair = [first, if rng.random_bool(0.8) { first } else { second }];
                        let (a, b) = (format!("p{i}"), format!("p{j}"));
                        pool.add_pair(&a, &b, pair);
                        for points in pair {
                            let won = u32::from(points == Points::Win);
                            apart.add_tally(&a, &b, Tally { wins: won, draws: 0, losses: 1 - won });
                        }
                    }
                }
            }
            let anchors = anchors(&[("p2", 0.0)]);
            let (rating, apart) = (pool.rate(&anchors).unwrap(), apart.rate(&anchors).unwrap());
            for (i, truth) in truths.iter().enumerate().filter(|&(i, _)| i != 2) {
                let [by_pairs, by_games] = [&rating, &apart].map(|rating| find(rating, &format!("p{i}")).elo);
                assert!((by_pairs.value - by_games.value).abs() < 1e-6);
                inside += u32::from(by_pairs.low < *truth && *truth < by_pairs.high);
                naive += u32::from(by_games.low < *truth && *truth < by_games.high);
                all += 1;
            }
        }
        let share = |inside: u32| f64::from(inside) / f64::from(all);
        assert!((0.925..=0.975).contains(&share(inside)), "{inside} of {all} intervals hold the truth");
        assert!(share(naive) < 0.9, "{naive} of {all} would");
    }

    /// Openings that decide: most pairs end 1–1, and intervals of independent games would be far too wide.
    #[test]
    fn intervals_are_narrow_when_openings_decide() {
        let mut rng = ChaCha8Rng::seed_from_u64(12);
        let (mut inside, mut width, mut width_apart) = (0, 0.0, 0.0);
        let (decided, share) = (0.8, 0.65);
        let truth = crate::elo::elo_of_share(decided / 2.0 + (1.0 - decided) * share);
        let runs = 600;
        for _ in 0..runs {
            let (mut pool, mut apart) = (Pool::default(), Pool::default());
            for _ in 0..100 {
                let mut game = || if rng.random_bool(share) { Points::Win } else { Points::Loss };
                let played = [game(), game()];
                let pair = if rng.random_bool(decided) { [Points::Win, Points::Loss] } else { played };
                pool.add_pair("a", "b", pair);
                for points in pair {
                    let won = u32::from(points == Points::Win);
                    apart.add_tally("a", "b", Tally { wins: won, draws: 0, losses: 1 - won });
                }
            }
            let anchors = anchors(&[("b", 0.0)]);
            let [elo, by_games] = [pool, apart].map(|pool| find(&pool.rate(&anchors).unwrap(), "a").elo);
            inside += u32::from(elo.low < truth && truth < elo.high);
            width += elo.error() / f64::from(runs);
            width_apart += by_games.error() / f64::from(runs);
        }
        let share = f64::from(inside) / f64::from(runs);
        assert!((0.925..=0.975).contains(&share), "{inside} of {runs} intervals hold the truth");
        assert!(width < 0.6 * width_apart, "{width} {width_apart}");
    }

    /// With two players the sandwich is the pentanomial model.
    #[test]
    fn one_opponent_in_pairs_gives_the_error_of_the_score() {
        let mut pool = Pool::default();
        let score = Score::of_pairs([4, 20, 80, 60, 36], 30);
        for (pairs, points) in score.pairs().into_iter().zip(0..) {
            for _ in 0..pairs {
                let points = [[0, 0], [0, 1], [0, 2], [1, 2], [2, 2]][points];
                pool.add_pair("b", "a", points.map(|half| [Points::Loss, Points::Draw, Points::Win][half]));
            }
        }
        let elo = find(&pool.rate(&anchors(&[("a", 0.0)])).unwrap(), "b").elo;
        let expected = score.elo();
        assert!((elo.value - expected.value).abs() < 1e-6);
        // A little wider, as a few pairs are taken for independent games.
        assert!((1.0..1.02).contains(&(elo.error() / expected.error())), "{elo} {expected}");
    }
}
