//! The latest positions in memory, and drawing from them.

use crate::huge_pages::grow;
use crate::packed;
use crate::record::{Decided, EndReason, GameRecord, PlyRecord, RecordError};
use crate::seen::Seen;
use crate::short_horizon::{self, PackedWdl};
use crate::surprise::{Surprise, SurpriseCounts};
use evaluator::{Situation, Wdl, material_balance};
use rand::{Rng, RngExt as _};
use rules::{Colour, Outcome, PackedPosition, Position};
use std::collections::VecDeque;

/// The positions that training draws from: one row for each searched ply of the latest games, at most 100 bytes a
/// row with settings as usual.
///
/// Games come in by ascending number and leave whole, oldest first, when there are more rows than the capacity.
/// Rows are numbered from 0, the oldest, to [`Window::len`].
#[derive(Clone, Debug)]
pub struct Window {
    games: VecDeque<StoredGame>,
    /// How many games have ever left.
    games_evicted: u64,
    /// Of all games, one after the other.
    rows: VecDeque<PackedRow>,
    /// Of each row, apart from the rest: whoever draws by it looks at several before taking one.
    surprises: VecDeque<Surprise>,
    /// Of the rows that have one, see [`pack_policy`].
    policies: VecDeque<u8>,
    /// How many bytes of policies have ever left.
    policies_evicted: u64,
    surprise_counts: SurpriseCounts,
    /// How many rows have ever left.
    evicted: u64,
    capacity: usize,
    horizon_plies: f32,
    last_game: Option<u64>,
}

/// What is known of a game as a whole.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameFacts {
    /// The game's number in its run.
    pub game: u64,
    /// Who won; a game broken off is a draw here.
    pub outcome: Outcome,
    /// Why it ended.
    pub reason: EndReason,
    /// How many plies it has.
    pub plies: u16,
    /// Red's material less Black's in the last position, by [`material_balance`].
    pub final_balance: i16,
    /// The weight that material had, when it was played, in the value of games without a verdict.
    pub scoring_weight: f32,
    /// From where on one side was held for lost, if it ever was.
    pub decided: Option<Decided>,
}

/// One row of the window. What is packed is unpacked when it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    window: &'a Window,
    index: usize,
}

/// A game that can't enter the window.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum WindowError {
    /// Not in order.
    #[error("game {game} comes after game {last}: the window takes games by ascending number")]
    Order {
        /// The game.
        game: u64,
        /// The one that came last.
        last: u64,
    },
    /// A game that can't have been played.
    #[error("game {game}: {source}")]
    Record {
        /// The game.
        game: u64,
        /// What is wrong with it.
        source: RecordError,
    },
}

