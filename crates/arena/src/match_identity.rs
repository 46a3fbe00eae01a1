//! Which match a match file holds, in words, and the terms that are read back from them.

use crate::adjudication::{Adjudication, DrawRule, WinRule};
use crate::opening::Openings;
use crate::paired_match::MatchSettings;
use rules::{Material, RuleSet, Rules};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::num::{NonZeroU8, NonZeroU16};

/// What makes two matches the same: names and values, in words. The number of pairs and of threads don't count, so a
/// match may be made longer.
pub(crate) type MatchIdentity = BTreeMap<String, String>;

/// A player as match files know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    /// Its name in the games: [`crate::Player::name`].
    pub name: String,
    /// All that makes it the player that it is, in words.
    pub what: String,
}

/// What makes a match with these settings between A and B what it is.
pub(crate) fn identity_of(settings: &MatchSettings, [a, b]: [&Entrant; 2]) -> MatchIdentity {
    // Every setting must be looked at here.
    let MatchSettings { pairs: _, threads: _, seed, openings, rules, adjudication } = settings;
    let mut identity = words_of(*rules, adjudication);
    let entries = [
        ("a", a.what.clone()),
        ("b", b.what.clone()),
        (NAMES[0], a.name.clone()),
        (NAMES[1], b.name.clone()),
        ("seed", seed.to_string()),
        ("openings", openings_in_words(openings)),
    ];
    identity.extend(entries.map(|(key, value)| (key.to_owned(), value)));
    identity
}

/// The keys of the two names.
const NAMES: [&str; 2] = ["name of a", "name of b"];

fn openings_in_words(openings: &Openings) -> String {
    match openings {
        Openings::Random(settings) => {
            format!("{} to {} random plies", settings.plies_min, settings.plies_max)
        }
        Openings::Book(book) => {
            let mut hash = Sha256::new();
            book.lines().for_each(|line| hash.update(line + "\n"));
            let hash = hash.finalize();
            let hash = hash.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
            format!("{} of a book, hash {hash:016x}", book.openings().len())
        }
    }
}

/// By what games of a match are judged, and who plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Terms {
    pub(crate) rules: Rules,
    pub(crate) adjudication: Adjudication,
    /// Of A and B.
    pub(crate) names: [String; 2],
}

const RULE_SET: &str = "rule set";
const FOLDS: &str = "folds";
const LIMIT: &str = "natural limit";
const CAP: &str = "check cap";
const MATERIAL: &str = "material";
const WINS: &str = "adjudicated wins";
const DRAWS: &str = "adjudicated draws";
const LONGEST: &str = "longest game";
const NONE: &str = "none";

fn words_of(rules: Rules, adjudication: &Adjudication) -> MatchIdentity {
    let Rules { rule_set, folds, natural_limit_plies, check_cap, material } = rules;
    let Adjudication { win, draw, longest_plies } = adjudication;
    let or_none = |words: Option<String>| words.unwrap_or_else(|| NONE.to_owned());
    let win = win.map(|rule| format!("{} centipawns, {} moves", rule.centipawns, rule.moves));
    let draw = draw.map(|rule| {
        format!("{} centipawns, {} moves, from move {}", rule.centipawns, rule.moves, rule.from_move)
    });
    let entries = [
        (RULE_SET, rule_set.name().to_owned()),
        (FOLDS, folds.to_string()),
        (LIMIT, or_none(natural_limit_plies.map(|plies| plies.to_string()))),
        (CAP, or_none(check_cap.map(|checks| checks.to_string()))),
        (MATERIAL, material.name().to_owned()),
        (WINS, or_none(win)),
        (DRAWS, or_none(draw)),
        (LONGEST, or_none(longest_plies.map(|plies| format!("{plies} plies")))),
    ];
    entries.map(|(key, value)| (key.to_owned(), value)).into()
}

