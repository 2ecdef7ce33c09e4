//! The error function, its complement, its inverse, the normal distribution and gelu.

use super::power::{Scaled, exponent, polynomial, reduced};
use crate::rt::math::poly::{at_least, at_most};
use crate::rt::simd::Isa;
use crate::rt::wide::double::Double;
use fearless_simd::prelude::*;

/// `2 / sqrt(pi)`
const SLOPE: [f64; 2] = [core::f64::consts::FRAC_2_SQRT_PI, 1.533_545_961_316_588e-17];
/// `sqrt(2)`
const ROOT: [f64; 2] = [core::f64::consts::SQRT_2, -9.667_293_313_452_913e-17];
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

/// Constant coefficient of `p` in `(z + SHIFT) e^(z^2/2) Phi(-z) = p(q)`, where `q = (z - MIDDLE) / (z + MIDDLE)`.
const FIRST: [f64; 2] = [0.463_441_465_394_264_34, 1.886_573_689_096_741_6e-17];
/// The next three coefficients.
const NEXT: [f64; 3] =
    [-0.104_128_215_287_334_2, 0.056_415_751_261_743_724, -0.017_355_156_815_730_882];
/// Coefficients of the polynomial `p` of [`FIRST`] after these, lowest power first.
///
/// The relative error is 2^-58.4 for `z` from 0 to 39.
const TAIL: [f64; 19] = [
    -0.007_084_574_965_175_877,
    0.017_021_421_944_148_42,
    -0.016_802_345_418_736_47,
    0.011_927_415_577_356_139,
    -0.006_601_216_754_916_683,
    0.002_834_449_586_512_339_7,
    -0.000_871_829_812_108_325_2,
    0.000_133_080_456_095_386_17,
    3.233_561_401_195_666_4e-5,
    -2.593_262_420_158_311_7e-5,
    4.953_600_458_682_541e-6,
    1.565_023_371_919_597_6e-6,
    -1.013_523_122_476_611_6e-6,
    3.306_270_330_964_732e-8,
    1.281_475_147_556_275_6e-7,
    -2.400_335_082_575_521e-8,
    -1.487_814_815_526_949_6e-8,
    3.287_988_539_861_346_4e-9,
    1.541_773_078_633_303_7e-9,
];
const MIDDLE: f64 = 6.015_625;
/// With this number the slope of `p` is small between 0 and 3, so that the rounding errors of `q` count little.
const SHIFT: f64 = 1.156_25;
/// Argument from which on the tail is zero, whatever it is multiplied by.
const BEYOND: f64 = 39.0;
/// Argument from which on `erf` is computed as `1 - erfc`.
const NEAR: f64 = 0.5;

/// `erf z` for a small `z`, as a product.
#[inline(always)]
fn near<S: Isa>(s: S, z: S::f64s) -> [Double<S>; 2] {
    let square = z * z;
    let (slope, p) = (S::f64s::splat(s, SLOPE[0]), polynomial(s, square, ERF));
    let sum = Double::<S>::mul_add(p, square, slope);
    [Double { high: sum.high, low: sum.low + SLOPE[1] }, Double::of(s, z)]
}

/// The upper tail of the normal distribution and its density, as quotients and with the same power of two.
struct Tail<S: Isa> {
    /// `e^(-z^2/2) - 1` of the reduced argument.
    e: Scaled<S>,
    /// `p(q)`
    above: Double<S>,
    /// `z + SHIFT`
    below: Double<S>,
}

impl<S: Isa> Tail<S> {
    /// The tail beyond `z`, given `z^2`, for `z` from 0 to [`BEYOND`].
    #[inline(always)]
    fn new(s: S, z: Double<S>, square: Double<S>) -> Tail<S> {
        let square = square.scaled(-0.5);
        let k = exponent(s, square.high);
        let e = Scaled { value: reduced(s, square, k), exponent: k };
        let below = Double::<S>::sum(z.high, S::f64s::splat(s, SHIFT));
        let below = Double { high: below.high, low: below.low + z.low };
        let q = (z.high - MIDDLE) / (z.high + MIDDLE);
        let [first, second, third, fourth] =
            [FIRST[0], NEXT[0], NEXT[1], NEXT[2]].map(|c| S::f64s::splat(s, c));
        // Two terms exactly: the others are below a tenth of them, and cancel each other.
        let Double { high, low } = Double::<S>::mul_add(q, second, first);
        let p = polynomial(s, q, TAIL).mul_add(q, fourth).mul_add(q, third);
        let sum = Double::<S>::ordered(high, p * (q * q));
        let above = Double { high: sum.high, low: sum.low + (low + FIRST[1]) };
        Tail { e, above, below }
    }

