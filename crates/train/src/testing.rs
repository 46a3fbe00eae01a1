//! Games for tests.

use crate::targets::TargetRule;
use evaluator::FEATURE_VERSION;
use net::{Architecture, Description, Weights};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use replay::{EndReason, GameRecord, PlyRecord, PolicyEntry, StartedBy, Window, draw_to_u8, value_to_i16};
use rules::{Game, Outcome, Position, Reason, RuleSet, Rules};

/// How targets are made in tests.
pub(crate) const RULE: TargetRule = TargetRule { outcome_share: 0.5, opponent_reply: false };

/// A searched ply; `policy` holds (move, share).
pub(crate) fn searched(mv: &str, value: f32, draw: f32, policy: &[(&str, f32)]) -> PlyRecord {
    let shares = policy.iter().map(|&(mv, share)| (mv.parse().unwrap(), 1, share));
    PlyRecord {
        mv: mv.parse().unwrap(),
        simulations: 8,
        root_value: value_to_i16(value),
        root_draw: draw_to_u8(draw),
        kl: 0.0,
        policy: if policy.is_empty() { Vec::new() } else { PolicyEntry::quantise(shares) },
    }
}

/// A game with these plies.
pub(crate) fn record(start: &str, outcome: Outcome, reason: EndReason, plies: Vec<PlyRecord>) -> GameRecord {
    GameRecord {
        run: "test".to_owned(),
        game: 0,
        seed: 0,
        net: "0".repeat(64),
        rule_set: RuleSet::Checks,
        feature_version: FEATURE_VERSION,
        start: start.parse().unwrap(),
        outcome,
        reason,
        started_by: StartedBy::StartPosition,
        scoring_weight: 0.5,
        decided: None,
        plies,
    }
}

/// A window of random games with random searches; every other ply has a policy, which likes the first legal move
/// best. The games with an odd number have an end.
pub(crate) fn window(games: u64) -> Window {
    let mut window = Window::new(1_000_000, 8.0);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for game in 0..games {
        window.push(&random_game(game, &mut rng)).unwrap();
    }
    window
}

fn random_game(number: u64, rng: &mut ChaCha8Rng) -> GameRecord {
    let rules = Rules { natural_limit_plies: None, ..Rules::default() };
    let mut game = Game::new(Position::start(), rules);
    let mut plies = Vec::new();
    while game.ending().is_none() && plies.len() < 60 {
        let legal = game.position().legal_moves();
        let mv = legal[rng.random_range(0..legal.len())];
        let shares = legal
            .iter()
            .zip((0..).map(|i| if i == 0 { 8.0 } else { 0.1 }))
            .map(|(&mv, share)| (mv, 1, share));
        plies.push(PlyRecord {
            mv,
            simulations: 8,
            root_value: value_to_i16(rng.random_range(-0.5..0.5)),
            root_draw: draw_to_u8(0.25),
            kl: 0.0,
            policy: if plies.len() % 2 == 0 { PolicyEntry::quantise(shares) } else { Vec::new() },
        });
        game.play_unchecked(mv);
    }
    let stopped =
        if number.is_multiple_of(2) { EndReason::PlyCap } else { EndReason::Rules(Reason::NaturalLimit) };
    let (outcome, reason) = game
        .ending()
        .map_or((Outcome::Draw, stopped), |ending| (ending.outcome, EndReason::Rules(ending.reason)));
    let start = game.start().fen();
    GameRecord { game: number, ..record(&start, outcome, reason, plies) }
}

/// A small network's first weights.
pub(crate) fn weights(hidden: usize) -> Weights {
    let description = Description::new(Architecture::Sparse { hidden, value_hidden: 8 }, "checks", "test");
    Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).unwrap()
}
