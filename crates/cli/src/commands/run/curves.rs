//! What a run scored on the ladder, as curves.

use arena::Rung;
use pipeline::Milestone;
use serde::Serialize;

/// A run's measurements.
#[derive(Serialize, Debug)]
pub(super) struct Curves {
    /// The run folder.
    pub(super) name: String,
    /// The generations that measured the ladder, in their order.
    pub(super) points: Vec<Point>,
}

/// One measurement.
#[derive(Serialize, Debug)]
pub(super) struct Point {
    generation: u32,
    pub(super) core_secs: f64,
    pub(super) positions: u64,
    scores: Vec<ScoreAgainst>,
}

#[derive(Serialize, Debug)]
struct ScoreAgainst {
    opponent: Rung,
    share: f64,
}

impl Point {
    /// The share of the points against a rung, if it was played.
    pub(super) fn share(&self, rung: Rung) -> Option<f64> {
        self.scores.iter().find(|score| score.opponent == rung).map(|score| score.share)
    }
}

/// What a curve goes by.
#[derive(Clone, Copy, Debug)]
pub(super) enum Measure {
    CoreSeconds,
    Positions,
}

impl Measure {
    pub(super) const ALL: [Self; 2] = [Self::CoreSeconds, Self::Positions];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::CoreSeconds => "core-seconds",
            Self::Positions => "positions",
        }
    }

    pub(super) fn of(self, point: &Point) -> f64 {
        match self {
            Self::CoreSeconds => point.core_secs,
            Self::Positions => point.positions as f64,
        }
    }
}

impl Curves {
    /// The curves of a run.
    pub(super) fn of(name: String, history: &[Milestone]) -> Self {
        let measured = history.iter().filter(|milestone| !milestone.rungs.is_empty());
        let points = measured.map(|milestone| Point {
            generation: milestone.generation,
            core_secs: milestone.core_secs,
            positions: milestone.positions,
            scores: milestone
                .rungs
                .iter()
                .map(|&(opponent, score)| ScoreAgainst { opponent, share: score.share() })
                .collect(),
        });
        Self { name, points: points.collect() }
    }

    /// Everyone it was measured against, again and again.
    pub(super) fn rungs(&self) -> impl Iterator<Item = Rung> {
        self.points.iter().flat_map(|point| point.scores.iter().map(|score| score.opponent))
    }

    /// (x, share of the points), x ascending.
    pub(super) fn curve(&self, rung: Rung, measure: Measure) -> Vec<(f64, f64)> {
        self.points.iter().filter_map(|point| Some((measure.of(point), point.share(rung)?))).collect()
    }

    /// The last measurement against a rung.
    pub(super) fn last(&self, rung: Rung) -> Option<&Point> {
        self.points.iter().rev().find(|point| point.share(rung).is_some())
    }

    /// The first measurement with at least this share against a rung.
    pub(super) fn first_above(&self, rung: Rung, share: f64) -> Option<&Point> {
        self.points.iter().find(|point| point.share(rung).is_some_and(|found| share <= found))
    }
}

/// A curve from 0 to `end` in so many characters, each the newest measurement of its part or before it.
pub(super) fn sparkline(curve: &[(f64, f64)], end: f64, columns: usize) -> String {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let last = curve.last().map_or(0.0, |&(x, _)| x);
    let character = |column: usize| {
        let (start, to) = (end * column as f64 / columns as f64, end * (column + 1) as f64 / columns as f64);
        if last < start {
            return ' ';
        }
        // The last column ends where the longest run does, whatever rounding says.
        let to = if column + 1 == columns { f64::INFINITY } else { to };
        let newest = curve.iter().rev().find(|&&(x, _)| x <= to);
        newest.map_or('·', |&(_, share)| LEVELS[(share.clamp(0.0, 1.0) * 7.0).round() as usize])
    };
    (0..columns).map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::Score;

    fn history() -> Vec<Milestone> {
        let rung = |name: &str, pairs| (name.parse().unwrap(), Score::of_pairs(pairs, 0));
        let milestone = |generation: u32, rungs| Milestone {
            generation,
            positions: 1000 * u64::from(generation),
            core_secs: 10.0 * f64::from(generation),
            rungs,
        };
        vec![
            milestone(1, vec![]),
            milestone(2, vec![rung("random", [5, 0, 5, 0, 10])]),
            milestone(4, vec![rung("random", [0, 0, 1, 0, 19]), rung("depth-1", [10, 0, 0, 0, 10])]),
        ]
    }

    #[test]
    fn curves_hold_what_was_measured() {
        let curves = Curves::of("a".to_owned(), &history());
        let [random, depth_1] = ["random", "depth-1"].map(|name| name.parse().unwrap());
        assert_eq!(curves.curve(random, Measure::CoreSeconds), [(20.0, 0.625), (40.0, 0.975)]);
        assert_eq!(curves.curve(depth_1, Measure::Positions), [(4000.0, 0.5)]);
        assert_eq!(curves.first_above(random, 0.9).unwrap().generation, 4);
        assert!(curves.first_above(depth_1, 0.9).is_none());
        assert_eq!(curves.last(depth_1).unwrap().positions, 4000);
    }

    #[test]
    fn a_sparkline_shows_the_newest_measurement_so_far() {
        assert_eq!(sparkline(&[(20.0, 0.0), (40.0, 1.0)], 40.0, 8), "···▁▁▁▁█");
        assert_eq!(sparkline(&[(20.0, 0.5)], 40.0, 4), "·▅▅ ", "a shorter run ends earlier");
        assert_eq!(sparkline(&[], 40.0, 4), "·   ");
    }
}
