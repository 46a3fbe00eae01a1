//! Cost of forward and backward of the sparse network, in positions per second, with one and with two threads: the
//! whole module, and the ways to do its two large layers. Inputs are random: about 34 of them on, about 40 legal
//! moves.
//!
//! [`SparseModule`] takes `embedding_bag` and `all_moves_and_gather`: the plain way, differentiated by libtorch, the
//! same to the bit each time. The trainer takes `sums_over_lists` for the policy, about four times as fast.

use divan::Bencher;
use divan::counter::ItemsCount;
use net::{Architecture, Description, Weights};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tch::{Device, Kind, Tensor};
use torch::{Batch, BatchBuilder, SparseModule};

const HIDDEN: i64 = 128;
const SUMS: i64 = HIDDEN + 4;
const BATCHES: [usize; 3] = [512, 1024, 2048];
const INPUTS: i64 = evaluator::INPUTS as i64;
const MOVES: i64 = evaluator::MOVES as i64;

fn main() {
    torch::init(1);
    divan::main();
}

/// The whole network, forward and backward, with a loss on all outputs.
#[divan::bench(args = BATCHES, consts = [1, 2])]
fn whole_step<const THREADS: i32>(bencher: Bencher<'_, '_>, size: usize) {
    let architecture = Architecture::Sparse { hidden: HIDDEN as usize, value_hidden: 16 };
    let description = Description::new(architecture, "checks", "bench");
    let weights =
        Weights::new_random(description, &mut ChaCha8Rng::seed_from_u64(1)).expect("allowed widths");
    let module = SparseModule::new(&weights, Device::Cpu).expect("weights fit");
    let parameters: Vec<Tensor> = module.parameters().into_iter().map(|(_, tensor)| tensor).collect();
    run::<THREADS>(bencher, size, &parameters, |batch| {
        let outputs = module.forward(batch).expect("forward");
        let policy = outputs.policy_logits.log_softmax(1, Kind::Float).select(1, 0).mean(Kind::Float);
        let wdl = outputs.wdl_logits.log_softmax(1, Kind::Float).select(1, 0).mean(Kind::Float);
        -(policy + wdl) + outputs.moves_left.mean(Kind::Float)
    });
}

mod first_layer {
    use super::{BATCHES, INPUTS, SUMS, parameter, run};
    use divan::Bencher;
    use tch::{Device, Kind, Tensor};
    use torch::Batch;

    #[divan::bench(args = BATCHES, consts = [1, 2])]
    fn embedding_bag<const THREADS: i32>(bencher: Bencher<'_, '_>, size: usize) {
        let weight = parameter(&[INPUTS, SUMS]);
        run::<THREADS>(bencher, size, &[weight.shallow_clone()], |batch| {
            let none = None::<&Tensor>;
            let bags =
                Tensor::embedding_bag(&weight, &batch.active, &batch.offsets, false, 0, false, none, false);
            bags.0.relu().sum(Kind::Float)
        });
    }

    #[divan::bench(args = BATCHES, consts = [1, 2])]
    fn rows_and_index_add<const THREADS: i32>(bencher: Bencher<'_, '_>, size: usize) {
        let weight = parameter(&[INPUTS, SUMS]);
        run::<THREADS>(bencher, size, &[weight.shallow_clone()], |batch| {
            let rows = Tensor::embedding(&weight, &batch.active, -1, false, false);
            let sums = Tensor::zeros([size as i64, SUMS], (Kind::Float, Device::Cpu));
            sums.index_add(0, &positions(batch), &rows).relu().sum(Kind::Float)
        });
    }

    #[divan::bench(args = BATCHES, consts = [1, 2])]
    fn dense_matrix<const THREADS: i32>(bencher: Bencher<'_, '_>, size: usize) {
        let weight = parameter(&[INPUTS, SUMS]);
        run::<THREADS>(bencher, size, &[weight.shallow_clone()], |batch| {
            let cells = positions(batch) * INPUTS + &batch.active;
            let inputs = Tensor::zeros([size as i64 * INPUTS], (Kind::Float, Device::Cpu));
            let inputs = inputs.index_fill(0, &cells, 1.0).view([size as i64, INPUTS]);
            inputs.matmul(&weight).relu().sum(Kind::Float)
        });
    }

    /// `[N]`: the position that each of the inputs belongs to.
    fn positions(batch: &Batch) -> Tensor {
        let of_input = batch.offsets.ones_like().cumsum(0, Kind::Int64) - 1; // [B]: 0, 1, 2 …
        let end = Tensor::from_slice(&[batch.active.size()[0]]);
        let counts = Tensor::cat(&[batch.offsets.slice(0, 1, None, 1), end], 0) - &batch.offsets;
        of_input.repeat_interleave_self_tensor(&counts, None, None)
    }
}

