//! A network, or any other evaluator, under the project's search.

use crate::note::{MoveNote, MoveScore};
use crate::player::{Choice, Player, PlayerError, Turn};
use crate::settings::SettingsError;
use evaluator::Evaluator;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, Ply};
use search::{Decision, Proven, Root, Search};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which search a [`Searcher`] has at its root.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootKind {
    /// Gumbel's sequential halving, without noise and with a fresh tree each move: for few simulations.
    Gumbel,
    /// PUCT; the tree is kept from move to move: for many simulations.
    Puct,
}

/// How a [`Searcher`] searches.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearcherSettings {
    /// Simulations a move, 1 to 1,000,000. With `puct` they come on top of the tree that is kept.
    pub simulations: u32,
    /// `gumbel` or `puct`.
    pub root: RootKind,
    /// The search's own knobs.
    pub search: search::Settings,
}

impl Default for SearcherSettings {
    /// Gumbel with 32 simulations, as self-play searches its full moves.
    fn default() -> Self {
        Self { simulations: 32, root: RootKind::Gumbel, search: search::Settings::default() }
    }
}

impl SearcherSettings {
    /// Is everything in range?
    pub fn check(&self) -> Result<(), SettingsError> {
        let fine = (1..=1_000_000).contains(&self.simulations);
        SettingsError::unless(fine, "simulations", self.simulations, "1 to 1000000")?;
        self.search.check().map_err(SettingsError::Search)
    }
}

/// Plays the best move of a search with an evaluator. Uses no randomness: variety comes from the openings.
pub struct Searcher<E> {
    name: String,
    evaluator: E,
    simulations: u32,
    root: RootKind,
    search: Search,
    /// The moves to the root of the search's tree, if it is to be kept.
    kept: Option<Vec<Move>>,
}

impl<E: Evaluator> Searcher<E> {
    /// A player with this name. The evaluator's answers must not depend on what it was asked before.
    pub fn new(
        name: impl Into<String>,
        evaluator: E,
        settings: &SearcherSettings,
    ) -> Result<Self, SettingsError> {
        settings.check()?;
        Ok(Self {
            name: name.into(),
            evaluator,
            simulations: settings.simulations,
            root: settings.root,
            search: Search::new(settings.search),
            kept: None,
        })
    }

    /// Roots the search at the end of the game.
    fn set_root(&mut self, game: &Game) {
        let played: Vec<Move> = game.plies().iter().map(Ply::mv).collect();
        let root = match self.root {
            // No noise is drawn.
            RootKind::Gumbel => Root::Gumbel { noise: false },
            RootKind::Puct => Root::Puct,
        };
        match self.kept.as_deref().and_then(|kept| played.strip_prefix(kept)) {
            Some(new) if !new.is_empty() && root == Root::Puct => {
                for &mv in new {
                    self.search.advance(mv, self.simulations);
                }
            }
            _ => self.search.start(game, root, self.simulations, &mut ChaCha8Rng::seed_from_u64(0)),
        }
        self.kept = Some(played);
    }
}

impl<E: Evaluator> Player for Searcher<E> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn start_game(&mut self, _seed: u64) {
        self.kept = None;
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
        self.set_root(turn.game);
        search::run(&mut self.search, &mut self.evaluator)?;
        let decision = self.search.decide();
        let note = MoveNote {
            score: Some(score_of(decision)),
            nodes: Some(decision.simulations.into()),
            ..MoveNote::default()
        };
        Ok(Choice { mv: Some(decision.best), note })
    }
}

/// A value as others write it: in centipawns 90 tan(1.5637541897 v), as lc0 has it, or the mate that is proven.
fn score_of(decision: Decision) -> MoveScore {
    let moves = |plies: u16| i32::from(plies.div_ceil(2));
    match decision.proven {
        Some(Proven::Win { plies }) => MoveScore::Mate(moves(plies)),
        Some(Proven::Loss { plies }) => MoveScore::Mate(-moves(plies)),
        Some(Proven::Draw) => MoveScore::Centipawns(0),
        None => {
            MoveScore::Centipawns((90.0 * (1.563_754_189_7 * f64::from(decision.value)).tan()).round() as i32)
        }
    }
}

