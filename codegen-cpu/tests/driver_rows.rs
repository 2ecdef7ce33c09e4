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
/// Number of allocations, of which the best counts, because other load may last longer than the runs of one, and in some of them short
/// rows take 1.6 times as long in all runs (Zen 4).
const ALLOCATIONS: usize = 12;
/// Number of floats in a cache line.
const LINE: usize = 16;
/// Number of floats between the end of a stream and the start of the next.
///
/// Streams begin with a cache line, at different places of their pages. Otherwise rows wait for each other for these reasons as well,
/// and take 1.25 to 1.7 times as long.
const APART: usize = 9 * LINE;
/// Upper bound on the ratio of the times of short rows and one long row, with AVX-512.
///
/// On a busy Zen 5 short rows take 1.13 to 1.28 times as long. Pointers read two at once make that 1.36 to 1.59. It is near the latter,
/// because processors differ.
const AT_MOST: f64 = 1.35;

/// Measures the time of all rows, with one call of the kernel each.
fn time(memory: &mut [&mut [f32]], (rows, steps): (usize, usize), step: usize) -> Duration {
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

/// A pointer that crosses a cache line waits for all earlier stores.
#[test]
fn pointers_are_in_whole_cache_lines() {
    assert_eq!((align_of::<Streams>(), std::mem::offset_of!(Streams, start)), (64, 0));
}

/// Reading freshly written pointers must not wait for the results of the previous rows.
///
/// Store forwarding can fail there, and then a load waits until all earlier stores have reached the cache: short rows took half
/// as long again. Only vectors of 512 bits show it, because steps of 256 bits take less time than the call itself, which on Zen
/// 1 hides the wait (2.6 times the long row without it, 2.9 with it).
#[test]
#[ignore = "measures time, also of what else the machine does: .ci/deep everything"]
fn short_rows_do_not_wait_for_each_other() {
    // The list of levels reports at exit that this machine has no AVX-512.
    if levels().last() != Some(&Level::Avx512) {
        return;
    }
    let step = Kernels::step(DType::F32, Level::best());
    // Allocations stay, so that the next one has other pages.
    let (mut seen, mut earlier) = (Vec::new(), Vec::new());
    let size = LONG.1 * step + APART;
    for more in 0..ALLOCATIONS {
        let mut all = vec![1f32; STREAMS * size + 256 * more + LINE];
        let first = all.as_ptr().align_offset(LINE * size_of::<f32>());
        let streams = all[first..].chunks_exact_mut(size).take(STREAMS);
        let mut memory: Vec<&mut [f32]> = streams.collect();
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
        earlier.push(all);
    }
    panic!("short rows beside a long one: {seen:?}");
}
