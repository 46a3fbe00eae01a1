//! From rows of the window to a batch with targets.

use crate::error::TrainError;
use crate::incidence::{Incidence, IncidenceBuilder};
use crate::targets::{TargetRule, Targets};
use evaluator::{Features, INPUTS, MOVES, MoveIndex, mirrored_input};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use replay::{FULL_TARGET, Row, Window};
use tch::{Device, TchError, Tensor};

/// B positions and what the network should say of them. The first P of them have a policy target.
#[derive(Debug)]
pub struct Examples {
    /// B × 5,056: the inputs that are on.
    pub inputs: Incidence,
    /// P × 2,062: the legal moves, M of them.
    pub moves: Incidence,
    /// i64 `[M]`: the [exchange](Features::exchange) of each of `moves.columns`.
    pub exchanges: Tensor,
    /// i64 `[M]`: where each of `moves.columns` stands in a row-major matrix `[P, L]`, L being the largest number of
    /// legal moves.
    pub cells: Tensor,
    /// f32 `[P, L]`: policy targets, 0 after the last move.
    pub policy: Tensor,
    /// f32 `[B, 3]`: win, draw, loss.
    pub wdl: Tensor,
    /// f32 `[B]`: plies to the end, 0 where unknown.
    pub moves_left: Tensor,
    /// f32 `[B]`: 1 where the plies to the end are known, else 0.
    pub moves_left_known: Tensor,
    /// How many of `moves_left_known` are 1.
    pub moves_left_count: usize,
}

impl Examples {
    /// B: how many positions.
    pub fn len(&self) -> usize {
        self.moves_left.size()[0] as usize
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// P: how many of them have a policy target.
    pub fn policies(&self) -> usize {
        self.policy.size()[0] as usize
    }

    /// What there is to know of them by name, for a file.
    pub fn tensors(&self) -> Vec<(String, Tensor)> {
        [
            ("inputs", &self.inputs.columns),
            ("input_starts", &self.inputs.row_starts),
            ("moves", &self.moves.columns),
            ("move_starts", &self.moves.row_starts),
            ("exchanges", &self.exchanges),
            ("policy", &self.policy),
            ("wdl", &self.wdl),
            ("moves_left", &self.moves_left),
            ("moves_left_known", &self.moves_left_known),
        ]
        .map(|(name, tensor)| (name.to_owned(), tensor.shallow_clone()))
        .into()
    }
}

/// Draws examples from a window. Which ones is a pure function of seed, step and window.
#[derive(Clone, Copy, Debug)]
pub struct Sampler<'a> {
    /// Where to draw from; not empty.
    pub window: &'a Window,
    /// The trainer's seed.
    pub seed: u64,
    /// How many at a time.
    pub batch_size: usize,
    /// Exchange left and right in half of them.
    pub mirror: bool,
    /// Where the tensors go.
    pub device: Device,
}

impl Sampler<'_> {
    /// The examples of a step.
    pub fn draw(&self, step: u64, rule: TargetRule) -> Result<Examples, TrainError> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(step);
        let mut collector = Collector::default();
        for _ in 0..self.batch_size {
            let row = self.window.row(self.window.sample(&mut rng));
            let mirrored = self.mirror && rng.random();
            collector.push(&row, mirrored, rule.targets(&row));
        }
        Ok(collector.build(self.device)?)
    }
}

/// Positions on the way into [`Examples`].
#[derive(Default)]
struct Collector {
    with_policy: Positions,
    without_policy: Positions,
    moves: IncidenceBuilder,
    exchanges: Vec<i64>,
    /// One share per move.
    policy: Vec<u16>,
}

#[derive(Default)]
struct Positions {
    inputs: IncidenceBuilder,
    targets: Vec<Targets>,
}

impl Collector {
    fn push(&mut self, row: &Row<'_>, mirrored: bool, targets: Targets) {
        let features = Features::encode(&row.position, row.situation);
        let positions = if row.policy.is_empty() {
            &mut self.without_policy
        } else {
            let moves = move_indices(row, mirrored);
            self.moves.push(moves.map(MoveIndex::get));
            self.exchanges.extend(row.legal.iter().map(|&mv| features.exchange(&row.position, mv) as i64));
            self.policy.extend(&row.policy);
            &mut self.with_policy
        };
        positions.inputs.push(inputs(&features, mirrored));
        positions.targets.push(targets);
    }

