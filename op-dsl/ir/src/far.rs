//! Bounds that no number of f32 reaches: they stand between a function and infinity, and choose nothing.

use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// Stands for infinity: beyond f32, and its fifth power is finite.
pub const FAR: f64 = 1e60;

/// Whether a number stands for infinity.
pub fn is_far(c: f64) -> bool {
    c.abs() >= FAR
}

/// What a call of `min` or `max` bounds, if the bound stands for infinity.
pub fn unbound(graph: &Graph, node: &Node) -> Option<Id> {
    let far = |id: Id| matches!(graph.nodes[id.index()], Node::Const(c) if is_far(c));
    match *node {
        Node::Call(Prim::Min | Prim::Max, [bound, x, _]) if far(bound) => Some(x),
        Node::Call(Prim::Min | Prim::Max, [x, bound, _]) if far(bound) => Some(x),
        _ => None,
    }
}

/// The stream that a node is, but for such bounds.
pub fn stream(graph: &Graph, id: Id) -> Option<usize> {
    match graph.nodes[id.index()] {
        Node::Stream(s) => Some(usize::from(s)),
        node => stream(graph, unbound(graph, &node)?),
    }
}

/// `x` between two such bounds of this size.
pub fn held(b: &mut Builder, x: Id, size: f64) -> Id {
    let (low, high) = (b.num(-size), b.num(size));
    let above = b.call(Prim::Max, &[x, low]);
    b.call(Prim::Min, &[above, high])
}
