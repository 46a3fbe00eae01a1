//! Evaluations and self-play, with a net fresh from the generator.

use super::measure::{TwoThreads, median_of, per_core_second, two_threads_to_one};
use evaluator::{Answer, Evaluator, EvaluatorError, Features, MoveIndex, Query, Situation, softmax};
use net::{Architecture, Description, Scratch, SparseEvaluator, SparseNet, Weights};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use replay::GameRecord;
use rules::{MoveList, Position, RuleSet, Rules};
use search::Search;
use selfplay::{Archive, Job, Schedule, Settings, play_game};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Games of a round of self-play.
const GAMES: u64 = 8;

pub(super) fn weights(hidden: usize) -> Weights {
    let description =
        Description::new(Architecture::Sparse { hidden, value_hidden: 16 }, RuleSet::Formal.name(), "bench");
    Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).expect("these widths are allowed")
}

/// The net in the form that plays.
fn net(hidden: usize) -> Arc<SparseNet> {
    Arc::new(SparseNet::fastest(&weights(hidden)).expect("not a tower"))
}

/// The net as it is trained.
fn float_net(hidden: usize) -> Arc<SparseNet> {
    Arc::new(SparseNet::new(&weights(hidden)).expect("not a tower"))
}

/// Games of the default settings, but at 32 and 8 simulations all along.
pub(super) fn job() -> Job {
    let (full_simulations, cheap_simulations) = (Schedule::constant(32), Schedule::constant(8));
    Job {
        run: "bench".to_owned(),
        seed: 1,
        net: "0".repeat(64),
        rules: Rules::default(),
        settings: Settings { full_simulations, cheap_simulations, ..Settings::default() },
        positions: 0,
        scoring_weight: 0.0,
        archive: Arc::new(Archive::new(0)),
        classical: Arc::new([]),
    }
}

/// Plays games.
pub(super) fn games(
    job: &Job,
    numbers: std::ops::Range<u64>,
    evaluator: &mut impl Evaluator,
) -> Vec<GameRecord> {
    let mut search = Search::new(job.settings.search);
    let mut play = |number| play_game(job, number, &mut search, evaluator, || false);
    numbers
        .map(|number| play(number).expect("small weights give finite numbers").expect("nobody stops it"))
        .collect()
}

fn searched(games: &[GameRecord]) -> u64 {
    games.iter().map(|game| game.plies.iter().filter(|ply| ply.simulations > 0).count() as u64).sum()
}

/// What self-play does.
pub(super) struct SelfPlay {
    /// Searched positions a core-second.
    pub(super) positions: f64,
    /// The share of that time which encoding, network and the policy's softmax take; the rest is rules, tree and records.
    pub(super) evaluation_share: f64,
    /// What positions a core-second would be if the rest took no time.
    pub(super) ceiling: f64,
}

/// Self-play at 32 and 8 simulations, this wide.
pub(super) fn self_play(hidden: usize) -> SelfPlay {
    let job = job();
    let mut evaluator = SparseEvaluator::new(net(hidden));
    let positions = per_core_second(|| searched(&games(&job, 0..GAMES, &mut evaluator)));
    let mut timed =
        Timed { evaluator, probabilities: Vec::new(), inside: Duration::ZERO, again: Duration::ZERO };
    let share = median_of(|| {
        let start = Instant::now();
        (timed.inside, timed.again) = (Duration::ZERO, Duration::ZERO);
        games(&job, 0..GAMES, &mut timed);
        let again = timed.again.as_secs_f64();
        let inside = timed.inside.as_secs_f64() + again / f64::from(REPEATS);
        inside / (start.elapsed().as_secs_f64() - again)
    });
    SelfPlay { positions, evaluation_share: share, ceiling: positions / share }
}

/// So often a softmax is repeated that a look at the clock, which takes as long, doesn't count for much.
const REPEATS: u32 = 4;

