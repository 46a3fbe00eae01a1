//! What must be true of a tree for play, inside too.

mod contempt;
mod kept;

use super::*;
use crate::tree::Edge;
use crate::{Root, Search, run};
use evaluator::{Answer, Evaluator, EvaluatorError, Hashed, Material, Query, Uniform};
use kept::below;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rules::{START_FEN, Square};
use std::collections::VecDeque;
use std::num::NonZeroU16;

const MIDDLEGAME: &str = "r1bakab1r/9/1cn3nc1/p3p1p1p/2p6/6P2/P1P1P3P/1CN3NC1/9/R1BAKAB1R b";
const ENDGAME: &str = "3k5/4P4/9/9/9/6N2/9/4B3p/4A4/4K4 w";
const MATE: &str = "4k4/9/R8/1R7/9/9/p8/9/9/3K5 w";
/// Two rooks leave Red's general one step.
const ONE_MOVE: &str = "3k5/9/9/9/9/9/9/3r1r3/9/4K4 w";

fn game(fen: &str) -> Game {
    Game::new(fen.parse().unwrap(), Rules::default())
}

fn tree(game: &Game) -> PlayTree {
    let mut tree = PlayTree::new(Settings::default(), 64 << 20).unwrap();
    tree.set_root(game, None);
    tree
}

fn hashed() -> Hashed {
    Hashed { seed: 5 }
}

/// Walks `nodes` times with so many walkers, the oldest of them answered when all are under way.
fn walk(tree: &mut PlayTree, walkers: usize, nodes: u64, evaluator: &mut impl Evaluator) -> u64 {
    let mut home: Vec<Walk> = (0..walkers).map(|_| tree.walk()).collect();
    let mut away = VecDeque::new();
    let (mut begun, mut answer) = (0, Answer::default());
    loop {
        let mut is_stuck = begun == nodes;
        while begun < nodes && !is_stuck {
            let Some(mut walk) = home.pop() else { break };
            match tree.descend(&mut walk) {
                Descent::Leaf => {
                    begun += 1;
                    away.push_back(walk);
                }
                Descent::Counted => {
                    begun += 1;
                    home.push(walk);
                }
                Descent::Busy => {
                    assert!(!away.is_empty(), "busy with nobody");
                    is_stuck = true;
                    home.push(walk);
                }
                Descent::Full => {
                    is_stuck = true;
                    home.push(walk);
                    if away.is_empty() {
                        tree.prune();
                        home = (0..walkers).map(|_| tree.walk()).collect();
                        is_stuck = false;
                    }
                }
                Descent::Finished => {
                    is_stuck = true;
                    home.push(walk);
                }
            }
        }
        let Some(mut walk) = away.pop_front() else { return begun };
        if let Some(query) = walk.look() {
            evaluator.evaluate(&[query], std::slice::from_mut(&mut answer)).unwrap();
            walk.answer(&answer);
        }
        tree.apply(&mut walk);
        home.push(walk);
    }
}

/// The indices of the nodes that the root leads to.
fn reachable(tree: &PlayTree) -> Vec<u32> {
    let mut all = vec![tree.root];
    let mut next = 0;
    while let Some(&index) = all.get(next) {
        let node = tree.pools.get(index);
        all.extend(tree.pools.opened_edges(node).map(|edge| edge.child.unwrap().get()));
        next += 1;
    }
    all
}

