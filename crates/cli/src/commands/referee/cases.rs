//! Files of cases: a position, moves, and what the rules make of them, one JSON object a line.
//!
//! Every key of a row's `expected` is worked out anew and compared. A row that can't be read, and a key or kind that we
//! don't know, is a failure too.

use super::super::print_result;
use super::ruling::{Ruling, reason, refusal, verdict};
use anyhow::{Context as _, bail};
use notation::{Digits, Ranks, Script, Style, read_move, write_move};
use rules::{
    ActionError, Colour, Conclusion, Ending, Game, Match, MatchAction, Material, Move, Reason, RuleSet,
    Rules, Setup, Square, perft,
};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::num::{NonZeroU8, NonZeroU16};
use std::path::Path;

/// The deepest perft of a case; the start position has 5 billion nodes there.
const MAX_PERFT: u32 = 6;

#[derive(Serialize, Default)]
struct Tally {
    passed: u32,
    failed: u32,
}

#[derive(Serialize, Default)]
struct Report {
    /// By kind and rule set.
    cases: BTreeMap<String, Tally>,
    passed: u32,
    failed: u32,
    /// The failing rows' ids, and what was wrong.
    failures: BTreeMap<String, String>,
}

/// Runs a file; an error if any case fails.
pub(super) fn run(file: &Path, json: bool) -> anyhow::Result<()> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    // What is no UTF-8 spoils its own row at most.
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut report = Report::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        report.add(number + 1, line);
    }
    if report.cases.is_empty() {
        bail!("{} has no cases", file.display());
    }
    print_result(&report.text(), json.then_some(&report))?;
    if report.failed > 0 {
        bail!("{} of {} cases failed", report.failed, report.passed + report.failed);
    }
    Ok(())
}

impl Report {
    fn add(&mut self, line_number: usize, line: &str) {
        let parsed: Result<Value, _> = serde_json::from_str(line);
        let word = |key: &str| parsed.as_ref().ok().and_then(|row| row[key].as_str()).unwrap_or("?");
        let key = format!("{} {}", word("kind"), word("ruleset"));
        let result = match &parsed {
            Ok(row) => Case { row }.check(),
            Err(error) => Err(anyhow::anyhow!("no JSON: {error}")),
        };
        let tally = self.cases.entry(key).or_default();
        match result {
            Ok(()) => {
                tally.passed += 1;
                self.passed += 1;
            }
            Err(error) => {
                tally.failed += 1;
                self.failed += 1;
                self.failures.insert(format!("{} (line {line_number})", word("id")), format!("{error:#}"));
            }
        }
    }

    fn text(&self) -> String {
        let line = |key: &str, passed, failed| {
            let (kind, rules) = key.split_once(' ').unwrap_or((key, ""));
            format!("{kind:<10} {rules:<13} {passed:>6} {failed:>7}")
        };
        let mut lines = vec!["kind       rules         passed  failed".to_owned()];
        lines.extend(self.cases.iter().map(|(key, tally)| line(key, tally.passed, tally.failed)));
        lines.push(line("all", self.passed, self.failed));
        lines.extend(self.failures.iter().map(|(id, why)| format!("failed    {id}: {why}")));
        lines.join("\n")
    }
}

/// One row.
struct Case<'a> {
    row: &'a Value,
}

