//! A product of three that does not fall off the top on its way to a finite result.

use crate::rt::elem::El;
use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, by_pairs};
use op_dsl_ir::DType;

/// `x * y * z` for a bounded `x`, such as a derivative in [-0.13, 1.13].
///
/// `x * y` may overflow although `x * y * z` does not, but only for a `y` near the largest float: then
/// `x` first takes `z`, and should `x * z` overflow, so does the result. `y * z` is never formed: it
/// may be an infinity that meets `x = 0`. Two roundings, no other loss but where the first product
/// is denormal. Products of halves fit in `f32` with room to spare.
#[inline(always)]
pub fn mul3<S: Isa, E: El, const W: usize>(
    s: S,
    x: Floats<S, W>,
    y: Floats<S, W>,
    z: Floats<S, W>,
) -> Floats<S, W> {
    let xy = x * y;
    // Of the sum, for one test instead of several: it is finite only if all are.
    if !matches!(E::DTYPE, DType::F16) && !s.all_finite(xy.fold(|a, sum| sum + a)) {
        return by_pairs!([x, y, z] => overflown(s, x.bits(), y.bits(), z.bits()));
    }
    xy * z
}

/// [`mul3`] where some `x * y` is an infinity or NaN, or some of them are very large.
#[cold]
#[inline(never)]
fn overflown<S: Isa>(s: S, x: Bits<S>, y: Bits<S>, z: Bits<S>) -> Floats<S> {
    s.vectorize(
        #[inline(always)]
        || {
            let (x, y, z) = (x.floats(), y.floats(), z.floats());
            let xy = x * y;
            xy.abs().simd_lt(f32::INFINITY).select(xy * z, x * z * y)
        },
    )
}
