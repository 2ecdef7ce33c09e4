//! Writes the difference of a square root and a number without cancellation.
//!
//! ```text
//! sqrt(v + c^2) - c  -> v / (sqrt(v + c^2) + c)
//! ```
//!
//! In `float` nothing is left of the difference where `v` is below `c^2 / 1e7`, as in `sqrt(1 + r^2) - 1`, the pseudo-Huber loss. The
//! number may be that of an attribute of either sign: `sqrt(v + c^2) - c = v / (sqrt(v + c^2) + |c|) + (|c| - c)`.

use op_dsl_ir::{Graph, Id, Node, Prim};

/// Returns the graph with such differences rewritten.
pub(super) fn run(graph: &Graph) -> Graph {
    let uniform = graph.uniform();
    let call = |prim: Prim, id: Id| match graph.nodes[id.index()] {
        Node::Call(of, [x, y, _]) if of == prim => Some([x, y]),
        _ => None,
    };
    let is_square = |id: Id, c: Id| match graph.as_const(c) {
        Some(c) => graph.as_const(id) == Some(c * c),
        None => call(Prim::Mul, id) == Some([c, c]),
    };
    // `v`, if `root` is `sqrt(v + c^2)`.
    let rest = |root: Id, c: Id| {
        let [x, y] = call(Prim::Sqrt, root).and_then(|[sum, _]| call(Prim::Add, sum))?;
        [(x, y), (y, x)].into_iter().find(|(_, square)| is_square(*square, c)).map(|(v, _)| v)
    };
    graph.rewrite_at(|b, at| {
        let Node::Call(Prim::Sub, [root, c, _]) = at.node else { return b.add(at.copy()) };
        let Some(v) = rest(root, c).filter(|_| uniform[c.index()]) else {
            return b.add(at.copy());
        };
        let size = b.call(Prim::Abs, &[at[c]]);
        let (below, more) = (b.sum(at[root], size), b.difference(size, at[c]));
        let quotient = b.quotient(at[v], below);
        b.sum(quotient, more)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::Builder;

    #[test]
    fn differences_of_roots_and_numbers_keep_their_digits() {
        let mut b = Builder::new();
        let (x, c, one) = (b.stream(0), b.scalar(0), b.num(1.0));
        let (square, unit) = (b.product(x, x), b.product(c, c));
        let of_attribute = b.sum(square, unit);
        let of_number = b.sum(one, square);
        let roots = [of_attribute, of_number].map(|sum| b.call(Prim::Sqrt, &[sum]));
        let outputs = [b.difference(roots[0], c), b.difference(roots[1], one)];
        let graph = run(&b.finish(&outputs));
        for (x, c) in [(1e-9, 1.0), (1e-9, 0.3), (2.0, -1.5)] {
            let got = graph.eval(&[x], &[c]);
            let want = [c, 1.0].map(|c: f64| x * x / ((x * x + c * c).sqrt() + c));
            for (got, want) in got.iter().zip(want) {
                assert!((got - want).abs() <= 1e-14 * want, "{x} {c}: {got} {want}");
            }
        }
    }
}
