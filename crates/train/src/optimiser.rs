//! `AdamW` (Loshchilov and Hutter 2019, <https://arxiv.org/abs/1711.05101>, algorithm 2) with the running mean of the
//! weights. The moments are plain tensors, so that a snapshot can hold them.

use crate::crew::Crew;
use crate::error::TrainError;
use crate::lend::numbers_mut;
use crate::settings::Settings;
use std::collections::BTreeMap;
use tch::{Device, TchError, Tensor};

/// What a step of the optimiser is given besides gradients.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct StepSize {
    /// The number of the step, from 0.
    pub(crate) step: u64,
    /// α of the paper.
    pub(crate) learning_rate: f64,
    /// Decay of the running mean of the weights.
    pub(crate) ema_decay: f64,
}

/// `AdamW` over a module's parameters.
#[derive(Debug)]
pub(crate) struct AdamW {
    parameters: Vec<Parameter>,
    beta1: f64,
    beta2: f64,
    weight_decay: f64,
    clip_norm: f64,
}

/// A parameter and what is remembered of it; all tensors have its shape.
#[derive(Debug)]
struct Parameter {
    name: String,
    /// θ; shares the module's memory, and is outside of what is differentiated.
    value: Tensor,
    /// m: running mean of the gradient.
    first: Tensor,
    /// v: running mean of its square.
    second: Tensor,
    /// Running mean of θ.
    average: Tensor,
    /// Weights decay, biases don't.
    decays: bool,
}

/// ε of the paper.
const EPSILON: f64 = 1e-8;

/// The names of what is remembered of a parameter, as a snapshot has them.
const PARTS: [&str; 4] = ["value", "first", "second", "average"];

impl AdamW {
    /// No moments yet, the mean of the weights is the weights.
    pub(crate) fn new(settings: &Settings, parameters: Vec<(String, Tensor)>) -> Result<Self, TrainError> {
        let parameters = parameters.into_iter().map(|(name, value)| Parameter::new(name, &value));
        Ok(Self {
            parameters: parameters.collect::<Result<_, _>>()?,
            beta1: settings.beta1,
            beta2: settings.beta2,
            weight_decay: settings.weight_decay,
            clip_norm: settings.gradient_clip_norm,
        })
    }

    /// The parameters.
    #[cfg(test)]
    pub(crate) fn values(&self) -> impl Iterator<Item = &Tensor> {
        self.parameters.iter().map(|parameter| &parameter.value)
    }

    /// The running mean of the weights, by name.
    pub(crate) fn averages(&self) -> Vec<(String, Tensor)> {
        self.parameters
            .iter()
            .map(|parameter| (parameter.name.clone(), parameter.average.shallow_clone()))
            .collect()
    }

    /// Everything that must be kept, by name: `value/…`, `first/…`, `second/…`, `average/…`.
    pub(crate) fn state(&self) -> Vec<(String, Tensor)> {
        let state = self.parameters.iter().flat_map(|parameter| {
            let parts = parameter.parts().map(Tensor::shallow_clone);
            PARTS.into_iter().zip(parts).map(|(part, tensor)| (format!("{part}/{}", parameter.name), tensor))
        });
        state.collect()
    }

