//! Plays random games, or games from files, and checks at every ply what can be known in two ways:
//!
//! ```text
//! cargo run --release -p rules --example random_games -- [MOVES] [--seed SEED] [--games FILE.tsv]... [--lists COUNT]
//! ```
//!
//! Random play makes `MOVES` moves in all (1,000,000) under the default rules; a game that is over is followed by one
//! from the start position or from thinned armies. `--games` replays instead the column `moves` of a tab-separated
//! file (moves separated by spaces, from the position in the column `fen`, or from the start position); rows without
//! moves are counted and passed over.
//!
//! Prints one line of totals. With `--lists` it prints instead `COUNT` different positions of those games, drawn at
//! random: FEN, tab, the legal moves in alphabetical order separated by spaces.

use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Kind, Move, MoveList, Position, Reason, Rules, Setup, Square};
use std::collections::HashSet;
use std::error::Error;
use std::fmt;
use std::fs;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

const USAGE: &str =
    "want [MOVES] [--seed SEED] [--games FILE.tsv]... [--lists COUNT], and no MOVES with --games";

/// The costly checks are made at one ply of so many.
const CLOSE_LOOK: u64 = 50;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::read(std::env::args().skip(1))?;
    let mut referee = Referee::new(arguments.seed, arguments.lists);
    for file in &arguments.games {
        referee.replay_file(file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    if arguments.games.is_empty() {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        while referee.totals.moves < arguments.moves {
            referee.play_at_random(&mut rng, arguments.moves)?;
        }
    }
    let mut out = BufWriter::new(io::stdout().lock());
    match referee.lists {
        None => writeln!(out, "{}", referee.totals)?,
        Some(lists) => lists.drawn.iter().try_for_each(|position| writeln!(out, "{}", line(position)))?,
    }
    Ok(out.flush()?)
}

/// What the program is asked for.
struct Arguments {
    moves: u64,
    seed: u64,
    games: Vec<PathBuf>,
    lists: Option<usize>,
}

impl Arguments {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut moves = None;
        let mut read = Self { moves: 1_000_000, seed: 1, games: Vec::new(), lists: None };
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| format!("{word} stands without its value: {USAGE}"));
            match word.as_str() {
                "--seed" => read.seed = number(&value()?)?,
                "--games" => read.games.push(value()?.into()),
                "--lists" => read.lists = Some(number(&value()?)?),
                count if moves.is_none() && !count.starts_with('-') => moves = Some(number(count)?),
                other => return Err(format!("\"{other}\" is not understood: {USAGE}")),
            }
        }
        if moves.is_some() && !read.games.is_empty() {
            return Err(USAGE.to_owned());
        }
        read.moves = moves.unwrap_or(read.moves);
        Ok(read)
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String>
where
    T::Err: fmt::Display,
{
    text.parse().map_err(|error| format!("\"{text}\" is no number ({error}): {USAGE}"))
}

/// Leads games from ply to ply, checks and counts.
struct Referee {
    totals: Totals,
    lists: Option<Lists>,
}

impl Referee {
    fn new(seed: u64, lists: Option<usize>) -> Self {
        Self { totals: Totals::default(), lists: lists.map(|count| Lists::new(seed, count)) }
    }

    /// Plays one game until it is over, or until there are `most` moves in all.
    fn play_at_random(&mut self, rng: &mut impl Rng, most: u64) -> Result<(), String> {
        let start = if rng.random() { Position::start() } else { thinned(rng) };
        let mut game = CheckedGame::new(start);
        loop {
            self.look(&game)?;
            let reason = game.ending()?;
            if reason.is_some() || self.totals.moves == most {
                self.totals.count_game(reason);
                return game.take_back_all();
            }
            let legal = game.position().legal_moves();
            self.play(&mut game, legal[rng.random_range(0..legal.len())])?;
        }
    }

    /// Replays the games of a file.
    fn replay_file(&mut self, file: &Path) -> Result<(), String> {
        let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
        let column = |wanted| names.iter().position(|&name| name == wanted);
        let moves = column("moves").ok_or("the first line names no column \"moves\"")?;
        let fen = column("fen");
        for (i, line) in lines.enumerate() {
            let fields: Vec<&str> = line.split('\t').collect();
            if fields.len() != names.len() {
                return Err(format!("line {}: {} columns, want {}", i + 2, fields.len(), names.len()));
            }
            if fields[moves].is_empty() {
                self.totals.rows_without_moves += 1;
                continue;
            }
            let fen = fen.map_or("", |fen| fields[fen]);
            self.replay(fen, fields[moves]).map_err(|error| format!("line {}: {error}", i + 2))?;
        }
        Ok(())
    }

