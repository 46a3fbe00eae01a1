//! Does what the interface asks for, one thing after the other.

use super::board::Board;
use super::clock;
use super::command::Command;
use super::dialect::Dialect;
use super::nets::Nets;
use super::options::{Change, Options};
use super::order::Order;
use super::pending::{Pending, Unanswered};
use super::speech::{Extras, Speech};
use super::thinking::Thinking;
use super::voice::Voice;
use crate::think::{Allowance, Line, Proven, Task, Thought};
use crossbeam_channel::Receiver;
use rules::Move;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// Something to do.
#[derive(Debug)]
pub(super) enum Job {
    /// What a line says.
    Do(Command),
    /// An order to think.
    Go(Order, Arc<Pending>),
    /// A line was too long to be read.
    TooLong,
}

/// A draw is accepted if the best move is worth no more than this (win − loss).
const DRAWISH: f32 = 0.0;
/// The engine gives up, if it may, when its best move is worth less than this (win − loss).
const HOPELESS: f32 = -0.95;

/// The state of the conversation.
pub(super) struct Worker<'a, W> {
    voice: &'a Voice<W>,
    unanswered: &'a Unanswered,
    dialect: Dialect,
    options: Options,
    board: Board,
    thinking: Thinking,
}

impl<'a, W: Write> Worker<'a, W> {
    pub(super) fn new(voice: &'a Voice<W>, unanswered: &'a Unanswered, nets: Nets, seed: u64) -> Self {
        let options = Options::new(seed);
        let board = Board::new(options.rules());
        let thinking = Thinking::new(nets);
        Self { voice, unanswered, dialect: Dialect::Uci, options, board, thinking }
    }

    /// Works until there is nothing more to do.
    pub(super) fn run(mut self, jobs: &Receiver<Job>) {
        for job in jobs {
            let order = match &job {
                Job::Go(_, pending) => Some(Arc::clone(pending)),
                _ => None,
            };
            // An interface that waits for an answer would wait for ever: so a fault of ours is said, and the next
            // thought begins from nothing.
            if catch_unwind(AssertUnwindSafe(|| self.work(job))).is_err() {
                self.thinking.forget_all();
                self.error("internal fault, please report it");
                if let Some(order) = order {
                    let best = self.candidates(None).first().copied();
                    self.answer(&order, best, Extras::default());
                }
            }
        }
    }

