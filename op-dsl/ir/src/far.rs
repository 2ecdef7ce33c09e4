//! Bounds that no number of f32 reaches: they stand between a function and infinity, and choose nothing.

use crate::graph::{Builder, Graph, Id, Node};
use crate::passes::simplify;
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

/// A graph without such bounds, where its infinities may be infinite.
pub fn without_bounds(graph: &Graph) -> Graph {
    let mut b = Builder::new();
    let mut new: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        let id = match unbound(graph, node) {
            Some(x) => new[x.index()],
            None => b.add(node.map_args(&new)),
        };
        new.push(id);
    }
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    simplify::run(&b.finish(&outputs))
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
