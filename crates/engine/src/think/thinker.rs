//! Threads over one tree, and the thread that says what they find.

use super::choice;
use super::settings::{ThinkerError, ThinkerSettings};
use super::signal::Signal;
use super::table::{Limits, Table, time_to_prune};
use super::task::Task;
use super::thought::Thought;
use super::worker::{WorkerError, work};
use evaluator::{Evaluator, EvaluatorError};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::Game;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Makes an evaluator for one thread.
pub type MakeEvaluator = Arc<dyn Fn() -> Box<dyn Evaluator> + Send + Sync>;

/// Thinks about games, one at a time. What is known about a game is kept as the game goes on.
///
/// ```
/// use engine::think::{Signal, Task, Thinker, ThinkerSettings};
/// use evaluator::Material;
/// use rules::{Game, Position, Rules};
/// use std::sync::Arc;
///
/// let settings = ThinkerSettings { hash_mib: 8, ..ThinkerSettings::default() };
/// let mut thinker = Thinker::new(Arc::new(|| Box::new(Material)), &settings)?;
/// let game = Game::new(Position::start(), Rules::default());
/// let task = Task { nodes: Some(500), ..Task::default() };
/// let thought = thinker.think(&game, &task, &Signal::new(), &mut |_| ())?;
/// assert_eq!(thought.nodes, 500);
/// println!("{} because of {:?}", thought.lines[0].mv, thought.lines[0].pv);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Thinker {
    make_evaluator: MakeEvaluator,
    settings: ThinkerSettings,
    /// One per thread.
    evaluators: Vec<Box<dyn Evaluator>>,
    table: Table,
    rng: ChaCha8Rng,
}

/// How often [`Thinker::think`] says what it has seen, at least, while nothing is new.
const REPORT_EVERY: Duration = Duration::from_millis(500);

/// With less time than this there is none to wake other threads: on a busy machine each waits for its turn, for tenths of
/// seconds where twenty programs share two cores.
const HURRY: Duration = Duration::from_millis(50);

impl Thinker {
    /// A thinker that knows nothing yet. Makes an evaluator for each thread.
    pub fn new(make_evaluator: MakeEvaluator, settings: &ThinkerSettings) -> Result<Self, ThinkerError> {
        settings.check()?;
        Ok(Self {
            evaluators: evaluators(&make_evaluator, settings),
            table: Table::new(settings.tree()?),
            rng: ChaCha8Rng::seed_from_u64(settings.seed),
            settings: *settings,
            make_evaluator,
        })
    }

    /// The settings.
    pub fn settings(&self) -> &ThinkerSettings {
        &self.settings
    }

    /// Changes the settings; after an error they are as they were. With another `hash_mib` the tree is forgotten, with
    /// another `evaluations_mib` or number of threads the evaluations.
    pub fn set_settings(&mut self, settings: &ThinkerSettings) -> Result<(), ThinkerError> {
        settings.check()?;
        if settings.hash_mib == self.settings.hash_mib {
            self.table.tree_mut().set_settings(settings.search, settings.contempt);
        } else {
            self.table = Table::new(settings.tree()?);
        }
        let of_evaluators = |settings: &ThinkerSettings| (settings.evaluations_mib, settings.threads);
        if of_evaluators(settings) != of_evaluators(&self.settings) {
            self.evaluators = evaluators(&self.make_evaluator, settings);
        }
        if settings.seed != self.settings.seed {
            self.rng = ChaCha8Rng::seed_from_u64(settings.seed);
        }
        self.settings = *settings;
        Ok(())
    }

    /// Forgets the game (ucinewgame).
    pub fn forget(&mut self) {
        self.table.tree_mut().forget();
    }

