//! Tells the crate at which level it is compiled: macros depend on it, and Cargo does not optimise what they depend on.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo::rustc-env=OP_DSL_FIT_LEVEL={level}");
}
