//! How much a row's search surprised, in 16 bits, and how many rows of a window are alike in that.

/// What [`Row::kl`](crate::Row::kl) and [`Row::is_decided`](crate::Row::is_decided) say of a row.
///
/// The divergence is rounded to eight significant bits (bfloat16), so that a window can count its rows by it, however
/// many there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Surprise(u16);

/// The bit of a float's sign, which no divergence has.
const DECIDED: u16 = 1 << 15;
/// The upper half of NaN: no divergence.
const NONE: u16 = 0x7fc0;
/// The largest finite one.
const MAX_KL: f32 = f32::from_bits(0x7f7f_0000);

impl Surprise {
    /// How many different ones there may be: [`Surprise::number`] is below.
    pub const COUNT: usize = 1 << 16;

    /// Of a row whose policy target diverges from the prior by `kl` nats, if it has one; less than 0, by rounding, is 0.
    pub(crate) fn new(kl: Option<f32>, decided: bool) -> Self {
        let kl = kl.map_or(NONE, |kl| {
            let bits = (kl.clamp(0.0, MAX_KL) + 0.0).to_bits();
            // To the nearest, in between to the even one.
            ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
        });
        Self(if decided { kl | DECIDED } else { kl })
    }

    /// The divergence in nats; nothing without a policy target.
    pub fn kl(self) -> Option<f32> {
        let kl = self.0 & !DECIDED;
        (kl != NONE).then(|| f32::from_bits(u32::from(kl) << 16))
    }

    /// Was the game held for decided and searched more cheaply?
    pub const fn is_decided(self) -> bool {
        self.0 & DECIDED != 0
    }

    /// For tables.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

/// How many rows have each surprise.
#[derive(Clone, Debug)]
pub(crate) struct SurpriseCounts(Box<[u32]>);

impl SurpriseCounts {
    pub(crate) fn new() -> Self {
        Self(vec![0; Surprise::COUNT].into())
    }

    pub(crate) fn add(&mut self, surprise: Surprise) {
        self.0[surprise.number()] += 1;
    }

    pub(crate) fn remove(&mut self, surprise: Surprise) {
        self.0[surprise.number()] -= 1;
    }

    /// Those that some row has, and how many have it.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Surprise, u32)> + Clone {
        (0..=u16::MAX)
            .zip(&self.0)
            .filter(|&(_, &count)| count > 0)
            .map(|(bits, &count)| (Surprise(bits), count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divergences_are_rounded_to_eight_bits() {
        for (kl, rounded) in [
            (0.0, 0.0),
            (-0.0, 0.0),
            (-1e-9, 0.0),
            (1.0, 1.0),
            (255.0, 255.0),
            (257.0, 256.0),
            (259.0, 260.0),
            (0.3, 0.300_781_25),
            (f32::MAX, MAX_KL),
        ] {
            for decided in [false, true] {
                let surprise = Surprise::new(Some(kl), decided);
                assert_eq!((surprise.kl(), surprise.is_decided()), (Some(rounded), decided), "{kl}");
            }
        }
        assert_eq!(Surprise::new(None, true).kl(), None);
        assert!(Surprise::new(None, true).is_decided() && !Surprise::new(None, false).is_decided());
    }

    #[test]
    fn rows_are_counted() {
        let (plain, decided) = (Surprise::new(Some(0.5), false), Surprise::new(None, true));
        let mut counts = SurpriseCounts::new();
        counts.add(decided);
        counts.add(plain);
        counts.add(plain);
        assert_eq!(counts.iter().collect::<Vec<_>>(), [(plain, 2), (decided, 1)]);
        counts.remove(plain);
        counts.remove(decided);
        assert_eq!(counts.iter().collect::<Vec<_>>(), [(plain, 1)]);
    }
}
