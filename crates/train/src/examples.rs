//! From rows of the window to a batch with targets.

use crate::lists::Lists;
use crate::targets::{TargetRule, Targets};
use evaluator::{Features, MoveIndex, mirrored_input};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use replay::{FULL_TARGET, Row, Window};
use rules::{Colour, Move};
use tch::Tensor;

/// B positions and what the network should say of them. The first P of them have a policy target, over M legal moves
/// in all.
#[derive(Clone, PartialEq, Debug)]
pub struct Examples {
    /// B rows: the inputs that are on.
    pub inputs: Lists,
    /// P rows: the [numbers](MoveIndex) of the legal moves.
    pub moves: Lists,
    /// `[M]`: the [exchange](Features::exchange) of each of `moves`.
    pub exchanges: Vec<u16>,
    /// `[M]`: policy targets; those of a position add up to 1.
    pub policy: Vec<f32>,
    /// `[B]`: win, draw, loss.
    pub wdl: Vec<[f32; 3]>,
    /// `[B]`: plies to the end, where they are known.
    pub moves_left: Vec<Option<f32>>,
}

impl Examples {
    /// B: how many positions.
    pub const fn len(&self) -> usize {
        self.wdl.len()
    }

    /// Is there none?
    pub const fn is_empty(&self) -> bool {
        self.wdl.is_empty()
    }

    /// P: how many of them have a policy target.
    pub const fn policies(&self) -> usize {
        self.moves.len()
    }

    /// All of it by name, for a file (FORMAT.md).
    pub(crate) fn tensors(&self) -> Vec<(String, Tensor)> {
        let whole = |numbers: &[u16]| numbers.iter().map(|&number| number.into()).collect::<Vec<i64>>();
        let ends = |lists: &Lists| lists.ends().iter().map(|&end| end.into()).collect::<Vec<i64>>();
        let moves_left: Vec<f32> = self.moves_left.iter().map(|plies| plies.unwrap_or(-1.0)).collect();
        [
            ("inputs", Tensor::from_slice(&whole(self.inputs.numbers()))),
            ("input_ends", Tensor::from_slice(&ends(&self.inputs))),
            ("moves", Tensor::from_slice(&whole(self.moves.numbers()))),
            ("move_ends", Tensor::from_slice(&ends(&self.moves))),
            ("exchanges", Tensor::from_slice(&whole(&self.exchanges))),
            ("policy", Tensor::from_slice(&self.policy)),
            ("wdl", Tensor::from_slice(self.wdl.as_flattened()).view([-1, 3])),
            ("moves_left", Tensor::from_slice(&moves_left)),
        ]
        .map(|(name, tensor)| (name.to_owned(), tensor))
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
}

impl Sampler<'_> {
    /// The examples of a step.
    pub fn draw(&self, step: u64, rule: TargetRule) -> Examples {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(step);
        // All rows are looked up before the first is worked on: a large window is in no cache, and the processor can
        // wait for many at a time.
        let drawn: Vec<(Row<'_>, bool)> = (0..self.batch_size)
            .map(|_| (self.window.row(self.window.sample(&mut rng)), self.mirror && rng.random()))
            .collect();
        let mut collector = Collector::with_capacity(self.batch_size);
        for (row, mirrored) in &drawn {
            collector.push(row, *mirrored, rule.targets(row));
        }
        collector.build()
    }
}

/// Positions on the way into [`Examples`].
struct Collector {
    with_policy: Positions,
    without_policy: Positions,
    moves: Lists,
    exchanges: Vec<u16>,
    policy: Vec<f32>,
}

struct Positions {
    inputs: Lists,
    targets: Vec<Targets>,
}

impl Collector {
    /// Room for as many positions as usual positions are large.
    fn with_capacity(positions: usize) -> Self {
        let (inputs, moves) = (32 * positions, 40 * positions);
        let room = || Positions {
            inputs: Lists::with_capacity(positions, inputs),
            targets: Vec::with_capacity(positions),
        };
        Self {
            with_policy: room(),
            without_policy: room(),
            moves: Lists::with_capacity(positions, moves),
            exchanges: Vec::with_capacity(moves),
            policy: Vec::with_capacity(moves),
        }
    }

    fn push(&mut self, row: &Row<'_>, mirrored: bool, targets: Targets) {
        let position = row.position();
        let features = Features::encode(&position, row.situation());
        let positions = if row.has_policy() {
            let legal = position.legal_moves();
            self.moves.push(move_indices(&legal, position.turn(), mirrored).map(|index| index.get() as u16));
            self.exchanges.extend(legal.iter().map(|&mv| features.exchange(&position, mv) as u16));
            self.policy
                .extend(row.policy(legal.len()).map(|share| f32::from(share) / f32::from(FULL_TARGET)));
            &mut self.with_policy
        } else {
            &mut self.without_policy
        };
        positions.inputs.push(inputs(&features, mirrored));
        positions.targets.push(targets);
    }

