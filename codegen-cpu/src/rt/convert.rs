//! Boxes of any element type <-> scratch memory in the kernel's.
//!
//! What is converted to a larger type starts out in the upper part of its place, to the same or a smaller type in
//! the lower: so each step is read before another is written over it.

use super::block::Kernels;
use super::elem::El;
use super::line::STEP_BYTES;
use super::plan::Job;
use super::scratch::{Strided, copy_line};
use super::simd::{AtLevel, Isa, Level};
use super::step::{Floats, PAIR};
use core::array::from_fn;
use fearless_simd::prelude::*;
use half::{bf16, f16};
use op_dsl_ir::DType;

/// Elements of a step of a conversion.
fn step(job: &Job) -> usize {
    PAIR * job.level.lanes()
}

/// Where so many elements start in their place, in bytes, before they are converted.
fn lead(job: &Job, elements: usize, from: DType, to: DType) -> usize {
    elements.next_multiple_of(step(job)) * to.size().saturating_sub(from.size())
}

/// Where the kernel writes a box of an output that has the slot.
pub(super) fn home(job: &Job, b: &Strided, slot: *mut u8) -> *mut u8 {
    slot.wrapping_add(lead(job, b.elements(), job.dtype, b.dtype))
}

/// Copies a box to a slot, in the kernel's element type.
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
        let (b, n) = (b.joined(), b.elements());
        let types = [b.dtype, job.dtype];
        if b.is_line() {
            return convert_line(job, types, b.ptr, slot, n, false);
        }
        let from = slot.wrapping_add(lead(job, n, b.dtype, job.dtype));
        b.copy::<true>(from);
        convert(job.level, types, from, slot, n.div_ceil(step(job)), false);
    }
}

/// Copies what the kernel wrote at [`home`] to the box; past the caches if asked to, where it can.
///
/// # Safety
/// The box must be valid for writes; else as [`gather`].
pub(super) unsafe fn scatter(job: &Job, b: Strided, slot: *mut u8, streaming: bool) {
    let (from, n) = (home(job, &b, slot), b.elements());
    // SAFETY: passed on from the caller; no tensor is in scratch memory.
    unsafe {
        if b.dtype == job.dtype {
            return b.copy::<false>(from);
        }
        let b = b.joined();
        let types = [job.dtype, b.dtype];
        if !b.is_line() {
            convert(job.level, types, from, slot, n.div_ceil(step(job)), false);
            return b.copy::<false>(slot);
        }
        // To the next cache line, if elements do not lie across lines.
        let bytes = b.ptr.align_offset(Kernels::ALIGN);
        let streaming = streaming && bytes.is_multiple_of(b.dtype.size());
        let head = if streaming { (bytes / b.dtype.size()).min(n) } else { 0 };
        convert_line(job, types, from, b.ptr, head, false);
        let from = from.add(head * job.dtype.size());
        let to = b.ptr.add(head * b.dtype.size());
        convert_line(job, types, from, to, n - head, streaming);
    }
}

/// Converts `n` elements that lie side by side; past the caches if `nt`.
///
/// # Safety
/// `from` must be valid for reads, and `to` for writes, of `n` elements; they must not overlap. `to` must be aligned to
/// [`Kernels::ALIGN`] if `nt`. The job's level must be available.
unsafe fn convert_line(
    job: &Job,
    types: [DType; 2],
    from: *const u8,
    to: *mut u8,
    n: usize,
    nt: bool,
) {
    let steps = n / step(job);
    let (done, rest) = (steps * step(job), n % step(job));
    let [from_size, to_size] = types.map(DType::size);
    let mut part = [[0u8; STEP_BYTES]; 2];
    let [before, after] = part.each_mut().map(|part| part.as_mut_ptr());
    // SAFETY: passed on from the caller; a part has room for a step.
    unsafe {
        convert(job.level, types, from, to, steps, nt);
        if rest > 0 {
            copy_line(
                from.add(done * from_size).cast::<u16>(),
                before.cast(),
                rest * from_size / 2,
            );
            convert(job.level, types, before, after, 1, false);
            copy_line(after.cast::<u16>(), to.add(done * to_size).cast(), rest * to_size / 2);
        }
    }
}

