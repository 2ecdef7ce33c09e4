//! Rewrites sums of two products that cancel, with a function of `v` in one and of `-v` in the other.
//!
//! The second derivative of tanh and of sigmoid contains `s r^2 - r s^2` with `s = sigmoid(v)` and `r = sigmoid(-v)`, an odd
//! function whose terms cancel near 0. As `-s r tanh(v / 2)` it keeps its digits wherever tanh does, whatever attributes scale `v`.
//!
//! Cross-entropy is `t softplus(-v) + (1 - t) softplus(v)`, which is about `-t v` for a large `t`. Both functions contain
//! `softplus(-|v|)`. It is multiplied once by the sum of the factors, here 1, so that nothing cancels. That sum has to be a
//! constant.

use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// Rewrites sums of two products that cancel, one with a function of `v` and one of `-v`.
///
/// The functions are sigmoid, as in `s(v) s(-v)^2 - s(-v) s(v)^2`, and softplus.
pub fn run(graph: &Graph) -> Graph {
    graph.rewrite_at(|b, at| {
        let other = match at.node {
            Node::Call(Prim::Sub, [x, y, _]) => difference(graph, x, y, at.earlier, b)
                .or_else(|| shared(graph, x, (y, -1.0), at.earlier, b)),
            Node::Call(Prim::Add, [x, y, _]) => shared(graph, x, (y, 1.0), at.earlier, b),
            _ => None,
        };
        other.unwrap_or_else(|| b.add(at.copy()))
    })
}

/// Emits `x - y` as `p tanh(v / 2)`, if `x` is `p sigmoid(v)` and `y` is `p sigmoid(-v)`.
///
/// `p` is any product of factors that `x` and `y` share. `None` for other terms.
fn difference(graph: &Graph, x: Id, y: Id, new: &[Id], b: &mut Builder) -> Option<Id> {
    let [mut first, mut second] = [x, y].map(|term| graph.factors(term, |_| true));
    let mut shared = Vec::new();
    first.retain(|factor| {
        let place = second.iter().position(|other| other == factor);
        place.inspect(|place| shared.push(second.swap_remove(*place))).is_none()
    });
    let ([one], [other]) = (&first[..], &second[..]) else { return None };
    let argument = |id: Id| match graph.nodes[id.index()] {
        Node::Call(Prim::Sigmoid, [v, ..]) => Some(scaled(graph, v)),
        _ => None,
    };
    let ((c, v), (d, w)) = (argument(*one)?, argument(*other)?);
    if c != -d || v != w {
        return None;
    }
    // The scale is made positive, since tanh is odd, so that the call may be shared with others of the same tanh.
    let (scale, v) = (b.num(0.5 * c.abs()), new[v.index()]);
    let half = b.product(scale, v);
    let tanh = b.call(Prim::Tanh, &[half]);
    let all = shared.iter().fold(tanh, |product, factor| b.product(product, new[factor.index()]));
    Some(if c < 0.0 { b.negative(all) } else { all })
}

/// A product that contains exactly one factor `softplus(argument)`.
struct Term {
    sign: f64,
    /// Nodes of all factors other than the softplus.
    factors: Vec<Id>,
    argument: Id,
}

impl Term {
    fn of(graph: &Graph, id: Id) -> Option<Term> {
        let mut term = Term { sign: 1.0, factors: Vec::new(), argument: id };
        let mut functions = 0;
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            match graph.nodes[id.index()] {
                Node::Call(Prim::Mul | Prim::Mul3, _) => {
                    open.extend(graph.nodes[id.index()].args())
                }
                Node::Call(Prim::Neg, [x, ..]) => {
                    term.sign = -term.sign;
                    open.push(x);
                }
                Node::Call(Prim::Softplus, [x, ..]) => {
                    term.argument = x;
                    functions += 1;
                }
                _ => term.factors.push(id),
            }
        }
        (functions == 1).then_some(term)
    }

    /// Evaluates the product of all factors other than the softplus, from the values of all nodes.
    fn factor(&self, values: &[f64]) -> f64 {
        self.factors.iter().fold(self.sign, |product, id| product * values[id.index()])
    }

    /// Emits the term with `by` in place of its factor `softplus(v)`.
    fn times(&self, by: Id, new: &[Id], b: &mut Builder) -> Id {
        let product =
            self.factors.iter().fold(by, |product, id| b.product(product, new[id.index()]));
        if self.sign < 0.0 { b.negative(product) } else { product }
    }
}

/// Rewrites `p softplus(v) + q softplus(-v)`, if the sum of the factors `p + q` is constant.
///
/// The first term is `x`, the second `sign * y`. The result is `(p + q) softplus(-|v|) + p max(v, 0) + q max(-v, 0)`. `None` for
/// other terms.
fn shared(graph: &Graph, x: Id, (y, sign): (Id, f64), new: &[Id], b: &mut Builder) -> Option<Id> {
    let (one, mut other) = (Term::of(graph, x)?, Term::of(graph, y)?);
    other.sign *= sign;
    let ((c, v), (d, w)) = (scaled(graph, one.argument), scaled(graph, other.argument));
    if c != -d || v != w {
        return None;
    }
    let inputs = graph.streams().max(graph.scalars());
    let sum = |sample: &[f64; 3]| {
        let streams: Vec<f64> = (0..inputs).map(|k| sample[k % 3] + k as f64).collect();
        // Attributes differ from streams, because otherwise a difference of the two would be 0.
        let scalars: Vec<f64> = streams.iter().map(|x| 0.7 * x + 0.11).collect();
        let values = graph.eval_all(&streams, &scalars);
        one.factor(&values) + other.factor(&values)
    };
    let sums = SAMPLES.each_ref().map(sum);
    let number = f64::from(sums[0] as f32);
    if !sums.iter().all(|sum| (sum - number).abs() < 1e-9) {
        return None;
    }
    let (v, zero, number) = (new[one.argument.index()], b.num(0.0), b.num(number));
    let minus = b.negative(v);
    let (above, below) = (b.call(Prim::Max, &[v, zero]), b.call(Prim::Max, &[minus, zero]));
    let (above, below) = (one.times(above, new, b), other.times(below, new, b));
    let size = b.call(Prim::Abs, &[v]);
    let size = b.negative(size);
    let rest = b.call(Prim::Softplus, &[size]);
    let (rest, ends) = (b.product(number, rest), b.sum(above, below));
    Some(b.sum(rest, ends))
}

