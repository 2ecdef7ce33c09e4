//! The logarithm of the gamma function and its first two derivatives.
//!
//! ```text
//! |x| >= 8       Stirling's series and its derivatives
//! |x| < 8        a polynomial next to 2, or between 1 and 2, and the recurrence; for trigamma Stirling's series further right
//! negative x     the reflection formulas, with x less the nearest integer, which is exact
//! ```
//!
//! All terms are double-doubles, because terms of the recurrences and of the reflections cancel: results in f64 are within a unit,
//! next to zeros on the negative axis within a unit of the terms there times 2^-4. Results in f32 and f64 are computed by the same
//! functions. Coefficients were interpolated at Chebyshev nodes in 90 digits (mpmath); errors are those of the rounded ones.

use super::double::Double;
use super::exact::logarithm;
use crate::rt::math::poly::horner;
use crate::rt::simd::Isa;
use fearless_simd::prelude::*;

/// From here on Stirling's series has all digits. The logarithm uses it from 8.5, where arguments round to 9.
const FAR: f64 = 8.0;
/// Magnitude below which `1/x` and `1/x^2` are all of digamma and trigamma.
const TINY: f64 = 1e-150;

/// The first two coefficients of `lgamma(2 + t) / t`.
const LGAMMA_FIRST: [[f64; 2]; 2] = [
    [0.422_784_335_098_467_13, 4.942_915_152_430_645e-18],
    [0.322_467_033_424_113_2, 1.520_336_175_199_238e-17],
];
/// Coefficients of `q`, lowest power first, in `lgamma(2 + t) = t (c + t (d + t q(t)))` for `|t| <= 1/2`.
///
/// The relative error is 2^-57.3.
const LGAMMA: [f64; 19] = [
    -0.067_352_301_053_198_1,
    0.020_580_808_427_784_553,
    -0.007_385_551_028_673_987,
    0.002_890_510_330_740_574,
    -0.001_192_753_911_702_806_5,
    0.000_509_669_524_809_716_7,
    -0.000_223_154_758_485_497_7,
    9.945_751_065_656_83e-5,
    -4.492_623_572_075_009e-5,
    2.050_724_939_057_788_3e-5,
    -9.439_505_802_977_71e-6,
    4.374_497_421_555_722e-6,
    -2.039_038_941_372_666e-6,
    9.573_811_846_241_715e-7,
    -4.503_191_137_212_346_7e-7,
    2.040_840_149_566_362_7e-7,
    -9.660_909_813_080_578e-8,
    6.286_887_600_397_704e-8,
    -2.997_082_823_610_355e-8,
];
/// `B_2k / (2k (2k - 1))`, in Stirling's series of `lgamma`.
const LGAMMA_FAR: [f64; 10] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1_260.0,
    -1.0 / 1_680.0,
    1.0 / 1_188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3_617.0 / 122_400.0,
    43_867.0 / 244_188.0,
    -174_611.0 / 125_400.0,
];
/// `log(2 pi) / 2 - 1/2`
const LOG_TAU: [f64; 2] = [0.418_938_533_204_672_7, 1.672_820_965_058_541_3e-17];
const LOG_PI: [f64; 2] = [1.144_729_885_849_400_2, 1.026_595_116_270_782_6e-17];

