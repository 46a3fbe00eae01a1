//! What a network should have said of a position: pure functions of what a window's row says.
//!
//! Everything is from the view of the position's side to move.

use evaluator::{MoveIndex, Wdl};
use replay::{EndReason, Row};
use rules::{Move, Position, Reason};

/// How targets are made of facts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TargetRule {
    /// Share of the outcome in the value target; the rest is the average of root values
    /// ([`replay::Row::short_horizon`]).
    pub outcome_share: f32,
    /// Is the opponent's reply to be foretold?
    pub opponent_reply: bool,
}

/// What a network should say of one position, besides the policy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Targets {
    /// Win, draw and loss.
    pub wdl: Wdl,
    /// Plies to the end; unknown for a game that was broken off.
    pub moves_left: Option<f32>,
}

impl Targets {
    /// The mean of the targets of one position, at least one: of moves left where they are known.
    pub(crate) fn mean(of: impl Iterator<Item = Self>) -> Self {
        let (mut positions, mut known) = (0.0, 0.0);
        let mut mean = Self { wdl: Wdl { win: 0.0, draw: 0.0, loss: 0.0 }, moves_left: None };
        for Self { wdl, moves_left } in of {
            positions += 1.0;
            mean.wdl = add(mean.wdl, wdl, 1.0);
            if let Some(plies) = moves_left {
                known += 1.0;
                mean.moves_left = Some(mean.moves_left.unwrap_or(0.0) + plies);
            }
        }
        Self { wdl: scale(mean.wdl, 1.0 / positions), moves_left: mean.moves_left.map(|sum| sum / known) }
    }
}

impl TargetRule {
    /// The targets of a row.
    pub fn targets(&self, row: &Row<'_>) -> Targets {
        let game = row.game();
        let outcome = outcome(row.result(), game.reason, row.final_balance(), game.scoring_weight);
        Targets {
            wdl: mix(outcome, row.short_horizon(), self.outcome_share),
            moves_left: moves_left(game.reason, row.plies_to_end()),
        }
    }
}

/// How the game ended. `result` is 1, 0 or −1; `final_balance` is the material balance in the last position.
///
/// A game that just stopped (ply cap, natural limit, repetition draw) is worth `scoring_weight` ·
/// tanh(`final_balance` / 8), with a draw's probability of 1 − |that|: of two thirds of draws in a young run this
/// makes under a fifth. It mislabels true draws, hence a weight that falls to zero ([`crate::schedule`]); the one in
/// force when the game was played stands in its record.
pub fn outcome(result: i8, reason: EndReason, final_balance: i16, scoring_weight: f32) -> Wdl {
    if has_no_verdict(reason) {
        let value = scoring_weight * (f32::from(final_balance) / 8.0).tanh();
        return Wdl::from_value(value, 1.0 - value.abs());
    }
    match result {
        1.. => Wdl::WIN,
        0 => Wdl::DRAW,
        ..0 => Wdl::LOSS,
    }
}

/// Did the game just stop, rather than end on the board?
pub fn has_no_verdict(reason: EndReason) -> bool {
    use EndReason::{PlyCap, Rules};
    matches!(reason, PlyCap | Rules(Reason::NaturalLimit | Reason::RepetitionDraw))
}

/// `share` of one and the rest of the other.
pub fn mix(outcome: Wdl, average: Wdl, share: f32) -> Wdl {
    add(scale(outcome, share), average, 1.0 - share)
}

/// Plies to the end, if the game has one.
pub fn moves_left(reason: EndReason, plies_to_end: u16) -> Option<f32> {
    (reason != EndReason::PlyCap).then(|| f32::from(plies_to_end))
}

/// The policy target of the soft policy (`KataGoMethods.md`, auxiliary soft policy target): shares to the power of
/// 1 / `temperature`, scaled so that they add up to 1 again, appended to `softened`. What search gave nothing stays
/// nothing.
pub fn soften(policy: &[f32], temperature: f32, softened: &mut Vec<f32>) {
    let start = softened.len();
    softened.extend(policy.iter().map(|share| share.powf(1.0 / temperature)));
    let sum: f32 = softened[start..].iter().sum();
    softened[start..].iter_mut().for_each(|share| *share /= sum);
}

