//! A game of a run as a record.

use notation::{AddError, Record, Tree};
use replay::{EndReason, GameRecord};
use rules::Outcome;

/// As many characters of a net's hash are enough to tell it from others.
const HASH: usize = 12;

/// The game with its facts as tags: run, number, net, rule set, reason of its end. A game broken off has no result.
/// What the search found is not kept.
pub(super) fn record_of(game: &GameRecord) -> Result<Record, AddError> {
    let mut record = Record::new(game.start.clone());
    let moves: Vec<_> = game.plies.iter().map(|ply| ply.mv).collect();
    record.tree = Tree::from_moves(game.start.clone(), &moves)?;
    record.result = result_of(game);
    let net: String = game.net.chars().take(HASH).collect();
    let player = format!("net {net}");
    for (name, value) in [
        ("Event", game.run.as_str()),
        ("Round", &game.game.to_string()),
        ("Red", &player),
        ("Black", &player),
        ("Rules", game.rule_set.name()),
        ("StartedBy", game.started_by.name()),
        ("Termination", game.reason.name()),
    ] {
        record.tags.set(name, value);
    }
    Ok(record)
}

/// Who has won; none if the game was broken off.
pub(super) fn result_of(game: &GameRecord) -> Option<Outcome> {
    (game.reason != EndReason::PlyCap).then_some(game.outcome)
}
