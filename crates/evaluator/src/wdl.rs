//! Probabilities of win, draw and loss.

use crate::softmax::exponentiate;

/// Probabilities of win, draw and loss for the side to move; they add up to 1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Wdl {
    /// The side to move wins.
    pub win: f32,
    /// Nobody wins.
    pub draw: f32,
    /// The side to move loses.
    pub loss: f32,
}

impl Wdl {
    /// Certain win.
    pub const WIN: Self = Self { win: 1.0, draw: 0.0, loss: 0.0 };
    /// Certain draw.
    pub const DRAW: Self = Self { win: 0.0, draw: 1.0, loss: 0.0 };
    /// Certain loss.
    pub const LOSS: Self = Self { win: 0.0, draw: 0.0, loss: 1.0 };

    /// From a value in [−1, 1] and a probability of a draw, as records store them. The draw gives way where the
    /// two contradict each other.
    pub fn from_value(value: f32, draw: f32) -> Self {
        let value = value.clamp(-1.0, 1.0);
        let draw = draw.clamp(0.0, 1.0 - value.abs());
        // Rounding could go below 0.
        let half = |twice: f32| (0.5 * twice).max(0.0);
        Self { win: half(1.0 - draw + value), draw, loss: half(1.0 - draw - value) }
    }

    /// Softmax of three logits, in the order win, draw, loss.
    pub fn from_logits(logits: [f32; 3]) -> Self {
        let mut powers = [f32::NEG_INFINITY; 8];
        powers[..3].copy_from_slice(&logits);
        let (_, sum) = exponentiate(&mut powers);
        let [win, draw, loss, ..] = powers;
        Self { win: win / sum, draw: draw / sum, loss: loss / sum }
    }

    /// Expected result in [−1, 1]: win − loss.
    pub fn value(self) -> f32 {
        self.win - self.loss
    }

    /// The same from the other side's point of view.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { win: self.loss, draw: self.draw, loss: self.win }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_and_draw_come_back() {
        for (value, draw) in [(0.0, 0.5), (0.5, 0.25), (-1.0, 0.0), (0.25, 0.75)] {
            let wdl = Wdl::from_value(value, draw);
            assert!((wdl.value() - value).abs() < 1e-6 && (wdl.draw - draw).abs() < 1e-6, "{wdl:?}");
            assert!((wdl.flipped().value() + value).abs() < 1e-6);
        }
    }
}
