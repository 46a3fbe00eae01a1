//! What holds of any search: budgets, reuse, exactness, symmetry.

use crate::common::{self, check, find, game, position, rng, searched};
use evaluator::{Answer, Evaluator, EvaluatorError, Hashed, Query, Uniform};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rules::{Colour, Game, Move, Position, RuleSet, Rules, START_FEN};
use search::{Report, Root, Search, Settings};

const MIDDLEGAME: &str = "r1bakab1r/9/1cn3nc1/p3p1p1p/2p6/6P2/P1P1P3P/1CN3NC1/9/R1BAKAB1R b";
const ENDGAME: &str = "3k5/4P4/9/9/9/6N2/9/4B3p/4A4/4K4 w";
const RED_GIVES_A_ROOK: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/1NBAKABNR w";
const POSITIONS: [&str; 3] = [START_FEN, MIDDLEGAME, ENDGAME];
const ROOTS: [Root; 3] = [Root::Gumbel { noise: true }, Root::Gumbel { noise: false }, Root::Puct];

fn hashed() -> Hashed {
    Hashed { seed: 5 }
}

fn visits(report: &Report) -> u32 {
    report.moves.iter().map(|root_move| root_move.visits).sum()
}

#[test]
fn visits_add_up_to_the_simulations() {
    for fen in POSITIONS {
        for root in ROOTS {
            for simulations in [1, 2, 3, 8, 32, 100, 1000] {
                let game = game(fen, "");
                let report = searched(&game, root, simulations, &mut hashed()).report();
                check(&report, &game);
                assert_eq!(report.decision.simulations, simulations, "{fen} {root:?}");
                assert_eq!(visits(&report), simulations, "{fen} {root:?}");
            }
        }
    }
}

#[test]
fn gumbel_visits_follow_sequential_halving() {
    let game = game(START_FEN, "");
    for (simulations, expected) in [(8, vec![3, 3, 1, 1]), (32, vec![11, 11, 3, 3, 1, 1, 1, 1]), (1, vec![1])]
    {
        let report = searched(&game, Root::Gumbel { noise: true }, simulations, &mut hashed()).report();
        let visits: Vec<u32> = report.moves.iter().map(|root_move| root_move.visits).collect();
        assert_eq!(visits[..expected.len()], expected);
        assert!(visits[expected.len()..].iter().all(|&visits| visits == 0));
    }
}

#[test]
fn without_noise_the_likeliest_moves_are_considered() {
    let game = game(START_FEN, "");
    let report = searched(&game, Root::Gumbel { noise: false }, 8, &mut hashed()).report();
    let mut by_prior = report.moves;
    by_prior.sort_by(|a, b| b.prior.total_cmp(&a.prior));
    assert!(by_prior[..4].iter().all(|root_move| root_move.visits > 0));
}

#[test]
fn ceres_74_one_simulation_gives_a_line_and_a_value() {
    let report = searched(&game(START_FEN, ""), Root::Puct, 1, &mut hashed()).report();
    assert_eq!(report.line.len(), 1);
    assert_eq!(find(&report, &report.decision.best.to_string()).q, Some(report.decision.value));
}

#[test]
fn a_single_legal_move_is_searched_like_any_other() {
    let game = game("3k5/9/9/9/9/9/9/4r4/9/4K4 w", "");
    assert_eq!(game.position().legal_moves().len(), 1);
    for root in ROOTS {
        let report = searched(&game, root, 32, &mut hashed()).report();
        check(&report, &game);
        assert_eq!((report.moves.len(), report.moves[0].target, report.decision.kl), (1, 1.0, 0.0));
    }
}

#[test]
fn the_report_of_an_evaluated_root_is_the_network_itself() {
    let game = game(MIDDLEGAME, "");
    for root in ROOTS {
        let mut search = Search::new(Settings::default());
        search.start(&game, root, 32, &mut rng());
        let mut answers = [Answer::default()];
        hashed().evaluate(&[search.gather().unwrap()], &mut answers).unwrap();
        search.apply(&answers[0]);
        let report = search.report();
        check(&report, &game);
        assert!((report.decision.value - answers[0].wdl.value()).abs() < 1e-5);
        assert!((report.decision.draw - answers[0].wdl.draw).abs() < 1e-5);
        assert!(report.decision.kl < 1e-5 && report.decision.simulations == 0, "{report:?}");
    }
}

#[test]
fn same_seed_same_search_and_no_memory_of_the_last() {
    let mut search = Search::new(Settings::default());
    for fen in POSITIONS {
        for root in ROOTS {
            let game = game(fen, "");
            search.start(&game, root, 64, &mut rng());
            search::run(&mut search, &mut hashed()).unwrap();
            assert_eq!(search.report(), searched(&game, root, 64, &mut hashed()).report());
        }
    }
}

