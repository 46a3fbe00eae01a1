//! What the referee says: the verdict in words, and what each move of a repetition did.

use rules::{
    Category, Colour, Conclusion, Ending, Excuse, Excused, Explanation, Game, Label, Means, Outcome, Placed,
    Threat,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// A game judged.
#[derive(Serialize, Debug)]
pub(crate) struct Ruling {
    rules: &'static str,
    fen: String,
    /// `red_loses`, `black_loses`, `draw` or `ongoing`.
    pub(crate) verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Plies without a capture that count for the natural limit.
    pub(crate) halfmove: u16,
    pub(crate) legal_count: u32,
    /// If the game was over before the last move.
    #[serde(skip_serializing_if = "Option::is_none")]
    was_over: Option<Earlier>,
    /// Moves refused as repetitions, and as what.
    pub(crate) refused: BTreeMap<String, &'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repetition: Option<Repetition>,
}

/// An end after which moves were played all the same.
#[derive(Serialize, Debug)]
struct Earlier {
    /// After so many plies.
    ply: usize,
    verdict: &'static str,
    reason: String,
}

impl Earlier {
    /// The first end before the last move.
    fn of(game: &Game) -> Option<Self> {
        let mut again = Game::new(game.start().clone(), *game.rules());
        for (ply, played) in game.plies().iter().enumerate() {
            if let Some(ending) = again.ending() {
                let reason = reason(Conclusion::Rules(ending.reason));
                return Some(Self { ply, verdict: verdict(ending.outcome), reason });
            }
            again.play_unchecked(played.mv());
        }
        None
    }
}

/// What led to the verdict on a repetition.
#[derive(Serialize, Debug)]
struct Repetition {
    /// After how many plies of the game the position stood on the board.
    occurrences: Vec<usize>,
    /// What each side did over the whole.
    red: &'static str,
    black: &'static str,
    /// A side is to blame over the whole, but not in every single loop.
    broken_off: bool,
    plies: Vec<Deeds>,
}

/// What a move did.
#[derive(Serialize, Debug)]
struct Deeds {
    /// Its number in the game, from 1.
    ply: usize,
    side: &'static str,
    #[serde(rename = "move")]
    mv: String,
    label: &'static str,
    /// In words.
    because: String,
}

/// `red_loses`, `black_loses` or `draw`.
pub(crate) const fn verdict(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Draw => "draw",
        Outcome::Win(Colour::Red) => "black_loses",
        Outcome::Win(Colour::Black) => "red_loses",
    }
}

fn in_words(verdict: &str) -> &'static str {
    match verdict {
        "red_loses" => "Red loses",
        "black_loses" => "Black loses",
        "draw" => "draw",
        _ => "the game goes on",
    }
}

/// The reason as files of cases have it.
pub(crate) fn reason(conclusion: Conclusion) -> String {
    match conclusion {
        Conclusion::Resignation => "resign".to_owned(),
        Conclusion::Time => "timeout".to_owned(),
        other => other.name().replace('-', "_"),
    }
}

/// Check or chase, as files of cases have it.
pub(crate) const fn refusal(category: Category) -> &'static str {
    match category {
        Category::PerpetualCheck => "check",
        _ => "chase",
    }
}

impl Ruling {
    pub(crate) fn of(game: &Game) -> Self {
        let ending = game.ending();
        let by_repetition = ending.is_none_or(|ending| ending.reason.is_by_repetition());
        let refusals = game.refusals();
        Self {
            rules: game.rules().rule_set.name(),
            fen: game.position().fen(),
            verdict: ending.map_or("ongoing", |ending| verdict(ending.outcome)),
            reason: ending.map(|Ending { reason: by, .. }| reason(Conclusion::Rules(by))),
            halfmove: game.counted_quiet_plies(),
            legal_count: game.position().legal_count(),
            was_over: Earlier::of(game),
            refused: refusals.into_iter().map(|(mv, category)| (mv.to_string(), refusal(category))).collect(),
            repetition: game
                .explanation()
                .filter(|_| by_repetition)
                .map(|explanation| Repetition::of(&explanation, game)),
        }
    }
}

