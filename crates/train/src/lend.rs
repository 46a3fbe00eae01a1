//! The numbers of libtorch's tensors, without a copy.

use tch::{Device, Kind, Tensor};

/// The numbers of a contiguous f32 tensor on the CPU.
#[expect(unsafe_code, reason = "tch lends no slices, and copies would cost as much as the step")]
pub(crate) fn numbers(tensor: &Tensor) -> &[f32] {
    check(tensor);
    // SAFETY: by the check `numel` f32 lie in a row from `data_ptr`, initialised by libtorch. They live as long as the
    // tensor, which the result borrows. Other handles on the same memory are the trainer's, which changes nothing
    // through them while it reads.
    unsafe { std::slice::from_raw_parts(tensor.data_ptr().cast(), tensor.numel()) }
}

/// The same, to be written.
#[expect(unsafe_code, reason = "see `numbers`")]
pub(crate) fn numbers_mut(tensor: &mut Tensor) -> &mut [f32] {
    check(tensor);
    // SAFETY: as for `numbers`. Other handles on the same memory are the trainer's, which neither reads nor computes
    // with them while it writes.
    unsafe { std::slice::from_raw_parts_mut(tensor.data_ptr().cast(), tensor.numel()) }
}

fn check(tensor: &Tensor) {
    assert!(
        tensor.device() == Device::Cpu
            && tensor.kind() == Kind::Float
            && tensor.is_contiguous()
            && 0 < tensor.numel(),
        "{tensor:?} has no numbers to lend"
    );
}