/// What is kept up walk by walk equals what is reckoned from nothing. `is_whole`: nothing has been pruned.
fn check(tree: &mut PlayTree, is_whole: bool) {
    for index in reachable(tree) {
        let node = tree.pools.get(index);
        let opened: Vec<Edge> = tree.pools.opened_edges(node).collect();
        let unopened: Vec<Edge> = tree.pools.unopened_edges(node).collect();
        let children: u32 = opened.iter().map(|edge| tree.pools.get(edge.child.unwrap().get()).visits).sum();
        assert_eq!(node.flights, 0);
        if node.proven.is_none() && is_whole && 0 < node.visits {
            assert_eq!(node.visits, 1 + children, "each visit but the first went on");
        }
        if is_whole || node.proven.is_none() {
            assert!(children < node.visits || node.visits == 0);
        }
        if !opened.is_empty() && is_whole {
            assert_eq!(node.proven, tree.pools.prove(index));
        }
        let front = unopened.first().map(|edge| edge.prior);
        let is_restricted = index == tree.root && tree.only.is_some();
        assert!(
            is_restricted || front == unopened.iter().map(|edge| edge.prior).max(),
            "the likeliest is in front"
        );
    }
    let heads = |tree: &PlayTree| -> Vec<Vec<Head>> {
        let of = |index| {
            let heads = tree.pools.heads(index, tree.pools.get(index).opened.into());
            heads.iter().map(|head| Head::from_word(head.load(Ordering::Relaxed))).collect()
        };
        reachable(tree).into_iter().map(of).collect()
    };
    let kept = heads(tree);
    tree.reckon_heads(tree.draw_for_root());
    assert_eq!(kept, heads(tree), "heads kept up = heads reckoned anew");
}

fn by_move(tree: &PlayTree) -> Vec<(Move, u64, f32, Option<Proven>)> {
    let mut moves: Vec<_> = tree
        .report(usize::MAX)
        .iter()
        .map(|line| (line.mv, line.visits, if line.visits > 0 { line.value } else { 0.0 }, line.proven))
        .collect();
    moves.sort_by_key(|&(mv, ..)| mv);
    moves
}

#[test]
fn one_walker_grows_the_tree_that_search_grows() {
    for fen in [START_FEN, MIDDLEGAME, ENDGAME, MATE] {
        for simulations in [1, 10, 300, 3000] {
            let game = game(fen);
            let mut search = Search::new(Settings::default());
            search.start(&game, Root::Puct, simulations, &mut ChaCha8Rng::seed_from_u64(1));
            run(&mut search, &mut hashed()).unwrap();
            let report = search.report();
            let mut tree = tree(&game);
            // Here the root's evaluation is a walk too.
            walk(&mut tree, 1, u64::from(simulations) + 1, &mut hashed());
            check(&mut tree, true);
            let mut expected: Vec<_> = report
                .moves
                .iter()
                .map(|root| (root.mv, u64::from(root.visits), root.q.unwrap_or(0.0), root.proven))
                .collect();
            expected.sort_by_key(|&(mv, ..)| mv);
            assert_eq!(by_move(&tree), expected, "{fen}, {simulations} simulations");
            let best = &tree.report(1)[0];
            assert_eq!((best.mv, &best.pv), (report.decision.best, &report.line), "{fen}, {simulations}");
            assert_eq!(tree.result(), report.decision.proven);
        }
    }
}

#[test]
fn visits_add_up_whatever_the_number_of_walkers() {
    for fen in [START_FEN, MIDDLEGAME, ENDGAME, ONE_MOVE] {
        for walkers in [1, 2, 3, 8, 64] {
            let mut tree = tree(&game(fen));
            let begun = walk(&mut tree, walkers, 2000, &mut hashed());
            assert!(begun == 2000 || tree.result().is_some(), "{fen}: {begun}");
            assert_eq!(tree.visits(), begun);
            check(&mut tree, true);
        }
    }
}

#[test]
fn mates_proven_by_many_walkers_are_true() {
    for walkers in [1, 2, 8] {
        let game = game(MATE);
        let mut tree = tree(&game);
        walk(&mut tree, walkers, 20_000, &mut Uniform);
        check(&mut tree, true);
        let best = tree.report(1).remove(0);
        let Some(Proven::Win { plies }) = best.proven else { panic!("{walkers} walkers: {best:?}") };
        assert_eq!(tree.result(), best.proven);
        assert_eq!(best.pv.len(), usize::from(plies));
        let mut game = game.clone();
        best.pv.iter().for_each(|&mv| game.play(mv).unwrap());
        assert!(game.ending().is_some());
    }
}

