//! Horner's scheme and clamps that functions share, in f32 and in f64.

use super::minmax;
use crate::rt::simd::Isa;
use fearless_simd::{Simd, SimdFloat};

/// Horner's scheme: `c[0] + x (c[1] + x (c[2] + ..))`.
#[inline(always)]
pub(in crate::rt) fn horner<S: Simd, V: SimdFloat<S>, const N: usize>(
    s: S,
    x: V,
    c: [V::Element; N],
) -> V {
    let mut p = V::splat(s, c[N - 1]);
    for i in (0..N - 1).rev() {
        p = p.mul_add(x, V::splat(s, c[i]));
    }
    p
}

/// The smaller of `x` and `top`; NaN if `x` is NaN.
#[inline(always)]
pub(in crate::rt) fn at_most<S: Isa, V: SimdFloat<S>>(s: S, x: V, top: V::Element) -> V {
    minmax::at_most(s, x, V::splat(s, top))
}

/// The larger of `x` and `bottom`; NaN if `x` is NaN.
#[inline(always)]
pub(in crate::rt) fn at_least<S: Isa, V: SimdFloat<S>>(s: S, x: V, bottom: V::Element) -> V {
    minmax::at_least(s, x, V::splat(s, bottom))
}
