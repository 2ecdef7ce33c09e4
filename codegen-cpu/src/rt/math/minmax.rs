//! Minimum and maximum with a defined treatment of NaN.

use crate::rt::simd::Isa;
use fearless_simd::{Select, Simd, SimdFloat};

/// The smaller of `x` and `y`; NaN if either is, at every level. Exact.
#[inline(always)]
pub(in crate::rt) fn min<S: Simd, V: SimdFloat<S>>(_: S, x: V, y: V) -> V {
    // A comparison with NaN is false, so the select gives y, which is right unless x is the NaN.
    x.simd_eq(x).select(x.simd_lt(y).select(x, y), x)
}

/// The larger of `x` and `y`; NaN if either is, at every level. Exact.
#[inline(always)]
pub(in crate::rt) fn max<S: Simd, V: SimdFloat<S>>(_: S, x: V, y: V) -> V {
    x.simd_eq(x).select(x.simd_gt(y).select(x, y), x)
}

/// The smaller of `x` and a `bound` that is a number; `x` if `x` is NaN or equals `bound`. Exact.
#[inline(always)]
pub(in crate::rt) fn at_most<S: Isa, V: SimdFloat<S>>(_: S, x: V, bound: V) -> V {
    if S::MIN_IS_SECOND { bound.min(x) } else { bound.simd_lt(x).select(bound, x) }
}

/// The larger of `x` and a `bound` that is a number; `x` if `x` is NaN or equals `bound`. Exact.
#[inline(always)]
pub(in crate::rt) fn at_least<S: Isa, V: SimdFloat<S>>(_: S, x: V, bound: V) -> V {
    if S::MIN_IS_SECOND { bound.max(x) } else { bound.simd_gt(x).select(bound, x) }
}
