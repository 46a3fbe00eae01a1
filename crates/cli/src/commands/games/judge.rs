//! How a game ended by the rules.

use notation::Record;
use rules::{Ending, Game, RuleSet, Rules};

/// A game played through under a set of rules up to where they end it, or to its last move.
#[derive(Debug)]
pub(super) struct Judged {
    /// The game at that point.
    pub(super) game: Game,
    /// How it ended there, if it did.
    pub(super) ending: Option<Ending>,
    /// Plies that were played after it.
    pub(super) played_on: usize,
}

/// The rule set that a record names, or the one asked for.
pub(super) fn rule_set(record: &Record, asked: Option<RuleSet>) -> RuleSet {
    let own = || record.tags.get("Rules").and_then(RuleSet::from_name);
    asked.or_else(own).unwrap_or(RuleSet::Formal)
}

/// Plays the main line through.
pub(super) fn judge(record: &Record, rule_set: RuleSet) -> Judged {
    let mut game = Game::new(record.start().clone(), Rules::of(rule_set));
    let moves = record.main_line();
    let mut ending = game.ending();
    for &mv in &moves {
        if ending.is_some() {
            break;
        }
        // A tree holds legal moves only.
        game.play_unchecked(mv);
        ending = game.ending();
    }
    let played_on = moves.len() - game.plies().len();
    Judged { game, ending, played_on }
}
