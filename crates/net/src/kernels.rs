//! Which copy of the arithmetic runs.
//!
//! It is written once as plain Rust that the compiler turns into vector instructions, and compiled twice: as it is,
//! and for AVX2. [`Kernels::best`] takes the latter where the processor has it. Both give the same to the bit (Rust
//! neither fuses nor reorders what is done to floats; integers have one sum in any order); tests compare them.

use crate::description::OUTPUTS;
use crate::float_kernels::{self, FloatLayers};
use crate::float_net::FloatNet;
use crate::integer_kernels::{self, IntegerLayers};
use crate::integer_net::IntegerNet;

/// The choice, made when a network is made ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kernels {
    /// Only ever true where the processor has AVX2.
    avx2: bool,
}

impl Kernels {
    /// The fastest copy that this processor runs.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        return Self { avx2: is_x86_feature_detected!("avx2") };
        #[cfg(not(target_arch = "x86_64"))]
        Self::plain()
    }

    /// The copy that runs everywhere.
    pub(crate) const fn plain() -> Self {
        Self { avx2: false }
    }

    /// Win, draw, loss logits and raw moves left for the inputs that are on; appends the moves' logits.
    #[inline]
    pub(crate) fn forward_floats(
        self,
        net: &FloatNet,
        active: &[u16],
        moves: &[(u16, u16)],
        layers: &mut FloatLayers,
        logits: &mut Vec<f32>,
    ) -> [f32; OUTPUTS] {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            #[expect(
                unsafe_code,
                reason = "half as fast again as the plain copy; `benches/sparse.rs` compares"
            )]
            // SAFETY: `avx2` is only true where the processor has AVX2, and the function wants nothing else.
            return unsafe { floats_avx2(net, active, moves, layers, logits) };
        }
        float_kernels::forward(net, active, moves, layers, logits)
    }

    /// The same for a network in integers.
    #[inline]
    pub(crate) fn forward_integers(
        self,
        net: &IntegerNet,
        active: &[u16],
        moves: &[(u16, u16)],
        layers: &mut IntegerLayers,
        logits: &mut Vec<f32>,
    ) -> [f32; OUTPUTS] {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            #[expect(
                unsafe_code,
                reason = "half as fast again as the plain copy; `benches/sparse.rs` compares"
            )]
            // SAFETY: `avx2` is only true where the processor has AVX2, and the function wants nothing else.
            return unsafe { integers_avx2(net, active, moves, layers, logits) };
        }
        integer_kernels::forward(net, active, moves, layers, logits)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn floats_avx2(
    net: &FloatNet,
    active: &[u16],
    moves: &[(u16, u16)],
    layers: &mut FloatLayers,
    logits: &mut Vec<f32>,
) -> [f32; OUTPUTS] {
    float_kernels::forward(net, active, moves, layers, logits)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn integers_avx2(
    net: &IntegerNet,
    active: &[u16],
    moves: &[(u16, u16)],
    layers: &mut IntegerLayers,
    logits: &mut Vec<f32>,
) -> [f32; OUTPUTS] {
    integer_kernels::forward(net, active, moves, layers, logits)
}
