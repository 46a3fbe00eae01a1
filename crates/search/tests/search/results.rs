//! Ends of the game: mates, verdicts on repetition, limits.

#![expect(clippy::float_cmp, reason = "what is proven is exact")]

use crate::common::{self, blind, check, find, game, searched};
use evaluator::Uniform;
use rules::{Game, Rules};
use search::{Proven, Root};
use std::num::{NonZeroU8, NonZeroU16};

/// Positions of our own, the moves that win, and the plies that it takes.
const MATES: [(&str, &[&str], u16); 6] = [
    // A rook cuts the general off, the other mates on the back rank.
    ("5k3/R8/7R1/9/9/9/p8/9/9/3K5 w", &["h7h9"], 1),
    // The same turned, for Black.
    ("5k3/9/9/P8/9/9/9/1r7/8r/3K5 b", &["b2b0"], 1),
    // Stalemate wins too.
    ("3k5/9/4P4/9/9/9/9/9/9/4K4 w", &["e7d7", "e7e8"], 1),
    // The same rooks one move earlier.
    ("4k4/9/R8/1R7/9/9/p8/9/9/3K5 w", &["a7a8", "a7e7", "b6b8", "b6e6"], 3),
    // A discovered check: the rook uncovers the facing general.
    ("3k5/4R4/9/9/9/9/p8/9/9/4KC3 w", &["e8e1"], 3),
    // Rooks from their home squares.
    ("4k4/4a4/9/9/9/9/9/9/9/R2K4R w", &["a0a9", "i0i9"], 3),
];

#[test]
fn mates_are_found_and_proven() {
    for (fen, best, plies) in MATES {
        let report = blind(&game(fen, ""), 10_000);
        assert_eq!(report.decision.proven, Some(Proven::Win { plies }), "{fen}: {:?}", report.line);
        assert!(best.contains(&report.decision.best.to_string().as_str()), "{fen}: {:?}", report.line);
        assert_eq!(report.decision.value, 1.0, "{fen}");
        assert!(report.decision.simulations < 10_000, "{fen}: a proven root ends the search");
        let target = find(&report, &report.decision.best.to_string()).target;
        assert_eq!(target, 1.0, "{fen}: the win takes the whole target");
    }
}

#[test]
fn mates_from_tournament_games_are_found() {
    let text = include_str!("../../../../tests/search/mates.epd");
    let mut solved = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let operation = |name: &str| {
            let rest = line.split_once(name).unwrap_or_else(|| panic!("no {name} in {line}")).1;
            rest.split_once(';').unwrap().0
        };
        let moves_to_mate: u16 = operation(" dm ").parse().unwrap();
        let fen = line.split(" bm ").next().unwrap();
        let report = blind(&game(fen, ""), 20_000);
        let Some(Proven::Win { plies }) = report.decision.proven else {
            panic!("not solved: {line}: {report:?}")
        };
        // Longer than the shortest is allowed; what is proven is proven.
        let best = report.decision.best.to_string();
        let shortest = plies < 2 * moves_to_mate;
        assert!(!shortest || operation(" bm ").split(' ').any(|mv| mv == best), "{line}: {report:?}");
        solved.push((game(fen, &best), plies));
    }
    assert_eq!(solved.len(), 30);
    solved.retain(|(_, plies)| *plies > 1);
    resist_longest(&solved);
}

/// Where all moves lose, the one that lasts longest is played and takes the target.
fn resist_longest(lost: &[(Game, u16)]) {
    let mut choices = 0;
    for (game, _) in lost {
        let report = blind(game, 60_000);
        let Some(Proven::Loss { plies: longest }) = report.decision.proven else {
            panic!("not lost: {report:?}")
        };
        let mut shares = (0.0, 0);
        for root_move in &report.moves {
            let Some(Proven::Loss { plies }) = root_move.proven else { panic!("{root_move:?}") };
            assert!(plies <= longest, "{report:?}");
            if plies == longest {
                shares.0 += root_move.target;
            } else {
                shares.1 += 1;
                assert_eq!(root_move.target, 0.0, "{report:?}");
            }
        }
        assert!((shares.0 - 1.0f32).abs() < 1e-5);
        choices += shares.1;
        assert_eq!(find(&report, &report.decision.best.to_string()).proven, report.decision.proven);
        assert_eq!((report.decision.value, report.decision.draw), (-1.0, 0.0));
    }
    assert!(choices > 0, "in some of the positions the moves differ");
}

#[test]
fn a_gumbel_root_ends_with_a_mate_in_one() {
    let game = game("5k3/R8/7R1/9/9/9/p8/9/9/3K5 w", "");
    let mut evaluator = common::Favour("h7h9".parse().unwrap());
    let report = searched(&game, Root::Gumbel { noise: false }, 32, &mut evaluator).report();
    check(&report, &game);
    assert_eq!((report.decision.best.to_string().as_str(), report.decision.simulations), ("h7h9", 1));
    assert_eq!((report.decision.proven, report.decision.value), (Some(Proven::Win { plies: 1 }), 1.0));
    assert_eq!(find(&report, "h7h9").target, 1.0);
}

