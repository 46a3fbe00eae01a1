//! The options that engines announce.

/// An option as an engine announced it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Announced {
    pub(super) name: String,
    pub(super) default: String,
    pub(super) kind: Kind,
}

/// What values it takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Check,
    Spin {
        min: i64,
        max: i64,
    },
    Combo(Vec<String>),
    Button,
    /// Text, and all that isn't known.
    Any,
}

impl Announced {
    /// Reads a line of UCI (`option name Hash type spin …`) or UCCI (`option hashsize type spin …`).
    pub(super) fn read_uci(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("option ")?.trim_start();
        let rest = rest.strip_prefix("name ").unwrap_or(rest);
        let (name, rest) = rest.split_once(" type ")?;
        let mut words = rest.split_whitespace();
        let kind = words.next()?;
        let words: Vec<_> = words.collect();
        let value =
            |key| words.iter().position(|&word| word == key).and_then(|at| words.get(at + 1)).copied();
        let number = |key, or| value(key).and_then(|word| word.parse().ok()).unwrap_or(or);
        let kind = match kind {
            "check" => Kind::Check,
            "spin" => Kind::Spin { min: number("min", i64::MIN), max: number("max", i64::MAX) },
            "combo" => Kind::Combo(variants(&words)),
            "button" => Kind::Button,
            _ => Kind::Any,
        };
        Some(Self {
            name: name.trim().to_owned(),
            default: value("default").unwrap_or_default().to_owned(),
            kind,
        })
    }

    /// Reads a feature of CECP: `Level -combo Clueless /// *Normal`.
    pub(super) fn read_cecp(text: &str) -> Option<Self> {
        let (name, rest) = text.split_once(" -")?;
        let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let numbers: Vec<i64> = rest.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let choices = || rest.split("///").map(|choice| choice.trim().trim_start_matches('*').to_owned());
        let kind = match kind {
            "check" => Kind::Check,
            "spin" => Kind::Spin {
                min: numbers.get(1).copied().unwrap_or(i64::MIN),
                max: numbers.get(2).copied().unwrap_or(i64::MAX),
            },
            "combo" => Kind::Combo(choices().collect()),
            "button" | "save" | "reset" => Kind::Button,
            _ => Kind::Any,
        };
        Some(Self { name: name.trim().to_owned(), default: rest.to_owned(), kind })
    }

    /// The value as the engine will take it, or what is allowed.
    pub(super) fn accept(&self, value: &str) -> Result<String, String> {
        let refused = |allowed: String| Err(format!("\"{value}\": want {allowed}"));
        if value.contains(['\n', '\r']) {
            return refused("one line".to_owned());
        }
        match &self.kind {
            Kind::Check if ["true", "false"].iter().any(|word| word.eq_ignore_ascii_case(value)) => {
                Ok(value.to_ascii_lowercase())
            }
            Kind::Check => refused("true or false".to_owned()),
            Kind::Spin { min, max } => match value.parse() {
                Ok(number) if (min..=max).contains(&&number) => Ok(value.to_owned()),
                _ => refused(format!("a whole number from {min} to {max}")),
            },
            Kind::Combo(choices) => match choices.iter().find(|choice| choice.eq_ignore_ascii_case(value)) {
                Some(choice) => Ok(choice.clone()),
                None => refused(format!("one of {}", choices.join(", "))),
            },
            Kind::Button if value.is_empty() => Ok(String::new()),
            Kind::Button => refused("no value, it is a button".to_owned()),
            Kind::Any => Ok(value.to_owned()),
        }
    }
}

/// The announced option of this name, in either case; the name's spaces may be underscores, as UCCI has it.
pub(super) fn find<'a>(options: &'a [Announced], name: &str) -> Option<&'a Announced> {
    let plain = |name: &str| name.to_ascii_lowercase().replace('_', " ");
    options.iter().find(|option| plain(&option.name) == plain(name))
}

/// What follows each `var`, which may be several words.
fn variants(words: &[&str]) -> Vec<String> {
    let groups = words.split(|&word| word == "var").skip(1);
    groups.map(|group| group.join(" ")).filter(|choice| !choice.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uci(line: &str) -> Announced {
        Announced::read_uci(line).expect("an option")
    }

    #[test]
    fn uci_and_ucci_options_are_read() {
        let hash = uci("option name Hash type spin default 16 min 1 max 1024");
        assert_eq!((hash.name.as_str(), &hash.kind), ("Hash", &Kind::Spin { min: 1, max: 1024 }));
        assert_eq!(uci("option hashsize type spin min 0 max 8").kind, Kind::Spin { min: 0, max: 8 });
        let variant = uci("option name UCI_Variant type combo default chess var chess var xiangqi");
        assert_eq!(variant.kind, Kind::Combo(vec!["chess".to_owned(), "xiangqi".to_owned()]));
        assert_eq!(variant.default, "chess");
        assert_eq!(uci("option name Clear Hash type button").name, "Clear Hash");
        assert_eq!(uci("option name Debug Log File type string default").kind, Kind::Any);
        assert_eq!(Announced::read_uci("option"), None);
        assert_eq!(Announced::read_uci("option name Hash"), None);
    }

    #[test]
    fn cecp_options_are_read() {
        let level = Announced::read_cecp("Level -combo Clueless /// Random /// *Normal").expect("an option");
        assert_eq!(level.accept("random"), Ok("Random".to_owned()));
        let amplitude =
            Announced::read_cecp("Random amplitude (0 to disable) -spin 20 0 100").expect("an option");
        assert_eq!(amplitude.name, "Random amplitude (0 to disable)");
        assert!(amplitude.accept("101").is_err());
    }

    #[test]
    fn values_are_checked() {
        let spin = uci("option name Skill Level type spin default 20 min -20 max 20");
        assert_eq!(spin.accept("-20"), Ok("-20".to_owned()));
        assert_eq!(spin.accept("21"), Err("\"21\": want a whole number from -20 to 20".to_owned()));
        let check = uci("option name Use NNUE type check default true");
        assert_eq!(check.accept("False"), Ok("false".to_owned()));
        assert!(check.accept("no").is_err());
        let text = uci("option name EvalFile type string default <empty>");
        assert_eq!(text.accept("象棋 net.bin"), Ok("象棋 net.bin".to_owned()));
        assert!(text.accept("x\nquit").is_err());
        let options = [spin, check];
        assert_eq!(find(&options, "skill_level").map(|option| option.name.as_str()), Some("Skill Level"));
        assert_eq!(find(&options, "skill"), None);
    }
}
