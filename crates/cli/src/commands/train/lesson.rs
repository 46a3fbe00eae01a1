//! A game that others played as one to learn from: as if a search of each ply had found the move that was played and
//! known the result.

use notation::Record;
use replay::{
    EndReason, FULL_TARGET, GameRecord, PlyRecord, PolicyEntry, StartedBy, draw_to_u8, value_to_i16,
};
use rules::{Colour, Game, Outcome, RuleSet, Rules};

/// Why there is nothing to learn from a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LeftOut {
    /// Nobody knows who won, or nothing was played.
    Unfinished,
    /// The same moves as another game.
    Copy,
    /// The board says another result than the record, or an end before the last move.
    Contradictory,
}

impl LeftOut {
    /// In words.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unfinished => "without moves or result",
            Self::Copy => "copies of others",
            Self::Contradictory => "the board contradicts the result or the length",
        }
    }
}

/// The game, number 0. One that was given up stands as broken off: what its plies say of the result is what counts.
pub(super) fn lesson(record: &Record, rule_set: RuleSet) -> Result<GameRecord, LeftOut> {
    let moves = record.main_line();
    let result = record.result.filter(|_| !moves.is_empty()).ok_or(LeftOut::Unfinished)?;
    let rules = Rules { folds: std::num::NonZeroU8::MAX, natural_limit_plies: None, ..Rules::of(rule_set) };
    let mut game = Game::new(record.start().clone(), rules);
    let mut plies = Vec::with_capacity(moves.len());
    for mv in moves {
        if game.ending().is_some() {
            return Err(LeftOut::Contradictory);
        }
        let value = value_of(result, game.position().turn());
        plies.push(PlyRecord {
            simulations: 1,
            root_value: value_to_i16(value),
            root_draw: draw_to_u8(1.0 - value.abs()),
            policy: vec![PolicyEntry { mv, visits: 1, target: FULL_TARGET }],
            ..PlyRecord::unsearched(mv)
        });
        game.play(mv).ok().ok_or(LeftOut::Contradictory)?;
    }
    let (outcome, reason) = match game.ending() {
        Some(ending) if ending.outcome == result => (result, EndReason::Rules(ending.reason)),
        Some(_) => return Err(LeftOut::Contradictory),
        None => (Outcome::Draw, EndReason::PlyCap),
    };
    Ok(GameRecord {
        run: "from games".to_owned(),
        game: 0,
        seed: 0,
        net: String::new(),
        rule_set,
        feature_version: evaluator::FEATURE_VERSION,
        start: record.start().clone(),
        outcome,
        reason,
        started_by: StartedBy::StartPosition,
        scoring_weight: 0.0,
        decided: None,
        plies,
    })
}

/// The result for a side: 1, 0 or −1.
fn value_of(result: Outcome, side: Colour) -> f32 {
    match result {
        Outcome::Win(winner) if winner == side => 1.0,
        Outcome::Win(_) => -1.0,
        Outcome::Draw => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notation::read_records;

    fn record(text: &str) -> Record {
        read_records(text.as_bytes()).remove(0).unwrap()
    }

    #[test]
    fn a_game_given_up_is_a_lesson_for_both_sides() {
        let record = record("[Result \"1-0\"]\n1. h2e2 h9g7 2. h0g2 1-0\n");
        let game = lesson(&record, RuleSet::Formal).unwrap();
        assert_eq!(game.check(), Ok(()));
        let values: Vec<i16> = game.plies.iter().map(|ply| ply.root_value).collect();
        assert_eq!(values, [32767, -32767, 32767]);
        assert!(game.plies.iter().all(|ply| ply.root_draw == 0 && ply.policy[0].mv == ply.mv));
        assert_eq!((game.outcome, game.reason), (Outcome::Draw, EndReason::PlyCap));
    }

    #[test]
    fn a_draw_is_certain() {
        let game = lesson(&record("1. h2e2 h9g7 1/2-1/2\n"), RuleSet::Formal).unwrap();
        assert!(game.plies.iter().all(|ply| (ply.root_value, ply.root_draw) == (0, 255)));
    }

    #[test]
    fn a_game_without_result_teaches_nothing() {
        assert_eq!(lesson(&record("1. h2e2 h9g7 *\n"), RuleSet::Formal), Err(LeftOut::Unfinished));
    }

    #[test]
    fn the_board_knows_better() {
        let mate = "[FEN \"4k4/R8/9/9/9/9/9/9/9/1R1K5 w\"]\n\n1. b0b9 ";
        let lesson = |end: &str| lesson(&record(&format!("{mate}{end}\n")), RuleSet::Formal);
        let game = lesson("1-0").unwrap();
        assert_eq!(game.check(), Ok(()));
        let checkmate = EndReason::Rules(rules::Reason::Checkmate);
        assert_eq!((game.outcome, game.reason), (Outcome::Win(Colour::Red), checkmate));
        assert_eq!(lesson("0-1"), Err(LeftOut::Contradictory));
    }
}
