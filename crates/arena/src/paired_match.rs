//! Matches: pairs of games, on any number of threads, with one result.

use crate::opening::{Opening, OpeningSettings};
use crate::player::{Player, PlayerError};
use crate::record::{EndReason, MatchGame, PairRecord, Reasons};
use crate::score::Score;
use crate::settings::SettingsError;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{ByColour, Colour, Ending, Game, Move, Outcome, Ply, Rules};
use std::any::Any;
use std::num::NonZeroU16;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

/// What a match consists of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchSettings {
    /// Pairs of games, 1 to 1,000,000.
    pub pairs: u32,
    /// Worker threads, 1 to 1,024. The result doesn't depend on it.
    pub threads: usize,
    /// Where all randomness comes from.
    pub seed: u64,
    /// How games start.
    pub openings: OpeningSettings,
    /// What the referee goes by. Games are played to their end, so there must be a natural limit.
    pub rules: Rules,
}

impl Default for MatchSettings {
    /// 50 pairs on one thread by the default rules, seed 0.
    fn default() -> Self {
        Self { pairs: 50, threads: 1, seed: 0, openings: OpeningSettings::default(), rules: Rules::default() }
    }
}

impl MatchSettings {
    /// Is everything in range?
    pub fn check(&self) -> Result<(), SettingsError> {
        let unless = SettingsError::unless;
        unless((1..=1_000_000).contains(&self.pairs), "pairs", self.pairs, "1 to 1000000")?;
        SettingsError::unless((1..=1024).contains(&self.threads), "threads", self.threads, "1 to 1024")?;
        let limited = self.rules.natural_limit_plies.is_some();
        SettingsError::unless(limited, "rules.natural_limit_plies", "none", "a limit, so that games end")?;
        // A game must not be over before its opening is.
        let limit = self.rules.natural_limit_plies.map_or(0, NonZeroU16::get);
        let enough = u16::from(self.openings.plies_max) < limit;
        SettingsError::unless(enough, "rules.natural_limit_plies", limit, "more than openings.plies_max")?;
        self.openings.check()
    }
}

/// Why a match is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchEnd {
    /// All pairs were played.
    Complete,
    /// The caller had seen enough.
    Decided,
    /// The stop flag was raised.
    Stopped,
}

/// What came of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchResult {
    /// Player A's score over the pairs that were handed to the caller.
    pub score: Score,
    /// Why their games ended.
    pub reasons: Reasons,
    /// Why the match ended.
    pub end: MatchEnd,
}

/// Why a match has no result.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// A setting is out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A player can't go on.
    #[error("{player} failed in pair {pair}: {source}")]
    Player {
        /// Its name.
        player: String,
        /// The pair.
        pair: u32,
        /// What it said.
        source: PlayerError,
    },
    /// A player panicked.
    #[error("a player panicked in pair {pair}: {message}")]
    Panicked {
        /// The pair.
        pair: u32,
        /// The panic's text.
        message: String,
    },
}

/// Plays a match between A and B.
///
/// Pair `i`'s opening and the seeds of its players come from `seed` and `i` alone. Pairs go to the threads in turn
/// and are handed to `on_pair`, with the score so far, in the order of their numbers; `Break` ends the match. So the
/// result is a function of the settings and the players.
///
/// A worker that is a few pairs ahead of the order waits, which bounds the memory. The stop flag is looked at before
/// each move; unfinished pairs are dropped.
pub fn play_match<A: Player, B: Player>(
    settings: &MatchSettings,
    make_a: impl Fn() -> A + Sync,
    make_b: impl Fn() -> B + Sync,
    stop: &AtomicBool,
    on_pair: impl FnMut(&PairRecord, &Score) -> ControlFlow<()>,
) -> Result<MatchResult, MatchError> {
    settings.check()?;
    let decided = AtomicBool::new(false);
    let halted = || stop.load(Ordering::Relaxed) || decided.load(Ordering::Relaxed);
    let threads = settings.threads.min(settings.pairs as usize);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|first| {
                let (sender, receiver) = mpsc::sync_channel(PAIRS_AHEAD);
                let (make_a, make_b, halted) = (&make_a, &make_b, &halted);
                scope.spawn(move || {
                    let numbers = (first as u32..settings.pairs).step_by(threads);
                    work(settings, numbers, &make_a, &make_b, &halted, &sender);
                });
                receiver
            })
            .collect();
        let result = collect(settings.pairs, &workers, stop, on_pair);
        decided.store(true, Ordering::Relaxed);
        // The receivers go, so a worker that waits to send wakes up and ends.
        drop(workers);
        result
    })
}

