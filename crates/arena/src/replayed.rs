//! A stored game played again: what the board decides isn't believed.

use crate::match_identity::Terms;
use crate::record::{EndReason, MatchGame, PairRecord};
use rules::{Colour, Ending, Game, Outcome};

/// Could these games have been played on these terms, with these results? If not, what doesn't fit, beginning with the
/// game's number in the pair.
///
/// Of an end by the rules or by adjudication everything is known; of any other, that the side to move has lost. That
/// the players would have chosen these moves, or took so long, nobody can tell.
pub(crate) fn check_pair(pair: &PairRecord, terms: &Terms) -> Result<(), String> {
    for (game, number) in pair.games.iter().zip(1..) {
        check_game(game, terms).map_err(|problem| format!("game {number}: {problem}"))?;
    }
    let [first, second] = &pair.games;
    let opening = |game: &MatchGame| (game.start.clone(), opening_moves(game).to_vec());
    if opening(first) == opening(second) {
        Ok(())
    } else {
        Err("its games have different openings".to_owned())
    }
}

/// The moves that were given. There may not be as many as the game says.
pub(crate) fn opening_moves(game: &MatchGame) -> &[rules::Move] {
    &game.moves[..game.moves.len().min(game.opening_plies.into())]
}

fn check_game(game: &MatchGame, terms: &Terms) -> Result<(), String> {
    let [a, b] = &terms.names;
    let (red, black) = if game.a == Colour::Red { (a, b) } else { (b, a) };
    for (key, name, wanted) in [("red", &game.red, red), ("black", &game.black, black)] {
        if name != wanted {
            return Err(format!("{key} = {name}: want {wanted}"));
        }
    }
    let (given, plies) = (usize::from(game.opening_plies), game.moves.len());
    if plies < given {
        return Err(format!("opening_plies = {given}: want at most {plies}, all moves"));
    }
    let mut board = Game::new(game.start.clone(), terms.rules);
    for (ply, &mv) in game.moves.iter().enumerate() {
        if ply < given {
            board.play(mv).map_err(|error| format!("moves: {error}"))?;
            continue;
        }
        if let Some((_, reason)) = decided(&board, game, terms) {
            let name = reason.name();
            return Err(format!("moves = {plies}: want {ply}, as the game is over then ({name})"));
        }
        board.play_permitted(mv).map_err(|error| format!("moves: {error}"))?;
    }
    check_end(&board, game, terms)
}

/// What the board, or else the players' scores, have decided by now.
fn decided(board: &Game, game: &MatchGame, terms: &Terms) -> Option<(Outcome, EndReason)> {
    if let Some(Ending { outcome, reason }) = board.ending() {
        return Some((outcome, EndReason::Rules(reason)));
    }
    let plies = board.plies().len();
    let played = plies - usize::from(game.opening_plies);
    let notes = game.notes.get(..played).filter(|notes| !notes.is_empty())?;
    let mover = board.position().turn().opponent();
    let outcome = terms.adjudication.judge(notes, mover, plies)?;
    Some((outcome, EndReason::Adjudication))
}

fn check_end(board: &Game, game: &MatchGame, terms: &Terms) -> Result<(), String> {
    let (outcome, reason) = (game.outcome.name(), game.reason.name());
    if let Some((wanted, why)) = decided(board, game, terms) {
        if game.reason != why {
            return Err(format!("reason = {reason}: want {}, as the game ended", why.name()));
        }
        if game.outcome != wanted {
            return Err(format!("outcome = {outcome}: want {} ({})", wanted.name(), why.name()));
        }
        return Ok(());
    }
    if matches!(game.reason, EndReason::Rules(_) | EndReason::Adjudication) {
        return Err(format!(
            "reason = {reason}: want something that a player did, as neither the rules nor the scores end the game"
        ));
    }
    let wanted = Outcome::Win(board.position().turn().opponent());
    if game.outcome == wanted {
        Ok(())
    } else {
        Err(format!("outcome = {outcome}: want {}, as the side to move lost ({reason})", wanted.name()))
    }
}