    fn build(mut self, device: Device) -> Result<Examples, TchError> {
        self.with_policy.inputs.append(&self.without_policy.inputs);
        let targets = || self.with_policy.targets.iter().chain(&self.without_policy.targets);
        let wdl: Vec<f32> = targets().flat_map(|t| [t.wdl.win, t.wdl.draw, t.wdl.loss]).collect();
        let moves_left: Vec<f32> = targets().map(|t| t.moves_left.unwrap_or(0.0)).collect();
        let known: Vec<f32> = targets().map(|t| f32::from(u8::from(t.moves_left.is_some()))).collect();

        let width = self.moves.row_lengths().max().unwrap_or(1); // L
        let cells: Vec<i64> = (self.moves.row_lengths().enumerate())
            .flat_map(|(row, length)| (0..length).map(move |column| (row * width + column) as i64))
            .collect();
        let policies = self.with_policy.targets.len(); // P
        let mut policy = vec![0.0; policies * width];
        for (&cell, &share) in cells.iter().zip(&self.policy) {
            policy[cell as usize] = f32::from(share) / f32::from(FULL_TARGET);
        }
        let tensor = |values: &[f32]| Tensor::f_from_slice(values)?.f_to_device(device);
        Ok(Examples {
            inputs: self.with_policy.inputs.build(INPUTS, device)?,
            moves: self.moves.build(MOVES, device)?,
            exchanges: Tensor::f_from_slice(&self.exchanges)?.f_to_device(device)?,
            cells: Tensor::f_from_slice(&cells)?.f_to_device(device)?,
            policy: tensor(&policy)?.f_view([policies as i64, width as i64])?,
            wdl: tensor(&wdl)?.f_view([-1, 3])?,
            moves_left: tensor(&moves_left)?,
            moves_left_count: known.iter().filter(|&&known| known > 0.0).count(),
            moves_left_known: tensor(&known)?,
        })
    }
}

/// The inputs that are on in a position or, not ascending then, in its mirror image.
fn inputs(features: &Features, mirrored: bool) -> impl Iterator<Item = usize> {
    let of = move |&input| if mirrored { mirrored_input(input) } else { input };
    features.active().iter().map(of).map(usize::from)
}

/// The numbers of the legal moves of a position or its mirror image, in the order of [`Row::legal`].
fn move_indices(row: &Row<'_>, mirrored: bool) -> impl Iterator<Item = MoveIndex> {
    let mover = row.position.turn();
    row.legal.iter().map(move |&mv| {
        let index = MoveIndex::of(mv, mover);
        if mirrored { index.mirrored() } else { index }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{RULE, window};
    use tch::Kind;

    fn sampler(window: &Window) -> Sampler<'_> {
        Sampler { window, seed: 3, batch_size: 64, mirror: true, device: Device::Cpu }
    }

    #[test]
    fn a_mirrored_example_is_the_example_of_the_mirrored_position() {
        let window = window(4);
        for row in (0..window.len()).map(|number| window.row(number)) {
            let (features, image) = (Features::encode(&row.position, row.situation), row.position.mirrored());
            let image_features = Features::encode(&image, row.situation);
            let mut found: Vec<usize> = inputs(&features, true).collect();
            found.sort_unstable();
            assert!(found.into_iter().eq(inputs(&image_features, false)));
            for (&mv, index) in row.legal.iter().zip(move_indices(&row, true)) {
                assert!(image.is_legal(mv.mirrored()));
                assert_eq!(index, MoveIndex::of(mv.mirrored(), image.turn()));
                let exchange = features.exchange(&row.position, mv);
                assert_eq!(exchange, image_features.exchange(&image, mv.mirrored()));
            }
        }
    }

    #[test]
    fn a_step_always_draws_the_same() {
        let window = window(4);
        let draw = |step| sampler(&window).draw(step, RULE).unwrap().tensors();
        let (first, again, other) = (draw(5), draw(5), draw(6));
        for ((name, a), (_, b)) in first.iter().zip(&again) {
            assert_eq!(a, b, "{name}");
        }
        assert_ne!(first[0].1.size(), other[0].1.size());
    }

    #[test]
    fn targets_add_up() {
        let window = window(4);
        let examples = sampler(&window).draw(1, RULE).unwrap();
        assert!(0 < examples.policies() && examples.policies() < 64 && examples.len() == 64);
        for target in [&examples.policy, &examples.wdl] {
            let sums = Vec::<f32>::try_from(target.sum_dim_intlist(1, false, Kind::Float)).unwrap();
            assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5));
        }
    }

    /// The first row that a step draws is the same with mirroring and without.
    #[test]
    fn half_of_the_examples_are_mirrored_and_keep_their_targets() {
        let window = window(4);
        let draw =
            |mirror, step| Sampler { mirror, batch_size: 1, ..sampler(&window) }.draw(step, RULE).unwrap();
        let numbers = |tensor: &Tensor| Vec::<i64>::try_from(tensor).unwrap();
        let mirror = |input: &i64| i64::from(mirrored_input(*input as u16));
        let mirror_move = |index: &i64| MoveIndex::new(*index as usize).unwrap().mirrored().get() as i64;
        let mut mirrored = 0;
        for step in 0..64 {
            let (plain, found) = (draw(false, step), draw(true, step));
            let (inputs, moves) = (numbers(&plain.inputs.columns), numbers(&plain.moves.columns));
            let (found_inputs, found_moves) = (numbers(&found.inputs.columns), numbers(&found.moves.columns));
            if found_inputs == inputs {
                assert_eq!(found_moves, moves);
            } else {
                mirrored += 1;
                assert!(found_inputs.into_iter().eq(inputs.iter().map(mirror)));
                assert!(found_moves.into_iter().eq(moves.iter().map(mirror_move)));
            }
            assert_eq!((plain.exchanges, plain.cells), (found.exchanges, found.cells));
            assert_eq!((plain.policy, plain.wdl), (found.policy, found.wdl));
            let moves_left = (plain.moves_left, plain.moves_left_known);
            assert_eq!(moves_left, (found.moves_left, found.moves_left_known));
        }
        // Four standard deviations either way.
        assert!((16..=48).contains(&mirrored), "{mirrored} of 64");
    }
}
