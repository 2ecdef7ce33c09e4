//! Dimensional analysis: how the values of a graph scale with some of its inputs.
//!
//! If streams and scalars are multiplied by powers of a number `k`, many values are multiplied by a power of `k` as
//! well. That power is their *degree*. For example, `x * sigmoid(beta * x)` has the degree -1 where `beta` has 1 and
//! `x` -1, so it equals `silu(beta * x) / beta`, however it is written.

use crate::analysis::Visit;
use crate::clamp_bounds::{is_far, unbound};
use crate::graph::{Graph, Node};
use crate::prim::Prim;

/// Values allowed for `k`, the number by whose powers streams and scalars are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// `k` may be any number, including 0.
    Number,
    /// `k` may be any number but 0.
    Nonzero,
    /// `k` may be any positive number.
    Positive,
}

/// Exponent `d` of a value that is multiplied by `k^d` when the inputs are scaled by powers of `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Degree {
    /// Every exponent: zero scales by any power of `k`, and so does a bound that stands for infinity.
    Any,
    /// Exactly the exponent given.
    Power(i32),
}

use Degree::{Any, Power};

impl Degree {
    /// Returns the exponent of a value that is sometimes one, sometimes another of two values.
    ///
    /// `None` if the exponents of the two values differ.
    fn either(self, other: Degree) -> Option<Degree> {
        match (self, other) {
            (Any, d) | (d, Any) => Some(d),
            (a, b) => (a == b).then_some(a),
        }
    }

    fn times(self, other: Degree, sign: i32) -> Degree {
        match (self, other) {
            (Power(a), Power(b)) => Power(a.saturating_add(b.saturating_mul(sign))),
            _ => Any,
        }
    }
}

/// Returns the exponent of `k` that an output scales by when the inputs are scaled by powers of `k`.
///
/// Returns `None` if the output scales by no power of `k`. `given` returns the exponents of streams and scalars, and
/// `by` says which values `k` may have.
pub fn degree(
    graph: &Graph,
    output: usize,
    by: By,
    given: impl Fn(&Node) -> i32,
) -> Option<Degree> {
    let all = graph.forward(|at: Visit<'_, Option<Degree>>| {
        let node = &at.node;
        let of = |k: usize| at[node.args()[k]];
        let either = |x: usize, y: usize| of(x)?.either(of(y)?);
        let positive = |d: Option<Degree>| d.filter(|d| by == By::Positive || *d == Power(0));
        let stays = |k: usize| of(k).filter(|d| matches!(d, Any | Power(0)));
        match *node {
            Node::Stream(_) | Node::Scalar(_) => Some(Power(given(node))),
            Node::Const(0.0) => Some(Any),
            Node::Const(c) if is_far(c) && by != By::Number => Some(Any),
            Node::Const(_) => Some(Power(0)),
            Node::Call(prim, _) => match prim {
                Prim::Neg => of(0),
                Prim::Add | Prim::Sub => either(0, 1),
                Prim::Mul => of(0).zip(of(1)).map(|(x, y)| x.times(y, 1)),
                Prim::Mul3 => {
                    of(0).zip(of(1)).zip(of(2)).map(|((x, y), z)| x.times(y, 1).times(z, 1))
                }
                Prim::Div if by == By::Number => of(0).filter(|_| of(1) == Some(Power(0))),
                Prim::Div => of(0).zip(of(1).filter(|d| *d != Any)).map(|(x, y)| x.times(y, -1)),
                Prim::Select => stays(0).and_then(|_| either(1, 2)),
                Prim::Min | Prim::Max if unbound(graph, node).is_some() && by != By::Number => {
                    either(0, 1)
                }
                Prim::Abs | Prim::Relu => positive(of(0)),
                Prim::Min | Prim::Max => positive(either(0, 1)),
                Prim::Lt | Prim::Le | Prim::Eq => positive(either(0, 1)).map(|_| Power(0)),
                _ => (0..node.args().len()).all(|k| stays(k).is_some()).then_some(Power(0)),
            },
        }
    });
    all[graph.outputs[output].index()]
}

