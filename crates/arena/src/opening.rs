//! How games start: openings, so that two deterministic players don't play one game again and again.

use crate::alpha_beta::{AlphaBeta, Depth};
use crate::book::Book;
use crate::random::one_of;
use crate::settings::SettingsError;
use rand::{Rng, RngExt as _};
use rules::{Game, Move, Ply, Position, Rules};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where the openings of a match come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Openings {
    /// Random plies from the start position, drawn anew for each pair.
    Random(OpeningSettings),
    /// The openings of a book, one after the other in an order that the match's seed draws; after the last one all
    /// again in another order.
    Book(Arc<Book>),
}

impl Default for Openings {
    fn default() -> Self {
        OpeningSettings::default().into()
    }
}

impl From<OpeningSettings> for Openings {
    fn from(settings: OpeningSettings) -> Self {
        Self::Random(settings)
    }
}

impl From<Book> for Openings {
    fn from(book: Book) -> Self {
        Self::Book(Arc::new(book))
    }
}

impl Openings {
    /// Do games start from them under these rules?
    pub fn check(&self, rules: Rules) -> Result<(), SettingsError> {
        match self {
            Self::Random(settings) => {
                // A game must not be over before its opening is.
                let limit = rules.natural_limit_plies.map_or(u16::MAX, std::num::NonZeroU16::get);
                let enough = u16::from(settings.plies_max) < limit;
                let allowed = "more than openings.plies_max";
                SettingsError::unless(enough, "rules.natural_limit_plies", limit, allowed)?;
                settings.check()
            }
            Self::Book(book) => book.openings().iter().try_for_each(|opening| {
                let game = opening.game(rules);
                let fen = || game.position().fen();
                SettingsError::unless(
                    game.ending().is_none(),
                    "openings",
                    fen(),
                    "games that aren't over yet",
                )
            }),
        }
    }

    /// The opening of a pair in the match with this seed; `rng` is the pair's own.
    pub(crate) fn of_pair(&self, seed: u64, pair: u32, rules: Rules, rng: &mut impl Rng) -> Opening {
        match self {
            Self::Random(settings) => Opening::draw(settings, rules, rng),
            Self::Book(book) => book.of_pair(seed, pair).clone(),
        }
    }
}

/// How long random openings are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OpeningSettings {
    /// The fewest random plies from the start position, 0 to 30.
    pub plies_min: u8,
    /// The most, `plies_min` to 30.
    pub plies_max: u8,
}

impl Default for OpeningSettings {
    /// 4 to 8 plies, as the reference ratings were measured with.
    fn default() -> Self {
        Self { plies_min: 4, plies_max: 8 }
    }
}

impl OpeningSettings {
    /// Are the plies in range?
    pub fn check(&self) -> Result<(), SettingsError> {
        let fine = self.plies_min <= self.plies_max;
        SettingsError::unless(fine, "openings.plies_min", self.plies_min, "at most openings.plies_max")?;
        SettingsError::unless(self.plies_max <= 30, "openings.plies_max", self.plies_max, "0 to 30")
    }
}

/// What both games of a pair start with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// Where they start.
    pub start: Position,
    /// Legal moves from there.
    pub moves: Vec<Move>,
}

/// An opening is drawn anew when a search of two plies sees one side this much ahead, in pawns (a rook), or mated:
/// the colours are exchanged, so it would be fair, but two such games say little.
const DECIDED: i32 = 9;

impl Opening {
    /// Draws plies at random until the game is neither over nor decided.
    pub fn draw(settings: &OpeningSettings, rules: Rules, rng: &mut impl Rng) -> Self {
        loop {
            let plies = rng.random_range(settings.plies_min..=settings.plies_max);
            if let Some(opening) = Self::try_draw(plies, rules, rng) {
                return opening;
            }
        }
    }

    fn try_draw(plies: u8, rules: Rules, rng: &mut impl Rng) -> Option<Self> {
        let mut game = Game::new(Position::start(), rules);
        for _ in 0..plies {
            if game.ending().is_some() {
                return None;
            }
            game.play_unchecked(one_of(&game.permitted_moves(), rng));
        }
        let looks_two_plies_ahead = const { Depth::new(2).expect("at most 8") };
        let (value, _) = AlphaBeta::new(looks_two_plies_ahead).best_moves(game.position());
        let open = game.ending().is_none() && value.abs() < DECIDED;
        open.then(|| Self { start: Position::start(), moves: game.plies().iter().map(Ply::mv).collect() })
    }

    /// The game after these moves.
    pub fn game(&self, rules: Rules) -> Game {
        let mut game = Game::new(self.start.clone(), rules);
        for &mv in &self.moves {
            game.play_unchecked(mv);
        }
        game
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;
    use std::collections::BTreeSet;

    #[test]
    fn openings_are_legal_open_of_the_right_length_and_differ() {
        let (settings, rules) = (OpeningSettings::default(), Rules::default());
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut lengths = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for _ in 0..300 {
            let opening = Opening::draw(&settings, rules, &mut rng);
            let mut game = Game::new(Position::start(), rules);
            for &mv in &opening.moves {
                game.play(mv).unwrap();
            }
            assert_eq!(game.ending(), None);
            assert_eq!(game.position(), opening.game(rules).position());
            lengths.insert(opening.moves.len());
            seen.insert(opening.moves);
        }
        assert_eq!(lengths, (4..=8).collect());
        assert_eq!(seen.len(), 300);
    }

    #[test]
    fn no_random_plies_is_the_start_position() {
        let settings = OpeningSettings { plies_min: 0, plies_max: 0 };
        let opening = Opening::draw(&settings, Rules::default(), &mut ChaCha8Rng::seed_from_u64(3));
        assert_eq!(opening.game(Rules::default()).position(), &Position::start());
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let check = |plies_min, plies_max| {
            OpeningSettings { plies_min, plies_max }.check().map_err(|error| error.to_string())
        };
        assert_eq!(check(4, 8), Ok(()));
        assert_eq!(check(5, 4), Err("openings.plies_min = 5: want at most openings.plies_max".to_owned()));
        assert_eq!(check(5, 31), Err("openings.plies_max = 31: want 0 to 30".to_owned()));
    }
}