impl Case<'_> {
    fn check(&self) -> anyhow::Result<()> {
        let expected = self.row["expected"].as_object().context("no \"expected\"")?;
        if expected.is_empty() {
            bail!("\"expected\" is empty");
        }
        let found = match self.text("kind")? {
            "moves" => self.moves()?,
            "perft" => self.perft(expected)?,
            "terminal" => self.terminal()?,
            "repetition" | "limit" => ruling(&self.game()?),
            "refusal" => self.refusals()?,
            "material" => self.material()?,
            "protocol" => self.protocol()?,
            "notation" => self.notation(expected)?,
            kind => bail!("\"{kind}\" is no kind of case"),
        };
        let differences: Vec<String> = expected
            .iter()
            .filter(|&(key, want)| found.get(key).unwrap_or(&Value::Null) != want)
            .map(|(key, want)| format!("{key} is {}, want {want}", found.get(key).unwrap_or(&Value::Null)))
            .collect();
        if differences.is_empty() { Ok(()) } else { bail!(differences.join("; ")) }
    }

    fn text(&self, key: &str) -> anyhow::Result<&str> {
        self.row[key].as_str().with_context(|| format!("no \"{key}\""))
    }

    fn list(&self, key: &str) -> impl Iterator<Item = &str> {
        self.row[key].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    fn rules(&self) -> anyhow::Result<Rules> {
        let name = self.text("ruleset")?;
        let usual = match name {
            "all" => Rules::default(),
            _ => Rules::of(RuleSet::from_name(name).with_context(|| format!("\"{name}\" is no rule set"))?),
        };
        let parameter = |key: &str| self.row["params"][key].as_u64();
        let limit = self.row["params"].get("limit_plies").map_or(usual.natural_limit_plies, |_| {
            parameter("limit_plies").and_then(|plies| NonZeroU16::new(plies.try_into().ok()?))
        });
        let small = |key: &str| parameter(key).and_then(|count| NonZeroU8::new(count.try_into().ok()?));
        Ok(Rules {
            natural_limit_plies: limit,
            check_cap: small("check_cap"),
            folds: small("folds").unwrap_or(usual.folds),
            ..usual
        })
    }

    fn game(&self) -> anyhow::Result<Game> {
        self.game_under(self.rules()?)
    }

    fn game_under(&self, rules: Rules) -> anyhow::Result<Game> {
        let mut game = Game::new(self.text("fen")?.parse()?, rules);
        for mv in self.list("moves") {
            game.play(mv.parse()?)?;
        }
        Ok(game)
    }

    fn moves(&self) -> anyhow::Result<Map<String, Value>> {
        let game = self.game()?;
        let legal = game.position().legal_moves();
        let from = self.text("from")?;
        let from: Square =
            from.parse().ok().with_context(|| format!("\"{from}\" is no point of the board"))?;
        let from_there = legal.iter().filter(|mv| mv.from() == from);
        let mut destinations: Vec<String> = from_there.map(|mv| mv.to().to_string()).collect();
        destinations.sort();
        Ok(map([("destinations", destinations.into()), ("legal_count", legal.len().into())]))
    }

    fn perft(&self, expected: &Map<String, Value>) -> anyhow::Result<Map<String, Value>> {
        let position = self.game()?.position().clone();
        let depths = expected.get("perft").and_then(Value::as_object).into_iter().flatten();
        let mut counts = Map::new();
        for (depth, _) in depths {
            let plies = depth.parse().ok().filter(|plies| (0..=MAX_PERFT).contains(plies));
            let plies = plies.with_context(|| format!("perft {depth}: want a depth of 0 to {MAX_PERFT}"))?;
            counts.insert(depth.clone(), perft(&position, plies).into());
        }
        Ok(map([("legal_count", position.legal_count().into()), ("perft", counts.into())]))
    }

    /// Mate and stalemate only; another end is no end here.
    fn terminal(&self) -> anyhow::Result<Map<String, Value>> {
        let game = self.game()?;
        let on_the_board = |ending: &Ending| matches!(ending.reason, Reason::Checkmate | Reason::Stalemate);
        let ending = game.ending().filter(on_the_board);
        let mut found = ruling(&game);
        found.insert("verdict".to_owned(), ending.map_or("ongoing", |ending| verdict(ending.outcome)).into());
        found.insert(
            "reason".to_owned(),
            ending.map(|ending| reason(Conclusion::Rules(ending.reason))).into(),
        );
        Ok(found)
    }

    /// The verdict of these rows is on the repetition alone: a mover who has nothing but refused moves comes after it.
    fn refusals(&self) -> anyhow::Result<Map<String, Value>> {
        let game = self.game()?;
        let refused =
            game.refusals().into_iter().map(|(mv, category)| (mv.to_string(), refusal(category).into()));
        let on_repetition = game.repetition().map_or("ongoing", |judged| verdict(judged.outcome));
        Ok(map([
            ("verdict", on_repetition.into()),
            ("refused", refused.collect::<Map<String, Value>>().into()),
        ]))
    }

    fn material(&self) -> anyhow::Result<Map<String, Value>> {
        let under = |material| -> anyhow::Result<Value> {
            let game = self.game_under(Rules { material, ..self.rules()? })?;
            Ok(Ruling::of(&game).verdict.into())
        };
        Ok(map([
            ("verdict_strict", under(Material::Strict)?),
            ("verdict_extended", under(Material::Extended)?),
        ]))
    }

    fn protocol(&self) -> anyhow::Result<Map<String, Value>> {
        let forfeits = self.row["params"]["illegal_move_forfeits"].as_bool().unwrap_or(false);
        let mut players = Match::new(self.game()?, forfeits);
        for event in self.list("events") {
            let (by, action) = read_event(event)?;
            if let Err(error) = players.act(by, action) {
                return Ok(map([("error", error_name(&error).into())]));
            }
        }
        let conclusion = players.conclusion();
        Ok(map([
            ("verdict", conclusion.map_or("ongoing", |(outcome, _)| verdict(outcome)).into()),
            ("reason", conclusion.map(|(_, why)| reason(why)).into()),
            ("pending_offer", players.pending_offer().map(Colour::name).into()),
            ("fen", players.game().position().fen().into()),
        ]))
    }

    /// Each text must be what we write, and read back as the move. The boards are diagrams: a lone general may stand
    /// where it could be taken.
    fn notation(&self, expected: &Map<String, Value>) -> anyhow::Result<Map<String, Value>> {
        let position = self.text("fen")?.parse::<Setup>()?.check_diagram()?;
        let mv: Move = self.text("move")?.parse()?;
        let mut found = Map::new();
        for (key, text) in expected {
            let style = style(key).with_context(|| format!("\"{key}\" is no notation"))?;
            let written = write_move(&position, mv, style);
            let read = read_move(&position, text.as_str().context("no text")?, Ranks::ZeroBased)?;
            if read != mv {
                bail!("{key} {text} reads as {read}, want {mv}");
            }
            found.insert(key.clone(), written.into());
        }
        Ok(found)
    }
}