impl<E> fmt::Debug for Searcher<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher")
            .field("name", &self.name)
            .field("simulations", &self.simulations)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::Baseline;
    use crate::paired_match::{MatchSettings, play_match};
    use evaluator::{Answer, EvaluatorError, Hashed, Material, Query, Uniform};
    use rules::{Position, Rules};
    use std::ops::ControlFlow;
    use std::sync::atomic::AtomicBool;

    fn searcher<E: Evaluator>(evaluator: E, root: RootKind, simulations: u32) -> Searcher<E> {
        let settings = SearcherSettings { simulations, root, ..SearcherSettings::default() };
        Searcher::new("test", evaluator, &settings).unwrap()
    }

    #[test]
    fn finds_a_mate_with_either_root() {
        // Thirteen legal moves; a7d7 mates, and after a7a8 the general can't move, which loses too.
        let position: Position = "3k5/9/R8/P8/9/9/9/9/9/4K4 w".parse().unwrap();
        let game = Game::new(position, Rules::default());
        for root in [RootKind::Gumbel, RootKind::Puct] {
            let mut player = searcher(Uniform, root, 200);
            let chosen = player.choose(&Turn::from(&game)).unwrap().mv.unwrap().to_string();
            assert!(["a7a8", "a7d7"].contains(&chosen.as_str()), "{root:?}: {chosen}");
        }
    }

    #[test]
    fn material_under_search_beats_random() {
        for root in [RootKind::Gumbel, RootKind::Puct] {
            let result = play_match(
                &MatchSettings { pairs: 8, threads: 2, ..MatchSettings::default() },
                || searcher(Material, root, 100),
                || Baseline::Random.player(),
                &AtomicBool::new(false),
                |_, _| ControlFlow::Continue(()),
            );
            let score = result.unwrap().score;
            assert!(0.6 < score.share(), "{root:?}: {score}");
        }
    }

    /// Two games one after the other on one player equal the same games on two: nothing is carried over.
    #[test]
    fn a_game_does_not_depend_on_the_one_before() {
        for root in [RootKind::Gumbel, RootKind::Puct] {
            let play = |player: &mut Searcher<Hashed>, first: &str| {
                player.start_game(0);
                let mut game = Game::new(Position::start(), Rules::default());
                game.play(first.parse().unwrap()).unwrap();
                for _ in 0..6 {
                    let choice = player.choose(&Turn::from(&game)).unwrap();
                    game.play(choice.mv.unwrap()).unwrap();
                    let reply = game.position().legal_moves()[3];
                    game.play(reply).unwrap();
                }
                game.plies().iter().map(Ply::mv).collect::<Vec<_>>()
            };
            let mut player = searcher(Hashed { seed: 4 }, root, 24);
            let games = [play(&mut player, "h2e2"), play(&mut player, "b0c2")];
            let fresh = play(&mut searcher(Hashed { seed: 4 }, root, 24), "b0c2");
            assert_eq!(games[1], fresh, "{root:?}");
            assert_ne!(games[0], games[1]);
        }
    }

    #[test]
    fn an_error_of_the_evaluator_is_passed_on() {
        struct Broken;
        impl Evaluator for Broken {
            fn evaluate(&mut self, _: &[Query<'_>], _: &mut [Answer]) -> Result<(), EvaluatorError> {
                Err(EvaluatorError::Backend("no device".to_owned()))
            }
        }
        let game = Game::new(Position::start(), Rules::default());
        let error = searcher(Broken, RootKind::Gumbel, 4).choose(&Turn::from(&game)).unwrap_err();
        assert_eq!(error.to_string(), "evaluation failed: no device");
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let settings = SearcherSettings { simulations: 0, ..SearcherSettings::default() };
        let error = Searcher::new("test", Material, &settings).unwrap_err();
        assert_eq!(error.to_string(), "simulations = 0: want 1 to 1000000");
        let search = search::Settings { max_nodes: 0, ..search::Settings::default() };
        let settings = SearcherSettings { search, ..SearcherSettings::default() };
        let error = settings.check().unwrap_err();
        assert_eq!(error.to_string(), "search.max_nodes = 0: want 2 to 16777216");
    }
}