    /// A number times the exponential.
    #[inline(always)]
    fn times_exponential(&self, y: Double<S>) -> Scaled<S> {
        let Double { high, low } = self.e.value;
        let part = Double::<S>::product(y.high, high);
        let sum = Double::<S>::ordered(y.high, part.high);
        let rest = y.low.mul_add(high, y.high.mul_add(low, y.low));
        self.e.with(Double { high: sum.high, low: sum.low + (part.low + rest) })
    }

    /// `Phi(-z)`
    #[inline(always)]
    fn value(&self) -> Scaled<S> {
        let above = self.times_exponential(self.above);
        let y = above.value.div(self.below);
        above.with(Double::ordered(y.high, y.low))
    }
}

/// `erfc z = 2 Phi(-z sqrt 2)`, and `e^(-z^2)` less 1 of its reduced argument, for `z >= 0`.
#[inline(always)]
fn right<S: Isa>(s: S, z: S::f64s) -> (Tail<S>, Scaled<S>) {
    let z = at_most(s, z, 27.5);
    let square = Double::<S>::product(z, z).scaled(2.0);
    let tail = Tail::new(s, Double::constant(s, ROOT).times(z), square);
    let y = tail.value();
    (tail, y.with(y.value.scaled(2.0)))
}

/// `2/sqrt(pi) * integral of e^(-t^2) from 0 to x`
#[inline(always)]
pub(in crate::rt::wide) fn erf_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let z = x.abs();
    let far = right(s, z).1.flat(s).one_minus(s).nearest();
    let [a, b] = near(s, z);
    z.simd_lt(NEAR).select(a.mul_nearest(b), far).copysign(x)
}

/// `1 - erf x`
#[inline(always)]
pub(in crate::rt::wide) fn erfc_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let y = right(s, x.abs()).1.flat(s);
    let left = (-y).added_to(S::f64s::splat(s, 2.0));
    Double::choose(x.simd_lt(0.0), left, y).nearest()
}

/// The number whose error function is `x`: a step of Newton's method from the nearest that is known to 2^-51.
#[inline(always)]
pub(in crate::rt::wide) fn erfinv_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let size = x.abs();
    let first = crate::rt::wide::erf::erfinv(s, size);
    let (tail, y) = right(s, first);
    let far = (-y.flat(s)).plus(S::f64s::splat(s, 1.0) - size).nearest();
    let [a, b] = near(s, first);
    let close = a.mul(b).plus(-size).nearest();
    let off = first.simd_lt(NEAR).select(close, far);
    let slope = tail.times_exponential(Double::constant(s, SLOPE)).flat(s).high;
    let better = first - off / slope;
    // Ends of the domain, NaN and numbers whose square vanishes stay.
    let is_inside = size.simd_lt(1.0) & size.simd_gt(1e-150);
    is_inside.select(better, first).copysign(x)
}

/// The upper tail beyond `|x|`.
#[inline(always)]
fn tail<S: Isa>(s: S, x: S::f64s) -> Tail<S> {
    let z = at_most(s, x.abs(), BEYOND);
    Tail::new(s, Double::of(s, z), Double::product(z, z))
}

/// `Phi(x) = erfc(-x / sqrt 2) / 2`
#[inline(always)]
pub(in crate::rt::wide) fn normal_cdf_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let y = tail(s, x).value().flat(s);
    Double::choose(x.simd_lt(0.0), y, y.one_minus(s)).nearest()
}

/// `x Phi(x) = max(x, 0) - |x| Phi(-|x|)`
#[inline(always)]
pub(in crate::rt::wide) fn gelu_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let tail = tail(s, x);
    let above = tail.times_exponential(tail.above.times(at_most(s, x.abs(), BEYOND)));
    let y = above.value.div(tail.below);
    let y = above.with(Double::ordered(y.high, y.low)).flat(s);
    let y = (-y).added_to(at_least(s, x, 0.0)).nearest();
    // A zero keeps its sign.
    x.simd_lt(BEYOND).select(y, x).copysign(x)
}

/// `Phi(x) + x phi(x)`, where `phi` is the density; it is `1 - g(x)` at `-x`.
#[inline(always)]
pub(in crate::rt::wide) fn gelu_grad_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let tail = tail(s, x);
    let density = Double::constant(s, DENSITY).times(at_most(s, x.abs(), BEYOND));
    let ratio = tail.above.div(tail.below);
    let small = tail.times_exponential(ratio.add(-density)).flat(s);
    Double::choose(x.simd_lt(0.0), small, small.one_minus(s)).nearest()
}
