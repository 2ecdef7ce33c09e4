//! `sin x`, `cos x` and `atan x`.
//!
//! `x = k pi/2 + r` with an integer `k` and `|r| <= pi/4`. `pi/2` is split (Cody and Waite), so that the first two products with `k`
//! are exact. Arguments too large for that go lane by lane through `libm`.

use super::double::Double;
use crate::rt::math::poly::horner;
use crate::rt::simd::Isa;
use core::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4};
use fearless_simd::prelude::*;

/// Coefficients of `p`, lowest power first, in `sin x = x + x z p(z)`, where `z = x^2`.
///
/// The relative error is 2^-57.3.
const SIN: [f64; 7] = [
    -0.166_666_666_666_666_66,
    0.008_333_333_333_333_331,
    -0.000_198_412_698_412_650_63,
    2.755_731_921_933_731_2e-6,
    -2.505_210_623_180_283_7e-8,
    1.605_853_151_679_775_8e-10,
    -7.586_691_094_197_958e-13,
];
/// Coefficients of `p`, lowest power first, in `cos x = 1 - z/2 + z^2 p(z)`, where `z = x^2`.
///
/// The error is 2^-60.
const COS: [f64; 7] = [
    0.041_666_666_666_666_664,
    -0.001_388_888_888_888_888_7,
    2.480_158_730_158_464_5e-5,
    -2.755_731_922_140_179e-7,
    2.087_675_579_072_196_3e-9,
    -1.147_046_083_079_530_4e-11,
    4.745_868_553_081_665_6e-14,
];
/// Coefficients of `p`, lowest power first, in `atan x = x + x z p(z)`, where `z = x^2`.
///
/// The relative error is 2^-58.2.
pub(super) const ATAN: [f64; 12] = [
    -0.333_333_333_333_333_3,
    0.199_999_999_999_998_04,
    -0.142_857_142_856_597_79,
    0.111_111_111_051_505_88,
    -0.090_909_087_532_591_12,
    0.076_922_963_680_422_96,
    -0.066_664_247_602_005_2,
    0.058_789_275_544_738_07,
    -0.052_304_436_406_869_48,
    0.045_515_447_340_221_615,
    -0.034_569_315_063_326_09,
    0.016_284_375_050_043_393,
];

/// `pi/2` in parts of 33, 33 and 53 bits.
const PI_2: [f64; 3] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];

/// Largest argument `x = k pi/2 + r` for which `k` times a part of `pi/2` is exact.
const LARGE: f64 = 1_048_576.0;
/// 1.5 * 2^52: `y + ROUND` has the integer `round(y)` in its low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// `sin(x + quarters pi/2)`, computed by the scalar function `huge` where `|x|` is above [`LARGE`].
///
/// If `EXACT`, no rounding before the last counts.
#[inline(always)]
pub(super) fn turned<S: Isa, const EXACT: bool>(
    s: S,
    x: S::f64s,
    quarters: u64,
    huge: fn(f64) -> f64,
) -> S::f64s {
    let t = x.mul_add(FRAC_2_PI, S::f64s::splat(s, ROUND));
    let k = t - ROUND;
    let n: S::u64s = t.bitcast();
    let n = n + quarters;
    let r = k.mul_add(-PI_2[0], x);
    let (sin, cos) = if const { EXACT } {
        let reduced = Double::<S>::sum(r, k * -PI_2[1]).plus(k * -PI_2[2]);
        let (r, low) = (reduced.high, reduced.low);
        let square = Double::<S>::product(r, r);
        let (z, half) = (square.high, square.high * 0.5);
        let sin = r + horner(s, z, SIN).mul_add(r * z, low - low * half);
        let most = S::f64s::splat(s, 1.0) - half;
        let rest = (S::f64s::splat(s, 1.0) - most) - half - (square.low * 0.5 + r * low);
        (sin, most + horner(s, z, COS).mul_add(z * z, rest))
    } else {
        let r = k.mul_add(-PI_2[2], k.mul_add(-PI_2[1], r));
        let z = r * r;
        let sin = horner(s, z, SIN).mul_add(r * z, r);
        (sin, horner(s, z, COS).mul_add(z * z, z * -0.5) + 1.0)
    };
    let even = (n & 1).simd_eq(S::u64s::splat(s, 0));
    let bits: S::u64s = even.select(sin, cos).bitcast();
    let mut y: S::f64s = (bits ^ ((n & 2) << 62)).bitcast();
    // The negation of this mask includes NaN and infinities.
    let inside = x.abs().simd_le(LARGE);
    if !inside.all_true() {
        let far = S::f64s::from_fn(s, |i| if x[i].abs() <= LARGE { 0.0 } else { huge(x[i]) });
        y = inside.select(y, far);
    }
    y
}

/// `sin x`
#[inline(always)]
pub(super) fn sin<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    // Keeps -0, which would come back as +0.
    x.simd_eq(0.0).select(x, turned::<S, false>(s, x, 0, libm::sin))
}

/// `cos x`
#[inline(always)]
pub(super) fn cos<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    turned::<S, false>(s, x, 1, libm::cos)
}

/// `atan x`, reduced to an argument below `tan(pi/8)`.
///
/// With `z = |x|`, it is `pi/2 + atan(-1/z)` for large `z`, and `pi/4 + atan((z - 1) / (z + 1))` in between.
#[inline(always)]
pub(super) fn atan<S: Simd>(s: S, x: S::f64s) -> S::f64s {
    let splat = |c| S::f64s::splat(s, c);
    let z = x.abs();
    // The bounds are the tangents of 3 pi/8 and pi/8.
    let (far, middle) = (z.simd_gt(2.414_213_562_373_095), z.simd_gt(0.414_213_562_373_095_03));
    let above = far.select(splat(-1.0), middle.select(z - 1.0, z));
    let below = far.select(z, middle.select(z + 1.0, splat(1.0)));
    let angle = far.select(splat(FRAC_PI_2), middle.select(splat(FRAC_PI_4), splat(0.0)));
    let t = above / below;
    let u = t * t;
    (horner(s, u, ATAN).mul_add(t * u, t) + angle).copysign(x)
}
