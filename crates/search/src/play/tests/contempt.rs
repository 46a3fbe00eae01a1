//! What a draw is worth.

use super::*;

/// Where a piece stands on this point all is a draw; else win and loss are equally likely.
struct Settled(Square);

impl Evaluator for Settled {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        Uniform.evaluate(queries, answers)?;
        for (query, answer) in queries.iter().zip(answers) {
            let is_settled = query.position.piece_at(self.0).is_some();
            answer.wdl = if is_settled { Wdl::DRAW } else { Wdl::from_value(0.0, 0.0) };
        }
        Ok(())
    }
}

#[test]
fn contempt_avoids_draws_for_both_colours() {
    // The mover's elephant may leave its place or stay there.
    for (fen, place) in [("3k5/9/9/8p/9/9/P8/9/9/4K1B2 w", "g0"), ("2b1k4/9/9/8p/9/9/P8/9/9/5K3 b", "c9")] {
        let game = game(fen);
        let draws = |contempt: f32| {
            let mut tree = PlayTree::new(Settings::default(), PlayTree::LEAST_BYTES).unwrap();
            tree.set_settings(Settings::default(), contempt);
            tree.set_root(&game, None);
            walk(&mut tree, 1, 2000, &mut Settled(place.parse().unwrap()));
            check(&mut tree, true);
            let best = tree.report(1).remove(0);
            assert!(best.value.abs() < 0.2, "reported without contempt: {best:?}");
            best.wdl.draw
        };
        let (seeking, indifferent, avoiding) = (draws(-0.5), draws(0.0), draws(0.5));
        assert!(avoiding < indifferent && indifferent < seeking, "{avoiding} {indifferent} {seeking}");
        assert!(avoiding < 0.3 && 0.7 < seeking, "{fen}: {avoiding} {seeking}");
    }
}

#[test]
fn a_change_of_contempt_reckons_the_tree_anew() {
    for fen in [MIDDLEGAME.to_owned(), MIDDLEGAME.replace(" b", " w")] {
        let mut tree = tree(&game(&fen));
        walk(&mut tree, 1, 500, &mut hashed());
        tree.set_settings(Settings::default(), 0.3);
        check(&mut tree, true);
        walk(&mut tree, 2, 500, &mut hashed());
        check(&mut tree, true);
        let mut game = game(&fen);
        game.play(tree.report(1)[0].mv).unwrap();
        tree.set_root(&game, None);
        check(&mut tree, true);
    }
}

#[test]
fn contempt_changes_no_proven_result() {
    for contempt in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        let mut mating = tree(&game(MATE));
        mating.set_settings(Settings::default(), contempt);
        walk(&mut mating, 1, 50_000, &mut Uniform);
        assert!(matches!(mating.result(), Some(Proven::Win { .. })), "{contempt}");
        let rules = Rules { natural_limit_plies: NonZeroU16::new(1), ..Rules::default() };
        let drawn = Game::new("3k5/9/9/9/9/9/p8/9/9/4K4 w".parse().unwrap(), rules);
        let mut tree = tree(&drawn);
        tree.set_settings(Settings::default(), contempt);
        walk(&mut tree, 1, 1000, &mut Material);
        let best = tree.report(1).remove(0);
        assert_eq!((tree.result(), best.proven), (Some(Proven::Draw), Some(Proven::Draw)));
        assert_eq!((best.value.to_bits(), best.wdl), (0f32.to_bits(), Wdl::DRAW));
    }
}
