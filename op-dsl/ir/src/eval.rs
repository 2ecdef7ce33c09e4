//! Evaluation of graphs in f64, by the reference functions of the primitives.

use crate::analysis::Visit;
use crate::graph::{Graph, Id, Node};
use std::borrow::Cow;

impl Graph {
    /// Evaluates the nodes up to `last` in f64, by the reference functions of the primitives.
    ///
    /// `given` may supply the value of any node; streams and scalars that it does not supply are NaN.
    pub fn values(&self, last: Id, given: impl Fn(Id, &Node) -> Option<f64>) -> Vec<f64> {
        self.forward_to(last, |at| {
            let own = || match at.node {
                Node::Stream(_) | Node::Scalar(_) => f64::NAN,
                Node::Const(c) => c,
                Node::Call(prim, args) => {
                    (prim.row().oracle)(args.map(|a| at.get(a).copied().unwrap_or(f64::NAN)))
                }
            };
            given(at.id, &at.node).unwrap_or_else(own)
        })
    }

    /// Evaluates every node in f64 for one element of each stream.
    pub fn eval_all(&self, streams: &[f64], scalars: &[f64]) -> Vec<f64> {
        self.values(self.last(), |_, node| match *node {
            Node::Stream(i) => Some(streams[i as usize]),
            Node::Scalar(i) => Some(scalars[i as usize]),
            _ => None,
        })
    }

    /// Evaluates the outputs in f64 for one element of each stream.
    pub fn eval(&self, streams: &[f64], scalars: &[f64]) -> Vec<f64> {
        let values = self.eval_all(streams, scalars);
        self.outputs.iter().map(|o| values[o.index()]).collect()
    }

    /// Evaluates the outputs in f64 for each of `len` elements, as [`Graph::eval`] does for one.
    ///
    /// `streams` has one vector of values per input stream, and the result one per output.
    pub fn eval_columns(&self, streams: &[Vec<f64>], scalars: &[f64], len: usize) -> Vec<Vec<f64>> {
        let columns = self.forward(|at: Visit<'_, Cow<'_, [f64]>>| match at.node {
            Node::Stream(i) => Cow::Borrowed(&streams[i as usize][..len]),
            Node::Scalar(i) => vec![scalars[i as usize]; len].into(),
            Node::Const(c) => vec![c; len].into(),
            Node::Call(prim, args) => {
                let args = args.map(|a| at.get(a));
                let element = |i: usize| args.map(|column| column.map_or(f64::NAN, |c| c[i]));
                (0..len).map(|i| (prim.row().oracle)(element(i))).collect()
            }
        });
        self.outputs.iter().map(|o| columns[o.index()].to_vec()).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::Builder;
    use crate::prim::Prim;

    #[test]
    fn columns_hold_the_values_of_elements() {
        let mut b = Builder::new();
        let (x, y, k) = (b.stream(0), b.stream(1), b.scalar(0));
        let phi = b.call(Prim::NormalCdf, &[x]);
        let product = b.product(phi, y);
        let scaled = b.scaled(3.0, product);
        let sum = b.sum(scaled, k);
        let graph = b.finish(&[sum, x]);
        let streams = [vec![-1.0, 0.5, 2.0], vec![4.0, -0.25, 1e9]];
        let columns = graph.eval_columns(&streams, &[0.75], 3);
        for i in 0..3 {
            let values = graph.eval(&[streams[0][i], streams[1][i]], &[0.75]);
            assert_eq!([columns[0][i], columns[1][i]], values[..]);
        }
    }
}
