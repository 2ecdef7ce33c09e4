//! Values of a graph that f32 computes without rounding.

use crate::clamp_bounds::is_far;
use crate::graph::{Graph, Id, Node};
use crate::prim::Prim;

/// Returns, per node, whether it is exact: f32 computes its value without rounding.
///
/// Exact nodes are streams, attributes, f32 constants, clamp bounds that stand for infinity, and results of `neg`, `abs`, `min`,
/// `max` and `select` of exact nodes. Comparisons count too, if each side is exact, uniform (see [`is_uniform`]), or a product of
/// such a node and a uniform one.
pub(super) fn exact(graph: &Graph) -> Vec<bool> {
    let uniform = is_uniform(graph);
    let mut all: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        let of = |k: usize| all[node.args()[k].index()];
        let either = |id: &Id| all[id.index()] || uniform[id.index()];
        let compared = |k: usize| {
            let id = node.args()[k];
            let is_product = matches!(graph.nodes[id.index()], Node::Call(Prim::Mul, [x, y, _])
                if either(&x) && either(&y) && (uniform[x.index()] || uniform[y.index()]));
            either(&id) || is_product
        };
        all.push(match *node {
            Node::Stream(_) | Node::Scalar(_) => true,
            Node::Const(c) => f64::from(c as f32) == c || is_far(c),
            Node::Call(Prim::Neg | Prim::Abs, _) => of(0),
            Node::Call(Prim::Min | Prim::Max, _) => of(0) && of(1),
            Node::Call(Prim::Select, _) => of(0) && of(1) && of(2),
            Node::Call(Prim::Lt | Prim::Le | Prim::Eq, _) => compared(0) && compared(1),
            Node::Call(..) => false,
        });
    }
    all
}

/// Returns, per node, whether it is uniform: it depends on no stream, so it is the same for all elements.
pub fn is_uniform(graph: &Graph) -> Vec<bool> {
    let mut all: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        all.push(match node {
            Node::Stream(_) => false,
            node => node.args().iter().all(|a| all[a.index()]),
        });
    }
    all
}
