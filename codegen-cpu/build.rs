//! Selects the SIMD levels that kernels are compiled for.
//!
//! By default these are all levels of the architecture. With `OP_DSL_LEVELS=host` only what this machine uses is built, so that
//! a program that stays on it compiles half as many kernels.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=OP_DSL_LEVELS");
    for level in ["avx2", "avx512"] {
        println!("cargo::rustc-check-cfg=cfg(without_{level})");
    }
    match env::var("OP_DSL_LEVELS").as_deref() {
        Err(_) | Ok("" | "all") => {}
        Ok("host") => {
            if let Some(level) = unused() {
                println!("cargo::rustc-cfg=without_{level}");
            }
        }
        Ok(other) => println!("cargo::error=OP_DSL_LEVELS={other}: allowed: all, host"),
    }
}

/// Returns the AVX level that this machine does not use, or `None` when cross-compiling.
fn unused() -> Option<&'static str> {
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() != Ok(env::consts::ARCH) {
        return None;
    }
    #[cfg(target_arch = "x86_64")]
    {
        // These three stand for all extensions of Ice Lake, because no processor has the last two without the others.
        let has_avx512 = std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512vbmi2")
            && std::is_x86_feature_detected!("avx512vpopcntdq");
        Some(if has_avx512 { "avx2" } else { "avx512" })
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}
