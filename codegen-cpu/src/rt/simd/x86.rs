//! The x86-64 levels: the [`Isa`] methods that have dedicated instructions there.

use super::{Isa, token};
use core::arch::x86_64::*;
use core::mem::MaybeUninit;
use fearless_simd::{
    Avx2, Avx512, Sse2, f32x8, f32x16, f64x8, kernel, prelude::*, u16x16, u16x32, u32x4, u32x8,
    u32x16,
};

/// Target features that [`Isa::vectorize_for`] enables: all that the tokens vouch for.
///
/// None may be missing, because the methods of a token are not inlined into code with fewer features.
trait Enabled {
    #[inline]
    unsafe fn sse2<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,cmpxchg16b,f16c,fma,fxsr,lzcnt,movbe,popcnt,xsave")]
    unsafe fn avx2<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
    #[inline]
    #[target_feature(
        enable = "adx,aes,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,\
                  avx512vl,avx512vnni,avx512vpopcntdq,bmi1,bmi2,cmpxchg16b,fma,fxsr,gfni,lzcnt,movbe,pclmulqdq,\
                  popcnt,rdrand,rdseed,sha,vaes,vpclmulqdq,xsave,xsavec,xsaveopt,xsaves"
    )]
    unsafe fn avx512<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
}

impl<B> Enabled for B {}

impl Isa for Sse2 {
    const FMA: bool = false;
    const WIDE_LUT: bool = true;
    const INLINE_LUT: bool = false;
    const MIN_IS_SECOND: bool = true;
    token!(as_sse2);
    #[inline(always)]
    fn vectorize_for<B, R>(self, f: impl FnOnce() -> R) -> R {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { <B as Enabled>::sse2(f) }
    }
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
        // `blendv` selects by the sign bit, so bit 3 of the index is moved there to pick the half.
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
    fn avx2_stream(s: Avx2, to: &mut MaybeUninit<__m256i>, v: __m256i) {
        // SAFETY: a reference is valid and aligned.
        unsafe { _mm256_stream_si256(to.as_mut_ptr(), v) }
    }
);
kernel!(
    #[inline]
    fn avx2_pin(s: Avx2, v: __m256) -> __m256 {
        let mut v = v;
        // SAFETY: emits no instruction. The compiler keeps the order of `asm!` blocks that are not `pure`.
        unsafe {
            core::arch::asm!("/* {0} */", inout(ymm_reg) v, options(nomem, nostack, preserves_flags));
        }
        v
    }
);

impl Isa for Avx2 {
    const FMA: bool = true;
    const WIDE_LUT: bool = false;
    const INLINE_LUT: bool = true;
    const MIN_IS_SECOND: bool = true;
    const PINS_PAIRS: bool = false;
    token!(as_avx2);
    #[inline(always)]
    fn vectorize_for<B, R>(self, f: impl FnOnce() -> R) -> R {
        // SAFETY: the token vouches for the SIMD level.
        unsafe { <B as Enabled>::avx2(f) }
    }
    #[inline(always)]
    fn pin(self, v: f32x8<Self>) -> f32x8<Self> {
        avx2_pin(self, v.into()).simd_into(self)
    }
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
        // SAFETY: the caller vouches for the memory and its alignment.
        avx2_stream(self, unsafe { &mut *p.cast() }, v.into())
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
    fn avx512_f16_store(s: Avx512, to: &mut [MaybeUninit<[u8; 32]>; 2], lo: __m512, hi: __m512) {
        // In halves, because a conversion to memory is one operation. A conversion to a register is two, and joining two
        // registers a third. 0 means to nearest even, as 8 does in `avx512_narrow`. The number differs so that the compiler does
        // not merge the two.
        let (lo, hi) = (_mm512_cvtps_ph::<0>(lo), _mm512_cvtps_ph::<0>(hi));
        // SAFETY: references to as many bytes as are stored; the instruction requires no alignment.
        unsafe {
            _mm256_storeu_si256(to[0].as_mut_ptr().cast(), lo);
            _mm256_storeu_si256(to[1].as_mut_ptr().cast(), hi);
        }
    }
);
kernel!(
    #[inline]
    fn avx512_pin(s: Avx512, v: __m512) -> __m512 {
        let mut v = v;
        // SAFETY: emits no instruction. The compiler keeps the order of `asm!` blocks that are not `pure`.
        unsafe {
            core::arch::asm!("/* {0} */", inout(zmm_reg) v, options(nomem, nostack, preserves_flags));
        }
        v
    }
);
kernel!(
    #[inline]
    fn avx512_scale(s: Avx512, x: __m512, k: __m512) -> __m512 {
        _mm512_scalef_ps(x, k)
    }
);
kernel!(
    #[inline]
    fn avx512_scale_f64(s: Avx512, x: __m512d, k: __m512d) -> __m512d {
        _mm512_scalef_pd(x, k)
    }
);
kernel!(
    #[inline]
    fn avx512_mul_add_down(s: Avx512, x: __m512, y: __m512, z: __m512) -> __m512 {
        _mm512_fmadd_round_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x, y, z)
    }
);
kernel!(
    #[inline]
    fn avx512_max_size(s: Avx512, a: __m512, b: __m512) -> __m512 {
        // 3 selects the operand of larger absolute value, 8 clears the sign. For a number and a quiet NaN the result is the
        // number.
        _mm512_range_ps::<{ 3 | 8 }>(a, b)
    }
);
kernel!(
    #[inline]
    fn avx512_min_size(s: Avx512, a: __m512, b: __m512) -> __m512 {
        // 2 selects the operand of smaller absolute value, 8 clears the sign.
        _mm512_range_ps::<{ 2 | 8 }>(a, b)
    }
);
kernel!(
    #[inline]
    fn avx512_limited(s: Avx512, x: __m512, bound: __m512) -> __m512 {
        // 2 selects the operand of smaller absolute value, with the sign of the first.
        _mm512_range_ps::<2>(x, bound)
    }
);
kernel!(
    #[inline]
    fn avx512_special(s: Avx512, v: __m512) -> u16 {
        // Quiet and signalling NaNs, infinities of both signs.
        _mm512_fpclass_ps_mask::<0x99>(v)
    }
);
kernel!(
    #[inline]
    fn avx512_bf16(s: Avx512, even: __m512i, odd: __m512i) -> __m512i {
        // Adds one where the cut-off part exceeds a half, or equals a half above an odd number; 16-bit lanes hold both numbers.
        // The constants of `ternarylogic` compute a | (b & c) (0xf8) and a & b | ~a & c (0xca).
        let upper = _mm512_set1_epi32(0xffff_0000_u32 as i32);
        let mixed = _mm512_shldi_epi32::<16>(odd, even); // (lower of odd, upper of even)
        let kept = _mm512_ternarylogic_epi32::<0xca>(upper, odd, mixed);
        let cut = _mm512_ternarylogic_epi32::<0xca>(upper, mixed, even);
        let tie = _mm512_ternarylogic_epi32::<0xf8>(cut, kept, _mm512_set1_epi16(1));
        let up = _mm512_cmpgt_epu16_mask(tie, _mm512_set1_epi16(i16::MIN));
        // The addition saturates because only then it stays one operation; no number is at the limit.
        _mm512_mask_adds_epu16(kept, up, kept, _mm512_set1_epi16(1))
    }
);
kernel!(
    #[inline]
    fn avx512_stream(s: Avx512, to: &mut MaybeUninit<__m512i>, v: __m512i) {
        // SAFETY: a reference is valid and aligned.
        unsafe { _mm512_stream_si512(to.as_mut_ptr(), v) }
    }
);

