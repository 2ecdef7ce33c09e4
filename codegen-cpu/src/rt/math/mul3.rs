//! A product of three that does not fall off the top on its way to a finite result.

use crate::rt::elem::El;
use crate::rt::simd::K;
use fearless_simd::prelude::*;
use op_dsl_ir::DType;

/// `x * y * z` for a bounded `x`, such as a derivative in [-0.13, 1.13].
///
/// `x * y` may overflow although `x * y * z` does not, and `y * z` may be an infinity that meets
/// `x = 0`. So `x` first takes the factor that cannot lift it far: `y` if that is below two, else
/// `z`; should `x * z` overflow then, so does the result. Two roundings, no other loss but where
/// the first product is denormal. Products of halves fit in `f32` with room to spare.
#[inline(always)]
pub(super) fn mul3<S: K, E: El>(s: S, x: S::f32s, y: S::f32s, z: S::f32s) -> S::f32s {
    if matches!(E::DTYPE, DType::F16) {
        return x * y * z;
    }
    // From two on, the upper bit of the exponent is set.
    let bits: S::i32s = y.bitcast();
    let large = (bits << 1).simd_lt(S::i32s::splat(s, 0));
    x * large.select(z, y) * large.select(y, z)
}
