//! How a game gets going: positions of earlier games, openings of masters, thinned armies and random plies, so that
//! games differ and weak nets see endgames.

use crate::play::Job;
use crate::settings::Settings;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand::{Rng, RngExt as _};
use replay::StartedBy;
use rules::{Colour, Game, Kind, Position, Rules, Square};

/// A game that is not over.
pub(crate) fn open(job: &Job, rules: Rules, rng: &mut impl Rng) -> (Game, StartedBy) {
    let special = from_elsewhere(job, rules, rng);
    special
        .filter(|(game, _)| game.ending().is_none())
        .unwrap_or_else(|| from_start(&job.settings, rules, rng))
}

/// A game from the archive or with an opening of masters, if chance wants one and there is any.
fn from_elsewhere(job: &Job, rules: Rules, rng: &mut impl Rng) -> Option<(Game, StartedBy)> {
    let Settings { archive_share, classical_share, .. } = job.settings;
    // Without either no chance is drawn, so that a run that knows neither plays the games that it always has.
    if archive_share <= 0.0 && classical_share <= 0.0 {
        return None;
    }
    let drawn: f32 = rng.random();
    if drawn < archive_share {
        let position = job.archive.draw(rng)?;
        Some((Game::new(position.clone(), rules), StartedBy::Archive))
    } else if drawn < archive_share + classical_share {
        let mut game = Game::new(Position::start(), rules);
        job.classical.choose(rng)?.iter().for_each(|&mv| game.play_unchecked(mv));
        Some((game, StartedBy::Classical))
    } else {
        None
    }
}

/// A start and some random plies.
///
/// Begins anew when the game is over before it is searched. That is rare, and the more so the fewer pieces were taken.
fn from_start(settings: &Settings, rules: Rules, rng: &mut impl Rng) -> (Game, StartedBy) {
    let thinned = rng.random_bool(settings.thinned_share.into());
    let pieces = rng.random_range(1..=settings.thinned_pieces);
    let random_plies = rng.random_range(0..=settings.random_plies);
    loop {
        let start = if thinned { thinned_armies(pieces, rng) } else { Position::start() };
        let mut game = Game::new(start, rules);
        if play_at_random(&mut game, random_plies, rng) {
            let started_by = match (thinned, random_plies) {
                (true, _) => StartedBy::Thinned,
                (false, 0) => StartedBy::StartPosition,
                (false, _) => StartedBy::RandomPlies,
            };
            return (game, started_by);
        }
    }
}

/// Plays random moves; says whether the game goes on after them.
fn play_at_random(game: &mut Game, plies: u16, rng: &mut impl Rng) -> bool {
    for _ in 0..plies {
        if game.ending().is_some() {
            return false;
        }
        let moves = game.permitted_moves();
        game.play_unchecked(*moves.choose(rng).expect("a game that goes on has a permitted move"));
    }
    game.ending().is_none()
}

/// The start position less some pieces, generals never among them: those of Red that the generator picks, and those
/// of Black on the points opposite.
pub(crate) fn thinned_armies(pieces: u8, rng: &mut impl Rng) -> Position {
    let full = Position::start().to_setup();
    let mut army: Vec<Square> = Square::all()
        .filter(|square| {
            full.board[square.index()]
                .is_some_and(|piece| piece.colour == Colour::Red && piece.kind != Kind::General)
        })
        .collect();
    loop {
        let mut setup = full.clone();
        for square in army.partial_shuffle(rng, pieces.into()).0 {
            setup.board[square.index()] = None;
            setup.board[square.turned().index()] = None;
        }
        // Without the two central pawns the generals may face each other: no position.
        if let Ok(position) = setup.check() {
            return position;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;
    use std::collections::BTreeSet;

    #[test]
    fn thinned_armies_are_alike_and_lack_what_was_taken() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut fens = BTreeSet::new();
        for round in 0_u16..400 {
            let pieces = (round % 13 + 1) as u8;
            let position = thinned_armies(pieces, &mut rng);
            assert_eq!(position.turn(), Colour::Red);
            for colour in Colour::ALL {
                assert_eq!(position.of_colour(colour).count(), 16 - u32::from(pieces));
                assert_eq!(position.pieces(colour, Kind::General).count(), 1);
            }
            let occupied = position.occupied();
            assert_eq!(occupied.turned(), occupied);
            fens.insert(position.fen());
        }
        assert!(fens.len() > 300, "{} of 400 differ", fens.len());
    }

    #[test]
    fn openings_are_not_over_and_come_in_the_shares_that_are_set() {
        let settings = Settings::default();
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let mut counts = [0_u32; 3];
        let mut lengths = [0_u32; 9];
        for _ in 0..900 {
            let (game, started_by) = from_start(&settings, Rules::default(), &mut rng);
            assert_eq!(game.ending(), None);
            let kind = [StartedBy::StartPosition, StartedBy::RandomPlies, StartedBy::Thinned];
            counts[kind.iter().position(|&kind| kind == started_by).expect("one of three")] += 1;
            lengths[game.plies().len()] += 1;
            match started_by {
                StartedBy::Thinned => assert!(game.start().occupied().count() < 32),
                StartedBy::RandomPlies => assert!(!game.plies().is_empty()),
                _ => assert!(game.plies().is_empty()),
            }
            assert!(started_by == StartedBy::Thinned || *game.start() == Position::start());
        }
        assert!((230..310).contains(&counts[2]), "thinned: {counts:?}");
        assert!((40..110).contains(&counts[0]), "start position: {counts:?}");
        assert!(lengths.iter().all(|&count| (60..140).contains(&count)), "{lengths:?}");
    }

    #[test]
    fn the_barest_armies_still_make_a_game() {
        let settings =
            Settings { thinned_share: 1.0, thinned_pieces: 13, random_plies: 40, ..Settings::default() };
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for _ in 0..50 {
            assert_eq!(from_start(&settings, Rules::default(), &mut rng).0.ending(), None);
        }
    }
}
