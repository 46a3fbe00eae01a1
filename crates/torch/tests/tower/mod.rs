//! A tower by the formulas of `net::Architecture::Tower`, in f64, number by number: slow, and plain to read.

use crate::common::Example;
use evaluator::{Answer, Features, MoveIndex, PIECE_INPUTS, Wdl};
use net::tower::{PLANES, POINTS, POLICY_KEYS};
use net::{Architecture, MOVES_LEFT_UNIT, Weights};

/// `[channel][point]`, point = 9 · rank + file from the mover's side.
type Board = Vec<Vec<f64>>;

pub(crate) fn answer(weights: &Weights, example: &Example) -> Answer {
    let Architecture::Tower { channels, blocks, .. } = weights.description().architecture else {
        panic!("a tower is wanted");
    };
    let tower = Tower { weights };
    let features = Features::of(&example.query());
    let mut board = vec![vec![0.0; POINTS]; PLANES];
    let mut situation = vec![0.0; 16];
    for input in features.active().iter().copied().map(usize::from) {
        match input.checked_sub(PIECE_INPUTS) {
            None => board[4 * (input / 4 / POINTS) + input % 4][input / 4 % POINTS] = 1.0,
            Some(input) => situation[input] = 1.0,
        }
    }
    let alike = tower.product("input.situation", &situation);
    let mut top = tower.convolution("input", &board);
    for (channel, alike) in top.iter_mut().zip(alike) {
        for value in channel {
            *value = relu(*value + alike);
        }
    }
    for block in 0..blocks {
        top = tower.block(&format!("block{block:02}"), channels, &top);
    }

    let planes = tower.pointwise("value.planes", &top).concat().into_iter().map(relu).collect::<Vec<_>>();
    let hidden: Vec<f64> = tower.linear("value", &planes).into_iter().map(relu).collect();
    let outputs: Vec<f32> =
        tower.linear("value.out", &hidden).into_iter().map(|value| value as f32).collect();
    let (from, to) = (tower.pointwise("policy.from", &top), tower.pointwise("policy.to", &top));
    let turn = example.position.turn();
    let logit = |&mv| {
        let index = MoveIndex::of(mv, turn);
        let seen = index.to_move(rules::Colour::Red);
        let key = |board: &Board, point: usize| board.iter().map(|plane| plane[point]).collect::<Vec<f64>>();
        let product: f64 =
            key(&from, seen.from().index()).iter().zip(key(&to, seen.to().index())).map(|(q, k)| q * k).sum();
        let bias = tower.values("policy.bias")[index.get()];
        let exchange = tower.values("policy.exchange")[features.exchange(&example.position, mv)];
        (product / (POLICY_KEYS as f64).sqrt() + f64::from(bias) + f64::from(exchange)) as f32
    };
    Answer {
        wdl: Wdl::from_logits([outputs[0], outputs[1], outputs[2]]),
        moves_left: MOVES_LEFT_UNIT * outputs[3].exp().ln_1p(),
        logits: example.legal.iter().map(logit).collect(),
    }
}

fn relu(value: f64) -> f64 {
    value.max(0.0)
}

struct Tower<'a> {
    weights: &'a Weights,
}

impl Tower<'_> {
    fn values(&self, name: &str) -> &[f32] {
        &self.weights.tensors()[name].values
    }

    fn block(&self, name: &str, channels: usize, input: &Board) -> Board {
        let part = |part: &str| format!("{name}.{part}");
        let mut hidden = self.convolution(&part("first"), input);
        for value in hidden.iter_mut().flatten() {
            *value = relu(*value);
        }
        let u = self.convolution(&part("second"), &hidden);
        let mean = u.iter().map(|plane| plane.iter().sum::<f64>() / POINTS as f64);
        let most = u.iter().map(|plane| plane.iter().copied().fold(f64::MIN, f64::max));
        let pooled: Vec<f64> = mean.chain(most).collect();
        let squeezed: Vec<f64> = self.linear(&part("squeeze"), &pooled).into_iter().map(relu).collect();
        let gates = self.linear(&part("gate"), &squeezed);
        let (factors, summands) = gates.split_at(channels);
        let shares = factors.iter().map(|factor| 1.0 / (1.0 + (-factor).exp()));
        let planes = input.iter().zip(&u).zip(shares.zip(summands));
        planes
            .map(|((input, u), (share, summand))| {
                input.iter().zip(u).map(|(input, u)| relu(input + share * u + summand)).collect()
            })
            .collect()
    }

    fn convolution(&self, layer: &str, input: &Board) -> Board {
        let (weight, bias) = (self.values(&format!("{layer}.weight")), self.values(&format!("{layer}.bias")));
        let kernels = weight.chunks_exact(9 * input.len());
        let of_plane = |(kernel, &bias): (&[f32], &f32)| {
            let mut plane = vec![f64::from(bias); POINTS];
            for (at, sum) in plane.iter_mut().enumerate() {
                let (rank, file) = (at / 9, at % 9);
                for (weights, input) in kernel.chunks_exact(9).zip(input) {
                    for (number, &weight) in weights.iter().enumerate() {
                        let (rank, file) = (rank + number / 3, file + number % 3);
                        // One row and column of zeros lie around the board.
                        if (1..=10).contains(&rank) && (1..=9).contains(&file) {
                            *sum += f64::from(weight) * input[9 * (rank - 1) + file - 1];
                        }
                    }
                }
            }
            plane
        };
        kernels.zip(bias).map(of_plane).collect()
    }

    fn pointwise(&self, layer: &str, input: &Board) -> Board {
        let at = |point: usize| input.iter().map(|plane| plane[point]).collect::<Vec<f64>>();
        let points: Vec<Vec<f64>> = (0..POINTS).map(|point| self.linear(layer, &at(point))).collect();
        (0..points[0].len()).map(|plane| points.iter().map(|point| point[plane]).collect()).collect()
    }

    fn linear(&self, layer: &str, input: &[f64]) -> Vec<f64> {
        let sums = self.product(&format!("{layer}.weight"), input);
        sums.iter()
            .zip(self.values(&format!("{layer}.bias")))
            .map(|(sum, &bias)| sum + f64::from(bias))
            .collect()
    }

    fn product(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let row = |row: &[f32]| row.iter().zip(input).map(|(&weight, input)| f64::from(weight) * input).sum();
        self.values(name).chunks_exact(input.len()).map(row).collect()
    }
}
