//! UCI, UCI-Cyclone and UCCI: one family of dialects.

use std::time::Duration;

use rules::{Colour, Move};

use super::link::{Heard, Link};
use super::options::{Announced, Kind, find};
use super::position::fen_and_moves;
use super::{
    Answer, Command, Dialect, EngineError, Info, Limits, Reply, Task, UnsupportedLimit, coordinates,
};

/// The option by which Fairy-Stockfish and its like are told what to play.
const VARIANT: &str = "UCI_Variant";
/// UCCI's option for the unit of time.
const MILLISECONDS: &str = "usemillisec";

/// An engine of this family, after the handshake.
#[derive(Debug)]
pub(super) struct Uci {
    dialect: Dialect,
    options: Vec<Announced>,
    /// What one unit of UCCI's times is, if that is known.
    unit: Option<Duration>,
}

impl Uci {
    /// Shakes hands and sets options; also the engine's name.
    pub(super) fn start(link: &mut Link, command: &Command) -> Result<(Self, Option<String>), EngineError> {
        let dialect = command.dialect;
        let (hello, answer) = if dialect == Dialect::Ucci { ("ucci", "ucciok") } else { ("uci", "uciok") };
        let mut name = None;
        let mut options = Vec::new();
        link.send(hello).map_err(|error| link.unfit(error, answer))?;
        let heard = link.wait_for(|line| {
            // An engine may announce what it likes, but not without end.
            const MAX_OPTIONS: usize = 1000;
            if let Some(text) = line.strip_prefix("id name ") {
                name = Some(text.trim().to_owned());
            } else if let Some(option) = Announced::read_uci(line)
                && options.len() < MAX_OPTIONS
            {
                options.push(option);
            }
            (line == answer).then_some(())
        });
        heard.map_err(|error| link.unfit(error, answer))?;
        let mut engine = Self { dialect, options, unit: None };
        let told = engine.choose_game(link).and_then(|()| engine.set_options(link, command));
        told.map_err(|error| link.unfit(error, "readyok"))?;
        Self::get_ready(link).map_err(|error| link.unfit(error, "readyok"))?;
        Ok((engine, name))
    }

    pub(super) fn new_game(&self, link: &mut Link) -> Result<(), EngineError> {
        match self.dialect {
            Dialect::Ucci if find(&self.options, "newgame").is_some() => link.send("setoption newgame")?,
            // Not in the protocol, but what interfaces say.
            Dialect::Ucci => link.send("uccinewgame")?,
            _ => link.send("ucinewgame")?,
        }
        Self::get_ready(link)
    }

    pub(super) fn go(&self, link: &mut Link, task: &Task<'_>) -> Result<Reply, EngineError> {
        let order = self.order(&task.limits, task.turn());
        let order = order.map_err(|source| EngineError::Limit { program: link.program.clone(), source })?;
        let position = fen_and_moves(self.dialect, task.start, task.moves);
        // Cyclone's engines know a position by the word `fen` alone.
        let word = if self.dialect == Dialect::Cyclone { "" } else { "position " };
        link.send(&format!("{word}{position}"))?;
        if self.dialect == Dialect::Ucci && !task.banned.is_empty() {
            link.send(&ban(task.banned))?;
        }
        // After this no answer to an earlier order can come.
        Self::get_ready(link)?;
        let mut info = Info::default();
        let ((answer, offers_draw), elapsed) = link.ask(&order, "stop", task.deadline, |line| {
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            match word {
                "info" => info.read_uci(rest, self.dialect.ranks()),
                "bestmove" => return Heard::Answer(self.read_answer(line, rest)),
                "nobestmove" => return Heard::Answer((Answer::None, false)),
                _ => (),
            }
            Heard::Nothing
        })?;
        Ok(Reply { answer, offers_draw, info, elapsed })
    }

    /// Sets Xiangqi where that is one game of many, and refuses an engine that would play another.
    fn choose_game(&self, link: &mut Link) -> Result<(), EngineError> {
        let option = find(&self.options, VARIANT);
        let knows = |option: &Announced| match &option.kind {
            Kind::Combo(variants) => variants.iter().any(|variant| variant == "xiangqi"),
            _ => false,
        };
        match (self.dialect, option) {
            (Dialect::UciVariant | Dialect::Ucci, Some(option)) if knows(option) => {
                self.set(link, &option.name, "xiangqi")
            }
            (Dialect::UciVariant, Some(_)) => Err(link.refuse(format!("its {VARIANT} has no \"xiangqi\""))),
            (Dialect::UciVariant, None) => {
                let hint = Dialect::Uci;
                Err(link.refuse(format!(
                    "it has no option {VARIANT}; if it plays Xiangqi, its dialect is {hint}"
                )))
            }
            (Dialect::Uci | Dialect::Cyclone, Some(option)) if option.default != "xiangqi" => {
                let (hint, default) = (Dialect::UciVariant, &option.default);
                Err(link.refuse(format!("it plays {default} unless told otherwise; its dialect is {hint}")))
            }
            _ => Ok(()),
        }
    }

