//! Moves drawn by lot: for variety in the opening, and for people who want a weaker opponent.

use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use search::{Line, Proven};

/// Variety in the opening: of the first plies some are drawn by lot.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Variety {
    /// Plies of the game in which moves are drawn; 0: none.
    pub plies: u16,
    /// Moves are drawn in proportion to visits to the power of 1 / temperature; 0 to 10. 0 is always the best.
    pub temperature: f32,
}

impl Variety {
    /// Always the best move.
    pub const NONE: Self = Self { plies: 0, temperature: 0.0 };
}

/// A level of strength for people: few visits, and moves drawn by lot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Level(u8);

impl Level {
    /// The strongest.
    pub const MOST: u8 = 20;

    /// A level from 1 to [`Level::MOST`].
    pub const fn new(level: u8) -> Option<Self> {
        if 1 <= level && level <= Self::MOST { Some(Self(level)) } else { None }
    }

    /// Its number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// At most so many nodes a move: from 1, the network's policy alone, half as many again with each level, to 3,000.
    pub fn nodes(self) -> u64 {
        1.5f64.powi(i32::from(self.0) - 1).round() as u64 + u64::from(self.0) - 1
    }

    /// The temperature at which moves are drawn: from 1 down to 0 at the strongest.
    pub fn temperature(self) -> f32 {
        f32::from(Self::MOST - self.0) / f32::from(Self::MOST - 1)
    }
}

/// Draws one of the lines: its index. Only moves of the best one's kind are drawn: a proven win is played, and no
/// proven loss while there is anything else. Without a visit on any, the priors count as visits.
pub(super) fn draw(lines: &[Line], temperature: f32, rng: &mut ChaCha8Rng) -> usize {
    let Some(best) = lines.first() else { return 0 };
    if temperature <= 0.0 || best.proven.is_some_and(|proven| proven != Proven::Draw) {
        return 0;
    }
    let worth = |line: &Line| match line.proven {
        Some(Proven::Loss { .. }) => 0.0,
        _ if best.visits == 0 => f64::from(line.prior),
        _ => line.visits as f64,
    };
    // Relative to the best, so that no power overflows.
    let most = lines.iter().map(worth).fold(0.0, f64::max);
    let weights: Vec<f64> =
        lines.iter().map(|line| (worth(line) / most).powf(1.0 / f64::from(temperature))).collect();
    let mut left = f64::from(rng.next_u32()) / (f64::from(u32::MAX) + 1.0) * weights.iter().sum::<f64>();
    let drawn = weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    drawn.unwrap_or(0)
}
