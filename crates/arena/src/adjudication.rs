//! Ending games early: when both players agree on what will become of them, or when they are long enough.

use crate::note::MoveNote;
use crate::settings::SettingsError;
use rules::{Colour, Outcome};

/// When the referee ends a game by what the players themselves think of it, or by its length. Off by default.
///
/// It is asked after each move, and only if the game isn't over by the rules: those come first, so a move that mates
/// or repeats is never adjudicated. A win is looked for before a draw, and the length comes last. Only moves after the opening count, and a move
/// without a score breaks every count of scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Adjudication {
    /// When a game is won.
    pub win: Option<WinRule>,
    /// When it is drawn.
    pub draw: Option<DrawRule>,
    /// A game of so many plies is drawn, those of the opening counted; 40 to 10,000.
    pub longest_plies: Option<u16>,
}

/// A game is won for a side if in the last `moves` moves of *each* side its own scores were at least `centipawns` and
/// the opponent's at most −`centipawns`. So it ends with the move that makes it `2 · moves` plies in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WinRule {
    /// The score, from 1.
    pub centipawns: i32,
    /// Moves of each side, 1 to 1,000.
    pub moves: u16,
}

/// A game is drawn if in the last `moves` moves of *each* side all scores were from −`centipawns` to `centipawns`, and
/// `from_move` moves of each side have been played, those of the opening counted. So it ends with the move that makes
/// it `2 · moves` plies in a row, though not before ply `2 · from_move`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// The score, from 0.
    pub centipawns: i32,
    /// Moves of each side, 1 to 1,000.
    pub moves: u16,
    /// Not before so many moves of each side.
    pub from_move: u16,
}

impl Adjudication {
    /// Is everything in range?
    pub fn check(&self) -> Result<(), SettingsError> {
        let moves = |moves: u16| (1..=1000).contains(&moves);
        if let Some(WinRule { centipawns, moves: count }) = self.win {
            SettingsError::unless(0 < centipawns, "adjudication.win.centipawns", centipawns, "1 or more")?;
            SettingsError::unless(moves(count), "adjudication.win.moves", count, "1 to 1000")?;
        }
        if let Some(DrawRule { centipawns, moves: count, .. }) = self.draw {
            SettingsError::unless(0 <= centipawns, "adjudication.draw.centipawns", centipawns, "0 or more")?;
            SettingsError::unless(moves(count), "adjudication.draw.moves", count, "1 to 1000")?;
        }
        if let Some(plies) = self.longest_plies {
            // Longer than any opening of random plies.
            let fine = (40..=10_000).contains(&plies);
            SettingsError::unless(fine, "adjudication.longest_plies", plies, "40 to 10000")?;
        }
        Ok(())
    }

    /// What the referee says after a move. `notes` are those of the moves after the opening, the last one's by
    /// `mover`; `plies` counts all moves of the game.
    pub(crate) fn judge(&self, notes: &[MoveNote], mover: Colour, plies: usize) -> Option<Outcome> {
        if let Some(WinRule { centipawns, moves }) = self.win {
            for winner in [mover, mover.opponent()] {
                let sign = if winner == mover { 1 } else { -1 };
                if last_scores(notes, moves, |own| centipawns <= sign * own) {
                    return Some(Outcome::Win(winner));
                }
            }
        }
        let agreed = self.draw.is_some_and(|DrawRule { centipawns, moves, from_move }| {
            let level = |own: i32| own.abs() <= centipawns;
            2 * usize::from(from_move) <= plies && last_scores(notes, moves, level)
        });
        let is_long = self.longest_plies.is_some_and(|longest| usize::from(longest) <= plies);
        (agreed || is_long).then_some(Outcome::Draw)
    }
}

