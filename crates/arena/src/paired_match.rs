//! Matches: pairs of games, on any number of threads, with one result.

use crate::adjudication::Adjudication;
use crate::clock::Clock;
use crate::note::MoveNote;
use crate::opening::{Opening, Openings};
use crate::player::{Choice, Player, PlayerError, Turn};
use crate::record::{EndReason, MatchGame, PairRecord, Reasons};
use crate::score::Score;
use crate::settings::SettingsError;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{ByColour, Colour, Ending, Game, Move, Outcome, Ply, Rules};
use std::any::Any;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

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
    pub openings: Openings,
    /// What the referee goes by. Games are played to their end, so there must be a natural limit.
    pub rules: Rules,
    /// When the referee ends games that are not over by the rules.
    pub adjudication: Adjudication,
}

impl Default for MatchSettings {
    /// 50 pairs on one thread by the default rules, seed 0, random openings, no adjudication.
    fn default() -> Self {
        Self {
            pairs: 50,
            threads: 1,
            seed: 0,
            openings: Openings::default(),
            rules: Rules::default(),
            adjudication: Adjudication::default(),
        }
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
        self.adjudication.check()?;
        self.openings.check(self.rules)
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
/// each move, and outside engines are not waited for once it is raised; unfinished pairs are dropped.
pub fn play_match<A: Player, B: Player>(
    settings: &MatchSettings,
    make_a: impl Fn() -> A + Sync,
    make_b: impl Fn() -> B + Sync,
    stop: &AtomicBool,
    on_pair: impl FnMut(&PairRecord, &Score) -> ControlFlow<()>,
) -> Result<MatchResult, MatchError> {
    continue_match(settings, &[], make_a, make_b, stop, on_pair)
}

/// Goes on with a match of which the pairs `played`, the first ones in order, are known already. They are handed to
/// `on_pair` like the others, so that the result is the same as of a match in one go.
pub fn continue_match<A: Player, B: Player>(
    settings: &MatchSettings,
    played: &[PairRecord],
    make_a: impl Fn() -> A + Sync,
    make_b: impl Fn() -> B + Sync,
    stop: &AtomicBool,
    on_pair: impl FnMut(&PairRecord, &Score) -> ControlFlow<()>,
) -> Result<MatchResult, MatchError> {
    settings.check()?;
    let played = &played[..played.len().min(settings.pairs as usize)];
    let first = played.len() as u32;
    // Raised when nobody wants more games, for whatever reason.
    let halt = Arc::new(AtomicBool::new(stop.load(Ordering::Relaxed)));
    let threads = settings.threads.min((settings.pairs - first) as usize);
    let mut tally = Tally::new(on_pair);
    for pair in played {
        if tally.add(pair).is_break() {
            return Ok(tally.end(MatchEnd::Decided));
        }
    }
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads as u32)
            .map(|worker| {
                let (sender, receiver) = mpsc::sync_channel(PAIRS_AHEAD);
                let (make_a, make_b, halt) = (&make_a, &make_b, &halt);
                scope.spawn(move || {
                    let numbers = (first + worker..settings.pairs).step_by(threads);
                    work(settings, numbers, &make_a, &make_b, halt, &sender);
                });
                receiver
            })
            .collect();
        let result = collect(first..settings.pairs, &workers, stop, tally);
        halt.store(true, Ordering::Relaxed);
        // The receivers go, so a worker that waits to send wakes up and ends.
        drop(workers);
        result
    })
}

/// How many finished pairs a worker may have waiting; then it waits itself.
const PAIRS_AHEAD: usize = 4;

type Played = Result<PairRecord, MatchError>;

/// The result so far, and who is told of it.
struct Tally<F> {
    score: Score,
    reasons: Reasons,
    on_pair: F,
}

impl<F: FnMut(&PairRecord, &Score) -> ControlFlow<()>> Tally<F> {
    fn new(on_pair: F) -> Self {
        Self { score: Score::default(), reasons: Reasons::default(), on_pair }
    }

    fn add(&mut self, pair: &PairRecord) -> ControlFlow<()> {
        self.score.add(pair.points());
        for game in &pair.games {
            self.reasons.add(game.reason);
        }
        (self.on_pair)(pair, &self.score)
    }

    fn end(self, end: MatchEnd) -> MatchResult {
        MatchResult { score: self.score, reasons: self.reasons, end }
    }
}

/// Takes pairs from the workers in turn, which is the order of their numbers.
fn collect<F: FnMut(&PairRecord, &Score) -> ControlFlow<()>>(
    numbers: Range<u32>,
    workers: &[Receiver<Played>],
    stop: &AtomicBool,
    mut tally: Tally<F>,
) -> Result<MatchResult, MatchError> {
    for worker in (0..workers.len()).cycle().take(numbers.len()) {
        let Some(played) = receive(&workers[worker], stop) else {
            return Ok(tally.end(MatchEnd::Stopped));
        };
        if tally.add(&played?).is_break() {
            return Ok(tally.end(MatchEnd::Decided));
        }
    }
    Ok(tally.end(MatchEnd::Complete))
}

/// How often the stop flag is looked at while pairs are played.
const LOOK: Duration = Duration::from_millis(20);

