//! What the tests share.

use engine::think::{Signal, Task, Thinker, ThinkerSettings, Thought};
use evaluator::{Evaluator, EvaluatorError, Hashed};
use rules::{Game, Rules};
use std::sync::Arc;

pub(crate) const MIDDLEGAME: &str = "r1bakab1r/9/1cn3nc1/p3p1p1p/2p6/6P2/P1P1P3P/1CN3NC1/9/R1BAKAB1R b";

pub(crate) fn game(fen: &str) -> Game {
    Game::new(fen.parse().unwrap(), Rules::default())
}

pub(crate) fn settings(threads: usize) -> ThinkerSettings {
    ThinkerSettings { threads, hash_mib: 32, ..ThinkerSettings::default() }
}

pub(crate) fn thinker<E: Evaluator + Clone + Sync + 'static>(
    evaluator: E,
    settings: &ThinkerSettings,
) -> Thinker {
    Thinker::new(Arc::new(move || Box::new(evaluator.clone())), settings).unwrap()
}

pub(crate) fn hashed(threads: usize) -> Thinker {
    thinker(Hashed { seed: 5 }, &settings(threads))
}

pub(crate) fn nodes(nodes: u64) -> Task {
    Task { nodes: Some(nodes), ..Task::default() }
}

pub(crate) fn think(thinker: &mut Thinker, game: &Game, task: &Task) -> Result<Thought, EvaluatorError> {
    let thought = thinker.think(game, task, &Signal::new(), &mut |seen| check(seen, game, task))?;
    check(&thought, game, task);
    Ok(thought)
}

/// What must be true of every thought.
pub(crate) fn check(thought: &Thought, game: &Game, task: &Task) {
    assert!(thought.lines.len() <= task.lines);
    assert!(thought.hashfull_permille <= 1000, "{}", thought.hashfull_permille);
    for (number, line) in thought.lines.iter().enumerate() {
        assert_eq!(line.pv[0], line.mv);
        assert!(thought.lines[..number].iter().all(|other| other.mv != line.mv), "lines are distinct");
        assert!(task.only.as_ref().is_none_or(|only| only.contains(&line.mv)));
        let mut game = game.clone();
        line.pv.iter().for_each(|&mv| game.play_permitted(mv).unwrap());
        let sum = line.wdl.win + line.wdl.draw + line.wdl.loss;
        assert!((sum - 1.0).abs() < 1e-4 && (line.wdl.value() - line.value).abs() < 1e-3, "{line:?}");
    }
}
