//! Values of a graph that f32 computes without rounding.

use crate::analysis::Visit;
use crate::clamp_bounds::is_far;
use crate::graph::{Graph, Id, Node};
use crate::prim::Prim;

/// Returns, per node, whether it is exact: f32 computes its value without rounding.
///
/// Exact nodes are streams, attributes, f32 constants, clamp bounds that stand for infinity, and results of `neg`, `abs`, `round`,
/// `rem`, `min`, `max` and `select` of exact nodes. Comparisons count too, if each side is exact, uniform (see [`Graph::uniform`]), or a product of
/// such a node and a uniform one.
pub(super) fn exact(graph: &Graph) -> Vec<bool> {
    let uniform = graph.uniform();
    graph.forward(|at: Visit<'_, bool>| {
        let either = |id: Id| at[id] || uniform[id.index()];
        let compared = |id: Id| {
            let is_product = matches!(graph.nodes[id.index()], Node::Call(Prim::Mul, [x, y, _])
                if either(x) && either(y) && (uniform[x.index()] || uniform[y.index()]));
            either(id) || is_product
        };
        match at.node {
            Node::Stream(_) | Node::Scalar(_) => true,
            Node::Const(c) => f64::from(c as f32) == c || is_far(c),
            Node::Call(
                Prim::Neg
                | Prim::Abs
                | Prim::Round
                | Prim::Rem
                | Prim::Min
                | Prim::Max
                | Prim::Select,
                _,
            ) => at.args().all(|exact| *exact),
            Node::Call(Prim::Lt | Prim::Le | Prim::Eq, [x, y, _]) => compared(x) && compared(y),
            Node::Call(..) => false,
        }
    })
}
