//! The error function, its complement, its inverse and the normal distribution.

use super::exp::exp;
use super::log::ln;
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

/// Coefficients of `p`, lowest power first, in `erfinv x = x p(w / 4 - 1)`, where `w = -log(1 - x^2)`.
///
/// The relative error is 2^-52.6 for `w` below 8. The coefficients were computed by interpolation at Chebyshev nodes in 60 digits.
const ERFINV: [f64; 26] = [
    1.858_779_112_426_973_2,
    0.913_418_741_350_760_4,
    -0.115_536_959_229_354_57,
    -0.013_054_209_120_122_817,
    0.030_432_714_013_851_222,
    -0.015_887_504_570_290_954,
    0.001_992_877_905_966_178_5,
    0.002_903_961_221_458_455_3,
    -0.002_191_292_527_756_007_4,
    0.000_484_979_697_498_733_65,
    0.000_305_135_613_683_109_5,
    -0.000_300_996_441_321_355_6,
    8.791_906_284_752_423e-5,
    3.126_257_770_678_504_5e-5,
    -4.121_408_412_307_394e-5,
    1.480_723_872_388_171_2e-5,
    2.709_512_753_708_828_6e-6,
    -5.661_468_444_567_004e-6,
    2.635_397_904_475_193_3e-6,
    1.985_022_081_004_994e-7,
    -1.002_713_247_040_055_2e-6,
    3.879_750_259_338_819e-7,
    1.569_422_994_639_867e-7,
    -1.226_980_496_997_312e-7,
    -8.804_863_027_216_973e-9,
    1.379_902_422_089_151_3e-8,
];

/// Coefficients of `p`, lowest power first, in `erfinv x = x p((sqrt w - CENTRE) / WIDTH)`.
///
/// The relative error is 2^-52.0 for `w` from 8 to 37.2; the largest f64 below 1 has 36.05.
const ERFINV_FAR: [f64; 26] = [
    4.308_385_876_512_09,
    1.652_699_489_745_911_7,
    0.001_003_896_346_146_438_8,
    -0.001_979_585_116_580_064,
    0.001_114_277_218_763_734_4,
    -0.000_510_025_559_749_903_7,
    0.000_231_335_802_327_992_3,
    -0.000_129_177_516_318_205_5,
    0.000_100_837_718_248_398_38,
    -9.250_158_453_055_451e-5,
    8.013_945_556_424_415e-5,
    -5.825_063_302_432_33e-5,
    3.209_313_347_645_097e-5,
    -9.950_312_914_658_042e-6,
    -2.996_472_605_106_669_5e-6,
    6.768_521_460_428_181e-6,
    -5.042_656_962_126_914e-6,
    2.083_045_399_191_581e-6,
    -1.898_793_174_110_848_8e-7,
    -5.224_361_235_558_406e-7,
    5.401_210_431_032_51e-7,
    -2.120_464_328_236_672e-7,
    -4.927_253_987_401_827e-8,
    6.414_553_508_770_317e-8,
    -8.118_853_849_705_797e-9,
    -3.223_008_305_695_265e-9,
];
const CENTRE: f64 = 0.5 * (6.1 + 2.828);
const WIDTH: f64 = 0.5 * (6.1 - 2.828);

/// The number whose error function is `x`: infinite at -1 and 1, NaN beyond.
///
/// `erfinv(x) / x` is a smooth function of `w = -log(1 - x^2)`, and nearly of its root where `x` is close to 1. The factors of
/// `1 - x^2` are exact where that matters.
#[inline(always)]
pub(super) fn erfinv<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let one = S::f64s::splat(s, 1.0);
    let z = x.abs();
    let w = -ln(s, (one - z) * (one + z));
    let near = horner(s, w.mul_add(0.25, -one), ERFINV);
    let far = horner(s, (w.sqrt() - CENTRE) * (1.0 / WIDTH), ERFINV_FAR);
    let y = w.simd_lt(8.0).select(near, far) * x;
    let end = S::f64s::splat(s, f64::INFINITY).copysign(x);
    z.simd_eq(1.0).select(end, y)
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