#[test]
fn a_walk_that_is_cancelled_leaves_no_trace() {
    let mut tree = tree(&game(MIDDLEGAME));
    walk(&mut tree, 1, 200, &mut hashed());
    let (before, visits) = (by_move(&tree), tree.visits());
    let mut walks: Vec<Walk> = (0..8).map(|_| tree.walk()).collect();
    for walk in &mut walks {
        assert_eq!(tree.descend(walk), Descent::Leaf);
    }
    let awaited = reachable(&tree).into_iter().map(|index| tree.pools.get(index));
    assert_eq!(awaited.filter(|node| node.is_leaf() && 0 < node.flights).count(), 8);
    walks[0].look();
    for walk in &mut walks {
        tree.cancel(walk);
        tree.cancel(walk);
    }
    check(&mut tree, false);
    assert_eq!((by_move(&tree), tree.visits()), (before, visits));
    walk(&mut tree, 2, 1000, &mut hashed());
    check(&mut tree, true);
    assert_eq!(tree.visits(), 1200);
}

#[test]
fn a_full_tree_drops_what_was_visited_least_and_goes_on() {
    for walkers in [1, 4] {
        let game = game(MIDDLEGAME);
        let mut tree = PlayTree::new(Settings::default(), PlayTree::LEAST_BYTES).unwrap();
        tree.set_root(&game, None);
        let (mut by_hand, mut by_itself, mut most) = (0, 0, 0);
        for round in 1..=400 {
            let (before, bytes) = (tree.report(usize::MAX), tree.bytes().0);
            if by_hand < 4 && PlayTree::LEAST_BYTES / 8 * 7 < bytes {
                tree.prune();
                by_hand += 1;
                check(&mut tree, false);
                let after = tree.report(usize::MAX);
                assert!(tree.bytes().0 < bytes / 4 * 3, "{} of {bytes}", tree.bytes().0);
                assert_eq!(before[0], after[0], "the best move, what is known about it, and its line");
                for (before, after) in before.iter().zip(&after) {
                    assert_eq!((before.mv, before.visits), (after.mv, after.visits));
                    assert_eq!(before.value.to_bits(), after.value.to_bits());
                }
            }
            let bytes = tree.bytes().0;
            walk(&mut tree, walkers, 250, &mut hashed());
            by_itself += u32::from(tree.bytes().0 < bytes);
            most = most.max(tree.bytes().0);
            assert_eq!(tree.visits(), 250 * round);
        }
        check(&mut tree, false);
        assert!(most <= PlayTree::LEAST_BYTES, "{most}");
        assert_eq!(by_hand, 4);
        assert!(by_itself > 4, "{by_itself}");
    }
}

#[test]
fn pruning_after_a_move_first_drops_what_cannot_be_reached() {
    let mut game = game(MIDDLEGAME);
    let mut tree = tree(&game);
    walk(&mut tree, 1, 3000, &mut hashed());
    game.play(tree.report(1)[0].mv).unwrap();
    tree.set_root(&game, None);
    let (expected, before) = (below(&tree, tree.root), tree.bytes().0);
    tree.prune();
    assert_eq!(below(&tree, tree.root), expected, "there was room for all of it");
    assert!(tree.bytes().0 < before);
    check(&mut tree, true);
}

#[test]
fn only_allowed_moves_are_followed() {
    let game = game(MIDDLEGAME);
    let all = game.permitted_moves();
    let illegal: Move = "a0a9".parse().unwrap();
    let mut tree = tree(&game);
    for kept in [false, true] {
        for only in [vec![all[3]], vec![all[7], illegal, all[1]], vec![all[5], all[2], all[9], all[11]]] {
            if !kept {
                tree.forget();
            }
            let allowed = only.iter().filter(|mv| all.contains(mv)).count();
            assert_eq!(tree.set_root(&game, Some(&only)), allowed);
            let before: u64 = tree.report(usize::MAX).iter().map(|line| line.visits).sum();
            let whole = tree.visits();
            walk(&mut tree, 2, 300, &mut hashed());
            let lines = tree.report(usize::MAX);
            assert_eq!(lines.len(), allowed);
            assert!(lines.iter().all(|line| only.contains(&line.mv)));
            let new = lines.iter().map(|line| line.visits).sum::<u64>() - before;
            assert_eq!(new, if whole == 0 { 299 } else { 300 });
        }
        check(&mut tree, false);
    }
    // Without the restriction all moves are there again.
    assert_eq!(tree.set_root(&game, None), all.len());
    walk(&mut tree, 1, 3000, &mut hashed());
    assert_eq!(tree.report(usize::MAX).len(), all.len());
    check(&mut tree, true);
    assert_eq!(tree.set_root(&game, Some(&[illegal])), 0);
    assert_eq!(tree.set_root(&game, Some(&[])), 0);
    assert!(tree.report(5).is_empty());
}