/// The positive zero of digamma, less 1.
const ROOT: [f64; 2] = [0.461_632_144_968_362_36, -1.552_234_816_285_867_7e-17];
/// The first two coefficients of `digamma(3/2 + u)` divided by the distance from the zero.
const DIGAMMA_FIRST: [[f64; 2]; 2] = [
    [0.951_055_876_031_832_8, 4.330_743_078_649_653e-17],
    [-0.423_627_421_281_460_47, -2.618_025_015_674_147e-17],
];
/// Coefficients of `q`, lowest power first, in `digamma(3/2 + u) = (u + 1/2 - ROOT) (c + u (d + u q(u)))` for `|u| <= 1/2`.
///
/// The relative error is 2^-58.2.
const DIGAMMA: [f64; 23] = [
    0.240_542_484_240_786_92,
    -0.148_404_923_053_917_36,
    0.094_988_724_452_914_69,
    -0.061_922_133_271_697_315,
    0.040_760_833_938_318_75,
    -0.026_975_796_841_755_04,
    0.017_907_248_438_625_2,
    -0.011_908_215_253_480_08,
    0.007_927_018_561_884_09,
    -0.005_280_016_306_837_327_5,
    0.003_518_159_264_633_771_4,
    -0.002_344_667_741_474_372_3,
    0.001_562_818_299_591_762_5,
    -0.001_042_129_326_968_16,
    0.000_694_706_136_861_473_2,
    -0.000_460_598_378_200_210_73,
    0.000_307_058_123_676_906_6,
    -0.000_215_969_981_751_217_72,
    0.000_143_978_793_383_350_83,
    -6.435_717_797_262_976e-5,
    4.290_459_985_430_299e-5,
    -7.920_812_306_988_7e-5,
    5.280_537_685_620_894_5e-5,
];
/// `B_2k / 2k`, in Stirling's series of digamma.
const DIGAMMA_FAR: [f64; 11] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32_760.0,
    1.0 / 12.0,
    -3_617.0 / 8_160.0,
    43_867.0 / 14_364.0,
    -174_611.0 / 6_600.0,
    854_513.0 / 3_036.0,
];
/// `B_2k`, in Stirling's series of trigamma.
const TRIGAMMA_FAR: [f64; 13] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2_730.0,
    7.0 / 6.0,
    -3_617.0 / 510.0,
    43_867.0 / 798.0,
    -174_611.0 / 330.0,
    854_513.0 / 138.0,
    -236_364_091.0 / 2_730.0,
    8_553_103.0 / 6.0,
];

const PI: [f64; 2] = [core::f64::consts::PI, 1.224_646_799_147_353_2e-16];
const HALF_PI: [f64; 2] = [core::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17];
const SIXTH: [f64; 2] = [1.0 / 6.0, 9.251_858_538_542_97e-18];
const TWENTY_FOURTH: [f64; 2] = [1.0 / 24.0, 2.312_964_634_635_742_7e-18];
/// Coefficients of `p`, lowest power first, in `sin v = v + v z (-1/6 + z p(z))`, where `z = v^2`, for `|v| <= pi/4`.
const SIN: [f64; 6] = [
    1.0 / 120.0,
    -0.000_198_412_698_412_689_63,
    2.755_731_922_232_509e-6,
    -2.505_210_723_638_162_6e-8,
    1.605_868_440_090_580_4e-10,
    -7.595_311_845_794_959e-13,
];
/// Coefficients of `p`, lowest power first, in `cos v = 1 - z/2 + z^2 (1/24 + z p(z))`.
const COS: [f64; 6] = [
    -1.0 / 720.0,
    2.480_158_730_158_681_4e-5,
    -2.755_731_922_306_274e-7,
    2.087_675_634_918_288e-9,
    -1.147_054_582_173_842_8e-11,
    4.750_660_993_437_302e-14,
];

/// `c + t (d + t q(t))`
#[inline(always)]
fn polynomial<S: Isa, const N: usize>(
    s: S,
    t: S::f64s,
    first: [[f64; 2]; 2],
    rest: [f64; N],
) -> Double<S> {
    let linear = Double::constant(s, first[1]).plus(horner(s, t, rest) * t);
    Double::constant(s, first[0]).add(linear.times(t))
}

/// `1 / v`
#[inline(always)]
fn reciprocal<S: Isa>(s: S, v: Double<S>) -> Double<S> {
    Double::of(s, S::f64s::splat(s, 1.0)).div(v)
}

