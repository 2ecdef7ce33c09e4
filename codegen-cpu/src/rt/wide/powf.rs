//! `x^y`

use super::exp::exp;
use super::log::ln;
use crate::rt::simd::Isa;
use fearless_simd::prelude::*;

/// `x^y = e^(y log |x|)`, with the sign, limits and NaNs of C's `pow`.
///
/// It is 1 if `y` is 0 or `x` is 1, even if the other argument is NaN. It is negative for a negative `x` and an odd `y`, and NaN for a
/// negative `x` and a `y` that is not an integer.
#[inline(always)]
pub(super) fn powf<S: Isa>(s: S, x: S::f64s, y: S::f64s) -> S::f64s {
    signed(s, x, y, exp(s, ln(s, x.abs()) * y))
}

/// `x^y` from `power = |x|^y`: applies the sign of `x` and the special cases of [`powf`].
#[inline(always)]
pub(super) fn signed<S: Isa>(s: S, x: S::f64s, y: S::f64s, power: S::f64s) -> S::f64s {
    let splat = |c| S::f64s::splat(s, c);
    let one = splat(1.0);
    let z = x.abs();
    // Here the logarithm or `y` is zero, and the other may be infinite or NaN.
    let unit = z.simd_eq(1.0) & y.simd_eq(y) | x.simd_eq(1.0) | y.simd_eq(0.0);
    let power = unit.select(one, power);

    let whole = y.round_ties_even().simd_eq(y);
    let half = y * 0.5;
    let odd = whole & !half.round_ties_even().simd_eq(half);
    let negative = one.copysign(x).simd_lt(0.0);
    let power = (negative & odd).select(-power, power);
    let undefined = x.simd_lt(0.0) & x.simd_gt(f64::NEG_INFINITY) & !whole & y.simd_eq(y);
    undefined.select(splat(f64::NAN), power)
}
