//! SIMD levels that kernels are compiled for, and the operations that `fearless_simd` lacks there.
//!
//! One extension trait on the tokens adds permute look-ups, f16 conversion, non-temporal stores and exact products.

use super::wide::functions::Functions;
use fearless_simd::{Simd, prelude::*};

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(any(feature = "fallback", not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod fallback;
#[cfg(target_arch = "x86_64")]
mod x86;

/// A SIMD level (instruction set) that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Portable code, for architectures that have no SIMD level of their own in this list.
    ///
    /// On other architectures this level exists with the feature `fallback` only, because it makes every kernel compile for longer.
    Fallback,
    /// SSE2, which every x86-64 CPU has.
    Baseline,
    /// AVX2 with FMA and F16C (x86-64-v3).
    Avx2,
    /// AVX-512 as of Ice Lake.
    Avx512,
    /// NEON on 64-bit ARM.
    Neon,
}

/// Calls the macro `$use` with `$more`, followed by this target's SIMD levels and their token types.
macro_rules! levels {
    ($use:ident $($more:tt)*) => {
        $use! {
            $($more)*
            #[cfg(any(feature = "fallback", not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
            Fallback(Fallback);
            #[cfg(target_arch = "x86_64")]
            Baseline(Sse2);
            #[cfg(target_arch = "x86_64")]
            Avx2(Avx2);
            #[cfg(target_arch = "x86_64")]
            Avx512(Avx512);
            #[cfg(target_arch = "aarch64")]
            Neon(Neon);
        }
    };
}
pub(super) use levels;

/// A computation that is generic over the SIMD level.
pub trait AtLevel {
    /// Result of the computation.
    type Output;
    /// Runs the computation at the SIMD level of the token `s`, which proves that the CPU supports it.
    fn at<S: Isa>(self, s: S) -> Self::Output;
}

impl Level {
    /// Number of SIMD levels; block kernels are kept in tables of this length.
    pub const COUNT: usize = 5;
    /// Every SIMD level, slowest first.
    pub const ALL: [Level; Self::COUNT] =
        [Level::Fallback, Level::Baseline, Level::Avx2, Level::Avx512, Level::Neon];

    /// The name used in tables and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Fallback => "fallback",
            Level::Baseline => "baseline",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
            Level::Neon => "neon",
        }
    }

    /// Number of `f32` lanes in one vector.
    pub const fn lanes(self) -> usize {
        match self {
            Level::Avx512 => 16,
            Level::Avx2 => 8,
            Level::Fallback | Level::Baseline | Level::Neon => 4,
        }
    }

    /// Returns whether kernels are compiled for this SIMD level, provided that the architecture has it.
    ///
    /// With `OP_DSL_LEVELS=host` only what the building machine uses is compiled (`build.rs`).
    pub const fn is_built(self) -> bool {
        match self {
            Level::Avx2 => !cfg!(without_avx2),
            Level::Avx512 => !cfg!(without_avx512),
            Level::Fallback | Level::Baseline | Level::Neon => true,
        }
    }

    /// Runs a computation at this SIMD level.
    ///
    /// Returns `None`, without running it, where this CPU or this build lacks the level.
    pub fn run<F: AtLevel>(self, f: F) -> Option<F::Output> {
        if !self.is_built() {
            return None;
        }
        macro_rules! run {
            ($($(#[$when:meta])* $level:ident($token:ident);)*) => {
                match self {
                    $($(#[$when])* Level::$level => {
                        <fearless_simd::$token as Isa>::detect().map(|s| f.at(s))
                    })*
                    _ => None,
                }
            };
        }
        levels!(run)
    }

    /// Returns whether this build contains the SIMD level and this CPU supports it.
    pub fn is_available(self) -> bool {
        struct Nothing;
        impl AtLevel for Nothing {
            type Output = ();
            fn at<S: Isa>(self, _: S) {}
        }
        self.run(Nothing).is_some()
    }

    /// Returns the best SIMD level of this CPU; detection runs once and is cached.
    pub fn best() -> Level {
        use std::sync::OnceLock;
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| {
            let best = Level::ALL.into_iter().rev().find(|level| level.is_available());
            best.unwrap_or(Level::Fallback)
        })
    }

    /// Returns whether outputs of `bytes` bytes use non-temporal stores if the caller does not decide.
    ///
    /// This is the case if they are far larger than a cache, and consecutive stores of a step fill whole cache lines.
    ///
    /// On Zen 1, with AVX2 and 8192x8192, memory-bound gradients (bilinear, ReLU) take 0.69 to 0.72 of the time in f32 and 0.71
    /// to 0.98 in 16 bits, with one thread and with two. Gradients with table look-ups are compute-bound there and take 0.99 to
    /// 1.03 of the time with one thread. With two, the variation between runs exceeds that difference.
    pub const fn streams(self, bytes: usize) -> bool {
        matches!(self, Level::Avx2 | Level::Avx512) && bytes > 16 << 20
    }

    /// Returns whether the SIMD level has a fused multiply-add.
    pub const fn has_fma(self) -> bool {
        !matches!(self, Level::Fallback | Level::Baseline)
    }
}