/// A worker's next pair; `None` if the stop flag is raised before it comes.
fn receive(worker: &Receiver<Played>, stop: &AtomicBool) -> Option<Played> {
    loop {
        let played = worker.recv_timeout(LOOK);
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        match played {
            Ok(played) => return Some(played),
            Err(RecvTimeoutError::Timeout) => {}
            // A worker hangs up early only when it is told to stop.
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// One worker's life: its pairs, until it is told to stop, fails, or nobody listens any more.
fn work<A: Player, B: Player>(
    settings: &MatchSettings,
    numbers: impl Iterator<Item = u32>,
    make_a: &impl Fn() -> A,
    make_b: &impl Fn() -> B,
    halt: &Arc<AtomicBool>,
    sender: &SyncSender<Played>,
) {
    let mut players = None;
    for number in numbers {
        // After a panic the players are not used again.
        let played = catch_unwind(AssertUnwindSafe(|| {
            let (a, b) = players.get_or_insert_with(|| (make_a(), make_b()));
            play_pair(settings, number, a, b, halt)
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

/// A pair's opening, and the randomness that is left for its players.
pub(crate) fn opening_of(settings: &MatchSettings, number: u32) -> (Opening, ChaCha8Rng) {
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    rng.set_stream(u64::from(number));
    let opening = settings.openings.of_pair(settings.seed, number, settings.rules, &mut rng);
    (opening, rng)
}

/// `None` if it was told to stop.
fn play_pair(
    settings: &MatchSettings,
    number: u32,
    a: &mut impl Player,
    b: &mut impl Player,
    halt: &Arc<AtomicBool>,
) -> Result<Option<PairRecord>, MatchError> {
    let (opening, mut rng) = opening_of(settings, number);
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
        let mut table = Table::new(players, &settings.adjudication, halt);
        let end = table.play(&mut game).map_err(|(player, source)| MatchError::Player {
            player,
            pair: number,
            source,
        })?;
        let Some(GameEnd { outcome, reason, fault }) = end else { return Ok(None) };
        let moves: Vec<Move> = game.plies().iter().map(Ply::mv).collect();
        games.push(MatchGame {
            pair: number,
            red,
            black,
            a: a_colour,
            opening_plies: opening.moves.len() as u16,
            opening: notation::Opening::of(game.start(), &moves),
            start: opening.start.clone(),
            moves,
            outcome,
            reason,
            notes: table.notes(),
            fault,
        });
    }
    let games = games.try_into().expect("a game for each of the two colours");
    Ok(Some(PairRecord { number, games }))
}

/// How a game ended.
struct GameEnd {
    outcome: Outcome,
    reason: EndReason,
    /// What the loser did, in words.
    fault: Option<String>,
}

/// Two players at the board, with their clocks and the referee's book.
struct Table<'a> {
    players: ByColour<&'a mut dyn Player>,
    clocks: ByColour<Option<Clock>>,
    adjudication: &'a Adjudication,
    /// Nobody wants more games.
    halt: &'a Arc<AtomicBool>,
    notes: Vec<MoveNote>,
}

impl<'a> Table<'a> {
    fn new(
        players: ByColour<&'a mut dyn Player>,
        adjudication: &'a Adjudication,
        halt: &'a Arc<AtomicBool>,
    ) -> Self {
        let clock = |player: &dyn Player| player.time_control().map(Clock::new);
        let clocks = ByColour { red: clock(players.red), black: clock(players.black) };
        Self { players, clocks, adjudication, halt, notes: Vec::new() }
    }

    /// Plays to the end and says how it ended; `None` if it was told to stop; an error with the name of who failed.
    ///
    /// The rules come first, then what a player does in its turn, its clock before its move, then adjudication.
    fn play(&mut self, game: &mut Game) -> Result<Option<GameEnd>, (String, PlayerError)> {
        let mut judged = None;
        loop {
            if let Some(Ending { outcome, reason }) = game.ending() {
                return Ok(Some(GameEnd { outcome, reason: EndReason::Rules(reason), fault: None }));
            }
            if let Some(outcome) = judged {
                return Ok(Some(GameEnd { outcome, reason: EndReason::Adjudication, fault: None }));
            }
            if self.halt.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let turn = game.position().turn();
            match self.play_turn(game) {
                Ok(None) => {}
                Err((_, PlayerError::Stopped)) => return Ok(None),
                end => return end,
            }
            judged = self.adjudication.judge(&self.notes, turn, game.plies().len());
        }
    }

    /// One move, or the end if the side to move has lost by what it did.
    fn play_turn(&mut self, game: &mut Game) -> Result<Option<GameEnd>, (String, PlayerError)> {
        let side = game.position().turn();
        let lost =
            |reason, fault| Ok(Some(GameEnd { outcome: Outcome::Win(side.opponent()), reason, fault }));
        let shown = |clock: Option<Clock>| clock.and_then(|clock| clock.shown());
        let clocks = ByColour { red: shown(self.clocks.red), black: shown(self.clocks.black) };
        let player = &mut self.players[side];
        let Choice { mv, note } = match player.choose(&Turn { game, clocks, stop: Some(self.halt) }) {
            Ok(choice) => choice,
            Err(PlayerError::Forfeit { fault, message }) => return lost(fault.into(), Some(message)),
            Err(error) => return Err((player.name(), error)),
        };
        if let (Some(clock), Some(time)) = (&mut self.clocks[side], note.time)
            && !clock.spend(time)
        {
            let message = format!("{} took {:.3} s", player.name(), time.as_secs_f64());
            return lost(EndReason::Time, Some(message));
        }
        let Some(mv) = mv else { return lost(EndReason::Resignation, None) };
        if let Err(error) = game.play_permitted(mv) {
            let message = format!("{} chose {error}", player.name());
            return lost(EndReason::IllegalMove, Some(message));
        }
        self.notes.push(note);
        Ok(None)
    }

    /// The notes on all moves; none if nobody said anything.
    fn notes(self) -> Vec<MoveNote> {
        if self.notes.iter().all(MoveNote::is_empty) { Vec::new() } else { self.notes }
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}
