//! What kernels need beyond `fearless_simd`: table look-ups, f16 conversion, streaming stores and
//! exact products, as one extension trait on the level tokens.

use fearless_simd::{Simd, prelude::*};

/// A SIMD level that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// What every CPU of the architecture has: SSE2 on x86-64.
    Baseline,
    /// AVX2 with FMA and F16C (x86-64-v3).
    Avx2,
    /// AVX-512 as of Ice Lake.
    Avx512,
    /// NEON on 64-bit ARM.
    Neon,
}

impl Level {
    /// How many levels there are; block kernels are kept in tables of this length.
    pub const COUNT: usize = 4;
    /// Every level, slowest first.
    pub const ALL: [Level; Self::COUNT] =
        [Level::Baseline, Level::Avx2, Level::Avx512, Level::Neon];

    /// The name used in tables and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Baseline => "baseline",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
            Level::Neon => "neon",
        }
    }

    /// Whether this CPU can run the level.
    pub fn is_available(self) -> bool {
        let host = fearless_simd::Level::new();
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Baseline => host.as_sse2().is_some(),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => host.as_avx2().is_some(),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => host.as_avx512().is_some(),
            #[cfg(target_arch = "aarch64")]
            Level::Neon => host.as_neon().is_some(),
            _ => false,
        }
    }

    /// The best level of this CPU; asked once, then remembered.
    pub fn best() -> Level {
        use std::sync::OnceLock;
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| {
            let best = [Level::Avx512, Level::Avx2, Level::Neon].into_iter();
            best.into_iter().find(|l| l.is_available()).unwrap_or(Level::Baseline)
        })
    }

    /// Whether outputs of so many bytes are stored past the caches unless the caller says
    /// otherwise: if they are far larger than a cache, and one store fills a cache line.
    ///
    /// Where lines are filled by two stores with half a kernel's arithmetic between them, kernels
    /// were 20 to 40 % faster with plain stores (though a loop without arithmetic was not).
    pub const fn streams(self, bytes: usize) -> bool {
        matches!(self, Level::Avx512) && bytes > 16 << 20
    }

    /// Whether the level has a fused multiply-add, which the 2 ulp contract asks for.
    pub const fn has_fma(self) -> bool {
        !matches!(self, Level::Baseline)
    }
}

/// The operations that `fearless_simd` leaves to us.
///
/// Every method is inlined into a block kernel, where the level's instructions are enabled.
pub trait K: Simd {
    /// Whether `mul_add` rounds once.
    const FMA: bool;
    /// Whether a 32-entry look-up costs about as much as an 8-entry one.
    const WIDE_LUT: bool;

    /// `t[ix & 7]` for every lane.
    fn lut8(self, t: &[f32; 8], ix: Self::u32s) -> Self::f32s;
    /// `t[ix & 15]` for every lane.
    fn lut16(self, t: &[f32; 16], ix: Self::u32s) -> Self::f32s;
    /// `t[ix & 31]` for every lane.
    fn lut32(self, t: &[f32; 32], ix: Self::u32s) -> Self::f32s;

    /// `a * a = hi + lo`, exactly on levels with FMA, to about 2^-34 relative without.
    #[inline(always)]
    fn two_square(self, a: Self::f32s) -> (Self::f32s, Self::f32s) {
        self.two_prod(a, a)
    }

    /// `a * b = hi + lo`, exactly on levels with FMA, to about 2^-34 relative without.
    #[inline(always)]
    fn two_prod(self, a: Self::f32s, b: Self::f32s) -> (Self::f32s, Self::f32s) {
        let hi = a * b;
        if Self::FMA {
            return (hi, a.mul_add(b, -hi));
        }
        // Cut each factor after 12 bits: the products of the parts are exact.
        let cut = |v: Self::f32s| -> Self::f32s {
            let bits: Self::u32s = v.bitcast();
            (bits & 0xffff_f000).bitcast()
        };
        let (ah, bh) = (cut(a), cut(b));
        let (al, bl) = (a - ah, b - bh);
        (hi, ((ah * bh - hi) + ah * bl + al * bh) + al * bl)
    }