/// Takes the time of evaluations where they happen: what they find in the processor's caches is what the search has
/// left there.
struct Timed {
    evaluator: SparseEvaluator,
    probabilities: Vec<f32>,
    inside: Duration,
    /// What takes place in the search, where it can't be timed, and is done here [`REPEATS`] times more.
    again: Duration,
}

impl Evaluator for Timed {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        let start = Instant::now();
        let result = self.evaluator.evaluate(queries, answers);
        self.inside += start.elapsed();
        for answer in answers.iter().filter(|answer| !answer.logits.is_empty()) {
            let start = Instant::now();
            for _ in 0..REPEATS {
                std::hint::black_box(softmax(&answer.logits, &mut self.probabilities));
            }
            self.again += start.elapsed();
        }
        result
    }

    fn values_are_cheap(&self) -> bool {
        self.evaluator.values_are_cheap()
    }
}

/// Keeps some of the positions whose values it is asked for.
struct Collecting {
    evaluator: SparseEvaluator,
    values: u64,
    sample: Vec<(Position, Situation, MoveList)>,
}

impl Evaluator for Collecting {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        for query in queries {
            // Each position once, as its value is asked for once.
            if query.legal.is_empty() {
                if self.values.is_multiple_of(16) && self.sample.len() < 4096 {
                    let legal = query.position.legal_moves();
                    self.sample.push((query.position.clone(), query.situation, legal));
                }
                self.values += 1;
            }
        }
        self.evaluator.evaluate(queries, answers)
    }

    fn values_are_cheap(&self) -> bool {
        self.evaluator.values_are_cheap()
    }
}

fn evaluations(evaluator: &mut SparseEvaluator, sample: &[(Position, Situation, MoveList)]) -> f64 {
    let mut answers = [Answer::default()];
    per_core_second(|| {
        for (position, situation, legal) in sample {
            let query = Query { position, situation: *situation, legal };
            evaluator.evaluate(&[query], &mut answers).expect("small weights give finite numbers");
        }
        sample.len() as u64
    })
}

/// Evaluations a core-second of positions as self-play has them: the bare network on inputs encoded before, and with the
/// encoding; in integers, which play, or in floats.
pub(super) fn evaluations_bare_and_whole(hidden: usize, integers: bool) -> (f64, f64) {
    let net = if integers { net(hidden) } else { float_net(hidden) };
    let evaluator = SparseEvaluator::new(Arc::clone(&net));
    let mut collecting = Collecting { evaluator, values: 0, sample: Vec::new() };
    games(&job(), 0..GAMES, &mut collecting);
    let encode = |(position, situation, legal): &(Position, Situation, MoveList)| {
        let features = Features::encode(position, *situation);
        let number =
            |&mv| (MoveIndex::of(mv, position.turn()).get() as u16, features.exchange(position, mv) as u16);
        let moves: Vec<(u16, u16)> = legal.iter().map(number).collect();
        (features, moves)
    };
    let inputs: Vec<_> = collecting.sample.iter().map(encode).collect();
    let (mut hidden, mut scratch, mut logits) = (net.hidden(), Scratch::default(), Vec::new());
    let bare = per_core_second(|| {
        for (features, moves) in &inputs {
            logits.clear();
            std::hint::black_box(net.outputs(features.active(), &mut hidden, &mut scratch));
            net.logits(&hidden, moves, &mut scratch, &mut logits);
        }
        inputs.len() as u64
    });
    (bare, evaluations(&mut collecting.evaluator, &collecting.sample))
}

/// Self-play, 128 wide, with one and with two threads.
pub(super) fn two_threads() -> TwoThreads {
    let net = net(128);
    let job = job();
    let stop = AtomicBool::new(false);
    let play = |threads| {
        let mut positions = 0;
        let played: Result<(), selfplay::SelfPlayError> = selfplay::play_games(
            &job,
            0..16 * GAMES,
            threads,
            || SparseEvaluator::new(Arc::clone(&net)),
            &stop,
            |game| {
                positions += searched(&[game]);
                Ok(())
            },
        );
        played.expect("small weights give finite numbers");
        positions
    };
    two_threads_to_one(play)
}
