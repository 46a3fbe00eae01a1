//! The options: what there is, what an interface may set them to, and what they are set to.

use super::dialect::Dialect;
use crate::think::{Level, ThinkerSettings, Variety};
use notation::Ranks;
use rules::{RuleSet, Rules};
use std::time::Duration;

/// What all options are set to.
#[derive(Clone, PartialEq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that users set")]
pub(super) struct Options {
    /// Threads, memory and what is drawn by lot.
    pub(super) thinker: ThinkerSettings,
    /// How many lines to show.
    pub(super) lines: usize,
    /// What the way to the interface and back takes.
    pub(super) overhead: Duration,
    /// Which repetitions lose.
    pub(super) rule_set: RuleSet,
    /// Show win, draw and loss.
    pub(super) shows_wdl: bool,
    /// Show visits, prior and value of all moves.
    pub(super) shows_moves: bool,
    /// The file of the net.
    pub(super) eval_file: Option<String>,
    /// May give up (UCCI has a word for it).
    pub(super) may_resign: bool,
    /// May accept a draw (UCCI has a word for it).
    pub(super) may_draw: bool,
    /// UCCI counts milliseconds.
    pub(super) milliseconds: bool,
    /// What is piped in is finished.
    pub(super) batch: bool,
    /// `UCI_Variant` was set, which is what interfaces do that count ranks from 1.
    variant_set: bool,
    coordinates: Coordinates,
    level: i64,
    variety_plies: i64,
    variety_percent: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Coordinates {
    Auto,
    ZeroBased,
    OneBased,
}

/// An option's name is one of these; the order is that of the announcement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Key {
    Threads,
    Hash,
    Ponder,
    MultiPv,
    MoveOverhead,
    Variant,
    Coordinates,
    RuleSet,
    ShowWdl,
    EvalFile,
    Level,
    OpeningRandomness,
    OpeningTemperature,
    Contempt,
    AllowDraw,
    AllowResign,
    VerboseMoveStats,
    Milliseconds,
    Batch,
    NewGame,
}

/// What values an option takes, its default first.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Check(bool),
    Spin(i64, i64, i64),
    Combo(&'static [&'static str]),
    Text,
    Button,
}

/// A value that an option takes.
enum Value<'a> {
    Check(bool),
    Number(i64),
    /// Its place in the list.
    Choice(usize),
    Text(&'a str),
    Pressed,
}

/// An option; a dialect for which the name is empty doesn't have it.
struct Entry {
    key: Key,
    uci: &'static str,
    ucci: &'static str,
    kind: Kind,
}

const fn entry(key: Key, uci: &'static str, ucci: &'static str, kind: Kind) -> Entry {
    Entry { key, uci, ucci, kind }
}

const RULE_SETS: [&str; RuleSet::ALL.len()] = {
    let mut names = [""; RuleSet::ALL.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = RuleSet::ALL[index].name();
        index += 1;
    }
    names
};

/// All options.
const ENTRIES: [Entry; 20] = [
    entry(Key::Threads, "Threads", "threads", Kind::Spin(1, 1, 256)),
    entry(Key::Hash, "Hash", "hashsize", Kind::Spin(256, 8, 16_384)),
    entry(Key::Ponder, "Ponder", "ponder", Kind::Check(false)),
    entry(Key::MultiPv, "MultiPV", "", Kind::Spin(1, 1, 500)),
    entry(Key::MoveOverhead, "Move Overhead", "MoveOverhead", Kind::Spin(30, 0, 10_000)),
    entry(Key::Variant, "UCI_Variant", "", Kind::Combo(&["xiangqi"])),
    entry(Key::Coordinates, "Coordinates", "", Kind::Combo(&["auto", "0-9", "1-10"])),
    entry(Key::RuleSet, "RuleSet", "RuleSet", Kind::Combo(&RULE_SETS)),
    entry(Key::ShowWdl, "UCI_ShowWDL", "", Kind::Check(false)),
    entry(Key::EvalFile, "EvalFile", "EvalFile", Kind::Text),
    entry(Key::Level, "Level", "Level", Kind::Spin(0, 0, Level::MOST as i64)),
    entry(Key::OpeningRandomness, "OpeningRandomness", "OpeningRandomness", Kind::Spin(0, 0, 100)),
    entry(Key::OpeningTemperature, "OpeningTemperature", "OpeningTemperature", Kind::Spin(100, 0, 1000)),
    entry(Key::Contempt, "Contempt", "Contempt", Kind::Spin(0, -100, 100)),
    entry(Key::AllowDraw, "", "AllowDraw", Kind::Check(true)),
    entry(Key::AllowResign, "", "AllowResign", Kind::Check(false)),
    entry(Key::VerboseMoveStats, "VerboseMoveStats", "", Kind::Check(false)),
    entry(Key::Milliseconds, "", "usemillisec", Kind::Check(false)),
    entry(Key::Batch, "", "batch", Kind::Check(false)),
    entry(Key::NewGame, "", "newgame", Kind::Button),
];

