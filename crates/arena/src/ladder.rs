//! The absolute ladder: a player against opponents of known strength.

use crate::elo::{Elo, expected_share};
use crate::paired_match::{MatchEnd, MatchError, MatchResult, MatchSettings, play_match};
use crate::player::Player;
use crate::rating::{Encounter, SCALE_END, maximum_likelihood};
use crate::record::{EndReason, PairRecord, Reasons};
use crate::rung::Rung;
use crate::score::Score;
use crate::settings::SettingsError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// Which rungs are tried, and for how long.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LadderSettings {
    /// The opponents in the order of play, weakest first.
    pub rungs: Vec<Rung>,
    /// Pairs of games on each rung, 1 to 100,000.
    pub pairs_per_rung: u32,
    /// The climb ends after a rung with a points share below this, 0 to 1; 0: all rungs are tried.
    pub give_up_below: f64,
}

impl Default for LadderSettings {
    /// Random, greedy, depth 1 to 4; 20 pairs each; up to the first rung with less than 5 %.
    fn default() -> Self {
        let names = ["random", "greedy", "depth-1", "depth-2", "depth-3", "depth-4"];
        Self {
            rungs: names.map(|name| name.parse().expect("the name of a rung")).to_vec(),
            pairs_per_rung: 20,
            give_up_below: 0.05,
        }
    }
}

impl LadderSettings {
    /// Is everything in range, and are all rungs built in? Outside engines are for [`climb_with`].
    pub fn check(&self) -> Result<(), SettingsError> {
        self.check_ranges()?;
        for rung in &self.rungs {
            let built_in = rung.baseline().is_some();
            SettingsError::unless(built_in, "rungs", rung, "random, greedy, depth-1 to depth-4")?;
        }
        Ok(())
    }

    /// Is everything in range?
    pub fn check_ranges(&self) -> Result<(), SettingsError> {
        SettingsError::unless(!self.rungs.is_empty(), "rungs", "[]", "at least one")?;
        let again = (1..self.rungs.len()).find(|&rung| self.rungs[..rung].contains(&self.rungs[rung]));
        if let Some(again) = again {
            SettingsError::unless(false, "rungs", self.rungs[again], "each rung once")?;
        }
        let pairs = self.pairs_per_rung;
        SettingsError::unless((1..=100_000).contains(&pairs), "pairs_per_rung", pairs, "1 to 100000")?;
        let share = self.give_up_below;
        SettingsError::unless((0.0..=1.0).contains(&share), "give_up_below", share, "0 to 1")
    }
}

/// A player's result on one rung.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct RungScore {
    /// The opponent.
    pub opponent: Rung,
    /// The player's score against it.
    pub score: Score,
    /// Why the games ended.
    pub reasons: Reasons,
}

/// A player's results on the ladder. Prints one line for each rung and one for the rating.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Climb {
    /// In the order of play.
    pub rungs: Vec<RungScore>,
    /// The stop flag ended it; the last rung may be incomplete.
    pub stopped: bool,
}

/// Where a player stands on the scale of [`Rung`].
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// The rating, with the interval that comes of the number of games played: what to compare ratings of one
    /// ladder by.
    pub elo: Elo,
    /// What the uncertainty of the opponents' own ratings adds, 95 %: the weighted mean of their errors, as if all
    /// were wrong in one direction. It is the same for everyone whom the ladder measures.
    pub scale_error: f64,
}

impl Climb {
    /// The maximum-likelihood rating over all rungs.
    pub fn rating(&self) -> Rating {
        let reference = |rung: &RungScore| rung.opponent.reference();
        let results: Vec<Encounter> =
            self.rungs.iter().map(|rung| Encounter::new(reference(rung).elo, &rung.score)).collect();
        let elo = maximum_likelihood(&results);
        let nearest = elo.value.clamp(-SCALE_END, SCALE_END);
        let weight = |result: &Encounter| {
            let share = expected_share(nearest - result.opponent);
            result.games * share * (1.0 - share)
        };
        let total: f64 = results.iter().map(weight).sum();
        let errors =
            results.iter().zip(&self.rungs).map(|(result, rung)| weight(result) * reference(rung).error);
        let weighted: f64 = errors.sum();
        Rating { elo, scale_error: if 0.0 < total { weighted / total } else { 0.0 } }
    }
}

impl fmt::Display for Climb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width =
            self.rungs.iter().map(|rung| rung.opponent.name().len()).max().unwrap_or(0).max("rating".len());
        for rung in &self.rungs {
            write!(f, "{:<width$} {}", rung.opponent, rung.score)?;
            // What is not by the rules of the game says little of strength.
            for (reason, count) in
                rung.reasons.iter().filter(|(reason, _)| !matches!(reason, EndReason::Rules(_)))
            {
                write!(f, ", {} {count}", reason.name())?;
            }
            writeln!(f)?;
        }
        let Rating { elo, scale_error } = self.rating();
        write!(f, "{:<width$} Elo {elo} (scale ± {scale_error:.0})", "rating")?;
        f.write_str(if self.stopped { ", stopped early" } else { "" })
    }
}

