//! Conversion between elements in memory and `f32` vectors in registers.
//!
//! One *step* is two or four `f32` vectors; two are one vector of a 16-bit type. Bodies are strictly elementwise, so a step may
//! hold its elements in any lane order as long as a store undoes the load.

use super::simd::Isa;
use super::step::{Floats, PAIR, each};
use fearless_simd::prelude::*;
#[doc(hidden)]
pub use half::{bf16, f16};
#[doc(hidden)]
pub use op_dsl_ir::DType;
use op_dsl_ir::Stored;

/// Calls a macro with the Rust type and the [`DType`] of every element type, `f32 => F32`, after other tokens.
#[macro_export]
macro_rules! elements {
    (($($use:tt)*) $($more:tt)*) => {
        $($use)*! {
            $($more)*
            $crate::rt::elem::f16 => F16, $crate::rt::elem::bf16 => BF16, f32 => F32
        }
    };
}

/// Evaluates an expression with `$E` as the Rust type of a [`DType`] that is known at run time.
#[macro_export]
macro_rules! with_element {
    ($dtype:expr, $E:ident => $do:expr) => {
        $crate::elements!(($crate::with_element) @ $dtype, $E => $do;)
    };
    (@ $dtype:expr, $E:ident => $do:expr; $($Type:ty => $Name:ident),*) => {
        match $dtype {
            $($crate::rt::elem::DType::$Name => {
                type $E = $Type;
                $do
            })*
        }
    };
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for bool {}
    impl Sealed for i8 {}
    impl Sealed for u8 {}
    impl Sealed for i16 {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
    impl Sealed for crate::rt::float8::e4m3fn {}
    impl Sealed for crate::rt::float8::e5m2 {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for super::f16 {}
    impl Sealed for super::bf16 {}
}

/// An element of a tensor: a number, a mask value or a row count.
///
/// The trait is sealed because views rely on [`Element::STORED`] for the size and meaning of elements.
pub trait Element: sealed::Sealed + Copy + 'static {
    /// This element type as a run-time value.
    const STORED: Stored;
}

impl<E: El> Element for E {
    const STORED: Stored = Stored::Number(E::DTYPE);
}

/// An element of `i64` is a row count, which limits how many rows a call computes.
impl Element for i64 {
    const STORED: Stored = Stored::Int64;
}

/// An element of `f64` belongs to calls that compute in f64.
impl Element for f64 {
    const STORED: Stored = Stored::Float64;
}

/// An element type that kernels compute in. The trait is sealed, as [`Element`] is.
pub trait El:
    sealed::Sealed + Copy + Send + Sync + Default + PartialEq + core::fmt::Debug + 'static
{
    /// This element type as a run-time value.
    const DTYPE: DType;

    /// Loads one step, `W` vectors, and converts it to `f32`.
    ///
    /// # Safety
    /// `p` must be valid for reads of one step; it need not be aligned.
    unsafe fn load<S: Isa, const W: usize>(s: S, p: *const Self) -> Floats<S, W>;

    /// Rounds to nearest even and stores one step, with non-temporal stores if `nt`.
    ///
    /// # Safety
    /// `p` must be valid for writes of one step, and aligned to a vector when `nt`.
    unsafe fn store<S: Isa, const W: usize>(s: S, p: *mut Self, v: Floats<S, W>, nt: bool);

    /// Loads one step of each of two interleaved streams: `[a b a b ..]`.
    ///
    /// # Safety
    /// `p` must be valid for reads of two steps; it need not be aligned.
    #[inline(always)]
    unsafe fn load_turns<S: Isa, const W: usize>(s: S, p: *const Self) -> [Floats<S, W>; 2] {
        let mut steps = [Floats::splat(s, 0.0); 2];
        for k in 0..W {
            // SAFETY: two vectors of the two steps, which the caller vouches for.
            let both = unsafe { Self::load::<S, PAIR>(s, p.add(PAIR * k * S::f32s::LEN)) };
            (steps[0].0[k], steps[1].0[k]) = both.0[0].deinterleave(both.0[1]);
        }
        steps
    }

    /// Stores two streams interleaved, the inverse of [`El::load_turns`]; rounds as [`El::store`] does.
    ///
    /// # Safety
    /// `p` must be valid for writes of two steps, and aligned to a vector when `nt`.
    #[inline(always)]
    unsafe fn store_turns<S: Isa, const W: usize>(
        s: S,
        p: *mut Self,
        [a, b]: [Floats<S, W>; 2],
        nt: bool,
    ) {
        for k in 0..W {
            let (first, second) = a.0[k].interleave(b.0[k]);
            let p = p.wrapping_add(PAIR * k * S::f32s::LEN);
            // SAFETY: as in `load_turns`.
            unsafe { Self::store::<S, PAIR>(s, p, Floats([first, second]), nt) }
        }
    }

    /// Loads one step of mask bytes: 1 for each byte that is not 0, else 0.
    ///
    /// Lanes are in the same order as after [`El::load`].
    ///
    /// # Safety
    /// `p` must be valid for reads of as many bytes as a step has elements.
    #[inline(always)]
    unsafe fn truths<S: Isa, const W: usize>(s: S, p: *const u8) -> Floats<S, W> {
        // SAFETY: vectors of the step, which the caller vouches for.
        Floats(each!(s, k => truths(s, unsafe { bytes(s, p.wrapping_add(k * S::f32s::LEN)) })))
    }

    /// Rounds each number to the element type, as [`El::store`] does, and keeps it as `f32`.
    fn rounded<S: Isa>(s: S, v: Floats<S>) -> Floats<S>;

    /// Whether [`El::load`] splits each pair of vectors into elements of even and of odd indices.
    const IS_SPLIT: bool = false;

    /// Reorders lanes from the order of [`El::load`] to memory order.
    #[inline(always)]
    fn to_memory_order<S: Isa>(v: Floats<S>) -> Floats<S> {
        v
    }

    /// Reorders lanes from memory order to the order that [`El::store`] expects.
    #[inline(always)]
    fn from_memory_order<S: Isa>(_: S, v: Floats<S>) -> Floats<S> {
        v
    }

    /// Converts to `f32`, exactly.
    fn to_f32(self) -> f32;
    /// Converts from `f32`, rounding to nearest even.
    fn from_f32(v: f32) -> Self;
}

/// Returns whether the element type is f32. Other types have no digit as small as a double-float's `low`.
pub(super) const fn is_single<E: El>() -> bool {
    matches!(E::DTYPE, DType::F32)
}

/// Reads one vector as bits.
///
/// # Safety
/// `p` must be valid for reads of one vector.
#[inline(always)]
pub(super) unsafe fn read<S: Isa>(s: S, p: *const u32) -> S::u32s {
    // SAFETY: the caller vouches for the bytes; `read_unaligned` requires no alignment.
    S::u32s::load_array(s, unsafe { p.cast::<<S::u32s as SimdBase<S>>::Array>().read_unaligned() })
}

/// Writes one vector of bits, with a non-temporal store if `nt`.
///
/// # Safety
/// `p` must be valid for writes of one vector, and aligned to it when `nt`.
#[inline(always)]
pub(super) unsafe fn write<S: Isa>(s: S, p: *mut u32, v: S::u32s, nt: bool) {
    // SAFETY: the caller vouches for the bytes and, when `nt`, for the alignment.
    unsafe {
        if nt {
            s.stream(p, v);
        } else {
            p.cast::<<S::u32s as SimdBase<S>>::Array>().write_unaligned(v.to_array());
        }
    }
}

/// Loads consecutive bytes, one into each 32-bit lane.
///
/// # Safety
/// `p` must be valid for reads of as many bytes as a vector has lanes.
#[inline(always)]
unsafe fn bytes<S: Isa>(s: S, p: *const u8) -> S::u32s {
    // SAFETY: as required of the caller.
    S::u32s::from_fn(s, |i| unsafe { u32::from(p.add(i).read()) })
}

/// Returns 1.0 in each lane where `v` is not 0, else 0.0.
#[inline(always)]
pub(super) fn truths<S: Isa>(s: S, v: S::u32s) -> S::f32s {
    let zero = S::u32s::splat(s, 0);
    v.simd_eq(zero).select(S::f32s::splat(s, 0.0), S::f32s::splat(s, 1.0))
}

impl El for f32 {
    const DTYPE: DType = DType::F32;

    #[inline(always)]
    unsafe fn load<S: Isa, const W: usize>(s: S, p: *const f32) -> Floats<S, W> {
        let p = p.cast::<u32>();
        // SAFETY: one step is `W` vectors, which the caller vouches for.
        Floats(each!(s, k => unsafe { read(s, p.add(k * S::f32s::LEN)) }.bitcast()))
    }

    #[inline(always)]
    unsafe fn store<S: Isa, const W: usize>(s: S, p: *mut f32, v: Floats<S, W>, nt: bool) {
        let p = p.cast::<u32>();
        for (k, v) in v.0.into_iter().enumerate() {
            // SAFETY: as in `load`.
            unsafe { write(s, p.add(k * S::f32s::LEN), v.bitcast(), nt) }
        }
    }

    #[inline(always)]
    fn rounded<S: Isa>(_: S, v: Floats<S>) -> Floats<S> {
        v
    }

    fn to_f32(self) -> f32 {
        self
    }
    fn from_f32(v: f32) -> f32 {
        v
    }
}

/// Widens packed bf16 without shuffles: low halves of lanes to one vector, high halves to the other.
#[inline(always)]
fn bf16_widen<S: Isa>(packed: S::u32s) -> Floats<S> {
    Floats([(packed << 16).bitcast(), (packed & 0xffff_0000).bitcast()])
}

impl El for bf16 {
    const DTYPE: DType = DType::BF16;
    const IS_SPLIT: bool = true;

    #[inline(always)]
    unsafe fn load<S: Isa, const W: usize>(s: S, p: *const bf16) -> Floats<S, W> {
        let mut step = Floats::splat(s, 0.0);
        for k in (0..W).step_by(PAIR) {
            // SAFETY: every pair of a step is one vector in memory, which the caller vouches for.
            step.set_pair(k, bf16_widen(unsafe { read(s, p.add(k * S::f32s::LEN).cast()) }));
        }
        step
    }

    #[inline(always)]
    unsafe fn store<S: Isa, const W: usize>(s: S, p: *mut bf16, v: Floats<S, W>, nt: bool) {
        for k in (0..W).step_by(PAIR) {
            let packed = s.bf16_narrow(v.0[k], v.0[k + 1]);
            // SAFETY: as in `load`.
            unsafe { write(s, p.add(k * S::f32s::LEN).cast(), packed, nt) }
        }
    }

    /// Loads mask bytes in the lane order of a bf16 load: even elements, then odd elements.
    #[inline(always)]
    unsafe fn truths<S: Isa, const W: usize>(s: S, p: *const u8) -> Floats<S, W> {
        let mut step = Floats::splat(s, 0.0);
        for k in (0..W).step_by(PAIR) {
            let p = p.wrapping_add(k * S::f32s::LEN);
            // SAFETY: two vectors of the step, which the caller vouches for.
            let (lower, upper) = unsafe { (bytes(s, p), bytes(s, p.add(S::f32s::LEN))) };
            let (even, odd) = s.pin(truths(s, lower)).deinterleave(s.pin(truths(s, upper)));
            step.set_pair(k, Floats([even, odd]));
        }
        step
    }

    /// Loads two interleaved streams by shuffles of 32-bit lanes rather than of 16-bit elements.
    ///
    /// Each 32-bit lane in memory holds one element of each stream.
    #[inline(always)]
    unsafe fn load_turns<S: Isa, const W: usize>(s: S, p: *const bf16) -> [Floats<S, W>; 2] {
        let mut steps = [Floats::splat(s, 0.0); 2];
        for k in (0..W).step_by(PAIR) {
            let p = p.cast::<u32>().wrapping_add(k * S::f32s::LEN);
            // SAFETY: two vectors of the two steps, which the caller vouches for.
            let (lower, upper) = unsafe { (read(s, p), read(s, p.add(S::f32s::LEN))) };
            let (even, odd) = lower.deinterleave(upper);
            let (even, odd) = (bf16_widen::<S>(even).0, bf16_widen::<S>(odd).0);
            steps[0].set_pair(k, Floats([even[0], odd[0]]));
            steps[1].set_pair(k, Floats([even[1], odd[1]]));
        }
        steps
    }

    #[inline(always)]
    unsafe fn store_turns<S: Isa, const W: usize>(
        s: S,
        p: *mut bf16,
        [a, b]: [Floats<S, W>; 2],
        nt: bool,
    ) {
        for k in (0..W).step_by(PAIR) {
            let even = s.bf16_narrow(a.0[k], b.0[k]);
            let odd = s.bf16_narrow(a.0[k + 1], b.0[k + 1]);
            let (lower, upper) = even.interleave(odd);
            let p = p.cast::<u32>().wrapping_add(k * S::f32s::LEN);
            // SAFETY: as in `load_turns`.
            unsafe {
                write(s, p, lower, nt);
                write(s, p.add(S::f32s::LEN), upper, nt);
            }
        }
    }

    #[inline(always)]
    fn rounded<S: Isa>(s: S, v: Floats<S>) -> Floats<S> {
        bf16_widen(s.bf16_narrow(v.0[0], v.0[1]))
    }

    #[inline(always)]
    fn to_memory_order<S: Isa>(v: Floats<S>) -> Floats<S> {
        let (first, second) = v.0[0].interleave(v.0[1]);
        Floats([first, second])
    }

    /// Replaces NaNs, whose payload may be arbitrary here, by the default NaN: see [`Isa::bf16_narrow`].
    #[inline(always)]
    fn from_memory_order<S: Isa>(s: S, v: Floats<S>) -> Floats<S> {
        let (even, odd) = v.0[0].deinterleave(v.0[1]);
        let v = Floats([even, odd]);
        v.simd_eq(v).select(v, Floats::splat(s, f32::NAN))
    }

    fn to_f32(self) -> f32 {
        bf16::to_f32(self)
    }
    fn from_f32(v: f32) -> bf16 {
        bf16::from_f32(v)
    }
}

impl El for f16 {
    const DTYPE: DType = DType::F16;

    #[inline(always)]
    unsafe fn load<S: Isa, const W: usize>(s: S, p: *const f16) -> Floats<S, W> {
        let mut step = Floats::splat(s, 0.0);
        for k in (0..W).step_by(PAIR) {
            // SAFETY: as for bf16.
            let v = unsafe { read(s, p.add(k * S::f32s::LEN).cast()) };
            let (lo, hi) = s.f16_widen(v.bitcast());
            step.set_pair(k, Floats([lo, hi]));
        }
        step
    }

    #[inline(always)]
    unsafe fn store<S: Isa, const W: usize>(s: S, p: *mut f16, v: Floats<S, W>, nt: bool) {
        for k in (0..W).step_by(PAIR) {
            // SAFETY: as in `load`.
            unsafe {
                let p = p.add(k * S::f32s::LEN);
                if nt {
                    s.stream(p.cast(), s.f16_narrow(v.0[k], v.0[k + 1]).bitcast());
                } else {
                    s.f16_store(p.cast(), v.0[k], v.0[k + 1]);
                }
            }
        }
    }

    #[inline(always)]
    fn rounded<S: Isa>(s: S, v: Floats<S>) -> Floats<S> {
        let (lo, hi) = s.f16_widen(s.f16_narrow(v.0[0], v.0[1]));
        Floats([lo, hi])
    }

    fn to_f32(self) -> f32 {
        f16::to_f32(self)
    }
    fn from_f32(v: f32) -> f16 {
        f16::from_f32(v)
    }
}
