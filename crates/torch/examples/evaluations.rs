//! A network's answers on positions of random games, for programs that want to check their own inference:
//!
//! ```text
//! cargo run --release -p torch --example evaluations -- NETWORK COUNT
//! ```
//!
//! One JSON object a line: `fen`, `inputs` (those that are on), `moves` (a list of [move, move index, kind of
//! exchange]), `wdl`, `moves_left`, `logits` (in the order of the moves). NETWORK is a weights file or an engine
//! file; a sparse network is evaluated in plain Rust, a tower by libtorch.
#![expect(clippy::print_stdout, reason = "it is an example program")]

use evaluator::{Answer, Evaluator as _, Features, MoveIndex, Query, Situation};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Rules};
use serde_json::json;
use torch::Device;

/// Random moves rarely mate; so long games have few pieces left at their end.
const PLIES_A_GAME: usize = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [network, count] = arguments.as_slice() else { return Err("want NETWORK COUNT".into()) };
    torch::init(1);
    let mut evaluator = torch::open(network.as_ref(), || Device::Cpu)?.evaluator();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut game = Game::new(Position::start(), Rules::default());
    for _ in 0..count.parse()? {
        if game.position().legal_moves().is_empty() || game.plies().len() == PLIES_A_GAME {
            game = Game::new(Position::start(), Rules::default());
        }
        let position = game.position();
        let legal = position.legal_moves();
        let query = Query { position, situation: Situation::of(&game), legal: &legal };
        let features = Features::of(&query);
        let mut answers = [Answer::default()];
        evaluator.evaluate(&[query], &mut answers)?;
        let [answer] = answers;
        let moves = legal.iter().map(|&mv| {
            json!([mv.to_string(), MoveIndex::of(mv, position.turn()).get(), features.exchange(position, mv)])
        });
        let line = json!({
            "fen": position.fen(),
            "inputs": features.active(),
            "moves": moves.collect::<Vec<_>>(),
            "wdl": [answer.wdl.win, answer.wdl.draw, answer.wdl.loss],
            "moves_left": answer.moves_left,
            "logits": answer.logits,
        });
        println!("{line}");
        let mv = legal[rng.next_u32() as usize % legal.len()];
        game.play_unchecked(mv);
    }
    Ok(())
}
