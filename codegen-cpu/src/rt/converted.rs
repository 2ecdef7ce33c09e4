//! Elements that kernels do not compute with, but convert from and to: integers, truth values, and floats of 8 bits.
//!
//! ```text
//! from f32   integers     to nearest, ties to even; beyond the range to its end; NaN to 0
//!            bool         true if the number is not 0, so also for NaN
//!            e5m2         to nearest, ties to even; beyond the range to infinity
//!            e4m3fn       to nearest, ties to even; beyond the range to NaN, because the type has no infinity
//! to f32     i32          to nearest, ties to even; all other types are exact
//! ```
//!
//! The rules for floats are those of ml_dtypes. PyTorch has other ones for e4m3fn (beyond the range its end) and for integers.

use super::elem::{El, Element, read, truths, write};
pub use super::float8::{e4m3fn, e5m2};
use super::math::round::round;
use super::simd::Isa;
use super::step::{Floats, PAIR, each};
use fearless_simd::prelude::*;
#[doc(hidden)]
pub use op_dsl_ir::Stored;

/// Calls a macro with the Rust type and the [`Stored`] of every type in this file, `i8 => Int8`, after other tokens.
#[macro_export]
macro_rules! converted {
    (($($use:tt)*) $($more:tt)*) => {
        $($use)*! {
            $($more)*
            bool => Byte, i8 => Int8, u8 => Uint8, i16 => Int16, i32 => Int32,
            $crate::rt::converted::e4m3fn => E4m3fn, $crate::rt::converted::e5m2 => E5m2
        }
    };
}

/// Evaluates an expression with `$T` as the Rust type of a [`Stored`] that kernels convert; does nothing for all others.
#[macro_export]
macro_rules! with_converted {
    ($stored:expr, $T:ident => $do:expr) => {
        $crate::converted!(($crate::with_converted) @ $stored, $T => $do;)
    };
    (@ $stored:expr, $T:ident => $do:expr; $($Type:ty => $Name:ident),*) => {
        match $stored {
            $($crate::rt::converted::Stored::$Name => {
                type $T = $Type;
                $do
            })*
            _ => {}
        }
    };
}

/// Evaluates an expression with `$T` as the Rust type of a [`Stored`] that kernels load and store.
#[macro_export]
macro_rules! with_stored {
    ($stored:expr, $T:ident => $do:expr) => {
        match $stored.number() {
            Some(dtype) => $crate::with_element!(dtype, $T => $do),
            None => $crate::with_converted!($stored, $T => $do),
        }
    };
}

macro_rules! element {
    ($($Type:ty => $Name:ident),*) => {$(
        impl Element for $Type {
            const STORED: Stored = Stored::$Name;
        }
    )*};
}
converted!((element));

/// A type whose elements kernels load and store as vectors of `f32`, in memory order.
pub trait Converted: Element {
    /// Loads `W` vectors and converts them to `f32`.
    ///
    /// # Safety
    /// `p` must be valid for reads of one step; it need not be aligned.
    unsafe fn load_in_order<S: Isa, const W: usize>(s: S, p: *const Self) -> Floats<S, W>;

    /// Converts `W` vectors from `f32` and stores them, with non-temporal stores if `nt` and the step fills vectors.
    ///
    /// # Safety
    /// `p` must be valid for writes of one step, and aligned to a vector when `nt`.
    unsafe fn store_in_order<S: Isa, const W: usize>(s: S, p: *mut Self, v: Floats<S, W>, nt: bool);
}

impl<F: El> Converted for F {
    #[inline(always)]
    unsafe fn load_in_order<S: Isa, const W: usize>(s: S, p: *const F) -> Floats<S, W> {
        // SAFETY: passed on from the caller.
        let mut v = unsafe { F::load::<S, W>(s, p) };
        for k in (0..W).step_by(PAIR) {
            v.set_pair(k, F::to_memory_order(v.pair(k)));
        }
        v
    }

    #[inline(always)]
    unsafe fn store_in_order<S: Isa, const W: usize>(
        s: S,
        p: *mut F,
        mut v: Floats<S, W>,
        nt: bool,
    ) {
        for k in (0..W).step_by(PAIR) {
            v.set_pair(k, F::from_memory_order(s, v.pair(k)));
        }
        // SAFETY: passed on from the caller.
        unsafe { F::store(s, p, v, nt) }
    }
}

