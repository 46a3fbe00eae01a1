//! Engines for tests: each speaks UCI, UCI-Cyclone, UCCI and CECP, by the first word it hears, and has one habit.
//!
//! They play the first legal move. The program `fake-engine` runs one: `fake-engine HABIT [MILLISECONDS [LOG]]`, where
//! LOG is a file that gets all that the engine is told.

use std::fmt;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use notation::{Style, read_fen, write_move};
use rules::{Move, Position};

/// What is peculiar about an engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Habit {
    /// Nothing.
    Good,
    /// Is an engine of many games whose option `UCI_Variant` chooses Xiangqi, and counts ranks from 1.
    OneBased,
    /// Knows of CECP neither `setboard` nor `usermove`.
    Plain,
    /// Ends when it is first spoken to.
    DiesAtHandshake,
    /// Never says a word.
    Silent,
    /// Speaks the dialect, but never gets ready.
    NeverReady,
    /// Ends at its second move.
    Dies,
    /// Never answers with a move.
    Sleeps,
    /// Answers after so many milliseconds, whatever it is told.
    Late,
    /// Plays a move that isn't legal.
    Illegal,
    /// Answers with something that is no move.
    Unreadable,
    /// Says more than anybody wants to hear, then answers.
    Floods,
    /// Says more than anybody wants to hear, and no end.
    FloodsForever,
    /// Says one line of many megabytes, then answers.
    LongLine,
    /// Says bytes that are no text, in many lines, then answers.
    Garbage,
    /// Writes much to its standard error, then answers.
    Complains,
    /// Stays when it is told to quit and when its input ends.
    IgnoresQuit,
    /// Gives up at its first move.
    Resigns,
    /// Claims that there is no move.
    NoMove,
    /// Answers each question twice.
    AnswersTwice,
    /// Reads nothing after the handshake, and answers without being asked.
    Deaf,
    /// Claims after its second move that the game is drawn, and ends if it is made to go on with it.
    ClaimsDraw,
}

impl Habit {
    /// All of them.
    pub const ALL: [Self; 22] = [
        Self::Good,
        Self::OneBased,
        Self::Plain,
        Self::DiesAtHandshake,
        Self::Silent,
        Self::NeverReady,
        Self::Dies,
        Self::Sleeps,
        Self::Late,
        Self::Illegal,
        Self::Unreadable,
        Self::Floods,
        Self::FloodsForever,
        Self::LongLine,
        Self::Garbage,
        Self::Complains,
        Self::IgnoresQuit,
        Self::Resigns,
        Self::NoMove,
        Self::AnswersTwice,
        Self::Deaf,
        Self::ClaimsDraw,
    ];

    /// The name on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::OneBased => "one-based",
            Self::Plain => "plain",
            Self::DiesAtHandshake => "dies-at-handshake",
            Self::Silent => "silent",
            Self::NeverReady => "never-ready",
            Self::Dies => "dies",
            Self::Sleeps => "sleeps",
            Self::Late => "late",
            Self::Illegal => "illegal",
            Self::Unreadable => "unreadable",
            Self::Floods => "floods",
            Self::FloodsForever => "floods-forever",
            Self::LongLine => "long-line",
            Self::Garbage => "garbage",
            Self::Complains => "complains",
            Self::IgnoresQuit => "ignores-quit",
            Self::Resigns => "resigns",
            Self::NoMove => "no-move",
            Self::AnswersTwice => "answers-twice",
            Self::Deaf => "deaf",
            Self::ClaimsDraw => "claims-draw",
        }
    }
}

impl fmt::Display for Habit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no habit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" is no habit of a fake engine: want one of {names}", names = Habit::ALL.map(Habit::name).join(", "))]
pub struct ParseHabitError(pub String);

impl FromStr for Habit {
    type Err = ParseHabitError;

    fn from_str(name: &str) -> Result<Self, ParseHabitError> {
        let found = Self::ALL.into_iter().find(|habit| habit.name() == name);
        found.ok_or_else(|| ParseHabitError(name.to_owned()))
    }
}

/// How long one that sleeps does so, at most: should nobody kill it, it goes by itself.
const FOREVER: Duration = Duration::from_mins(2);

