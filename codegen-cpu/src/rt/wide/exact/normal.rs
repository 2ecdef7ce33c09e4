//! The error function, its complement, its inverse, the normal distribution and gelu.

use super::power::{Scaled, exponential};
use crate::rt::math::poly::{at_least, at_most, horner};
use crate::rt::simd::Isa;
use crate::rt::wide::double::Double;
use fearless_simd::prelude::*;

/// `2 / sqrt(pi)`
const SLOPE: [f64; 2] = [core::f64::consts::FRAC_2_SQRT_PI, 1.533_545_961_316_588e-17];
/// `1 / sqrt(2)`
const ROOT: [f64; 2] = [core::f64::consts::FRAC_1_SQRT_2, -4.833_646_656_726_457e-17];
/// `1 / sqrt(2 pi)`
const DENSITY: [f64; 2] = [0.398_942_280_401_432_7, -2.492_327_202_277_73e-17];

/// Coefficients of `p`, lowest power first, in `erf x = x (2 / sqrt(pi) + z p(z))`, where `z = x^2`: those of Taylor's series.
const ERF: [f64; 13] = [
    -0.376_126_389_031_837_54,
    0.112_837_916_709_551_26,
    -0.026_866_170_645_131_252,
    0.005_223_977_625_442_188,
    -0.000_854_832_702_345_085_3,
    0.000_120_553_329_817_896_64,
    -1.492_565_035_840_625e-5,
    1.646_211_436_588_924_8e-6,
    -1.636_584_469_123_492_4e-7,
    1.480_719_281_587_921_8e-8,
    -1.229_055_530_171_792_8e-9,
    9.422_759_064_650_411e-11,
    -6.711_366_855_164_11e-12,
];

/// Constant coefficient of `p` in `(1 + 2 z) e^(z^2) erfc z = p(q)`, where `q = (z - 4) / (z + 4)`.
const FIRST: [f64; 2] = [1.232_995_118_625_552_6, -4.568_208_893_802_613_4e-17];
/// Coefficients of the polynomial `p` of [`FIRST`] after the constant one, lowest power first.
///
/// The relative error of `erfc z` is 2^-56.7 for `z` from 0.46 to 28.6.
///
/// Computed by interpolation at Chebyshev's nodes in 70 digits.
const ERFC: [f64; 22] = [
    -0.139_621_116_840_562_47,
    0.015_379_652_102_619_787,
    0.068_097_054_254_687_8,
    -0.101_039_066_036_306_32,
    0.093_732_834_998_558_78,
    -0.066_330_365_812_185_61,
    0.037_167_515_533_372_15,
    -0.016_197_734_058_032_508,
    0.005_031_970_022_566_517,
    -0.000_757_773_287_922_314_8,
    -0.000_199_256_988_264_559_4,
    0.000_150_621_678_211_912_4,
    -2.439_797_662_153_649_4e-5,
    -1.122_206_060_749_270_3e-5,
    5.706_313_985_244_985e-6,
    2.939_343_621_148_152_4e-7,
    -8.192_606_332_565_789e-7,
    7.438_746_785_387_039e-8,
    1.030_665_184_975_658_2e-7,
    -1.768_061_221_582_634e-8,
    -9.589_711_196_175_227e-9,
    1.748_738_741_670_091e-9,
];
/// Argument beyond which erfc is zero, whatever it is multiplied by.
const BEYOND: f64 = 28.5;
/// Argument from which on `erfc` is computed directly, and not as `1 - erf`.
const NEAR: f64 = 0.5;

/// `erf z` for a small `z`.
#[inline(always)]
fn near<S: Isa>(s: S, z: Double<S>) -> Double<S> {
    let square = z.high * z.high;
    Double::constant(s, SLOPE).plus(horner(s, square, ERF) * square).mul(z)
}