/// Implements [`Converted`] by conversions between `f32` and 32-bit lanes, of which elements are the lower bits.
macro_rules! by_lane {
    ($Type:ty: |$s:ident, $bits:ident| $load:expr, |$to:ident, $v:ident| $store:expr) => {
        impl Converted for $Type {
            #[inline(always)]
            unsafe fn load_in_order<S: Isa, const W: usize>(
                $s: S,
                p: *const $Type,
            ) -> Floats<S, W> {
                // SAFETY: passed on from the caller.
                let all = unsafe { load_lanes::<S, { size_of::<$Type>() }, W>($s, p.cast()) };
                Floats(each!($s, k => { let $bits = all[k]; $load }))
            }

            #[inline(always)]
            unsafe fn store_in_order<S: Isa, const W: usize>(
                $to: S,
                p: *mut $Type,
                v: Floats<S, W>,
                nt: bool,
            ) {
                let all: [S::u32s; W] = each!($to, k => { let $v = v.0[k]; $store });
                // SAFETY: passed on from the caller.
                unsafe { store_lanes::<S, { size_of::<$Type>() }, W>($to, p.cast(), all, nt) }
            }
        }
    };
}

by_lane!(bool: |s, bits| truths(s, bits), |s, v| {
    v.simd_eq(S::f32s::splat(s, 0.0)).select(S::u32s::splat(s, 0), S::u32s::splat(s, 1))
});
by_lane!(i8: |s, bits| signed::<S, 8>(s, bits), |s, v| nearest(s, v, -128.0, 127.0));
by_lane!(u8: |s, bits| signed::<S, 32>(s, bits), |s, v| nearest(s, v, 0.0, 255.0));
by_lane!(i16: |s, bits| signed::<S, 16>(s, bits), |s, v| nearest(s, v, -32768.0, 32767.0));
by_lane!(i32: |s, bits| signed::<S, 32>(s, bits), |s, v| {
    S::i32s::truncate_from_precise(round(s, v)).bitcast()
});
by_lane!(e4m3fn: |s, bits| widen::<S, 3, 7>(s, bits, 0x7f, false), |s, v| {
    narrow::<S, 3, 7>(s, v, 0x7f, 0x7f)
});
by_lane!(e5m2: |s, bits| widen::<S, 2, 15>(s, bits, 0x7c, true), |s, v| {
    narrow::<S, 2, 15>(s, v, 0x7c, 0x7e)
});

/// Loads a step of elements of `SIZE` bytes, one into each 32-bit lane, whose other bits are 0.
///
/// # Safety
/// `p` must be valid for reads of the step; it need not be aligned.
#[inline(always)]
unsafe fn load_lanes<S: Isa, const SIZE: usize, const W: usize>(
    s: S,
    p: *const u8,
) -> [S::u32s; W] {
    let mut all = [S::u32s::splat(s, 0); W];
    let mut pair = |k: usize, both: (S::u32s, S::u32s)| (all[k], all[k + 1]) = both;
    // SAFETY: all vectors of the step, which the caller vouches for.
    unsafe {
        match const { SIZE } {
            1 => {
                let mut bytes = S::u8s::splat(s, 0).to_array();
                let to = (&raw mut bytes).cast::<u8>();
                to.copy_from_nonoverlapping(p, W * S::f32s::LEN);
                let (lower, upper) = S::u8s::load_array(s, bytes).widen();
                pair(0, lower.widen());
                if const { W > PAIR } {
                    pair(PAIR, upper.widen());
                }
            }
            2 => {
                for k in (0..W).step_by(PAIR) {
                    let both: S::u16s = read(s, p.add(2 * k * S::f32s::LEN).cast()).bitcast();
                    pair(k, both.widen());
                }
            }
            _ => {
                for k in (0..W).step_by(PAIR) {
                    let at = |k: usize| p.add(4 * k * S::f32s::LEN).cast();
                    pair(k, (read(s, at(k)), read(s, at(k + 1))));
                }
            }
        }
    }
    all
}

/// Stores the lower `SIZE` bytes of each 32-bit lane, with non-temporal stores if `nt` and the step fills vectors.
///
/// # Safety
/// `p` must be valid for writes of the step, and aligned to a vector when `nt`.
#[inline(always)]
unsafe fn store_lanes<S: Isa, const SIZE: usize, const W: usize>(
    s: S,
    p: *mut u8,
    all: [S::u32s; W],
    nt: bool,
) {
    // SAFETY: all vectors of the step, which the caller vouches for.
    unsafe {
        match const { SIZE } {
            1 => {
                let lower = all[0].narrow(all[1]);
                if const { W > PAIR } {
                    let upper = all[PAIR].narrow(all[PAIR + 1]);
                    write(s, p.cast(), lower.narrow(upper).bitcast(), nt);
                } else {
                    let bytes = lower.narrow(lower).to_array();
                    p.copy_from_nonoverlapping((&raw const bytes).cast(), W * S::f32s::LEN);
                }
            }
            2 => {
                for k in (0..W).step_by(PAIR) {
                    let both = all[k].narrow(all[k + 1]).bitcast();
                    write(s, p.add(2 * k * S::f32s::LEN).cast(), both, nt);
                }
            }
            _ => {
                for (k, bits) in all.into_iter().enumerate() {
                    write(s, p.add(4 * k * S::f32s::LEN).cast(), bits, nt);
                }
            }
        }
    }
}