/// Asks for values first, or not, whatever the inner evaluator says; counts values and moves that it was asked for.
struct Asked {
    values_first: bool,
    values: usize,
    moves: usize,
}

impl Evaluator for Asked {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        for query in queries {
            match query.legal {
                [] => self.values += 1,
                _ => self.moves += 1,
            }
        }
        hashed().evaluate(queries, answers)
    }

    fn values_are_cheap(&self) -> bool {
        self.values_first
    }
}

/// Which move is played after a search, if a PUCT tree is kept.
#[derive(Clone, Copy)]
enum Played {
    Best,
    VisitedOnce,
    Unvisited,
}

impl Played {
    fn mv(self, report: &Report) -> Option<Move> {
        let mut moves = report.moves.iter();
        let found = match self {
            Self::Best => moves.next(),
            Self::VisitedOnce => moves.find(|root_move| root_move.visits == 1 && root_move.proven.is_none()),
            Self::Unvisited => moves.find(|root_move| root_move.visits == 0),
        };
        found.map(|root_move| root_move.mv)
    }
}

#[test]
fn values_asked_for_first_change_nothing_that_is_found() {
    let shuffled = "h0g2 h9g7 g2h0 g7h9 h0g2 h9g7 g2h0";
    let games = [
        game(START_FEN, ""),
        game(START_FEN, shuffled),
        game(MIDDLEGAME, ""),
        game(ENDGAME, ""),
        game("3k5/9/9/9/9/9/9/4r4/9/4K4 w", ""),
    ];
    let mut played_once = 0;
    // Under the last of these rule sets moves are refused as repetitions.
    for rule_set in [RuleSet::Formal, RuleSet::Casual] {
        for (number, game) in games.iter().enumerate() {
            let mut start = Game::new(game.start().clone(), Rules { rule_set, ..Rules::default() });
            game.plies().iter().for_each(|ply| start.play(ply.mv()).unwrap());
            for (root, simulations) in [(ROOTS[0], 8), (ROOTS[0], 32), (ROOTS[1], 64), (Root::Puct, 300)] {
                let [(whole, asked_whole), (first, asked_first)] = [false, true].map(|values_first| {
                    let mut game = start.clone();
                    let mut evaluator = Asked { values_first, values: 0, moves: 0 };
                    let mut search = searched(&game, root, simulations, &mut evaluator);
                    let mut reports = vec![search.report()];
                    let kept = [Played::Best, Played::VisitedOnce, Played::Best, Played::Unvisited];
                    for played in kept.into_iter().filter(|_| root == Root::Puct) {
                        let report = &reports[reports.len() - 1];
                        let Some(mv) = played.mv(report).filter(|_| report.decision.proven.is_none()) else {
                            continue;
                        };
                        game.play(mv).unwrap();
                        if game.ending().is_some() {
                            break;
                        }
                        played_once += usize::from(matches!(played, Played::VisitedOnce));
                        search.advance(mv, 50);
                        search::run(&mut search, &mut evaluator).unwrap();
                        reports.push(search.report());
                    }
                    (reports, evaluator)
                });
                assert_eq!(whole, first, "{number} {rule_set:?} {root:?}");
                assert_eq!(asked_whole.values, 0);
                assert!(0 < asked_first.values, "{number} {rule_set:?} {root:?}");
                assert!(asked_first.moves < asked_whole.moves, "{number} {rule_set:?} {root:?}");
            }
        }
    }
    assert!(4 < played_once, "{played_once}");
}

/// Answers every other call.
struct Moody {
    fails: bool,
}

impl Evaluator for Moody {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        self.fails = !self.fails;
        if self.fails {
            return Err(EvaluatorError::Backend("not now".to_owned()));
        }
        hashed().evaluate(queries, answers)
    }

    fn values_are_cheap(&self) -> bool {
        true
    }
}

#[test]
fn what_was_not_answered_is_asked_again() {
    for root in ROOTS {
        let game = game(MIDDLEGAME, "");
        let mut search = Search::new(Settings::default());
        search.start(&game, root, 32, &mut rng());
        let mut evaluator = Moody { fails: false };
        let mut errors = 0;
        while search::run(&mut search, &mut evaluator).is_err() {
            errors += 1;
        }
        assert!(32 < errors, "{errors}");
        assert_eq!(search.report(), searched(&game, root, 32, &mut hashed()).report());
    }
}

#[test]
fn another_seed_considers_other_moves() {
    let game = game(START_FEN, "");
    let with_seed = |seed| {
        let mut search = Search::new(Settings::default());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        search.start(&game, Root::Gumbel { noise: true }, 8, &mut rng);
        search::run(&mut search, &mut Uniform).unwrap();
        search.report().moves[..4].iter().map(|root_move| root_move.mv).collect::<Vec<_>>()
    };
    assert_ne!(with_seed(1), with_seed(2));
}

