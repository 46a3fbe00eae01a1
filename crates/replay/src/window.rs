//! The latest positions in memory, and drawing from them.

use crate::packed::PackedPosition;
use crate::record::{
    EndReason, FULL_TARGET, GameRecord, PlyRecord, RecordError, draw_from_u8, value_from_i16,
};
use evaluator::{Situation, material_balance};
use rand::{Rng, RngExt as _};
use rules::{Colour, Game, MoveList, Outcome, Position};
use std::collections::VecDeque;

/// The positions that training draws from: one row for each searched ply of the latest games, at most 100 bytes a
/// row with settings as usual.
///
/// Games come in by ascending number and leave whole, oldest first, when there are more rows than the capacity.
/// Rows are numbered from 0, the oldest, to [`Window::len`].
#[derive(Clone, Debug)]
pub struct Window {
    games: VecDeque<StoredGame>,
    /// How many rows have ever left; the number of a row that never changes is this plus its index.
    evicted: u64,
    len: usize,
    capacity: usize,
    last_game: Option<u64>,
}

/// What is known of a game as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
}

/// One row of the window, unpacked.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The game that it is from.
    pub game: GameFacts,
    /// The number of the ply, from 0.
    pub ply: u16,
    /// The position before the ply. Its count of rounds is lost.
    pub position: Position,
    /// What its history adds.
    pub situation: Situation,
    /// Its legal moves.
    pub legal: MoveList,
    /// The policy target: one share for each legal move in their order, in parts of [`FULL_TARGET`], to which they
    /// add up. Empty if the search was not a full one.
    pub policy: Vec<u16>,
    /// Simulations of the search, at least 1.
    pub simulations: u16,
    /// Kullback–Leibler divergence of the policy target from the prior, in nats.
    pub kl: f32,
    stored: &'a StoredGame,
    index: usize,
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
    pub const fn new(capacity: usize) -> Self {
        Self { games: VecDeque::new(), evicted: 0, len: 0, capacity, last_game: None }
    }

    /// How many rows there are.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Is there no row?
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many rows there may be. One game alone may exceed it.
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many rows have ever come in.
    pub const fn rows_seen(&self) -> u64 {
        self.evicted + self.len as u64
    }

    /// The games that have rows here, oldest first.
    pub fn games(&self) -> impl ExactSizeIterator<Item = &GameFacts> {
        self.games.iter().map(|game| &game.facts)
    }

    /// The bytes that the rows take up.
    pub fn bytes(&self) -> usize {
        self.games.capacity() * size_of::<StoredGame>()
            + self.games.iter().map(StoredGame::bytes).sum::<usize>()
    }

    /// Takes a game in, whose number must be above that of the last; then the oldest leave if there are too many
    /// rows. Plies without a search are no rows.
    pub fn push(&mut self, record: &GameRecord) -> Result<(), WindowError> {
        if let Some(last) = self.last_game.filter(|&last| last >= record.game) {
            return Err(WindowError::Order { game: record.game, last });
        }
        let game = StoredGame::new(record, self.rows_seen())
            .map_err(|source| WindowError::Record { game: record.game, source })?;
        self.last_game = Some(record.game);
        if !game.rows.is_empty() {
            self.len += game.rows.len();
            self.games.push_back(game);
            self.evict();
        }
        Ok(())
    }

    fn evict(&mut self) {
        while self.len > self.capacity && self.games.len() > 1 {
            if let Some(game) = self.games.pop_front() {
                self.len -= game.rows.len();
                self.evicted += game.rows.len() as u64;
            }
        }
    }

    /// The number of a row, all alike.
    ///
    /// # Panics
    /// If the window is empty.
    pub fn sample(&self, rng: &mut impl Rng) -> usize {
        rng.random_range(0..self.len)
    }

    /// A row, unpacked.
    ///
    /// # Panics
    /// If `index` is not below [`Window::len`].
    pub fn row(&self, index: usize) -> Row<'_> {
        assert!(index < self.len, "row {index} of {}", self.len);
        let number = self.evicted + index as u64;
        let game = self.games.partition_point(|game| game.first_row <= number) - 1;
        let game = &self.games[game];
        game.row((number - game.first_row) as usize)
    }
}

