//! Games for tests: random moves, made-up searches.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use replay::{Decided, EndReason, GameRecord, PlyRecord, PolicyEntry, StartedBy};
use rules::{Game, Move, Outcome, Position, RuleSet, Rules};

/// A game of random moves, broken off after `most_plies`. The first plies are not searched; of the others half have
/// a policy, as in self-play with the usual settings.
pub(crate) fn game(number: u64, most_plies: usize) -> GameRecord {
    let mut rng = ChaCha8Rng::seed_from_u64(number);
    let mut game = Game::new(Position::start(), Rules::default());
    let random_plies = rng.random_range(0..=8);
    let mut plies = Vec::new();
    while game.ending().is_none() && plies.len() < most_plies {
        let legal = game.position().legal_moves();
        let mv = legal[rng.random_range(0..legal.len())];
        plies.push(if plies.len() < random_plies {
            PlyRecord::unsearched(mv)
        } else {
            ply(&legal, mv, &mut rng)
        });
        game.play_unchecked(mv);
    }
    let ending = game.ending();
    // Some games are decided in their second half, and some of those are played through.
    let half = plies.len() / 2;
    let decided = number.is_multiple_of(3) && plies.get(half).is_some_and(|ply| ply.simulations > 0);
    let decided = decided.then(|| Decided { ply: half as u16 + 1, played_through: number.is_multiple_of(2) });
    GameRecord {
        run: "test".to_owned(),
        game: number,
        seed: rng.random(),
        net: format!("{:064x}", number / 100),
        rule_set: RuleSet::Checks,
        feature_version: evaluator::FEATURE_VERSION,
        start: Position::start(),
        outcome: ending.map_or(Outcome::Draw, |ending| ending.outcome),
        reason: ending.map_or(EndReason::PlyCap, |ending| EndReason::Rules(ending.reason)),
        started_by: if random_plies == 0 { StartedBy::StartPosition } else { StartedBy::RandomPlies },
        scoring_weight: rng.random(),
        decided: decided.filter(|decided| usize::from(decided.ply) < plies.len()),
        plies,
    }
}

fn ply(legal: &[Move], mv: Move, rng: &mut ChaCha8Rng) -> PlyRecord {
    let full = rng.random();
    let policy = if full { policy(legal, rng) } else { Vec::new() };
    PlyRecord {
        mv,
        simulations: if full { 32 } else { 8 },
        root_value: rng.random_range(-i16::MAX..=i16::MAX),
        root_draw: rng.random(),
        kl: rng.random_range(0.0..2.0),
        policy,
    }
}

/// The widest that training makes: nearly every legal move has a share, as when the net is new.
fn policy(legal: &[Move], rng: &mut ChaCha8Rng) -> Vec<PolicyEntry> {
    PolicyEntry::quantise(legal.iter().map(|&mv| (mv, rng.random_range(0..32), rng.random_range(0.0..1.0))))
}
