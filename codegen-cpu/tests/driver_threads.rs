//! Threads that work on a call, and their floating-point environment.

mod driver;

use codegen_cpu::rt::block::{Body, Input, Kernels};
use codegen_cpu::rt::call::{Operator, Options};
use codegen_cpu::rt::elem::El;
use codegen_cpu::rt::simd::Isa;
use codegen_cpu::rt::step::Floats;
use codegen_cpu::rt::view::{View, ViewMut};
use driver::{Binary, binary, binary_with};
use op_dsl_ir::op::Value;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

const ATTRS: [Value; 1] = [Value::Float(0.1)];
/// Elements that are worth several threads.
const MANY: usize = 1 << 20;

thread_local! {
    /// Whether this thread may work on calls.
    static CALLS: Cell<bool> = const { Cell::new(false) };
    /// Memory that only this thread can reach.
    static OWN: Vec<Cell<f32>> = vec![Cell::new(3.0); MANY];
}

/// Steps that other threads have computed.
static STRAYS: AtomicUsize = AtomicUsize::new(0);

/// [`Binary`], with a record of the threads that compute.
struct Witness;

impl Body<2, 1, 1> for Witness {
    #[inline(always)]
    fn eval<S: Isa, E: El, const W: usize>(
        s: S,
        x: [Input<'_, S, E, W>; 2],
        c: [Floats<S, W>; 1],
    ) -> [Floats<S, W>; 1] {
        STRAYS.fetch_add(!CALLS.get() as usize, Ordering::Relaxed);
        Binary::eval(s, x, c)
    }
}

fn witness() -> Operator {
    binary_with(const { &[Kernels::of::<Witness, 2, 1, 1>()] })
}

/// A call on cells must run on its thread alone, and must not wait for others.
///
/// Meanwhile the pool has tasks that change cells of the thread they run on. A thread that shared its work would wait for the
/// other, and run such tasks.
#[test]
fn calls_on_cells_stay_on_their_thread_and_wait_for_nobody() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let done = AtomicBool::new(false);
    let call = || {
        let mut z = vec![0f32; MANY];
        OWN.with(|cells| {
            let x = View::from_cells(cells, &[MANY], &[1], 0).unwrap();
            let out = ViewMut::new(&mut z, &[MANY]).unwrap();
            let options = Options { threads: 8, ..Options::default() };
            witness().run(&ATTRS, &[x, x], &mut [out], &options).unwrap();
        });
        z.iter().all(|z| *z == 9.0 - 0.1)
    };
    let all = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                pool.spawn(|| OWN.with(|cells| cells.iter().for_each(|c| c.set(f32::NAN))));
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        pool.install(|| {
            OWN.with(|cells| cells.iter().for_each(|c| c.set(3.0)));
            CALLS.set(true);
            let all = (0..40).all(|_| call());
            CALLS.set(false);
            done.store(true, Ordering::Relaxed);
            all
        })
    });
    assert_eq!(STRAYS.load(Ordering::Relaxed), 0);
    assert!(all);
}

/// Access to the floating-point environment of a thread.
#[cfg(target_arch = "x86_64")]
mod mode {
    use std::arch::asm;

    /// Rounds upward, treats denormals as zeros on input and output.
    pub const ODD: u64 = 0x1f80 | 0x4000 | 0x8000 | 0x40;

    pub fn get() -> u64 {
        let mut bits = 0u32;
        // SAFETY: writes four bytes to the address of the variable.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut bits) };
        u64::from(bits & 0xffc0)
    }

    pub fn set(bits: u64) {
        let bits = bits as u32;
        // SAFETY: reads four bytes from the address of the variable; the test restores the mode.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &bits) };
    }
}

#[cfg(target_arch = "aarch64")]
mod mode {
    use std::arch::asm;

    /// Rounds upward, treats denormals as zeros on input and output.
    pub const ODD: u64 = 1 << 22 | 1 << 24;

    pub fn get() -> u64 {
        let bits;
        // SAFETY: every program may read this register.
        unsafe { asm!("mrs {}, fpcr", out(reg) bits) };
        bits
    }

    pub fn set(bits: u64) {
        // SAFETY: the test restores the mode.
        unsafe { asm!("msr fpcr, {}", in(reg) bits) };
    }
}

/// Kernels must run in the default environment, whatever that of the caller and of helper threads is.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn no_bit_depends_on_the_callers_floating_point_mode() {
    // Data whose products are inexact, and others whose products are denormal.
    let x: Vec<f32> = driver::values(1).take(MANY).collect();
    let y: Vec<f32> = driver::values(2).take(MANY).map(|y| y * 1e-38).collect();
    let run = |n: usize, alpha, threads| {
        let mut z = vec![0f32; n];
        let views = [View::new(&x, &[n]).unwrap(), View::new(&y, &[n]).unwrap()];
        let options = Options { threads, ..Options::default() };
        let out = ViewMut::new(&mut z, &[n]).unwrap();
        binary().run(&[Value::Float(alpha)], &views, &mut [out], &options).unwrap();
        z.into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    for (n, alpha) in [(7, 0.1), (7, 0.0), (100, 0.0), (MANY, 0.1), (MANY, 0.0)] {
        let want = run(n, alpha, 1);
        let own = mode::get();
        for threads in [1, 2, 7] {
            assert!(run(n, alpha, threads) == want, "{threads} threads");
            mode::set(mode::ODD);
            let (got, after) = (run(n, alpha, threads), mode::get());
            mode::set(own);
            assert!(got == want, "{threads} threads, {n} elements in another mode");
            assert_eq!(after, mode::ODD, "the caller's mode comes back");
        }
    }
}