/// What an interface's `setoption` has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// A value is as told.
    Set,
    /// The button for a new game was pressed.
    NewGame,
}

/// An option that can't be set so; it is as it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum OptionError {
    /// There is no such option.
    #[error("there is no option \"{0}\"")]
    Unknown(String),
    /// A value that it doesn't take.
    #[error("{name} = {value}: want {allowed}")]
    Value { name: &'static str, value: String, allowed: String },
}

impl Options {
    /// The defaults; `seed` is of what is drawn by lot.
    pub(super) fn new(seed: u64) -> Self {
        let mut options = Self {
            thinker: ThinkerSettings { seed, ..ThinkerSettings::default() },
            lines: 1,
            overhead: Duration::ZERO,
            rule_set: RuleSet::Formal,
            shows_wdl: false,
            shows_moves: false,
            eval_file: None,
            may_resign: false,
            may_draw: false,
            milliseconds: false,
            batch: false,
            variant_set: false,
            coordinates: Coordinates::Auto,
            level: 0,
            variety_plies: 0,
            variety_percent: 0,
        };
        // The table says what the defaults are.
        for Entry { key, kind, .. } in &ENTRIES {
            options.apply(*key, kind.default_value());
        }
        options.variant_set = false;
        options
    }

    /// The rules of the game.
    pub(super) const fn rules(&self) -> Rules {
        Rules::of(self.rule_set)
    }

    /// How ranks are counted, in and out.
    pub(super) const fn ranks(&self, dialect: Dialect) -> Ranks {
        match (self.coordinates, dialect) {
            (Coordinates::OneBased, _) => Ranks::OneBased,
            (Coordinates::Auto, Dialect::Uci) if self.variant_set => Ranks::OneBased,
            _ => Ranks::ZeroBased,
        }
    }

    /// UCCI's unit of time.
    pub(super) const fn unit(&self) -> Duration {
        if self.milliseconds { Duration::from_millis(1) } else { Duration::from_secs(1) }
    }

    /// The lines that announce all options in a dialect.
    pub(super) fn announcement(dialect: Dialect) -> String {
        ENTRIES.iter().filter_map(|entry| entry.announcement(dialect)).collect::<Vec<_>>().join("\n")
    }

    /// Sets what follows `setoption`: `name X value Y`, or UCCI's `X Y`. Names are read in either case, with or without
    /// spaces.
    pub(super) fn set(&mut self, text: &str) -> Result<Change, OptionError> {
        let (name, value) = split(text);
        let Entry { key, kind, .. } = find(name).ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
        let value = kind.accept(value).map_err(|allowed| OptionError::Value {
            name: find(name).map_or("", Entry::name),
            value: value.to_owned(),
            allowed,
        })?;
        self.apply(*key, value);
        Ok(if *key == Key::NewGame { Change::NewGame } else { Change::Set })
    }

    /// Whether a `setoption` turns batch mode on or off, if it is about that.
    pub(super) fn read_batch(text: &str) -> Option<bool> {
        let (name, value) = split(text);
        let entry = find(name).filter(|entry| entry.key == Key::Batch)?;
        match entry.kind.accept(value) {
            Ok(Value::Check(on)) => Some(on),
            _ => None,
        }
    }