/// Returns whether each output is proportional to an input stream or independent of the stream.
pub fn is_factor(graph: &Graph, stream: usize) -> bool {
    let given = |node: &Node| i32::from(*node == Node::Stream(stream as u16));
    let multiplies = |output| {
        let degree = degree(graph, output, By::Number, given);
        matches!(degree, Some(Degree::Any | Degree::Power(0 | 1)))
    };
    (0..graph.outputs.len()).all(multiplies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clamp_bounds::FAR;
    use crate::graph::{Builder, Id};

    /// Returns the degree of a formula in `x` and an attribute.
    ///
    /// `x` is divided by `k^q` and the attribute is multiplied by `k`.
    fn of(by: By, q: i32, formula: impl Fn(&mut Builder, Id, Id) -> Id) -> Option<Degree> {
        let mut b = Builder::new();
        let (x, beta) = (b.stream(0), b.scalar(0));
        let f = formula(&mut b, x, beta);
        let graph = b.finish(&[f]);
        degree(&graph, 0, by, |node| if matches!(node, Node::Stream(_)) { -q } else { 1 })
    }

    /// `s + beta s (1 - s) x`, `s = sigmoid(beta x)`: the derivative of swish.
    fn swish_grad(b: &mut Builder, x: Id, beta: Id) -> Id {
        let t = b.product(beta, x);
        let minus = b.negative(t);
        let [s, r] = [t, minus].map(|t| b.call(Prim::Sigmoid, &[t]));
        let (inner, both) = (b.product(beta, s), b.product(r, x));
        let slope = b.product(inner, both);
        b.sum(s, slope)
    }

    #[test]
    fn products_of_an_attribute_are_seen_through() {
        assert_eq!(of(By::Nonzero, 1, swish_grad), Some(Power(0)));
        assert_eq!(of(By::Nonzero, 0, swish_grad), None);
        let swish = |b: &mut Builder, x: Id, beta: Id| {
            let t = b.product(beta, x);
            let s = b.call(Prim::Sigmoid, &[t]);
            b.product(x, s)
        };
        assert_eq!(of(By::Nonzero, 1, swish), Some(Power(-1)));
        let bent = |b: &mut Builder, x: Id, beta: Id| {
            let t = b.quotient(x, beta);
            let tanh = b.call(Prim::Tanh, &[t]);
            b.product(beta, tanh)
        };
        assert_eq!(of(By::Nonzero, -1, bent), Some(Power(1)));
    }

    #[test]
    fn what_chooses_by_size_asks_for_positive_factors() {
        let relu = |b: &mut Builder, x: Id, beta: Id| {
            let (zero, t) = (b.num(0.0), b.product(beta, x));
            b.call(Prim::Max, &[zero, t])
        };
        assert_eq!(of(By::Positive, 0, relu), Some(Power(1)));
        assert_eq!(of(By::Nonzero, 0, relu), None);
        // A bound that no number reaches never takes effect, so it does not change the degree.
        let held = |b: &mut Builder, x: Id, beta: Id| {
            let (far, t) = (b.num(-FAR), b.product(beta, x));
            b.call(Prim::Max, &[t, far])
        };
        assert_eq!(of(By::Nonzero, 0, held), Some(Power(1)));
        let limited = |b: &mut Builder, x: Id, beta: Id| {
            let above = b.call(Prim::Lt, &[beta, x]);
            b.call(Prim::Select, &[above, beta, x])
        };
        assert_eq!(of(By::Positive, -1, limited), Some(Power(1)));
        assert_eq!(of(By::Positive, 1, limited), None);
    }

    #[test]
    fn factor_scales_outputs_or_leaves_them() {
        let mut b = Builder::new();
        let [x, y] = [0, 1].map(|i| b.stream(i));
        let (s, zero) = (b.call(Prim::Sigmoid, &[x]), b.num(0.0));
        let below = b.call(Prim::Lt, &[x, zero]);
        let (line, product, square) = (b.sum(x, s), b.product(y, s), b.product(y, y));
        let results = [
            (line, true),
            (product, true),
            (square, false),
            (b.product(line, y), true),
            (b.quotient(y, x), true),
            (b.quotient(x, y), false),
            (b.sum(product, y), true),
            (b.sum(product, x), false),
            (b.call(Prim::Select, &[below, zero, product]), true),
            (b.call(Prim::Select, &[below, x, product]), false),
            (b.call(Prim::Mul3, &[s, y, y]), false),
        ];
        for (result, want) in results {
            let graph = b.finish(&[result]);
            assert_eq!(is_factor(&graph, 1), want, "{graph:?}");
        }
    }
}
