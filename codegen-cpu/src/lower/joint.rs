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

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::graph::Builder;

    /// Calls, by name and the streams or nodes they take, of `outputs(x, y, z, silu(x), silu'(x))`.
    fn calls(
        outputs: impl Fn(&mut Builder, [Id; 3], Id, Id) -> Vec<Id>,
    ) -> Vec<(&'static str, Vec<Node>)> {
        let mut b = Builder::new();
        let streams = [0, 1, 2].map(|i| b.stream(i));
        let value = b.call(Prim::Silu, &streams[..1]);
        let grad = b.call(Prim::SiluGrad, &streams[..1]);
        let outputs = outputs(&mut b, streams, value, grad);
        let graph = b.finish(&outputs);
        let args = |joint: &Joint| joint.args.iter().map(|a| graph.nodes[a.index()]).collect();
        joints(&graph).iter().map(|joint| (joint.call, args(joint))).collect()
    }

    fn streams(of: &[u16]) -> Vec<Node> {
        of.iter().map(|&i| Node::Stream(i)).collect()
    }

    #[test]
    fn a_gated_units_gradient_is_one_call() {
        let in_order = calls(|b, [_, y, z], value, grad| {
            vec![b.call(Prim::Mul3, &[grad, y, z]), b.call(Prim::Mul, &[y, value])]
        });
        assert_eq!(in_order, [("silu_products", streams(&[0, 1, 2]))]);
        let exchanged = calls(|b, [_, y, z], value, grad| {
            vec![b.call(Prim::Mul, &[value, z]), b.call(Prim::Mul3, &[grad, y, z])]
        });
        assert_eq!(exchanged, [("silu_products", streams(&[0, 2, 1]))]);
    }

    #[test]
    fn other_uses_of_both_are_a_pair() {
        let pair = [("silu_with_grad", streams(&[0]))];
        // Each by itself; with different factors; one of them asked for as well; used twice.
        assert_eq!(calls(|_, _, value, grad| vec![value, grad]), pair);
        let factors = calls(|b, [x, y, z], value, grad| {
            vec![b.call(Prim::Mul3, &[grad, y, z]), b.call(Prim::Mul, &[x, value])]
        });
        assert_eq!(factors, pair);
        let kept = calls(|b, [_, y, z], value, grad| {
            vec![b.call(Prim::Mul3, &[grad, y, z]), b.call(Prim::Mul, &[y, value]), value]
        });
        assert_eq!(kept, pair);
        let twice = calls(|b, [_, y, z], value, grad| {
            let mul = b.call(Prim::Mul, &[y, value]);
            vec![b.call(Prim::Mul3, &[grad, y, z]), mul, b.call(Prim::Add, &[value, z])]
        });
        assert_eq!(twice, pair);
        // A factor that is known only after the first of the two products.
        let late = calls(|b, [_, y, z], value, grad| {
            let first = b.call(Prim::Mul, &[y, value]);
            let sum = b.call(Prim::Add, &[first, z]);
            vec![first, b.call(Prim::Mul3, &[grad, y, sum])]
        });
        assert_eq!(late, pair);
    }

    #[test]
    fn one_of_them_alone_is_neither() {
        assert_eq!(calls(|_, _, value, _| vec![value]), []);
        assert_eq!(calls(|_, _, _, grad| vec![grad]), []);
    }
}