    fn work(&mut self, job: Job) {
        match job {
            Job::Go(order, pending) => self.go(&order, &pending),
            Job::TooLong => self.error("a line was too long and was not read"),
            Job::Do(command) => self.execute(command),
        }
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Uci if self.dialect == Dialect::Cyclone => self.greet(Dialect::Cyclone),
            Command::Uci => self.greet(Dialect::Uci),
            Command::Ucci => self.greet(Dialect::Ucci),
            Command::UciCyclone => self.dialect = Dialect::Cyclone,
            Command::IsReady => {
                self.get_ready();
                self.voice.say("readyok");
            }
            Command::NewGame => self.start_new_game(),
            Command::SetOption(text) => self.set_option(&text),
            Command::Position(text) => self.set_position(&text),
            Command::BarePosition(text) => {
                // Only this dialect has it; UCCI's interfaces may be as careless.
                if self.dialect == Dialect::Uci {
                    self.dialect = Dialect::Cyclone;
                }
                self.set_position(&text);
            }
            Command::BanMoves(text) => {
                let unknown = self.board.ban(&text, self.speech().ranks);
                self.complain_of("banmoves", &unknown);
            }
            Command::Probe => {
                if self.dialect == Dialect::Ucci {
                    self.voice.say("pophash");
                }
            }
            Command::Stop => {
                // The reader sends it on only if there is nothing to stop.
                if self.dialect == Dialect::Ucci {
                    self.voice.say("nobestmove");
                }
            }
            Command::Quit => {
                if self.dialect == Dialect::Ucci {
                    self.voice.say("bye");
                }
            }
            Command::Show => self.remark(&format!("fen {}", self.board.game().position().fen())),
            Command::Unknown(text) => {
                if self.dialect != Dialect::Ucci {
                    self.remark(&format!("unknown command: {}", short(&text)));
                }
            }
            // These two are the reader's.
            Command::Go(_) | Command::PonderHit { .. } | Command::Nothing => {}
        }
    }

    fn greet(&mut self, dialect: Dialect) {
        const VERSION: &str = env!("CARGO_PKG_VERSION");
        self.dialect = dialect;
        let options = Options::announcement(dialect);
        let (copyright, ok) = match dialect {
            Dialect::Ucci => ("id copyright 2026 the Meihua authors\n", "ucciok"),
            Dialect::Uci | Dialect::Cyclone => ("", "uciok"),
        };
        self.voice.say(&format!(
            "id name Meihua {VERSION}\n{copyright}id author the Meihua authors\n{options}\n{ok}"
        ));
    }

    fn start_new_game(&mut self) {
        self.board = Board::new(self.options.rules());
        self.thinking.forget_game();
    }

    fn set_option(&mut self, text: &str) {
        match self.options.set(text) {
            Ok(Change::Set) => {}
            Ok(Change::NewGame) => self.start_new_game(),
            // Interfaces send options that UCCI engines never announced.
            Err(_) if self.dialect == Dialect::Ucci => {}
            Err(error) => self.error(&error.to_string()),
        }
        if *self.board.game().rules() != self.options.rules() {
            self.board.set_rules(self.options.rules());
        }
    }

    fn set_position(&mut self, text: &str) {
        match self.board.set(text, self.speech().ranks) {
            Ok(notes) => notes.iter().for_each(|note| self.remark(&note.to_string())),
            Err(error) => self.error(&error.to_string()),
        }
    }

    /// Opens the net and makes the threads, unless that is done.
    fn get_ready(&mut self) {
        for news in self.thinking.get_ready(&self.options) {
            match news {
                Ok(news) => self.remark(&news),
                Err(error) => self.error(&error),
            }
        }
    }

    /// The moves that may be played.
    fn candidates(&self, only: Option<&[Move]>) -> Vec<Move> {
        let permitted = self.board.game().permitted_moves();
        let is_free =
            |mv: &Move| !self.board.banned().contains(mv) && only.is_none_or(|only| only.contains(mv));
        permitted.iter().copied().filter(is_free).collect()
    }

    fn go(&mut self, order: &Order, pending: &Arc<Pending>) {
        order.faults.iter().for_each(|fault| self.error(fault));
        self.get_ready();
        let only = order.only.as_ref().map(|words| {
            let (moves, unknown) = self.board.legal_moves(words, self.speech().ranks);
            self.complain_of("searchmoves", &unknown);
            moves
        });
        let candidates = self.candidates(only.as_deref());
        let is_static = self.dialect == Dialect::Ucci && order.depth == Some(0);
        if candidates.is_empty() {
            if self.board.game().permitted_moves().is_empty() {
                self.voice.say(&self.speech().lost());
            }
            Self::wait_for_word(order, pending);
            return self.answer(pending, None, Extras::default());
        }
        let is_restricted = only.is_some() || !self.board.banned().is_empty();
        let mut task = self.task(order, candidates.len());
        task.only = is_restricted.then(|| candidates.clone());
        let time = self.time(order, pending, &candidates);
        if order.ponder {
            time.inspect(|&time| pending.start_clock_when_hit(time));
        } else if !order.infinite {
            task.time = time;
        }
        let thought = self.think(order, &task, pending);
        Self::wait_for_word(order, pending);
        let Some(line) = thought.lines.first() else {
            return self.answer(pending, candidates.first().copied(), Extras::default());
        };
        let best = (!is_static).then_some(line.mv);
        let offered = order.draw || pending.draw_offered();
        self.answer(pending, best, self.extras(line, offered));
    }

    /// What to think about, but for the time.
    fn task(&self, order: &Order, candidates: usize) -> Task {
        let is_static = self.dialect == Dialect::Ucci && order.depth == Some(0);
        // Without a choice there is nothing to think about, unless somebody wants to know.
        let is_forced = candidates == 1 && !order.infinite && !order.ponder;
        let nodes = match order.nodes {
            _ if is_static => Some(1),
            Some(_) if is_forced => Some(1),
            nodes => nodes.map(|nodes| nodes.max(1)),
        };
        let depth =
            if is_forced { Some(1) } else { order.depth.filter(|_| !is_static).map(|depth| depth.max(1)) };
        let lines = if self.options.shows_moves { usize::MAX } else { self.options.lines };
        Task { only: None, nodes, depth, lines, time: None }
    }

    fn time(&self, order: &Order, pending: &Pending, candidates: &[Move]) -> Option<Allowance> {
        let spent = if order.ponder { Duration::ZERO } else { pending.read.elapsed() };
        let mover = self.board.game().position().turn();
        let time = clock::allowance(order, mover, self.options.unit(), self.options.overhead, spent)?;
        Some(if candidates.len() == 1 { Allowance::fixed(Duration::ZERO) } else { time })
    }

    /// Thinks and says what it sees, the last thought in any case.
    fn think(&mut self, order: &Order, task: &Task, pending: &Pending) -> Thought {
        let (speech, lines, voice) = (self.speech(), self.options.lines, self.voice);
        let mut seen = |thought: &Thought| {
            voice.say(&speech.thought(thought, lines));
            let finds = |mate: u32| thought.lines.first().is_some_and(|line| is_mate_in(line, mate));
            if order.mate.is_some_and(finds) {
                pending.signal.stop();
            }
        };
        let thought = match self.thinking.think(self.board.game(), task, &pending.signal, &mut seen) {
            Ok(thought) => thought,
            Err(error) => {
                self.error(&error);
                return Thought::default();
            }
        };
        if !thought.lines.is_empty() {
            self.voice.say(&speech.thought(&thought, lines));
        }
        if self.options.shows_moves && self.dialect != Dialect::Ucci {
            self.voice.say(&speech.move_statistics(&thought.lines));
        }
        thought
    }

    /// An answer that is not awaited yet is kept back.
    fn wait_for_word(order: &Order, pending: &Pending) {
        if order.infinite || order.ponder {
            pending.wait(!order.infinite);
        }
    }

    fn extras(&self, line: &Line, draw_offered: bool) -> Extras {
        let is_lost = matches!(line.proven, Some(Proven::Loss { .. }));
        let is_won = matches!(line.proven, Some(Proven::Win { .. }));
        Extras {
            ponder: line.pv.get(1).copied(),
            draw: draw_offered && self.options.may_draw && !is_won && line.value <= DRAWISH,
            resign: self.options.may_resign && (is_lost || line.value < HOPELESS),
        }
    }

    fn answer(&self, pending: &Arc<Pending>, best: Option<Move>, extras: Extras) {
        let text = self.speech().answer(best, extras);
        self.unanswered.answer(pending, || self.voice.say(&text));
    }

    fn speech(&self) -> Speech {
        Speech {
            dialect: self.dialect,
            ranks: self.options.ranks(self.dialect),
            shows_wdl: self.options.shows_wdl,
            unit: self.options.unit(),
        }
    }

    fn remark(&self, text: &str) {
        self.voice.say(&self.speech().remark(text));
    }

    fn error(&self, text: &str) {
        self.remark(&format!("error {text}"));
    }

    fn complain_of(&self, command: &str, unknown: &[String]) {
        if !unknown.is_empty() {
            self.error(&format!("{command}: no legal moves: {}", short(&unknown.join(" "))));
        }
    }
}

fn is_mate_in(line: &Line, moves: u32) -> bool {
    matches!(line.proven, Some(Proven::Win { plies }) if u32::from(plies).div_ceil(2) <= moves)
}

/// The beginning of a text that somebody else has written.
fn short(text: &str) -> String {
    const MOST: usize = 200;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short += " …";
    }
    short
}