/// Are the scores of the last `2 · moves` plies all fine, in the view of the side that moved last?
fn last_scores(notes: &[MoveNote], moves: u16, fine: impl Fn(i32) -> bool) -> bool {
    let count = 2 * usize::from(moves);
    let Some(first) = notes.len().checked_sub(count) else { return false };
    notes[first..].iter().rev().enumerate().all(|(back, note)| {
        let sign = if back % 2 == 0 { 1 } else { -1 };
        note.score.is_some_and(|score| fine(sign * score.centipawns()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::MoveScore;

    fn notes(scores: &[Option<i32>]) -> Vec<MoveNote> {
        let note = |&score: &Option<i32>| MoveNote {
            score: score.map(MoveScore::Centipawns),
            ..MoveNote::default()
        };
        scores.iter().map(note).collect()
    }

    /// The first count of plies at which a game with these scores ends; Red moves first, without an opening.
    fn ends(rule: Adjudication, scores: &[Option<i32>]) -> Option<(usize, Outcome)> {
        let notes = notes(scores);
        (1..=notes.len()).find_map(|plies| {
            let mover = if plies % 2 == 1 { Colour::Red } else { Colour::Black };
            Some((plies, rule.judge(&notes[..plies], mover, plies)?))
        })
    }

    /// Disservin/fastchess#1009: scores of 0 from the first ply on, nine moves.
    #[test]
    fn a_draw_is_given_exactly_where_documented() {
        let draw = |moves, from_move| Adjudication {
            draw: Some(DrawRule { centipawns: 5, moves, from_move }),
            ..Adjudication::default()
        };
        let level = [Some(0); 100];
        assert_eq!(ends(draw(9, 0), &level), Some((18, Outcome::Draw)));
        assert_eq!(ends(draw(9, 9), &level), Some((18, Outcome::Draw)));
        assert_eq!(ends(draw(9, 10), &level), Some((20, Outcome::Draw)));
        assert_eq!(ends(draw(1, 0), &level), Some((2, Outcome::Draw)));
        // One score out of range, or none at all, and the count begins anew.
        for breaking in [Some(6), Some(-6), None] {
            let mut scores = level;
            scores[10] = breaking;
            assert_eq!(ends(draw(9, 0), &scores), Some((29, Outcome::Draw)));
        }
        assert_eq!(ends(Adjudication::default(), &level), None);
    }

    #[test]
    fn a_win_needs_both_to_agree() {
        let rule =
            Adjudication { win: Some(WinRule { centipawns: 500, moves: 2 }), ..Adjudication::default() };
        let game = |red: i32, black: i32| [Some(red), Some(black)].repeat(3);
        assert_eq!(ends(rule, &game(500, -500)), Some((4, Outcome::Win(Colour::Red))));
        assert_eq!(ends(rule, &game(-700, 800)), Some((4, Outcome::Win(Colour::Black))));
        assert_eq!(ends(rule, &game(500, -499)), None);
        assert_eq!(ends(rule, &game(500, 500)), None, "each thinks that it wins");
        let mut late = game(0, 0);
        late.extend(game(600, -600));
        assert_eq!(ends(rule, &late), Some((10, Outcome::Win(Colour::Red))));
        assert_eq!(ends(rule, &late[1..]), Some((9, Outcome::Win(Colour::Black))));
    }

    #[test]
    fn a_long_game_is_drawn_unless_it_is_won_at_that_ply() {
        let longest = Adjudication { longest_plies: Some(40), ..Adjudication::default() };
        let unscored = [None; 60];
        assert_eq!(ends(longest, &unscored), Some((40, Outcome::Draw)));
        let won = Adjudication { win: Some(WinRule { centipawns: 500, moves: 1 }), ..longest };
        let mut scores = unscored;
        (scores[38], scores[39]) = (Some(600), Some(-600));
        assert_eq!(ends(won, &scores), Some((40, Outcome::Win(Colour::Red))));
        let short = Adjudication { longest_plies: Some(39), ..Adjudication::default() };
        assert_eq!(
            short.check().unwrap_err().to_string(),
            "adjudication.longest_plies = 39: want 40 to 10000"
        );
    }

    #[test]
    fn settings_out_of_range_are_named() {
        assert_eq!(Adjudication::default().check(), Ok(()));
        let win = Adjudication { win: Some(WinRule { centipawns: 0, moves: 1 }), ..Adjudication::default() };
        assert_eq!(win.check().unwrap_err().to_string(), "adjudication.win.centipawns = 0: want 1 or more");
        let draw = Adjudication {
            draw: Some(DrawRule { centipawns: 0, moves: 0, from_move: 0 }),
            ..Adjudication::default()
        };
        assert_eq!(draw.check().unwrap_err().to_string(), "adjudication.draw.moves = 0: want 1 to 1000");
    }
}
