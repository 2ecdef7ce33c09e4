//! `log_e x`, `log_e (1 + x)` and `log_e (1 + e^x)`.
//!
//! `x = 2^e m` with `sqrt(1/2) <= m < sqrt 2`, then `log x = e ln 2 + log(1 + f)`, `f = m - 1`, and
//! `log(1 + f) = 2 atanh(f / (2 + f))`.

use super::exp::{LN2_HI, LN2_LO, exp};
use crate::rt::math::poly::horner;
use crate::rt::simd::Isa;
use fearless_simd::prelude::*;

/// Coefficients of `p`, lowest power first, in `2 atanh s = 2 s + s z p(z)`, where `z = s^2`.
///
/// The relative error is 2^-57.6.
const LOG: [f64; 7] = [
    0.666_666_666_666_667, 0.399_999_999_998_994_44, 0.285_714_286_260_032_7,
    0.222_222_111_302_598_78, 0.181_828_894_556_749_47, 0.153_317_106_182_107_73,
    0.146_165_854_248_886_23,
];

/// Bit pattern of the f64 number 1. `SQRT_HALF` is that of sqrt(1/2).
const ONE: u64 = 0x3ff0_0000_0000_0000;
const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;

/// `log x + low` for a positive, normal `x`.
///
/// `bias` is subtracted from the exponent field of `x`, which is first converted to f64 with an excess of 2^52.
#[inline(always)]
fn log<S: Isa>(s: S, x: S::f64s, bias: S::f64s, low: S::f64s) -> S::f64s {
    // Counts from sqrt(1/2), so that the exponent field changes where `m` does.
    let bits: S::u64s = x.bitcast();
    let bits = bits + (ONE - SQRT_HALF);
    let m: S::f64s = ((bits & 0x000f_ffff_ffff_ffff) + SQRT_HALF).bitcast();
    // The integer becomes the fraction of a float in [2^52, 2^53).
    let e: S::f64s = ((bits >> 52) | 0x4330_0000_0000_0000).bitcast();
    let e = e - bias;
    let f = m - 1.0;
    let q = f / (f + 2.0);
    let z = q * q;
    let h = f * f * 0.5;
    // f - (h - q (h + z p)) = 2 q + q z p, without the rounding of q where it counts; e LN2_HI is exact.
    let rest = (h + horner(s, z, LOG) * z).mul_add(q, e.mul_add(LN2_LO, low));
    e.mul_add(LN2_HI, f - (h - rest))
}

/// 2^52 plus the bias of an exponent field in f64, see [`log`].
const BIAS: f64 = 4_503_599_627_370_496.0 + 1023.0;

/// Replaces the logarithm `y` at the ends of its domain, which starts at `x = bottom`.
///
/// The result is infinity at infinity, -infinity at `bottom`, NaN below `bottom` and at NaN.
#[inline(always)]
fn ends<S: Isa>(s: S, x: S::f64s, bottom: f64, y: S::f64s) -> S::f64s {
    let y = x.simd_lt(f64::INFINITY).select(y, x);
    let y = x.simd_eq(bottom).select(S::f64s::splat(s, f64::NEG_INFINITY), y);
    x.simd_lt(bottom).select(S::f64s::splat(s, f64::NAN), y)
}

/// `log_e x`
#[inline(always)]
pub(super) fn ln<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    const UP: f64 = 18_014_398_509_481_984.0; // 2^54
    let tiny = x.simd_lt(f64::MIN_POSITIVE);
    let bias = tiny.select(S::f64s::splat(s, BIAS + 54.0), S::f64s::splat(s, BIAS));
    let y = log(s, tiny.select(x * UP, x), bias, S::f64s::splat(s, 0.0));
    ends(s, x, 0.0, y)
}

/// `log_e (1 + x)`, from the rounded `u = 1 + x` and its rounding error.
#[inline(always)]
pub(super) fn log1p<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let u = x + 1.0;
    let lost = (x - (u - 1.0)) / u;
    let y = log(s, u, S::f64s::splat(s, BIAS), lost);
    // Restores the sign of -0, which came back as +0; elsewhere the sign is that of x already.
    ends(s, x, -1.0, y.copysign(x))
}

/// `log_e (1 + e^x) = max(x, 0) + log(1 + e^-|x|)`
#[inline(always)]
pub(super) fn softplus<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let zero = S::f64s::splat(s, 0.0);
    log1p(s, exp(s, -x.abs())) + x.simd_gt(zero).select(x, zero)
}
