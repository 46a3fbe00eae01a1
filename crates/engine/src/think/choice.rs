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

    /// The strongest that doesn't search: moves are drawn by the net's policy. (A few visits make no finer steps: who
    /// draws by the visits of five nodes plays the third best move as often as the second.)
    const LAST_WITHOUT_SEARCH: u8 = 8;

    /// A level from 1 to [`Level::MOST`].
    pub const fn new(level: u8) -> Option<Self> {
        if 1 <= level && level <= Self::MOST { Some(Self(level)) } else { None }
    }

    /// Its number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// At most so many nodes a move: 1 for the first levels, then from 16 on, six tenths more with each level, to
    /// 3,000.
    pub fn nodes(self) -> u64 {
        const FIRST: f64 = 16.0;
        const LAST: f64 = 3000.0;
        let Some(steps) = self.0.checked_sub(Self::LAST_WITHOUT_SEARCH + 1) else { return 1 };
        let all = Self::MOST - Self::LAST_WITHOUT_SEARCH - 1;
        (FIRST * (LAST / FIRST).powf(f64::from(steps) / f64::from(all))).round() as u64
    }

    /// The temperature at which moves are drawn: from 2.4 down to 0.3 without search, then from 0.55 down to 0 at the
    /// strongest.
    pub fn temperature(self) -> f32 {
        if self.0 <= Self::LAST_WITHOUT_SEARCH {
            2.4 - 0.3 * f32::from(self.0 - 1)
        } else {
            f32::from(Self::MOST - self.0) / f32::from(Self::MOST)
        }
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
