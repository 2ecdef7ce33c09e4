//! Tells the compiler what the build scripts of the libraries would.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(without_avx2, without_avx512)");
    println!(
        "cargo::rustc-env=OP_DSL_FIT_LEVEL={}",
        std::env::var("OPT_LEVEL").unwrap_or_default()
    );
}