/// Plays a player against one built-in rung after the other. The number of pairs is the ladder's, all other settings
/// are the match's; every rung has the same openings. Each pair is handed to `on_pair` with the opponent and the score
/// on that rung so far.
pub fn climb<P: Player>(
    settings: &LadderSettings,
    match_settings: &MatchSettings,
    make_player: impl Fn() -> P + Sync,
    stop: &AtomicBool,
    mut on_pair: impl FnMut(Rung, &PairRecord, &Score),
) -> Result<Climb, MatchError> {
    settings.check()?;
    let match_settings = MatchSettings { pairs: settings.pairs_per_rung, ..match_settings.clone() };
    climb_with(settings, |rung| {
        let opponent = rung.baseline().expect("the check refuses outside engines");
        play_match(
            &match_settings,
            &make_player,
            || opponent.player(),
            stop,
            |pair, score| {
                on_pair(rung, pair, score);
                ControlFlow::Continue(())
            },
        )
    })
}

/// Climbs with matches that the caller plays: `play` gives the player's match against a rung, of
/// `settings.pairs_per_rung` pairs. So rungs may be outside engines, and matches may go on from files.
pub fn climb_with<E: From<SettingsError>>(
    settings: &LadderSettings,
    mut play: impl FnMut(Rung) -> Result<MatchResult, E>,
) -> Result<Climb, E> {
    settings.check_ranges()?;
    let mut climb = Climb { rungs: Vec::new(), stopped: false };
    for &opponent in &settings.rungs {
        let result = play(opponent)?;
        climb.rungs.push(RungScore { opponent, score: result.score, reasons: result.reasons });
        climb.stopped = result.end == MatchEnd::Stopped;
        if climb.stopped || result.score.share() < settings.give_up_below {
            break;
        }
    }
    Ok(climb)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::Baseline;

    /// The games that [`Rung`] speaks of.
    #[test]
    fn the_reference_of_depth_4_is_the_likeliest_rating_after_its_games() {
        let elo = |name: &str| name.parse::<Rung>().unwrap().reference().elo;
        let found = maximum_likelihood(&[
            Encounter::new(elo("depth-2"), &Score::of_pairs([0, 0, 8, 5, 87], 0)),
            Encounter::new(elo("depth-3"), &Score::of_pairs([3, 1, 17, 5, 74], 0)),
        ]);
        assert!((found.value - elo("depth-4")).abs() < 5.0, "{found}");
    }

    #[test]
    fn rungs_may_be_outside_engines_that_the_caller_plays() {
        let rungs = ["depth-3", "fairy-stockfish-100", "hoixiangqi-4", "maxqi-5"];
        let settings = LadderSettings {
            rungs: rungs.map(|name| name.parse().unwrap()).to_vec(),
            ..LadderSettings::default()
        };
        assert!(settings.check().unwrap_err().to_string().starts_with("rungs = fairy-stockfish-100: "));
        let mut played = Vec::new();
        let found = climb_with(&settings, |rung| {
            played.push(rung.player());
            let pairs = if played.len() < 3 { [5, 0, 5, 0, 10] } else { [20, 0, 0, 0, 0] };
            let (reasons, end) = (Reasons::default(), MatchEnd::Complete);
            Ok::<_, SettingsError>(MatchResult { score: Score::of_pairs(pairs, 0), reasons, end })
        });
        let found = found.unwrap();
        assert_eq!((played.len(), found.rungs.len()), (3, 3), "not after a rung without a point");
        assert!(played[1].starts_with("uci-variant:fairy-stockfish,nodes=100,"), "{played:?}");
        let Rating { elo, .. } = found.rating();
        assert!(-313.0 < elo.low && elo.high < 283.0, "{found}");
        let lines: Vec<String> = found.to_string().lines().map(str::to_owned).collect();
        assert!(lines[0].starts_with("depth-3             62.5 %"), "{found}");
        assert!(lines[3].starts_with("rating              Elo "), "{found}");
    }

    #[test]
    fn climbs_until_it_can_get_no_higher() {
        let settings = LadderSettings {
            rungs: ["random", "depth-3", "depth-4"].map(|name| name.parse().unwrap()).to_vec(),
            pairs_per_rung: 5,
            give_up_below: 0.2,
        };
        let (match_settings, stop) = (MatchSettings::default(), AtomicBool::new(false));
        let mut pairs = 0;
        let player = || Baseline::Greedy.player();
        let found = climb(&settings, &match_settings, player, &stop, |_, _, _| pairs += 1).unwrap();
        assert_eq!(pairs, 10, "depth-4 is not tried after depth-3:\n{found}");
        let Rating { elo, scale_error } = found.rating();
        assert!(-1400.0 < elo.low && elo.high < -300.0, "{found}");
        assert!(68.0 < scale_error && scale_error < 93.0, "{found}");
        assert_eq!(found.to_string().lines().count(), 3);
        assert!(serde_json::to_string(&found).unwrap().starts_with("{\"rungs\":[{\"opponent\":\"random\""));
    }

    #[test]
    fn settings_out_of_range_are_named() {
        assert_eq!(LadderSettings::default().check(), Ok(()));
        let message = |settings: LadderSettings| settings.check().unwrap_err().to_string();
        assert_eq!(
            message(LadderSettings { rungs: vec![], ..LadderSettings::default() }),
            "rungs = []: want at least one"
        );
        assert!(
            message(LadderSettings { pairs_per_rung: 0, ..LadderSettings::default() })
                .starts_with("pairs_per_rung = 0: ")
        );
        assert!(
            message(LadderSettings { give_up_below: 2.0, ..LadderSettings::default() })
                .starts_with("give_up_below = 2: ")
        );
    }
}
