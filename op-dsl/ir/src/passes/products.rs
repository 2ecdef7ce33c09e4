//! Analyses for passes that rewrite products: factors, and bounds of values.

use crate::analysis::Visit;
use crate::graph::{Graph, Node};
use crate::prim::{Interval, Prim};

/// Returns, per node, whether it is a product that exactly one other node uses.
///
/// If the user is a product too, the inner one need not be computed by itself, so that the order of all factors is free. Being an
/// output does not count as a use, since the output can have a product of its own.
pub(crate) fn inner_products(graph: &Graph) -> Vec<bool> {
    let mut uses = graph.uses();
    graph.outputs.iter().for_each(|id| uses[id.index()] -= 1);
    let is_product = |node: &Node| matches!(node, Node::Call(Prim::Mul, _));
    graph.nodes.iter().zip(uses).map(|(node, uses)| is_product(node) && uses == 1).collect()
}

/// Returns, per node, an upper bound of its magnitude; infinity where no bound below 1e6 is known.
pub(super) fn bounds(graph: &Graph) -> Vec<f64> {
    let moderate = |bound: f64| if bound < 1e6 { bound } else { f64::INFINITY };
    intervals(graph).into_iter().map(|values| moderate(values.bound())).collect()
}

/// Returns, per node, a lower bound of its values; minus infinity where none is known.
pub(super) fn least_values(graph: &Graph) -> Vec<f64> {
    intervals(graph).into_iter().map(|values| values.0).collect()
}

/// Returns, per node, an interval that contains all its values.
fn intervals(graph: &Graph) -> Vec<Interval> {
    graph.forward(|at: Visit<'_, Interval>| match at.node {
        Node::Stream(_) | Node::Scalar(_) => Interval::ALL,
        Node::Const(c) => Interval(c, c),
        Node::Call(prim, args) => {
            let known = args.map(|a| at.get(a).copied().unwrap_or(Interval::ALL));
            called(prim, known, args[0] == args[1])
        }
    })
}

/// Returns an interval that contains all values of a call, from the intervals of its arguments.
///
/// `twice` is true if the first two arguments are the same node.
fn called(prim: Prim, [x, y, z]: [Interval; 3], twice: bool) -> Interval {
    let hull = |ends: [f64; 4]| match ends.iter().any(|e| e.is_nan()) {
        true => Interval::ALL,
        false => Interval(
            ends.into_iter().fold(f64::INFINITY, f64::min),
            ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
        ),
    };
    let all = |f: fn(f64, f64) -> f64| hull([f(x.0, y.0), f(x.0, y.1), f(x.1, y.0), f(x.1, y.1)]);
    let size = || {
        Interval(if x.0 <= 0.0 && x.1 >= 0.0 { 0.0 } else { x.0.abs().min(x.1.abs()) }, x.bound())
    };
    // Zero times an infinite bound is zero here, because the values themselves are finite.
    let product: fn(f64, f64) -> f64 = |a, b| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
    match prim {
        Prim::Neg => Interval(-x.1, -x.0),
        Prim::Abs => size(),
        Prim::Add => Interval(x.0 + y.0, x.1 + y.1),
        Prim::Sub => Interval(x.0 - y.1, x.1 - y.0),
        Prim::Mul if twice => Interval(size().0 * size().0, x.bound() * x.bound()),
        Prim::Mul => all(product),
        Prim::Div if y.0 > 0.0 || y.1 < 0.0 => all(|a, b| if a == 0.0 { 0.0 } else { a / b }),
        Prim::Min => Interval(x.0.min(y.0), x.1.min(y.1)),
        Prim::Max => Interval(x.0.max(y.0), x.1.max(y.1)),
        Prim::Select => Interval(y.0.min(z.0), y.1.max(z.1)),
        increasing if increasing.is_increasing() => {
            let [low, high] = [x.0, x.1].map(|v| (prim.row().oracle)([v, f64::NAN, f64::NAN]));
            Interval(low, high)
        }
        _ => prim.row().range,
    }
}

/// Returns whether a number and its reciprocal are far from the ends of f32's range.
pub(super) fn is_ordinary(c: f64) -> bool {
    (1e-30..1e30).contains(&c.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Builder;

    #[test]
    fn values_lie_where_they_are_said_to() {
        let mut b = Builder::new();
        let x = b.stream(0);
        let size = b.call(Prim::Abs, &[x]);
        let minus = b.negative(size);
        let e = b.call(Prim::Exp, &[minus]);
        let unit = b.num(1.0);
        let below = b.sum(e, unit);
        let square = b.product(x, x);
        let fraction = b.quotient(e, below);
        let four = b.num(4.0);
        let held = b.call(Prim::Min, &[square, four]);
        let graph = b.finish(&[e, below, square, fraction, held]);
        let all = intervals(&graph);
        let of = |k: usize| all[graph.outputs[k].index()];
        assert_eq!(of(0), Interval(0.0, 1.0));
        assert_eq!(of(1), Interval(1.0, 2.0));
        assert_eq!(of(2), Interval(0.0, f64::INFINITY));
        assert_eq!(of(3), Interval(0.0, 1.0));
        assert_eq!(of(4), Interval(0.0, 4.0));
    }
}