/// The operations of a SIMD level: those of `fearless_simd`, and those that it lacks.
///
/// Every method but `detect` and `assume` is inlined into a block kernel, where the level's instructions are enabled.
pub trait Isa: Simd + Functions {
    /// Whether `mul_add` rounds once, that is, whether the level has FMA.
    const FMA: bool;
    /// Whether a 32-entry look-up costs about as much as an 8-entry one.
    const WIDE_LUT: bool;
    /// Whether a look-up is one or two instructions.
    ///
    /// Levels that look up lane by lane have table functions out of line, because these would otherwise be most of each
    /// kernel, which would compile for half as long again.
    const INLINE_LUT: bool;
    /// Whether `min` and `max` return their second operand where one is NaN, or both are zeros.
    const MIN_IS_SECOND: bool = false;

    /// Whether steps of two vectors are interleaved, too: see [`pin`](Self::pin).
    ///
    /// With AVX2 they are not. The compiler then exchanges the factors of some products in one of the vectors, so that the signs of
    /// NaNs depended on the position of an element.
    const PINS_PAIRS: bool = true;

    /// Whether [`max_size`](Self::max_size) is one instruction.
    const HAS_MAX_SIZE: bool = false;

    /// Returns the SIMD token (proof that the CPU supports the level), or `None` if the CPU does not.
    fn detect() -> Option<Self>;

    /// Creates the SIMD token (proof that the CPU supports the level) without detection.
    ///
    /// # Safety
    /// The CPU must support the SIMD level.
    unsafe fn assume() -> Self;

    /// Runs `f` with the level's instructions enabled, in a function that belongs to the type `B`.
    ///
    /// It is `Simd::vectorize` for kernels. [`super::block::Kernel`] says why these belong to a type.
    #[inline(always)]
    fn vectorize_for<B, R>(self, f: impl FnOnce() -> R) -> R {
        self.vectorize(f)
    }

    /// `t[ix & 7]` for every lane.
    #[inline(always)]
    fn lut8(self, t: &[f32; 8], ix: Self::u32s) -> Self::f32s {
        lut_scalar(self, t, ix)
    }
    /// `t[ix & 15]` for every lane.
    #[inline(always)]
    fn lut16(self, t: &[f32; 16], ix: Self::u32s) -> Self::f32s {
        lut_scalar(self, t, ix)
    }
    /// `t[ix & 31]` for every lane.
    #[inline(always)]
    fn lut32(self, t: &[f32; 32], ix: Self::u32s) -> Self::f32s {
        lut_scalar(self, t, ix)
    }

    /// `yes` where the sign bit of `x` is clear, else `no`; either of them where `x` is zero or NaN.
    #[inline(always)]
    fn if_positive(self, x: Self::f32s, yes: Self::f32s, no: Self::f32s) -> Self::f32s {
        let bits: Self::i32s = x.bitcast();
        bits.simd_ge(Self::i32s::splat(self, 0)).select(yes, no)
    }

    /// `x * y + z`, rounded once towards negative infinity.
    ///
    /// Levels where no table relies on this rounding use the default `floor(x * y) + z`, which is as good there.
    #[inline(always)]
    fn mul_add_down(self, x: Self::f32s, y: f32, z: f32) -> Self::f32s {
        (x * y).floor() + z
    }

    /// `x * 2^floor(k)`, rounded once, for `x` between 0.5 and 2 and `|k| < 152`.
    ///
    /// `n` has `floor(k) + 254` in its lowest 9 bits: of two factors that are normal numbers, the second rounds a denormal result.
    #[inline(always)]
    fn scale(self, x: Self::f32s, k: Self::f32s, n: Self::u32s) -> Self::f32s {
        let _ = k;
        let half = n >> 1;
        let (a, b): (Self::f32s, Self::f32s) =
            ((half << 23).bitcast(), ((n - half) << 23).bitcast());
        x * a * b
    }

    /// `x * 2^k`, for an integer `k` with `|k| <= 2044`, rounded once if `x` is between 2^-10 and 2^10, or the result is normal.
    #[inline(always)]
    fn scale_f64(self, x: Self::f64s, k: Self::f64s) -> Self::f64s {
        // 1.5 * 2^52 + 2046: the sum has the integer `k + 2046`, 2046 being twice the exponent bias, in its low bits.
        let n: Self::u64s = (k + (6_755_399_441_055_744.0 + 2046.0)).bitcast();
        let half = n >> 1;
        let (a, b): (Self::f64s, Self::f64s) =
            ((half << 52).bitcast(), ((n - half) << 52).bitcast());
        x * a * b
    }

