//! The smaller and the larger of two.

use fearless_simd::{Select, Simd, SimdFloat};

/// The smaller of `x` and `y`; NaN if either is, at every level. Exact.
#[inline(always)]
pub(in crate::rt) fn min<S: Simd, V: SimdFloat<S>>(_: S, x: V, y: V) -> V {
    // A comparison with NaN is false: the select gives y, which is right unless x is the NaN.
    x.simd_eq(x).select(x.simd_lt(y).select(x, y), x)
}

/// The larger of `x` and `y`; NaN if either is, at every level. Exact.
#[inline(always)]
pub(in crate::rt) fn max<S: Simd, V: SimdFloat<S>>(_: S, x: V, y: V) -> V {
    x.simd_eq(x).select(x.simd_gt(y).select(x, y), x)
}

/// The smaller of `x` and a `bound` that is a number; NaN if `x` is. One instruction where levels have this very one, else two.
#[inline(always)]
pub(in crate::rt) fn at_most<S: Simd, V: SimdFloat<S>>(_: S, x: V, bound: V) -> V {
    bound.simd_lt(x).select(bound, x)
}

/// The larger of `x` and a `bound` that is a number; NaN if `x` is.
#[inline(always)]
pub(in crate::rt) fn at_least<S: Simd, V: SimdFloat<S>>(_: S, x: V, bound: V) -> V {
    bound.simd_gt(x).select(bound, x)
}