/// Sample values of the inputs, at which the sum `p + q` of [`shared`] has to be the same number.
const SAMPLES: [[f64; 3]; 3] = [[0.3, 1.7, -2.9], [-4.1, 0.2, 1.3], [11.3, -0.7, 5.9]];

/// Returns a node as a number times another node, which is not itself such a product.
fn scaled(graph: &Graph, id: Id) -> (f64, Id) {
    let number = |id: Id| graph.as_const(id);
    let (c, of) = match graph.nodes[id.index()] {
        Node::Call(Prim::Neg, [x, ..]) => (-1.0, x),
        Node::Call(Prim::Mul, [x, y, _]) => match (number(x), number(y)) {
            (Some(c), _) => (c, y),
            (_, Some(c)) => (c, x),
            _ => return (1.0, id),
        },
        _ => return (1.0, id),
    };
    let (d, of) = scaled(graph, of);
    (c * d, of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests `t softplus(-v) + (1 - t) softplus(v)` with `v = 3 x`, and sums with other signs and factors.
    #[test]
    fn cross_entropy_keeps_its_digits() {
        let mut b = Builder::new();
        let (x, t, one) = (b.stream(0), b.stream(1), b.num(1.0));
        let (plus, minus) = (b.num(3.0), b.num(-3.0));
        let (v, u) = (b.product(plus, x), b.product(minus, x));
        let (above, below) = (b.call(Prim::Softplus, &[v]), b.call(Prim::Softplus, &[u]));
        let (rest, other) = (b.difference(one, t), b.difference(t, one));
        let (first, second) = (b.product(t, below), b.product(rest, above));
        let sum = b.sum(first, second);
        let third = b.call(Prim::Mul, &[other, above]);
        let apart = b.call(Prim::Sub, &[first, third]);
        let unlike = b.call(Prim::Add, &[first, above]);
        // The factors are `w` and `1 - t`, where the attribute `w` and the stream `t` have the same index.
        let w = b.scalar(1);
        let weighted = b.product(w, below);
        let weighted = b.call(Prim::Add, &[weighted, second]);
        let graph = b.finish(&[sum, apart, unlike, weighted]);
        let found = run(&graph);
        for (x, t) in [(0.5, 0.3), (-2.0, 1.0), (10.0, 1.0), (10.0, 0.0), (1e-3, 7.0)] {
            let of = |graph: &Graph| graph.eval(&[x, t], &[0.0, 2.5]);
            let (got, want) = (of(&found), of(&graph));
            for k in 0..4 {
                assert!(
                    (got[k] / want[k] - 1.0).abs() < 1e-12,
                    "{k} at {x}, {t}: {got:?} {want:?}"
                );
            }
        }
        for k in [0, 1] {
            let (got, want) = (found.eval(&[-1e-24, -1e36], &[0.0, 2.5])[k], -3e12 + 2f64.ln());
            assert!((got - want).abs() < 1e-3, "{got}");
        }
        assert_eq!(found.nodes[found.outputs[2].index()], graph.nodes[graph.outputs[2].index()]);
    }

    #[test]
    fn second_derivatives_of_sigmoids() {
        let mut b = Builder::new();
        let (x, w) = (b.stream(0), b.stream(1));
        let (plus, minus) = (b.num(3.0), b.num(-3.0));
        let (v, u) = (b.product(plus, x), b.product(minus, x));
        let (s, r) = (b.call(Prim::Sigmoid, &[v]), b.call(Prim::Sigmoid, &[u]));
        let slope = b.product(s, r);
        let (first, second) = (b.product(slope, r), b.product(r, s));
        let second = b.product(second, s);
        let (first, second) = (b.product(first, w), b.product(w, second));
        let bend = b.difference(first, second);
        let other = b.difference(first, slope);
        let graph = b.finish(&[bend, other]);
        let found = run(&graph);
        for x in [-2.0, 1e-9, 0.3, 5.0] {
            let (got, want) = (found.eval(&[x, 0.7], &[]), graph.eval(&[x, 0.7], &[]));
            assert!((got[0] - want[0]).abs() <= 1e-15 + 1e-12 * want[0].abs(), "{x}: {got:?}");
            assert_eq!(got[1], want[1]);
        }
        // The two terms of the sum as written have no digits of this value.
        let tiny = found.eval(&[1e-12, 1.0], &[])[0];
        assert!((tiny / (-0.25 * 1.5e-12) - 1.0).abs() < 1e-9, "{tiny:e}");
        assert_eq!(run(&found), found);
    }
}