    /// Returns `v` unchanged, and schedules its computation before that of values pinned later.
    ///
    /// This interleaves the vectors of a step. Where there are enough registers for steps of many vectors, the compiler would
    /// otherwise finish the whole dependency chain of one vector before it starts the next.
    #[inline(always)]
    fn pin(self, v: Self::f32s) -> Self::f32s {
        v
    }

    /// The larger of `|a|` and `|b|`. For a number and a NaN the result is either, for two NaNs a NaN.
    #[inline(always)]
    fn max_size(self, a: Self::f32s, b: Self::f32s) -> Self::f32s {
        a.abs().max(b.abs())
    }

    /// The smaller of `|a|` and `|b|`. For a number and a NaN the result is either, for two NaNs a NaN.
    #[inline(always)]
    fn min_size(self, a: Self::f32s, b: Self::f32s) -> Self::f32s {
        a.abs().min(b.abs())
    }

    /// `x` between `-bound` and `bound`; one of these where it is NaN.
    #[inline(always)]
    fn limited(self, x: Self::f32s, bound: f32) -> Self::f32s {
        let bottom = Self::f32s::splat(self, -bound);
        let above = match const { Self::MIN_IS_SECOND } {
            true => x.max(bottom),
            false => x.simd_gt(bottom).select(x, bottom),
        };
        above.min(Self::f32s::splat(self, bound))
    }

    /// Returns whether no lane is infinite or NaN.
    #[inline(always)]
    fn all_finite(self, v: Self::f32s) -> bool {
        v.abs().simd_lt(Self::f32s::splat(self, f32::INFINITY)).all_true()
    }

    /// `a * b = hi + lo`, exactly on levels with FMA, to about 2^-34 relative without.
    #[inline(always)]
    fn two_prod(self, a: Self::f32s, b: Self::f32s) -> (Self::f32s, Self::f32s) {
        let hi = a * b;
        if Self::FMA {
            return (hi, a.mul_add(b, -hi));
        }
        // Splits each factor after 12 bits, as in Dekker's product, so that the products of the parts are exact.
        let cut = |v: Self::f32s| -> Self::f32s {
            let bits: Self::u32s = v.bitcast();
            (bits & 0xffff_f000).bitcast()
        };
        let (ah, bh) = (cut(a), cut(b));
        let (al, bl) = (a - ah, b - bh);
        (hi, ((ah * bh - hi) + ah * bl + al * bh) + al * bl)
    }

    /// Converts half-precision bits, two vectors' worth in memory order, to two `f32` vectors.
    #[inline(always)]
    fn f16_widen(self, h: Self::u16s) -> (Self::f32s, Self::f32s) {
        f16_widen_apart(self, h)
    }

    /// The inverse of [`Isa::f16_widen`]: to nearest even, NaN stays NaN, denormals kept.
    #[inline(always)]
    fn f16_narrow(self, lo: Self::f32s, hi: Self::f32s) -> Self::u16s {
        f16_narrow_apart(self, lo, hi)
    }

    /// Stores the result of [`Isa::f16_narrow`], with ordinary (cached) stores.
    ///
    /// # Safety
    /// `p` must be valid for writes of one vector.
    #[inline(always)]
    unsafe fn f16_store(self, p: *mut u16, lo: Self::f32s, hi: Self::f32s) {
        let v = self.f16_narrow(lo, hi);
        // SAFETY: the caller vouches for the pointer; `write_unaligned` requires no alignment.
        unsafe { p.cast::<<Self::u16s as SimdBase<Self>>::Array>().write_unaligned(v.to_array()) };
    }

    /// Rounds two vectors to bf16, to nearest even, and packs them into one.
    ///
    /// Results of `even` are in the lower halves of 32-bit lanes, those of `odd` in the upper halves.
    ///
    /// A NaN must have zeros in its lower 16 bits, otherwise rounding could carry its payload into the sign. This holds for
    /// results of arithmetic on NaNs that were bf16, and for the NaNs that arithmetic creates.
    #[inline(always)]
    fn bf16_narrow(self, even: Self::f32s, odd: Self::f32s) -> Self::u32s {
        (bf16_round(self, even) >> 16) | (bf16_round(self, odd) & 0xffff_0000)
    }

    /// Stores one vector with a non-temporal store, where the level has one.
    ///
    /// # Safety
    /// `p` must be valid for writes of one vector and aligned to the vector's size.
    #[inline(always)]
    unsafe fn stream(self, p: *mut u32, v: Self::u32s) {
        // SAFETY: the caller vouches for the pointer; `write_unaligned` requires no alignment.
        unsafe { p.cast::<<Self::u32s as SimdBase<Self>>::Array>().write_unaligned(v.to_array()) };
    }

