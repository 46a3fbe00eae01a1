//! Does the search lose strength when several walks are under way? A match at equal nodes.
//!
//!     cargo run --release -p cli --example threads_match -- NET.safetensors threads|walkers COUNT [NODES] [PAIRS]
//!
//! `threads 2` is the thinker with two threads against the thinker with one. `walkers 2` is the same tree in one
//! thread, with two walks always under way: what two threads come to at worst, however busy the machine is, and the
//! same each time. Prints the score of the first as it grows.

#![expect(clippy::print_stdout, reason = "a program")]

use arena::{Choice, MatchSettings, Player, PlayerError, Turn, play_match};
use engine::think::{Signal, Task, Thinker, ThinkerSettings};
use evaluator::{Answer, Evaluator as _};
use net::{SparseEvaluator, SparseNet, Weights};
use rules::{Game, Move};
use search::{Descent, PlayTree, Settings, Walk};
use std::collections::VecDeque;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, kind, count, rest @ ..] = arguments.as_slice() else {
        return Err("want a weights file, threads or walkers, and how many".into());
    };
    let net = Arc::new(SparseNet::new(&Weights::read(Path::new(path))?)?);
    let count: usize = count.parse()?;
    let nodes: u64 = rest.first().map_or(Ok(200), |text| text.parse())?;
    let pairs: u32 = rest.get(1).map_or(Ok(200), |text| text.parse())?;
    let settings = MatchSettings { pairs, threads: 1, seed: 1, ..MatchSettings::default() };
    let player = |count: usize| -> Box<dyn Player> {
        let evaluator = SparseEvaluator::new(Arc::clone(&net));
        match kind.as_str() {
            "walkers" => Box::new(Walkers::new(evaluator, count, nodes)),
            _ => Box::new(Threads::new(&evaluator, count, nodes)),
        }
    };
    let result = play_match(
        &settings,
        || player(count),
        || player(1),
        &AtomicBool::new(false),
        |_, score| {
            if score.pair_count().is_multiple_of(50) {
                println!("{} games: {score}", score.games());
            }
            ControlFlow::Continue(())
        },
    )?;
    println!("{kind} {count} against 1, {nodes} nodes a move: {}", result.score);
    Ok(())
}

/// The thinker.
struct Threads {
    thinker: Thinker,
    task: Task,
    count: usize,
}

impl Threads {
    fn new(evaluator: &SparseEvaluator, count: usize, nodes: u64) -> Self {
        let settings = ThinkerSettings { threads: count, hash_mib: 16, ..ThinkerSettings::default() };
        let evaluator = evaluator.clone();
        let thinker = Thinker::new(Arc::new(move || Box::new(evaluator.clone())), &settings);
        let task = Task { nodes: Some(nodes), ..Task::default() };
        Self { thinker: thinker.expect("the settings are in range"), task, count }
    }
}

impl Player for Threads {
    fn name(&self) -> String {
        format!("threads-{}", self.count)
    }

    fn start_game(&mut self, _seed: u64) {
        self.thinker.forget();
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
        let thought = self.thinker.think(turn.game, &self.task, &Signal::new(), &mut |_| ())?;
        Ok(Choice::from(thought.lines[0].mv))
    }
}

/// The tree without threads: so many walks are under way at a time, and the oldest is answered first.
struct Walkers {
    evaluator: SparseEvaluator,
    tree: PlayTree,
    count: usize,
    nodes: u64,
}

impl Walkers {
    fn new(evaluator: SparseEvaluator, count: usize, nodes: u64) -> Self {
        let tree = PlayTree::new(Settings::default(), 16 << 20).expect("16 MiB");
        Self { evaluator, tree, count, nodes }
    }

    fn search(&mut self, game: &Game) -> Result<Move, PlayerError> {
        self.tree.forget();
        self.tree.set_root(game, None);
        let mut home: Vec<Walk> = (0..self.count).map(|_| self.tree.walk()).collect();
        let (mut away, mut begun, mut answer) = (VecDeque::new(), 0, Answer::default());
        loop {
            while begun < self.nodes {
                let Some(mut walk) = home.pop() else { break };
                match self.tree.descend(&mut walk) {
                    Descent::Leaf => away.push_back(walk),
                    Descent::Counted => home.push(walk),
                    Descent::Busy | Descent::Full | Descent::Finished => {
                        home.push(walk);
                        break;
                    }
                }
                begun += 1;
            }
            let Some(mut walk) = away.pop_front() else { return Ok(self.tree.report(1)[0].mv) };
            if let Some(query) = walk.look() {
                self.evaluator.evaluate(&[query], std::slice::from_mut(&mut answer))?;
                walk.answer(&answer);
            }
            self.tree.apply(&mut walk);
            home.push(walk);
        }
    }
}

impl Player for Walkers {
    fn name(&self) -> String {
        format!("walkers-{}", self.count)
    }

    fn start_game(&mut self, _seed: u64) {}

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
        self.search(turn.game).map(Choice::from)
    }
}
