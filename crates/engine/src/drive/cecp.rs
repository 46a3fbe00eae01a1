//! CECP: an engine that follows the game move by move and thinks for the side that it is told to play.
//!
//! Between questions it is kept in force mode, where it only takes moves in. Its claims that a game is over are
//! noticed but not believed.

use std::time::Duration;

use rules::{Colour, Move, Position};

use super::link::{Heard, Link};
use super::options::{Announced, find};
use super::{Answer, Command, Dialect, EngineError, Info, Limits, Reply, Task, coordinates};

/// An engine of this protocol, after the handshake.
#[derive(Debug)]
pub(super) struct Cecp {
    features: Features,
    pings: u64,
    /// The game as the engine has it.
    shown: Option<Shown>,
    /// The way of writing positions that it has understood.
    fen_form: Option<FenForm>,
}

/// A game as the engine has it.
#[derive(Debug)]
struct Shown {
    start: Position,
    moves: Vec<Move>,
    /// Where it stands.
    position: Position,
    /// The engine holds that it is over.
    over: bool,
    /// It has been told a time control and a depth.
    level: Option<String>,
    depth: Option<u32>,
}

/// What it can do.
#[derive(Default, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a feature of the protocol, yes or no")]
struct Features {
    name: Option<String>,
    variants: Vec<String>,
    ping: bool,
    setboard: bool,
    usermove: bool,
    time: bool,
    memory: bool,
    cores: bool,
    options: Vec<Announced>,
}

/// How positions are written: engines of this protocol agree on nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FenForm {
    /// As `XBoard` does: elephant E, horse H, and without the fields that mean nothing.
    Short,
    /// Elephant E, horse H, all fields.
    Full,
    /// Elephant B, horse N, all fields.
    Standard,
}

impl FenForm {
    /// In the order of trying.
    const ALL: [Self; 3] = [Self::Short, Self::Full, Self::Standard];

    fn write(self, position: &Position) -> String {
        let fen = position.fen();
        if self == Self::Standard {
            return fen;
        }
        let (board, rest) = fen.split_once(' ').expect("a FEN has six fields");
        let letter = |letter| match letter {
            'B' => 'E',
            'b' => 'e',
            'N' => 'H',
            'n' => 'h',
            other => other,
        };
        let board: String = board.chars().map(letter).collect();
        let rest = if self == Self::Short { rest.replace("- - ", "") } else { rest.to_owned() };
        format!("{board} {rest}")
    }
}

/// What an engine said until it answered a ping.
#[derive(Default, Debug)]
struct Aside {
    complaint: Option<String>,
    claims_end: bool,
}

impl Cecp {
    /// Shakes hands and sets options; also the engine's name.
    pub(super) fn start(link: &mut Link, command: &Command) -> Result<(Self, Option<String>), EngineError> {
        const DONE: &str = "feature done=1";
        let mut features = Features { time: true, ..Features::default() };
        let mut names = Vec::new();
        let shake = |link: &mut Link| {
            link.send("xboard")?;
            link.send("protover 2")?;
            link.wait_for(|line| {
                // An engine may announce what it likes, but not without end.
                const MAX_FEATURES: usize = 1000;
                let found = parse_features(line.strip_prefix("feature ")?);
                let done = found.iter().any(|(name, value)| name == "done" && value == "1");
                for (name, value) in found.into_iter().take(MAX_FEATURES - names.len()) {
                    features.take(&name, &value);
                    names.push(name);
                }
                done.then_some(())
            })?;
            names.into_iter().try_for_each(|name| link.send(&format!("accepted {name}")))
        };
        shake(link).map_err(|error| link.unfit(error, DONE))?;
        if !features.variants.iter().any(|variant| variant == "xiangqi") {
            let variants = features.variants.join(", ");
            return Err(link.refuse(format!("it doesn't play Xiangqi; it plays: {variants}")));
        }
        let name = features.name.take();
        let mut engine = Self { features, pings: 0, shown: None, fen_form: None };
        engine.set_options(link, command)?;
        engine.sync(link).map_err(|error| link.unfit(error, "pong"))?;
        Ok((engine, name))
    }

    pub(super) fn new_game(&mut self, link: &mut Link, start: &Position) -> Result<(), EngineError> {
        self.begin(link, start)
    }

