//! Tells the linker where libtorch lies, so that binaries and tests find it without `LD_LIBRARY_PATH`. The build script of
//! every crate that makes one of them and reaches libtorch.

fn main() {
    println!("cargo:rerun-if-changed=../torch/build.rs");
    let lib = std::env::var("DEP_TCH_LIBTORCH_LIB")
        .expect("torch-sys tells its direct dependents where libtorch is");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{lib}");
    // A full CUDA libtorch: the linker would drop libtorch_cuda, which nothing names, and with it the GPU.
    if std::path::Path::new(&lib).join("libtorch_cuda.so").exists() {
        println!("cargo:rustc-link-arg=-Wl,--no-as-needed,-ltorch_cuda,--as-needed");
    }
}
