//! `e^x` and `e^x - 1`.
//!
//! `x = k ln 2 + r` with an integer `k` and `|r| <= ln 2 / 2`, then `e^x = 2^k e^r`. `ln 2` is split into 15 bits and a remainder (Cody
//! and Waite), so that `k * LN2_HI` is exact with or without a fused multiply-add.

use super::poly::{at_least, at_most, horner};
use super::table::Column;
use crate::rt::simd::Isa;
use fearless_simd::prelude::*;
use op_dsl_fit::exponential::{POWERS, STEP};

/// The upper 15 bits of ln 2.
pub(super) const LN2_HI: f32 = 0.693_145_75;
/// `ln 2 - LN2_HI`
pub(super) const LN2_LO: f32 = 1.428_606_8e-6;

/// 1.5 * 2^23 + 254: `y + ROUND` has the integer `k + 254` in its low bits, where `k = round(y)`.
///
/// The 254 is twice the exponent bias, see [`two_powers`].
const ROUND: f32 = 12_582_912.0 + 254.0;

/// Coefficients of `p`, lowest power first, in `e^r = 1 + r + r^2 p(r)`.
///
/// The relative error is 2^-28.2.
const EXP: [f32; 5] = [0.5, 0.166_665_2, 0.041_666_43, 0.008_368_812_5, 0.001_393_819];
/// Coefficients of `p`, lowest power first, in `e^r - 1 = r + r^2 p(r)`.
///
/// The relative error is 2^-31.1.
const EXPM1: [f32; 6] =
    [0.5, 0.166_666_66, 0.041_666_493, 0.008_333_545, 0.001_393_232, 0.000_197_624_7];

/// 1.5 * 2^20 + 254: `y + ROUND_TO_EIGHTH` has the integer `8 (y + 254)` in its low bits, where `y` is rounded to a multiple of an
/// eighth.
const ROUND_TO_EIGHTH: f32 = 1_572_864.0 + 254.0;

/// `2^(j/8)` for `j` from 0 to 7 as floats, and the relative error of each float.
static EIGHTHS: [Column<8>; 2] = [Column(every_second(POWERS[0])), Column(every_second(POWERS[1]))];

/// Coefficients of `p`, lowest power first, in `e^r = 1 + r p(r)` for `|r| <= ln 2 / 16`.
///
/// The error of `e^r` is 2^-32.4.
const EIGHTH: [f32; 4] = [1.0, 0.5, 0.166_680_29, 0.041_670_64];

/// Returns the entries of a table of sixteenths that are eighths.
const fn every_second(all: [f32; 16]) -> [f32; 8] {
    let (mut some, mut k) = ([0.0; 8], 0);
    while k < 8 {
        some[k] = all[2 * k];
        k += 1;
    }
    some
}

/// Returns `k = round(x / ln 2)`, and an integer with `k + 254` in its lowest 9 bits.
#[inline(always)]
fn nearest_power<S: Isa>(s: S, x: S::f32s) -> (S::f32s, S::u32s) {
    let t = x.mul_add(core::f32::consts::LOG2_E, S::f32s::splat(s, ROUND));
    (t - ROUND, t.bitcast())
}

/// Returns two factors whose product is `2^k`.
///
/// `n` is the integer that [`nearest_power`] returns: its lowest 9 bits hold `k + 254`. Each factor is a normal number for any
/// `k` that matters, so that the second multiplication rounds a denormal result once, or overflows to infinity.
#[inline(always)]
fn two_powers<S: Isa>(n: S::u32s) -> (S::f32s, S::f32s) {
    let half = n >> 1;
    ((half << 23).bitcast(), ((n - half) << 23).bitcast())
}

/// Returns `2^k` where that is a normal number.
///
/// `n` is the integer that [`nearest_power`] returns: its lowest 9 bits hold `k + 254`.
#[inline(always)]
fn one_power<S: Isa>(n: S::u32s) -> S::f32s {
    ((n - 127) << 23).bitcast()
}

/// `e^r` for `|r| <= ln 2 / 2`.
#[inline(always)]
fn exp_reduced<S: Isa>(s: S, r: S::f32s) -> S::f32s {
    let one = S::f32s::splat(s, 1.0);
    // 1 + r (1 + r p): the rounding error of the inner bracket is multiplied by |r|.
    horner(s, r, EXP).mul_add(r, one).mul_add(r, one)
}

/// `e^x`.
///
/// Range reduction and a polynomial of degree 6.
///
/// Budget 1.0 ulp with FMA (0.91 measured), 1.2 without (1.19).
#[inline(always)]
pub(super) fn exp<S: Isa>(s: S, x: S::f32s) -> S::f32s {
    // The argument is clamped because e^89 rounds to infinity.
    exp_below(s, at_most(s, x, 89.0))
}