/// `e^(-z^2)`, and `erfc z` with the same powers of two, for `z >= 0`.
#[inline(always)]
fn right<S: Isa>(s: S, z: Double<S>) -> (Scaled<S>, Scaled<S>) {
    let low = z.high.simd_lt(BEYOND).select(z.low, S::f64s::splat(s, 0.0));
    let z = Double { high: at_most(s, z.high, BEYOND), low };
    let e = exponential(s, -z.mul(z));
    let q = (z.high - 4.0) / (z.high + 4.0);
    let p = Double::constant(s, FIRST).plus(horner(s, q, ERFC) * q);
    let below = z.scaled(2.0).plus(S::f64s::splat(s, 1.0));
    let far = p.div(below).mul(e.value);
    // For a small `z` the powers of two are 1.
    let y = Double::choose(z.high.simd_lt(NEAR), near(s, z).one_minus(s), far);
    (e, e.with(y))
}

/// `2/sqrt(pi) * integral of e^(-t^2) from 0 to x`
#[inline(always)]
pub(in crate::rt::wide) fn erf_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let z = Double::of(s, x.abs());
    let far = right(s, z).1.flat().one_minus(s);
    Double::choose(z.high.simd_lt(NEAR), near(s, z), far).nearest().copysign(x)
}

/// `1 - erf x`
#[inline(always)]
pub(in crate::rt::wide) fn erfc_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let (_, y) = right(s, Double::of(s, x.abs()));
    let left = (-y.flat()).plus(S::f64s::splat(s, 2.0)).nearest();
    x.simd_lt(0.0).select(left, y.nearest())
}

/// The number whose error function is `x`: a step of Newton's method from the nearest that is known to 2^-51.
#[inline(always)]
pub(in crate::rt::wide) fn erfinv_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let size = x.abs();
    let first = crate::rt::wide::erf::erfinv(s, size);
    let z = Double::of(s, first);
    let (e, y) = right(s, z);
    let far = (-y.flat()).plus(S::f64s::splat(s, 1.0) - size).nearest();
    let close = near(s, z).plus(-size).nearest();
    let off = z.high.simd_lt(NEAR).select(close, far);
    let better = first - off / (e.flat().high * SLOPE[0]);
    // Ends of the domain, NaN and numbers whose square vanishes stay.
    let is_inside = size.simd_lt(1.0) & size.simd_gt(1e-150);
    is_inside.select(better, first).copysign(x)
}

/// `Phi(-|x|)` and `e^(-x^2/2)`, with the same powers of two.
#[inline(always)]
fn tail<S: Isa>(s: S, x: S::f64s) -> (Scaled<S>, Scaled<S>) {
    let z = Double::constant(s, ROOT).times(at_most(s, x.abs(), 1e3));
    let (e, y) = right(s, z);
    (e, y.with(y.value.scaled(0.5)))
}

/// `Phi(x) = erfc(-x / sqrt 2) / 2`
#[inline(always)]
pub(in crate::rt::wide) fn normal_cdf_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let (_, y) = tail(s, x);
    x.simd_lt(0.0).select(y.nearest(), y.flat().one_minus(s).nearest())
}

/// `x Phi(x)`
#[inline(always)]
pub(in crate::rt::wide) fn gelu_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = at_least(s, x, -40.0);
    let (_, y) = tail(s, x);
    let negative = y.with(y.value.times(x)).nearest();
    let positive = y.flat().one_minus(s).times(x).nearest();
    // A zero keeps its sign.
    x.simd_lt(0.0).select(negative, x.simd_lt(40.0).select(positive, x)).copysign(x)
}

/// `Phi(x) + x phi(x)`, where `phi` is the density; it is `1 - g(x)` at `-x`.
#[inline(always)]
pub(in crate::rt::wide) fn gelu_grad_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let size = at_most(s, x.abs(), 40.0);
    let (e, y) = tail(s, size);
    let density = e.value.mul(Double::constant(s, DENSITY)).times(size);
    let small = y.with(y.value.add(-density));
    x.simd_lt(0.0).select(small.nearest(), small.flat().one_minus(s).nearest())
}
