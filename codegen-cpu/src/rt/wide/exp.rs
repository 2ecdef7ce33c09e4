//! `e^x`, `e^x - 1`, and functions composed of them.
//!
//! `x = k ln 2 + r` with an integer `k` and `|r| <= ln 2 / 2`, then `e^x = 2^k e^r`. `ln 2` is split (Cody and Waite), so that
//! `k * LN2_HI` is exact.

use super::functions::Wide;
use super::vectors::both;
use crate::rt::math::poly::{at_least, at_most, horner};
use crate::rt::simd::Isa;
use crate::rt::step::each;
use fearless_simd::prelude::*;

/// The upper 32 bits of ln 2.
pub(super) const LN2_HI: f64 = 0.693_147_180_369_123_8;
/// `ln 2 - LN2_HI`
pub(super) const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;

/// 1.5 * 2^52 + 2046: `y + ROUND` has the integer `k + 2046` in its low bits, where `k = round(y)`.
///
/// The 2046 is twice the exponent bias.
const ROUND: f64 = 6_755_399_441_055_744.0 + 2046.0;

/// Coefficients of `p`, lowest power first, in `e^x - 1 = x + x^2 p(x)`.
///
/// The relative error is 2^-54.5.
const EXP: [f64; 10] = [
    0.500_000_000_000_000_1,
    0.166_666_666_666_666_69,
    0.041_666_666_666_624_13,
    0.008_333_333_333_330_062,
    0.001_388_888_891_721_371_7,
    0.000_198_412_698_630_536_18,
    2.480_152_129_595_437_6e-5,
    2.755_726_845_999_706_4e-6,
    2.762_008_844_540_974_6e-7,
    2.510_038_549_551_032e-8,
];

/// Splits `x = k ln 2 + r`: returns `e^r - 1`, and two normal factors with the product `2^k`.
#[inline(always)]
fn parts<S: Isa>(s: S, x: S::f64s) -> [S::f64s; 3] {
    let t = x.mul_add(core::f64::consts::LOG2_E, S::f64s::splat(s, ROUND));
    let k = t - ROUND;
    let r = k.mul_add(-LN2_LO, k.mul_add(-LN2_HI, x));
    let n: S::u64s = t.bitcast();
    let half = n >> 1;
    let (a, b) = ((half << 52).bitcast(), ((n - half) << 52).bitcast());
    [horner(s, r, EXP).mul_add(r * r, r), a, b]
}

/// `e^x`
#[inline(always)]
pub(super) fn exp<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    // The argument is clamped because e^710 is infinite and e^-746 is zero.
    let [e, a, b] = parts(s, at_least(s, at_most(s, x, 710.0), -746.0));
    (e + 1.0) * a * b
}

/// 1.5 * 2^52 + 1023: `y + ROUND_TO_F32` has the bits of the exponent of `2^k` in its low bits, where `k = round(y)`.
const ROUND_TO_F32: f64 = 6_755_399_441_055_744.0 + 1023.0;

/// Coefficients of `p`, lowest power first, in `e^r = 1 + r + r^2 p(r)`.
///
/// The relative error is 2^-28.2.
const EXP_TO_F32: [f64; 5] = [
    0.499_999_934_477_454_4,
    0.166_665_206_309_846_83,
    0.041_668_388_052_823_226,
    0.008_368_716_966_507_452,
    0.001_381_459_859_169_788,
];

/// `e^x`, for results that are rounded to f32: 16 operations instead of 24 for [`exp`], and inline.
///
/// Results below e^-709 are 0.
#[inline(always)]
pub fn exp_to_f32<S: Isa, const W: usize>(s: S, x: Wide<S, W>) -> Wide<S, W> {
    Wide(both!(s, k i => {
        let x = at_least(s, at_most(s, x.0[k][i], 710.0), -709.4);
        let t = x.mul_add(core::f64::consts::LOG2_E, S::f64s::splat(s, ROUND_TO_F32));
        let r = (t - ROUND_TO_F32).mul_add(-core::f64::consts::LN_2, x);
        let one = S::f64s::splat(s, 1.0);
        let bits: S::u64s = t.bitcast();
        let power: S::f64s = (bits << 52).bitcast();
        horner(s, r, EXP_TO_F32).mul_add(r, one).mul_add(r, one) * power
    }))
}

/// `e^x - 1`
#[inline(always)]
pub(super) fn expm1<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    // The lower clamp is -60 because e^-60 - 1 is -1.
    let [e, a, b] = parts(s, at_least(s, at_most(s, x, 710.0), -60.0));
    // 2^1024 is not representable, but half of it is.
    let p = a * 0.5 * b;
    let half = e.mul_add(p, p - 0.5);
    // Restores the sign of -0, which came back as +0.
    (half + half).copysign(x)
}

/// `1 / (1 + e^-x)`, as `e^x / (1 + e^x)` for negative `x`.
#[inline(always)]
pub(super) fn sigmoid<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let e = exp(s, -x.abs());
    x.simd_lt(0.0).select(e, S::f64s::splat(s, 1.0)) / (e + 1.0)
}

/// `tanh |x| = e / (e + 2)`, `e = e^(2|x|) - 1`
#[inline(always)]
pub(super) fn tanh<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    // The argument is clamped because tanh 30 is 1.
    let e = expm1(s, at_most(s, x.abs(), 30.0) * 2.0);
    (e / (e + 2.0)).copysign(x)
}
