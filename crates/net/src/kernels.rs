//! Which copy of the arithmetic runs.
//!
//! It is written once as plain Rust that the compiler turns into vector instructions, and compiled twice: as it is,
//! and for AVX2. [`Kernels::best`] takes the latter where the processor has it. Both give the same to the bit (Rust
//! neither fuses nor reorders what is done to floats; integers have one sum in any order); tests compare them.

use crate::description::OUTPUTS;

/// A network's numbers, laid out for inference, and the arithmetic on them. Whoever calls it wants [`Kernels`].
pub(crate) trait Arithmetic {
    /// What the hidden layer is made of: a vector register.
    type Word;
    /// What is written between the hidden layer and the outputs.
    type Layers;

    /// How long the hidden layer is.
    fn words(&self) -> usize;

    /// Writes the hidden layer. Returns logits of win, draw and loss, and raw moves left.
    fn outputs(&self, active: &[u16], hidden: &mut [Self::Word], layers: &mut Self::Layers)
    -> [f32; OUTPUTS];

    /// Appends the logits of moves.
    fn logits(
        &self,
        hidden: &[Self::Word],
        moves: &[(u16, u16)],
        layers: &mut Self::Layers,
        logits: &mut Vec<f32>,
    );
}

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

    /// [`Arithmetic::outputs`].
    #[inline]
    pub(crate) fn outputs<N: Arithmetic>(
        self,
        net: &N,
        active: &[u16],
        hidden: &mut [N::Word],
        layers: &mut N::Layers,
    ) -> [f32; OUTPUTS] {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            #[expect(
                unsafe_code,
                reason = "half as fast again as the plain copy; `benches/sparse.rs` compares"
            )]
            // SAFETY: `avx2` is only true where the processor has AVX2, and the function wants nothing else.
            return unsafe { outputs_avx2(net, active, hidden, layers) };
        }
        net.outputs(active, hidden, layers)
    }

    /// [`Arithmetic::logits`].
    #[inline]
    pub(crate) fn logits<N: Arithmetic>(
        self,
        net: &N,
        hidden: &[N::Word],
        moves: &[(u16, u16)],
        layers: &mut N::Layers,
        logits: &mut Vec<f32>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            #[expect(
                unsafe_code,
                reason = "half as fast again as the plain copy; `benches/sparse.rs` compares"
            )]
            // SAFETY: `avx2` is only true where the processor has AVX2, and the function wants nothing else.
            return unsafe { logits_avx2(net, hidden, moves, layers, logits) };
        }
        net.logits(hidden, moves, layers, logits);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn outputs_avx2<N: Arithmetic>(
    net: &N,
    active: &[u16],
    hidden: &mut [N::Word],
    layers: &mut N::Layers,
) -> [f32; OUTPUTS] {
    net.outputs(active, hidden, layers)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn logits_avx2<N: Arithmetic>(
    net: &N,
    hidden: &[N::Word],
    moves: &[(u16, u16)],
    layers: &mut N::Layers,
    logits: &mut Vec<f32>,
) {
    net.logits(hidden, moves, layers, logits);
}