    pub(super) fn go(&mut self, link: &mut Link, task: &Task<'_>) -> Result<Reply, EngineError> {
        let limits = &task.limits;
        if let Err(source) = Dialect::Cecp.check_limits(limits) {
            return Err(EngineError::Limit { program: link.program.clone(), source });
        }
        if let Some(complaint) = self.show(link, task)? {
            let answer = Answer::Unreadable(complaint);
            return Ok(Reply { answer, offers_draw: false, info: Info::default(), elapsed: Duration::ZERO });
        }
        self.limit(link, limits, task.deadline)?;
        self.sync(link)?;
        let turn = task.turn();
        if let Some(clock) = limits.clock
            && self.features.time
        {
            link.send(&format!("time {}", hundredths(clock[turn].left)))?;
            link.send(&format!("otim {}", hundredths(clock[turn.opponent()].left)))?;
        }
        let mut info = Info::default();
        let mut offers_draw = false;
        let (answer, elapsed) = link.ask("go", "?", task.deadline, |line| {
            offers_draw |= line == "offer draw";
            if info.read_cecp(line) { Heard::Nothing } else { read_answer(line, turn) }
        })?;
        self.note(&answer);
        Ok(Reply { answer, offers_draw, info, elapsed })
    }

    /// The engine has played its move.
    fn note(&mut self, answer: &Answer) {
        let Some(shown) = &mut self.shown else { return };
        match answer {
            &Answer::Move(mv) if shown.position.legal_moves().contains(&mv) => shown.play(mv),
            _ => self.shown = None,
        }
    }

    /// Brings the engine to where the task is, with the moves it hasn't seen. Its complaint, if it refuses one.
    fn show(&mut self, link: &mut Link, task: &Task<'_>) -> Result<Option<String>, EngineError> {
        let continues = |shown: &Shown| {
            shown.start == *task.start
                && task.moves.starts_with(&shown.moves)
                // A depth is only forgotten with a new game.
                && (shown.depth.is_none() || task.limits.depth.is_some())
        };
        if self.shown.as_ref().is_some_and(continues) {
            link.send("force")?;
            let aside = self.sync(link)?;
            self.shown_mut().over |= aside.claims_end;
        } else {
            self.begin(link, task.start)?;
        }
        let known = self.shown_mut().moves.len();
        for &mv in &task.moves[known..] {
            self.revive(link)?;
            let position = &self.shown_mut().position;
            assert!(position.legal_moves().contains(&mv), "{mv} is no legal move of {}", position.fen());
            link.send(&if self.features.usermove { format!("usermove {mv}") } else { mv.to_string() })?;
            let aside = self.sync(link)?;
            if aside.complaint.is_some() {
                self.shown = None;
                return Ok(aside.complaint);
            }
            let shown = self.shown_mut();
            shown.over |= aside.claims_end;
            shown.play(mv);
        }
        self.revive(link)?;
        Ok(None)
    }

    /// An engine that holds that the game is over may refuse to go on, or end. It is shown the position as a new one,
    /// if it can be shown positions; else it is asked all the same.
    fn revive(&mut self, link: &mut Link) -> Result<(), EngineError> {
        if self.shown_mut().over && self.features.setboard {
            let mut shown = self.shown.take().expect("a game has begun");
            // With the count of plies without a capture it might hold that this one is a draw too.
            let mut setup = shown.position.to_setup();
            setup.quiet_plies = 0;
            self.lay(link, &setup.check().expect("only a counter has changed"))?;
            shown.over = false;
            shown.level = None;
            self.shown = Some(shown);
        }
        Ok(())
    }

    fn shown_mut(&mut self) -> &mut Shown {
        self.shown.as_mut().expect("a game has begun")
    }

    /// A new game from `start`.
    fn begin(&mut self, link: &mut Link, start: &Position) -> Result<(), EngineError> {
        self.shown = None;
        self.lay(link, start)?;
        self.shown = Some(Shown {
            start: start.clone(),
            moves: Vec::new(),
            position: start.clone(),
            over: false,
            level: None,
            depth: None,
        });
        Ok(())
    }

