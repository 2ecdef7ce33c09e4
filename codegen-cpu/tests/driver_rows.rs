//! What a row costs beside its elements: nothing that depends on the rows before it.

mod levels;

use codegen_cpu::rt::block::{Kernels, Streams};
use codegen_cpu::rt::floor::floor_kernels;
use codegen_cpu::rt::simd::Level;
use levels::levels;
use op_dsl_ir::DType;
use std::time::{Duration, Instant};

const STREAMS: usize = 6;
/// Rows, and steps of each: all streams fit into the second cache, not into the first.
const SHORT: (usize, usize) = (256, 2);
/// The same memory as one row.
const LONG: (usize, usize) = (1, SHORT.0 * SHORT.1);
/// Of so many runs the shortest counts: what else the machine does passes by.
const RUNS: usize = 2000;
/// The best of this many allocations counts: some have pages with which short rows take 1.7 times as long, four in a row in one
/// run of six on a busy Zen 4. With 16 no run of 60 failed, and all of 20 with pointers read two at once.
const ALLOCATIONS: usize = 16;
/// With AVX-512: on a busy Zen 4 short rows take 1.24 times as long as they ought to; pointers read two at once made that 1.54 at least.
const AT_MOST: f64 = 1.4;

/// The time of all rows, one call of the kernel each.
fn time(memory: &mut [Vec<f32>], (rows, steps): (usize, usize), step: usize) -> Duration {
    let kernels = floor_kernels(STREAMS - 2, 2).expect("a floor of so many streams");
    let kernel = kernels.get(DType::F32, Level::best()).expect("of this machine");
    let mut io = Streams::of(DType::F32);
    let start = Instant::now();
    for row in 0..rows {
        for (start, memory) in io.start.iter_mut().zip(&mut *memory) {
            *start = memory[row * steps * step..].as_mut_ptr().cast();
        }
        // SAFETY: every stream has so many steps from where the row starts; the CPU has the level.
        unsafe { kernel(&io, steps, false) };
    }
    start.elapsed()
}

/// A kernel reads pointers that were written just before. It may not do so in a way that waits until all results of the
/// rows before have reached the cache: short rows took half as long again. Only vectors of 512 bits tell: steps of 256 bits
/// take less than the call itself, which on Zen 1 hides the wait (2.6 times the long row without it, 2.9 with it).
#[test]
#[cfg_attr(any(debug_assertions, miri, not(target_arch = "x86_64")), ignore = "measures time")]
fn short_rows_do_not_wait_for_each_other() {
    // The list of levels prints at exit that this machine has no AVX-512.
    if levels().last() != Some(&Level::Avx512) {
        return;
    }
    let step = Kernels::step(DType::F32, Level::best());
    let mut seen = Vec::new();
    for more in 0..ALLOCATIONS {
        let mut memory: Vec<_> =
            (0..STREAMS).map(|_| vec![1f32; LONG.1 * step + 256 * more]).collect();
        let mut least = [Duration::MAX; 2];
        for _ in 0..RUNS {
            for (least, shape) in least.iter_mut().zip([SHORT, LONG]) {
                *least = time(&mut memory, shape, step).min(*least);
            }
        }
        let [short, long] = least;
        if short.as_secs_f64() < AT_MOST * long.as_secs_f64() {
            return;
        }
        seen.push(least);
    }
    panic!("short rows beside a long one: {seen:?}");
}
