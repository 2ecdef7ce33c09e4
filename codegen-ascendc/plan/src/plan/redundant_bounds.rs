//! Bounds of a graph that its kernel does not need.

use op_dsl_ir::{Graph, Id, Node, Prim};

/// The largest `float`, at which inputs that must not be infinite are clamped.
pub(super) const MOST: f64 = f32::MAX as f64;

/// Returns `x` if node `id` is `max(x, bound)` or `min(x, bound)` and clamps only at a huge number, 2^40 or more; else `None`.
///
/// Around the argument of a primitive such a bound is redundant, because sequences of primitives clamp by themselves. Bounds at
/// [`MOST`], which `limits` adds, are not redundant.
pub(super) fn unbound(graph: &Graph, id: Id) -> Option<Id> {
    const HUGE: f64 = (1u64 << 40) as f64;
    let (x, bound, sign) = match graph.nodes[id.index()] {
        Node::Call(Prim::Max, [x, bound, _]) => (x, bound, -1.0),
        Node::Call(Prim::Min, [x, bound, _]) => (x, bound, 1.0),
        _ => return None,
    };
    graph.as_const(bound).filter(|c| (HUGE..MOST).contains(&(sign * c))).map(|_| x)
}