/// An element type whose steps are read and written in the order of memory.
trait Ordered: El {
    /// # Safety
    /// As [`El::load`].
    #[inline(always)]
    unsafe fn read<S: Isa>(s: S, from: *const Self) -> Floats<S> {
        // SAFETY: passed on from the caller.
        unsafe { Self::load(s, from) }
    }

    /// # Safety
    /// As [`El::store`].
    #[inline(always)]
    unsafe fn write<S: Isa>(s: S, to: *mut Self, v: Floats<S>, nt: bool) {
        // SAFETY: passed on from the caller.
        unsafe { Self::store(s, to, v, nt) }
    }
}

impl Ordered for f32 {}
impl Ordered for f16 {}

/// [`El`] has even elements apart from odd ones.
impl Ordered for bf16 {
    #[inline(always)]
    unsafe fn read<S: Isa>(s: S, from: *const bf16) -> Floats<S> {
        let from = from.cast::<<S::u16s as SimdBase<S>>::Array>();
        // SAFETY: the caller vouches for the bytes; `read_unaligned` asks for no alignment.
        let (lo, hi) = S::u16s::load_array(s, unsafe { from.read_unaligned() }).widen();
        Floats([(lo << 16).bitcast(), (hi << 16).bitcast()])
    }

    #[inline(always)]
    unsafe fn write<S: Isa>(s: S, to: *mut bf16, v: Floats<S>, nt: bool) {
        let [lo, hi] = from_fn(
            #[inline(always)]
            |k| {
                let v = v.0[k];
                // Rounding could carry a payload into the sign.
                let v = v.simd_eq(v).select(v, S::f32s::splat(s, f32::NAN));
                let bits: S::u32s = v.bitcast();
                (bits + ((bits >> 16) & 1) + 0x7fff) >> 16
            },
        );
        let v = lo.narrow(hi);
        // SAFETY: the caller vouches for the bytes and, when `nt`, for the alignment.
        unsafe {
            match nt {
                true => s.stream(to.cast(), v.bitcast()),
                false => to.cast::<<S::u16s as SimdBase<S>>::Array>().write_unaligned(v.to_array()),
            }
        }
    }
}

/// # Safety
/// As [`convert`].
#[inline(always)]
unsafe fn convert_steps<S: Isa, E: Ordered, F: Ordered>(
    s: S,
    from: *const u8,
    to: *mut u8,
    steps: usize,
    nt: bool,
) {
    s.vectorize(
        #[inline(always)]
        || {
            let (from, to) = (from.cast::<E>(), to.cast::<F>());
            for i in 0..steps {
                let at = i * PAIR * S::f32s::LEN;
                // SAFETY: the caller vouches for `steps` steps.
                unsafe { F::write(s, to.add(at), E::read(s, from.add(at)), nt) }
            }
        },
    )
}

/// Converts `steps` steps of two `f32` vectors, each element to the nearest.
///
/// # Safety
/// `from` must be valid for reads, and `to` for writes, of `steps` steps; they may overlap if each step is
/// read before it is written over. `to` must be aligned to [`Kernels::ALIGN`] if `nt`.
unsafe fn convert(
    level: Level,
    types: [DType; 2],
    from: *const u8,
    to: *mut u8,
    steps: usize,
    nt: bool,
) {
    struct Call([DType; 2], *const u8, *mut u8, usize, bool);
    impl AtLevel for Call {
        type Output = ();
        fn at<S: Isa>(self, s: S) {
            use DType::{BF16, F16, F32};
            let Call(types, from, to, steps, nt) = self;
            // SAFETY: the caller of `convert` vouches for the pointers.
            unsafe {
                match types {
                    [F16, F32] => convert_steps::<_, f16, f32>(s, from, to, steps, nt),
                    [F16, BF16] => convert_steps::<_, f16, bf16>(s, from, to, steps, nt),
                    [BF16, F32] => convert_steps::<_, bf16, f32>(s, from, to, steps, nt),
                    [BF16, F16] => convert_steps::<_, bf16, f16>(s, from, to, steps, nt),
                    [F32, F16] => convert_steps::<_, f32, f16>(s, from, to, steps, nt),
                    [F32, BF16] => convert_steps::<_, f32, bf16>(s, from, to, steps, nt),
                    [F16, F16] | [BF16, BF16] | [F32, F32] => {} // copied instead
                }
            }
        }
    }
    level.run(Call(types, from, to, steps, nt)).expect("no job has a level that is not there");
}