    /// Replays one game. Records go on after a repetition or the natural limit, so only the last position ends it.
    fn replay(&mut self, fen: &str, moves: &str) -> Result<(), String> {
        let start = if fen.is_empty() { Ok(Position::start()) } else { fen.parse() };
        let mut game = CheckedGame::new(start.map_err(|error| format!("\"{fen}\": {error}"))?);
        self.look(&game)?;
        for (i, mv) in moves.split_whitespace().enumerate() {
            let played = mv.parse().map_err(|error: rules::ParseMoveError| error.to_string());
            played
                .and_then(|mv| self.play(&mut game, mv))
                .map_err(|error| format!("move {}: {error}", i + 1))?;
            self.look(&game)?;
        }
        let reason = game.ending()?;
        self.totals.count_game(reason);
        game.take_back_all()
    }

    fn play(&mut self, game: &mut CheckedGame, mv: Move) -> Result<(), String> {
        self.totals.moves += 1;
        game.play(mv)
    }

    /// Checks the position that a game has come to, every so often closely, and may keep it for the lists.
    fn look(&mut self, game: &CheckedGame) -> Result<(), String> {
        let position = game.position();
        check(position)?;
        if self.totals.positions.is_multiple_of(CLOSE_LOOK) {
            self.totals.close_looks += 1;
            check_closely(position)?;
        }
        self.totals.positions += 1;
        if let Some(lists) = &mut self.lists {
            lists.offer(position);
        }
        Ok(())
    }
}

/// A game that is compared with its own past.
struct CheckedGame {
    game: Game,
    /// The key and FEN of each position that it went through.
    past: Vec<(u64, String)>,
}

impl CheckedGame {
    fn new(start: Position) -> Self {
        Self { game: Game::new(start, Rules::default()), past: Vec::new() }
    }

    const fn position(&self) -> &Position {
        self.game.position()
    }

    /// Plays a move, takes it back, sees that nothing has changed, and plays it again.
    fn play(&mut self, mv: Move) -> Result<(), String> {
        let before = self.position().clone();
        self.past.push((before.key(), before.fen()));
        self.game.play(mv).map_err(|error| error.to_string())?;
        self.take_back()?;
        let restored = *self.position() == before;
        ensure(restored, &before, || format!("{mv} played and taken back leaves other pieces"))?;
        self.game.play_unchecked(mv);
        Ok(())
    }

    /// Takes the last move back; key and FEN must be those from before it.
    fn take_back(&mut self) -> Result<(), String> {
        let (key, fen) = &self.past[self.game.plies().len() - 1];
        let mv = self.game.undo();
        let now = self.game.position();
        ensure(now.key() == *key && now.fen() == *fen, now, || {
            format!("taking back {mv:?} does not lead back to {fen}")
        })
    }

    /// Goes back to where the game started.
    fn take_back_all(mut self) -> Result<(), String> {
        while !self.game.plies().is_empty() {
            self.take_back()?;
        }
        let restored = self.game.position() == self.game.start();
        ensure(restored, self.game.position(), || "all moves taken back leave another position".to_owned())
    }

    /// Why the game is over, if it is; the reason must suit the position.
    fn ending(&self) -> Result<Option<Reason>, String> {
        let position = self.position();
        let occurrences = 1 + self.past.iter().filter(|&&(key, _)| key == position.key()).count();
        ensure(self.game.occurrences() as usize == occurrences, position, || {
            format!("{} occurrences counted, want {occurrences}", self.game.occurrences())
        })?;
        let reason = self.game.ending().map(|ending| ending.reason);
        let expected = match reason {
            Some(Reason::Checkmate) => !position.has_legal_move() && position.in_check(),
            Some(Reason::Stalemate) => !position.has_legal_move() && !position.in_check(),
            Some(reason) if reason.is_by_repetition() => occurrences >= 3,
            Some(Reason::NaturalLimit) => position.quiet_plies() >= 120,
            _ => position.has_legal_move() && occurrences < 3 && position.quiet_plies() < 120,
        };
        ensure(expected, position, || {
            format!("{occurrences} occurrences, ended by {}", reason.map_or("nothing", Reason::name))
        })?;
        Ok(reason)
    }
}

/// What is cheap: the position against the one its FEN describes, and the ways to count its moves.
fn check(position: &Position) -> Result<(), String> {
    let fen = position.fen();
    let parsed: Position = fen.parse().map_err(|error| format!("{fen} is refused: {error}"))?;
    ensure(parsed == *position, position, || "the FEN describes other pieces".to_owned())?;
    ensure(parsed.key() == position.key(), position, || {
        format!("the key is {:x}, want {:x}", position.key(), parsed.key())
    })?;
    ensure(parsed.fen() == fen, position, || format!("the FEN comes back as {}", parsed.fen()))?;
    let moves = position.legal_moves();
    ensure(*parsed.legal_moves() == *moves, position, || "the FEN describes other moves".to_owned())?;
    ensure(parsed.checkers() == position.checkers(), position, || {
        "the FEN describes other checks".to_owned()
    })?;
    ensure(position.legal_count() as usize == moves.len(), position, || {
        format!("{} moves counted, {} listed", position.legal_count(), moves.len())
    })?;
    ensure(position.has_legal_move() != moves.is_empty(), position, || {
        format!("has_legal_move is wrong: {} moves are listed", moves.len())
    })
}