#[test]
fn only_noise_draws_from_the_generator() {
    let game = game(START_FEN, "");
    for (root, untouched) in ROOTS.into_iter().zip([false, true, true]) {
        let mut rng = rng();
        Search::new(Settings::default()).start(&game, root, 8, &mut rng);
        assert_eq!(rng == common::rng(), untouched, "{root:?}");
    }
}

#[test]
fn gather_again_hands_out_the_same_leaf() {
    let mut search = Search::new(Settings::default());
    search.start(&game(START_FEN, ""), Root::Puct, 10, &mut rng());
    let mut answers = [Answer::default()];
    while let Some(query) = search.gather() {
        let (position, legal) = (query.position.clone(), query.legal.to_vec());
        let again = search.gather().unwrap();
        assert_eq!((again.position, again.legal), (&position, legal.as_slice()));
        Uniform.evaluate(&[again], &mut answers).unwrap();
        search.apply(&answers[0]);
    }
    assert_eq!(search.report().decision.simulations, 10);
}

#[test]
fn a_full_tree_ends_the_search() {
    let game = game(START_FEN, "");
    let mut search = Search::new(Settings { max_nodes: 20, ..Settings::default() });
    search.start(&game, Root::Puct, 1000, &mut rng());
    search::run(&mut search, &mut hashed()).unwrap();
    assert_eq!(search.report().decision.simulations, 19);
    check(&search.report(), &game);
    // The kept part has room again.
    let best = search.report().decision.best;
    search.advance(best, 1000);
    search::run(&mut search, &mut hashed()).unwrap();
    assert!(search.report().decision.simulations > 0);
}

#[test]
fn advance_keeps_what_is_below_the_move() {
    let mut game = game(MIDDLEGAME, "");
    let mut search = searched(&game, Root::Puct, 2000, &mut hashed());
    for _ in 0..6 {
        let before = search.report();
        let played = find(&before, &before.decision.best.to_string());
        game.play(before.decision.best).unwrap();
        search.advance(before.decision.best, 500);
        let after = search.report();
        check(&after, &game);
        // One visit of the move was the evaluation of what is the root now.
        assert_eq!((visits(&after), after.decision.simulations), (played.visits - 1, 0));
        assert_eq!(after.line, before.line[1..]);
        search::run(&mut search, &mut hashed()).unwrap();
        let then = search.report();
        check(&then, &game);
        assert_eq!((visits(&then), then.decision.simulations), (played.visits - 1 + 500, 500));
    }
}

#[test]
fn advance_goes_on_as_if_the_tree_had_not_moved() {
    // The same simulations at the same node: below the move nothing shows where the root is.
    let game = game(ENDGAME, "");
    let mut search = searched(&game, Root::Puct, 300, &mut hashed());
    let mv = search.report().decision.best;
    let mut clone = search.clone();
    search.advance(mv, 100);
    clone.advance(mv, 50);
    search::run(&mut clone, &mut hashed()).unwrap();
    search::run(&mut search, &mut hashed()).unwrap();
    let (short, long) = (clone.report(), search.report());
    assert_eq!(visits(&short) + 50, visits(&long));
    assert!(
        short.moves.iter().all(|root_move| root_move.visits <= find(&long, &root_move.mv.to_string()).visits)
    );
}

#[test]
fn lc0_167_the_line_is_legal_after_a_move_that_is_not_in_it() {
    let mut game = game(START_FEN, "");
    let mut search = searched(&game, Root::Puct, 200, &mut hashed());
    // An unvisited move, a visited one that is not the best, then two moves in a row.
    let pick = |report: &Report, last: bool| {
        let mut others = report.moves.iter().filter(|root_move| root_move.mv != report.decision.best);
        if last { others.next_back() } else { others.next() }.unwrap().mv
    };
    for last in [true, false, true, false] {
        let mv = pick(&search.report(), last);
        game.play(mv).unwrap();
        search.advance(mv, 1);
        search::run(&mut search, &mut hashed()).unwrap();
        check(&search.report(), &game);
        assert_eq!(search.report().decision.simulations, 1);
    }
    for mv in game.position().legal_moves().iter().take(1).copied() {
        game.play(mv).unwrap();
        search.advance(mv, 10);
        let reply = game.position().legal_moves()[3];
        game.play(reply).unwrap();
        // Without having answered the query in between.
        search.gather();
        search.advance(reply, 50);
        search::run(&mut search, &mut hashed()).unwrap();
        check(&search.report(), &game);
    }
}

/// Asks the inner evaluator about the twin of a position that stands for it, its mirror image and both turned.
struct Canonical<E>(E);