/// `sin(pi r / 2)` and `cos(pi r / 2)` for `|r| <= 1/2`.
///
/// Twice their product is `sin(pi r)`, and the difference of their squares is `cos(pi r)`.
#[inline(always)]
fn half_turn<S: Isa>(s: S, r: S::f64s) -> [Double<S>; 2] {
    let v = Double::constant(s, HALF_PI).times(r);
    let z = v.mul(v);
    let sin = (-Double::constant(s, SIXTH)).plus(horner(s, z.high, SIN) * z.high);
    let cos = Double::constant(s, TWENTY_FOURTH).plus(horner(s, z.high, COS) * z.high);
    let cos = z.mul(z.mul(cos)).add(z.scaled(-0.5)).plus(S::f64s::splat(s, 1.0));
    [v.add(v.mul(z.mul(sin))), cos]
}

/// `sin(pi r)` for `|r| <= 1/2`.
#[inline(always)]
fn sine<S: Isa>(s: S, r: S::f64s) -> Double<S> {
    let [sin, cos] = half_turn(s, r);
    sin.mul(cos).scaled(2.0)
}

/// `log |Gamma(x)|`; infinite at 0, -1, -2, .. and at both infinities.
///
/// Below 8.5, `lgamma(n + t)` with the nearest integer `n` is `lgamma(2 + t)` and the logarithm of the factors in between.
#[inline(always)]
pub(super) fn lgamma<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    /// A power of two by which products with large arguments stay below infinity.
    const SMALL: f64 = 1.0 / (1u128 << 100) as f64;
    let splat = |c| S::f64s::splat(s, c);
    let size = x.abs();
    let whole = size.round_ties_even();
    let rest = size - whole;

    let one = Double::of(s, splat(1.0));
    let below = Double::choose(whole.simd_lt(0.5), Double::sum(size, splat(1.0)), one).times(size);
    let is_below = whole.simd_lt(1.5);
    let mut factors = Double::choose(is_below, below, one);
    let is_near = size.simd_lt(FAR + 0.5);
    let mut j = 1.0;
    // Loops end with the last lane that needs them, and are not unrolled, which would take as long to compile as all else.
    while (is_near & whole.simd_gt(j + 1.5)).any_true() {
        factors = Double::choose(whole.simd_gt(j + 1.5), factors.times(size - j), factors);
        j += 1.0;
    }
    let of = Double::choose(is_near, factors, Double::of(s, size));
    let log = logarithm(s, of.high, of.low);
    let near = polynomial(s, rest, LGAMMA_FIRST, LGAMMA).times(rest);
    let near = near.add(Double::choose(is_below, -log, log));

    // (x - 1/2) (log x - 1) + (log(2 pi) - 1) / 2 + ..
    let less = log.plus(splat(-1.0));
    let product = less.times(size * SMALL).scaled(1.0 / SMALL);
    let inverse = splat(1.0) / size;
    let series = horner(s, inverse * inverse, LGAMMA_FAR) * inverse;
    let far = product.add(less.scaled(-0.5)).add(Double::constant(s, LOG_TAU)).plus(series);
    let right = Double::choose(is_near, near, far);

    // lgamma(-x) = log(pi / (x |sin(pi x)|)) - lgamma(x)
    let area = sine(s, rest.abs()).times(size);
    let left = (-logarithm(s, area.high, area.low)).add(Double::constant(s, LOG_PI)).add(-right);

    // Where only the product counts, and where the factors of the area underflow.
    let huge = less.high.simd_gt(40.0);
    let right = huge.select(product.nearest(), right.nearest());
    let is_left = x.simd_lt(0.0) & size.simd_gt(TINY);
    let is_pole = x.simd_lt(0.5) & rest.simd_eq(0.0) | size.simd_eq(f64::INFINITY);
    is_pole.select(splat(f64::INFINITY), is_left.select(left.nearest(), right))
}