impl Row<'_> {
    /// What the search said of this position and, in order, of those of the game's following plies that were
    /// searched. The view changes with the ply: see [`RootResult::value`].
    pub fn roots(&self) -> impl Iterator<Item = RootResult> {
        self.stored.rows[self.index..].iter().map(|row| RootResult {
            ply: row.ply,
            value: value_from_i16(row.root_value),
            draw: draw_from_u8(row.root_draw),
        })
    }

    /// How many plies the game went on, this one included; at least 1.
    pub const fn plies_to_end(&self) -> u16 {
        self.game.plies - self.ply
    }

    /// The result for the side to move: 1, 0 or −1. A game broken off counts 0.
    pub fn result(&self) -> i8 {
        match self.game.outcome {
            Outcome::Draw => 0,
            Outcome::Win(winner) if winner == self.position.turn() => 1,
            Outcome::Win(_) => -1,
        }
    }

    /// The side to move's material less the other's in the game's last position.
    pub fn final_balance(&self) -> i16 {
        match self.position.turn() {
            Colour::Red => self.game.final_balance,
            Colour::Black => -self.game.final_balance,
        }
    }
}

/// The rows of a game.
#[derive(Clone, Debug)]
struct StoredGame {
    facts: GameFacts,
    /// The number of the first row among all that ever came in.
    first_row: u64,
    rows: Box<[PackedRow]>,
    /// The policies of the rows that have one, see [`pack_policy`].
    policies: Box<[u8]>,
}

#[derive(Clone, Copy, Debug)]
struct PackedRow {
    position: PackedPosition,
    kl: f32,
    /// Where the row's policy begins; it ends where the next one's begins.
    policy: u32,
    quiet_plies: u16,
    ply: u16,
    simulations: u16,
    root_value: i16,
    root_draw: u8,
}

impl StoredGame {
    fn new(record: &GameRecord, first_row: u64) -> Result<Self, RecordError> {
        let (mut rows, mut policies) = (Vec::new(), Vec::new());
        let end = record.replay(|game, ply| {
            if ply.simulations > 0 {
                rows.push(PackedRow::new(game, ply, policies.len()));
                pack_policy(game.position(), ply, &mut policies);
            }
        })?;
        let facts = GameFacts {
            game: record.game,
            outcome: record.outcome,
            reason: record.reason,
            plies: record.plies.len() as u16,
            final_balance: material_balance(end.position(), Colour::Red) as i16,
        };
        Ok(Self { facts, first_row, rows: rows.into(), policies: policies.into() })
    }

    fn row(&self, index: usize) -> Row<'_> {
        let packed = &self.rows[index];
        let (position, situation) = packed.position.unpack(packed.quiet_plies);
        let legal = position.legal_moves();
        Row {
            game: self.facts,
            ply: packed.ply,
            policy: unpack_policy(self.policy(index), legal.len()),
            position,
            situation,
            legal,
            simulations: packed.simulations,
            kl: packed.kl,
            stored: self,
            index,
        }
    }

    fn policy(&self, index: usize) -> &[u8] {
        let start = self.rows[index].policy as usize;
        let end = self.rows.get(index + 1).map_or(self.policies.len(), |next| next.policy as usize);
        &self.policies[start..end]
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.rows) + self.policies.len()
    }
}

impl PackedRow {
    fn new(game: &Game, ply: &PlyRecord, policy: usize) -> Self {
        Self {
            position: PackedPosition::pack(game.position(), Situation::of(game)),
            kl: ply.kl,
            policy: policy as u32,
            quiet_plies: game.position().quiet_plies(),
            ply: game.plies().len() as u16,
            simulations: ply.simulations,
            root_value: ply.root_value,
            root_draw: ply.root_draw,
        }
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

fn unpack_policy(bytes: &[u8], legal: usize) -> Vec<u16> {
    if bytes.is_empty() {
        return Vec::new();
    }
    let (bits, shares) = bytes.split_at(legal.div_ceil(8));
    let mut shares = shares.chunks_exact(2).map(|share| u16::from_le_bytes([share[0], share[1]]));
    let policy: Vec<u16> = (0..legal)
        .map(|number| if bits[number / 8] >> (number % 8) & 1 == 0 { 0 } else { shares.next().unwrap_or(0) })
        .collect();
    debug_assert_eq!(policy.iter().map(|&share| u32::from(share)).sum::<u32>(), u32::from(FULL_TARGET));
    policy
}
