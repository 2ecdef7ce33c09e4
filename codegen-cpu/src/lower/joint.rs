//! Nodes that one function computes together, at less than the sum of their costs.

use op_dsl_ir::Prim;
use op_dsl_ir::graph::{Graph, Id, Node};

/// A function, its derivative, and what computes both of one `x`.
struct Row {
    value: Prim,
    grad: Prim,
    /// `(f(x), f'(x))` of `(x)`.
    both: &'static str,
    /// `(y f(x), f'(x) y z)` of `(x, y, z)`: a gated unit's gradient.
    products: &'static str,
}

const ROWS: &[Row] = &[Row {
    value: Prim::Silu,
    grad: Prim::SiluGrad,
    both: "silu_with_grad",
    products: "silu_products",
}];

/// Some nodes of a graph as one call.
pub struct Joint {
    /// The nodes that are its results, in order.
    pub results: [Id; 2],
    /// Nodes that exist only within it.
    pub inner: Vec<Id>,
    /// The function.
    pub call: &'static str,
    /// Its arguments.
    pub args: Vec<Id>,
}

impl Joint {
    /// Where it stands in evaluation order: in the place of its first result.
    pub fn at(&self) -> Id {
        self.results[0].min(self.results[1])
    }

    /// Whether a node needs no code of its own.
    pub fn holds(&self, id: Id) -> bool {
        self.results.contains(&id) || self.inner.contains(&id)
    }
}

/// All calls of this kind in a graph.
pub fn joints(graph: &Graph) -> Vec<Joint> {
    let mut found = Vec::new();
    for (i, node) in graph.nodes.iter().enumerate() {
        let Node::Call(prim, args) = *node else { continue };
        let Some(row) = ROWS.iter().find(|row| row.value == prim) else { continue };
        let derivative = Node::Call(row.grad, args);
        let Some(grad) = graph.nodes.iter().position(|n| *n == derivative) else { continue };
        let inner = [Id(i as u32), Id(grad as u32)];
        found.push(products(graph, row, inner, args[0]).unwrap_or_else(|| Joint {
            results: inner,
            inner: Vec::new(),
            call: row.both,
            args: vec![args[0]],
        }));
    }
    found
}

/// If both nodes serve nothing but a gated unit's gradient.
fn products(graph: &Graph, row: &Row, [value, grad]: [Id; 2], x: Id) -> Option<Joint> {
    let (by_value, by_grad) = (only_use(graph, value)?, only_use(graph, grad)?);
    let (Node::Call(Prim::Mul, [a, b, _]), Node::Call(Prim::Mul3, [f, p, q])) =
        (graph.nodes[by_value.index()], graph.nodes[by_grad.index()])
    else {
        return None;
    };
    let y = if a == value { b } else { a };
    let z = if p == y { q } else { p };
    let joint = Joint {
        results: [by_value, by_grad],
        inner: vec![value, grad],
        call: row.products,
        args: vec![x, y, z],
    };
    // Streams are at hand wherever they are first used.
    let known = |id: Id| id < joint.at() || matches!(graph.nodes[id.index()], Node::Stream(_));
    let fits = f == grad && (p == y || q == y) && known(y) && known(z);
    fits.then_some(joint)
}

/// The only node that takes this one, if it is no output and there is one.
fn only_use(graph: &Graph, id: Id) -> Option<Id> {
    let takes = |n: &Node| n.args().iter().filter(|a| **a == id).count();
    let uses: usize = graph.nodes.iter().map(takes).sum();
    let user = graph.nodes.iter().position(|n| takes(n) == 1)?;
    (uses == 1 && !graph.outputs.contains(&id)).then_some(Id(user as u32))
}
