//! Bounds of a graph that its kernel does not need.

use op_dsl_ir::Prim;

/// The largest `float`, at which inputs that must not be infinite are clamped.
pub(super) const MOST: f64 = f32::MAX as f64;

/// Returns true if `max(x, bound)` or `min(x, bound)` clamps only at a huge number, 2^40 or more.
///
/// Around the argument of a primitive such a bound is redundant, because sequences of primitives clamp by themselves. Bounds at
/// [`MOST`], which `limits` adds, are not redundant.
pub(super) fn is_spare(prim: Prim, bound: Option<f64>) -> bool {
    const HUGE: f64 = (1u64 << 40) as f64;
    let sign = if prim == Prim::Max { -1.0 } else { 1.0 };
    bound.is_some_and(|c| (HUGE..MOST).contains(&(sign * c)))
}