    /// Thinks about the side to move at the end of the game. Blocks until a limit is reached, the result is proven or
    /// `signal` says stop; but the root is always evaluated, so that there is a move to play if one is allowed.
    ///
    /// `seen` is called from this thread at every new depth, and twice a second at least. Not where there is less time than
    /// that and one thread, or next to no time: then this thread searches, alone. With one thread, a limit on nodes or
    /// depth and nothing drawn by lot the outcome is the same each time (with a limit on depth alone: from the same tree).
    ///
    /// An error of an evaluator ends it, and so does a panic in a thread ([`EvaluatorError::Backend`] says so); the
    /// thinker can be used again.
    pub fn think(
        &mut self,
        game: &Game,
        task: &Task,
        signal: &Signal,
        seen: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, EvaluatorError> {
        let start = Instant::now();
        if let Some(allowance) = task.time {
            signal.start_clock(allowance);
        }
        let level_nodes = self.settings.level.map(choice::Level::nodes);
        let limits = Limits { nodes: least(task.nodes, level_nodes), depth: task.depth };
        let tree = self.table.tree_mut();
        let has_time = signal.has_time(time_to_prune(tree));
        let (bytes, most) = tree.bytes();
        // A tree that is nearly full and can't be pruned in time leaves no room to think.
        if limits.nodes.is_some() || (!has_time && most / 8 * 7 < bytes) {
            tree.forget();
        }
        let moves = tree.set_root(game, task.only.as_deref());
        if moves == 0 {
            return Ok(Thought { elapsed: start.elapsed(), ..Thought::default() });
        }
        let short = if self.evaluators.len() == 1 { REPORT_EVERY } else { HURRY };
        let alone = task.time.is_some_and(|time| time.hard < short);
        let workers = if alone { 1 } else { self.evaluators.len() };
        self.table.open(limits, workers, start);
        let watch = Watch { table: &self.table, signal, start, lines: task.lines.max(1) };
        let errors = match self.evaluators.as_mut_slice() {
            [first, ..] if alone => work(watch.table, 0, signal, first).err().into_iter().collect(),
            evaluators => watch.over(evaluators, seen),
        };
        match self.first_error(errors) {
            Some(error) => Err(error),
            None => Ok(self.conclude(game, start, task.lines.max(1))),
        }
    }

    /// Makes good what errors have left behind, and returns the first.
    fn first_error(&mut self, errors: Vec<WorkerError>) -> Option<EvaluatorError> {
        if errors.iter().any(|error| matches!(error, WorkerError::Panic(_))) {
            self.evaluators = evaluators(&self.make_evaluator, &self.settings);
            self.forget();
        }
        errors.into_iter().next().map(|error| match error {
            WorkerError::Evaluator(error) => error,
            WorkerError::Panic(message) => EvaluatorError::Backend(format!("a thread died: {message}")),
        })
    }

    /// The last thought, with the move to play in front.
    fn conclude(&mut self, game: &Game, start: Instant, lines: usize) -> Thought {
        let temperature = self.temperature(game);
        if temperature <= 0.0 {
            return self.table.thought(start, lines);
        }
        let mut thought = self.table.thought(start, usize::MAX);
        let drawn = choice::draw(&thought.lines, temperature, &mut self.rng);
        thought.lines[..=drawn].rotate_right(1);
        thought.lines.truncate(lines);
        thought
    }

    fn temperature(&self, game: &Game) -> f32 {
        let level = self.settings.level.map_or(0.0, choice::Level::temperature);
        let variety = &self.settings.variety;
        if game.plies().len() < usize::from(variety.plies) { level.max(variety.temperature) } else { level }
    }
}

impl fmt::Debug for Thinker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thinker").field("settings", &self.settings).finish_non_exhaustive()
    }
}

fn evaluators(make: &MakeEvaluator, settings: &ThinkerSettings) -> Vec<Box<dyn Evaluator>> {
    (0..settings.threads).map(|_| settings.evaluator(make())).collect()
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.into_iter().chain(b).min()
}

impl Table {
    /// What has been found.
    fn thought(&self, start: Instant, lines: usize) -> Thought {
        let counts = self.counts();
        let tree = self.tree();
        let (bytes, most) = tree.bytes();
        Thought {
            nodes: counts.nodes,
            elapsed: start.elapsed(),
            depth: counts.depth.max(1),
            seldepth: counts.seldepth.max(1),
            hashfull_permille: (1000 * bytes / most) as u32,
            lines: tree.report(lines),
        }
    }
}

/// Watches the workers, which end by themselves.
struct Watch<'a> {
    table: &'a Table,
    signal: &'a Signal,
    start: Instant,
    lines: usize,
}

impl Watch<'_> {
    /// Lets a thread search with each evaluator, to the end. What went wrong.
    fn over(
        &self,
        evaluators: &mut [Box<dyn Evaluator>],
        seen: &mut dyn FnMut(&Thought),
    ) -> Vec<WorkerError> {
        std::thread::scope(|scope| {
            let threads: Vec<_> = evaluators
                .iter_mut()
                .enumerate()
                .map(|(worker, evaluator)| {
                    scope.spawn(move || work(self.table, worker, self.signal, evaluator))
                })
                .collect();
            self.until_the_end(seen);
            let ended = threads.into_iter().map(|thread| thread.join().expect("a worker catches its panics"));
            ended.filter_map(Result::err).collect()
        })
    }

    /// Says what is seen, until all have ended.
    fn until_the_end(&self, seen: &mut dyn FnMut(&Thought)) {
        let (mut depth, mut last) = (0, self.start);
        loop {
            if self.table.is_left() {
                return;
            }
            let counted = self.table.counts();
            let is_due = depth < counted.depth || REPORT_EVERY <= last.elapsed();
            depth = counted.depth;
            let is_begun = self.table.tree().is_begun();
            let thought = (is_due && is_begun).then(|| self.table.thought(self.start, self.lines));
            if let Some(thought) = thought {
                seen(&thought);
                last = Instant::now();
            }
            self.signal.wait(REPORT_EVERY);
        }
    }
}