/// The moves that the opponent might reply with: what its pieces reach now, before the mover moves, by their movement
/// rules, points of its own side included, since what stands there may be captured. Numbered as the opponent sees them.
///
/// What only the mover's move makes possible is not among them: an opened line, a new screen.
pub fn replies(position: &Position) -> impl Iterator<Item = MoveIndex> {
    let opponent = position.turn().opponent();
    position.reached(opponent).flat_map(move |(from, targets)| {
        targets.into_iter().map(move |to| MoveIndex::of(Move::new(from, to), opponent))
    })
}

fn scale(wdl: Wdl, factor: f32) -> Wdl {
    Wdl { win: wdl.win * factor, draw: wdl.draw * factor, loss: wdl.loss * factor }
}

fn add(sum: Wdl, wdl: Wdl, weight: f32) -> Wdl {
    Wdl {
        win: sum.win + wdl.win * weight,
        draw: sum.draw + wdl.draw * weight,
        loss: sum.loss + wdl.loss * weight,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{RULE, record, searched};
    use replay::{GameRecord, Window};
    use rules::{Colour, Outcome};

    fn close(wdl: Wdl, [win, draw, loss]: [f32; 3]) {
        let differences = [wdl.win - win, wdl.draw - draw, wdl.loss - loss];
        assert!(differences.iter().all(|d| d.abs() < 1e-4), "{wdl:?} is not {win} {draw} {loss}");
    }

    /// `open_spiel` #875: a value attached to the wrong player. Red mates with the fifth ply:
    ///
    /// ```text
    /// ply      0    1     2    3     4
    /// mover    red  black red  black red
    /// value    0.0  -0.2  0.4  -0.6  1.0    no draws
    /// outcome  win  loss  win  loss  win
    /// ```
    #[test]
    fn a_game_of_five_plies_by_hand() {
        let start = "4k4/9/4P4/9/9/9/9/9/R8/R3K4 w - - 0 1";
        let values = [0.0, -0.2, 0.4, -0.6, 1.0];
        let moves = ["a1b1", "e9d9", "b1b8", "d9e9", "a0a9"];
        let plies = moves.iter().zip(values).map(|(mv, value)| searched(mv, value, 0.0, &[])).collect();
        let record = record(start, Outcome::Win(Colour::Red), EndReason::Rules(Reason::Checkmate), plies);
        // A horizon of one ply: weights 1, 1/2, 1/4, 1/8, 1/16.
        let mut window = Window::new(100, 1.0);
        window.push(&record).unwrap();

        let rule = TargetRule { outcome_share: 0.5, opponent_reply: false };
        // Ply 0, red's view of the values: 0, 0.2, 0.4, 0.6, 1. Their average: (0.1 + 0.1 + 0.075 + 0.0625) / 1.9375
        // = 0.174194. With the win: (1 + 0.174194) / 2 = 0.587097, that is a win of 0.793548.
        let targets = rule.targets(&window.row(0));
        close(targets.wdl, [0.793_548, 0.0, 0.206_452]);
        assert_eq!(targets.moves_left, Some(5.0));
        // Ply 3, black's view: -0.6, -1. Average: (-0.6 - 0.5) / 1.5 = -0.733333; with the loss -0.866667.
        let targets = rule.targets(&window.row(3));
        close(targets.wdl, [0.066_667, 0.0, 0.933_333]);
        assert_eq!(targets.moves_left, Some(2.0));
        // Ply 4, the mating move: +1 whatever the mix.
        let targets = rule.targets(&window.row(4));
        close(targets.wdl, [1.0, 0.0, 0.0]);
        assert_eq!(targets.moves_left, Some(1.0));
        // Outcome alone: the signs take turns and the last mover has won.
        let outcomes = TargetRule { outcome_share: 1.0, ..rule };
        let signs: Vec<f32> = (0..5).map(|row| outcomes.targets(&window.row(row)).wdl.value()).collect();
        assert_eq!(signs, [1.0, -1.0, 1.0, -1.0, 1.0]);
    }

    /// What counts is the weight in force when the game was played, not that of the moment.
    #[test]
    fn each_game_is_scored_by_its_own_weight() {
        let start = "3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 0 1";
        let plies = vec![searched("e1f1", 0.0, 1.0, &[])];
        let early = record(start, Outcome::Draw, EndReason::PlyCap, plies);
        let mut window = Window::new(100, 0.0);
        window.push(&GameRecord { scoring_weight: 0.4, ..early.clone() }).unwrap();
        window.push(&GameRecord { game: 1, scoring_weight: 0.1, ..early.clone() }).unwrap();
        window.push(&GameRecord { game: 2, scoring_weight: 0.0, ..early }).unwrap();
        let rule = TargetRule { outcome_share: 1.0, ..RULE };
        // tanh(9 / 8) = 0.809301
        for (row, value) in [(0, 0.323_720), (1, 0.080_930), (2, 0.0)] {
            let wdl = rule.targets(&window.row(row)).wdl;
            assert!((wdl.value() - value).abs() < 1e-5, "{wdl:?}");
        }
    }

    #[test]
    fn the_mean_of_targets_is_of_what_is_known() {
        let of = |win, moves_left| Targets { wdl: Wdl { win, draw: 0.0, loss: 1.0 - win }, moves_left };
        let mean = Targets::mean([of(1.0, Some(4.0)), of(0.25, None), of(0.25, Some(7.0))].into_iter());
        close(mean.wdl, [0.5, 0.0, 0.5]);
        assert_eq!(mean.moves_left, Some(5.5));
        assert_eq!(Targets::mean(std::iter::once(of(0.3, None))), of(0.3, None));
    }

    #[test]
    fn softened_shares_by_hand() {
        let mut softened = vec![0.5];
        soften(&[0.81, 0.0, 0.16, 0.01, 0.02], 2.0, &mut softened);
        // The roots: 0.9, 0, 0.4, 0.1, 0.141421; together 1.541421.
        let expected = [0.5, 0.583_876, 0.0, 0.259_501, 0.064_875, 0.091_747];
        assert_eq!(softened.len(), expected.len());
        softened.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-5, "{a} is not {b}"));
        soften(&[0.25, 0.75], 1.0, &mut softened);
        assert_eq!(softened[6..], [0.25, 0.75]);
    }

    #[test]
    fn replies_are_what_the_opponent_reaches() {
        let position: Position = "4k4/9/2h6/2p6/9/9/9/9/9/R2K5 w - - 0 1".parse().unwrap();
        let mut found: Vec<String> =
            replies(&position).map(|index| index.to_move(Colour::Black).to_string()).collect();
        // A pawn stands in the horse's way down; it has not crossed the river.
        let mut expected = ["e9d9", "e9f9", "e9e8", "c7b9", "c7d9", "c7a8", "c7a6", "c7e8", "c7e6", "c6c5"];
        found.sort();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn only_games_without_a_verdict_are_scored() {
        let scored = |reason| outcome(0, reason, 8, 0.5).value();
        // 0.5 · tanh(1)
        let reasons = [Reason::NaturalLimit, Reason::RepetitionDraw].map(EndReason::Rules);
        for reason in reasons.into_iter().chain([EndReason::PlyCap]) {
            assert!((scored(reason) - 0.380_797).abs() < 1e-6);
            close(outcome(0, reason, -8, 0.5), [0.0, 0.619_203, 0.380_797]);
            assert_eq!(outcome(0, reason, 30, 0.0), Wdl::DRAW);
        }
        assert_eq!(outcome(0, EndReason::Rules(Reason::Material), 4, 0.5), Wdl::DRAW);
        for reason in [Reason::Checkmate, Reason::Stalemate, Reason::RepetitionCheck] {
            assert_eq!(outcome(1, EndReason::Rules(reason), -30, 0.5), Wdl::WIN);
            assert_eq!(outcome(-1, EndReason::Rules(reason), 30, 0.5), Wdl::LOSS);
        }
    }

    #[test]
    fn a_game_broken_off_has_no_moves_left() {
        assert_eq!(moves_left(EndReason::PlyCap, 3), None);
        assert_eq!(moves_left(EndReason::Rules(Reason::NaturalLimit), 3), Some(3.0));
    }

    #[test]
    fn the_balance_changes_its_sign_with_the_side_to_move() {
        let start = "3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 0 1";
        let plies = ["e1f1", "d9d8"].iter().map(|mv| searched(mv, 0.0, 1.0, &[])).collect();
        let mut window = Window::new(100, 0.0);
        window.push(&record(start, Outcome::Draw, EndReason::PlyCap, plies)).unwrap();
        let rule = TargetRule { outcome_share: 1.0, ..RULE };
        let value = 0.5 * (9.0_f32 / 8.0).tanh();
        let red = rule.targets(&window.row(0));
        assert!((red.wdl.value() - value).abs() < 1e-6 && red.moves_left.is_none());
        assert!((rule.targets(&window.row(1)).wdl.value() + value).abs() < 1e-6);
    }
}