impl Window {
    /// An empty window for this many rows, whose averages of searches look so many plies ahead ([`Row::short_horizon`]).
    pub fn new(capacity: usize, horizon_plies: f32) -> Self {
        Self {
            games: VecDeque::new(),
            games_evicted: 0,
            rows: VecDeque::new(),
            surprises: VecDeque::new(),
            policies: VecDeque::new(),
            policies_evicted: 0,
            surprise_counts: SurpriseCounts::new(),
            evicted: 0,
            capacity,
            horizon_plies,
            last_game: None,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Is there no row?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many rows there may be. One game alone may exceed it.
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Changes how many rows there may be. Games that are too many then leave when the next one comes in.
    pub const fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity;
    }

    /// How many rows have ever come in.
    pub fn rows_seen(&self) -> u64 {
        self.evicted + self.len() as u64
    }

    /// The games that have rows here, oldest first.
    pub fn games(&self) -> impl ExactSizeIterator<Item = &GameFacts> {
        self.games.iter().map(|game| &game.facts)
    }

    /// The bytes that the rows take up.
    pub fn bytes(&self) -> usize {
        self.games.capacity() * size_of::<StoredGame>()
            + self.rows.capacity() * size_of::<PackedRow>()
            + self.surprises.capacity() * size_of::<Surprise>()
            + self.policies.capacity()
    }

    /// Takes a game in, whose number must be above that of the last; then the oldest leave if there are too many
    /// rows. Plies without a search are no rows.
    pub fn push(&mut self, record: &GameRecord) -> Result<(), WindowError> {
        if let Some(last) = self.last_game.filter(|&last| last >= record.game) {
            return Err(WindowError::Order { game: record.game, last });
        }
        let game_number = (self.games_evicted + self.games.len() as u64) as u32;
        let (mut rows, mut surprises, mut policies) = (Vec::new(), Vec::new(), Vec::new());
        let mut averages = short_horizon::averages(&record.plies, self.horizon_plies).into_iter();
        let cheap = record.decided.filter(|decided| !decided.played_through);
        let decided_from = cheap.map_or(usize::MAX, |decided| decided.ply.into());
        let replayed = record.replay(|played, ply| {
            let number = played.plies().len();
            if ply.simulations > 0 {
                rows.push(PackedRow {
                    position: packed::pack(played),
                    ply: number as u16,
                    simulations: ply.simulations,
                    short_horizon: averages.next().expect("one for each searched ply"),
                    game: game_number,
                    policy: policies.len() as u32,
                });
                let kl = Some(ply.kl).filter(|_| !ply.policy.is_empty());
                surprises.push(Surprise::new(kl, number >= decided_from));
                pack_policy(played.position(), ply, &mut policies);
            }
        });
        let end = replayed.map_err(|source| WindowError::Record { game: record.game, source })?;
        self.last_game = Some(record.game);
        if !rows.is_empty() {
            self.make_room(rows.len(), policies.len());
            let facts = GameFacts {
                game: record.game,
                outcome: record.outcome,
                reason: record.reason,
                plies: record.plies.len() as u16,
                final_balance: material_balance(end.position(), Colour::Red) as i16,
                scoring_weight: record.scoring_weight,
                decided: record.decided,
            };
            let first_policy = self.policies_evicted + self.policies.len() as u64;
            self.games.push_back(StoredGame { facts, rows: rows.len() as u32, first_policy });
            self.policies.extend(policies);
            self.rows.extend(rows);
            for &surprise in &surprises {
                self.surprise_counts.add(surprise);
            }
            self.surprises.extend(surprises);
        }
        Ok(())
    }

    /// Lets the oldest games leave until there is room for a new one's rows, all of them if need be; then makes sure of
    /// room for as many bytes of policies too.
    fn make_room(&mut self, rows: usize, policies: usize) {
        while self.len() + rows > self.capacity
            && let Some(oldest) = self.games.pop_front()
        {
            let left = oldest.rows as usize;
            self.rows.drain(..left);
            for surprise in self.surprises.drain(..left) {
                self.surprise_counts.remove(surprise);
            }
            self.evicted += left as u64;
            self.games_evicted += 1;
            let end = self.policies_evicted + self.policies.len() as u64;
            let kept_from = self.games.front().map_or(end, |game| game.first_policy);
            self.policies.drain(..(kept_from - self.policies_evicted) as usize);
            self.policies_evicted = kept_from;
        }
        grow(&mut self.rows, rows, self.capacity);
        grow(&mut self.surprises, rows, self.capacity);
        grow(&mut self.policies, policies, usize::MAX);
    }

    /// The number of a row, all alike.
    ///
    /// # Panics
    /// If the window is empty.
    pub fn sample(&self, rng: &mut impl Rng) -> usize {
        rng.random_range(0..self.len())
    }

    /// The same as the row's, without looking the row up.
    ///
    /// # Panics
    /// If `index` is not below [`Window::len`].
    #[inline]
    pub fn surprise(&self, index: usize) -> Surprise {
        self.surprises[index]
    }

    /// What surprises the rows have, each once, and how many rows have it: always in the same order, and for a window of
    /// any size at the same cost.
    pub fn surprises(&self) -> impl Iterator<Item = (Surprise, u32)> + Clone {
        self.surprise_counts.iter()
    }

    /// A row.
    ///
    /// # Panics
    /// If `index` is not below [`Window::len`].
    #[inline]
    pub fn row(&self, index: usize) -> Row<'_> {
        assert!(index < self.len(), "row {index} of {}", self.len());
        Row { window: self, index }
    }

