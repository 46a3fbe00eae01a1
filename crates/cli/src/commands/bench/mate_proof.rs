//! Is a win that was claimed a win by the rules? Knows the rules only, nothing of the search.

use rules::{Game, Move, Outcome};

/// How a claimed win was checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Proof {
    /// The line ends the game in time, and against every defence there is a win within as many plies.
    Whole,
    /// The line ends the game in time; near its end every defence was tried, before only the line's own.
    AlongTheLine,
    /// It is none.
    Refuted,
}

/// From so many plies on, trying everything takes too long.
const EVERYTHING: usize = 5;

/// Checks that the mover wins by this line, and by its first move against any defence.
pub(super) fn check(game: &Game, line: &[Move]) -> Proof {
    if !ends_with_a_win(game, line) {
        return Proof::Refuted;
    }
    // The last of the mover's moves from which everything is tried.
    let skipped = line.len().saturating_sub(EVERYTHING).next_multiple_of(2);
    let mut game = game.clone();
    for &mv in &line[..skipped] {
        game.play_unchecked(mv);
    }
    let rest = &line[skipped..];
    game.play_unchecked(rest[0]);
    match (loses_within(&mut game, rest.len() - 1), skipped) {
        (false, _) => Proof::Refuted,
        (true, 0) => Proof::Whole,
        (true, _) => Proof::AlongTheLine,
    }
}

/// Is the line permitted, and over with its last move and no sooner, its first mover having won?
fn ends_with_a_win(game: &Game, line: &[Move]) -> bool {
    let mut played = game.clone();
    for (number, &mv) in line.iter().enumerate() {
        let is_over = 0 < number && played.ending().is_some();
        if is_over || played.play_permitted(mv).is_err() {
            return false;
        }
    }
    let winner = Outcome::Win(game.position().turn());
    !line.is_empty() && played.ending().is_some_and(|ending| ending.outcome == winner)
}

/// Does the mover lose within so many plies, whatever it does?
fn loses_within(game: &mut Game, plies: usize) -> bool {
    let mover = game.position().turn();
    if let Some(ending) = game.ending() {
        return ending.outcome == Outcome::Win(mover.opponent());
    }
    if plies < 2 {
        return false;
    }
    let moves = game.permitted_moves();
    moves.iter().all(|&mv| {
        game.play_unchecked(mv);
        let is_lost = wins_within(game, plies - 1);
        game.undo();
        is_lost
    })
}

/// Has the mover a win within so many plies?
fn wins_within(game: &mut Game, plies: usize) -> bool {
    let mover = game.position().turn();
    if let Some(ending) = game.ending() {
        return ending.outcome == Outcome::Win(mover);
    }
    let moves = game.permitted_moves();
    moves.iter().any(|&mv| {
        game.play_unchecked(mv);
        let is_won = loses_within(game, plies - 1);
        game.undo();
        is_won
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Rules;

    fn checked(fen: &str, line: &str) -> Proof {
        let game = Game::new(fen.parse().unwrap(), Rules::default());
        let line: Vec<Move> = line.split_whitespace().map(|mv| mv.parse().unwrap()).collect();
        check(&game, &line)
    }

    #[test]
    fn wins_hold_and_claims_do_not() {
        let one = "5k3/R8/7R1/9/9/9/p8/9/9/3K5 w";
        let two = "4k4/9/R8/1R7/9/9/p8/9/9/3K5 w";
        for (fen, line, expected) in [
            (one, "h7h9", Proof::Whole),
            (one, "a8a9", Proof::Refuted),
            (one, "", Proof::Refuted),
            (one, "h7h0", Proof::Refuted),
            // It goes on after the end.
            (one, "h7h9 f9f8", Proof::Refuted),
            (two, "b6b8 e9f9 a7a9", Proof::Whole),
            // A line to a mate, but Black's rook need not look on.
            ("5k3/R8/7R1/9/8r/9/p8/9/9/3K5 w", "h7h6 a3a2 h6h9", Proof::Refuted),
        ] {
            assert_eq!(checked(fen, line), expected, "{fen} {line}");
        }
    }
}
