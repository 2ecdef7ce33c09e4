//! Sine, cosine and arctangent.
//!
//! ```text
//! sin x = (-1)^k sin(x - k pi)            k = round(x / pi)
//! cos x = (-1)^k sin(x - (k - 1/2) pi)    k = round(x / pi + 1/2)
//! ```
//!
//! `pi` is split (Cody and Waite) into 8 bits, 7 bits and the rest, so that the first two products with `k` are exact for arguments up
//! to 65536, which is above the largest number of f16. The reduced argument then keeps its relative accuracy near every zero.
//! Beyond 65536, digits are lost with the size of the argument, but results stay within -1 and 1. An infinite argument gives NaN.

use super::{Factors, clamp, horner, mask, nearest_integer, sign_of_parity, times};
use crate::sequence::{Api, Compare, Seq, Val};
use core::f64::consts::{FRAC_1_PI, FRAC_PI_2};

/// `pi` in three parts: its upper 8 bits, the next 7 bits, and the rest.
const PI: [f64; 3] = [3.140_625, 0.000_961_303_710_937_5, 6.349_878_855_738_463e-6];

/// The largest argument of a sine or cosine whose products with the parts of `pi` are exact.
pub const LARGEST: f64 = 65536.0;

/// Bound of reduced arguments, which are `pi / 2` and what rounding adds to it.
///
/// Arguments too large to be reduced are clamped to it, so that the polynomial stays bounded.
const QUARTER: f64 = 1.58;

/// Coefficients of `p` in `sin r = r + r u p(u)`, where `u = r^2` and `|r|` is at most [`QUARTER`].
///
/// The relative error is 6.5e-9.
const SIN: &[f64] = &[
    -0.166_666_592_008_251_1,
    0.008_333_056_547_846_603,
    -1.980_884_745_034_499_5e-4,
    2.604_023_748_908_917_3e-6,
];
/// As [`SIN`], for 16 bits; the relative error is 1.2e-6.
const SIN_16: &[f64] =
    &[-0.166_658_234_755_279_74, 0.008_313_818_511_612_864, -1.852_701_065_808_430_3e-4];

/// Coefficients of `p` in `atan z = z + z u p(u)`, where `u = z^2` and `|z|` is at most 1.
///
/// The relative error is 1.7e-8.
const ATAN: &[f64] = &[
    -0.333_331_527_356_845_07,
    0.199_937_728_275_489_1,
    -0.142_110_552_557_164_73,
    0.106_660_044_551_499_01,
    -0.075_522_139_046_347_55,
    0.043_211_856_410_757_22,
    -0.016_367_925_339_353_637,
    0.002_920_691_574_229_873,
];
/// As [`ATAN`], for 16 bits; the relative error is 5e-6.
const ATAN_16: &[f64] = &[
    -0.333_088_999_777_065_6,
    0.196_183_088_429_023_1,
    -0.122_514_996_184_377_18,
    0.058_770_234_729_901_83,
    -0.013_955_092_652_429_066,
];

/// Emits `sin x`, times the factors `t`; with `SHORT`, for 16 bits.
pub fn sin<const SHORT: bool>(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let y = turned(s, x, 0.0, if SHORT { SIN_16 } else { SIN });
    s.named(y, "sin x");
    times(s, y, t)
}

/// Emits `cos x`, times the factors `t`; with `SHORT`, for 16 bits.
pub fn cos<const SHORT: bool>(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let y = turned(s, x, 0.5, if SHORT { SIN_16 } else { SIN });
    s.named(y, "cos x");
    times(s, y, t)
}

/// Emits `sin(x + shift pi)`, where `shift` is 0 or 1/2, by a polynomial with the coefficients `c`.
fn turned(s: &mut Seq, x: Val, shift: f64, c: &[f64]) -> Val {
    let turns = s.muls(x, FRAC_1_PI);
    let turns = if shift == 0.0 { turns } else { s.adds(turns, shift) };
    let k = nearest_integer(s, turns);
    let by = if shift == 0.0 { k } else { s.adds(k, -shift) };
    let first = s.muls(by, -PI[0]);
    let r = s.call(Api::Add, &[x, first]);
    let r = s.axpy(r, by, -PI[1]);
    let r = s.axpy(r, by, -PI[2]);
    let r = clamp(s, r, -QUARTER, QUARTER);
    s.named(k, "k = round(turns)");
    s.named(r, "x - k pi");
    let sign = sign_of_parity(s, k);
    s.named(sign, "(-1)^k");
    let r = s.mul(r, sign);
    odd(s, r, c)
}

/// Emits `z + z u p(u)`, where `u = z^2` and the polynomial `p` has the coefficients `c`, the constant first.
fn odd(s: &mut Seq, z: Val, c: &[f64]) -> Val {
    let u = s.mul(z, z);
    let p = horner(s, u, c);
    let p = s.mul(p, u);
    s.fused_mul_add(p, z, z)
}

/// Emits `atan x`, times the factors `t`; with `SHORT`, for 16 bits.
///
/// It is a polynomial of `x` up to 1, and beyond `±pi/2 - atan(1 / x)`.
pub fn atan<const SHORT: bool>(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let one = s.splat(1.0);
    let inverse = s.div(one, x);
    let size = s.abs(x);
    let is_near = mask(s, size, Compare::Lt, 1.0);
    let z = s.call(Api::Select, &[is_near, x, inverse]);
    let near = odd(s, z, if SHORT { ATAN_16 } else { ATAN });
    // Twice a number that is not below 1 in size is beyond pi/2.
    let twice = s.muls(x, 2.0);
    let limit = clamp(s, twice, -FRAC_PI_2, FRAC_PI_2);
    let far = s.sub(limit, near);
    let y = s.call(Api::Select, &[is_near, near, far]);
    s.named(z, "x or 1 / x");
    s.named(limit, "pi/2 with the sign of x");
    s.named(y, "atan x");
    times(s, y, t)
}
