//! Writes `u + sqrt(u^2 + c)` as a quotient where `u` is negative, because the sum cancels there.
//!
//! ```text
//! u + sqrt(u^2 + c)   -> if u < 0 { c / (sqrt(u^2 + c) - u) } else { u + sqrt(u^2 + c) }
//! sqrt(u^2 + c) - u   -> if u > 0 { c / (sqrt(u^2 + c) + u) } else { sqrt(u^2 + c) - u }
//! ```
//!
//! Far out nothing is left of the sum even in f64, and its logarithm, which is `asinh(u)`, is infinite from `u = -7e7` on.

use crate::graph::{Graph, Id, Node};
use crate::prim::Prim;

/// Returns the graph with such sums rewritten; `None` if it has none.
pub fn run(graph: &Graph) -> Option<Graph> {
    let uniform = graph.uniform();
    let call = |prim: Prim, id: Id| match graph.nodes[id.index()] {
        Node::Call(of, [x, y, _]) if of == prim => Some([x, y]),
        _ => None,
    };
    // `c`, if `root` is `sqrt(u^2 + c)`.
    let rest = |root: Id, u: Id| {
        let [square, c] = call(Prim::Sqrt, root).and_then(|[v, _]| call(Prim::Add, v))?;
        let is_square = |id: Id| call(Prim::Mul, id) == Some([u, u]);
        let ways = [(square, c), (c, square)];
        ways.into_iter().find(|(x, c)| is_square(*x) && uniform[c.index()]).map(|(_, c)| c)
    };
    // The root, `u`, `c`, and whether `u` is added.
    let conjugate = |node: Node| match node {
        Node::Call(Prim::Add, [x, y, _]) => {
            let mut ways = [(x, y), (y, x)].into_iter();
            ways.find_map(|(root, u)| rest(root, u).map(|c| (root, u, c, true)))
        }
        Node::Call(Prim::Sub, [root, u, _]) => rest(root, u).map(|c| (root, u, c, false)),
        _ => None,
    };
    let rewritten = graph.rewrite_at(|b, at| {
        let sum = b.add(at.copy());
        let Some((root, u, c, is_added)) = conjugate(at.node) else { return sum };
        let (root, u, zero) = (at[root], at[u], b.num(0.0));
        let order = if is_added { [u, zero] } else { [zero, u] };
        let cancels = b.call(Prim::Lt, &order);
        let other = if is_added { b.difference(root, u) } else { b.sum(root, u) };
        let quotient = b.quotient(at[c], other);
        b.call(Prim::Select, &[cancels, quotient, sum])
    });
    (rewritten != *graph).then_some(rewritten)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Builder;

    #[test]
    fn both_signs_keep_their_digits() {
        let mut b = Builder::new();
        let (u, c) = (b.stream(0), b.scalar(0));
        let square = b.product(u, u);
        let sum = b.sum(c, square);
        let root = b.call(Prim::Sqrt, &[sum]);
        let (up, down) = (b.sum(root, u), b.difference(root, u));
        let graph = b.finish(&[up, down]);
        let found = run(&graph).expect("sums that cancel");
        // For large `u` the lesser of the two is `c / (2 |u|)`.
        for (u, want) in
            [(-1e9, [1.5e-9, 2e9]), (1e9, [2e9, 1.5e-9]), (0.0, [1.7320508075688772; 2])]
        {
            let got = found.eval(&[u], &[3.0]);
            for (got, want) in got.iter().zip(want) {
                assert!((got - want).abs() <= 1e-15 * want, "{u}: {got}, not {want}");
            }
        }
        assert!(run(&crate::univariate::part(&graph, root)).is_none());
    }
}
