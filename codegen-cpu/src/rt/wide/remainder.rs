//! Remainders of divisions.

use crate::rt::simd::Isa;
use fearless_simd::prelude::*;

/// Quotient from which a lane is computed by itself: below, f64 has the quotient's integer part and one more bit.
const LARGE: f64 = 4_503_599_627_370_496.0; // 2^52

/// `x - y trunc(x / y)`, exactly, with the sign of `x`; NaN for an infinite `x` and for `y = 0`.
///
/// A rounded quotient is never below the integer part of the true one, and above it by at most 1. `x - q y` is a multiple of the
/// last place of `y` and smaller than `y`, so that a fused multiply-add does not round it, nor does the correction by one `y`.
/// Levels without FMA compute lane by lane.
#[inline(always)]
pub(super) fn rem<S: Isa>(s: S, x: S::f64s, y: S::f64s) -> S::f64s {
    if const { !S::FMA } {
        return by_lanes(s, x, y);
    }
    let (size, divisor) = (x.abs(), y.abs());
    let ratio = size / divisor;
    let is_large = ratio.simd_ge(LARGE) & size.simd_lt(f64::INFINITY) & divisor.simd_gt(0.0);
    if is_large.any_true() {
        return by_lanes(s, x, y);
    }
    let rest = (-ratio.trunc()).mul_add(divisor, size);
    let rest = rest.simd_lt(0.0).select(rest + divisor, rest);
    // An infinite divisor is taken off no times, and 0 times it would be NaN.
    let is_whole = size.simd_lt(divisor);
    is_whole.select(size, rest).copysign(x)
}

#[inline(always)]
fn by_lanes<S: Isa>(s: S, x: S::f64s, y: S::f64s) -> S::f64s {
    S::f64s::from_fn(
        s,
        #[inline(always)]
        |i| x[i] % y[i],
    )
}
