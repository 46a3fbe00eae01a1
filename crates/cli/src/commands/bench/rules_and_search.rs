//! Legal moves and trees.

use super::measure::per_core_second;
use evaluator::Uniform;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rules::{Game, MoveList, Position, Rules, perft};
use search::{Root, Search, Settings};

/// Nodes a core-second of perft 4 from the start position, the last ply counted but not played.
pub(super) fn perft_in_bulk() -> f64 {
    per_core_second(|| perft(&Position::start(), 4))
}

/// The same, every last move played and taken back.
pub(super) fn perft_one_by_one() -> f64 {
    per_core_second(|| one_by_one(&mut Position::start(), 4))
}

fn one_by_one(position: &mut Position, depth: u32) -> u64 {
    let mut moves = MoveList::new();
    position.legal_moves_into(&mut moves);
    let mut nodes = 0;
    for &mv in &moves {
        let undo = position.play_unchecked(mv);
        nodes += if depth == 1 { 1 } else { one_by_one(position, depth - 1) };
        position.undo(undo);
    }
    nodes
}

/// Simulations a core-second from the start position without a network.
pub(super) fn simulations(root: Root, simulations: u32) -> f64 {
    let game = Game::new(Position::start(), Rules::default());
    let mut search = Search::new(Settings::default());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    per_core_second(|| {
        search.start(&game, root, simulations, &mut rng);
        search::run(&mut search, &mut Uniform).expect("Uniform answers everything");
        search.decide().simulations.into()
    })
}

/// Positions a core-second that the rules alone can do of a simulation that goes one ply further: a move played and taken
/// back, the end looked for. What a search can't exceed.
pub(super) fn positions_judged() -> f64 {
    let mut game = Game::new(Position::start(), Rules::default());
    let mut moves = MoveList::new();
    per_core_second(|| {
        let mut judged = 0;
        game.permitted_moves_into(&mut moves);
        for &mv in &moves.clone() {
            game.play_unchecked(mv);
            game.permitted_moves_into(&mut moves);
            for &reply in &moves.clone() {
                game.play_unchecked(reply);
                judged += u64::from(game.ending().is_none());
                game.undo();
            }
            game.undo();
        }
        judged
    })
}

/// Bytes of a tree of 100,000 simulations for each visited node: with the edge that leads to it, and with all edges that
/// there are: nodes visited once have none.
pub(super) fn bytes_per_node() -> (f64, f64) {
    let game = Game::new(Position::start(), Rules::default());
    let mut search = Search::new(Settings::default());
    search.start(&game, Root::Puct, 100_000, &mut ChaCha8Rng::seed_from_u64(1));
    search::run(&mut search, &mut Uniform).expect("Uniform answers everything");
    let size = search.tree_size();
    let nodes = size.nodes as f64;
    (size.bytes_visited as f64 / nodes, size.bytes as f64 / nodes)
}
