//! A wider hidden layer that says the same (Chen, Goodfellow and Shlens 2016, `Net2Net`,
//! <https://arxiv.org/abs/1511.05641>, section 2.2): new units are copies of old ones, and what leads on from a unit is
//! split among its copies, in unequal parts so that they part ways at the next step.
//!
//! Moments: a copy's incoming weights get about 1/k of the gradient that the one unit got, k the number of its copies,
//! so their first moment is divided by k and their second by k². What leads on gets the whole gradient, since each copy
//! answers as the one unit did, and its moments are copied.

use net::OUTPUTS;
use rand::{Rng, RngExt as _};
use std::collections::BTreeMap;
use tch::{Device, TchError, Tensor};

/// Which old unit each new one is a copy of.
struct Copies {
    /// Of each new unit the old one; the first are the old units themselves.
    source: Vec<usize>,
    /// How often each old unit is in `source`.
    count: Vec<usize>,
}

impl Copies {
    /// The old units in a random order, again and again.
    fn new(old: usize, new: usize, rng: &mut impl Rng) -> Self {
        let mut order: Vec<usize> = (0..old).collect();
        for end in (1..old).rev() {
            order.swap(end, rng.random_range(0..=end));
        }
        let source: Vec<usize> = (0..old).chain(order.into_iter().cycle()).take(new).collect();
        let mut count = vec![0; old];
        for &unit in &source {
            count[unit] += 1;
        }
        Self { source, count }
    }

    /// For each row and new unit the part of what leads on: the parts of a unit's copies add up to 1.
    fn parts(&self, rows: usize, rng: &mut impl Rng) -> Vec<f64> {
        let mut parts = Vec::with_capacity(rows * self.source.len());
        for _ in 0..rows {
            let mut left: Vec<(usize, f64)> = self.count.iter().map(|&count| (count, 1.0)).collect();
            for &unit in &self.source {
                let (copies, whole) = &mut left[unit];
                // The last takes what is left, the others half to one and a half times as much as in equal parts.
                let share = if *copies == 1 { 1.0 } else { (0.5 + rng.random::<f64>()) / *copies as f64 };
                parts.push(*whole * share);
                *whole -= *whole * share;
                *copies -= 1;
            }
        }
        parts
    }
}

/// Where a parameter stands to the hidden units.
enum Side {
    /// Columns are the hidden units, then the outputs that bypass them.
    Incoming,
    /// Columns are the hidden units.
    Outgoing,
    /// Neither.
    Beyond,
}

impl Side {
    fn of(parameter: &str) -> Self {
        match parameter {
            "input.bias" | "input.weight" => Self::Incoming,
            "policy.weight" | "value.weight" | "soft_policy.weight" | "opponent_reply.weight" => {
                Self::Outgoing
            }
            _ => Self::Beyond,
        }
    }
}

/// The state of an optimiser ([`crate::optimiser::AdamW::state`]) of a network `old` units wide, for one `new` units
/// wide.
pub(crate) fn widen(
    state: Vec<(String, Tensor)>,
    old: usize,
    new: usize,
    rng: &mut impl Rng,
) -> Result<BTreeMap<String, Tensor>, TchError> {
    let copies = Copies::new(old, new, rng);
    let mut parts: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut wide = BTreeMap::new();
    for (name, tensor) in state {
        let (kind, parameter) = name.split_once('/').unwrap_or_default();
        let side = Side::of(parameter);
        if matches!(side, Side::Outgoing) && !parts.contains_key(parameter) {
            parts.insert(parameter.to_owned(), copies.parts(tensor.size()[0] as usize, rng));
        }
        let widened = match (side, kind) {
            (Side::Beyond, _) => tensor.f_detach()?,
            (Side::Incoming, "first") => incoming(&tensor, &copies, |count| 1.0 / count)?,
            (Side::Incoming, "second") => incoming(&tensor, &copies, |count| 1.0 / (count * count))?,
            (Side::Incoming, _) => incoming(&tensor, &copies, |_| 1.0)?,
            (Side::Outgoing, "first" | "second") => outgoing(&tensor, &copies, None)?,
            (Side::Outgoing, _) => outgoing(&tensor, &copies, Some(&parts[parameter]))?,
        };
        wide.insert(name, widened);
    }
    Ok(wide)
}

/// Copies columns, each times `factor` of the number of its unit's copies.
fn incoming(tensor: &Tensor, copies: &Copies, factor: impl Fn(f64) -> f64) -> Result<Tensor, TchError> {
    let old = copies.count.len();
    let numbers = numbers_of(tensor)?;
    let mut wide = Vec::new();
    for row in numbers.chunks_exact(old + OUTPUTS) {
        let unit = |&unit: &usize| (f64::from(row[unit]) * factor(copies.count[unit] as f64)) as f32;
        wide.extend(copies.source.iter().map(unit));
        wide.extend(&row[old..]);
    }
    shaped(&wide, tensor)
}

