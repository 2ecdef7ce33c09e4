//! Rewrites the logarithm of a quotient near 1, `ln(x / y)`, as `ln(1 + d)` with `d = (x - y) / y`.
//!
//! The quotient is rounded, and half a unit of a number near 1 is many units of its logarithm. Near 1 the difference of `x` and `y` is
//! exact, so that `d` has all digits. Elsewhere the logarithm of the quotient stays: far below 1, `1 + d` would lose its digits.

use op_dsl_ir::analysis::Visit;
use op_dsl_ir::{Builder, Graph, Id, Node, Prim};

/// Largest `|d|` for which the logarithm is that of `1 + d`. From half of `y` to twice `y`, the difference is exact (Sterbenz).
const NEAR: f64 = 0.5;

/// Returns the graph with logarithms of quotients rewritten near 1; the same graph if there are none.
pub(super) fn run(graph: &Graph) -> Graph {
    graph.rewrite_at(|b, at| near_one(graph, at, b).unwrap_or_else(|| b.add(at.copy())))
}

fn near_one(graph: &Graph, at: Visit<'_, Id>, b: &mut Builder) -> Option<Id> {
    let Node::Call(Prim::Ln, [quotient, ..]) = at.node else { return None };
    let Node::Call(Prim::Div, [x, y, _]) = graph.nodes[quotient.index()] else { return None };
    // The quotient of a number by a number of the formula is that number's logarithm and a constant.
    if [x, y].iter().any(|id| graph.as_const(*id).is_some()) {
        return None;
    }
    let far = b.add(at.copy());
    let (x, y) = (at[x], at[y]);
    let apart = b.difference(x, y);
    let d = b.quotient(apart, y);
    let near = b.call(Prim::Log1p, &[d]);
    let (size, most) = (b.call(Prim::Abs, &[d]), b.num(NEAR));
    let is_near = b.call(Prim::Lt, &[size, most]);
    Some(b.call(Prim::Select, &[is_near, near, far]))
}