/// The derivative of `log |Gamma(x)|`; at 0, -1, -2, .. and -infinity the limit from the right, -infinity, and infinity at -0.
#[inline(always)]
pub(super) fn digamma<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let splat = |c| S::f64s::splat(s, c);
    let size = x.abs();
    let whole = size.floor();
    let rest = size - whole;
    let (is_near, is_left) = (size.simd_lt(FAR), x.simd_lt(0.0));

    let from_root = Double::<S>::sum(rest, splat(-ROOT[0])).plus(splat(-ROOT[1]));
    let mut near = polynomial(s, rest - 0.5, DIGAMMA_FIRST, DIGAMMA).mul(from_root);
    let mut j = 1.0;
    while (is_near & whole.simd_gt(j + 0.5)).any_true() {
        let more = near.add(reciprocal(s, Double::of(s, size - j)));
        near = Double::choose(whole.simd_gt(j + 0.5), more, near);
        j += 1.0;
    }
    let log = logarithm(s, size, splat(0.0));
    let square = splat(1.0) / (size * size);
    let far = log.plus(-(horner(s, square, DIGAMMA_FAR) * square));

    // Terms with 1/x are left: of the recurrence below 1, of Stirling's series, and of the reflection.
    let inverse = reciprocal(s, Double::of(s, size));
    let missing = whole.simd_eq(0.0).select(splat(-1.0), splat(0.0));
    let times = is_near.select(missing, splat(-0.5)) + is_left.select(splat(1.0), splat(0.0));
    let inverse = Double { high: inverse.high * times, low: inverse.low * times };
    let right = Double::choose(is_near, near, far).add(inverse);

    // digamma(-x) = digamma(x) + 1/x + pi cot(pi x)
    let [sin, cos] = half_turn(s, rest.simd_gt(0.5).select(rest - 1.0, rest));
    let cot = cos.mul(cos).add(-sin.mul(sin)).div(sin.mul(cos).scaled(2.0));
    let left = right.add(cot.mul(Double::constant(s, PI)));

    let value = is_left.select(left.nearest(), right.nearest());
    let value = size.simd_lt(TINY).select(splat(-1.0) / x, value);
    let is_infinite = size.simd_eq(f64::INFINITY);
    let infinite = is_left.select(splat(f64::NEG_INFINITY), splat(f64::INFINITY));
    let is_pole = is_infinite | is_left & rest.simd_eq(0.0);
    is_pole.select(infinite, value)
}

/// The second derivative of `log |Gamma(x)|`; infinite at 0, -1, -2, .. and -infinity.
#[inline(always)]
pub(super) fn trigamma<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let splat = |c| S::f64s::splat(s, c);
    let zero = Double::of(s, splat(0.0));
    let one = splat(1.0);
    let size = x.abs();
    let rest = size - size.round_ties_even();
    let (is_near, is_left) = (size.simd_lt(FAR), x.simd_lt(0.0));

    // The sum of 1/(x + j)^2 until x + j is at least 8; a reflection takes the first term off again.
    let first = reciprocal(s, Double::of(s, size));
    let first = first.mul(first);
    let taken = Double::choose(is_near, zero, -first);
    let given = Double::choose(is_near, first, zero);
    let mut sum = Double::choose(is_left, taken, given);
    let mut steps = is_near.select(one, splat(0.0));
    let mut j = 1.0;
    while size.simd_lt(FAR - j).any_true() {
        let term = reciprocal(s, Double::sum(size, splat(j)));
        let is_below = size.simd_lt(FAR - j);
        sum = Double::choose(is_below, sum.add(term.mul(term)), sum);
        steps += is_below.select(one, splat(0.0));
        j += 1.0;
    }
    let inverse = reciprocal(s, Double::sum(size, steps));
    let square = inverse.high * inverse.high;
    let series = inverse.scaled(0.5).plus(horner(s, square, TRIGAMMA_FAR) * square).plus(one);
    let right = inverse.mul(series).add(sum);

    // trigamma(-x) = (pi / sin(pi x))^2 - trigamma(x) + 1/x^2
    let cosecant = Double::constant(s, PI).div(sine(s, rest));
    let left = cosecant.mul(cosecant).add(-right);

    let value = is_left.select(left.nearest(), right.nearest());
    let value = size.simd_lt(TINY).select((one / x) * (one / x), value);
    let value = x.simd_eq(f64::INFINITY).select(splat(0.0), value);
    let is_pole = is_left & rest.simd_eq(0.0) | x.simd_eq(f64::NEG_INFINITY);
    is_pole.select(splat(f64::INFINITY), value)
}
