//! `log_e (1 + e^x)`

use super::{exp, log1p};
use crate::rt::elem::El;
use crate::rt::simd::K;
use fearless_simd::prelude::*;

/// `log_e (1 + e^x) = max(x, 0) + log1p(e^-|x|)`: no overflow, and no cancellation as both terms
/// are positive. FMA levels 0.0 ulp, baseline 0.0 ulp.
#[inline(always)]
pub fn softplus<S: K, E: El>(s: S, x: S::f32s) -> S::f32s {
    let rest = log1p::<S, E>(s, exp::<S, E>(s, -x.abs()));
    let zero = S::f32s::splat(s, 0.0);
    rest + x.simd_gt(zero).select(x, zero)
}
