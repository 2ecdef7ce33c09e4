//! Clamp bounds that stand for infinity: no number of f32 reaches them, so they never take effect.
//!
//! They keep the argument of a function finite.

use crate::graph::{Builder, Graph, Id, Node};
use crate::passes::simplify;
use crate::prim::Prim;

/// Clamp bound that stands for infinity: it is beyond f32, and its fifth power is finite in f64.
pub const FAR: f64 = 1e60;

/// Returns whether a clamp bound stands for infinity: its magnitude is at least [`FAR`].
pub fn is_far(c: f64) -> bool {
    c.abs() >= FAR
}

/// Returns `x` of `min(x, c)` or `max(x, c)` if the bound `c` stands for infinity, else `None`.
pub fn unbound(graph: &Graph, node: &Node) -> Option<Id> {
    let far = |id: Id| matches!(graph.nodes[id.index()], Node::Const(c) if is_far(c));
    match *node {
        Node::Call(Prim::Min | Prim::Max, [bound, x, _]) if far(bound) => Some(x),
        Node::Call(Prim::Min | Prim::Max, [x, bound, _]) if far(bound) => Some(x),
        _ => None,
    }
}

/// Removes the clamps of a graph whose bounds stand for infinity.
///
/// Intermediate values of the result may be infinite.
pub fn without_bounds(graph: &Graph) -> Graph {
    simplify::run(&graph.rewrite_at(|b, at| match unbound(graph, &at.node) {
        Some(x) => at[x],
        None => b.add(at.copy()),
    }))
}

/// Returns the index of the input stream that a node reads, also through clamps that never take effect.
///
/// Returns `None` for every other node. A clamp never takes effect if its bound stands for infinity.
pub fn stream(graph: &Graph, id: Id) -> Option<usize> {
    match graph.nodes[id.index()] {
        Node::Stream(s) => Some(usize::from(s)),
        node => stream(graph, unbound(graph, &node)?),
    }
}

/// Clamps `x` to `[-size, size]`.
pub fn held(b: &mut Builder, x: Id, size: f64) -> Id {
    held_at(b, x, size, [true; 2])
}

/// Clamps `x` to `[-size, size]`, at those of the lower and the upper end that `sides` names.
pub fn held_at(b: &mut Builder, x: Id, size: f64, sides: [bool; 2]) -> Id {
    let (low, high) = (b.num(-size), b.num(size));
    let x = if sides[0] { b.call(Prim::Max, &[x, low]) } else { x };
    if sides[1] { b.call(Prim::Min, &[x, high]) } else { x }
}