    fn apply(&mut self, key: Key, value: Value<'_>) {
        match (key, value) {
            (Key::Threads, Value::Number(threads)) => self.thinker.threads = threads as usize,
            (Key::Hash, Value::Number(mib)) => self.thinker.hash_mib = mib as usize,
            (Key::MultiPv, Value::Number(lines)) => self.lines = lines as usize,
            (Key::MoveOverhead, Value::Number(millis)) => {
                self.overhead = Duration::from_millis(millis as u64);
            }
            (Key::Variant, Value::Choice(_)) => self.variant_set = true,
            (Key::Coordinates, Value::Choice(choice)) => {
                self.coordinates = [Coordinates::Auto, Coordinates::ZeroBased, Coordinates::OneBased][choice];
            }
            (Key::RuleSet, Value::Choice(choice)) => self.rule_set = RuleSet::ALL[choice],
            (Key::ShowWdl, Value::Check(on)) => self.shows_wdl = on,
            (Key::VerboseMoveStats, Value::Check(on)) => self.shows_moves = on,
            (Key::EvalFile, Value::Text(path)) => {
                self.eval_file = (!path.is_empty() && path != EMPTY).then(|| path.to_owned());
            }
            (Key::Level, Value::Number(level)) => self.level = level,
            (Key::OpeningRandomness, Value::Number(plies)) => self.variety_plies = plies,
            (Key::OpeningTemperature, Value::Number(percent)) => self.variety_percent = percent,
            (Key::Contempt, Value::Number(percent)) => self.thinker.contempt = percent as f32 / 100.0,
            (Key::AllowDraw, Value::Check(on)) => self.may_draw = on,
            (Key::AllowResign, Value::Check(on)) => self.may_resign = on,
            (Key::Milliseconds, Value::Check(on)) => self.milliseconds = on,
            (Key::Batch, Value::Check(on)) => self.batch = on,
            // Whether to ponder is the interface's business, and a pressed button is the caller's.
            _ => {}
        }
        self.thinker.level = u8::try_from(self.level).ok().and_then(Level::new);
        self.thinker.variety =
            Variety { plies: self.variety_plies as u16, temperature: self.variety_percent as f32 / 100.0 };
    }
}

/// What UCI says for no text.
const EMPTY: &str = "<empty>";

/// Name and value.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (name, value) = match word_prefix(text, "name") {
        Some(rest) => match find_word(rest, "value") {
            Some(at) => (&rest[..at], &rest[at + "value".len()..]),
            None => (rest, ""),
        },
        None => text.split_once(char::is_whitespace).unwrap_or((text, "")),
    };
    (name.trim(), value.trim())
}

/// What follows a word at the beginning.
fn word_prefix<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    first.eq_ignore_ascii_case(word).then_some(rest)
}

/// Where a word stands that has white space or the ends on both sides.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        is_space(text[..at].chars().next_back()) && is_space(text[at + word.len()..].chars().next())
    })
}

/// The option of this name in any dialect, whatever is spoken now: interfaces mix them.
fn find(name: &str) -> Option<&'static Entry> {
    let plain = |name: &str| name.to_lowercase().replace([' ', '_'], "");
    let wanted = plain(name);
    let is_it = |name: &str| !name.is_empty() && plain(name) == wanted;
    ENTRIES.iter().find(|entry| is_it(entry.uci) || is_it(entry.ucci))
}

impl Entry {
    const fn name(&self) -> &'static str {
        if self.uci.is_empty() { self.ucci } else { self.uci }
    }

    fn announcement(&self, dialect: Dialect) -> Option<String> {
        let (name, word) = match dialect {
            Dialect::Ucci => (self.ucci, ""),
            Dialect::Uci | Dialect::Cyclone => (self.uci, "name "),
        };
        if name.is_empty() {
            return None;
        }
        let kind = match self.kind {
            Kind::Check(default) => format!("check default {default}"),
            Kind::Spin(default, least, most) => format!("spin default {default} min {least} max {most}"),
            Kind::Combo(choices) => format!("combo default {} var {}", choices[0], choices.join(" var ")),
            Kind::Text => format!("string default {EMPTY}"),
            Kind::Button => "button".to_owned(),
        };
        Some(format!("option {word}{name} type {kind}"))
    }
}