#[test]
fn a_mate_that_is_not_allowed_proves_nothing() {
    let game = game("5k3/R8/7R1/9/9/9/p8/9/9/3K5 w");
    let mut tree = tree(&game);
    walk(&mut tree, 1, 1000, &mut Uniform);
    assert_eq!(tree.result(), Some(Proven::Win { plies: 1 }));
    let mate: Move = "h7h9".parse().unwrap();
    let others: Vec<Move> = game.permitted_moves().iter().copied().filter(|&mv| mv != mate).collect();
    tree.set_root(&game, Some(&others));
    assert_eq!(tree.result(), None);
    assert_eq!(walk(&mut tree, 1, 200, &mut Uniform), 200);
    assert!(tree.report(usize::MAX).iter().all(|line| line.mv != mate));
    // Allowed moves that all lose are a result.
    let game = self::game("5k3/R8/7R1/9/8r/9/p8/9/9/3K5 b");
    let step: Move = "a3a2".parse().unwrap();
    tree.set_root(&game, Some(&[step]));
    walk(&mut tree, 2, 20_000, &mut Uniform);
    assert_eq!(tree.result(), Some(Proven::Loss { plies: 2 }));
    tree.set_root(&game, None);
    assert_eq!(tree.result(), None, "other moves may be better");
}

#[test]
fn a_position_without_a_choice_is_walked_like_any_other() {
    let mut tree = tree(&game(ONE_MOVE));
    let count = tree.set_root(&game(ONE_MOVE), None);
    walk(&mut tree, 3, 100, &mut hashed());
    assert_eq!((count, tree.report(500).len()), (1, 1));
    check(&mut tree, true);
}

#[test]
fn the_lines_are_distinct_and_more_lines_change_nothing() {
    let mut tree = tree(&game(START_FEN));
    walk(&mut tree, 1, 500, &mut hashed());
    let all = tree.report(500);
    assert_eq!(all.len(), 44);
    let mut moves: Vec<Move> = all.iter().map(|line| line.mv).collect();
    moves.sort();
    moves.dedup();
    assert_eq!(moves.len(), 44);
    assert!(all.is_sorted_by(|a, b| a.visits >= b.visits));
    for count in [1, 2, 7] {
        assert_eq!(tree.report(count), all[..count]);
    }
    let priors: f32 = all.iter().map(|line| line.prior).sum();
    assert!((priors - 1.0).abs() < 1e-2, "{priors}");
}

#[test]
#[should_panic(expected = "a walk from this root")]
fn a_walker_for_an_earlier_root_is_noticed() {
    let mut tree = tree(&game(START_FEN));
    let mut walk = tree.walk();
    tree.set_root(&game(MIDDLEGAME), None);
    tree.descend(&mut walk);
}

/// Whatever the threads do to each other, what they leave behind is a whole tree.
#[test]
fn threads_walk_at_the_same_time() {
    for fen in [MIDDLEGAME, ENDGAME, ONE_MOVE] {
        let mut tree = tree(&game(fen));
        let counted: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| walk_alone(&tree, 5000))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert!(counted == 20_000 || tree.result().is_some(), "{fen}: {counted}");
        assert_eq!(tree.visits(), counted);
        check(&mut tree, true);
    }
}

/// Counts so many walks of one walker among others, or fewer if the tree is finished.
fn walk_alone(tree: &PlayTree, nodes: u64) -> u64 {
    let (mut walk, mut answer) = (tree.walk(), Answer::default());
    let mut counted = 0;
    while counted < nodes {
        match tree.descend(&mut walk) {
            Descent::Leaf => {
                if let Some(query) = walk.look() {
                    hashed().evaluate(&[query], std::slice::from_mut(&mut answer)).unwrap();
                    walk.answer(&answer);
                }
                tree.apply(&mut walk);
                counted += 1;
            }
            Descent::Counted => counted += 1,
            Descent::Busy => std::thread::yield_now(),
            Descent::Full => panic!("there is room for all"),
            Descent::Finished => break,
        }
    }
    counted
}