    /// Several rows. A large window is in no cache: what a row consists of is asked for while rows before it are looked
    /// at, several of them at once, since the processor can wait for many answers at a time. Drawing from ten million rows
    /// takes a third less than without.
    ///
    /// # Panics
    /// If one of `indices` is not below [`Window::len`].
    pub fn rows(&self, indices: &[usize]) -> impl Iterator<Item = Row<'_>> {
        (0..indices.len()).map(move |number| {
            if number.is_multiple_of(TOGETHER) {
                self.ask(&indices[number..]);
            }
            self.row(indices[number])
        })
    }

    /// Asks for what rows after the first [`TOGETHER`] consist of: the nearer, the more is known of where it is.
    fn ask(&self, indices: &[usize]) {
        let group = |number: usize| {
            indices.iter().skip(number * TOGETHER).take(TOGETHER).map(|&index| self.row(index))
        };
        for row in group(3) {
            let packed = std::ptr::from_ref(row.packed());
            prefetch(packed);
            // A row may lie on two lines of the cache: its end is just before the next one's beginning.
            prefetch(packed.wrapping_add(1).wrapping_byte_sub(1));
            prefetch(&raw const self.surprises[row.index]);
        }
        for row in group(2) {
            prefetch(row.stored_game());
        }
        for row in group(1) {
            let policy = row.first_of_policy();
            let lines = [policy, policy + 64].map(|byte| self.policies.get(byte));
            lines.into_iter().flatten().for_each(|line| prefetch(line));
        }
    }
}

/// So many rows are asked for together.
const TOGETHER: usize = 8;

/// Asks for what stands somewhere, without waiting for it.
#[inline]
fn prefetch<T>(data: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(unsafe_code, reason = "see `Window::rows`")]
        // SAFETY: all x86-64 processors have it, and it may be given any address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(data.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = data;
}