    /// Prefetches the cache line at `p`, which may be any address.
    #[inline(always)]
    fn prefetch(self, p: *const u8) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch never faults; SSE is part of x86-64.
        unsafe {
            core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(p.cast())
        };
        #[cfg(not(target_arch = "x86_64"))]
        let _ = p;
    }
}

/// Converts a vector of f16 to two vectors of f32 by bit operations.
///
/// This is out of line because it is long and the same in every kernel.
#[inline(never)]
fn f16_widen_apart<S: Isa>(s: S, h: S::u16s) -> (S::f32s, S::f32s) {
    s.vectorize(
        #[inline(always)]
        || {
            let (lo, hi) = h.widen();
            (f16_widen_bits(s, lo), f16_widen_bits(s, hi))
        },
    )
}

/// Rounds two vectors of f32 to one of f16 by bit operations, the inverse of [`f16_widen_apart`].
#[inline(never)]
fn f16_narrow_apart<S: Isa>(s: S, lo: S::f32s, hi: S::f32s) -> S::u16s {
    s.vectorize(
        #[inline(always)]
        || f16_narrow_bits(s, lo).narrow(f16_narrow_bits(s, hi)),
    )
}

/// Converts f16, one per 32-bit lane, to f32 by bit operations.
///
/// Shifts the fields into place, then scales by 2^112, which also normalises denormals. Infinities and NaNs get their exponent
/// by a separate step.
#[inline(always)]
fn f16_widen_bits<S: Isa>(s: S, h: S::u32s) -> S::f32s {
    let sign = (h & 0x8000) << 16;
    let magnitude: S::f32s = ((h & 0x7fff) << 13).bitcast();
    let scaled = magnitude * f32::from_bits((127 + 112) << 23);
    let special = (h & 0x7c00).simd_eq(S::u32s::splat(s, 0x7c00));
    let bits: S::u32s = scaled.bitcast();
    let bits = special.select(bits | 0x7f80_0000, bits);
    // A signalling NaN becomes quiet, as the hardware conversion does.
    let nan = special & (h & 0x3ff).simd_gt(S::u32s::splat(s, 0));
    (nan.select(bits | 0x0040_0000, bits) | sign).bitcast()
}

/// Rounds f32 to f16, one per 32-bit lane, by bit operations, to nearest even.
///
/// Normal results: add half a unit of the last kept bit (less the tie correction) and shift.
/// Denormal results: adding 0.5 aligns the last kept bit with the last bit of the sum.
#[inline(always)]
fn f16_narrow_bits<S: Isa>(s: S, v: S::f32s) -> S::u32s {
    let splat = |x: u32| S::u32s::splat(s, x);
    let bits: S::u32s = v.bitcast();
    let sign = (bits >> 16) & 0x8000;
    let m = bits & 0x7fff_ffff;

    let odd = (m >> 13) & 1;
    let normal = (m + 0xc800_0fff + odd) >> 13; // exponent rebias: -(112 << 23), wrapping
    let as_float: S::f32s = m.bitcast();
    let sum: S::u32s = (as_float + 0.5).bitcast();
    let denormal = sum - 0x3f00_0000;

    let r = m.simd_lt(splat(0x3880_0000)).select(denormal, normal & 0xffff);
    let r = m.simd_ge(splat(0x4780_0000)).select(splat(0x7c00), r);
    let nan = ((m >> 13) & 0x03ff) | 0x7e00;
    m.simd_gt(splat(0x7f80_0000)).select(nan, r) | sign
}

/// Rounds f32 to bf16, to nearest even, in the upper 16 bits of each lane.
///
/// The lower 16 bits of the result are arbitrary.
#[inline(always)]
fn bf16_round<S: Isa>(_: S, v: S::f32s) -> S::u32s {
    let u: S::u32s = v.bitcast();
    u + ((u >> 16) & 1) + 0x7fff
}

/// `t[ix % N]` for every lane, one lane after the other.
#[inline(always)]
fn lut_scalar<S: Isa, const N: usize>(s: S, t: &[f32; N], ix: S::u32s) -> S::f32s {
    S::f32s::from_fn(
        s,
        #[inline(always)]
        |i| t[ix[i] as usize % N],
    )
}

/// Implements detection and creation of an [`Isa`] token through `fearless_simd`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! token {
    ($ask:ident) => {
        fn detect() -> Option<Self> {
            fearless_simd::Level::new().$ask()
        }
        #[inline(always)]
        unsafe fn assume() -> Self {
            // SAFETY: the caller vouches for the SIMD level.
            unsafe { Self::assume_supported() }
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use token;
