//! A call allocates nothing, whatever the layout and the number of threads.

mod driver;

use codegen_cpu::rt::call::Options;
use driver::{Tensor, gated};
use op_dsl_ir::DType;
use op_dsl_ir::op::{Pattern, Value};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator, with a count of its allocations.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is forwarded to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

// A single test, because a second one would allocate at the same time.
#[test]
fn calls_do_not_allocate() {
    let attrs = [Value::Int(-1), Value::Bool(true)];
    let op = gated(Pattern::Halves);
    for (rows, columns) in [(1, 1), (3, 7), (40, 64), (700, 1000)] {
        // Contiguous, and with columns outermost.
        let layouts = [[1, 0], [0, 1]].map(|order| {
            [1, 2, 1, 2].map(|parts| {
                let shape = [rows, parts * columns];
                Tensor::laid_out(DType::F32, &shape, &order, &[0; 2], &[false; 2], 0, 1)
            })
        });
        for [dy, x, gelu, mut dx] in layouts {
            for threads in [1, 2] {
                let options = Options { threads, ..Options::default() };
                let inputs = [dy.view().unwrap(), x.view().unwrap(), gelu.view().unwrap()];
                let mut call = || {
                    op.run(&attrs, &inputs, &mut [dx.view_mut().unwrap()], &options).unwrap();
                };
                // The count includes the start of threads and the test harness, but these do not allocate in every call.
                let count = || {
                    let before = ALLOCATIONS.load(Ordering::Relaxed);
                    call();
                    ALLOCATIONS.load(Ordering::Relaxed) - before
                };
                let count = std::iter::repeat_with(count).take(20).min();
                assert_eq!(count, Some(0), "{rows}x{columns}, {threads} threads");
            }
        }
    }
}
