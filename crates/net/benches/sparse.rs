//! Speed of the sparse network in evaluations per second of one core: the bare network on inputs encoded before
//! (in floats and in integers, with the best kernels and with the plain ones), the evaluator with its encoding of inputs and moves, and that
//! encoding alone. Positions are those of random games.

use divan::Bencher;
use divan::counter::ItemsCount;
use evaluator::{Answer, Evaluator as _, Features, MoveIndex, Query, Situation};
use net::{Architecture, Description, QuantisedWeights, Scratch, SparseEvaluator, SparseNet, Weights};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Game, MoveList, Position, Rules};

/// Enough positions that the processor can't learn them by heart.
const POSITIONS: usize = 1024;
const HIDDEN: [usize; 3] = [64, 128, 256];

fn main() {
    divan::main();
}

#[divan::bench(args = HIDDEN)]
fn bare_network(bencher: Bencher<'_, '_>, hidden: usize) {
    run(bencher, &network(hidden));
}

#[divan::bench(args = HIDDEN)]
fn bare_network_in_integers(bencher: Bencher<'_, '_>, hidden: usize) {
    run(bencher, &quantised(hidden));
}

#[divan::bench(args = HIDDEN)]
fn bare_network_in_integers_plain_kernels(bencher: Bencher<'_, '_>, hidden: usize) {
    run(bencher, &quantised(hidden).with_plain_kernels());
}

#[divan::bench(args = HIDDEN)]
fn bare_network_plain_kernels(bencher: Bencher<'_, '_>, hidden: usize) {
    run(bencher, &network(hidden).with_plain_kernels());
}

fn run(bencher: Bencher<'_, '_>, net: &SparseNet) {
    let inputs: Vec<_> = positions().iter().map(encode).collect();
    let (mut hidden, mut scratch) = (net.hidden(), Scratch::default());
    let mut logits = Vec::new();
    bencher.counter(ItemsCount::new(POSITIONS)).bench_local(|| {
        for (features, moves) in &inputs {
            logits.clear();
            divan::black_box(net.outputs(features.active(), &mut hidden, &mut scratch));
            net.logits(&hidden, moves, &mut scratch, &mut logits);
        }
    });
}

#[divan::bench(args = HIDDEN)]
fn encoding_and_network(bencher: Bencher<'_, '_>, hidden: usize) {
    evaluate(bencher, network(hidden));
}

#[divan::bench(args = HIDDEN)]
fn encoding_and_network_in_integers(bencher: Bencher<'_, '_>, hidden: usize) {
    evaluate(bencher, quantised(hidden));
}

fn evaluate(bencher: Bencher<'_, '_>, net: SparseNet) {
    let mut evaluator = SparseEvaluator::new(net.into());
    let positions = positions();
    let mut answers = [Answer::default()];
    bencher.counter(ItemsCount::new(POSITIONS)).bench_local(|| {
        for (position, situation, legal) in &positions {
            let query = Query { position, situation: *situation, legal };
            evaluator.evaluate(&[query], &mut answers).expect("small weights give finite numbers");
        }
    });
}

#[divan::bench]
fn encoding_only(bencher: Bencher<'_, '_>) {
    let positions = positions();
    bencher.counter(ItemsCount::new(POSITIONS)).bench_local(|| {
        for position in &positions {
            divan::black_box(encode(position));
        }
    });
}

fn network(hidden: usize) -> SparseNet {
    SparseNet::new(&weights(hidden)).expect("not a tower")
}

fn quantised(hidden: usize) -> SparseNet {
    SparseNet::quantised(&QuantisedWeights::new(&weights(hidden), None).expect("random numbers are small"))
}

fn weights(hidden: usize) -> Weights {
    let description = Description::new(Architecture::Sparse { hidden, value_hidden: 16 }, "checks", "bench");
    Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).expect("these widths are allowed")
}

fn encode((position, situation, legal): &(Position, Situation, MoveList)) -> (Features, Vec<(u16, u16)>) {
    let features = Features::encode(position, *situation);
    let number =
        |&mv| (MoveIndex::of(mv, position.turn()).get() as u16, features.exchange(position, mv) as u16);
    let moves = legal.iter().map(number).collect();
    (features, moves)
}

/// Positions of random games from the start position, up to 100 plies each.
fn positions() -> Vec<(Position, Situation, MoveList)> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut positions = Vec::with_capacity(POSITIONS);
    let mut game = Game::new(Position::start(), Rules::default());
    while positions.len() < POSITIONS {
        let legal = game.position().legal_moves();
        if legal.is_empty() || game.plies().len() == 100 {
            game = Game::new(Position::start(), Rules::default());
            continue;
        }
        let mv = legal[rng.next_u32() as usize % legal.len()];
        positions.push((game.position().clone(), Situation::of(&game), legal));
        game.play_unchecked(mv);
    }
    positions
}
