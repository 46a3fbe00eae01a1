//! Sorting moves by numbers.

/// Sorts at most 256 things by descending number; equals stay in their order.
///
/// The numbers with their places behind them are sorted as whole numbers, which takes fewer instructions than a sort that
/// compares and moves the things themselves.
pub(crate) fn sort_descending<T: Copy>(things: &mut [T], number: impl Fn(&T) -> f32) {
    let before = things.to_vec();
    let with_place = |(place, thing)| u64::from(!ordered(number(thing))) << 8 | place;
    let mut keys: Vec<u64> = (0..).zip(&before).map(with_place).collect();
    keys.sort_unstable();
    for (thing, key) in things.iter_mut().zip(keys) {
        *thing = before[usize::from(key as u8)];
    }
}

/// A whole number that is ordered as the float is, by [`f32::total_cmp`].
const fn ordered(float: f32) -> u32 {
    let bits = float.to_bits();
    // Of negative numbers, those with larger bits are smaller.
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_ordered_as_floats_are() {
        let floats = [f32::NEG_INFINITY, -7.0, -1e-30, -0.0, 0.0, 1e-30, 0.5, 3.0, f32::INFINITY];
        assert!(floats.is_sorted_by(|a, b| ordered(*a) < ordered(*b)));
    }

    #[test]
    fn equals_stay_in_their_order() {
        let things: Vec<(f32, i32)> = (0..100).map(|i| ((i * 7919 % 13 - 6) as f32, i)).collect();
        let (mut found, mut expected) = (things.clone(), things);
        sort_descending(&mut found, |&(number, _)| number);
        expected.sort_by(|a, b| b.0.total_cmp(&a.0));
        assert_eq!(found, expected);
    }
}