    /// Half-precision bits, two vectors' worth in memory order, to two `f32` vectors.
    #[inline(always)]
    fn f16_widen(self, h: Self::u16s) -> (Self::f32s, Self::f32s) {
        let (lo, hi) = h.widen();
        (f16_widen_bits(self, lo), f16_widen_bits(self, hi))
    }

    /// The inverse of [`K::f16_widen`]: to nearest even, NaN stays NaN, denormals kept.
    #[inline(always)]
    fn f16_narrow(self, lo: Self::f32s, hi: Self::f32s) -> Self::u16s {
        f16_narrow_bits(self, lo).narrow(f16_narrow_bits(self, hi))
    }

    /// Rounds to the upper 16 bits, to nearest even: `even` to the lower halves of 32-bit lanes, `odd`
    /// to the upper ones.
    ///
    /// A NaN must have zeros in its lower 16 bits, or rounding could carry its payload into the sign:
    /// so it is for what arithmetic makes of NaNs that were bf16, and for the NaN it makes itself.
    #[inline(always)]
    fn bf16_narrow(self, even: Self::f32s, odd: Self::f32s) -> Self::u32s {
        (bf16_round(self, even) >> 16) | (bf16_round(self, odd) & 0xffff_0000)
    }

    /// Stores past the caches.
    ///
    /// # Safety
    /// `p` must be valid for writes of one vector and aligned to the vector's size.
    #[inline(always)]
    unsafe fn stream(self, p: *mut u32, v: Self::u32s) {
        // SAFETY: the caller vouches for the pointer.
        v.store_slice(unsafe { core::slice::from_raw_parts_mut(p, Self::u32s::LEN) });
    }