/// `e^x` for `x <= 89`.
#[inline(always)]
pub(super) fn exp_below<S: Isa>(s: S, x: S::f32s) -> S::f32s {
    // The argument is clamped because e^-104 rounds to 0.
    let x = at_least(s, x, -104.0);
    let (k, n) = nearest_power(s, x);
    let r = k.mul_add(-LN2_LO, k.mul_add(-LN2_HI, x));
    s.scale(exp_reduced(s, r), k, n)
}

/// `e^(high + low)`, where `low` is at most half a unit of `high`, or NaN where `high` is infinite.
///
/// With `high = y ln 2 + r`, where `y` is a multiple of an eighth, the result is `2^floor(y) T (1 + s)`, `s = e^r - 1`. As `|s|` is less
/// than 0.05, only the last sum rounds by a large part of a unit. The remainder of `high` is exact and `low` is added to it.
///
/// Budget 0.6 ulp, with FMA only (0.59 measured), and 0.8 where the result is denormal (0.77), which rounds once more.
#[inline(always)]
pub(super) fn exp_of_sum<S: Isa>(s: S, high: S::f32s, low: S::f32s) -> S::f32s {
    let high = at_least(s, at_most(s, high, 89.0), -104.0);
    let t = high.mul_add(core::f32::consts::LOG2_E, S::f32s::splat(s, ROUND_TO_EIGHTH));
    let (y, bits): (S::f32s, S::u32s) = (t - ROUND_TO_EIGHTH, t.bitcast());
    let rest = y.mul_add(-16.0 * STEP[1], low_part(s, low));
    let r = y.mul_add(-16.0 * STEP[0], high) + rest;
    let p = horner(s, r, EIGHTH);
    let [power, error] = [s.lut8(&EIGHTHS[0].0, bits), s.lut8(&EIGHTHS[1].0, bits)];
    s.scale(p.mul_add(r, error).mul_add(power, power), y, bits >> 3)
}

/// Clamps the low part of an argument to what it is for a high part that is not clamped: half a unit of 104 is 2^-18.
///
/// A low part that is NaN, as beside an infinite high part, becomes one of the bounds. Clamped arguments are further from the ends of
/// the range of results than that.
#[inline(always)]
fn low_part<S: Isa>(s: S, low: S::f32s) -> S::f32s {
    s.limited(low, 1.0 / (1 << 17) as f32)
}

/// `e^x` for `-80 <= x <= 80`, where no result is denormal or infinite.
#[inline(always)]
pub(super) fn exp_middle<S: Isa>(s: S, x: S::f32s) -> S::f32s {
    let (k, n) = nearest_power(s, x);
    let r = k.mul_add(-LN2_LO, k.mul_add(-LN2_HI, x));
    exp_reduced(s, r) * one_power::<S>(n)
}

/// Splits `e^(hi + lo) = (1 + r + tail) a b` into `[r, tail, a, b]`.
///
/// `hi` must be between -104 and 89, and `lo` far smaller.
///
/// `|r| <= ln 2 / 2`, `tail < 0.07` includes the rounding error of `r`, and `a b` is a power of two that may be denormal though
/// `a` and `b` are not.
#[inline(always)]
pub(super) fn exp_parts<S: Isa>(s: S, hi: S::f32s, lo: S::f32s) -> [S::f32s; 4] {
    let (k, n) = nearest_power(s, hi);
    let head = k.mul_add(-LN2_HI, hi);
    let rest = k.mul_add(-LN2_LO, lo);
    let r = head + rest;
    let tail = horner(s, r, EXP).mul_add(r * r, (head - r) + rest);
    let (a, b) = two_powers::<S>(n);
    [r, tail, a, b]
}

/// `e^x - 1`.
///
/// With `x = k ln 2 + r` and `e^r - 1 = r + r^2 p(r)` the result is `2^k r + (2^k - 1) + 2^k r^2 p(r)`, where the first product
/// and, for all `k` that matter, the bracket are exact. `r` is a double-float.
///
/// Budget 1.3 ulp with FMA (1.30 measured), 1.4 without (1.32).
#[inline(always)]
pub(super) fn expm1<S: Isa>(s: S, x: S::f32s) -> S::f32s {
    // The argument is clamped because e^-60 - 1 rounds to -1 and e^89 - 1 to infinity.
    let y = at_least(s, at_most(s, x, 89.0), -60.0);
    let (k, n) = nearest_power(s, y);
    let head = k.mul_add(-LN2_HI, y);
    let r = k.mul_add(-LN2_LO, head);
    let r_low = k.mul_add(-LN2_LO, head - r);
    let tail = horner(s, r, EXPM1).mul_add(r * r, r_low);
    // 2^128 is not representable, so half of it is used and the result doubled.
    let top = k.simd_gt(127.0);
    let n = top.select(n - 1, n);
    let rest = top.select(S::f32s::splat(s, 2.0), S::f32s::splat(s, 1.0));
    let p = one_power::<S>(n);
    let sum = tail.mul_add(p, r.mul_add(p, p - 1.0)) * rest;
    // Restores the sign of -0, which came back as +0.
    sum.copysign(x)
}
