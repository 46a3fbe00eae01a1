//! How often each row of a window is drawn.

use crate::settings::Settings;
use rand::{Rng, RngExt as _};
use replay::{Duplicates, Surprise, Window};

/// How many numbers are tried together: a large window is in no cache, and the processor can wait for many weights at a
/// time.
const AT_A_TIME: usize = 64;

/// The chances of a window's rows, or of groups of rows that show the same position and are drawn as one; made anew
/// for each job, at the same cost for a window of any size unless there are groups (12 bytes a row then).
///
/// The weight of a row with a policy target is 1 − s + s · KL / mean KL, where s is
/// [`Settings::surprise_share`] and KL the divergence of target from prior (`KataGoMethods.md`, policy surprise
/// weighting: s = ½); that of a row without is [`Settings::cheap_row_weight`]. Both are multiplied with
/// [`Settings::decided_row_weight`] where the game was held for decided ([`replay::Row::is_decided`]). A group weighs as
/// much as the mean of its rows. Then no row is expected to be drawn more than [`Settings::max_row_passes`] /
/// [`Settings::passes_per_row`] times as often as the average row: what is above goes to the others, in proportion. (Of
/// a group's draws each of its rows counts an equal part.)
#[derive(Clone, Debug)]
pub struct Sampling {
    groups: Option<Duplicates>,
    /// What each group weighs; without groups, what rows with each [`Surprise`] weigh.
    weights: Vec<f32>,
    /// The largest of them.
    most: f32,
}

impl Sampling {
    /// The chances in a window that isn't empty; `None` if all rows are drawn alike.
    pub fn new(settings: &Settings, window: &Window) -> Option<Self> {
        let plain = settings.surprise_share <= 0.0
            && settings.cheap_row_weight >= 1.0
            && settings.decided_row_weight >= 1.0;
        if plain && !settings.dedupe {
            return None;
        }
        let most_of_row = settings.max_row_passes / settings.passes_per_row;
        let mut weights = weights_of_rows(settings, window);
        let groups = settings.dedupe.then(|| Duplicates::of(window));
        if let Some(groups) = &groups {
            let members = |group| groups.members(group).map(|member| window.surprise(member.row).number());
            let mean =
                |group| members(group).map(|row| weights[row]).sum::<f32>() / members(group).len() as f32;
            weights = (0..groups.len()).map(mean).collect();
            cap(&mut weights, (0..groups.len()).map(|group| (group, members(group).len(), 1)), most_of_row);
        } else {
            let alike = window.surprises().map(|(surprise, rows)| (surprise.number(), 1, rows as usize));
            cap(&mut weights, alike, most_of_row);
        }
        let most = weights.iter().copied().fold(0.0, f32::max);
        Some(Self { groups, weights, most })
    }

    /// The numbers of groups, or of rows of the window that this was made for: any, each kept with a chance that is in
    /// proportion to its weight (rejection sampling). What that takes doesn't depend on how many there are.
    pub(crate) fn draw(&self, window: &Window, count: usize, rng: &mut impl Rng) -> Vec<usize> {
        let numbers = self.groups.as_ref().map_or(window.len(), Duplicates::len);
        let mut drawn = Vec::with_capacity(count + AT_A_TIME);
        while drawn.len() < count {
            let any: [usize; AT_A_TIME] = std::array::from_fn(|_| rng.random_range(0..numbers));
            let weights = any.map(|number| match self.groups {
                Some(_) => self.weights[number],
                None => self.weights[window.surprise(number).number()],
            });
            let kept =
                any.into_iter().zip(weights).filter(|(_, weight)| rng.random::<f32>() * self.most < *weight);
            drawn.extend(kept.map(|(number, _)| number));
        }
        drawn.truncate(count);
        drawn
    }

    /// The groups, if rows are drawn in groups.
    pub(crate) const fn groups(&self) -> Option<&Duplicates> {
        self.groups.as_ref()
    }
}

/// What rows weigh before the cap, by the number of their [`Surprise`]; 0 for those that no row has.
fn weights_of_rows(settings: &Settings, window: &Window) -> Vec<f32> {
    let share = settings.surprise_share;
    let (mut sum, mut count) = (0.0, 0_u64);
    for (surprise, rows) in window.surprises() {
        if let Some(kl) = surprise.kl() {
            sum += f64::from(kl) * f64::from(rows);
            count += u64::from(rows);
        }
    }
    // Where nothing surprised, all are alike.
    let (even, of_kl) = if sum > 0.0 { (1.0 - share, share * count as f64 / sum) } else { (1.0, 0.0) };
    let mut weights = vec![0.0; Surprise::COUNT];
    for (surprise, _) in window.surprises() {
        let searched = surprise.kl().map_or(settings.cheap_row_weight, |kl| even + of_kl * f64::from(kl));
        let decided = if surprise.is_decided() { settings.decided_row_weight } else { 1.0 };
        weights[surprise.number()] = (searched * decided) as f32;
    }
    weights
}