/// An engine on these streams, until it is told to quit, its input ends or its habit ends it. `late` is for
/// [`Habit::Late`]; `heard` gets every line of the input.
///
/// # Errors
/// If a stream fails.
pub fn run(
    habit: Habit,
    late: Duration,
    input: impl BufRead,
    output: impl Write,
    errors: impl Write,
    heard: impl Write,
) -> io::Result<ExitCode> {
    let mut engine = FakeEngine {
        habit,
        late,
        output,
        errors,
        cecp: false,
        one_based: false,
        forced: false,
        over: false,
        position: Position::start(),
        banned: Vec::new(),
        moves_made: 0,
    };
    engine.live(input, heard)
}

#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own")]
struct FakeEngine<O, E> {
    habit: Habit,
    late: Duration,
    output: O,
    errors: E,
    cecp: bool,
    one_based: bool,
    forced: bool,
    /// It has claimed a result.
    over: bool,
    position: Position,
    banned: Vec<String>,
    moves_made: usize,
}

/// What it does after a line.
enum Next {
    Listen,
    End(ExitCode),
}

impl<O: Write, E: Write> FakeEngine<O, E> {
    fn live(&mut self, input: impl BufRead, mut heard: impl Write) -> io::Result<ExitCode> {
        for line in input.lines() {
            let line = line?;
            writeln!(heard, "{line}")?;
            heard.flush()?;
            if let Next::End(code) = self.hear(line.trim())? {
                return Ok(code);
            }
        }
        if self.habit == Habit::IgnoresQuit {
            thread::sleep(FOREVER);
        }
        Ok(ExitCode::SUCCESS)
    }

    fn hear(&mut self, line: &str) -> io::Result<Next> {
        match self.habit {
            Habit::Silent => return Ok(Next::Listen),
            Habit::DiesAtHandshake => {
                writeln!(self.errors, "no licence found")?;
                return Ok(Next::End(ExitCode::from(3)));
            }
            _ => (),
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "uci" => self.greet_uci()?,
            "ucci" => self.say("id name Fake engine\noption usemillisec type check default false\nucciok")?,
            "xboard" => self.cecp = true,
            "protover" => self.greet_cecp()?,
            "setoption" if rest == "name UCI_Variant value xiangqi" => self.one_based = true,
            "isready" | "ping" if self.habit == Habit::NeverReady => (),
            "isready" => self.say("readyok")?,
            "ping" => self.say(&format!("pong {rest}"))?,
            "position" => self.set_position(rest.strip_prefix("fen ").unwrap_or(rest)),
            "fen" => self.set_position(rest),
            "banmoves" => self.banned = rest.split(' ').map(str::to_owned).collect(),
            "new" => {
                self.position = Position::start();
                self.over = false;
            }
            "setboard" if self.habit != Habit::Plain => {
                self.set_position(rest);
                self.over = false;
            }
            "force" => self.forced = true,
            "usermove" if self.habit != Habit::Plain => return self.hear_move(rest),
            "go" => return self.go(),
            "quit" if self.habit != Habit::IgnoresQuit => return Ok(Next::End(ExitCode::SUCCESS)),
            _ if self.habit == Habit::Plain && read(word).is_some() => return self.hear_move(word),
            "setboard" | "usermove" => self.say(&format!("Error (unknown command): {word}"))?,
            _ => (),
        }
        if word == "isready" && self.habit == Habit::Deaf {
            return self.rave();
        }
        Ok(Next::Listen)
    }

    fn greet_uci(&mut self) -> io::Result<()> {
        self.say(
            "id name Fake engine\nid author nobody\noption name Hash type spin default 16 min 1 max 1024",
        )?;
        if self.habit == Habit::OneBased {
            self.say("option name UCI_Variant type combo default chess var chess var xiangqi")?;
        }
        self.say("uciok")
    }

    fn greet_cecp(&mut self) -> io::Result<()> {
        let able = u8::from(self.habit != Habit::Plain);
        self.say(&format!(
            "feature myname=\"Fake engine\" variants=\"normal,xiangqi\" ping=1 setboard={able}"
        ))?;
        self.say(&format!("feature usermove={able} memory=1 option=\"Level -combo Low /// *High\" done=1"))
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")?;
        self.output.flush()
    }

    /// `F moves …`; where nothing is said of moves, F is followed by nothing. What isn't legal ends the list.
    fn set_position(&mut self, text: &str) {
        self.banned.clear();
        let (fen, moves) = text.split_once(" moves").unwrap_or((text, ""));
        let Ok((position, _)) = read_fen(fen) else { return };
        self.position = position;
        for text in moves.split_whitespace() {
            let Some(mv) = self.find(text) else { return };
            self.position.play_unchecked(mv);
        }
    }

