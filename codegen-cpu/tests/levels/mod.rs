//! The SIMD levels that tests iterate over; every such loop calls `levels`.
//!
//! When the test binary ends, it prints the levels that this machine lacks, and how often a test skipped them.
//! `OP_DSL_REQUIRE_LEVELS=avx512,avx2` turns the lack of one of these into a failure.

use codegen_cpu::rt::simd::Level;
use std::io::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of times that a test requested the levels.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// Returns every level of this machine and this build, slowest first.
pub fn levels() -> Vec<Level> {
    if let Ok(required) = std::env::var("OP_DSL_REQUIRE_LEVELS") {
        required.split(',').for_each(require);
    }
    if cfg!(miri) {
        return vec![Level::Fallback]; // an interpreter has no vector instructions to test
    }
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| _ = atexit(report));
    ASKED.fetch_add(1, Ordering::Relaxed);
    Level::ALL.into_iter().filter(|level| level.is_available()).collect()
}

fn require(name: &str) {
    let level = Level::ALL.into_iter().find(|level| level.name() == name.trim());
    let has = level.is_some_and(Level::is_available);
    assert!(has, "OP_DSL_REQUIRE_LEVELS: this machine or build has no level `{name}`");
}

// SAFETY: the declaration matches that of the C standard.
unsafe extern "C" {
    safe fn atexit(f: extern "C" fn()) -> core::ffi::c_int;
}

/// Writes to standard error directly, because the test harness hides what a passing test prints by macros.
extern "C" fn report() {
    let (has, lacks): (Vec<_>, Vec<_>) = Level::ALL.into_iter().partition(|l| l.is_available());
    let names = |levels: &[Level]| levels.iter().map(|l| l.name()).collect::<Vec<_>>().join(", ");
    let skipped = lacks.len() * ASKED.load(Ordering::Relaxed);
    let (has, lacks) = (names(&has), names(&lacks));
    let line =
        format!("levels tested: {has}; not on this machine: {lacks} (skipped {skipped} times)\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
