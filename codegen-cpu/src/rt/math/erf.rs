//! The error function and its complement.

use super::exp::{exp_middle, exp_parts};
use super::poly::{at_most, horner};
use crate::rt::simd::Isa;
use fearless_simd::prelude::*;

/// Coefficients of `p`, lowest power first, in `erf x = x + x p(x^2)`.
///
/// The relative error is 2^-30 for `|x|` below 0.93.
const NEAR: [f32; 7] = [
    0.128_379_17, -0.376_126_3, 0.112_836_26, -0.026_855_731, 0.005_192_405_4, -0.000_804_978_66,
    7.996_785e-5,
];
/// Coefficients of `p`, lowest power first, in `erf x = 1 - e^(-x p(x))`.
///
/// The relative error is 2^-30.4 for `x` from 0.92 to 3.93.
const FAR: [f32; 7] = [
    1.128_648_5, 0.635_151_2, 0.106_237_06, -0.023_762_245, 0.003_642_568_1, -0.000_322_840_15,
    1.123_633e-5,
];

/// `erf x = 2/sqrt(pi) * integral of e^(-t^2) from 0 to x`.
///
/// An odd polynomial of degree 15 for `|x| < 0.92`, and `1 - e^(-x p(x))` beyond, where the exponential is less than 0.2.
///
/// Budget 1.1 ulp with FMA (1.08 measured), 1.3 without (1.23).
#[inline(always)]
pub(super) fn erf<S: Isa>(s: S, x: S::f32s) -> S::f32s {
    let z = x.abs();
    let near = horner(s, z * z, NEAR).mul_add(z, z);
    // The argument is clamped because erf 3.93 rounds to 1.
    let y = at_most(s, z, 3.93);
    let far = S::f32s::splat(s, 1.0) - exp_middle(s, -(horner(s, y, FAR) * y));
    z.simd_lt(0.92).select(near, far).copysign(x)
}

/// Centre of the polynomial in `t = 1 / (1 + z/2)` that `erfc` evaluates, where `z = |x|`.
///
/// `e^(z^2) erfc(z) = t (C0 + d p(d))`, where `d = t - CENTRE` and `p` has the coefficients `SCALED`, lowest power first. The
/// relative error is 2^-27.7 up to `z = 10.1`. This centre makes every `t - CENTRE` exact and `C0` a multiple of 2^-24, so that
/// `C0` can be subtracted exactly.
const CENTRE: f32 = 415.0 / 1024.0;
const C0: f32 = 0.450_577_56;
const SCALED: [f32; 10] = [
    0.585_730_14, 0.509_245_4, 0.200_173_33, -0.111_756_235, -0.145_858_21, 0.044_807_807,
    0.103_595_09, -0.049_911_845, -0.049_201_57, 0.037_819_73,
];

/// `erfc x = 1 - erf x`, accurate until its value is the smallest denormal, near `x = 10.05`.
///
/// `e^(-x^2)` times a polynomial in `t = 1 / (1 + |x|/2)`, and for negative `x` 2 minus that. The exponential gets the low word
/// of `x^2`. The errors of `t` and of the product are carried along.
///
/// Budget 1.4 ulp with FMA (1.34 measured), 1.9 without (1.84).
#[inline(always)]
pub(super) fn erfc<S: Isa>(s: S, x: S::f32s) -> S::f32s {
    let one = S::f32s::splat(s, 1.0);
    // The argument is clamped because erfc 10.1 rounds to 0.
    let z = at_most(s, x.abs(), 10.1);
    let (hi, lo) = s.two_prod(z, z);
    let [r, tail, a, b] = exp_parts(s, -hi, -lo);

    let half = z * 0.5;
    let den = half + 1.0;
    let den_low = (one - den) + half;
    let t = one / den;
    // 1 / (den + den_low) = t (1 + e), up to e^2.
    let (product, product_low) = s.two_prod(den, t);
    let e = (one - product) - den_low.mul_add(t, product_low);

    // g + g_low = C0 + d p(d), y + y_low = t (g + g_low). Near z = 0 the correction t e is less than the last place of d, so it
    // is multiplied by the slope of the first terms.
    let d = t - CENTRE;
    let p = horner(s, d, SCALED);
    let slope = d.mul_add(2.0 * SCALED[1], S::f32s::splat(s, SCALED[0]));
    let c0 = S::f32s::splat(s, C0);
    let g = p.mul_add(d, c0);
    let g_low = (t * e).mul_add(slope, p.mul_add(d, c0 - g));
    let (y, y_low) = s.two_prod(t, g);
    let y_low = y.mul_add(e, g_low.mul_add(t, y_low));
    // (y + y_low) (1 + r + tail): only the last two additions round a large term.
    let y_low = y_low.mul_add(r, y_low);
    let w = y + y.mul_add(r, y.mul_add(tail, y_low));
    let w = w * a * b;
    x.simd_lt(0.0).select(S::f32s::splat(s, 2.0) - w, w)
}
