//! Exponentials and logarithms as double-doubles, and `x^y`.

use crate::rt::math::poly::{at_least, at_most, horner};
use crate::rt::simd::Isa;
use crate::rt::wide::double::Double;
use crate::rt::wide::exp::{LN2_HI, LN2_LO};
use fearless_simd::prelude::*;

/// A double-double times two powers of two, whose product may be below the least normal number.
#[derive(Clone, Copy)]
pub(super) struct Scaled<S: Isa> {
    pub value: Double<S>,
    pub power: [S::f64s; 2],
}

impl<S: Isa> Scaled<S> {
    /// The nearest number.
    #[inline(always)]
    pub fn nearest(self) -> S::f64s {
        self.value.nearest() * self.power[0] * self.power[1]
    }

    /// Returns the product as one double-double, which loses digits below the least normal number.
    #[inline(always)]
    pub fn flat(self) -> Double<S> {
        let [a, b] = self.power;
        Double { high: self.value.high * a * b, low: self.value.low * a * b }
    }

    /// Returns another double-double times the same powers of two.
    #[inline(always)]
    pub fn with(self, value: Double<S>) -> Scaled<S> {
        Scaled { value, ..self }
    }
}

/// Coefficients of `p`, lowest power first, in `e^r = 1 + r + r^2 p(r)`: those of Taylor's series, 2^-57 off for `|r|` up to ln 2 / 2.
const EXP: [f64; 12] = [
    0.5,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];
/// 1.5 * 2^52 + 2046: `y + ROUND` has the integer `k + 2046` in its low bits, where `k = round(y)`.
const ROUND: f64 = 6_755_399_441_055_744.0 + 2046.0;
/// Magnitude of an argument beyond which its exponential is infinite or zero, whatever a finite function multiplies it by.
const BEYOND: f64 = 1400.0;

/// `e^x`
#[inline(always)]
pub(super) fn exponential<S: Isa>(s: S, x: Double<S>) -> Scaled<S> {
    let zero = S::f64s::splat(s, 0.0);
    // A rest of an infinity is NaN, and one beyond the bound does not matter.
    let low = x.high.abs().simd_lt(BEYOND).select(x.low, zero);
    let high = at_least(s, at_most(s, x.high, BEYOND), -BEYOND);
    let t = high.mul_add(core::f64::consts::LOG2_E, S::f64s::splat(s, ROUND));
    let k = t - ROUND;
    // The first product is exact, so that the sum is too.
    let reduced = Double::<S>::sum(k.mul_add(-LN2_HI, high), k.mul_add(-LN2_LO, low));
    let (r, low) = (reduced.high, reduced.low);
    let tail = horner(s, r, EXP) * (r * r) + low.mul_add(r, low);
    let first = Double::<S>::ordered(S::f64s::splat(s, 1.0), r);
    let value = Double::ordered(first.high, first.low + tail);
    let n: S::u64s = t.bitcast();
    let half = n >> 1;
    Scaled { value, power: [(half << 52).bitcast(), ((n - half) << 52).bitcast()] }
}

/// Coefficients of `p`, lowest power first, in `2 atanh q = 2 q + q z (2/3 + z p(z))`, where `z = q^2`: those of Taylor's series.
const LOG: [f64; 13] = [
    2.0 / 5.0,
    2.0 / 7.0,
    2.0 / 9.0,
    2.0 / 11.0,
    2.0 / 13.0,
    2.0 / 15.0,
    2.0 / 17.0,
    2.0 / 19.0,
    2.0 / 21.0,
    2.0 / 23.0,
    2.0 / 25.0,
    2.0 / 27.0,
    2.0 / 29.0,
];
const TWO_THIRDS: [f64; 2] = [2.0 / 3.0, 3.700_743_415_417_188e-17];
/// Bit pattern of the f64 number 1. `SQRT_HALF` is that of sqrt(1/2).
const ONE: u64 = 0x3ff0_0000_0000_0000;
const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
/// 2^52 plus the bias of an exponent field in f64.
const BIAS: f64 = 4_503_599_627_370_496.0 + 1023.0;

/// `log_e (x + low)` of a number that is not negative, with a relative error of 2^-64; -infinity at 0.
#[inline(always)]
pub(in crate::rt::wide) fn logarithm<S: Isa>(s: S, x: S::f64s, low: S::f64s) -> Double<S> {
    const UP: f64 = 18_014_398_509_481_984.0; // 2^54
    let splat = |c| S::f64s::splat(s, c);
    let is_tiny = x.simd_lt(f64::MIN_POSITIVE);
    let normal = is_tiny.select(x * UP, x);
    let bits: S::u64s = normal.bitcast();
    let bits = bits + (ONE - SQRT_HALF);
    let m: S::f64s = ((bits & 0x000f_ffff_ffff_ffff) + SQRT_HALF).bitcast();
    let e: S::f64s = ((bits >> 52) | 0x4330_0000_0000_0000).bitcast();
    let e = e - is_tiny.select(splat(BIAS + 54.0), splat(BIAS));
    let f = m - 1.0;
    let q = Double::of(s, f).div(Double::<S>::sum(splat(2.0), f));
    let z = q.mul(q);
    let tail = Double::constant(s, TWO_THIRDS).plus(horner(s, z.high, LOG) * z.high);
    let near_one = q.scaled(2.0).add(q.mul(z.mul(tail)));
    let whole = Double::<S>::sum(e * LN2_HI, near_one.high);
    let rest = whole.low + (near_one.low + e.mul_add(LN2_LO, low / x));
    let all = Double::<S>::ordered(whole.high, rest);
    // Infinities stay as they are, without a rest.
    let (is_zero, is_finite) = (x.simd_eq(0.0), x.simd_lt(f64::INFINITY));
    let high = is_zero.select(splat(f64::NEG_INFINITY), is_finite.select(all.high, x));
    Double { high, low: (is_zero | !is_finite).select(splat(0.0), all.low) }
}

/// `x^y = e^(y log |x|)`, with the sign, limits and NaNs of C's `pow`: see [`crate::rt::wide::powf`].
#[inline(always)]
pub(in crate::rt::wide) fn powf_f64<S: Isa>(s: S, x: S::f64s, y: S::f64s) -> S::f64s {
    let log = logarithm(s, x.abs(), S::f64s::splat(s, 0.0));
    let (exponent, plain) = (log.times(y), Double::of(s, log.high * y));
    let exponent = Double::choose(exponent.high.simd_eq(exponent.high), exponent, plain);
    let power = exponential(s, exponent).nearest();
    crate::rt::wide::powf::signed(s, x, y, power)
}
