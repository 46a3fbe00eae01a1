//! Many games at once, one per thread, delivered in the order of their numbers.

use crate::play::{Job, play_game};
use crossbeam_channel::{Receiver, Sender, bounded};
use evaluator::{Evaluator, EvaluatorError};
use replay::GameRecord;
use search::Search;
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Why no more games are played.
#[derive(Debug, thiserror::Error)]
pub enum SelfPlayError {
    /// The evaluator failed.
    #[error("game {game}: {source}")]
    Evaluator {
        /// The game that was being played.
        game: u64,
        /// What failed.
        source: EvaluatorError,
    },
    /// A thread died of a bug.
    #[error("a self-play thread died: {0}")]
    Panic(String),
}

/// For each thread, so many games may be under way or wait for an earlier one to be delivered. Games differ in length
/// by less than this factor in all but a few cases, so threads seldom wait.
const GAMES_AHEAD: usize = 8;

/// Plays games of these numbers on `threads` threads (0 counts as 1) and gives them to `on_game`, which runs in the
/// calling thread, in order of number and without gap.
///
/// Each thread makes itself an evaluator and plays one game at a time. When `on_game` is slow the threads wait.
///
/// `stop` ends it early and without error: games under way are dropped at the next move, finished ones are still
/// delivered as far as no number is missing. An error of `on_game`, an error of an evaluator or a panic in a thread
/// ends it too, and is what is returned.
pub fn play_games<E: Evaluator, X: From<SelfPlayError>>(
    job: &Job,
    numbers: Range<u64>,
    threads: usize,
    make_evaluator: impl Fn() -> E + Sync,
    stop: &AtomicBool,
    on_game: impl FnMut(GameRecord) -> Result<(), X>,
) -> Result<(), X> {
    let threads = threads.max(1);
    let ahead = GAMES_AHEAD * threads;
    // A ticket is a game to play. There are never more than `ahead` of which nothing was delivered, so that neither
    // channel is ever full: nobody waits to send.
    let (tickets, todo) = bounded(ahead);
    let (results, done) = bounded(ahead + threads);
    let given_up = AtomicBool::new(false);
    let stopped = || stop.load(Ordering::Relaxed) || given_up.load(Ordering::Relaxed);
    thread::scope(|scope| {
        for _ in 0..threads {
            let (todo, results) = (todo.clone(), results.clone());
            let (make_evaluator, stopped) = (&make_evaluator, &stopped);
            scope.spawn(move || work(job, &todo, &results, make_evaluator, stopped));
        }
        drop((todo, results));
        let delivered = deliver(numbers, ahead, tickets, &done, on_game);
        given_up.store(true, Ordering::Relaxed);
        delivered
    })
}

/// What a thread has to say about a ticket.
enum Done {
    Game(Box<GameRecord>),
    Stopped,
    Failed(SelfPlayError),
}

/// A thread: plays games until there are no more tickets.
fn work<E: Evaluator>(
    job: &Job,
    todo: &Receiver<u64>,
    results: &Sender<Done>,
    make_evaluator: impl Fn() -> E,
    stopped: impl Fn() -> bool,
) {
    // What a panic leaves half done is dropped here and seen by nobody.
    let all_played = catch_unwind(AssertUnwindSafe(|| {
        let (mut search, mut evaluator) = (Search::new(job.settings.search), make_evaluator());
        for game in todo {
            let done = match play_game(job, game, &mut search, &mut evaluator, &stopped) {
                Ok(Some(record)) => Done::Game(Box::new(record)),
                Ok(None) => Done::Stopped,
                Err(source) => Done::Failed(SelfPlayError::Evaluator { game, source }),
            };
            if results.send(done).is_err() {
                return;
            }
        }
    }));
    if let Err(payload) = all_played {
        // Nobody listens any more only if it has ended for another reason already.
        results.send(Done::Failed(SelfPlayError::Panic(message(payload.as_ref())))).ok();
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|&text| text.to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

/// Hands out tickets and delivers games in order, until no thread has anything more to say.
fn deliver<X: From<SelfPlayError>>(
    numbers: Range<u64>,
    ahead: usize,
    tickets: Sender<u64>,
    done: &Receiver<Done>,
    mut on_game: impl FnMut(GameRecord) -> Result<(), X>,
) -> Result<(), X> {
    let mut next = numbers.start;
    let mut tickets = Tickets { numbers, sender: Some(tickets) };
    (0..ahead).for_each(|_| tickets.hand_out());
    let mut early = BTreeMap::new();
    for done in done {
        match done {
            Done::Game(record) => {
                early.insert(record.game, record);
            }
            Done::Stopped => tickets.sender = None,
            Done::Failed(error) => return Err(error.into()),
        }
        while let Some(record) = early.remove(&next) {
            on_game(*record)?;
            next += 1;
            tickets.hand_out();
        }
    }
    Ok(())
}

/// Numbers of games to play. Threads end when the sender is gone and they have played what was handed out.
struct Tickets {
    numbers: Range<u64>,
    sender: Option<Sender<u64>>,
}

impl Tickets {
    fn hand_out(&mut self) {
        let Some(sender) = &self.sender else { return };
        let handed_out = self.numbers.next().is_some_and(|number| sender.send(number).is_ok());
        if !handed_out {
            self.sender = None;
        }
    }
}
