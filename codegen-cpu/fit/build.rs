//! Passes the crate's optimisation level to it.
//!
//! The level matters because macros depend on this crate, and Cargo does not optimise dependencies of macros by default.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo::rustc-env=OP_DSL_FIT_LEVEL={level}");
}
