//! The `meihua` program.
fn main() {}
