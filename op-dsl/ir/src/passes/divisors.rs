//! Cancels divisors that a gradient multiplies by again: `a * (b / a)` becomes `b`.
//!
//! For example, quantisation `s * round(x / s)` whose rounding has the derivative 1 has the derivative `round(t) - s * (x / s / s)` by
//! `s`, with `t = x / s`. It becomes `round(t) - x / s`, because the product has rounding errors that show where the difference
//! cancels, near integers. The derivative of `s * relu(x / s)` by `s` is 0 in the same way, and would be rounding errors. That of
//! `p ln(p / q)` by `p` is `ln(p / q) + p (1 / q / (p / q))`, where the second term is 1; as written it is NaN at infinity, and what stands
//! for an infinite `p` there stood in the logarithm as well.
//!
//! The chain rule makes such products. A formula that an author writes is left alone: there `b / a` may be rounded on purpose.

use super::simplify;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// Maximum number of nodes, nested in each other, in which [`times`] looks for a divisor.
///
/// The chain rule multiplies a derivative by its inner derivative at once, so that a divisor is near the factor.
const DEEPEST: u32 = 4;

/// Cancels divisors in the products of a gradient, or only in those that are terms of a sum.
///
/// A product that is no term has its digits as it is, and stays NaN where the divisor is 0 and the formula has no value. Such products
/// cancel as well if the author gives roundings the derivative 1, since the divisor is then a scale.
pub fn cancelled(graph: &Graph, all: bool) -> Graph {
    let is_term = graph.read_by(|_, node| matches!(node, Node::Call(Prim::Add | Prim::Sub, _)));
    let cancelled = graph.rewrite_at(|b, at| {
        let found = match at.node {
            Node::Call(Prim::Mul, [x, y, _]) if all || is_term[at.id.index()] => {
                let mut ways = [(at[x], at[y]), (at[y], at[x])].into_iter();
                ways.find_map(|(factor, value)| times(b, value, factor, DEEPEST))
            }
            _ => None,
        };
        found.unwrap_or_else(|| b.add(at.copy()))
    });
    simplify::run(&cancelled)
}

/// Emits `value * factor` without the division by `factor` that `value` contains, or returns `None` if it contains none.
fn times(b: &mut Builder, value: Id, factor: Id, deepest: u32) -> Option<Id> {
    let Node::Call(prim, [x, y, z]) = b.node(value) else { return None };
    let deepest = deepest.checked_sub(1)?;
    match prim {
        Prim::Div if y == factor => Some(x),
        Prim::Div => match b.node(y) {
            // x / (factor / d) * factor = x d
            Node::Call(Prim::Div, [n, d, _]) if n == factor => match b.as_const(x) {
                Some(1.0) => Some(d),
                _ => Some(product(b, x, d, deepest)),
            },
            _ => None,
        },
        Prim::Neg => times(b, x, factor, deepest).map(|x| b.negative(x)),
        Prim::Mul => match times(b, x, factor, deepest) {
            Some(x) => Some(product(b, x, y, deepest)),
            None => times(b, y, factor, deepest).map(|y| product(b, x, y, deepest)),
        },
        Prim::Select => {
            let arms = [y, z].map(|arm| times(b, arm, factor, deepest));
            if arms == [None, None] {
                return None;
            }
            let [yes, no] = [(arms[0], y), (arms[1], z)]
                .map(|(cancelled, arm)| cancelled.unwrap_or_else(|| b.product(arm, factor)));
            Some(b.call(Prim::Select, &[x, yes, no]))
        }
        _ => None,
    }
}

/// Emits `x * y`, where one may be a divisor of the other once a factor has cancelled.
fn product(b: &mut Builder, x: Id, y: Id, deepest: u32) -> Id {
    let cancelled = times(b, x, y, deepest).or_else(|| times(b, y, x, deepest));
    cancelled.unwrap_or_else(|| b.product(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests the derivative of `p ln(p / q)` by `p`.
    #[test]
    fn a_quotient_with_the_factor_above_cancels() {
        let mut b = Builder::new();
        let (p, q) = (b.stream(0), b.stream(1));
        let (one, ratio) = (b.num(1.0), b.quotient(p, q));
        let (log, inner) = (b.call(Prim::Ln, &[ratio]), b.quotient(one, q));
        let slope = b.quotient(one, ratio);
        let slope = b.product(inner, slope);
        let term = b.product(slope, p);
        let sum = b.sum(log, term);
        let graph = cancelled(&b.finish(&[sum]), false);
        let mut b = Builder::new();
        let (p, q) = (b.stream(0), b.stream(1));
        let (one, ratio) = (b.num(1.0), b.quotient(p, q));
        let log = b.call(Prim::Ln, &[ratio]);
        let want = b.sum(log, one);
        let want = b.finish(&[want]);
        assert_eq!(simplify::run(&graph).nodes.len(), want.nodes.len());
        assert!(graph.eval(&[f64::INFINITY, 2.0], &[])[0].is_infinite());
    }

    /// Tests the derivatives of `a relu(x / a)` by `a` and by `x`.
    #[test]
    fn a_divisor_in_a_branch_of_a_term_cancels() {
        let mut b = Builder::new();
        let (x, a) = (b.stream(0), b.stream(1));
        let (zero, one, ratio) = (b.num(0.0), b.num(1.0), b.quotient(x, a));
        let is_above = b.call(Prim::Lt, &[zero, ratio]);
        let (by_a, by_x) = (b.quotient(ratio, a), b.quotient(one, a));
        let by_a = b.negative(by_a);
        let [by_a, by_x] = [by_a, by_x].map(|slope| {
            let slope = b.call(Prim::Select, &[is_above, slope, zero]);
            b.product(slope, a)
        });
        let relu = b.call(Prim::Max, &[ratio, zero]);
        let sum = b.sum(by_a, relu);
        let graph = b.finish(&[sum, by_x]);
        let [terms, all] = [false, true].map(|all| cancelled(&graph, all));
        assert_ne!(graph.eval(&[3.625, 7.3], &[])[0], 0.0);
        for x in [3.625, -3.625] {
            assert_eq!(terms.eval(&[x, 7.3], &[])[0], 0.0);
        }
        assert!(terms.eval(&[3.625, 0.0], &[])[1].is_nan());
        assert_eq!(all.eval(&[3.625, 0.0], &[])[1], 1.0);
    }
}