    fn find(&self, text: &str) -> Option<Move> {
        self.position.legal_moves().iter().copied().find(|&mv| self.write(mv) == text)
    }

    fn write(&self, mv: Move) -> String {
        let style = if self.one_based { Style::OneBasedCoordinates } else { Style::Coordinates };
        write_move(&self.position, mv, style)
    }

    fn hear_move(&mut self, text: &str) -> io::Result<Next> {
        if self.over {
            self.say(&format!("Illegal move (game over): {text}"))?;
            return Ok(Next::End(ExitCode::FAILURE));
        }
        match self.find(text) {
            Some(mv) if self.forced => _ = self.position.play_unchecked(mv),
            _ => self.say(&format!("Illegal move: {text}"))?,
        }
        Ok(Next::Listen)
    }

    fn go(&mut self) -> io::Result<Next> {
        self.moves_made += 1;
        match self.habit {
            Habit::Dies if self.moves_made == 2 => {
                writeln!(self.errors, "assertion failed: nodes > 0")?;
                return Ok(Next::End(ExitCode::from(7)));
            }
            Habit::Sleeps => {
                thread::sleep(FOREVER);
                return Ok(Next::End(ExitCode::SUCCESS));
            }
            Habit::Late => thread::sleep(self.late),
            Habit::Illegal => self.answer("a0a9")?,
            Habit::Unreadable => self.answer("pass")?,
            Habit::Floods => self.flood(100_000)?,
            Habit::FloodsForever => self.flood(usize::MAX)?,
            Habit::LongLine => {
                let part = [b'x'; 8 * 1024];
                (0..4096).try_for_each(|_| self.output.write_all(&part))?;
                self.say("")?;
            }
            Habit::Garbage => self.rubbish()?,
            Habit::Complains => (0..20_000).try_for_each(|count| writeln!(self.errors, "warning {count}"))?,
            Habit::Resigns if self.cecp => self.say("resign")?,
            Habit::Resigns => self.say("bestmove h2e2 resign")?,
            Habit::NoMove if self.cecp => self.say("1/2-1/2 {Draw}")?,
            Habit::NoMove => self.say("bestmove (none)")?,
            _ => (),
        }
        if matches!(self.habit, Habit::Illegal | Habit::Unreadable | Habit::Resigns | Habit::NoMove) {
            return Ok(Next::Listen);
        }
        self.play()?;
        Ok(Next::Listen)
    }

    /// The first legal move that isn't banned.
    fn play(&mut self) -> io::Result<()> {
        let legal = self.position.legal_moves();
        let Some((mv, text)) =
            legal.iter().map(|&mv| (mv, self.write(mv))).find(|(_, text)| !self.banned.contains(text))
        else {
            return self.say(if self.cecp { "1-0 {no move}" } else { "nobestmove" });
        };
        let info = if self.cecp {
            format!("1 25 0 44 {text}")
        } else {
            format!("info depth 1 score cp 25 nodes 44 pv {text}")
        };
        self.say(&info)?;
        self.answer(&text)?;
        if self.habit == Habit::AnswersTwice {
            self.answer(&text)?;
        }
        if self.cecp {
            self.position.play_unchecked(mv);
            self.forced = false;
        }
        if self.habit == Habit::ClaimsDraw && self.moves_made == 2 {
            self.over = true;
            self.say("1/2-1/2 {3 repetitions}")?;
        }
        Ok(())
    }

    fn answer(&mut self, text: &str) -> io::Result<()> {
        let word = if self.cecp { "move" } else { "bestmove" };
        self.say(&format!("{word} {text}"))
    }

    fn flood(&mut self, lines: usize) -> io::Result<()> {
        (0..lines)
            .try_for_each(|count| writeln!(self.output, "info string line {count} of a very long story"))
    }

    /// Every byte there is, in lines of many lengths, none of which is an answer.
    fn rubbish(&mut self) -> io::Result<()> {
        let mut state = 1_u32;
        for _ in 0..100_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            self.output.write_all(&[(state >> 24) as u8])?;
        }
        self.say("\u{0}\u{feff}\nbestmovee h2e2\ninfo depth \u{0} score cp\ninfo")?;
        self.output.write_all(b"\xff\xfe\n")
    }

    fn rave(&mut self) -> io::Result<Next> {
        loop {
            self.say("readyok\nbestmove h2e2")?;
        }
    }
}

fn read(text: &str) -> Option<Move> {
    text.parse().ok()
}