impl<'a> Row<'a> {
    /// The game that it is from.
    pub fn game(&self) -> &'a GameFacts {
        &self.stored_game().facts
    }

    /// The number of the ply, from 0.
    pub fn ply(&self) -> u16 {
        self.packed().ply
    }

    /// Was the game held for decided and searched more cheaply from here on?
    pub fn is_decided(&self) -> bool {
        self.surprise().is_decided()
    }

    /// Whose turn it is.
    pub fn turn(&self) -> Colour {
        self.packed().position.turn()
    }

    /// The row of the game's next ply, if that was searched.
    pub fn next(&self) -> Option<Self> {
        let next = Self { index: self.index + 1, ..*self };
        let follows = |row: &PackedRow| row.game == self.packed().game && row.ply == self.ply() + 1;
        self.window.rows.get(next.index).is_some_and(follows).then_some(next)
    }

    /// What a network sees of position and situation.
    pub(crate) fn seen(&self) -> Seen {
        Seen::of(&self.packed().position)
    }

    /// The position before the ply. Its count of rounds is lost.
    pub fn position(&self) -> Position {
        self.packed().position.position()
    }

    /// What its history adds.
    pub fn situation(&self) -> Situation {
        packed::situation(&self.packed().position)
    }

    /// Simulations of the search, at least 1.
    pub fn simulations(&self) -> u16 {
        self.packed().simulations
    }

    fn surprise(&self) -> Surprise {
        self.window.surprise(self.index)
    }

    /// Kullback–Leibler divergence of the policy target from the prior, in nats, to eight bits ([`Surprise`]); nothing
    /// without a policy target.
    pub fn kl(&self) -> Option<f32> {
        self.surprise().kl()
    }

    /// Is there a policy target? Only a full search makes one.
    pub fn has_policy(&self) -> bool {
        self.kl().is_some()
    }

    /// The policy target: one share for each of the `legal` legal moves in their order, in parts of
    /// [`FULL_TARGET`](crate::FULL_TARGET), to which they add up. Nothing without a policy target. `legal` must be the
    /// position's own number of legal moves.
    pub fn policy(&self, legal: usize) -> impl Iterator<Item = u16> + use<'a> {
        let bytes = self.window.policies.range(self.first_of_policy()..);
        unpack_policy(bytes.copied(), if self.has_policy() { legal } else { 0 })
    }

    /// Where the row's policy begins among all that there are, if it has one.
    fn first_of_policy(&self) -> usize {
        let of_game = self.stored_game().first_policy - self.window.policies_evicted;
        of_game as usize + self.packed().policy as usize
    }

    fn packed(&self) -> &'a PackedRow {
        &self.window.rows[self.index]
    }

    fn stored_game(&self) -> &'a StoredGame {
        // Numbers of games wrap; no window holds so many.
        let game = self.packed().game.wrapping_sub(self.window.games_evicted as u32);
        &self.window.games[game as usize]
    }

    /// What the search said of this position and those of the game's following plies, on average: the one k plies on has
    /// weight (h / (1 + h))^k, where h is the horizon that the window was made with.
    pub fn short_horizon(&self) -> Wdl {
        self.packed().short_horizon.wdl()
    }

    /// How many plies the game went on, this one included; at least 1.
    pub fn plies_to_end(&self) -> u16 {
        self.game().plies - self.ply()
    }

    /// The result for the side to move: 1, 0 or −1. A game broken off counts 0.
    pub fn result(&self) -> i8 {
        match self.game().outcome {
            Outcome::Draw => 0,
            Outcome::Win(winner) if winner == self.turn() => 1,
            Outcome::Win(_) => -1,
        }
    }

    /// The side to move's material less the other's in the game's last position.
    pub fn final_balance(&self) -> i16 {
        match self.turn() {
            Colour::Red => self.game().final_balance,
            Colour::Black => -self.game().final_balance,
        }
    }
}

/// What the rows of a game share.
#[derive(Clone, Debug)]
struct StoredGame {
    facts: GameFacts,
    /// How many there are.
    rows: u32,
    /// The number of the first byte of its policies among all that ever came in.
    first_policy: u64,
}

#[derive(Clone, Copy, Debug)]
struct PackedRow {
    position: PackedPosition,
    ply: u16,
    simulations: u16,
    short_horizon: PackedWdl,
    /// The number of the row's game among all that ever came in, modulo 2³².
    game: u32,
    /// Where the row's policy begins among its game's, or would.
    policy: u32,
}

/// Appends a policy target: one bit for each legal move, in their order, that says whether it has a share, rounded up
/// to whole bytes; then those shares, 16 bits each, little-endian. Nothing for no policy.
fn pack_policy(position: &Position, ply: &PlyRecord, bytes: &mut Vec<u8>) {
    if ply.policy.is_empty() {
        return;
    }
    let legal = position.legal_moves();
    let bits = bytes.len();
    bytes.resize(bits + legal.len().div_ceil(8), 0);
    for (number, &mv) in legal.iter().enumerate() {
        if let Some(entry) = ply.policy.iter().find(|entry| entry.mv == mv) {
            bytes[bits + number / 8] |= 1 << (number % 8);
            bytes.extend_from_slice(&entry.target.to_le_bytes());
        }
    }
}

/// The shares of so many legal moves, at most 128, from bytes that begin with them.
fn unpack_policy(mut bytes: impl Iterator<Item = u8>, legal: usize) -> impl Iterator<Item = u16> {
    let bits = bytes.by_ref().take(legal.div_ceil(8));
    let bits = (0..).step_by(8).zip(bits).fold(0_u128, |bits, (bit, byte)| bits | u128::from(byte) << bit);
    let mut share = move || u16::from_le_bytes([bytes.next().unwrap_or(0), bytes.next().unwrap_or(0)]);
    (0..legal).map(move |number| if bits >> number & 1 == 0 { 0 } else { share() })
}