impl Kind {
    const fn default_value(self) -> Value<'static> {
        match self {
            Self::Check(default) => Value::Check(default),
            Self::Spin(default, ..) => Value::Number(default),
            Self::Combo(_) => Value::Choice(0),
            Self::Text => Value::Text(""),
            Self::Button => Value::Pressed,
        }
    }

    /// The value that a text is, or what is allowed.
    fn accept(self, text: &str) -> Result<Value<'_>, String> {
        match self {
            Self::Check(_) => match text.to_ascii_lowercase().as_str() {
                "true" | "on" | "1" => Ok(Value::Check(true)),
                "false" | "off" | "0" => Ok(Value::Check(false)),
                _ => Err("true or false".to_owned()),
            },
            Self::Spin(_, least, most) => match text.parse() {
                Ok(number) if (least..=most).contains(&number) => Ok(Value::Number(number)),
                _ => Err(format!("a whole number from {least} to {most}")),
            },
            Self::Combo(choices) => {
                let choice = choices.iter().position(|choice| choice.eq_ignore_ascii_case(text));
                choice.map(Value::Choice).ok_or_else(|| format!("one of {}", choices.join(", ")))
            }
            Self::Text => Ok(Value::Text(text)),
            Self::Button => Ok(Value::Pressed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> Options {
        let mut options = Options::new(0);
        options.set(text).expect(text);
        options
    }

    #[test]
    fn every_default_is_what_its_entry_says() {
        let options = Options::new(0);
        assert_eq!((options.thinker.threads, options.thinker.hash_mib, options.lines), (1, 256, 1));
        assert_eq!(
            options.thinker,
            ThinkerSettings { variety: options.thinker.variety, ..ThinkerSettings::default() }
        );
        assert_eq!((options.may_draw, options.may_resign, options.milliseconds), (true, false, false));
        assert_eq!(options.rules(), Rules::default());
        assert_eq!(options.thinker.check(), Ok(()));
        for Entry { kind, .. } in &ENTRIES {
            if let Kind::Spin(default, least, most) = *kind {
                assert!((least..=most).contains(&default));
            }
        }
    }

    #[test]
    fn the_ends_of_every_range_are_fit_for_the_thinker() {
        for Entry { uci, ucci, kind, .. } in &ENTRIES {
            if let Kind::Spin(_, least, most) = *kind {
                for value in [least, most] {
                    let name = if uci.is_empty() { ucci } else { uci };
                    let options = set(&format!("name {name} value {value}"));
                    assert_eq!(options.thinker.check(), Ok(()), "{name} {value}");
                }
            }
        }
    }

    #[test]
    fn names_and_values_are_read_in_all_forms() {
        assert_eq!(set("name Threads value 2").thinker.threads, 2);
        assert_eq!(set("threads 2").thinker.threads, 2);
        assert_eq!(set("hashsize 64").thinker.hash_mib, 64);
        assert_eq!(set("name move overhead value 100").overhead, Duration::from_millis(100));
        assert_eq!(set("name MoveOverhead value 100").overhead, Duration::from_millis(100));
        assert!(set("usemillisec on").milliseconds);
        assert!(!set("usemillisec off").milliseconds);
        let path = "C:/My value/象棋  net.engine";
        assert_eq!(set(&format!("name EvalFile value {path}")).eval_file.as_deref(), Some(path));
        assert_eq!(set("name EvalFile value <empty>").eval_file, None);
        assert_eq!(set("name EvalFile value").eval_file, None);
        assert_eq!(set("name RuleSet value AXF").rule_set, RuleSet::Axf);
        assert_eq!(Options::new(0).set("newgame"), Ok(Change::NewGame));
        assert_eq!(Options::read_batch("batch true"), Some(true));
        assert_eq!(Options::read_batch("name Threads value 2"), None);
    }

    #[test]
    fn what_cannot_be_set_is_refused_by_name() {
        let mut options = Options::new(0);
        for (text, message) in [
            ("name Hash value 1", "Hash = 1: want a whole number from 8 to 16384"),
            ("name Hash value", "Hash = : want a whole number from 8 to 16384"),
            ("name UCI_Variant value chess", "UCI_Variant = chess: want one of xiangqi"),
            ("ponder maybe", "Ponder = maybe: want true or false"),
            ("name NoSuch value 1", "there is no option \"NoSuch\""),
            ("", "there is no option \"\""),
        ] {
            assert_eq!(options.set(text).expect_err(text).to_string(), message);
        }
        assert_eq!(options, Options::new(0));
    }

    #[test]
    fn ranks_are_counted_as_the_interface_does() {
        use Ranks::{OneBased, ZeroBased};
        let auto = Options::new(0);
        let variant = set("name UCI_Variant value xiangqi");
        let mut settled = variant.clone();
        settled.set("name Coordinates value 0-9").expect("a choice");
        for (options, uci) in [(auto, ZeroBased), (variant, OneBased), (settled, ZeroBased)] {
            let all = [Dialect::Uci, Dialect::Cyclone, Dialect::Ucci].map(|dialect| options.ranks(dialect));
            assert_eq!(all, [uci, ZeroBased, ZeroBased]);
        }
        assert_eq!(set("name Coordinates value 1-10").ranks(Dialect::Ucci), OneBased);
    }

    #[test]
    fn announcements_can_be_read_by_interfaces() {
        let uci = Options::announcement(Dialect::Uci);
        for line in uci.lines() {
            assert!(
                line.starts_with("option name ") && line.contains(" type ") && line.contains(" default "),
                "{line}"
            );
        }
        assert!(uci.contains("option name Threads type spin default 1 min 1 max 256\n"));
        assert!(uci.contains("option name UCI_Variant type combo default xiangqi var xiangqi\n"));
        assert!(!uci.contains("usemillisec"));
        let ucci = Options::announcement(Dialect::Ucci);
        assert!(
            ucci.contains("option usemillisec type check default false\n")
                && ucci.ends_with("option newgame type button")
        );
        assert!(!ucci.contains("UCI_Variant"));
    }
}
