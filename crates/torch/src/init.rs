//! What has to happen once, before anything else is asked of libtorch.

use std::sync::Once;

/// The libtorch that this program is built with: torch-sys refuses every other.
pub const LIBTORCH_VERSION: &str = "2.13.0";

/// Sets libtorch up; a program calls it once at start, before any other use of libtorch. Called again, it changes
/// the number of threads and nothing else.
///
/// `threads` (at least 1) is how many threads one operation may use. Also opens `libtorch_cuda.so` if the loader
/// finds one, so that a program built without CUDA runs on a GPU.
///
/// On a CPU all works without it too, with libtorch's own choice of threads: one for each core.
///
/// # Reproducibility
/// On a CPU the operations used here give the same bits each time for one number of threads (a test repeats a
/// training step); tch has no switch for libtorch's deterministic algorithms, which matter on GPUs only.
pub fn init(threads: i32) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        open_cuda();
        tch::set_num_interop_threads(1);
    });
    tch::set_num_threads(threads.max(1));
}

/// Ends the process at once: `std::process::exit` would run libtorch's clean-up, under which threads that still compute
/// crash.
pub fn exit_now(code: i32) -> ! {
    #[expect(unsafe_code, reason = "the standard library has no exit without clean-up")]
    // SAFETY: it takes any number and doesn't return.
    unsafe {
        libc::_exit(code)
    }
}

/// How many GPUs libtorch can use; 0 before [`init`].
pub fn gpus() -> usize {
    tch::Cuda::device_count().try_into().unwrap_or(0)
}

/// Loading the library registers its operations; where there is none, there is no GPU to use either.
fn open_cuda() {
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "there is no safe way to open a library")]
    // SAFETY: the name is a valid C string; what runs on loading is libtorch's own registration.
    unsafe {
        libc::dlopen(c"libtorch_cuda.so".as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL);
    }
}
