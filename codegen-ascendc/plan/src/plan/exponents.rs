//! Finds exponentials in a graph whose arguments are rounded.

use op_dsl_ir::{Graph, Id, Node, Prim};

/// Returns true if a graph has an exponential of a value that arithmetic has rounded.
pub(super) fn are_rounded(graph: &Graph) -> bool {
    let uniform = graph.uniform();
    graph.nodes.iter().any(|node| match *node {
        Node::Call(Prim::Exp | Prim::Expm1, [x, ..]) => !uniform[x.index()] && is_rounded(graph, x),
        _ => false,
    })
}

fn is_rounded(graph: &Graph, id: Id) -> bool {
    let Node::Call(prim, [x, y, _]) = graph.nodes[id.index()] else { return false };
    match prim {
        Prim::Neg => is_rounded(graph, x),
        Prim::Min | Prim::Max => [x, y].into_iter().any(|arg| is_rounded(graph, arg)),
        Prim::Mul | Prim::Mul3 | Prim::Div | Prim::Add | Prim::Sub => true,
        _ => false,
    }
}
