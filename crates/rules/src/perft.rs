//! Counting the leaves of the tree of legal moves: the standard proof of a move generator.

use crate::position::Position;

/// How many sequences of `depth` legal moves start here. The last ply is counted, not played ("bulk counting").
///
/// ```
/// let start = rules::Position::start();
/// assert_eq!([1, 2, 3].map(|depth| rules::perft(&start, depth)), [44, 1_920, 79_666]);
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    count(&mut position.clone(), depth)
}

fn count(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.legal_count().into(),
        _ => {
            let mut nodes = 0;
            for &mv in &position.legal_moves() {
                let undo = position.play_unchecked(mv);
                nodes += count(position, depth - 1);
                position.undo(undo);
            }
            nodes
        }
    }
}