impl Isa for Avx512 {
    const FMA: bool = true;
    const WIDE_LUT: bool = true;
    const INLINE_LUT: bool = true;
    const MIN_IS_SECOND: bool = true;
    const HAS_MAX_SIZE: bool = true;
    token!(as_avx512);

    #[inline(always)]
    fn vectorize_for<B, R>(self, f: impl FnOnce() -> R) -> R {
        // SAFETY: the token vouches for the SIMD level.
        unsafe { <B as Enabled>::avx512(f) }
    }
    #[inline(always)]
    fn if_positive(self, x: f32x16<Self>, yes: f32x16<Self>, no: f32x16<Self>) -> f32x16<Self> {
        // The compiler would invert a comparison of the bits and exchange its arms. A comparison of floats stays as it is, so
        // that `yes` is computed by one masked operation.
        x.simd_ge(0.0).select(yes, no)
    }
    #[inline(always)]
    fn mul_add_down(self, x: f32x16<Self>, y: f32, z: f32) -> f32x16<Self> {
        let [y, z] = [y, z].map(|v| f32x16::splat(self, v).into());
        avx512_mul_add_down(self, x.into(), y, z).simd_into(self)
    }
    #[inline(always)]
    fn pin(self, v: f32x16<Self>) -> f32x16<Self> {
        avx512_pin(self, v.into()).simd_into(self)
    }
    #[inline(always)]
    fn scale(self, x: f32x16<Self>, k: f32x16<Self>, _: u32x16<Self>) -> f32x16<Self> {
        avx512_scale(self, x.into(), k.into()).simd_into(self)
    }
    #[inline(always)]
    fn scale_f64(self, x: f64x8<Self>, k: f64x8<Self>) -> f64x8<Self> {
        avx512_scale_f64(self, x.into(), k.into()).simd_into(self)
    }
    #[inline(always)]
    fn max_size(self, a: f32x16<Self>, b: f32x16<Self>) -> f32x16<Self> {
        avx512_max_size(self, a.into(), b.into()).simd_into(self)
    }
    #[inline(always)]
    fn min_size(self, a: f32x16<Self>, b: f32x16<Self>) -> f32x16<Self> {
        avx512_min_size(self, a.into(), b.into()).simd_into(self)
    }
    #[inline(always)]
    fn limited(self, x: f32x16<Self>, bound: f32) -> f32x16<Self> {
        let bound = f32x16::splat(self, bound);
        avx512_limited(self, x.into(), bound.into()).simd_into(self)
    }
    #[inline(always)]
    fn all_finite(self, v: f32x16<Self>) -> bool {
        avx512_special(self, v.into()) == 0
    }
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
    unsafe fn f16_store(self, p: *mut u16, lo: f32x16<Self>, hi: f32x16<Self>) {
        // SAFETY: the caller vouches for one vector, which is 64 bytes.
        avx512_f16_store(self, unsafe { &mut *p.cast() }, lo.into(), hi.into())
    }
    #[inline(always)]
    fn bf16_narrow(self, even: f32x16<Self>, odd: f32x16<Self>) -> u32x16<Self> {
        let (even, odd): (u32x16<Self>, u32x16<Self>) = (even.bitcast(), odd.bitcast());
        avx512_bf16(self, even.into(), odd.into()).simd_into(self)
    }
    #[inline(always)]
    unsafe fn stream(self, p: *mut u32, v: u32x16<Self>) {
        // SAFETY: the caller vouches for the memory and its alignment.
        avx512_stream(self, unsafe { &mut *p.cast() }, v.into())
    }
}
