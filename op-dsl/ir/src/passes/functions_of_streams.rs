//! Rewrites each maximal function of one stream on its own.
//!
//! A pass over the whole formula brings it to one denominator. Then `x / sqrt(g^2 + 1) + 1` is `(x + sqrt(g^2 + 1)) / sqrt(g^2 + 1)`,
//! which has no limit where `g` is infinite: arithmetic gives `inf / inf`. As a function of `g` alone, `1 / sqrt(g^2 + 1)` keeps its
//! limit in every sum and product.

use crate::graph::{Graph, Id, Node};
use crate::univariate::part;

/// Applies `pass` to each maximal function of one stream and attributes; `None` if results are such functions.
pub fn run(graph: &Graph, pass: impl Fn(&Graph) -> Graph) -> Option<Graph> {
    let inputs = graph.inputs();
    let is_of_one = |id: Id| inputs[id.index()].streams.is_power_of_two();
    if graph.outputs.iter().all(|id| is_of_one(*id)) {
        return None;
    }
    let is_read = graph.live_out(|id, _| !is_of_one(id));
    Some(graph.rewrite_at(|b, at| match at.node {
        Node::Call(..) if is_read[at.id.index()] && is_of_one(at.id) => {
            b.part(&pass(&part(graph, at.id)))
        }
        _ => b.add(at.copy()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Builder;
    use crate::prim::Prim;

    #[test]
    fn functions_of_one_stream_are_rewritten_alone() {
        let mut b = Builder::new();
        let (x, g) = (b.stream(0), b.stream(1));
        let square = b.product(g, g);
        let product = b.product(square, x);
        let tanh = b.call(Prim::Tanh, &[product]);
        let sum = b.sum(tanh, g);
        let graph = b.finish(&[sum]);
        let negated = |graph: &Graph| {
            graph.rewrite(|b, node| {
                let id = b.add(node);
                if node.is_product() { b.negative(id) } else { id }
            })
        };
        let found = run(&graph, negated).expect("a square");
        let value = found.eval(&[0.5, 2.0], &[])[0];
        assert_eq!(value, 2.0 - 2f64.tanh());
        assert!(run(&graph.with_outputs(&[square]), negated).is_none());
    }
}