fn ruling(game: &Game) -> Map<String, Value> {
    let ruling = Ruling::of(game);
    map([
        ("verdict", ruling.verdict.into()),
        ("reason", ruling.reason.into()),
        ("halfmove", ruling.halfmove.into()),
        ("legal_count", ruling.legal_count.into()),
    ])
}

fn style(key: &str) -> Option<Style> {
    let chinese = |script, digits| Style::Chinese { script, digits };
    Some(match key {
        "uci" => Style::Coordinates,
        "iccs" => Style::Iccs,
        "chinese" => chinese(Script::Simplified, Digits::FullWidth),
        "chinese_ascii" => chinese(Script::Simplified, Digits::Ascii),
        "chinese_trad" => chinese(Script::Traditional, Digits::FullWidth),
        "wxf" => Style::Wxf,
        "wxf_letters" => Style::Xqbase,
        "shorthand" => Style::Shorthand,
        _ => return None,
    })
}

/// `red: move h2e2`, `black: offer_draw` and so on.
fn read_event(event: &str) -> anyhow::Result<(Colour, MatchAction)> {
    let (side, action) = event.split_once(": ").with_context(|| format!("\"{event}\" is no event"))?;
    let by = Colour::ALL.into_iter().find(|colour| colour.name() == side);
    let action = match action {
        "offer_draw" => MatchAction::OfferDraw,
        "accept" => MatchAction::Accept,
        "decline" => MatchAction::Decline,
        "resign" => MatchAction::Resign,
        "timeout" => MatchAction::Overstep,
        other => {
            let mv = other.strip_prefix("move ").with_context(|| format!("\"{event}\" is no event"))?;
            MatchAction::Move(mv.parse()?)
        }
    };
    Ok((by.with_context(|| format!("\"{side}\" is no side"))?, action))
}

const fn error_name(error: &ActionError) -> &'static str {
    match error {
        ActionError::GameOver => "game_over",
        ActionError::NotOnMove(_) => "not_on_move",
        ActionError::IllegalMove(_) => "illegal_move",
        ActionError::OfferNotAllowed { .. } => "offer_not_allowed",
        ActionError::NoOffer(_) => "no_offer",
    }
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