/// How many finished pairs a worker may have waiting; then it waits itself.
const PAIRS_AHEAD: usize = 4;

type Played = Result<PairRecord, MatchError>;

/// Takes pairs from the workers in turn, which is the order of their numbers.
fn collect(
    pairs: u32,
    workers: &[Receiver<Played>],
    stop: &AtomicBool,
    mut on_pair: impl FnMut(&PairRecord, &Score) -> ControlFlow<()>,
) -> Result<MatchResult, MatchError> {
    let mut result =
        MatchResult { score: Score::default(), reasons: Reasons::default(), end: MatchEnd::Complete };
    for number in 0..pairs {
        let played = workers[number as usize % workers.len()].recv();
        // A worker hangs up early only when it is told to stop.
        let (false, Ok(played)) = (stop.load(Ordering::Relaxed), played) else {
            result.end = MatchEnd::Stopped;
            break;
        };
        let pair = played?;
        result.score.add(pair.points());
        for game in &pair.games {
            result.reasons.add(game.reason);
        }
        if on_pair(&pair, &result.score).is_break() {
            result.end = MatchEnd::Decided;
            break;
        }
    }
    Ok(result)
}

/// One worker's life: its pairs, until it is told to stop, fails, or nobody listens any more.
fn work<A: Player, B: Player>(
    settings: &MatchSettings,
    numbers: impl Iterator<Item = u32>,
    make_a: &impl Fn() -> A,
    make_b: &impl Fn() -> B,
    halted: &impl Fn() -> bool,
    sender: &SyncSender<Played>,
) {
    let mut players = None;
    for number in numbers {
        // After a panic the players are not used again.
        let played = catch_unwind(AssertUnwindSafe(|| {
            let (a, b) = players.get_or_insert_with(|| (make_a(), make_b()));
            play_pair(settings, number, a, b, halted)
        }));
        let played = match played {
            Ok(Ok(None)) => return,
            Ok(Ok(Some(pair))) => Ok(pair),
            Ok(Err(error)) => Err(error),
            Err(panic) => Err(MatchError::Panicked { pair: number, message: text_of(&*panic) }),
        };
        let failed = played.is_err();
        if sender.send(played).is_err() || failed {
            return;
        }
    }
}

/// `None` if it was told to stop.
fn play_pair(
    settings: &MatchSettings,
    number: u32,
    a: &mut impl Player,
    b: &mut impl Player,
    halted: &impl Fn() -> bool,
) -> Result<Option<PairRecord>, MatchError> {
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    rng.set_stream(u64::from(number));
    let opening = Opening::draw(&settings.openings, settings.rules, &mut rng);
    let mut games = Vec::with_capacity(2);
    for a_colour in Colour::ALL {
        a.start_game(rng.next_u64());
        b.start_game(rng.next_u64());
        let players: ByColour<&mut dyn Player> = match a_colour {
            Colour::Red => ByColour { red: a, black: b },
            Colour::Black => ByColour { red: b, black: a },
        };
        let (red, black) = (players.red.name(), players.black.name());
        let mut game = opening.game(settings.rules);
        let end = play_game(&mut game, players, halted).map_err(|(player, source)| MatchError::Player {
            player,
            pair: number,
            source,
        })?;
        let Some((outcome, reason)) = end else { return Ok(None) };
        let moves: Vec<Move> = game.plies().iter().map(Ply::mv).collect();
        games.push(MatchGame {
            pair: number,
            red,
            black,
            a: a_colour,
            opening_plies: opening.moves.len() as u16,
            opening: notation::Opening::of(game.start(), &moves),
            moves,
            outcome,
            reason,
        });
    }
    let games = games.try_into().expect("a game for each of the two colours");
    Ok(Some(PairRecord { number, games }))
}

/// Plays to the end and says how it ended; `None` if it was told to stop; an error with the name of who failed.
fn play_game(
    game: &mut Game,
    mut players: ByColour<&mut dyn Player>,
    halted: &impl Fn() -> bool,
) -> Result<Option<(Outcome, EndReason)>, (String, PlayerError)> {
    loop {
        if let Some(Ending { outcome, reason }) = game.ending() {
            return Ok(Some((outcome, EndReason::Rules(reason))));
        }
        if halted() {
            return Ok(None);
        }
        let turn = game.position().turn();
        let player = &mut players[turn];
        let mv = player.choose(game).map_err(|error| (player.name(), error))?;
        if game.play_permitted(mv).is_err() {
            return Ok(Some((Outcome::Win(turn.opponent()), EndReason::IllegalMove)));
        }
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}
