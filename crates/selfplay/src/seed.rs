//! Where a game's randomness comes from.

/// The seed of a game: a function of the run's seed and the game's number alone. Games of a run have different seeds.
pub const fn game_seed(run_seed: u64, game: u64) -> u64 {
    mixed(mixed(run_seed).wrapping_add(game))
}

/// One step of splitmix64 (Steele, Lea and Flood 2014), a bijection.
const fn mixed(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