/// Scales weights so that they add up to the number of rows, and none is above `most` times its number of rows; `most`
/// is at least 1. Of each weight that anything has, `of` says its index, of how many rows it is, and how many things
/// have it.
fn cap(weights: &mut [f32], of: impl Iterator<Item = (usize, usize, usize)> + Clone, most: f64) {
    let rows: f64 = of.clone().map(|(_, size, count)| (size * count) as f64).sum();
    let sum: f64 = of.clone().map(|(index, _, count)| f64::from(weights[index]) * count as f64).sum();
    let mut scale = rows / sum;
    let mut capped = 0;
    loop {
        let (mut number, mut given, mut free) = (0, 0.0, 0.0);
        for (index, size, count) in of.clone() {
            let (weight, limit) = (f64::from(weights[index]), most * size as f64);
            if scale * weight < limit {
                free += weight * count as f64;
            } else {
                given += limit * count as f64;
                number += count;
            }
        }
        // Scaling the others up may have lifted more of them to the limit, but never lowers one.
        if number == capped || free <= 0.0 {
            break;
        }
        capped = number;
        scale = scale.max((rows - given) / free);
    }
    for (index, size, _) in of {
        weights[index] = (scale * f64::from(weights[index])).min(most * size as f64) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{record, searched, window};
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;
    use replay::{Decided, EndReason, GameRecord, PlyRecord};
    use rules::Outcome;

    fn settings() -> Settings {
        Settings { passes_per_row: 1.0, max_row_passes: 8.0, surprise_share: 0.0, ..Settings::default() }
    }

    /// Four plies with these divergences, the second and the last without a policy.
    fn four_plies(kl: [f32; 4], decided: Option<Decided>) -> Window {
        let start = "3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 0 1";
        let moves = ["e1f1", "d9d8", "f1e1", "d8d9"];
        let policies = [&[("e1f1", 1.0)][..], &[], &[("f1e1", 1.0)], &[]];
        let plies = moves.iter().zip(policies).zip(kl);
        let plies = plies.map(|((mv, policy), kl)| PlyRecord { kl, ..searched(mv, 0.0, 1.0, policy) });
        let mut window = Window::new(100, 0.0);
        let record = record(start, Outcome::Draw, EndReason::PlyCap, plies.collect());
        window.push(&GameRecord { decided, ..record }).unwrap();
        window
    }

    /// What each group or row weighs, the mean being 1.
    fn shares(sampling: &Sampling, window: &Window) -> Vec<f64> {
        let of_row = |row| sampling.weights[window.surprise(row).number()];
        let weights: Vec<f32> = match sampling.groups() {
            Some(_) => sampling.weights.clone(),
            None => (0..window.len()).map(of_row).collect(),
        };
        let weights = weights.into_iter().map(f64::from);
        let mean = weights.clone().sum::<f64>() / weights.len() as f64;
        weights.map(|weight| weight / mean).collect()
    }

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(near, "{found:?} is not {expected:?}");
    }

    #[test]
    fn without_a_method_all_rows_are_drawn_alike() {
        assert!(Sampling::new(&settings(), &window(1)).is_none());
    }

    #[test]
    fn surprise_by_hand() {
        let window = four_plies([3.0, 100.0, 1.0, 0.0], None);
        let half = Settings { surprise_share: 0.5, ..settings() };
        // Of the two with a policy the mean is 2: ½ + ½ · 3/2 and ½ + ½ · ½. The others count evenly.
        close(&shares(&Sampling::new(&half, &window).unwrap(), &window), &[1.25, 1.0, 0.75, 1.0]);
        let cheap = Settings { cheap_row_weight: 0.25, ..settings() };
        close(&shares(&Sampling::new(&cheap, &window).unwrap(), &window), &[1.6, 0.4, 1.6, 0.4]);
        let both = Settings { surprise_share: 0.5, cheap_row_weight: 0.25, ..settings() };
        close(&shares(&Sampling::new(&both, &window).unwrap(), &window), &[2.0, 0.4, 1.2, 0.4]);
        // Nothing surprised: evenly.
        let dull = four_plies([0.0, 7.0, -1e-9, 0.0], None);
        close(&shares(&Sampling::new(&half, &dull).unwrap(), &dull), &[1.0; 4]);
    }

    #[test]
    fn what_follows_a_decision_counts_less() {
        let weigh = |played_through, settings: &Settings| {
            let window = four_plies([1.0; 4], Some(Decided { ply: 2, played_through }));
            shares(&Sampling::new(settings, &window).unwrap(), &window)
        };
        let decided = Settings { decided_row_weight: 0.5, ..settings() };
        close(&weigh(false, &decided), &[4.0 / 3.0, 4.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
        // Played through, it was searched as if nothing had been decided.
        close(&weigh(true, &decided), &[1.0; 4]);
        let both = Settings { cheap_row_weight: 0.5, ..decided };
        close(&weigh(false, &both), &[16.0 / 9.0, 8.0 / 9.0, 8.0 / 9.0, 4.0 / 9.0]);
    }

    #[test]
    fn no_row_is_drawn_more_often_than_allowed() {
        let window = four_plies([7.0, 0.0, 1.0, 0.0], None);
        let strict = Settings { surprise_share: 0.5, max_row_passes: 1.25, ..settings() };
        // 1.375, 1, 0.625, 1 without the cap. The first is cut to 1.25; what it had above goes to the others.
        let rest = 2.75 / 2.625;
        let expected = [1.25, rest, 0.625 * rest, rest];
        close(&shares(&Sampling::new(&strict, &window).unwrap(), &window), &expected);
        let even = Settings { max_row_passes: 1.0, ..strict };
        close(&shares(&Sampling::new(&even, &window).unwrap(), &window), &[1.0; 4]);
    }

    #[test]
    fn the_cap_holds_for_any_weights() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for most in [1.0, 1.1, 2.0, 8.0] {
            let sizes: Vec<usize> = (0..100).map(|_| rng.random_range(1..4)).collect();
            let counts: Vec<usize> = (0..100).map(|_| rng.random_range(1..9)).collect();
            let mut weights: Vec<f32> = (0..100).map(|_| rng.random::<f32>().powi(8) + 1e-3).collect();
            let order = weights.clone();
            cap(&mut weights, (0..100).map(|index| (index, sizes[index], counts[index])), most);
            let rows: usize = sizes.iter().zip(&counts).map(|(size, count)| size * count).sum();
            let sum: f64 =
                weights.iter().zip(&counts).map(|(&weight, &count)| f64::from(weight) * count as f64).sum();
            assert!((sum / rows as f64 - 1.0).abs() < 1e-6);
            let limit = |index: usize| most * sizes[index] as f64 * (1.0 - 1e-6);
            let is_free = |&index: &usize| f64::from(weights[index]) < limit(index);
            let free = (0..100).find(is_free);
            for (index, &weight) in weights.iter().enumerate() {
                assert!(f64::from(weight) <= limit(index) * (1.0 + 2e-6));
                // What isn't cut keeps its proportion to the others.
                if let Some(free) = free.filter(|_| is_free(&index)) {
                    let (found, expected) = (weight / weights[free], order[index] / order[free]);
                    assert!((found / expected - 1.0).abs() < 1e-5);
                }
            }
        }
    }

    /// Four games that begin alike: as one row, the first positions weigh a row each.
    #[test]
    fn duplicates_share_one_weight() {
        let mut window = Window::new(100, 0.0);
        let start = "3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 0 1";
        for (game, mv) in (0..).zip(["e1f1", "e1g1", "e1h1", "e1a1"]) {
            let policy: &[_] = if game == 0 { &[] } else { &[(mv, 1.0)] };
            let mut game_record =
                record(start, Outcome::Draw, EndReason::PlyCap, vec![searched(mv, 0.0, 1.0, policy)]);
            game_record.game = game;
            window.push(&game_record).unwrap();
        }
        let other = searched("d9d8", 0.0, 1.0, &[]);
        let start = start.replace(" w ", " b ");
        let mut game_record = record(&start, Outcome::Draw, EndReason::PlyCap, vec![other]);
        game_record.game = 9;
        window.push(&game_record).unwrap();
        let dedupe = Settings { dedupe: true, cheap_row_weight: 0.2, ..settings() };
        let sampling = Sampling::new(&dedupe, &window).unwrap();
        let groups = sampling.groups().unwrap();
        let sizes: Vec<usize> = (0..2).map(|group| groups.members(group).len()).collect();
        // The group of four: (0.2 + 3) / 4 = 0.8; the other 0.2.
        let mut found: Vec<_> = sizes.into_iter().zip(shares(&sampling, &window)).collect();
        found.sort_by_key(|&(size, _)| size);
        assert_eq!(found.iter().map(|(size, _)| *size).collect::<Vec<_>>(), [1, 4]);
        close(&found.iter().map(|(_, share)| *share).collect::<Vec<_>>(), &[0.4, 1.6]);
    }

    /// Chi-square over the rows, as for drawing without weights.
    #[test]
    fn rows_are_drawn_as_they_weigh() {
        let window = window(4);
        let heavy = Settings { cheap_row_weight: 0.25, ..settings() };
        let sampling = Sampling::new(&heavy, &window).unwrap();
        let mut counts = vec![0_u32; window.len()];
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for number in sampling.draw(&window, 200 * window.len(), &mut rng) {
            counts[number] += 1;
        }
        let expected = shares(&sampling, &window).into_iter().map(|share| 200.0 * share);
        let chi_square: f64 =
            counts.iter().zip(expected).map(|(&count, of)| (f64::from(count) - of).powi(2) / of).sum();
        let freedom = (window.len() - 1) as f64;
        assert!((chi_square - freedom).abs() < 4.0 * (2.0 * freedom).sqrt(), "{chi_square} of {freedom}");
    }
}
