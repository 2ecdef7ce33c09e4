//! Small pieces that the functions share.

use crate::rt::simd::Isa;
use fearless_simd::prelude::*;

/// `c[0] + x (c[1] + x (c[2] + ..))`
#[inline(always)]
pub(super) fn horner<S: Isa, const N: usize>(s: S, x: S::f32s, c: [f32; N]) -> S::f32s {
    let mut p = S::f32s::splat(s, c[N - 1]);
    for i in (0..N - 1).rev() {
        p = p.mul_add(x, S::f32s::splat(s, c[i]));
    }
    p
}

/// `x`, but not above `top`; NaN stays. `min` of the instruction sets disagree about NaN.
#[inline(always)]
pub(super) fn at_most<S: Isa>(s: S, x: S::f32s, top: f32) -> S::f32s {
    let top = S::f32s::splat(s, top);
    x.simd_gt(top).select(top, x)
}

/// `x`, but not below `bottom`; NaN stays.
#[inline(always)]
pub(super) fn at_least<S: Isa>(s: S, x: S::f32s, bottom: f32) -> S::f32s {
    let bottom = S::f32s::splat(s, bottom);
    x.simd_lt(bottom).select(bottom, x)
}
