//! Soft resignation: a game that both sides call decided goes on to its end, but costs less.
//!
//! Nobody resigns, so that every game has the result that the rules give it and every ending is learnt. A share of the
//! decided games is played through as if nothing had happened, which says how often such a verdict is wrong
//! ([`replay::Statistics`]). What the rows of a decided game weigh in training is the trainer's business.

use replay::{PlyRecord, value_to_i16};
use serde::{Deserialize, Serialize};

/// When a game counts as decided, and how it goes on.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignationSettings {
    /// A side is held for lost when the last root values say −this or less for it, and this or more for the other;
    /// 0.1 to 1, default 1: never.
    pub value: f32,
    /// How many of them in a row must say so, of both sides in turn; 2 to 100, default 6.
    pub plies: u16,
    /// Share of the moves that get a full search from then on; 0 to 1, default 0.
    pub full_search_share: f32,
    /// Share of the decided games that are played through; 0 to 1, default 0.1 (Silver 2017, where 10 % of the games
    /// ignore resignation to measure false positives).
    pub holdout_share: f32,
}

impl Default for ResignationSettings {
    fn default() -> Self {
        Self { value: 1.0, plies: 6, full_search_share: 0.0, holdout_share: 0.1 }
    }
}

impl ResignationSettings {
    /// Do the last plies say that the game is decided? Each was searched, and all agree on who wins.
    pub(crate) fn is_decided(&self, plies: &[PlyRecord]) -> bool {
        // Of a proven result the search is certain, but there the game is as good as over.
        if self.value >= 1.0 {
            return false;
        }
        let Some(start) = plies.len().checked_sub(self.plies.into()) else { return false };
        let least = i32::from(value_to_i16(self.value));
        let wins = |first_view: i32| {
            let views = [first_view, -first_view].into_iter().cycle();
            let mut plies = plies[start..].iter().zip(views);
            plies.all(|(ply, view)| ply.simulations > 0 && least <= view * i32::from(ply.root_value))
        };
        wins(1) || wins(-1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Move;

    fn plies(values: &[f32]) -> Vec<PlyRecord> {
        let mv: Move = "h2e2".parse().unwrap();
        let searched = |&value| PlyRecord {
            simulations: 8,
            root_value: value_to_i16(value),
            ..PlyRecord::unsearched(mv)
        };
        values.iter().map(searched).collect()
    }

    #[test]
    fn both_sides_must_agree_for_so_many_plies_in_a_row() {
        let settings = ResignationSettings { value: 0.9, plies: 4, ..ResignationSettings::default() };
        for (values, decided) in [
            (&[0.95, -0.95, 0.9, -0.9][..], true),
            (&[-0.95, 0.95, -0.95, 0.95], true),
            (&[0.1, -0.95, 0.95, -0.95, 0.95], true),
            (&[-0.95, 0.95, -0.95], false),
            (&[-0.95, 0.95, -0.89, 0.95], false),
            (&[0.95, -0.95, 0.95, -0.95, 0.2], false),
            // Both sides think that they win.
            (&[0.95, 0.95, 0.95, 0.95], false),
            (&[], false),
        ] {
            assert_eq!(settings.is_decided(&plies(values)), decided, "{values:?}");
        }
        let mut with_a_random_ply = plies(&[0.95, -0.95, 0.95, -0.95]);
        with_a_random_ply[0] = PlyRecord::unsearched(with_a_random_ply[0].mv);
        assert!(!settings.is_decided(&with_a_random_ply));
    }

    #[test]
    fn a_value_of_one_never_decides() {
        assert!(!ResignationSettings::default().is_decided(&plies(&[1.0, -1.0, 1.0, -1.0, 1.0, -1.0])));
    }
}
