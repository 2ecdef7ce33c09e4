//! Reorders products of inputs and a function of the activation so that the function comes first.
//!
//! In `dz dy f(x)` two large inputs multiply to infinity, which is NaN where `f(x)` is 0. `f(x) dz dy` is finite wherever the
//! result is, because functions of activations are small in their tails, where the product of the others may overflow.

use super::reading::uses;
use op_dsl_ir::{Builder, Graph, Id, Node, Prim};

/// Returns the graph with functions of input stream `activation` moved to the front of products.
///
/// Functions of the activation are small in their tails, where the product of other inputs may overflow. Returns `None` if all
/// products have this order already.
pub(super) fn run(graph: &Graph, activation: usize) -> Option<Graph> {
    let pass = Pass::new(graph, activation);
    let found: Vec<Option<Vec<Id>>> =
        (0..graph.nodes.len() as u32).map(|id| pass.product(Id(id))).collect();
    if found.iter().all(Option::is_none) {
        return None;
    }
    let mut b = Builder::new();
    let mut new: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    for (node, factors) in graph.nodes.iter().zip(&found) {
        let factors = factors.iter().flatten().map(|factor| new[factor.index()]);
        let product = factors.reduce(|product, factor| b.product(product, factor));
        new.push(product.unwrap_or_else(|| b.add(node.map_args(&new))));
    }
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    Some(b.finish(&outputs))
}

/// Input streams that a node depends on: only the activation, none, or others as well.
///
/// The activation is the input stream that the formula is applied to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reads {
    Activation,
    Nothing,
    Others,
}

struct Pass<'g> {
    graph: &'g Graph,
    uses: Vec<usize>,
    reads: Vec<Reads>,
}

impl<'g> Pass<'g> {
    fn new(graph: &'g Graph, activation: usize) -> Pass<'g> {
        let uses = uses(graph);
        let mut reads: Vec<Reads> = Vec::with_capacity(graph.nodes.len());
        for node in graph.nodes.iter() {
            let of = node.args().iter().map(|a| reads[a.index()]);
            reads.push(match node {
                Node::Stream(k) if usize::from(*k) == activation => Reads::Activation,
                Node::Stream(_) => Reads::Others,
                _ => of.fold(Reads::Nothing, |all, of| match (all, of) {
                    (Reads::Nothing, of) | (of, Reads::Nothing) => of,
                    (all, of) => all.max(of),
                }),
            });
        }
        Pass { graph, uses, reads }
    }

    fn is_product(&self, id: Id) -> bool {
        matches!(self.graph.nodes[id.index()], Node::Call(Prim::Mul | Prim::Mul3, _))
    }

    /// Returns the factors of product `id` with functions of the activation first.
    ///
    /// The activation is the input stream that the formula is applied to. Returns `None` unless two inputs are multiplied before
    /// such a function, and for a node that is no product.
    fn product(&self, id: Id) -> Option<Vec<Id>> {
        if !self.is_product(id) {
            return None;
        }
        let mut factors = Vec::new();
        let meets = self.factors(id, &mut factors);
        let has_function = factors.iter().any(|f| self.reads[f.index()] == Reads::Activation);
        if !meets || !has_function {
            return None;
        }
        factors.sort_by_key(|f| self.reads[f.index()]);
        Some(factors)
    }

    /// Appends the factors of product `id` to `all`, and those of inner products that nothing else reads.
    ///
    /// Returns true if an inner product multiplies two inputs or more and no function of the activation (the input stream that the
    /// formula is applied to).
    fn factors(&self, id: Id, all: &mut Vec<Id>) -> bool {
        let mut meets = false;
        for arg in self.graph.nodes[id.index()].args() {
            if !self.is_product(*arg) || self.uses[arg.index()] > 1 {
                all.push(*arg);
                continue;
            }
            let begin = all.len();
            meets |= self.factors(*arg, all);
            let reads = |reads: Reads| {
                all[begin..].iter().filter(move |f| self.reads[f.index()] == reads).count()
            };
            meets |= reads(Reads::Others) > 1 && reads(Reads::Activation) == 0;
        }
        meets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_activation_come_first() {
        let mut b = Builder::new();
        let (dz, dy, x) = (b.stream(0), b.stream(1), b.stream(2));
        let two = b.num(-2.0);
        let inputs = b.call(Prim::Mul3, &[two, dz, dy]);
        let first = b.product(inputs, x);
        let other = b.product(x, dz);
        let other = b.product(other, dy);
        let graph = b.finish(&[first, other]);
        let found = run(&graph, 2).expect("a product");
        let plain = |graph: &Graph, streams: [f64; 3]| {
            // Rounds to `float` as the kernel does, so that a product beyond the largest `float` is infinite.
            let mut values: Vec<f64> = Vec::new();
            for node in graph.nodes.iter() {
                let of = |k: usize| values[node.args()[k].index()];
                let value = match node {
                    Node::Stream(k) => streams[usize::from(*k)],
                    Node::Const(c) => *c,
                    Node::Call(Prim::Mul3, _) => f64::from((of(0) * of(1)) as f32) * of(2),
                    _ => of(0) * of(1),
                };
                values.push((value as f32).into());
            }
            graph.outputs.iter().map(|o| values[o.index()]).collect::<Vec<f64>>()
        };
        assert!(plain(&graph, [1e30, 1e30, 0.0])[0].is_nan());
        assert_eq!(plain(&found, [1e30, 1e30, 0.0])[0], 0.0);
        assert_eq!(plain(&found, [3.0, 5.0, 0.5]), [-15.0, 7.5]);
        assert_eq!(run(&found, 2), None);
    }
}
