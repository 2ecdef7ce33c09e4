//! Element type conversion of inputs and results, as a kernel loads and stores them.

use super::converted::Converted;
use super::elem::El;
use super::simd::Isa;
use super::step::{Bits, Floats, PAIR};
use crate::{with_element, with_stored};
use op_dsl_ir::{DType, Stored};

/// Stores results of a kernel of type `E` as another type that kernels compute in: one step, or two interleaved ones.
///
/// Values are rounded to `E` first, then to the nearest number of the type `to`.
///
/// # Safety
/// As [`El::store`] of the other type or, for two steps, its [`El::store_turns`].
#[inline(always)]
pub(super) unsafe fn store_as<S: Isa, E: El, const W: usize, const N: usize>(
    s: S,
    to: DType,
    p: *mut u8,
    v: [Floats<S, W>; N],
    nt: bool,
) {
    // SAFETY: passed on from the caller.
    unsafe { with_element!(to, F => store::<S, E, F, W, N>(s, p.cast(), v, nt)) }
}

/// Stores a step of results of a kernel of type `E` as type `to`, without rounding them to `E`.
///
/// # Safety
/// `p` must be valid for writes of one step, and aligned to a vector when `nt`.
#[inline(always)]
pub(super) unsafe fn store_own<S: Isa, E: El, const W: usize>(
    s: S,
    to: Stored,
    p: *mut u8,
    v: Floats<S, W>,
    nt: bool,
) {
    // SAFETY: passed on from the caller.
    with_stored!(to, T => unsafe { converted_apart::<S, E, T, W>(s, p.cast(), v.bits(), nt) });
}

/// Loads the step from element `at` on of a stream of a type that is known at run time, in the lane order of type `E`.
///
/// # Safety
/// `start` must be valid for reads of that step; it need not be aligned.
#[inline(always)]
pub(super) unsafe fn load_as<S: Isa, E: El, const W: usize>(
    s: S,
    stored: Stored,
    start: *const u8,
    at: usize,
) -> Floats<S, W> {
    let mut v = Floats::splat(s, 0.0);
    // SAFETY: passed on from the caller.
    with_stored!(stored, T => unsafe {
        v = load_converted::<S, E, T, W>(s, start.cast::<T>().add(at));
    });
    v
}

/// Loads a step of elements of any type, in the lane order of type `E`.
///
/// # Safety
/// `p` must be valid for reads of one step; it need not be aligned.
#[inline(always)]
pub(super) unsafe fn load_converted<S: Isa, E: El, T: Converted, const W: usize>(
    s: S,
    p: *const T,
) -> Floats<S, W> {
    // SAFETY: passed on from the caller.
    let mut v = unsafe { T::load_in_order(s, p) };
    for k in (0..W).step_by(PAIR) {
        v.set_pair(k, E::from_memory_order(s, v.pair(k)));
    }
    v
}

/// Converts a step of results from the lane order of type `E`, and stores it.
///
/// # Safety
/// `p` must be valid for writes of one step, and aligned to a vector when `nt`.
#[inline(always)]
pub(super) unsafe fn store_converted<S: Isa, E: El, T: Converted, const W: usize>(
    s: S,
    p: *mut T,
    mut v: Floats<S, W>,
    nt: bool,
) {
    for k in (0..W).step_by(PAIR) {
        v.set_pair(k, E::to_memory_order(v.pair(k)));
    }
    // SAFETY: passed on from the caller.
    unsafe { T::store_in_order(s, p, v, nt) }
}

/// Out-of-line version of [`store_converted`].
///
/// # Safety
/// As [`store_converted`].
#[inline(never)]
unsafe fn converted_apart<S: Isa, E: El, T: Converted, const W: usize>(
    s: S,
    p: *mut T,
    v: Bits<S, W>,
    nt: bool,
) {
    s.vectorize(
        #[inline(always)]
        || {
            // SAFETY: passed on from the caller.
            unsafe { store_converted::<S, E, T, W>(s, p, v.floats(), nt) }
        },
    )
}

/// Stores results of type `E` as type `F`: inline if `F` is larger than `E`, else out of line.
///
/// Inline stores for all types would make kernels 5 % larger. The store of a larger type is inlined because there is more to
/// write than to compute, and a call for each step costs a tenth.
///
/// # Safety
/// As [`store_as`] with `F`.
#[inline(always)]
unsafe fn store<S: Isa, E: El, F: El, const W: usize, const N: usize>(
    s: S,
    p: *mut F,
    v: [Floats<S, W>; N],
    nt: bool,
) {
    // SAFETY: passed on from the caller.
    unsafe {
        match const { size_of::<F>() > size_of::<E>() } {
            true => store_here::<S, E, F, W, N>(s, p, v, nt),
            false if const { N == 2 } => {
                store_two_apart::<S, E, F, W>(s, p, v[0].bits(), v[N - 1].bits(), nt)
            }
            false => store_apart::<S, E, F, W>(s, p, v[0].bits(), nt),
        }
    }
}

/// Out-of-line version of [`store_here`] for one step.
///
/// # Safety
/// As [`store`].
#[inline(never)]
unsafe fn store_apart<S: Isa, E: El, F: El, const W: usize>(
    s: S,
    p: *mut F,
    v: Bits<S, W>,
    nt: bool,
) {
    s.vectorize(
        #[inline(always)]
        || {
            // SAFETY: passed on from the caller.
            unsafe { store_here::<S, E, F, W, 1>(s, p, [v.floats()], nt) }
        },
    )
}

/// Out-of-line version of [`store_here`] for one step of each of two interleaved streams.
///
/// # Safety
/// As [`store`].
#[inline(never)]
unsafe fn store_two_apart<S: Isa, E: El, F: El, const W: usize>(
    s: S,
    p: *mut F,
    first: Bits<S, W>,
    second: Bits<S, W>,
    nt: bool,
) {
    s.vectorize(
        #[inline(always)]
        || {
            // SAFETY: passed on from the caller.
            unsafe { store_here::<S, E, F, W, 2>(s, p, [first.floats(), second.floats()], nt) }
        },
    )
}

/// Rounds results to type `E`, then to type `F`, and stores them: one step, or two interleaved ones.
///
/// # Safety
/// As [`store`].
#[inline(always)]
unsafe fn store_here<S: Isa, E: El, F: El, const W: usize, const N: usize>(
    s: S,
    p: *mut F,
    mut v: [Floats<S, W>; N],
    nt: bool,
) {
    for v in &mut v {
        for k in (0..W).step_by(PAIR) {
            let pair = E::to_memory_order(E::rounded(s, v.pair(k)));
            v.set_pair(k, F::from_memory_order(s, pair));
        }
    }
    const { assert!(N == 1 || N == 2) }
    // SAFETY: passed on from the caller.
    unsafe {
        match const { N == 2 } {
            true => F::store_turns(s, p, [v[0], v[N - 1]], nt),
            false => F::store(s, p, v[0], nt),
        }
    }
}