mod policy {
    use super::{BATCHES, HIDDEN, MOVES, batch, parameter, run};
    use divan::Bencher;
    use divan::counter::ItemsCount;
    use tch::{Device, Kind, Tensor};

    #[divan::bench(args = BATCHES, consts = [1, 2])]
    fn all_moves_and_gather<const THREADS: i32>(bencher: Bencher<'_, '_>, size: usize) {
        let (hidden, weight) = (hidden(size), parameter(&[MOVES, HIDDEN]));
        run::<THREADS>(bencher, size, &[hidden.shallow_clone(), weight.shallow_clone()], |batch| {
            hidden.matmul(&weight.transpose(0, 1)).gather(1, &batch.moves, false).square().sum(Kind::Float)
        });
    }

    #[divan::bench(args = BATCHES, consts = [1, 2])]
    fn rows_and_sum<const THREADS: i32>(bencher: Bencher<'_, '_>, size: usize) {
        let (hidden, weight) = (hidden(size), parameter(&[MOVES, HIDDEN]));
        run::<THREADS>(bencher, size, &[hidden.shallow_clone(), weight.shallow_clone()], |batch| {
            let rows = Tensor::embedding(&weight, &batch.moves, -1, false, false); // [B, L, H]
            (rows * hidden.unsqueeze(1)).sum_dim_intlist(2, false, Kind::Float).square().sum(Kind::Float)
        });
    }

    /// Forward, the slope of the loss by the logits, and backward by sums over the list of moves: never a number for
    /// a move that isn't legal.
    #[divan::bench(args = BATCHES, consts = [1, 2])]
    fn sums_over_lists<const THREADS: i32>(bencher: Bencher<'_, '_>, size: usize) {
        const SUM: i64 = 0;
        tch::set_num_threads(THREADS);
        let (hidden, weight, batch) =
            (hidden(size).detach(), parameter(&[MOVES, HIDDEN]).detach(), batch(size));
        let counts = batch.legal.sum_dim_intlist(1, false, Kind::Int64); // [B]
        let offsets = counts.cumsum(0, Kind::Int64) - &counts; // [B]
        let moves = batch.moves.masked_select(&batch.legal); // [M]
        let position = offsets.ones_like().cumsum(0, Kind::Int64) - 1; // [B]: 0, 1, 2 …
        let position = position.repeat_interleave_self_tensor(&counts, None, None); // [M]
        let unused = Tensor::zeros([0], (Kind::Int64, Device::Cpu));
        bencher.counter(ItemsCount::new(size)).bench_local(|| {
            let dots = Tensor::internal_embedding_bag_per_sample_weights_backward(
                &hidden, &weight, &moves, &offsets, &position, SUM, -1,
            );
            let slope = 2.0 * dots; // of the sum of squares
            let of_hidden =
                Tensor::embedding_bag(&weight, &moves, &offsets, false, SUM, false, Some(&slope), false).0;
            let of_weight = Tensor::internal_embedding_bag_dense_backward(
                &hidden,
                &moves,
                &position,
                &unused,
                &unused,
                MOVES,
                false,
                SUM,
                Some(&slope),
                -1,
            );
            (of_hidden, of_weight)
        });
    }

    fn hidden(size: usize) -> Tensor {
        parameter(&[size as i64, HIDDEN])
    }
}

fn run<const THREADS: i32>(
    bencher: Bencher<'_, '_>,
    size: usize,
    parameters: &[Tensor],
    loss: impl Fn(&Batch) -> Tensor,
) {
    tch::set_num_threads(THREADS);
    let batch = batch(size);
    bencher.counter(ItemsCount::new(size)).bench_local(|| {
        let loss = loss(&batch);
        Tensor::run_backward(&[loss], parameters, false, false)
    });
}

fn parameter(shape: &[i64]) -> Tensor {
    Tensor::randn(shape, (Kind::Float, Device::Cpu)).requires_grad_(true)
}

fn batch(size: usize) -> Batch {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut below = |bound: usize| rng.next_u32() as usize % bound;
    let mut builder = BatchBuilder::new();
    for _ in 0..size {
        let active: Vec<u16> = (0..30 + below(9)).map(|_| below(evaluator::INPUTS) as u16).collect();
        let moves: Vec<_> =
            (0..30 + below(21)).map(|_| (below(evaluator::MOVES), below(evaluator::EXCHANGES))).collect();
        builder.push(&active, moves);
    }
    builder.build(Device::Cpu).expect("not empty")
}
