//! Exponentials and logarithms as double-doubles, and `x^y`.

use crate::rt::math::poly::{at_least, at_most, horner};
use crate::rt::simd::Isa;
use crate::rt::wide::double::Double;
use crate::rt::wide::exp::{LN2_HI, LN2_LO};
use fearless_simd::prelude::*;

/// A double-double times `2^exponent`, which may be below the least normal number.
#[derive(Clone, Copy)]
pub(super) struct Scaled<S: Isa> {
    pub value: Double<S>,
    pub exponent: S::f64s,
}

impl<S: Isa> Scaled<S> {
    /// The nearest number.
    #[inline(always)]
    pub fn nearest(self, s: S) -> S::f64s {
        s.scale_f64(self.value.nearest(), self.exponent)
    }

    /// Returns the product as one double-double, which loses digits below the least normal number.
    #[inline(always)]
    pub fn flat(self, s: S) -> Double<S> {
        let Double { high, low } = self.value;
        Double { high: s.scale_f64(high, self.exponent), low: s.scale_f64(low, self.exponent) }
    }

    /// Returns another double-double times the same power of two.
    #[inline(always)]
    pub fn with(self, value: Double<S>) -> Scaled<S> {
        Scaled { value, ..self }
    }
}

/// Coefficients of `p`, lowest power first, in `e^r = 1 + r + r^2 p(r)`; the error is 2^-58 for `|r|` up to ln 2 / 2.
const EXP: [f64; 10] = [
    0.500_000_000_000_001_2,
    0.166_666_666_666_667,
    0.041_666_666_666_516_174,
    0.008_333_333_333_307_786,
    0.001_388_888_894_685_078_6,
    0.000_198_412_699_161_357_2,
    2.480_149_008_783_699_4e-5,
    2.755_721_736_892_887_7e-6,
    2.763_123_521_746_704e-7,
    2.511_754_138_884_752e-8,
];
/// 1.5 * 2^52: `y + ROUND` has the integer nearest to `y` in its low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// Magnitude of an argument beyond which its exponential is infinite or zero, whatever a finite function multiplies it by.
const BEYOND: f64 = 1400.0;

/// A polynomial, with two or three operations more than Horner's scheme in a third of its latency (Estrin).
///
/// Schedulers hold two or three evaluations of a function, which are not enough to hide the latency. Where 32 wide registers hold
/// four evaluations that take turns, fewer operations count more: sigmoid takes 1.05 instead of 1.13 ns (Zen 4, AVX-512).
#[inline(always)]
pub(super) fn polynomial<S: Isa, const N: usize>(s: S, x: S::f64s, c: [f64; N]) -> S::f64s {
    if const { S::f64s::LEN == 8 && N <= 10 } {
        return horner(s, x, c);
    }
    let splat = |i: usize| S::f64s::splat(s, c[i]);
    let x2 = x * x;
    let x4 = x2 * x2;
    let pair = |i: usize| if i + 1 < N { x.mul_add(splat(i + 1), splat(i)) } else { splat(i) };
    let four = |i: usize| if i + 2 < N { x2.mul_add(pair(i + 2), pair(i)) } else { pair(i) };
    let last = (N - 1) / 4;
    let mut p = four(4 * last);
    for i in (0..last).rev() {
        p = p.mul_add(x4, four(4 * i));
    }
    p
}

/// `2^k`, for an integer `k` from -1022 to 1023.
#[inline(always)]
pub(super) fn power_of_two<S: Isa>(k: S::f64s) -> S::f64s {
    let bits: S::u64s = (k + (ROUND + 1023.0)).bitcast();
    (bits << 52).bitcast()
}

/// The integer nearest to `x / ln 2`.
#[inline(always)]
pub(super) fn exponent<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    x.mul_add(core::f64::consts::LOG2_E, S::f64s::splat(s, ROUND)) - ROUND
}

/// `e^(x - k ln 2) - 1` for the [`exponent`] `k`: between -0.3 and 0.42. `|x|` is at most [`BEYOND`], or NaN.
#[inline(always)]
pub(super) fn reduced<S: Isa>(s: S, x: Double<S>, k: S::f64s) -> Double<S> {
    // The first product is exact, so that the sum is too.
    let first = k.mul_add(-LN2_HI, x.high);
    let Double { high: r, low } = Double::<S>::ordered(first, k.mul_add(-LN2_LO, x.low));
    let tail = polynomial(s, r, EXP).mul_add(r, low).mul_add(r, low);
    Double::ordered(r, tail)
}

/// `e^x`, of any number.
#[inline(always)]
pub(super) fn exponential<S: Isa>(s: S, x: Double<S>) -> Scaled<S> {
    // A rest of an infinity is NaN, and one beyond the bound does not matter.
    let low = x.high.abs().simd_lt(BEYOND).select(x.low, S::f64s::splat(s, 0.0));
    let high = at_least(s, at_most(s, x.high, BEYOND), -BEYOND);
    let k = exponent(s, high);
    let rest = reduced(s, Double { high, low }, k);
    Scaled { value: rest.added_to(S::f64s::splat(s, 1.0)), exponent: k }
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
    let q = Double::of(s, f).div(Double::<S>::ordered(splat(2.0), f));
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
    let power = exponential(s, exponent).nearest(s);
    crate::rt::wide::powf::signed(s, x, y, power)
}