    /// Shows a position as a new game.
    fn lay(&mut self, link: &mut Link, position: &Position) -> Result<(), EngineError> {
        for line in ["new", "variant xiangqi", "post", "easy", "force"] {
            link.send(line)?;
        }
        self.sync(link)?;
        if *position == Position::start() {
            return Ok(());
        }
        let refused = |program: &str, problem: String| EngineError::Position {
            program: program.to_owned(),
            fen: position.fen(),
            problem,
        };
        if !self.features.setboard {
            let problem = "it knows no command setboard, so games must start as usual";
            return Err(refused(&link.program, problem.to_owned()));
        }
        let forms = self.fen_form.map_or_else(|| FenForm::ALL.to_vec(), |form| vec![form]);
        let mut complaint = String::new();
        for form in forms {
            link.send(&format!("setboard {}", form.write(position)))?;
            match self.sync(link)?.complaint {
                None => {
                    self.fen_form = Some(form);
                    return Ok(());
                }
                Some(words) => complaint = words,
            }
        }
        Err(refused(&link.program, complaint))
    }

    /// Says how long to think.
    fn limit(&mut self, link: &mut Link, limits: &Limits, deadline: Duration) -> Result<(), EngineError> {
        let level = match (limits.clock, limits.move_time) {
            (Some(clock), _) => {
                let side = clock[self.shown_mut().position.turn()];
                let left = side.left.as_secs();
                let (minutes, seconds) = (left / 60, left % 60);
                let moves = limits.moves_to_go.unwrap_or(0);
                format!("level {moves} {minutes}:{seconds:02} {}", side.increment.as_secs())
            }
            (None, Some(time)) => format!("st {}", time.as_secs()),
            // Else it would divide the time of its usual clock, and might not reach the depth.
            (None, None) => format!("st {}", deadline.as_secs().clamp(1, 3600)),
        };
        let shown = self.shown_mut();
        // A clock is set once; `time` says how it goes on.
        if limits.clock.is_none() || shown.level.as_ref().is_none_or(|level| !level.starts_with("level")) {
            if shown.level.as_ref() != Some(&level) {
                link.send(&level)?;
            }
            shown.level = Some(level);
        }
        if let Some(depth) = limits.depth {
            shown.depth = Some(depth);
            link.send(&format!("sd {depth}"))?;
        }
        Ok(())
    }

    /// Waits until the engine has read all that was said, if it can tell.
    fn sync(&mut self, link: &mut Link) -> Result<Aside, EngineError> {
        let mut aside = Aside::default();
        if !self.features.ping {
            return Ok(aside);
        }
        self.pings += 1;
        link.send(&format!("ping {}", self.pings))?;
        let pong = format!("pong {}", self.pings);
        link.wait_for(|line| {
            aside.claims_end |= is_result(line);
            if is_complaint(line) && aside.complaint.is_none() {
                aside.complaint = Some(line.to_owned());
            }
            (line == pong).then_some(())
        })?;
        Ok(aside)
    }

    fn set_options(&self, link: &mut Link, command: &Command) -> Result<(), EngineError> {
        for (name, value) in &command.options {
            let known_word = match name.as_str() {
                "memory" => self.features.memory,
                "cores" => self.features.cores,
                _ => false,
            };
            if known_word {
                if value.parse::<u32>().is_err() {
                    return Err(link.bad_option(name, format!("\"{value}\": want a whole number")));
                }
                link.send(&format!("{name} {value}"))?;
                continue;
            }
            let options = &self.features.options;
            let Some(option) = find(options, name) else {
                let mut known: Vec<_> = options.iter().map(|option| option.name.as_str()).collect();
                known.extend(self.features.memory.then_some("memory"));
                known.extend(self.features.cores.then_some("cores"));
                return Err(link.bad_option(name, format!("is not there; there are: {}", known.join(", "))));
            };
            let value = option.accept(value).map_err(|problem| link.bad_option(name, problem))?;
            let value = match value.as_str() {
                "true" => "1",
                "false" => "0",
                other => other,
            };
            let equals = if value.is_empty() { "" } else { "=" };
            link.send(&format!("option {}{equals}{value}", option.name))?;
        }
        Ok(())
    }
}

impl Shown {
    fn play(&mut self, mv: Move) {
        self.moves.push(mv);
        self.position.play_unchecked(mv);
    }
}

impl Features {
    fn take(&mut self, name: &str, value: &str) {
        let yes = value != "0";
        match name {
            "myname" => self.name = Some(value.to_owned()),
            "variants" => self.variants = value.split(',').map(|variant| variant.trim().to_owned()).collect(),
            "ping" => self.ping = yes,
            "setboard" => self.setboard = yes,
            "usermove" => self.usermove = yes,
            // What an engine wants unless it says no.
            "time" => self.time = yes,
            "memory" => self.memory = yes,
            "smp" => self.cores = yes,
            "option" => self.options.extend(Announced::read_cecp(value)),
            _ => (),
        }
    }
}

