//! The latest positions in memory, and drawing from them.

use crate::packed;
use crate::record::{Decided, EndReason, GameRecord, PlyRecord, RecordError, draw_from_u8, value_from_i16};
use crate::seen::Seen;
use crate::surprise::{Surprise, SurpriseCounts};
use evaluator::{Situation, material_balance};
use rand::{Rng, RngExt as _};
use rules::{Colour, Game, Outcome, PackedPosition, Position};
use std::collections::VecDeque;
use std::num::NonZeroU8;

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
    /// The number of each row's game among all that ever came in, modulo 2³².
    games_of_rows: VecDeque<u32>,
    /// Of each row, apart from the rest: whoever draws by it looks at several before taking one.
    surprises: VecDeque<Surprise>,
    surprise_counts: SurpriseCounts,
    /// How many rows have ever left.
    evicted: u64,
    capacity: usize,
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
    game: &'a StoredGame,
    /// Its number among the game's rows.
    number: usize,
    index: usize,
    window: &'a Window,
}

/// What the search of one ply said of its position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RootResult {
    /// The number of the ply.
    pub ply: u16,
    /// Win − loss in [−1, 1], from the view of the side that moved at this ply.
    pub value: f32,
    /// Probability of a draw.
    pub draw: f32,
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
    /// An empty window for this many rows.
    pub fn new(capacity: usize) -> Self {
        Self {
            games: VecDeque::new(),
            games_evicted: 0,
            games_of_rows: VecDeque::new(),
            surprises: VecDeque::new(),
            surprise_counts: SurpriseCounts::new(),
            evicted: 0,
            capacity,
            last_game: None,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.games_of_rows.len()
    }

    /// Is there no row?
    pub fn is_empty(&self) -> bool {
        self.games_of_rows.is_empty()
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
            + self.games_of_rows.capacity() * size_of::<u32>()
            + self.surprises.capacity() * size_of::<Surprise>()
            + self.games.iter().map(StoredGame::bytes).sum::<usize>()
    }

    /// Takes a game in, whose number must be above that of the last; then the oldest leave if there are too many
    /// rows. Plies without a search are no rows.
    pub fn push(&mut self, record: &GameRecord) -> Result<(), WindowError> {
        if let Some(last) = self.last_game.filter(|&last| last >= record.game) {
            return Err(WindowError::Order { game: record.game, last });
        }
        let (mut rows, mut surprises) = (Vec::new(), Vec::new());
        let (mut roots, mut policies) = (Vec::new(), Vec::new());
        let cheap = record.decided.filter(|decided| !decided.played_through);
        let decided_from = cheap.map_or(usize::MAX, |decided| decided.ply.into());
        let replayed = record.replay(|game, ply| {
            if ply.simulations > 0 {
                let number = game.plies().len() as u16;
                let pause = rows.last().map_or(0, |last: &PackedRow| number - last.ply);
                rows.push(PackedRow::new(game, ply, policies.len()));
                let kl = Some(ply.kl).filter(|_| !ply.policy.is_empty());
                surprises.push(Surprise::new(kl, game.plies().len() >= decided_from));
                roots.push(PackedRoot::new(ply, pause));
                pack_policy(game.position(), ply, &mut policies);
            }
        });
        let end = replayed.map_err(|source| WindowError::Record { game: record.game, source })?;
        self.last_game = Some(record.game);
        if !rows.is_empty() {
            self.make_room(rows.len());
            let facts = GameFacts {
                game: record.game,
                outcome: record.outcome,
                reason: record.reason,
                plies: record.plies.len() as u16,
                final_balance: material_balance(end.position(), Colour::Red) as i16,
                scoring_weight: record.scoring_weight,
                decided: record.decided,
            };
            // Copied in one go: what is allocated one after the other lies side by side, on few pages of memory.
            let (rows, roots, policies) = (rows[..].into(), roots[..].into(), policies[..].into());
            let number = (self.games_evicted + self.games.len() as u64) as u32;
            let first_row = self.rows_seen();
            self.games_of_rows.extend(surprises.iter().map(|_| number));
            self.games.push_back(StoredGame { facts, first_row, rows, roots, policies });
            for &surprise in &surprises {
                self.surprise_counts.add(surprise);
            }
            self.surprises.extend(surprises);
        }
        Ok(())
    }

    /// Lets the oldest games leave until there is room for a new one's rows, all of them if need be.
    fn make_room(&mut self, rows: usize) {
        while self.len() + rows > self.capacity
            && let Some(oldest) = self.games.pop_front()
        {
            self.games_of_rows.drain(..oldest.rows.len());
            for surprise in self.surprises.drain(..oldest.rows.len()) {
                self.surprise_counts.remove(surprise);
            }
            self.evicted += oldest.rows.len() as u64;
            self.games_evicted += 1;
        }
        // By a quarter at a time: doubling would leave half of a large window empty.
        if self.len() + rows > self.games_of_rows.capacity() {
            self.games_of_rows.reserve_exact(rows.max(self.len() / 4));
            self.surprises.reserve_exact(rows.max(self.len() / 4));
        }
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
        let game = self.game_of(index);
        let number = (self.evicted + index as u64 - game.first_row) as usize;
        Row { game, number, index, window: self }
    }

    /// Several rows. A large window is in no cache: what a row consists of is asked for while rows before it are looked
    /// at, several of them at once, since the processor can wait for many answers at a time. Drawing from ten million rows
    /// takes two fifths less than without.
    ///
    /// # Panics
    /// If one of `indices` is not below [`Window::len`].
    pub fn rows(&self, indices: &[usize]) -> impl Iterator<Item = Row<'_>> {
        (0..indices.len()).map(move |number| {
            self.ask(&indices[number..]);
            self.row(indices[number])
        })
    }

    /// Asks for what rows after the first consist of: the nearer, the more is known of where it is.
    fn ask(&self, indices: &[usize]) {
        let ahead = |steps: usize| indices.get(steps * AHEAD).copied();
        if let Some(index) = ahead(4) {
            prefetch(&self.games_of_rows[index]);
            prefetch(&self.surprises[index]);
        }
        if let Some(game) = ahead(3).map(|index| self.game_of(index)) {
            prefetch(&game.facts);
            prefetch(&game.rows);
            prefetch(&game.policies);
        }
        if let Some(row) = ahead(2).map(|index| self.row(index)) {
            prefetch(row.packed());
            // As many as targets look at.
            row.packed_roots().iter().step_by(64 / size_of::<PackedRoot>()).take(4).for_each(prefetch);
        }
        if let Some(row) = ahead(1).map(|index| self.row(index)) {
            row.packed_policy().iter().step_by(64).for_each(prefetch);
        }
    }

    fn game_of(&self, index: usize) -> &StoredGame {
        // Numbers of games wrap; no window holds so many.
        let game = self.games_of_rows[index].wrapping_sub(self.games_evicted as u32);
        &self.games[game as usize]
    }
}