    fn set_options(&mut self, link: &mut Link, command: &Command) -> Result<(), EngineError> {
        let ucci = self.dialect == Dialect::Ucci;
        if ucci && find(&self.options, MILLISECONDS).is_some() {
            self.set(link, MILLISECONDS, "true")?;
            self.unit = Some(Duration::from_millis(1));
        }
        for (name, value) in &command.options {
            if ucci && name == MILLISECONDS {
                self.unit = match value.as_str() {
                    "true" => Some(Duration::from_millis(1)),
                    "false" => Some(Duration::from_secs(1)),
                    _ => return Err(link.bad_option(name, format!("\"{value}\": want true or false"))),
                };
                self.set(link, name, value)?;
                continue;
            }
            let Some(option) = find(&self.options, name) else {
                let known: Vec<_> = self.options.iter().map(|option| option.name.as_str()).collect();
                return Err(link.bad_option(name, format!("is not there; there are: {}", known.join(", "))));
            };
            let value = option.accept(value).map_err(|problem| link.bad_option(name, problem))?;
            self.set(link, &option.name, &value)?;
        }
        Ok(())
    }

    fn set(&self, link: &mut Link, name: &str, value: &str) -> Result<(), EngineError> {
        let ucci = self.dialect == Dialect::Ucci;
        link.send(&match (ucci, value.is_empty()) {
            (true, true) => format!("setoption {name}"),
            (true, false) => format!("setoption {name} {value}"),
            (false, true) => format!("setoption name {name}"),
            (false, false) => format!("setoption name {name} value {value}"),
        })
    }

    fn get_ready(link: &mut Link) -> Result<(), EngineError> {
        link.send("isready")?;
        link.wait_for(|line| (line == "readyok").then_some(()))
    }

    /// `go …`
    fn order(&self, limits: &Limits, turn: Colour) -> Result<String, UnsupportedLimit> {
        self.dialect.check_limits(limits)?;
        if self.dialect == Dialect::Ucci { self.ucci_order(limits, turn) } else { Ok(uci_order(limits)) }
    }

    fn ucci_order(&self, limits: &Limits, turn: Colour) -> Result<String, UnsupportedLimit> {
        if let Some(nodes) = limits.nodes {
            return Ok(format!("go nodes {nodes}"));
        }
        if let Some(depth) = limits.depth {
            return Ok(format!("go depth {depth}"));
        }
        let Some(unit) = self.unit else {
            return Err(UnsupportedLimit {
                dialect: self.dialect,
                limit: "time".to_owned(),
                allowed: "this one doesn't announce usemillisec, so say by that option whether it counts \
                          milliseconds (true) or seconds (false)",
            });
        };
        // Never more than there is, and never nothing.
        let units = |time: Duration| (time.as_millis() / unit.as_millis()).max(1);
        let increments = |time: Duration| time.as_millis() / unit.as_millis();
        // The protocol has no words for the time of one move. The last move of a control has the whole rest.
        if let Some(time) = limits.move_time {
            return Ok(format!("go time {} movestogo 1", units(time)));
        }
        let Some(clock) = limits.clock else { return Ok("go".to_owned()) };
        let (own, other) = (clock[turn], clock[turn.opponent()]);
        Ok(match limits.moves_to_go {
            Some(moves) => format!(
                "go time {} movestogo {moves} opptime {} oppmovestogo {moves}",
                units(own.left),
                units(other.left)
            ),
            None => format!(
                "go time {} increment {} opptime {} oppincrement {}",
                units(own.left),
                increments(own.increment),
                units(other.left),
                increments(other.increment)
            ),
        })
    }

    /// What follows `bestmove`: a move, and perhaps the word that it comes with the offer of a draw or that the engine
    /// gives up. These are UCCI's; UCI has no others in their place.
    fn read_answer(&self, line: &str, rest: &str) -> (Answer, bool) {
        let mut words = rest.split_whitespace();
        let Some(word) = words.next() else { return (Answer::Unreadable(line.to_owned()), false) };
        let said = |word| words.clone().any(|other| other == word);
        let answer = match word {
            "resign" => Answer::Resign,
            _ if said("resign") => Answer::Resign,
            "(none)" | "none" | "null" | "0000" => Answer::None,
            _ => match coordinates::read(word, self.dialect.ranks()) {
                Some(mv) => Answer::Move(mv),
                None => Answer::Unreadable(line.to_owned()),
            },
        };
        (answer, said("draw"))
    }
}

fn ban(moves: &[Move]) -> String {
    moves.iter().fold("banmoves".to_owned(), |line, mv| format!("{line} {mv}"))
}

fn uci_order(limits: &Limits) -> String {
    let mut order = "go".to_owned();
    let mut say = |word: &str, number: u128| order = format!("{order} {word} {number}");
    if let Some(clock) = limits.clock {
        say("wtime", clock.red.left.as_millis());
        say("btime", clock.black.left.as_millis());
        say("winc", clock.red.increment.as_millis());
        say("binc", clock.black.increment.as_millis());
    }
    if let Some(moves) = limits.moves_to_go {
        say("movestogo", moves.into());
    }
    if let Some(depth) = limits.depth {
        say("depth", depth.into());
    }
    if let Some(nodes) = limits.nodes {
        say("nodes", nodes.into());
    }
    if let Some(time) = limits.move_time {
        say("movetime", time.as_millis().max(1));
    }
    order
}
