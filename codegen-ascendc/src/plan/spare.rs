//! Bounds that a graph has and its kernel needs not.

use op_dsl_ir::Prim;

/// The largest number of `float`, at which inputs are held that must not be infinite.
pub(super) const MOST: f64 = f32::MAX as f64;

/// Whether `max(x, bound)`, or `min`, only stands between a form and a huge number, which forms hold by
/// themselves. What `limits` holds stays.
pub(super) fn is_spare(prim: Prim, bound: Option<f64>) -> bool {
    const HUGE: f64 = (1u64 << 40) as f64;
    let sign = if prim == Prim::Max { -1.0 } else { 1.0 };
    bound.is_some_and(|c| (HUGE..MOST).contains(&(sign * c)))
}
