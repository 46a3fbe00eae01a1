//! What is kept from root to root.

use super::*;

/// What is below a node: moves, visits, values, results, depth first.
pub(super) fn below(tree: &PlayTree, index: u32) -> Vec<(Option<Move>, u32, u64, Option<Proven>)> {
    let mut all = Vec::new();
    let mut todo = vec![(None, index)];
    while let Some((mv, index)) = todo.pop() {
        let node = tree.pools.get(index);
        let value = if node.visits > 0 { f64::from(node.value()) } else { 0.0 };
        all.push((mv, node.visits, value.to_bits(), node.proven));
        let (opened, unopened) = (tree.pools.opened_edges(node), tree.pools.unopened_edges(node));
        todo.extend(opened.map(|edge| (Some(edge.mv), edge.child.unwrap().get())));
        all.extend(unopened.map(|edge| (Some(edge.mv), 0, 0, None)));
    }
    all
}

#[test]
fn what_is_below_the_moves_played_is_kept() {
    let mut game = game(MIDDLEGAME);
    let mut tree = tree(&game);
    walk(&mut tree, 2, 5000, &mut hashed());
    let line = tree.report(1).remove(0);
    let mut index = tree.root;
    for &mv in &line.pv[..2] {
        let node = tree.pools.get(index);
        let edge = tree.pools.opened_edges(node).find(|edge| edge.mv == mv);
        index = edge.unwrap().child.unwrap().get();
        game.play(mv).unwrap();
    }
    let expected = below(&tree, index);
    assert!(expected[0].1 > 50, "{expected:?}");
    tree.set_root(&game, None);
    assert_eq!(below(&tree, tree.root), expected);
    assert_eq!(tree.visits(), u64::from(expected[0].1));
    check(&mut tree, true);
    walk(&mut tree, 2, 500, &mut hashed());
    assert_eq!(tree.visits(), u64::from(expected[0].1) + 500);
    check(&mut tree, true);
    // The same root again: nothing is lost.
    tree.set_root(&game, None);
    assert_eq!(tree.visits(), u64::from(expected[0].1) + 500);
    // Another game, other rules, a step back: nothing is kept.
    let rules = Rules { natural_limit_plies: NonZeroU16::new(60), ..Rules::default() };
    for other in [self::game(START_FEN), self::game(MIDDLEGAME), Game::new(game.position().clone(), rules)] {
        tree.set_root(&game, None);
        walk(&mut tree, 1, 100, &mut hashed());
        tree.set_root(&other, None);
        assert_eq!(tree.visits(), 0);
    }
}

/// Likes these moves wherever they are legal.
struct Likes([Move; 3]);

impl Evaluator for Likes {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        Uniform.evaluate(queries, answers)?;
        for (query, answer) in queries.iter().zip(answers) {
            for (logit, mv) in answer.logits.iter_mut().zip(query.legal) {
                *logit = if self.0.contains(mv) { 6.0 } else { 0.0 };
            }
        }
        Ok(())
    }
}

#[test]
fn a_game_told_from_its_last_capture_on_goes_on() {
    // The cannons take a horse each, then a quiet move.
    let moves: [Move; 3] = ["h2h9", "b7b0", "h9h8"].map(|mv| mv.parse().unwrap());
    for captures in [1, 2] {
        let mut game = game(START_FEN);
        let mut tree = tree(&game);
        walk(&mut tree, 1, 2000, &mut Likes(moves));
        moves[..captures].iter().for_each(|&mv| game.play(mv).unwrap());
        let mut told = Game::new(game.position().clone(), *game.rules());
        for game in [&mut game, &mut told] {
            game.play(moves[captures]).unwrap();
        }
        assert_ne!(game.start(), told.start());
        let index = tree.find(&game).unwrap();
        assert_eq!(tree.find(&told), Some(index));
        let expected = below(&tree, index);
        tree.set_root(&told, None);
        assert_eq!(below(&tree, tree.root), expected);
        walk(&mut tree, 2, 500, &mut Likes(moves));
        check(&mut tree, true);
        // The capture itself is where it is told from, and asked about.
        let mut game = self::game(START_FEN);
        tree.set_root(&game, None);
        walk(&mut tree, 1, 5000, &mut Likes(moves));
        game.play(moves[0]).unwrap();
        tree.set_root(&game, None);
        let visits = tree.visits();
        tree.set_root(&Game::new(game.position().clone(), *game.rules()), None);
        assert!(visits > 10 && tree.visits() == visits, "{visits}");
    }
}

#[test]
fn lc0_167_the_line_is_legal_after_a_move_that_is_not_in_it() {
    let mut game = game(MIDDLEGAME);
    let mut tree = tree(&game);
    walk(&mut tree, 1, 200, &mut hashed());
    let lines = tree.report(usize::MAX);
    for line in [&lines[1], lines.last().unwrap()] {
        game.play(line.mv).unwrap();
        tree.set_root(&game, None);
        walk(&mut tree, 1, 1, &mut hashed());
        let mut played = game.clone();
        let line = &tree.report(1)[0].pv;
        assert!(!line.is_empty());
        for &mv in line {
            played.play(mv).unwrap();
        }
        game.undo();
        tree.set_root(&game, None);
        walk(&mut tree, 1, 200, &mut hashed());
    }
}
