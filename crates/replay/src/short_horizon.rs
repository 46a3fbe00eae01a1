//! What searches said of a position and of those that followed, on average.

use crate::record::{FULL_TARGET, PlyRecord, draw_from_u8, value_from_i16};
use evaluator::Wdl;

/// Win, draw and loss in 4 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedWdl {
    win: u16,
    loss: u16,
}

impl PackedWdl {
    /// In parts of [`FULL_TARGET`].
    fn new(wdl: Wdl) -> Self {
        let pack = |probability: f32| (probability * f32::from(FULL_TARGET)).round() as u16;
        let win = pack(wdl.win);
        // Both may have been rounded up.
        Self { win, loss: pack(wdl.loss).min(FULL_TARGET - win) }
    }

    pub(crate) fn wdl(self) -> Wdl {
        let unpack = |parts: u16| f32::from(parts) / f32::from(FULL_TARGET);
        Wdl {
            win: unpack(self.win),
            draw: unpack(FULL_TARGET - self.win - self.loss),
            loss: unpack(self.loss),
        }
    }
}

/// For each searched ply, in order: the average of what its search said and those of the plies after it, an earlier one
/// counting more, from the view of the side that moves at this ply.
///
/// The weight of the search k plies on is (h / (1 + h))^k, so that in an endless game it would look h plies ahead on
/// average (`KataGo`'s short-term values, `KataGoMethods.md`). The weights of the plies that there are add up to 1.
pub(crate) fn averages(plies: &[PlyRecord], horizon_plies: f32) -> Vec<PackedWdl> {
    let decay = horizon_plies / (1.0 + horizon_plies);
    // Win, draw and loss are linear in value and draw, so these are summed instead.
    let (mut value, mut draw, mut weights) = (0.0, 0.0, 0.0);
    let mut backwards = Vec::new();
    for ply in plies.iter().rev() {
        (value, draw, weights) = (-decay * value, decay * draw, decay * weights);
        if ply.simulations > 0 {
            value += value_from_i16(ply.root_value);
            draw += draw_from_u8(ply.root_draw);
            weights += 1.0;
            backwards.push(PackedWdl::new(Wdl::from_value(value / weights, draw / weights)));
        }
    }
    backwards.reverse();
    backwards
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{draw_to_u8, value_to_i16};

    fn searched(value: f32, draw: f32) -> PlyRecord {
        let (root_value, root_draw) = (value_to_i16(value), draw_to_u8(draw));
        PlyRecord { simulations: 8, root_value, root_draw, ..unsearched() }
    }

    fn unsearched() -> PlyRecord {
        PlyRecord::unsearched("a0a1".parse().unwrap())
    }

    fn close(found: &[PackedWdl], expected: &[[f32; 3]]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().map(|packed| packed.wdl()).zip(expected) {
            let near = |a: f32, b: f32| (a - b).abs() < 1e-4;
            let Wdl { win, draw, loss } = found;
            assert!(
                [win, draw, loss].iter().zip(expected).all(|(&a, &b)| near(a, b)),
                "{found:?}, {expected:?}"
            );
        }
    }

    /// A horizon of one ply: weights 1, 1/2, 1/4, and so on.
    #[test]
    fn plies_without_a_search_keep_the_signs() {
        // Three plies on with weight 1/8: (0.5 - 0.25 / 8) / 1.125 = 0.416667.
        let plies = [searched(0.5, 0.0), unsearched(), unsearched(), searched(0.25, 0.0), unsearched()];
        close(&averages(&plies, 1.0), &[[0.708_333, 0.0, 0.291_667], [0.625, 0.0, 0.375]]);
        // No horizon: the position's own search alone.
        close(&averages(&plies, 0.0), &[[0.75, 0.0, 0.25], [0.625, 0.0, 0.375]]);
        assert_eq!(averages(&[unsearched()], 8.0), []);
    }

    #[test]
    fn draws_are_averaged_too() {
        // Value −(½ · ½) / 1.5, draw (1 + ½ · ½) / 1.5.
        let plies = [searched(0.0, 1.0), searched(0.5, 0.5)];
        let own = Wdl::from_value(0.5, 0.5);
        close(&averages(&plies, 1.0), &[[0.0, 0.833_333, 0.166_667], [own.win, own.draw, own.loss]]);
    }

    /// Summed from behind: the same as each ply's own sum over all that follow.
    #[test]
    fn one_pass_from_behind_is_each_average_on_its_own() {
        let plies: Vec<PlyRecord> = (0..200_u16)
            .map(|ply| {
                let value = f32::from(ply * 37 % 101) / 50.5 - 1.0;
                if ply % 7 == 3 { unsearched() } else { searched(value, 0.5 * (1.0 - value.abs())) }
            })
            .collect();
        let decay = 8.0_f64 / 9.0;
        let expected = (0..plies.len()).filter(|&ply| plies[ply].simulations > 0).map(|first| {
            let (mut value, mut draw, mut weights, mut weight, mut sign) = (0.0, 0.0, 0.0, 1.0, 1.0);
            for ply in &plies[first..] {
                if ply.simulations > 0 {
                    value += sign * weight * f64::from(value_from_i16(ply.root_value));
                    draw += weight * f64::from(draw_from_u8(ply.root_draw));
                    weights += weight;
                }
                (weight, sign) = (weight * decay, -sign);
            }
            let Wdl { win, draw, loss } = Wdl::from_value((value / weights) as f32, (draw / weights) as f32);
            [win, draw, loss]
        });
        close(&averages(&plies, 8.0), &expected.collect::<Vec<_>>());
    }

    #[test]
    fn packed_probabilities_add_up_to_one() {
        for wdl in [Wdl::WIN, Wdl::DRAW, Wdl::LOSS] {
            assert_eq!(PackedWdl::new(wdl).wdl(), wdl);
        }
        // Both half a step: rounded up, they would be more than all.
        let packed = PackedWdl::new(Wdl { win: 0.5, draw: 0.0, loss: 0.5 });
        let Wdl { win, draw, loss } = packed.wdl();
        assert!(draw == 0.0 && (win + loss - 1.0).abs() < 1e-6, "{packed:?}");
    }
}
