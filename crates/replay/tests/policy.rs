//! Policy targets in whole numbers.

use proptest::prelude::*;
use replay::{FULL_TARGET, LEAST_TARGET, PolicyEntry};
use rules::Position;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn targets_add_up_and_are_near_the_shares(weights in proptest::collection::vec(0_f32..1.0, 1..44), power in 0..12) {
        let moves = Position::start().legal_moves();
        let weights: Vec<f32> = weights.iter().map(|weight| (weight + 1e-3).powi(power)).collect();
        let sum: f32 = weights.iter().sum();
        let shares = moves.iter().zip(&weights).map(|(&mv, &weight)| (mv, 1, weight));
        let entries = PolicyEntry::quantise(shares);

        prop_assert_eq!(entries.iter().map(|entry| u32::from(entry.target)).sum::<u32>(), u32::from(FULL_TARGET));
        let kept: f32 = weights.iter().filter(|&&weight| weight / sum >= LEAST_TARGET).sum();
        let mut entries = entries.iter().peekable();
        for (&mv, &weight) in moves.iter().zip(&weights) {
            let entry = entries.next_if(|entry| entry.mv == mv);
            // At the threshold itself rounding decides.
            if (weight / sum / LEAST_TARGET - 1.0).abs() > 1e-3 {
                prop_assert_eq!(entry.is_some(), weight / sum >= LEAST_TARGET);
            }
            if let Some(entry) = entry {
                let exact = weight / kept * f32::from(FULL_TARGET);
                prop_assert!((f32::from(entry.target) - exact).abs() < 1.1 + exact * 2e-3, "{} {}", entry.target, exact);
            }
        }
        prop_assert_eq!(entries.next(), None);
    }
}

#[test]
fn values_and_draws_come_back() {
    for value in [-1.0, -0.5, 0.0, 0.25, 1.0] {
        assert!((replay::value_from_i16(replay::value_to_i16(value)) - value).abs() < 2e-5);
    }
    assert_eq!(replay::value_to_i16(-7.0), -32_767);
    for draw in 0..=255 {
        assert_eq!(replay::draw_to_u8(replay::draw_from_u8(draw)), draw);
    }
}