impl<E: Evaluator> Evaluator for Canonical<E> {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        for (query, answer) in queries.iter().zip(answers) {
            let turned = query.position.turn() == Colour::Black;
            let position = if turned { query.position.turned() } else { query.position.clone() };
            let mirrored = position.mirrored().key() < position.key();
            let position = if mirrored { position.mirrored() } else { position };
            let twin = |&mv: &Move| {
                let mv = if turned { mv.turned() } else { mv };
                if mirrored { mv.mirrored() } else { mv }
            };
            let legal: Vec<Move> = query.legal.iter().map(twin).collect();
            let query = Query { position: &position, legal: &legal, ..*query };
            self.0.evaluate(&[query], std::slice::from_mut(answer))?;
        }
        Ok(())
    }
}

#[test]
fn twins_are_searched_alike() {
    type Twin = (&'static str, fn(&Position) -> Position, fn(Move) -> Move);
    let twins: [Twin; 2] =
        [("mirrored", Position::mirrored, Move::mirrored), ("turned", Position::turned, Move::turned)];
    // None of these can become its own mirror image, where two moves would tie.
    for fen in [RED_GIVES_A_ROOK, MIDDLEGAME, ENDGAME] {
        for (name, twin, move_twin) in twins {
            for (root, simulations) in [(Root::Gumbel { noise: false }, 32), (Root::Puct, 500)] {
                let report = |position: Position| {
                    let game = Game::new(position, Rules::default());
                    searched(&game, root, simulations, &mut Canonical(hashed())).report()
                };
                let here = report(position(fen));
                let there = report(twin(&position(fen)));
                assert_eq!(there.decision.best, move_twin(here.decision.best), "{name} {fen}");
                assert!(
                    (there.decision.value - here.decision.value).abs() < 1e-4,
                    "{name} {fen}: {} {}",
                    there.decision.value,
                    here.decision.value
                );
                for root_move in &here.moves {
                    let twin = find(&there, &move_twin(root_move.mv).to_string());
                    assert_eq!(twin.visits, root_move.visits, "{name} {fen} {}", root_move.mv);
                    assert!((twin.target - root_move.target).abs() < 1e-4, "{name} {fen} {}", root_move.mv);
                }
            }
        }
    }
}

#[test]
fn the_target_by_hand() {
    // Three legal moves for Black's general and pawn; logits 0, 1, 2; one simulation each would be 3, but with two
    // simulations only two moves are considered: the likelier ones.
    let game = game("3k5/9/9/9/9/9/9/9/8p/4K4 b", "");
    let legal = game.position().legal_moves();
    assert_eq!(legal.len(), 3, "{legal:?}");
    let settings = Settings { c_visit: 1.0, c_scale: 2.0, ..Settings::default() };
    let mut search = Search::new(settings);
    search.start(&game, Root::Gumbel { noise: false }, 2, &mut rng());
    let answer = |value, logits: &[f32]| Answer {
        wdl: evaluator::Wdl::from_value(value, 0.0),
        moves_left: 0.0,
        logits: logits.to_vec(),
    };
    search.gather().unwrap();
    search.apply(&answer(0.2, &[0.0, 1.0, 2.0]));
    // The replies' values are the opponent's: q = −0.5 for the likeliest move, 0.3 for the second.
    for value in [0.5, -0.3] {
        let legal = search.gather().unwrap().legal.len();
        search.apply(&answer(value, &vec![0.0; legal]));
    }
    assert!(search.gather().is_none());
    let report = search.report();

    let exponentials = [1.0f64, 1f64.exp(), 2f64.exp()];
    let priors = exponentials.map(|e| e / exponentials.iter().sum::<f64>());
    let weighted = (priors[1] * 0.3 + priors[2] * -0.5) / (priors[1] + priors[2]);
    let mixed = (0.2 + 2.0 * weighted) / 3.0;
    let q = [mixed, 0.3, -0.5];
    // σ(q) = (1 + 1) · 2 · (q + 1) / 2.
    let weights = [0, 1, 2].map(|i| priors[i] * (2.0 * (q[i] + 1.0)).exp());
    let targets = weights.map(|weight| weight / weights.iter().sum::<f64>());
    let kl: f64 = (0..3).map(|i| targets[i] * (targets[i] / priors[i]).ln()).sum();
    for (i, mv) in legal.iter().enumerate() {
        let found = find(&report, &mv.to_string());
        assert!((f64::from(found.prior) - priors[i]).abs() < 1e-6);
        assert!((f64::from(found.target) - targets[i]).abs() < 1e-6, "{found:?}, want {}", targets[i]);
    }
    assert!((f64::from(report.decision.kl) - kl).abs() < 1e-6);
    // The best move's value, and nobody has seen a draw.
    assert_eq!((report.decision.best, report.decision.draw), (legal[1], 0.0));
    assert!((f64::from(report.decision.value) - q[1]).abs() < 1e-6);
}