/// Copies columns, each number times its part.
fn outgoing(tensor: &Tensor, copies: &Copies, parts: Option<&Vec<f64>>) -> Result<Tensor, TchError> {
    let numbers = numbers_of(tensor)?;
    let rows = numbers.chunks_exact(copies.count.len());
    let mut wide: Vec<f32> = rows.flat_map(|row| copies.source.iter().map(|&unit| row[unit])).collect();
    for (number, part) in wide.iter_mut().zip(parts.into_iter().flatten()) {
        *number = (f64::from(*number) * part) as f32;
    }
    shaped(&wide, tensor)
}

fn numbers_of(tensor: &Tensor) -> Result<Vec<f32>, TchError> {
    let tensor = tensor.f_detach()?.f_to_device(Device::Cpu)?.f_contiguous()?;
    let mut numbers = vec![0.0; tensor.numel()];
    let count = numbers.len();
    tensor.f_copy_data(&mut numbers, count)?;
    Ok(numbers)
}

/// With as many rows and dimensions as `like`, and where it is.
fn shaped(numbers: &[f32], like: &Tensor) -> Result<Tensor, TchError> {
    let mut shape = like.size();
    if let Some(columns) = shape.last_mut() {
        *columns = -1;
    }
    Tensor::f_from_slice(numbers)?.f_view(shape.as_slice())?.f_to_device(like.device())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn each_unit_has_its_copies_and_their_parts_add_up() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (old, new) in [(8, 16), (8, 24), (16, 24), (8, 40), (8, 8)] {
            let copies = Copies::new(old, new, &mut rng);
            assert!(copies.source[..old].iter().copied().eq(0..old));
            let (least, most) = (new / old, new.div_ceil(old));
            assert!(copies.count.iter().all(|count| (least..=most).contains(count)));
            let parts = copies.parts(3, &mut rng);
            assert_eq!(parts.len(), 3 * new);
            for row in parts.chunks_exact(new) {
                let mut sums = vec![0.0; old];
                for (&unit, &part) in copies.source.iter().zip(row) {
                    let equal = 1.0 / copies.count[unit] as f64;
                    assert!((0.0..=1.0).contains(&part) && part > 0.1 * equal);
                    sums[unit] += part;
                }
                assert!(sums.iter().all(|sum: &f64| (sum - 1.0).abs() < 1e-12));
            }
        }
    }

    #[test]
    fn a_wider_state_by_hand() {
        let tensor = |numbers: &[f32], rows: i64| Tensor::from_slice(numbers).view([rows, -1]);
        // Two units, wide by one more; four outputs bypass them.
        let row = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let state = ["value", "average", "first", "second"].into_iter().flat_map(|kind| {
            let name = |parameter| format!("{kind}/{parameter}");
            [
                (name("input.bias"), Tensor::from_slice(&row)),
                (name("policy.weight"), tensor(&[1.0, 10.0, 2.0, 20.0], 2)),
                (name("policy.bias"), Tensor::from_slice(&[7.0_f32, 8.0])),
            ]
        });
        let wide = widen(state.collect(), 2, 3, &mut ChaCha8Rng::seed_from_u64(3)).unwrap();
        let numbers = |name: &str| numbers_of(&wide[name]).unwrap();
        let bias = numbers("value/input.bias");
        let copied = usize::from(bias[2] > 1.5);
        assert_eq!(bias, [1.0, 2.0, row[copied], 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(numbers("value/policy.bias"), [7.0, 8.0]);
        let divided = |by: f32| {
            let mut expected = [1.0, 2.0, row[copied] / by, 3.0, 4.0, 5.0, 6.0];
            expected[copied] /= by;
            expected
        };
        assert_eq!(numbers("first/input.bias"), divided(2.0));
        assert_eq!(numbers("second/input.bias"), divided(4.0));
        assert_eq!(wide["value/policy.weight"].size(), [2, 3]);
        let split = numbers("value/policy.weight");
        assert_eq!(split, numbers("average/policy.weight"));
        for (wide, narrow) in split.chunks_exact(3).zip([[1.0, 10.0], [2.0, 20.0]]) {
            assert!((wide[copied] + wide[2] - narrow[copied]).abs() < 1e-6);
            assert!((wide[1 - copied] - narrow[1 - copied]).abs() < 1e-6);
            assert!((wide[copied] - wide[2]).abs() > 1e-6);
        }
        let (first, second) = (split[copied], split[3 + copied] / 2.0);
        assert!((first - second).abs() > 1e-6, "each row is split in its own way");
        let moments = numbers("second/policy.weight");
        assert_eq!((moments[2], moments[5]), (moments[copied], moments[3 + copied]));
    }
}