/// So many rows lie between one question about a row and the next.
const AHEAD: usize = 8;

/// Asks for what stands somewhere, without waiting for it.
#[inline]
fn prefetch<T>(data: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(unsafe_code, reason = "see `Window::rows`")]
        // SAFETY: all x86-64 processors have it, and it may be given any address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(data).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = data;
}

impl<'a> Row<'a> {
    /// The game that it is from.
    pub const fn game(&self) -> &'a GameFacts {
        &self.game.facts
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
        let next = Self { number: self.number + 1, index: self.index + 1, ..*self };
        (next.number < self.game.rows.len() && next.ply() == self.ply() + 1).then_some(next)
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
    /// [`FULL_TARGET`](crate::FULL_TARGET),
    /// to which they add up. Nothing without a policy target.
    pub fn policy(&self, legal: usize) -> impl Iterator<Item = u16> + use<'a> {
        unpack_policy(self.packed_policy(), legal)
    }

    fn packed_policy(&self) -> &'a [u8] {
        let start = self.packed().policy as usize;
        // The next row's begins where this one's ends.
        let end = self.game.rows.get(self.number + 1).map(|next| next.policy as usize);
        &self.game.policies[start..end.unwrap_or(self.game.policies.len())]
    }

    fn packed(&self) -> &'a PackedRow {
        &self.game.rows[self.number]
    }

    /// What the search said of this position and, in order, of those of the game's following plies that were
    /// searched, up to a pause of more than 255 plies. The view changes with the ply: see [`RootResult::value`].
    pub fn roots(&self) -> impl Iterator<Item = RootResult> + use<'a> {
        let mut ply = self.ply();
        self.packed_roots().iter().enumerate().map_while(move |(number, root)| {
            if number > 0 {
                ply += u16::from(NonZeroU8::new(root.pause)?.get());
            }
            Some(RootResult { ply, value: value_from_i16(root.value), draw: draw_from_u8(root.draw) })
        })
    }

    fn packed_roots(&self) -> &'a [PackedRoot] {
        &self.game.roots[self.number..]
    }

    /// How many plies the game went on, this one included; at least 1.
    pub fn plies_to_end(&self) -> u16 {
        self.game.facts.plies - self.ply()
    }

    /// The result for the side to move: 1, 0 or −1. A game broken off counts 0.
    pub fn result(&self) -> i8 {
        match self.game.facts.outcome {
            Outcome::Draw => 0,
            Outcome::Win(winner) if winner == self.turn() => 1,
            Outcome::Win(_) => -1,
        }
    }

    /// The side to move's material less the other's in the game's last position.
    pub fn final_balance(&self) -> i16 {
        match self.turn() {
            Colour::Red => self.game.facts.final_balance,
            Colour::Black => -self.game.facts.final_balance,
        }
    }
}

