//! One element type -> another: as a kernel stores its results, and as a box comes to scratch memory.

use super::block::{BlockFn, Body, Input, Kernels, Streams};
use super::elem::El;
use super::job::Job;
use super::scratch::Strided;
use super::simd::{Isa, Level};
use super::step::{Bits, Floats, Load, PAIR};
use half::{bf16, f16};
use op_dsl_ir::DType;

/// Stores a step, or two that take turns, which a kernel of type `E` has computed as elements of another type:
/// rounded to `E`, then to the nearest of the other.
///
/// # Safety
/// As [`El::store`] or, of two, [`El::store_turns`] of the other type.
#[inline(always)]
pub(super) unsafe fn store_as<S: Isa, E: El, const W: usize, const N: usize>(
    s: S,
    to: DType,
    p: *mut u8,
    v: [Floats<S, W>; N],
    nt: bool,
) {
    // SAFETY: passed on from the caller.
    unsafe {
        match to {
            DType::F16 => store::<S, E, f16, W, N>(s, p.cast(), v, nt),
            DType::BF16 => store::<S, E, bf16, W, N>(s, p.cast(), v, nt),
            DType::F32 => store::<S, E, f32, W, N>(s, p.cast(), v, nt),
        }
    }
}

/// Out of line, as kernels would be 5 % larger. But to a larger type in place: there is more to write than
/// to compute, and a call for each step costs a tenth.
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

/// Copies elements; to another type if its output is of another.
struct Copy;

impl Body<1, 0, 1> for Copy {
    #[inline(always)]
    fn eval<S: Isa, E: El, const W: usize>(
        _: S,
        [x]: [Input<'_, S, E, W>; 1],
        _: [Floats<S, W>; 0],
    ) -> [Floats<S, W>; 1] {
        [x.load()]
    }
}

/// The kernels that convert elements of each type, in the order of [`DType`].
pub(super) type Converters = [BlockFn; DType::COUNT];

/// None if this build lacks the level.
pub(super) fn converters(level: Level) -> Option<Converters> {
    const COPY: &Kernels = &Kernels::of::<Copy, 1, 0, 1>();
    let [f16, bf16, f32] = DType::ALL.map(|from| COPY.get(from, level));
    Some([f16?, bf16?, f32?])
}

/// Copies a box to a slot, in the kernel's element type.
///
/// What is converted to a larger type starts out in the upper part of the slot, to the same or a smaller type in the
/// lower: so each step is read before another is written over it.
///
/// # Safety
/// The box must be valid for reads. The slot must be initialised and have room for its elements
/// in whole steps of both types.
pub(super) unsafe fn gather(job: &Job, b: Strided, slot: *mut u8) {
    // SAFETY: passed on from the caller; no tensor is in scratch memory.
    unsafe {
        if b.dtype == job.dtype {
            return b.copy::<true>(slot);
        }
        let step = Kernels::step(b.dtype, job.level);
        let steps = b.elements().div_ceil(step);
        let from = slot.add(steps * step * job.dtype.size().saturating_sub(b.dtype.size()));
        b.copy::<true>(from);
        let mut io = Streams::of(job.dtype);
        (io.start[0], io.start[1]) = (from, slot);
        (job.converters[b.dtype as usize])(&io, steps, false);
    }
}
