//! `round x`, exact at every level.

use crate::rt::simd::Isa;
use fearless_simd::{Select, SimdFloat};

/// The integer nearest to `x`, the even one of two, with the sign of `x`; infinities and NaN stay. Exact.
///
/// Levels with FMA have an instruction for it. The others would call a function of the C library for each lane. They add and
/// subtract a power of two instead, which leaves sums no digits behind the point.
#[inline(always)]
pub(in crate::rt) fn round<S: Isa, V: SimdFloat<S, Element: From<f32>>>(s: S, x: V) -> V {
    if S::FMA {
        return x.round_ties_even();
    }
    let digits =
        if size_of::<V::Element>() == 4 { f32::MANTISSA_DIGITS } else { f64::MANTISSA_DIGITS };
    let whole = V::splat(s, ((1u64 << (digits - 1)) as f32).into());
    let size = x.abs();
    size.simd_lt(whole).select(((size + whole) - whole).copysign(x), x)
}