/// What the rows of a game share.
#[derive(Clone, Debug)]
struct StoredGame {
    facts: GameFacts,
    /// The number of the first row among all that ever came in.
    first_row: u64,
    rows: Box<[PackedRow]>,
    /// What the search said, row by row: apart from the rows, since a target looks at many of one game.
    roots: Box<[PackedRoot]>,
    /// The policies of the rows that have one, see [`pack_policy`].
    policies: Box<[u8]>,
}

#[derive(Clone, Copy, Debug)]
struct PackedRow {
    position: PackedPosition,
    /// Where the row's policy begins; it ends where the next one's begins.
    policy: u32,
    simulations: u16,
    ply: u16,
}

impl StoredGame {
    fn bytes(&self) -> usize {
        size_of_val(&*self.rows) + size_of_val(&*self.roots) + self.policies.len()
    }
}

/// What the search said of a row's position. 4 bytes: a target looks at dozens, and a large window is in no cache.
#[derive(Clone, Copy, Debug)]
struct PackedRoot {
    value: i16,
    draw: u8,
    /// Plies since the game's last row; 0 in the first, and for more than there is room for.
    pause: u8,
}

impl PackedRow {
    fn new(game: &Game, ply: &PlyRecord, policy: usize) -> Self {
        let (policy, number) = (policy as u32, game.plies().len() as u16);
        Self { position: packed::pack(game), policy, simulations: ply.simulations, ply: number }
    }
}

impl PackedRoot {
    fn new(ply: &PlyRecord, pause: u16) -> Self {
        Self { value: ply.root_value, draw: ply.root_draw, pause: u8::try_from(pause).unwrap_or(0) }
    }
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

fn unpack_policy(bytes: &[u8], legal: usize) -> impl Iterator<Item = u16> {
    let legal = if bytes.is_empty() { 0 } else { legal };
    let (bits, shares) = bytes.split_at(legal.div_ceil(8));
    let mut shares = shares.chunks_exact(2).map(|share| u16::from_le_bytes([share[0], share[1]]));
    (0..legal).map(
        move |number| {
            if bits[number / 8] >> (number % 8) & 1 == 0 { 0 } else { shares.next().unwrap_or(0) }
        },
    )
}