impl Repetition {
    fn of(explanation: &Explanation, game: &Game) -> Self {
        let first = game.plies().len() - explanation.plies.len();
        // The position that came back has the same side to move as the one on the board.
        let turn = game.position().turn();
        let side = |number: usize| if number.is_multiple_of(2) { turn } else { turn.opponent() };
        let deeds = |(number, (mv, label)): (usize, &(rules::Move, Label))| Deeds {
            ply: first + number + 1,
            side: side(number).name(),
            mv: mv.to_string(),
            label: label.deed().name(),
            because: because(label),
        };
        Self {
            occurrences: explanation.occurrences.iter().map(|number| first + number).collect(),
            red: explanation.verdict.sides.red.name(),
            black: explanation.verdict.sides.black.name(),
            broken_off: explanation.broken_off,
            plies: explanation.plies.iter().enumerate().map(deeds).collect(),
        }
    }
}

/// What a label stands on, in words.
fn because(label: &Label) -> String {
    let mut said: Vec<String> = Vec::new();
    said.extend(label.checkers.iter().map(|&checker| format!("{} checks", name(checker))));
    said.extend(label.kill.map(|mv| format!("threatens mate by {mv}")));
    said.extend(label.threats.iter().copied().map(threat));
    // What doesn't count matters where nothing else does.
    if said.is_empty() {
        said.extend(label.excused.iter().map(excused));
    }
    if said.is_empty() {
        said.push("attacks nothing".to_owned());
    }
    said.join("; ")
}

fn name(placed: Placed) -> String {
    format!("{}{}", placed.piece.fen_letter(), placed.square)
}

fn threat(threat: Threat) -> String {
    let victim = name(threat.victim);
    match threat.means {
        Means::Taking { attacker, direct: true } => format!("{} attacks {victim}", name(attacker)),
        Means::Taking { attacker, direct: false } => {
            format!("{} now wins {victim}, which it attacked before", name(attacker))
        }
        Means::Checks(check) => format!("wins {victim} after {check}"),
    }
}

fn excused(excused: &Excused) -> String {
    let why = match excused.why {
        Excuse::NoChaser => "which chases nothing".to_owned(),
        Excuse::NoVictim => "which is no victim".to_owned(),
        Excuse::ExposesGeneral(by) => format!("but taking would expose the general to {by}"),
        Excuse::OffersExchange => "which could take it: an offer to exchange".to_owned(),
        Excuse::Rooted(root) => format!("which {root} protects"),
        Excuse::AllowsMate(mv) => format!("but taking would allow mate by {mv}"),
        Excuse::NotNew => "as before".to_owned(),
    };
    let (attacker, victim) = (name(excused.attacker), name(excused.victim));
    match excused.why {
        Excuse::NoChaser => format!("{victim} is attacked by {attacker}, {why}"),
        _ => format!("{attacker} attacks {victim}, {why}"),
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "position  {}", self.fen)?;
        let verdict = in_words(self.verdict);
        let reason =
            self.reason.as_ref().map_or(String::new(), |reason| format!(": {}", reason.replace('_', " ")));
        write!(f, "verdict   {verdict}{reason} (rules: {})", self.rules)?;
        if let Some(Earlier { ply, verdict, reason }) = &self.was_over {
            let (verdict, reason) = (in_words(verdict), reason.replace('_', " "));
            write!(f, "\nbefore    the game was over after ply {ply}: {verdict}, {reason}")?;
        }
        for (mv, category) in &self.refused {
            write!(f, "\nrefused   {mv}, a repeated {category}")?;
        }
        let Some(repetition) = &self.repetition else { return Ok(()) };
        let occurrences: Vec<String> = repetition.occurrences.iter().map(ToString::to_string).collect();
        write!(f, "\nrepeated  after plies {}", occurrences.join(", "))?;
        write!(f, "\nsides     Red {}, Black {}", repetition.red, repetition.black)?;
        if repetition.broken_off {
            write!(f, ", but not in every single loop")?;
        }
        for ply in &repetition.plies {
            write!(f, "\n{:>7}   {:<5} {}  {:<5}  {}", ply.ply, ply.side, ply.mv, ply.label, ply.because)?;
        }
        Ok(())
    }
}
