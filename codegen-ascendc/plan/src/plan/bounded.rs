//! Reorders products of inputs and a function of the activation so that the function comes first.
//!
//! In `dz dy f(x)` two large inputs multiply to infinity, which is NaN where `f(x)` is 0. `f(x) dz dy` is finite wherever the
//! result is, because functions of activations are small in their tails, where the product of the others may overflow.

use op_dsl_ir::analysis::{Inputs, Visit};
use op_dsl_ir::{Graph, Id};

/// Input streams that a node depends on: only the activation, none, or others as well.
///
/// The activation is the input stream that the formula is applied to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reads {
    Activation,
    Nothing,
    Others,
}

/// Moves functions of input stream `activation` to the front of products, so that `dz dy f(x)` becomes `f(x) dz dy`.
///
/// This applies where at least two other inputs are multiplied before such a function, because that product may overflow. Without
/// such products the graph stays the same.
pub(super) fn run(graph: &Graph, activation: usize) -> Graph {
    reordered(graph, activation, |functions, others| functions == 0 && others > 1)
}

/// Returns the graph with functions of input stream `activation` moved to the front of all products.
///
/// In `m dz p(x)` with a vanishing `m` and a large polynomial, a small `dz` would leave none of the digits of `m dz`, although
/// `m p(x)` has all of its digits.
pub(super) fn all_first(graph: &Graph, activation: usize) -> Graph {
    reordered(graph, activation, |_, others| others > 0)
}

/// Moves functions of the activation to the front of products.
///
/// `is_late(f, n)` decides whether later functions move in front of a product that has `f` functions of the activation and `n`
/// other inputs as factors.
fn reordered(graph: &Graph, activation: usize, is_late: impl Fn(usize, usize) -> bool) -> Graph {
    let (uses, inputs) = (graph.uses(), graph.inputs());
    let reads = |id: &Id| match inputs[id.index()].streams {
        0 => Reads::Nothing,
        streams if streams == Inputs::bit(activation) => Reads::Activation,
        _ => Reads::Others,
    };
    let is_inner = |id: Id| graph.nodes[id.index()].is_product() && uses[id.index()] == 1;
    let multiplies_others = |product: Id| {
        let factors = graph.factors(product, is_inner);
        let count = |of: Reads| factors.iter().filter(|factor| reads(factor) == of).count();
        is_late(count(Reads::Activation), count(Reads::Others))
    };
    let is_late = graph.forward(|at: Visit<'_, bool>| {
        let mut inner = at.node.args().iter().filter(|arg| is_inner(**arg));
        at.node.is_product() && inner.any(|arg| at[*arg] || multiplies_others(*arg))
    });
    graph.rewrite_at(|b, at| {
        let mut factors = graph.factors(at.id, is_inner);
        let has_function = factors.iter().any(|factor| reads(factor) == Reads::Activation);
        if !is_late[at.id.index()] || !has_function {
            return b.add(at.copy());
        }
        factors.sort_by_key(reads);
        let rest = factors[1..].iter();
        rest.fold(at[factors[0]], |product, factor| b.product(product, at[*factor]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::{Builder, Node, Prim};

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
        let found = run(&graph, 2);
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
        assert_eq!(run(&found, 2), found);
    }
}
