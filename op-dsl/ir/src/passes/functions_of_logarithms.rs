//! Rewrites functions of a logarithm as fractions: `tanh(ln u)` is `(u^2 - 1) / (u^2 + 1)`, and `sigmoid(2 ln u)` is `u^2 / (u^2 + 1)`.
//!
//! The logarithm, the exponential of it and their rounding errors go. With `u = 1 + v`, `u^2 - 1` is `v (v + 2)`, which keeps the digits
//! of a small `v`. Only for bounded `u`, because its square must not overflow, and only for those that are never negative, because
//! the logarithm of a negative number is NaN and the fraction is not.

use super::products::{bounds, least_values};
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// Returns the graph with functions of logarithms rewritten; the same graph if there are none.
pub fn run(graph: &Graph) -> Graph {
    let is_logarithm = |node: &Node| matches!(node, Node::Call(Prim::Ln | Prim::Log1p, _));
    if !graph.nodes.iter().any(is_logarithm) {
        return graph.clone();
    }
    let (bounds, least) = (bounds(graph), least_values(graph));
    let has_fraction = |of: Logarithm| {
        let argument = of.argument().index();
        bounds[argument].is_finite() && least[argument] >= of.least()
    };
    graph.rewrite_at(|b, at| {
        let found = match at.node {
            Node::Call(prim @ (Prim::Tanh | Prim::Sigmoid), [x, ..]) => times_logarithm(graph, x)
                .filter(|(_, of)| has_fraction(*of))
                .and_then(|(times, of)| fraction(b, prim, times, of.with(at[of.argument()]))),
            _ => None,
        };
        found.unwrap_or_else(|| b.add(at.copy()))
    })
}

/// Emits `prim(times * of)` as a fraction: `tanh` of a logarithm, or a sigmoid of once or twice a logarithm; `None` for other calls.
fn fraction(b: &mut Builder, prim: Prim, times: f64, of: Logarithm) -> Option<Id> {
    let one = b.num(1.0);
    let (above, below) = match (prim, times.abs()) {
        (Prim::Tanh, 1.0) => {
            let (beyond, two) = (of.square_beyond_1(b), b.num(2.0));
            (beyond, b.sum(beyond, two))
        }
        (Prim::Sigmoid, 1.0 | 2.0) => {
            let u = of.value(b);
            let power = if times.abs() == 2.0 { b.product(u, u) } else { u };
            (if times > 0.0 { power } else { one }, b.sum(power, one))
        }
        _ => return None,
    };
    let quotient = b.quotient(above, below);
    Some(if prim == Prim::Tanh && times < 0.0 { b.negative(quotient) } else { quotient })
}

/// A logarithm.
#[derive(Clone, Copy)]
enum Logarithm {
    /// `ln u`.
    Of(Id),
    /// `ln(1 + v)`.
    Of1And(Id),
}

impl Logarithm {
    fn argument(self) -> Id {
        match self {
            Logarithm::Of(id) | Logarithm::Of1And(id) => id,
        }
    }

    /// Returns the least argument that has a logarithm.
    fn least(self) -> f64 {
        match self {
            Logarithm::Of(_) => 0.0,
            Logarithm::Of1And(_) => -1.0,
        }
    }

    fn with(self, argument: Id) -> Logarithm {
        match self {
            Logarithm::Of(_) => Logarithm::Of(argument),
            Logarithm::Of1And(_) => Logarithm::Of1And(argument),
        }
    }

    /// Emits `u`, the number whose logarithm it is.
    fn value(self, b: &mut Builder) -> Id {
        match self {
            Logarithm::Of(u) => u,
            Logarithm::Of1And(v) => {
                let one = b.num(1.0);
                b.sum(one, v)
            }
        }
    }

    /// Emits `u^2 - 1`.
    fn square_beyond_1(self, b: &mut Builder) -> Id {
        match self {
            Logarithm::Of(u) => {
                let one = b.num(1.0);
                let (less, more) = (b.difference(u, one), b.sum(u, one));
                b.product(less, more)
            }
            Logarithm::Of1And(v) => {
                let two = b.num(2.0);
                let more = b.sum(v, two);
                b.product(v, more)
            }
        }
    }
}

/// Returns a value as a number times a logarithm; `None` for other values.
fn times_logarithm(graph: &Graph, x: Id) -> Option<(f64, Logarithm)> {
    let (times, x) = match graph.nodes[x.index()] {
        Node::Call(Prim::Neg, [x, ..]) => (-1.0, x),
        Node::Call(Prim::Mul, [x, y, _]) => match (graph.as_const(x), graph.as_const(y)) {
            (Some(c), _) => (c, y),
            (_, Some(c)) => (c, x),
            _ => return None,
        },
        _ => (1.0, x),
    };
    match graph.nodes[x.index()] {
        Node::Call(Prim::Ln, [u, ..]) => Some((times, Logarithm::Of(u))),
        Node::Call(Prim::Log1p, [v, ..]) => Some((times, Logarithm::Of1And(v))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_logarithms_are_fractions() {
        let mut b = Builder::new();
        let x = b.stream(0);
        let s = b.call(Prim::Sigmoid, &[x]);
        let (ln, log1p) = (b.call(Prim::Ln, &[s]), b.call(Prim::Log1p, &[s]));
        let mut all = Vec::new();
        for l in [ln, log1p] {
            for times in [1.0, -1.0, 2.0, -2.0] {
                let scaled = b.scaled(times, l);
                all.push(b.call(Prim::Sigmoid, &[scaled]));
                all.extend((times.abs() == 1.0).then(|| b.call(Prim::Tanh, &[scaled])));
            }
        }
        let graph = b.finish(&all);
        let found = run(&graph);
        let is_function = |node: &&Node| matches!(node, Node::Call(Prim::Tanh | Prim::Sigmoid, _));
        assert_eq!(found.nodes.iter().filter(is_function).count(), 1, "{:?}", found.nodes);
        for x in [-9.0, -0.4, 1.0, 7.5] {
            let (got, want) = (found.eval(&[x], &[]), graph.eval(&[x], &[]));
            for (got, want) in got.iter().zip(&want) {
                assert!((got - want).abs() <= 1e-13 * want.abs(), "{x}: {got}, {want}");
            }
        }
    }

    /// Tests an unbounded `u`, whose square may overflow, and bounded ones whose logarithm may be NaN.
    #[test]
    fn squares_do_not_overflow_and_nan_stays() {
        let mut b = Builder::new();
        let x = b.stream(0);
        let size = b.call(Prim::Abs, &[x]);
        let sine = b.call(Prim::Sin, &[x]);
        let twice = b.scaled(2.0, sine);
        let logarithms = [(Prim::Ln, size), (Prim::Ln, sine), (Prim::Log1p, twice)]
            .map(|(ln, u)| b.call(ln, &[u]));
        let all = logarithms.map(|ln| b.call(Prim::Tanh, &[ln]));
        let graph = b.finish(&all);
        assert_eq!(run(&graph), graph);
    }
}