/// What takes longer: every pair of points, every move played and taken back, the board mirrored and turned.
fn check_closely(position: &Position) -> Result<(), String> {
    let moves = position.legal_moves();
    for from in Square::all() {
        for to in Square::all() {
            let mv = Move::new(from, to);
            ensure(position.is_legal(mv) == moves.contains(&mv), position, || {
                format!("{mv}: the list of moves and is_legal disagree")
            })?;
        }
    }
    let mut played = position.clone();
    for &mv in &moves {
        let undo = played.play_unchecked(mv);
        check(&played)?;
        played.undo(undo);
        let restored =
            played == *position && played.key() == position.key() && played.fen() == position.fen();
        ensure(restored, position, || format!("{mv} played and taken back leaves something else"))?;
    }
    let views = [
        ("mirrored", position.mirrored(), Move::mirrored as fn(Move) -> Move),
        ("turned", position.turned(), Move::turned),
    ];
    for (name, view, back) in views {
        check(&view)?;
        ensure(sorted(&view.legal_moves(), back) == sorted(&moves, |mv| mv), position, || {
            format!("the {name} position has other moves")
        })?;
    }
    let twice = [position.mirrored().mirrored(), position.turned().turned()];
    ensure(twice.iter().all(|twice| twice.key() == position.key()), position, || {
        "mirrored or turned twice it is another position".to_owned()
    })
}

/// An error that names the position, unless `holds`.
fn ensure(holds: bool, position: &Position, error: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{} in {}", error(), position.fen())) }
}

fn sorted(moves: &MoveList, change: impl Fn(Move) -> Move) -> Vec<Move> {
    let mut moves: Vec<Move> = moves.iter().map(|&mv| change(mv)).collect();
    moves.sort_unstable();
    moves
}

/// The start position without some of its pieces: the fewer stay, the sooner mates and captures come.
fn thinned(rng: &mut impl Rng) -> Position {
    loop {
        let mut setup: Setup = Position::start().to_setup();
        let staying = rng.random_range(2..8);
        for piece in &mut setup.board {
            *piece = piece.filter(|piece| piece.kind == Kind::General || rng.random_range(0..8) < staying);
        }
        // Generals that face each other, or a cannon that bears on one, are no position.
        if let Ok(position) = setup.check() {
            return position;
        }
    }
}

/// Some of all different positions, each with the same chance (Vitter's algorithm R).
struct Lists {
    rng: ChaCha8Rng,
    count: usize,
    seen: HashSet<u64>,
    drawn: Vec<Position>,
}

impl Lists {
    fn new(seed: u64, count: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // Other numbers than those of the games.
        rng.set_stream(1);
        Self { rng, count, seen: HashSet::new(), drawn: Vec::new() }
    }

    fn offer(&mut self, position: &Position) {
        if !self.seen.insert(position.key()) {
            return;
        }
        if self.drawn.len() < self.count {
            self.drawn.push(position.clone());
        } else if let Some(place) = self.drawn.get_mut(self.rng.random_range(0..self.seen.len())) {
            place.clone_from(position);
        }
    }
}

/// FEN, tab, sorted moves.
fn line(position: &Position) -> String {
    let mut moves: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
    moves.sort_unstable();
    format!("{}\t{}", position.fen(), moves.join(" "))
}

/// What has been played.
#[derive(Default)]
struct Totals {
    moves: u64,
    positions: u64,
    close_looks: u64,
    games: u64,
    rows_without_moves: u64,
    ends: [u64; Reason::ALL.len()],
}

impl Totals {
    fn count_game(&mut self, reason: Option<Reason>) {
        self.games += 1;
        for (count, of) in self.ends.iter_mut().zip(Reason::ALL) {
            *count += u64::from(reason == Some(of));
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} moves, {} games, {} positions checked, {} of them closely; ends:",
            self.moves, self.games, self.positions, self.close_looks
        )?;
        for (count, reason) in self.ends.iter().zip(Reason::ALL).filter(|&(&count, _)| count > 0) {
            write!(f, " {} {count},", reason.name())?;
        }
        write!(f, " none {}", self.games - self.ends.iter().sum::<u64>())?;
        match self.rows_without_moves {
            0 => Ok(()),
            rows => write!(f, "; {rows} rows without moves"),
        }
    }
}