#[test]
fn a_move_that_is_proven_to_lose_gets_no_target() {
    // Red threatens mate on the back rank, and only Black's rook can prevent it.
    let game = game("5k3/R8/7R1/9/8r/9/p8/9/9/3K5 b", "");
    for root in [Root::Gumbel { noise: false }, Root::Puct] {
        let report = searched(&game, root, 10_000, &mut Uniform).report();
        check(&report, &game);
        let lost =
            report.moves.iter().filter(|root_move| root_move.proven == Some(Proven::Loss { plies: 2 }));
        assert!(lost.clone().count() >= 5, "{report:?}");
        for root_move in lost {
            assert_eq!((root_move.target, root_move.q), (0.0, Some(-1.0)), "{root_move:?}");
            assert_ne!(root_move.mv, report.decision.best);
        }
    }
}

/// Red checks for ever with its rook: one round is f1e1+ e9f9 e1f1+ f9e9.
const PERPETUAL: &str = "4k4/9/9/9/9/9/9/9/5R3/3K5 w";
const ROUND: &str = "f1e1 e9f9 e1f1 f9e9 ";

#[test]
fn a_verdict_on_repetition_is_proven_at_its_fold() {
    // The last move of the second round brings the position back for the third time.
    let moves = [ROUND, "f1e1 e9f9 e1f1"].concat();
    let game = game(PERPETUAL, &moves);
    let report = blind(&game, 200);
    assert_eq!(find(&report, "f9e9").proven, Some(Proven::Win { plies: 1 }));
    assert_eq!(
        (report.decision.best.to_string().as_str(), report.decision.proven),
        ("f9e9", Some(Proven::Win { plies: 1 }))
    );
}

#[test]
fn pikafish_113_no_false_mate_one_fold_early() {
    // One round less: the same move brings the position back for the second time, which decides nothing.
    let game = game(PERPETUAL, "f1e1 e9f9 e1f1");
    let report = blind(&game, 200);
    for root_move in &report.moves {
        assert!(!matches!(root_move.proven, Some(Proven::Win { .. })), "{root_move:?}");
    }
    assert!(!matches!(report.decision.proven, Some(Proven::Win { .. })));
    assert!(report.decision.value < 0.5, "{}", report.decision.value);
}

#[test]
fn the_checker_sees_that_another_round_loses() {
    // Red to move, two rounds but for Black's last move played: checking on loses, other moves don't.
    let moves = [ROUND, "f1e1 e9f9"].concat();
    let report = blind(&game(PERPETUAL, &moves), 20_000);
    let again = find(&report, "e1f1");
    assert_eq!(again.proven, Some(Proven::Loss { plies: 2 }));
    assert_ne!(report.decision.best, again.mv);
}

#[test]
fn a_draw_by_the_natural_limit_is_proven() {
    let rules = Rules { natural_limit_plies: NonZeroU16::new(2), ..Rules::default() };
    let game = Game::new(common::position("3k5/9/9/9/9/9/p8/9/9/R3K4 w - - 1 9"), rules);
    let report = blind(&game, 1000);
    // Whatever isn't a capture is a draw.
    assert_eq!(find(&report, "a0b0").proven, Some(Proven::Draw));
    assert_ne!(find(&report, "a0a3").proven, Some(Proven::Draw));
    assert_eq!(find(&report, "a0b0").q, Some(0.0));
}

#[test]
fn a_draw_is_proven_when_every_move_draws() {
    let rules = Rules { natural_limit_plies: NonZeroU16::new(1), ..Rules::default() };
    let game = Game::new(common::position("3k5/9/9/9/9/9/p8/9/9/4K4 w"), rules);
    let report = blind(&game, 1000);
    assert_eq!(report.decision.proven, Some(Proven::Draw));
    assert_eq!((report.decision.value, report.decision.draw), (0.0, 1.0));
    assert_eq!(report.decision.simulations as usize, game.position().legal_moves().len());
}

#[test]
fn suragnair_27_shuffling_ends() {
    // A rook each, and a policy that knows nothing but going to and fro.
    let game = game("3k1a2r/4a4/9/9/9/9/9/9/4A4/R2A1K3 w", "");
    let search = searched(&game, Root::Puct, 100_000, &mut common::First);
    let report = search.report();
    check(&report, &game);
    assert_eq!(report.decision.simulations, 100_000);
    assert!(report.line.len() <= usize::from(Rules::default().natural_limit_plies.unwrap().get()));
}

#[test]
fn a_line_of_a_thousand_plies_needs_no_stack() {
    // No natural limit and 255 folds: a policy sure of its move walks to and fro for ever.
    let folds = NonZeroU8::new(255).unwrap();
    let rules = Rules { folds, natural_limit_plies: None, ..Rules::default() };
    let game = Game::new(common::position("3k5/9/9/9/9/9/9/9/9/R3K4 w"), rules);
    let thread = std::thread::Builder::new().stack_size(64 * 1024);
    let searching = thread.spawn(move || searched(&game, Root::Puct, 5000, &mut common::First).report());
    let report = searching.unwrap().join().unwrap();
    assert_eq!(report.decision.simulations, 5000);
    assert!(report.line.len() > 900, "{}", report.line.len());
}