    /// Asks for the cache line at `p`, which may be any address.
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

/// Half -> float on the bits: shift the fields into place, then scale by 2^112, which also
/// normalises denormals; infinities and NaNs get their exponent by a second scaling step.
#[inline(always)]
fn f16_widen_bits<S: K>(s: S, h: S::u32s) -> S::f32s {
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

/// Float -> half on the bits, to nearest even.
///
/// Normal results: add half a unit of the last kept bit (less the tie correction) and shift.
/// Denormal results: adding 0.5 aligns the last kept bit with the last bit of the sum.
#[inline(always)]
fn f16_narrow_bits<S: K>(s: S, v: S::f32s) -> S::u32s {
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

/// Rounds to the upper 16 bits; the lower 16 bits are left as they fall.
#[inline(always)]
fn bf16_round<S: K>(_: S, v: S::f32s) -> S::u32s {
    let u: S::u32s = v.bitcast();
    u + ((u >> 16) & 1) + 0x7fff
}

/// Any look-up by loading lane after lane: the baseline's way, and AVX2's for wide tables.
#[inline(always)]
fn lut_scalar<S: K, const N: usize>(s: S, t: &[f32; N], ix: S::u32s) -> S::f32s {
    S::f32s::from_fn(
        s,
        #[inline(always)]
        |i| t[ix[i] as usize % N],
    )
}

macro_rules! scalar_luts {
    ($($name:ident $n:literal),*) => {$(
        #[inline(always)]
        fn $name(self, t: &[f32; $n], ix: Self::u32s) -> Self::f32s {
            lut_scalar(self, t, ix)
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{K, lut_scalar};
    use core::arch::x86_64::*;
    use fearless_simd::{
        Avx2, Avx512, Sse2, f32x8, f32x16, kernel, prelude::*, u16x16, u16x32, u32x4, u32x8, u32x16,
    };

    impl K for Sse2 {
        const FMA: bool = false;
        const WIDE_LUT: bool = true;
        scalar_luts!(lut8 8, lut16 16, lut32 32);

        #[inline(always)]
        unsafe fn stream(self, p: *mut u32, v: u32x4<Self>) {
            // SAFETY: the caller vouches for the pointer; SSE2 is part of x86-64.
            unsafe { _mm_stream_si128(p.cast(), v.into()) }
        }
    }

    kernel!(
        #[inline]
        fn avx2_lut8(s: Avx2, t: __m256, ix: __m256i) -> __m256 {
            _mm256_permutevar8x32_ps(t, ix)
        }
    );
    kernel!(
        #[inline]
        fn avx2_lut16(s: Avx2, t: (__m256, __m256), ix: __m256i) -> __m256 {
            let (lo, hi) = (_mm256_permutevar8x32_ps(t.0, ix), _mm256_permutevar8x32_ps(t.1, ix));
            // Bit 3 of the index, moved to the sign, picks the half.
            _mm256_blendv_ps(lo, hi, _mm256_castsi256_ps(_mm256_slli_epi32::<28>(ix)))
        }
    );
    kernel!(
        #[inline]
        fn avx2_widen(s: Avx2, h: __m256i) -> (__m256, __m256) {
            (
                _mm256_cvtph_ps(_mm256_castsi256_si128(h)),
                _mm256_cvtph_ps(_mm256_extracti128_si256::<1>(h)),
            )
        }
    );
    kernel!(
        #[inline]
        fn avx2_narrow(s: Avx2, lo: __m256, hi: __m256) -> __m256i {
            _mm256_set_m128i(_mm256_cvtps_ph::<0>(hi), _mm256_cvtps_ph::<0>(lo))
        }
    );
    kernel!(
        #[inline]
        fn avx2_stream(s: Avx2, p: *mut u32, v: __m256i) {
            // SAFETY: `K::stream` passes on its caller's promise about `p`.
            unsafe { _mm256_stream_si256(p.cast(), v) }
        }
    );

    impl K for Avx2 {
        const FMA: bool = true;
        const WIDE_LUT: bool = false;
        scalar_luts!(lut32 32);

        #[inline(always)]
        fn lut8(self, t: &[f32; 8], ix: u32x8<Self>) -> f32x8<Self> {
            let t = f32x8::load_array_ref(self, t);
            avx2_lut8(self, t.into(), ix.into()).simd_into(self)
        }
        #[inline(always)]
        fn lut16(self, t: &[f32; 16], ix: u32x8<Self>) -> f32x8<Self> {
            let lo = f32x8::from_slice(self, &t[..8]);
            let hi = f32x8::from_slice(self, &t[8..]);
            avx2_lut16(self, (lo.into(), hi.into()), ix.into()).simd_into(self)
        }
        #[inline(always)]
        fn f16_widen(self, h: u16x16<Self>) -> (f32x8<Self>, f32x8<Self>) {
            let (lo, hi) = avx2_widen(self, h.into());
            (lo.simd_into(self), hi.simd_into(self))
        }
        #[inline(always)]
        fn f16_narrow(self, lo: f32x8<Self>, hi: f32x8<Self>) -> u16x16<Self> {
            avx2_narrow(self, lo.into(), hi.into()).simd_into(self)
        }
        #[inline(always)]
        unsafe fn stream(self, p: *mut u32, v: u32x8<Self>) {
            avx2_stream(self, p, v.into())
        }
    }

    kernel!(
        #[inline]
        fn avx512_lut16(s: Avx512, t: __m512, ix: __m512i) -> __m512 {
            _mm512_permutexvar_ps(ix, t)
        }
    );
    kernel!(
        #[inline]
        fn avx512_lut32(s: Avx512, t: (__m512, __m512), ix: __m512i) -> __m512 {
            _mm512_permutex2var_ps(t.0, ix, t.1)
        }
    );
    kernel!(
        #[inline]
        fn avx512_twice(s: Avx512, t: __m256) -> __m512 {
            _mm512_broadcast_f32x8(t)
        }
    );
    kernel!(
        #[inline]
        fn avx512_widen(s: Avx512, h: __m512i) -> (__m512, __m512) {
            (
                _mm512_cvtph_ps(_mm512_castsi512_si256(h)),
                _mm512_cvtph_ps(_mm512_extracti64x4_epi64::<1>(h)),
            )
        }
    );
    kernel!(
        #[inline]
        fn avx512_narrow(s: Avx512, lo: __m512, hi: __m512) -> __m512i {
            // 8: to nearest even, no exceptions.
            let (lo, hi) = (_mm512_cvtps_ph::<8>(lo), _mm512_cvtps_ph::<8>(hi));
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(lo), hi)
        }
    );
    kernel!(
        #[inline]
        fn avx512_bf16(s: Avx512, even: __m512i, odd: __m512i) -> __m512i {
            // Where what is cut off is over a half, or a half above an odd number, add one; 16-bit
            // lanes hold both numbers. The constants of `ternarylogic`: a | (b & c), a & b | ~a & c.
            let upper = _mm512_set1_epi32(0xffff_0000_u32 as i32);
            let kept = _mm512_ternarylogic_epi32::<0xca>(upper, odd, _mm512_srli_epi32::<16>(even));
            let cut = _mm512_ternarylogic_epi32::<0xca>(upper, _mm512_slli_epi32::<16>(odd), even);
            let tie = _mm512_ternarylogic_epi32::<0xf8>(cut, kept, _mm512_set1_epi16(1));
            let half = _mm512_set1_epi16(i16::MIN);
            let up = _mm512_cmpgt_epu16_mask(tie, half);
            _mm512_mask_sub_epi16(kept, up, kept, _mm512_set1_epi16(-1))
        }
    );
    kernel!(
        #[inline]
        fn avx512_stream(s: Avx512, p: *mut u32, v: __m512i) {
            // SAFETY: `K::stream` passes on its caller's promise about `p`.
            unsafe { _mm512_stream_si512(p.cast(), v) }
        }
    );

    impl K for Avx512 {
        const FMA: bool = true;
        const WIDE_LUT: bool = true;

        #[inline(always)]
        fn lut8(self, t: &[f32; 8], ix: u32x16<Self>) -> f32x16<Self> {
            let t = avx512_twice(self, f32x8::load_array_ref(self, t).into());
            avx512_lut16(self, t, ix.into()).simd_into(self)
        }
        #[inline(always)]
        fn lut16(self, t: &[f32; 16], ix: u32x16<Self>) -> f32x16<Self> {
            let t = f32x16::load_array_ref(self, t);
            avx512_lut16(self, t.into(), ix.into()).simd_into(self)
        }
        #[inline(always)]
        fn lut32(self, t: &[f32; 32], ix: u32x16<Self>) -> f32x16<Self> {
            let lo = f32x16::from_slice(self, &t[..16]);
            let hi = f32x16::from_slice(self, &t[16..]);
            avx512_lut32(self, (lo.into(), hi.into()), ix.into()).simd_into(self)
        }
        #[inline(always)]
        fn f16_widen(self, h: u16x32<Self>) -> (f32x16<Self>, f32x16<Self>) {
            let (lo, hi) = avx512_widen(self, h.into());
            (lo.simd_into(self), hi.simd_into(self))
        }
        #[inline(always)]
        fn f16_narrow(self, lo: f32x16<Self>, hi: f32x16<Self>) -> u16x32<Self> {
            avx512_narrow(self, lo.into(), hi.into()).simd_into(self)
        }
        #[inline(always)]
        fn bf16_narrow(self, even: f32x16<Self>, odd: f32x16<Self>) -> u32x16<Self> {
            let (even, odd): (u32x16<Self>, u32x16<Self>) = (even.bitcast(), odd.bitcast());
            avx512_bf16(self, even.into(), odd.into()).simd_into(self)
        }
        #[inline(always)]
        unsafe fn stream(self, p: *mut u32, v: u32x16<Self>) {
            avx512_stream(self, p, v.into())
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl K for fearless_simd::Neon {
    const FMA: bool = true;
    const WIDE_LUT: bool = true;
    scalar_luts!(lut8 8, lut16 16, lut32 32);
}
