//! What a position is worth, in the protocols' numbers.

use evaluator::Wdl;
use search::Proven;

/// A score from the mover's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Score {
    /// Not proven: hundredths of a pawn, or so interfaces show it.
    Centipawns(i32),
    /// Proven: the mover wins with its move of this number, or with a negative sign the opponent with its.
    Mate(i32),
}

/// UCCI has no word for a mate; a score above this is one, and the difference to [`UCCI_MATE`] its plies.
const UCCI_MATE: i32 = 30_000;

impl Score {
    /// The score of a move, by its value (win − loss in [−1, 1]) or what is proven of it.
    pub(super) fn new(value: f32, proven: Option<Proven>) -> Self {
        match proven {
            Some(Proven::Win { plies }) => Self::Mate(i32::from(plies).div_euclid(2) + i32::from(plies) % 2),
            Some(Proven::Loss { plies }) => Self::Mate(-i32::from(plies) / 2),
            Some(Proven::Draw) => Self::Centipawns(0),
            None => Self::Centipawns(centipawns(value)),
        }
    }

    /// UCI's words: `cp 25`, `mate -3`.
    pub(super) fn uci(self) -> String {
        match self {
            Self::Centipawns(score) => format!("cp {score}"),
            Self::Mate(moves) => format!("mate {moves}"),
        }
    }

    /// UCCI's bare number.
    pub(super) const fn ucci(self) -> i32 {
        match self {
            Self::Centipawns(score) => score,
            Self::Mate(moves) if moves > 0 => UCCI_MATE - (2 * moves - 1),
            Self::Mate(moves) => -UCCI_MATE - 2 * moves,
        }
    }
}

/// Hundredths of a pawn for a value in [−1, 1]: 90 · tan(1.5637541897 · value), rounded, which is Lc0's `centipawn`:
/// 0.1 is 14, 0.5 is 89, 0.9 is 546, 1 is 12,780.
pub(super) fn centipawns(value: f32) -> i32 {
    let value = if value.is_nan() { 0.0 } else { f64::from(value.clamp(-1.0, 1.0)) };
    (90.0 * (1.563_754_189_7 * value).tan()).round() as i32
}

/// Win, draw and loss in thousandths, which add up to 1,000.
pub(super) fn permille(wdl: Wdl) -> [u32; 3] {
    let whole = |share: f32| (1000.0 * share.clamp(0.0, 1.0)).round() as u32;
    let win = whole(wdl.win);
    let loss = whole(wdl.loss).min(1000 - win);
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_to_centipawns_is_odd_and_monotone() {
        let scores: Vec<_> = (-100..=100).map(|percent| centipawns(percent as f32 / 100.0)).collect();
        assert!(scores.is_sorted_by(|a, b| a < b));
        assert!(scores.iter().zip(scores.iter().rev()).all(|(a, b)| *a == -b));
        assert_eq!([0.1, 0.5, 0.9, 1.0].map(centipawns), [14, 89, 546, 12_780]);
    }

    #[test]
    fn mates_count_moves_of_the_winner() {
        for (proven, uci, ucci) in [
            (Proven::Win { plies: 1 }, "mate 1", 29_999),
            (Proven::Win { plies: 3 }, "mate 2", 29_997),
            (Proven::Loss { plies: 0 }, "mate 0", -30_000),
            (Proven::Loss { plies: 2 }, "mate -1", -29_998),
            (Proven::Loss { plies: 4 }, "mate -2", -29_996),
            (Proven::Draw, "cp 0", 0),
        ] {
            let score = Score::new(0.3, Some(proven));
            assert_eq!((score.uci().as_str(), score.ucci()), (uci, ucci));
        }
        // A value near 1 is no proof.
        assert_eq!(Score::new(1.0, None).uci(), "cp 12780");
    }

    #[test]
    fn thousandths_add_up() {
        for (win, draw) in [(0.0, 0.0), (1.0, 0.0), (0.3333, 0.3333), (0.0005, 0.999), (0.9995, 0.0)] {
            let all = permille(Wdl { win, draw, loss: 1.0 - win - draw });
            assert_eq!(all.iter().sum::<u32>(), 1000, "{all:?}");
        }
        assert_eq!(permille(Wdl::DRAW), [0, 1000, 0]);
    }
}
