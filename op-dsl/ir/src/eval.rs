//! Evaluation of graphs in f64, by the reference functions of the primitives.

use crate::analysis::Visit;
use crate::graph::{Graph, Id, Node};
use crate::op::{Rule, Spec};
use crate::prim::Prim;
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
        let columns = self.eval_all_columns(streams, scalars, len);
        self.outputs.iter().map(|o| columns[o.index()].to_vec()).collect()
    }

    /// Evaluates every node in f64 for each of `len` elements, as [`Graph::eval_all`] does for one.
    pub fn eval_all_columns<'c>(
        &self,
        streams: &'c [Vec<f64>],
        scalars: &[f64],
        len: usize,
    ) -> Vec<Cow<'c, [f64]>> {
        self.columns(len, |_, node| match *node {
            Node::Stream(i) => Some(Cow::Borrowed(&streams[i as usize][..len])),
            Node::Scalar(i) => Some(vec![scalars[i as usize]; len].into()),
            _ => None,
        })
    }

    /// Evaluates every node in f64 for each of `len` elements, as [`Graph::values`] does for one.
    ///
    /// A loop over the elements for each node takes a third of the time of a loop over the nodes for each element.
    pub fn columns<'c>(
        &self,
        len: usize,
        given: impl Fn(Id, &Node) -> Option<Cow<'c, [f64]>>,
    ) -> Vec<Cow<'c, [f64]>> {
        self.forward(|at: Visit<'_, Cow<'c, [f64]>>| {
            let own = || match at.node {
                Node::Stream(_) | Node::Scalar(_) => vec![f64::NAN; len].into(),
                Node::Const(c) => vec![c; len].into(),
                Node::Call(prim, _) => call(prim, at.args()).into(),
            };
            given(at.id, &at.node).unwrap_or_else(own)
        })
    }
}

/// Returns the results of a primitive for all elements of its arguments.
fn call<'a, 'c: 'a>(prim: Prim, mut args: impl Iterator<Item = &'a Cow<'c, [f64]>>) -> Vec<f64> {
    let oracle = prim.row().oracle;
    match [args.next(), args.next(), args.next()] {
        [Some(x), None, _] => x.iter().map(|x| oracle([*x, f64::NAN, f64::NAN])).collect(),
        [Some(x), Some(y), None] => {
            x.iter().zip(y.iter()).map(|(x, y)| oracle([*x, *y, f64::NAN])).collect()
        }
        [Some(x), Some(y), Some(z)] => {
            let pairs = x.iter().zip(y.iter()).zip(z.iter());
            pairs.map(|((x, y), z)| oracle([*x, *y, *z])).collect()
        }
        [None, ..] => Vec::new(),
    }
}

impl Spec {
    /// Evaluates the results in f64 for a row of `len` elements, stage after stage.
    ///
    /// `streams` has one vector of values per input stream of the operator, and the result one per output.
    pub fn eval_row(&self, streams: &[Vec<f64>], scalars: &[f64], len: usize) -> Vec<Vec<f64>> {
        let mut all = streams.to_vec();
        let own = self.stages.iter().flat_map(|stage| [Some(stage.value), stage.rest, stage.terms]);
        let count = own.flatten().max().map_or(0, |last| last + 1);
        // In f64 a value has no rest.
        all.resize(count.max(all.len()), vec![0.0; len]);
        for stage in self.stages.iter() {
            let values = stage.spec.traced.eval_columns(&all, scalars, len);
            let Some(terms) = values.into_iter().next() else { continue };
            let value = match stage.rule {
                Rule::Reduce(function) => function.of(&terms),
                Rule::Uniform => terms.first().copied().unwrap_or(f64::NAN),
            };
            all[stage.value] = vec![value; len];
            if let Some(stream) = stage.terms {
                all[stream] = terms;
            }
        }
        self.traced.eval_columns(&all, scalars, len)
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