/// `name=value` and `name="several words"`.
fn parse_features(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        found.push((name.trim().to_owned(), value.to_owned()));
        rest = next;
    }
    found
}

fn read_answer(line: &str, turn: Colour) -> Heard<Answer> {
    let words: Vec<_> = line.split_whitespace().collect();
    match words[..] {
        ["move", text] | ["My", "move", "is:", text] => Heard::Answer(match coordinates::read_cecp(text) {
            Some(mv) => Answer::Move(mv),
            None => Answer::Unreadable(line.to_owned()),
        }),
        ["move", ..] => Heard::Answer(Answer::Unreadable(line.to_owned())),
        ["resign"] => Heard::Answer(Answer::Resign),
        _ if is_refused_move(line) => Heard::Answer(Answer::Unreadable(line.to_owned())),
        // A move may yet follow.
        _ if is_result(line) => {
            Heard::Perhaps(if gives_up(line, turn) { Answer::Resign } else { Answer::None })
        }
        _ => Heard::Nothing,
    }
}

/// `0-1 {White resigns}` by an engine that plays Red.
fn gives_up(line: &str, turn: Colour) -> bool {
    let lost = match turn {
        Colour::Red => "0-1",
        Colour::Black => "1-0",
    };
    line.starts_with(lost) && line.to_ascii_lowercase().contains("resign")
}

fn is_result(line: &str) -> bool {
    ["1-0", "0-1", "1/2-1/2"].iter().any(|result| line.starts_with(result))
}

fn is_refused_move(line: &str) -> bool {
    line.get(..12).is_some_and(|words| words.eq_ignore_ascii_case("illegal move"))
}

fn is_complaint(line: &str) -> bool {
    is_refused_move(line) || line.starts_with("Error") || line.starts_with("tellusererror")
}

fn hundredths(time: Duration) -> u128 {
    time.as_millis() / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_may_be_quoted() {
        let found =
            parse_features("setboard=1 myname=\"Sjaak II 1.4.1\" option=\"A = b -spin 1 0 2\" done=1");
        let names: Vec<_> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let option = ("option", "A = b -spin 1 0 2");
        assert_eq!(names, [("setboard", "1"), ("myname", "Sjaak II 1.4.1"), option, ("done", "1")]);
        assert_eq!(parse_features("a=\"b"), [("a".to_owned(), "b".to_owned())]);
        assert_eq!(parse_features("nonsense"), []);
    }

    #[test]
    fn positions_in_every_form() {
        let position: Position = "3ak4/9/9/2n6/8R/9/4p4/9/9/2BK5 b - - 5 7".parse().expect("a position");
        let written = FenForm::ALL.map(|form| form.write(&position));
        assert_eq!(written[0], "3ak4/9/9/2h6/8R/9/4p4/9/9/2EK5 b 5 7");
        assert_eq!(written[1], "3ak4/9/9/2h6/8R/9/4p4/9/9/2EK5 b - - 5 7");
        assert_eq!(written[2], position.fen());
    }

    #[test]
    fn answers() {
        let check = |line: &str, expected: Heard<Answer>| {
            assert_eq!(read_answer(line, Colour::Red), expected, "{line}");
        };
        check("move h2e2", Heard::Answer(Answer::Move("h2e2".parse().expect("a move"))));
        check("move O-O", Heard::Answer(Answer::Unreadable("move O-O".to_owned())));
        check("move", Heard::Answer(Answer::Unreadable("move".to_owned())));
        check("resign", Heard::Answer(Answer::Resign));
        check("0-1 {White resigns}", Heard::Perhaps(Answer::Resign));
        check("1-0 {Black resigns}", Heard::Perhaps(Answer::None));
        check("1/2-1/2 {Draw by fifty move rule}", Heard::Perhaps(Answer::None));
        check(
            "Illegal move (game over): a0a1",
            Heard::Answer(Answer::Unreadable("Illegal move (game over): a0a1".to_owned())),
        );
        check("# thinking", Heard::Nothing);
        check("Hint: h2e2", Heard::Nothing);
    }
}