/// Converts integers of `BITS` bits in two's complement, one per 32-bit lane, to `f32`. Of 32 bits, none are extended.
#[inline(always)]
fn signed<S: Isa, const BITS: u32>(_: S, bits: S::u32s) -> S::f32s {
    let upper: S::i32s = (bits << (32 - BITS)).bitcast();
    S::f32s::float_from(upper >> (32 - BITS))
}

/// Rounds to the nearest integer from `low` to `high`, which are less than 2^22 in magnitude, in the lower 16 bits of each lane.
///
/// NaN becomes 0. Adding 3 * 2^22 rounds to even and leaves the integer in the lower bits, in two's complement.
#[inline(always)]
fn nearest<S: Isa>(s: S, v: S::f32s, low: f32, high: f32) -> S::u32s {
    let number = v.simd_eq(v).select(v, S::f32s::splat(s, 0.0));
    (number.max(low).min(high) + (3 << 22) as f32).bitcast()
}

/// Converts floats with a sign in bit 7, an exponent with this bias, and `FRACTION` bits of fraction, one per lane, to `f32`.
///
/// From `special` on, numbers are NaN, but `special` itself is infinite if `is_infinite`. Denormal numbers are integers in units of
/// the least number, because processors take long for arithmetic on denormals of f32.
#[inline(always)]
fn widen<S: Isa, const FRACTION: u32, const BIAS: u32>(
    s: S,
    v: S::u32s,
    special: u32,
    is_infinite: bool,
) -> S::f32s {
    let splat = |x: u32| S::u32s::splat(s, x);
    let (sign, size) = ((v & 0x80) << 24, v & 0x7f);
    let normal = (size << (23 - FRACTION)) + ((127 - BIAS) << 23);
    let least = f32::from_bits((127 + 1 - BIAS - FRACTION) << 23);
    let denormal: S::u32s = (signed::<S, 32>(s, size) * least).bitcast();
    let number = size.simd_lt(splat(1 << FRACTION)).select(denormal, normal);
    let infinite = if is_infinite { 0x7f80_0000 } else { 0x7fc0_0000 };
    let number = size.simd_eq(splat(special)).select(splat(infinite), number);
    let number = size.simd_gt(splat(special)).select(splat(0x7fc0_0000), number);
    (number | sign).bitcast()
}

/// Rounds f32 to a float with a sign in bit 7, an exponent with this bias, and `FRACTION` bits of fraction, one per lane.
///
/// Numbers beyond the largest become `beyond`, NaN becomes `nan`. Normal results: add half a unit of the last kept bit (less the
/// tie correction) and shift. Denormal results: adding a power of two aligns the last kept bit with the last bit of the sum.
#[inline(always)]
fn narrow<S: Isa, const FRACTION: u32, const BIAS: u32>(
    s: S,
    v: S::f32s,
    beyond: u32,
    nan: u32,
) -> S::u32s {
    let splat = |x: u32| S::u32s::splat(s, x);
    let bits: S::u32s = v.bitcast();
    let (sign, m) = ((bits >> 24) & 0x80, bits & 0x7fff_ffff);

    let cut = 23 - FRACTION;
    let odd = (m >> cut) & 1;
    let normal = ((m + ((1 << (cut - 1)) - 1) + odd) >> cut) - ((127 - BIAS) << FRACTION);
    let normal = normal.simd_gt(splat(beyond)).select(splat(beyond), normal);

    let aligned = (127 + 1 - BIAS - FRACTION + 23) << 23;
    let as_float: S::f32s = m.bitcast();
    let sum: S::u32s = (as_float + f32::from_bits(aligned)).bitcast();
    let denormal = sum - aligned;

    let r = m.simd_lt(splat((127 + 1 - BIAS) << 23)).select(denormal, normal);
    m.simd_gt(splat(0x7f80_0000)).select(splat(nan), r) | sign
}
