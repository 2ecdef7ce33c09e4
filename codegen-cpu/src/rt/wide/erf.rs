//! The error function, its complement and the normal distribution.

use super::exp::exp;
use crate::rt::math::poly::{at_most, horner};
use crate::rt::simd::Isa;
use core::f64::consts::FRAC_1_SQRT_2;
use fearless_simd::prelude::*;

/// Coefficients of `p`, lowest power first, in `erf x = x + x p(x^2)`.
///
/// The relative error is 2^-55.6 for `|x|` below 1/2.
const ERF: [f64; 10] = [
    0.128_379_167_095_512_6,
    -0.376_126_389_031_837_5,
    0.112_837_916_709_548_7,
    -0.026_866_170_644_999_72,
    0.005_223_977_622_016_936_5,
    -0.000_854_832_651_072_479_6,
    0.000_120_552_862_020_057_14,
    -1.492_300_336_815_209_9e-5,
    1.637_123_442_577e-6,
    -1.462_091_340_945_175e-7,
];

/// Coefficients of `p`, lowest power first, in `(1 + 2 z) e^(z^2) erfc z = p(q)`.
///
/// `q = (z - 4) / (z + 4)`. The relative error is 2^-53.7 up to `z = 27.3`.
const ERFC: [f64; 22] = [
    1.232_995_118_625_552_6,
    -0.139_621_116_840_562_64,
    0.015_379_652_102_606_434,
    0.068_097_054_254_710_74,
    -0.101_039_066_035_593_04,
    0.093_732_834_997_724_78,
    -0.066_330_365_827_137_4,
    0.037_167_515_546_005_87,
    -0.016_197_733_896_283_93,
    0.005_031_969_925_454_691,
    -0.000_757_774_313_551_726_2,
    -0.000_199_256_578_476_321_48,
    0.000_150_625_738_372_854_06,
    -2.439_891_715_366_570_6e-5,
    -1.123_234_256_063_21e-5,
    5.707_283_228_489_271e-6,
    3.104_608_870_181_641e-7,
    -8.190_803_148_450_041e-7,
    5.829_586_025_103_651e-8,
    1.018_155_763_923_159e-7,
    -9.229_782_964_906_567e-9,
    -8.827_824_139_476_265e-9,
];

/// `erfc z` for `z >= 0`
#[inline(always)]
fn right<S: Isa>(s: S, z: S::f64s) -> S::f64s {
    // The argument is clamped because erfc 27.3 is zero.
    let z = at_most(s, z, 27.3);
    let q = (z - 4.0) / (z + 4.0);
    horner(s, q, ERFC) / (z + z + 1.0) * exp(s, -(z * z))
}

/// `2/sqrt(pi) * integral of e^(-t^2) from 0 to x`
#[inline(always)]
pub(super) fn erf<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let z = x.abs();
    let near = horner(s, z * z, ERF).mul_add(z, z);
    let far = S::f64s::splat(s, 1.0) - right(s, z);
    z.simd_lt(0.5).select(near, far).copysign(x)
}

/// `1 - erf x`
#[inline(always)]
pub(super) fn erfc<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let y = right(s, x.abs());
    x.simd_lt(0.0).select(S::f64s::splat(s, 2.0) - y, y)
}

/// `Phi(x) = erfc(-x / sqrt 2) / 2`
#[inline(always)]
pub(super) fn normal_cdf<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    erfc(s, x * -FRAC_1_SQRT_2) * 0.5
}

/// `phi(x) = e^(-x^2/2) / sqrt(2 pi)`
#[inline(always)]
pub(super) fn normal_pdf<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    exp(s, x * x * -0.5) * 0.398_942_280_401_432_7
}