impl Terms {
    /// From the words; else what is wrong with them.
    pub(crate) fn read(identity: &MatchIdentity) -> Result<Self, String> {
        let words = |key: &str| identity.get(key).ok_or_else(|| format!("it doesn't say its {key}"));
        let wrong = |key: &str, allowed: &str| match identity.get(key) {
            Some(value) => format!("{key} = {value}: want {allowed}"),
            None => format!("it doesn't say its {key}"),
        };
        let names = [words(NAMES[0])?.clone(), words(NAMES[1])?.clone()];
        let rule_set = RuleSet::from_name(words(RULE_SET)?);
        let material = Material::from_name(words(MATERIAL)?);
        let folds = words(FOLDS)?.parse().ok();
        let rules = Rules {
            rule_set: rule_set.ok_or_else(|| wrong(RULE_SET, &RuleSet::ALL.map(RuleSet::name).join(", ")))?,
            folds: folds.ok_or_else(|| wrong(FOLDS, "a number"))?,
            natural_limit_plies: words(LIMIT)?.parse::<NonZeroU16>().ok(),
            check_cap: words(CAP)?.parse::<NonZeroU8>().ok(),
            material: material
                .ok_or_else(|| wrong(MATERIAL, &Material::ALL.map(Material::name).join(", ")))?,
        };
        let adjudication = Adjudication {
            win: match numbers(words(WINS)?)[..] {
                [centipawns, moves] => Some(WinRule { centipawns, moves: moves as u16 }),
                _ => None,
            },
            draw: match numbers(words(DRAWS)?)[..] {
                [centipawns, moves, from_move] => {
                    Some(DrawRule { centipawns, moves: moves as u16, from_move: from_move as u16 })
                }
                _ => None,
            },
            longest_plies: match numbers(words(LONGEST)?)[..] {
                [plies] => u16::try_from(plies).ok(),
                _ => None,
            },
        };
        // What was read with an easy hand must give the same words.
        for (key, value) in words_of(rules, &adjudication) {
            if words(&key)? != &value {
                return Err(wrong(&key, &format!("words such as {value}")));
            }
        }
        Ok(Self { rules, adjudication, names })
    }
}

/// All whole numbers in a text.
fn numbers(text: &str) -> Vec<i32> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entrants() -> [Entrant; 2] {
        ["first", "second"].map(|name| Entrant { name: name.to_owned(), what: format!("what {name} is") })
    }

    #[test]
    fn terms_are_read_back() {
        let [a, b] = entrants();
        let win = Some(WinRule { centipawns: 800, moves: 4 });
        let draw = Some(DrawRule { centipawns: 10, moves: 8, from_move: 40 });
        let mut compared = 0;
        for rule_set in RuleSet::ALL {
            for (win, draw, longest_plies) in
                [(None, None, None), (win, None, Some(120)), (None, draw, None), (win, draw, Some(400))]
            {
                for (check_cap, material) in
                    [(None, Material::Strict), (NonZeroU8::new(9), Material::Extended)]
                {
                    let rules = Rules { check_cap, material, ..Rules::of(rule_set) };
                    let adjudication = Adjudication { win, draw, longest_plies };
                    let settings = MatchSettings { rules, adjudication, ..MatchSettings::default() };
                    let names = [a.name.clone(), b.name.clone()];
                    let read = Terms::read(&identity_of(&settings, [&a, &b]));
                    assert_eq!(read, Ok(Terms { rules, adjudication, names }));
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 64);
    }

    #[test]
    fn terms_that_cannot_be_are_refused() {
        let [a, b] = entrants();
        let good = identity_of(&MatchSettings::default(), [&a, &b]);
        for (key, value, problem) in [
            (RULE_SET, "chess", "rule set = chess: want formal, "),
            (FOLDS, "many", "folds = many: want a number"),
            (LIMIT, "60 moves", "natural limit = 60 moves: want words such as none"),
            (
                WINS,
                "5 cents, 3 moves",
                "adjudicated wins = 5 cents, 3 moves: want words such as 5 centipawns",
            ),
            (
                DRAWS,
                "5 centipawns, 70000 moves, from move 1",
                "adjudicated draws = 5 centipawns, 70000 moves",
            ),
        ] {
            let mut bad = good.clone();
            bad.insert(key.to_owned(), value.to_owned());
            let error = Terms::read(&bad).unwrap_err();
            assert!(error.starts_with(problem), "{error}");
            bad.remove(key);
            assert_eq!(Terms::read(&bad), Err(format!("it doesn't say its {key}")));
        }
    }
}
