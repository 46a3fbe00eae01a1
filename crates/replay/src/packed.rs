//! A position with its situation, packed.

use evaluator::Situation;
use rules::{Game, PackedPosition};

/// Packs the position at the end of a game with its situation.
pub(crate) fn pack(game: &Game) -> PackedPosition {
    let Situation { quiet_plies: _, repeated, mover_bound, opponent_bound, in_check } = Situation::of(game);
    let flags = [repeated, mover_bound, opponent_bound, in_check];
    let notes = (0..).zip(flags).map(|(bit, flag)| u8::from(flag) << bit).sum();
    PackedPosition::new(game.position(), notes)
}

/// The situation that was packed with a position.
pub(crate) const fn situation(packed: &PackedPosition) -> Situation {
    let notes = packed.notes();
    Situation {
        quiet_plies: packed.quiet_plies(),
        repeated: notes & 1 != 0,
        mover_bound: notes & 2 != 0,
        opponent_bound: notes & 4 != 0,
        in_check: notes & 8 != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rules::{Position, RuleSet, Rules};

    #[test]
    fn situations_come_back() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let start: Position = "3k5/9/9/9/9/9/9/9/R8/4K4 w".parse().unwrap();
        let mut seen = [false; 4];
        for _ in 0..200 {
            let mut game = Game::new(start.clone(), Rules { rule_set: RuleSet::Formal, ..Rules::default() });
            while game.ending().is_none() && game.plies().len() < 40 {
                let situation_now = Situation::of(&game);
                let packed = pack(&game);
                assert_eq!((packed.position(), situation(&packed)), (game.position().clone(), situation_now));
                let Situation { repeated, mover_bound, opponent_bound, in_check, .. } = situation_now;
                for (seen, flag) in seen.iter_mut().zip([repeated, mover_bound, opponent_bound, in_check]) {
                    *seen |= flag;
                }
                let moves = game.position().legal_moves();
                // Back where it came from as often as possible: repetitions.
                let back = game.plies().len().checked_sub(2).map(|ply| game.plies()[ply].mv());
                let back =
                    back.and_then(|mv| moves.iter().find(|m| (m.from(), m.to()) == (mv.to(), mv.from())));
                let any = moves[rng.random_range(0..moves.len())];
                game.play_unchecked(*back.filter(|_| rng.random_bool(0.7)).unwrap_or(&any));
            }
        }
        assert_eq!(seen, [true; 4], "repeated, mover bound, opponent bound, in check");
    }
}