    /// Takes over what [`AdamW::state`] gave; says what is missing or of another shape.
    #[expect(clippy::needless_pass_by_ref_mut, reason = "tensors change behind shared handles")]
    pub(crate) fn restore(&mut self, state: &BTreeMap<String, Tensor>) -> Result<(), String> {
        for parameter in &self.parameters {
            for (part, tensor) in PARTS.into_iter().zip(parameter.parts()) {
                let name = format!("{part}/{}", parameter.name);
                let saved = state.get(&name).ok_or_else(|| format!("{name} is missing"))?;
                if saved.size() != tensor.size() || saved.kind() != tensor.kind() {
                    return Err(format!("{name} is {saved:?}, want {tensor:?}"));
                }
                tensor.detach().f_copy_(saved).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    /// The Euclidean norm of all gradients together; NaN or infinite if one of them is.
    pub(crate) fn gradient_norm(gradients: &[Tensor]) -> Result<f64, TchError> {
        let norms = gradients.iter().map(Tensor::f_norm).collect::<Result<Vec<_>, _>>()?;
        Tensor::f_stack(&norms, 0)?.f_norm()?.f_double_value(&[])
    }

    /// One step down the gradients (in the order of the parameters), whose norm is `norm`. Uses them up.
    pub(crate) fn step(
        &mut self,
        crew: &Crew,
        gradients: Vec<Tensor>,
        norm: f64,
        size: StepSize,
    ) -> Result<(), TrainError> {
        let shrink = self.clip_norm / norm.max(self.clip_norm);
        let rates = Rates::new(self, shrink, size);
        let mut on_cpu = Vec::new();
        for (parameter, gradient) in self.parameters.iter_mut().zip(gradients) {
            if parameter.value.device() == Device::Cpu {
                on_cpu.push((parameter, gradient.f_contiguous()?));
            } else {
                parameter.step(gradient, &rates)?;
            }
        }
        let stretches =
            on_cpu.iter_mut().flat_map(|(parameter, gradient)| parameter.stretches(gradient, &rates));
        crew.each(stretches.collect(), Stretch::step);
        Ok(())
    }
}

/// The numbers of a step that are the same for all parameters.
struct Rates {
    /// What gradients are multiplied with so that they aren't too long.
    shrink: f64,
    /// 1 − β₁.
    first: f64,
    /// 1 − β₂.
    second: f64,
    /// α · √(1 − β₂ᵗ) / (1 − β₁ᵗ), both bias corrections in one (Kingma and Ba 2015, section 2).
    step: f64,
    /// ε · √(1 − β₂ᵗ).
    epsilon: f64,
    /// What weights are multiplied with.
    decay: f64,
    /// 1 − decay of the mean.
    average: f64,
}

impl Rates {
    fn new(optimiser: &AdamW, shrink: f64, size: StepSize) -> Self {
        let steps = (size.step + 1) as f64;
        let correction = (1.0 - optimiser.beta2.powf(steps)).sqrt();
        Self {
            shrink,
            first: 1.0 - optimiser.beta1,
            second: 1.0 - optimiser.beta2,
            step: size.learning_rate * correction / (1.0 - optimiser.beta1.powf(steps)),
            epsilon: EPSILON * correction,
            decay: 1.0 - size.learning_rate * optimiser.weight_decay,
            average: 1.0 - size.ema_decay,
        }
    }
}

impl Parameter {
    fn new(name: String, value: &Tensor) -> Result<Self, TrainError> {
        let value = value.f_detach()?;
        Ok(Self {
            name,
            decays: value.dim() > 1,
            first: value.f_zeros_like()?,
            second: value.f_zeros_like()?,
            average: value.f_detach_copy()?,
            value,
        })
    }

    /// In the order of [`PARTS`].
    const fn parts(&self) -> [&Tensor; 4] {
        [&self.value, &self.first, &self.second, &self.average]
    }

    /// On any device, one operation of libtorch's after another.
    fn step(&mut self, mut gradient: Tensor, rates: &Rates) -> Result<(), TchError> {
        drop(gradient.f_mul_scalar_(rates.shrink)?);
        drop(self.first.f_lerp_(&gradient, rates.first)?);
        drop(self.second.f_lerp_(&gradient.f_square()?, rates.second)?);
        let mut scale = self.second.f_sqrt()?;
        drop(scale.f_add_scalar_(rates.epsilon)?);
        drop(self.value.f_mul_scalar_(if self.decays { rates.decay } else { 1.0 })?);
        drop(self.value.f_sub_(&self.first.f_div(&scale)?.f_mul_scalar(rates.step)?)?);
        drop(self.average.f_lerp_(&self.value, rates.average)?);
        Ok(())
    }

    /// The same in one go through memory, which on a CPU is what a step costs, and some numbers at a time.
    fn stretches<'a>(
        &'a mut self,
        gradient: &'a mut Tensor,
        rates: &Rates,
    ) -> impl Iterator<Item = Stretch<'a>> + use<'a> {
        let rates = InOneGo::new(rates, self.decays);
        let parts = [&mut self.value, &mut self.first, &mut self.second, &mut self.average];
        let [value, first, second, average] = parts.map(|part| numbers_mut(part).chunks_mut(STRETCH));
        let moments = first.zip(second);
        let stretches = numbers_mut(gradient).chunks(STRETCH).zip(value.zip(average).zip(moments));
        stretches.map(move |(gradient, ((value, average), (first, second)))| Stretch {
            rates,
            gradient,
            parts: [value, first, second, average],
        })
    }
}

/// How many numbers of a parameter are stepped at a time.
const STRETCH: usize = 1 << 14;

/// Some numbers of a parameter: their gradient, and value, first and second moment, average.
struct Stretch<'a> {
    rates: InOneGo,
    gradient: &'a [f32],
    parts: [&'a mut [f32]; 4],
}

impl Stretch<'_> {
    fn step(self) {
        self.rates.step(self.gradient, self.parts);
    }
}

/// [`Rates`] for one parameter, in single precision.
#[derive(Clone, Copy)]
struct InOneGo {
    shrink: f32,
    first: f32,
    second: f32,
    step: f32,
    epsilon: f32,
    decay: f32,
    average: f32,
}

impl InOneGo {
    const fn new(rates: &Rates, decays: bool) -> Self {
        Self {
            shrink: rates.shrink as f32,
            first: rates.first as f32,
            second: rates.second as f32,
            step: rates.step as f32,
            epsilon: rates.epsilon as f32,
            decay: if decays { rates.decay as f32 } else { 1.0 },
            average: rates.average as f32,
        }
    }