    fn build(mut self) -> Examples {
        self.with_policy.inputs.append(&self.without_policy.inputs);
        let targets = || self.with_policy.targets.iter().chain(&self.without_policy.targets);
        Examples {
            wdl: targets().map(|targets| [targets.wdl.win, targets.wdl.draw, targets.wdl.loss]).collect(),
            moves_left: targets().map(|targets| targets.moves_left).collect(),
            inputs: self.with_policy.inputs,
            moves: self.moves,
            exchanges: self.exchanges,
            policy: self.policy,
        }
    }
}

/// The inputs that are on in a position or, not ascending then, in its mirror image.
fn inputs(features: &Features, mirrored: bool) -> impl Iterator<Item = u16> {
    let of = move |&input| if mirrored { mirrored_input(input) } else { input };
    features.active().iter().map(of)
}

/// The numbers of legal moves, or of their mirror images, in their order.
fn move_indices(legal: &[Move], mover: Colour, mirrored: bool) -> impl Iterator<Item = MoveIndex> {
    legal.iter().map(move |&mv| {
        let index = MoveIndex::of(mv, mover);
        if mirrored { index.mirrored() } else { index }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{RULE, window};

    fn sampler(window: &Window) -> Sampler<'_> {
        Sampler { window, seed: 3, batch_size: 64, mirror: true }
    }

    #[test]
    fn a_mirrored_example_is_the_example_of_the_mirrored_position() {
        let window = window(4);
        for row in (0..window.len()).map(|number| window.row(number)) {
            let position = row.position();
            let (features, image) = (Features::encode(&position, row.situation()), position.mirrored());
            let image_features = Features::encode(&image, row.situation());
            let mut found: Vec<u16> = inputs(&features, true).collect();
            found.sort_unstable();
            assert!(found.into_iter().eq(inputs(&image_features, false)));
            let legal = position.legal_moves();
            for (&mv, index) in legal.iter().zip(move_indices(&legal, position.turn(), true)) {
                assert!(image.is_legal(mv.mirrored()));
                assert_eq!(index, MoveIndex::of(mv.mirrored(), image.turn()));
                let exchange = features.exchange(&position, mv);
                assert_eq!(exchange, image_features.exchange(&image, mv.mirrored()));
            }
        }
    }

    #[test]
    fn a_step_always_draws_the_same() {
        let window = window(4);
        let draw = |step| sampler(&window).draw(step, RULE);
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
    }

    #[test]
    fn targets_add_up() {
        let window = window(4);
        let examples = sampler(&window).draw(1, RULE);
        assert!(0 < examples.policies() && examples.policies() < 64 && examples.len() == 64);
        assert_eq!(examples.inputs.len(), 64);
        let one = |sum: f32| assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        let mut shares = examples.policy.iter();
        examples.moves.rows().for_each(|moves| one(shares.by_ref().take(moves.len()).sum()));
        assert!(shares.next().is_none() && examples.exchanges.len() == examples.policy.len());
        examples.wdl.iter().for_each(|wdl| one(wdl.iter().sum()));
    }

    /// The first row that a step draws is the same with mirroring and without.
    #[test]
    fn half_of_the_examples_are_mirrored_and_keep_their_targets() {
        let window = window(4);
        let draw = |mirror, step| Sampler { mirror, batch_size: 1, ..sampler(&window) }.draw(step, RULE);
        let mirror_move = |&index: &u16| MoveIndex::new(index.into()).unwrap().mirrored().get() as u16;
        let mut mirrored = 0;
        for step in 0..64 {
            let (plain, found) = (draw(false, step), draw(true, step));
            let (inputs, moves) = (plain.inputs.numbers(), plain.moves.numbers());
            if found.inputs.numbers() == inputs {
                assert_eq!(found.moves.numbers(), moves);
            } else {
                mirrored += 1;
                assert!(found.inputs.numbers().iter().copied().eq(inputs.iter().map(|&i| mirrored_input(i))));
                assert!(found.moves.numbers().iter().copied().eq(moves.iter().map(mirror_move)));
            }
            let rest =
                |examples: Examples| (examples.exchanges, examples.policy, examples.wdl, examples.moves_left);
            assert_eq!(rest(plain), rest(found));
        }
        // Four standard deviations either way.
        assert!((16..=48).contains(&mirrored), "{mirrored} of 64");
    }
}
