//! Time per row: it must not depend on the rows before.

mod levels;

use codegen_cpu::rt::abi::Streams;
use codegen_cpu::rt::block::Kernels;
use codegen_cpu::rt::floor::floor_kernels;
use codegen_cpu::rt::simd::Level;
use levels::levels;
use op_dsl_ir::DType;
use std::time::{Duration, Instant};

const STREAMS: usize = 6;
/// Number of rows, and steps of each: all streams fit into the L2 cache, but not into L1.
const SHORT: (usize, usize) = (256, 2);
/// The same memory as one row.
const LONG: (usize, usize) = (1, SHORT.0 * SHORT.1);
/// Number of runs, of which the shortest counts, so that other load on the machine does not matter.
const RUNS: usize = 2000;
/// Number of allocations, of which the best counts.
///
/// Some have pages with which short rows take 1.7 times as long, four in a row in one run of six on a busy Zen 4. With 16 no
/// run of 60 failed, and with pointers read two at once all of 20 failed.
const ALLOCATIONS: usize = 16;
/// Upper bound on the ratio of the times of short rows and one long row, with AVX-512.
///
/// On a busy Zen 4 short rows take 1.24 times as long. Pointers read two at once made that 1.54 at least.
const AT_MOST: f64 = 1.4;

/// Measures the time of all rows, with one call of the kernel each.
fn time(memory: &mut [Vec<f32>], (rows, steps): (usize, usize), step: usize) -> Duration {
    let kernels = floor_kernels(STREAMS - 2, 2).expect("a floor of so many streams");
    let kernel = kernels.get(DType::F32, Level::best()).expect("of this machine");
    let mut io = Streams::of(DType::F32);
    let start = Instant::now();
    for row in 0..rows {
        for (start, memory) in io.start.iter_mut().zip(&mut *memory) {
            *start = memory[row * steps * step..].as_mut_ptr().cast();
        }
        // SAFETY: every stream has `steps` steps from the start of the row; the CPU supports the SIMD level.
        unsafe { kernel(&io, steps, false) };
    }
    start.elapsed()
}

/// Reading freshly written pointers must not wait for the results of the previous rows.
///
/// Store forwarding can fail there, and then a load waits until all earlier stores have reached the cache: short rows took half
/// as long again. Only vectors of 512 bits show it, because steps of 256 bits take less time than the call itself, which on Zen
/// 1 hides the wait (2.6 times the long row without it, 2.9 with it).
#[test]
#[cfg_attr(any(debug_assertions, miri, not(target_arch = "x86_64")), ignore = "measures time")]
fn short_rows_do_not_wait_for_each_other() {
    // The list of levels reports at exit that this machine has no AVX-512.
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
