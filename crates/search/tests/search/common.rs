//! What the tests of the search share.

use evaluator::{Answer, Evaluator, EvaluatorError, Query, Uniform};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rules::{Game, Move, Position, Rules};
use search::{Proven, Report, Root, RootMove, Search, Settings};

pub(crate) fn position(fen: &str) -> Position {
    fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The game that starts with this position and these moves, by the default rules.
pub(crate) fn game(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(position(fen), Rules::default());
    for mv in moves.split_whitespace() {
        game.play(mv.parse().unwrap()).unwrap();
    }
    game
}

pub(crate) fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

/// A finished search with the default settings.
pub(crate) fn searched(game: &Game, root: Root, simulations: u32, evaluator: &mut impl Evaluator) -> Search {
    let mut search = Search::new(Settings::default());
    search.start(game, root, simulations, &mut rng());
    search::run(&mut search, evaluator).unwrap();
    search
}

/// What PUCT finds without any knowledge.
pub(crate) fn blind(game: &Game, simulations: u32) -> Report {
    let report = searched(game, Root::Puct, simulations, &mut Uniform).report();
    check(&report, game);
    report
}

pub(crate) fn find(report: &Report, mv: &str) -> RootMove {
    *report.moves.iter().find(|root_move| root_move.mv.to_string() == mv).unwrap()
}

/// What must be true of every report.
pub(crate) fn check(report: &Report, game: &Game) {
    let sum = |f: fn(&RootMove) -> f32| report.moves.iter().map(f).sum::<f32>();
    assert_eq!(report.moves.len(), game.permitted_moves().len());
    assert!((sum(|root_move| root_move.prior) - 1.0).abs() < 1e-4, "{report:?}");
    assert!((sum(|root_move| root_move.target) - 1.0).abs() < 1e-4, "{report:?}");
    assert!(report.decision.kl >= 0.0 && report.decision.kl.is_finite(), "{report:?}");
    assert!(
        (-1.0..=1.0).contains(&report.decision.value) && (0.0..=1.0).contains(&report.decision.draw),
        "{report:?}"
    );
    assert!(report.moves.is_sorted_by(|a, b| a.visits >= b.visits));
    assert_eq!(report.line[0], report.decision.best);
    check_line(report, game);
}

/// The line is legal, and a proven line ends with the result.
fn check_line(report: &Report, game: &Game) {
    let mut game = game.clone();
    for &mv in &report.line {
        assert_eq!(game.ending(), None, "the line goes on after the end: {:?}", report.line);
        game.play(mv).unwrap();
    }
    if let Some(Proven::Win { plies } | Proven::Loss { plies }) = report.decision.proven {
        assert_eq!(report.line.len(), usize::from(plies), "{:?}", report.line);
        assert!(game.ending().is_some(), "{:?}", report.line);
    }
}

/// Prefers one move wherever it is legal.
pub(crate) struct Favour(pub(crate) Move);

impl Evaluator for Favour {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        sure_of(queries, answers, |query| query.legal.iter().position(|&mv| mv == self.0))
    }
}

/// Sure of the first legal move.
pub(crate) struct First;

impl Evaluator for First {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        sure_of(queries, answers, |_| Some(0))
    }
}

fn sure_of(
    queries: &[Query<'_>],
    answers: &mut [Answer],
    favourite: impl Fn(&Query<'_>) -> Option<usize>,
) -> Result<(), EvaluatorError> {
    Uniform.evaluate(queries, answers)?;
    for (query, answer) in queries.iter().zip(answers) {
        if let Some(slot) = favourite(query) {
            answer.logits[slot] = 20.0;
        }
    }
    Ok(())
}
