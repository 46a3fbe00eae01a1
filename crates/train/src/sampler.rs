//! From rows of the window to a batch.

use crate::examples::Examples;
use crate::lists::Lists;
use crate::sampling::Sampling;
use crate::targets::{self, TargetRule, Targets};
use evaluator::{Features, MOVES, MoveIndex, mirrored_input};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use replay::{FULL_TARGET, Row, Window};
use rules::{Colour, Move, Position};

/// Draws examples from a window. Which ones is a pure function of seed, step, window and sampling.
#[derive(Clone, Copy, Debug)]
pub struct Sampler<'a> {
    /// Where to draw from; not empty.
    pub window: &'a Window,
    /// How often each row is drawn; without, all alike.
    pub sampling: Option<&'a Sampling>,
    /// The trainer's seed.
    pub seed: u64,
    /// How many at a time.
    pub batch_size: usize,
    /// Exchange left and right in half of them.
    pub mirror: bool,
}

/// A row, and whether left and right are exchanged in it to make it the first of its group.
type Shown<'a> = (Row<'a>, bool);

impl<'a> Sampler<'a> {
    /// The examples of a step.
    pub fn draw(&self, step: u64, rule: TargetRule) -> Examples {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(step);
        let mut collector = Collector::with_capacity(self.batch_size);
        let numbers: Vec<usize> = match self.sampling {
            Some(sampling) => sampling.draw(self.window, self.batch_size, &mut rng),
            None => (0..self.batch_size).map(|_| self.window.sample(&mut rng)).collect(),
        };
        let mirrored = numbers.iter().map(|_| self.mirror && rng.random());
        if let Some(groups) = self.sampling.and_then(Sampling::groups) {
            for (&group, mirrored) in numbers.iter().zip(mirrored) {
                let members = groups.members(group);
                let rows: Vec<Shown<'a>> =
                    members.map(|member| (self.window.row(member.row), member.mirrored)).collect();
                collector.push(&rows, mirrored, rule);
            }
        } else {
            for (row, mirrored) in self.window.rows(&numbers).zip(mirrored) {
                collector.push(&[(row, false)], mirrored, rule);
            }
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
    /// A share for each move, all zero between two positions.
    shares: Vec<f32>,
}

struct Positions {
    inputs: Lists,
    targets: Vec<Targets>,
    replies: Lists,
    reply: Vec<f32>,
}

impl Collector {
    /// Room for as many positions as usual positions are large.
    fn with_capacity(positions: usize) -> Self {
        let (inputs, moves) = (32 * positions, 40 * positions);
        let room = || Positions {
            inputs: Lists::with_capacity(positions, inputs),
            targets: Vec::with_capacity(positions),
            replies: Lists::default(),
            reply: Vec::new(),
        };
        Self {
            with_policy: room(),
            without_policy: room(),
            moves: Lists::with_capacity(positions, moves),
            exchanges: Vec::with_capacity(moves),
            policy: Vec::with_capacity(moves),
            shares: Vec::new(),
        }
    }

    /// Adds the position that all `rows` show, with the mean of their targets.
    fn push(&mut self, rows: &[Shown<'_>], mirrored: bool, rule: TargetRule) {
        let (row, _) = &rows[0];
        let position = row.position();
        let features = Features::encode(&position, row.situation());
        let has_policy = rows.iter().any(|(row, _)| row.has_policy());
        if has_policy {
            let legal = position.legal_moves();
            self.moves.push(move_indices(&legal, position.turn(), mirrored).map(|index| index.get() as u16));
            self.exchanges.extend(legal.iter().map(|&mv| features.exchange(&position, mv) as u16));
            if rows.len() == 1 {
                self.policy
                    .extend(row.policy(legal.len()).map(|share| f32::from(share) / f32::from(FULL_TARGET)));
            } else {
                let moves: Vec<MoveIndex> = move_indices(&legal, position.turn(), false).collect();
                let shares = self.mean_policy(rows.iter().copied(), &moves);
                self.policy.extend(shares);
            }
        }
        let (replies, reply) =
            if rule.opponent_reply { self.replies(rows, &position) } else { Default::default() };
        let positions = if has_policy { &mut self.with_policy } else { &mut self.without_policy };
        positions.inputs.push(inputs(&features, mirrored));
        positions.targets.push(Targets::mean(rows.iter().map(|(row, _)| rule.targets(row))));
        if rule.opponent_reply {
            let number = |index: MoveIndex| if mirrored { index.mirrored() } else { index }.get() as u16;
            positions.replies.push(replies.into_iter().map(number));
            positions.reply.extend(reply);
        }
    }

    /// What the opponent might reply with, and the mean share of each in the searches after the rows; nothing if there
    /// was none or it chose what can't be foreseen.
    fn replies(&mut self, rows: &[Shown<'_>], position: &Position) -> (Vec<MoveIndex>, Vec<f32>) {
        let next = rows.iter().filter_map(|&(row, image)| Some((row.next()?, image)));
        let next: Vec<Shown<'_>> = next.filter(|(row, _)| row.has_policy()).collect();
        if next.is_empty() {
            return Default::default();
        }
        let moves: Vec<MoveIndex> = targets::replies(position).collect();
        let mut shares = self.mean_policy(next.into_iter(), &moves);
        let sum: f32 = shares.iter().sum();
        if sum <= 0.0 {
            return Default::default();
        }
        for share in &mut shares {
            *share /= sum;
        }
        (moves, shares)
    }

    /// The mean share of each of `moves` in those of the rows' policies that there are, at least one.
    fn mean_policy<'a>(
        &mut self,
        rows: impl Iterator<Item = Shown<'a>> + Clone,
        moves: &[MoveIndex],
    ) -> Vec<f32> {
        self.shares.resize(MOVES, 0.0);
        let rows = rows.filter(|(row, _)| row.has_policy());
        for (row, image) in rows.clone() {
            let position = row.position();
            let legal = position.legal_moves();
            let policy = row.policy(legal.len());
            for (index, share) in move_indices(&legal, position.turn(), image).zip(policy) {
                self.shares[index.get()] += f32::from(share) / f32::from(FULL_TARGET);
            }
        }
        let count = rows.count() as f32;
        let mean = moves.iter().map(|index| self.shares[index.get()] / count).collect();
        self.shares.fill(0.0);
        mean
    }

    fn build(mut self) -> Examples {
        self.with_policy.inputs.append(&self.without_policy.inputs);
        self.with_policy.replies.append(&self.without_policy.replies);
        self.with_policy.reply.extend(&self.without_policy.reply);
        let targets = || self.with_policy.targets.iter().chain(&self.without_policy.targets);
        Examples {
            wdl: targets().map(|targets| [targets.wdl.win, targets.wdl.draw, targets.wdl.loss]).collect(),
            moves_left: targets().map(|targets| targets.moves_left).collect(),
            inputs: self.with_policy.inputs,
            moves: self.moves,
            exchanges: self.exchanges,
            policy: self.policy,
            replies: self.with_policy.replies,
            reply: self.with_policy.reply,
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
    use crate::settings::Settings;
    use crate::testing::{RULE, record, searched, window};
    use replay::EndReason;
    use rules::Outcome;

    fn sampler(window: &Window) -> Sampler<'_> {
        Sampler { window, sampling: None, seed: 3, batch_size: 64, mirror: true }
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

    /// Each game and its mirror image, turned or not: every position is there twice at least.
    #[test]
    fn duplicates_are_drawn_as_one_with_the_mean_of_their_targets() {
        let mut window = Window::new(1_000_000, 0.0);
        let start = "3k5/9/9/9/9/9/9/9/4R4/4K4 w - - 0 1";
        let image = "4k4/4r4/9/9/9/9/9/9/9/5K3 b - - 0 1";
        let games = [
            (start, "e1f1", "d9d8", [("e1f1", 0.75), ("e1e2", 0.25)], 0.5),
            // Colours exchanged and turned by 180°.
            (image, "e8d8", "f0f1", [("e8d8", 0.25), ("e8e7", 0.75)], -0.5),
        ];
        let reply = |mv| [(mv, 1.0)];
        for (number, (start, mv, next, policy, value)) in (0..).zip(games) {
            let plies = vec![searched(mv, value, 0.0, &policy), searched(next, 0.0, 0.0, &reply(next))];
            let mut game = record(start, Outcome::Draw, EndReason::PlyCap, plies);
            game.game = number;
            window.push(&game).unwrap();
        }
        let settings = Settings { dedupe: true, ..Settings::default() };
        let sampling = Sampling::new(&settings, &window).unwrap();
        let sampler = Sampler { sampling: Some(&sampling), batch_size: 64, ..sampler(&window) };
        let rule = TargetRule { outcome_share: 0.0, opponent_reply: true };
        let examples = sampler.draw(1, rule);
        assert_eq!((examples.len(), examples.policies()), (64, 64));
        let number = |mv: &str| MoveIndex::of(mv.parse().unwrap(), Colour::Red);
        let black = |mv: &str| MoveIndex::of(mv.parse().unwrap(), Colour::Black);
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-4, "{a} is not {b}");
        let (mut policy, mut reply, mut firsts) = (examples.policy.iter(), examples.reply.iter(), 0);
        for ((moves, replies), wdl) in examples.moves.rows().zip(examples.replies.rows()).zip(&examples.wdl) {
            let shares: Vec<f32> = policy.by_ref().take(moves.len()).copied().collect();
            let replied: Vec<f32> = reply.by_ref().take(replies.len()).copied().collect();
            let share = |indices: &[u16], shares: &[f32], index: MoveIndex| {
                let either = [index.get() as u16, index.mirrored().get() as u16];
                let found = indices.iter().zip(shares).filter(|(index, _)| either.contains(index));
                found.map(|(_, &share)| share).sum::<f32>()
            };
            if replies.is_empty() {
                // The second position, after which there is no search.
                continue;
            }
            firsts += 1;
            // 0.75 and 0.25 of the one, 0.25 and 0.75 of the other; values of ½ and −½.
            near(share(moves, &shares, number("e1f1")), 0.5);
            near(share(moves, &shares, number("e1e2")), 0.5);
            assert!((wdl[0] - 0.5).abs() < 1e-4 && (wdl[2] - 0.5).abs() < 1e-4, "{wdl:?}");
            near(share(replies, &replied, black("d9d8")), 1.0);
            near(replied.iter().sum::<f32>(), 1.0);
        }
        assert!((10..=54).contains(&firsts), "{firsts} of 64");
    }

    /// The reply is the next ply's policy, renormalised over what could be foreseen.
    #[test]
    fn replies_by_hand() {
        let start = "3rk4/9/9/9/9/9/9/9/9/R4K3 w - - 0 1";
        let next = [("d9d3", 0.5), ("d9d4", 0.125), ("e9e8", 0.375)];
        let plies = vec![searched("a0a5", 0.0, 0.0, &[]), searched("e9e8", 0.0, 0.0, &next)];
        let mut window = Window::new(100, 0.0);
        window.push(&record(start, Outcome::Draw, EndReason::PlyCap, plies)).unwrap();
        // Red's rook leaves the file that it had closed.
        let unforeseen = [("d9d3", 0.5), ("e9e8", 0.125), ("d9d8", 0.375)];
        let start = "3rk4/9/9/9/3R5/9/9/9/9/5K3 w - - 0 1";
        let plies = vec![searched("d5a5", 0.0, 0.0, &[]), searched("e9e8", 0.0, 0.0, &unforeseen)];
        let mut record = record(start, Outcome::Draw, EndReason::PlyCap, plies);
        record.game = 1;
        window.push(&record).unwrap();
        let shares = |row: usize, moves: [&str; 3]| {
            let mut collector = Collector::with_capacity(1);
            let rows = [(window.row(row), false)];
            let (replies, reply) = collector.replies(&rows, &window.row(row).position());
            moves.map(|mv| {
                let index = MoveIndex::of(mv.parse().unwrap(), Colour::Black);
                replies.iter().position(|&found| found == index).map(|at| reply[at])
            })
        };
        let near = |found: [Option<f32>; 3], expected: [Option<f32>; 3]| {
            let near = |(a, b): (&Option<f32>, &Option<f32>)| match (a, b) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-4,
                _ => a == b,
            };
            assert!(found.iter().zip(&expected).all(near), "{found:?} is not {expected:?}");
        };
        near(shares(0, ["d9d3", "d9d4", "e9e8"]), [Some(0.5), Some(0.125), Some(0.375)]);
        near(shares(2, ["d9d3", "e9e8", "d9d8"]), [None, Some(0.25), Some(0.75)]);
        // After the last ply of a game nobody replies.
        assert_eq!(shares(1, ["e9e8", "d9d8", "d9d7"]), [None; 3]);
    }
}
