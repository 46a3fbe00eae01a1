//! The fakes, the memory, and the probabilities that they answer with.

use crate::support::random_positions;
use evaluator::{
    Answer, Cached, Evaluator, EvaluatorError, Hashed, Material, Query, Situation, Uniform, Wdl,
    material_balance,
};
use rules::{Colour, Move, Position};

/// Positions with their legal moves, none of them over.
fn questions(seed: u64, count: usize) -> Vec<(Position, Vec<Move>)> {
    let with_moves = |position: Position| {
        let legal = position.legal_moves().to_vec();
        (position, legal)
    };
    let all = random_positions(seed, count).into_iter().map(with_moves);
    all.filter(|(_, legal)| !legal.is_empty()).collect()
}

fn query((position, legal): &(Position, Vec<Move>)) -> Query<'_> {
    let situation = Situation { quiet_plies: position.quiet_plies(), ..Situation::default() };
    Query { position, situation, legal }
}

fn ask(evaluator: &mut impl Evaluator, queries: &[Query<'_>]) -> Vec<Answer> {
    let mut answers = vec![Answer::default(); queries.len()];
    evaluator.evaluate(queries, &mut answers).unwrap();
    answers
}

fn assert_is_wdl(wdl: Wdl) {
    let parts = [wdl.win, wdl.draw, wdl.loss];
    assert!(parts.iter().all(|part| (0.0..=1.0).contains(part)), "{wdl:?}");
    assert!((parts.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{wdl:?}");
}

#[test]
fn answers_fit_their_queries() {
    let questions = questions(51, 300);
    let queries: Vec<Query<'_>> = questions.iter().map(query).collect();
    let evaluators: [Box<dyn Evaluator>; 3] =
        [Box::new(Uniform), Box::new(Material), Box::new(Hashed { seed: 5 })];
    for mut evaluator in evaluators {
        for (query, answer) in queries.iter().zip(ask(&mut evaluator, &queries)) {
            assert_is_wdl(answer.wdl);
            assert_eq!(answer.logits.len(), query.legal.len());
            assert!(answer.moves_left >= 0.0 && answer.logits.iter().all(|logit| logit.is_finite()));
        }
    }
}

#[test]
fn hashed_is_a_function_of_each_query_alone() {
    let questions = questions(52, 200);
    let queries: Vec<Query<'_>> = questions.iter().map(query).collect();
    let together = ask(&mut Hashed { seed: 1 }, &queries);
    let mut one_by_one = Hashed { seed: 1 };
    for (query, answer) in queries.iter().zip(&together).rev() {
        assert_eq!(ask(&mut one_by_one, &[*query]), std::slice::from_ref(answer));
    }
    assert_ne!(ask(&mut Hashed { seed: 2 }, &queries), together);
    assert!(together.windows(2).any(|pair| pair[0].wdl != pair[1].wdl));
}

/// Answers that depend on everything in the query.
struct Sensitive;

impl Evaluator for Sensitive {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        Hashed { seed: 9 }.evaluate(queries, answers)?;
        for (query, answer) in queries.iter().zip(answers) {
            answer.moves_left = f32::from(query.situation.quiet_plies);
        }
        Ok(())
    }
}

#[test]
fn a_memory_changes_no_answer() {
    let questions = questions(53, 300);
    // Each position in two situations, and with its moves in another order.
    let reversed: Vec<(Position, Vec<Move>)> = questions
        .iter()
        .map(|(position, legal)| (position.clone(), legal.iter().rev().copied().collect()))
        .collect();
    let mut queries: Vec<Query<'_>> = questions.iter().chain(&reversed).map(query).collect();
    for mut later in queries.clone() {
        later.situation.quiet_plies += 1;
        queries.push(later);
    }
    let expected = ask(&mut Sensitive, &queries);
    for capacity in [0, 1, 7, 100_000] {
        let mut cached = Cached::new(Sensitive, capacity);
        for _ in 0..3 {
            assert_eq!(ask(&mut cached, &queries), expected);
        }
        for (query, answer) in queries.iter().zip(&expected) {
            assert_eq!(ask(&mut cached, &[*query]), std::slice::from_ref(answer));
        }
    }
}

/// Fails if it is asked at all.
struct Mute;

impl Evaluator for Mute {
    fn evaluate(&mut self, _: &[Query<'_>], _: &mut [Answer]) -> Result<(), EvaluatorError> {
        Err(EvaluatorError::Backend("asked".to_owned()))
    }
}

/// Hands everything on to evaluators in turn, one for each batch.
struct InTurn(Vec<Box<dyn Evaluator>>);

impl Evaluator for InTurn {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        self.0.remove(0).evaluate(queries, answers)
    }
}

#[test]
fn what_is_known_is_not_asked_again_and_the_rest_is_one_batch() {
    let questions = questions(54, 50);
    let queries: Vec<Query<'_>> = questions.iter().map(query).collect();
    let mut cached = Cached::new(InTurn(vec![Box::new(Uniform), Box::new(Mute)]), 1_000_000);
    ask(&mut cached, &queries);
    let again = ask(&mut cached, &queries);
    assert_eq!(again, ask(&mut Uniform, &queries));

    let mut unheard = Cached::new(Mute, 10);
    let error = unheard.evaluate(&queries, &mut vec![Answer::default(); queries.len()]).unwrap_err();
    assert_eq!(error.to_string(), "evaluation failed: asked");
}

#[test]
fn material_is_counted_from_both_sides() {
    for position in random_positions(55, 1_000) {
        let balance = material_balance(&position, Colour::Red);
        assert_eq!(material_balance(&position, Colour::Black), -balance);
        assert_eq!(material_balance(&position.turned(), Colour::Black), balance);
        assert_eq!(material_balance(&position.mirrored(), Colour::Red), balance);
    }
    let balance = |fen: &str| material_balance(&fen.parse().unwrap(), Colour::Red);
    assert_eq!(balance(rules::START_FEN), 0);
    assert_eq!(balance("3k5/9/9/9/9/9/9/9/9/R3K4 w"), 9);
    assert_eq!(balance("3k5/9/9/9/9/P8/9/9/9/4K4 w"), 1);
    assert_eq!(balance("3k5/9/9/9/P8/9/9/9/9/4K4 w"), 2);
    assert_eq!(balance("3k5/9/9/9/9/p8/9/9/9/4K4 w"), -2);
    assert_eq!(balance("2bak4/9/9/9/9/9/9/9/9/3K1C1N1 w"), 4);
}

#[test]
fn material_wins_for_the_side_that_has_more() {
    let ahead: Position = "3k5/9/9/9/9/9/9/9/9/R3K4 w".parse().unwrap();
    let behind: Position = "3k5/9/9/9/9/9/9/9/9/R3K4 b".parse().unwrap();
    for (position, sign) in [(ahead, 1.0), (behind, -1.0)] {
        let legal = position.legal_moves();
        let query = Query { position: &position, situation: Situation::default(), legal: &legal };
        let value = ask(&mut Material, &[query])[0].wdl.value();
        assert!((value - sign * (9.0_f32 / 8.0).tanh()).abs() < 1e-6, "{value}");
    }
}

#[test]
fn probabilities_from_logits() {
    assert_eq!(Wdl::from_logits([0.0; 3]), Wdl::from_logits([7.5; 3]));
    for logits in [[0.0, 0.0, 0.0], [3.0, -1.0, 2.0], [1e4, -1e4, 0.0], [-80.0, 80.0, -80.0]] {
        let wdl = Wdl::from_logits(logits);
        assert_is_wdl(wdl);
        let [win, draw, loss] = logits;
        let flipped = Wdl::from_logits([loss, draw, win]);
        assert!((flipped.value() + wdl.value()).abs() < 1e-6 && (flipped.draw - wdl.draw).abs() < 1e-6);
        assert_eq!((wdl.win >= wdl.loss, wdl.win >= wdl.draw), (win >= loss, win >= draw));
    }
    let wdl = Wdl::from_logits([2.0_f32.ln(), 0.0, 0.0]);
    assert!((wdl.win - 0.5).abs() < 1e-6 && (wdl.value() - 0.25).abs() < 1e-6);
}

#[test]
fn probabilities_from_values_that_contradict_each_other() {
    for value in [-2.0, -1.0, -0.3, 0.0, 0.7, 1.0, 5.0] {
        for draw in [-1.0, 0.0, 0.4, 1.0, 3.0] {
            let wdl = Wdl::from_value(value, draw);
            assert_is_wdl(wdl);
            assert!((wdl.value() - f32::clamp(value, -1.0, 1.0)).abs() < 1e-6, "{value} {draw}");
            assert_eq!(wdl.flipped().flipped(), wdl);
        }
    }
    assert_eq!(Wdl::from_value(1.0, 0.0), Wdl::WIN);
    assert_eq!(Wdl::from_value(-1.0, 0.0), Wdl::LOSS);
    assert_eq!(Wdl::from_value(0.0, 1.0), Wdl::DRAW);
}