    /// A step of a parameter's numbers: value, first and second moment, average.
    fn step(self, gradient: &[f32], parts: [&mut [f32]; 4]) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "a fifth off in the cache; a test compares the two copies")]
            // SAFETY: the processor has AVX2, and the function wants nothing else.
            return unsafe { self.step_avx2(gradient, parts) };
        }
        self.step_plainly(gradient, parts);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn step_avx2(self, gradient: &[f32], parts: [&mut [f32]; 4]) {
        self.step_plainly(gradient, parts);
    }

    #[expect(clippy::inline_always, reason = "only what is inlined into `step_avx2` is compiled for AVX2")]
    #[inline(always)]
    fn step_plainly(self, gradient: &[f32], [value, first, second, average]: [&mut [f32]; 4]) {
        let weights = value.iter_mut().zip(average);
        let moments = first.iter_mut().zip(second);
        for (((x, mean), (m, v)), g) in weights.zip(moments).zip(gradient) {
            let g = *g * self.shrink;
            *m += self.first * (g - *m);
            *v += self.second * (g * g - *v);
            *x = self.decay * *x - self.step * *m / (v.sqrt() + self.epsilon);
            *mean += self.average * (*x - *mean);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tch::Kind;

    fn values(tensor: &Tensor) -> Vec<f32> {
        Vec::try_from(&tensor.detach().flatten(0, -1)).unwrap()
    }

    /// Known twice: the algorithm as the paper writes it, in f64, number by number.
    #[test]
    fn steps_are_those_of_the_paper() {
        let settings = Settings { weight_decay: 0.5, gradient_clip_norm: 1.5, ..Settings::default() };
        let length = 1000;
        let start: Vec<f32> = (0..length).map(|i| (i as f32 * 0.37).sin()).collect();
        let weight = Tensor::from_slice(&start).view([1, length]).set_requires_grad(true);
        let bias = Tensor::from_slice(&[0.5_f32]).set_requires_grad(true);
        let parameters =
            vec![("weight".to_owned(), weight.shallow_clone()), ("bias".to_owned(), bias.shallow_clone())];
        let mut optimiser = AdamW::new(&settings, parameters).unwrap();

        let mut reference: Vec<[f64; 4]> =
            start.iter().chain(&[0.5]).map(|&x| [f64::from(x), 0.0, 0.0, f64::from(x)]).collect();
        for (step, factor) in [1e-4, -0.3, 0.2].into_iter().enumerate() {
            let gradients = vec![&weight.detach() * factor + factor, Tensor::from_slice(&[-0.25_f32])];
            let slopes: Vec<f64> = gradients.iter().flat_map(values).map(f64::from).collect();
            let norm = AdamW::gradient_norm(&gradients).unwrap();
            let expected = slopes.iter().map(|g| g * g).sum::<f64>().sqrt();
            assert!((norm / expected - 1.0).abs() < 1e-5);
            assert_eq!(
                norm > settings.gradient_clip_norm,
                step > 0,
                "the first is short enough, the others aren't"
            );

            let size = StepSize { step: step as u64, learning_rate: 0.01, ema_decay: 0.75 };
            optimiser.step(&Crew::default(), gradients, norm, size).unwrap();
            let shrink = (settings.gradient_clip_norm / expected).min(1.0);
            let t = step as i32 + 1;
            for (index, ([x, m, v, mean], g)) in reference.iter_mut().zip(slopes).enumerate() {
                let g = g * shrink;
                *m = 0.9 * *m + 0.1 * g;
                *v = 0.999 * *v + 0.001 * g * g;
                let (m_hat, v_hat) = (*m / (1.0 - 0.9_f64.powi(t)), *v / (1.0 - 0.999_f64.powi(t)));
                let decay = if index < length as usize { 0.5 } else { 0.0 };
                *x -= 0.01 * (m_hat / (v_hat.sqrt() + EPSILON) + decay * *x);
                *mean = 0.75 * *mean + 0.25 * *x;
            }
        }
        let state: BTreeMap<String, Tensor> = optimiser.state().into_iter().collect();
        for (part, name) in PARTS.iter().enumerate() {
            let found =
                [values(&state[&format!("{name}/weight")]), values(&state[&format!("{name}/bias")])].concat();
            for (found, expected) in found.iter().zip(&reference) {
                assert!(
                    (f64::from(*found) - expected[part]).abs() < 2e-6,
                    "{name}: {found}, want {}",
                    expected[part]
                );
            }
        }
        assert_eq!(values(&bias), values(&state["value/bias"]));
    }

    #[test]
    fn both_ways_to_step_agree() {
        let values = |seed: f64| (Tensor::arange(999, (Kind::Float, Device::Cpu)) * seed).sin();
        let mut optimiser =
            AdamW::new(&Settings::default(), vec![("a".to_owned(), values(0.3).view([27, 37]))]).unwrap();
        let mut twin =
            AdamW::new(&Settings::default(), vec![("a".to_owned(), values(0.3).view([27, 37]))]).unwrap();
        for step in 0..5 {
            let size = StepSize { step, learning_rate: 0.01, ema_decay: 0.5 };
            let gradient = || (values(1.0 + step as f64).view([27, 37]) + 0.5).relu();
            let rates = Rates::new(&optimiser, 0.7, size);
            optimiser.parameters[0].stretches(&mut gradient(), &rates).for_each(Stretch::step);
            twin.parameters[0].step(gradient(), &rates).unwrap();
        }
        for ((name, a), (_, b)) in optimiser.state().iter().zip(twin.state()) {
            let difference = (a - b).abs().max().double_value(&[]);
            assert!(difference < 1e-6, "{name}: {difference}");
        }
    }

    #[test]
    fn a_gradient_that_is_no_number_shows_in_the_norm() {
        let norm = |x: f32| {
            AdamW::gradient_norm(&[Tensor::from_slice(&[1.0_f32]), Tensor::from_slice(&[x])]).unwrap()
        };
        assert!(norm(f32::NAN).is_nan());
        assert!(norm(f32::INFINITY).is_infinite());
    }

    /// With AVX2, where the processor has it, and without: the same numbers to the bit.
    #[test]
    fn both_copies_step_alike() {
        let rates = Rates {
            shrink: 0.75,
            first: 0.1,
            second: 0.001,
            step: 0.0005,
            epsilon: 1e-9,
            decay: 0.999,
            average: 0.01,
        };
        let values = |seed: f32| (1..1004).map(|i| (i as f32 * seed).sin()).collect::<Vec<f32>>();
        let run = |step: fn(InOneGo, &[f32], [&mut [f32]; 4])| {
            let squares = values(0.31).iter().map(|x| x * x).collect();
            let mut parts = [values(0.37), values(0.77), squares, values(0.53)];
            let before = parts.clone();
            step(InOneGo::new(&rates, true), &values(0.19), parts.each_mut().map(Vec::as_mut_slice));
            assert!(parts.iter().zip(&before).all(|(part, before)| part != before));
            parts.map(|part| part.into_iter().map(f32::to_bits).collect::<Vec<_>>())
        };
        assert_eq!(run(InOneGo::step), run(InOneGo::step_plainly));
    }
}
