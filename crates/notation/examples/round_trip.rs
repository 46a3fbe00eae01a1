//! Writes every legal move of many positions in every style and reads it again: `round_trip [POSITIONS] [SEED]`.

#![expect(clippy::print_stdout, reason = "an example reports what it did")]

#[path = "../tests/moves/support.rs"]
mod support;

fn main() {
    let mut arguments =
        std::env::args().skip(1).map(|argument| argument.parse().expect("want a whole number"));
    let (positions, seed) = (arguments.next().unwrap_or(10_000), arguments.next().unwrap_or(1));
    let positions = support::random_positions(seed, positions as usize);
    let texts: usize = positions.iter().map(support::assert_round_trips).sum();
    println!("{} positions, {texts} texts written and read", positions.len());
}
