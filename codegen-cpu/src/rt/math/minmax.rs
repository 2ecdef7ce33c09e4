//! The smaller and the larger of two.

use crate::rt::simd::Isa;
use fearless_simd::prelude::*;

/// The smaller of `x` and `y`; NaN if either is, at every level. Exact.
#[inline(always)]
pub(super) fn min<S: Isa>(_: S, x: S::f32s, y: S::f32s) -> S::f32s {
    // A comparison with NaN is false: the select gives y, which is right unless x is the NaN.
    x.simd_eq(x).select(x.simd_lt(y).select(x, y), x)
}

/// The larger of `x` and `y`; NaN if either is, at every level. Exact.
#[inline(always)]
pub(super) fn max<S: Isa>(_: S, x: S::f32s, y: S::f32s) -> S::f32s {
    x.simd_eq(x).select(x.simd_gt(y).select(x, y), x)
}
