//! Factors what two terms share out of a sum: `dy * a - dy * b = dy * (a - b)`, for a stream that multiplies all results.
//!
//! Otherwise each product is rounded before the difference cancels. For example, `dy * (1 - y) - dy * y` loses its digits near
//! `y = 1/2`, where `(1 - y) - y` is exact. Second derivatives have such sums, since the product rule gives one product per factor.

use super::products::inner_products;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::roles::is_factor;

/// Rewrites sums and differences until no two terms share a stream that only multiplies outputs.
pub fn run(graph: &Graph) -> Graph {
    let of_streams = |graph: &Graph| {
        once(graph, |id| match graph.nodes[id.index()] {
            Node::Stream(s) => is_factor(graph, usize::from(s)),
            _ => false,
        })
    };
    std::iter::successors(of_streams(graph), of_streams).last().unwrap_or_else(|| graph.clone())
}

/// Rewrites sums with a quotient until no two terms share a stream that only multiplies outputs.
///
/// For example, `y / d + k y` becomes `y (1 / d + k)`: where `y` is infinite, its terms may be infinities of opposite signs, while the
/// sum has a limit. This is for f64, where the rounding error of `1 / d` does not matter.
pub fn of_quotients(graph: &Graph) -> Graph {
    let once = |graph: &Graph| {
        first(graph, true, |id| match graph.nodes[id.index()] {
            Node::Stream(s) => is_factor(graph, usize::from(s)),
            _ => false,
        })
    };
    std::iter::successors(once(graph), once).last().unwrap_or_else(|| graph.clone())
}

/// Rewrites the first sum or difference whose terms, or their negatives, share a factor that is `wanted`.
///
/// For example, `dy * a - dy * b` becomes `dy * (a - b)`. `None` if there is no such sum.
pub fn once(graph: &Graph, wanted: impl Fn(Id) -> bool) -> Option<Graph> {
    first(graph, false, wanted)
}

/// A term of a sum: the product of `factors`, divided by `divisor`.
struct Term {
    is_negative: bool,
    factors: Vec<Id>,
    divisor: Option<Id>,
}

impl Term {
    /// Takes a term apart as far as no other node uses its parts.
    fn of(graph: &Graph, inner: &[bool], id: Id) -> Term {
        let is_inner = |id: Id| inner[id.index()];
        let mut term = Term { is_negative: false, factors: Vec::new(), divisor: None };
        let mut product = id;
        if let Node::Call(Prim::Neg, [x, ..]) = graph.nodes[product.index()]
            && is_inner(x)
        {
            (term.is_negative, product) = (true, x);
        }
        if let Node::Call(Prim::Div, [x, y, _]) = graph.nodes[product.index()]
            && is_inner(product)
        {
            (term.divisor, product) = (Some(y), x);
            term.factors = vec![x];
        }
        if is_inner(product) {
            term.factors = graph.factors(product, is_inner);
        }
        term
    }

    /// Emits the term without one occurrence of `factor`; `new` has the new graph's node for each node of the old one.
    fn without(&self, b: &mut Builder, factor: Id, new: &[Id]) -> Id {
        let product = without(b, &self.factors, factor, new);
        let rest = match self.divisor {
            Some(divisor) => b.quotient(product, new[divisor.index()]),
            None => product,
        };
        if self.is_negative { b.negative(rest) } else { rest }
    }
}

/// Rewrites the first sum or difference whose terms share a factor that is `wanted`.
///
/// With `by_quotients`, one of them at least is a quotient; a term may then be the factor itself.
fn first(graph: &Graph, by_quotients: bool, wanted: impl Fn(Id) -> bool) -> Option<Graph> {
    let mut inner = inner_products(graph);
    if by_quotients {
        let uses = graph.uses();
        let is_quotient = |id: Id| matches!(graph.nodes[id.index()], Node::Call(Prim::Div, _));
        graph
            .ids()
            .filter(|id| is_quotient(*id))
            .for_each(|id| inner[id.index()] = uses[id.index()] == 1);
    }
    let terms = |x: Id, y: Id| [x, y].map(|id| Term::of(graph, &inner, id));
    let shared = |x: Id, y: Id| {
        let [x, y] = terms(x, y);
        let are_wanted = !by_quotients || x.divisor.is_some() || y.divisor.is_some();
        let is_shared = |id: &Id| y.factors.contains(id) && wanted(*id);
        x.factors.into_iter().find(|id| are_wanted && is_shared(id))
    };
    let (sum, factor) = graph.ids().find_map(|id| match graph.nodes[id.index()] {
        Node::Call(Prim::Add | Prim::Sub, [x, y, _]) => shared(x, y).map(|factor| (id, factor)),
        _ => None,
    })?;
    Some(graph.rewrite_at(|b, at| match at.node {
        Node::Call(prim, [x, y, _]) if at.id == sum => {
            let rest = terms(x, y).map(|term| term.without(b, factor, at.earlier));
            let rest = b.call(prim, &rest);
            b.product(at[factor], rest)
        }
        _ => b.add(at.copy()),
    }))
}

/// Emits the product of all `factors` but one occurrence of `factor`.
///
/// These are nodes of the old graph, and `new` has the new graph's node for each node of the old one.
fn without(b: &mut Builder, factors: &[Id], factor: Id, new: &[Id]) -> Id {
    let at = factors.iter().position(|id| *id == factor);
    let mut rest =
        factors.iter().enumerate().filter(|(i, _)| Some(*i) != at).map(|(_, id)| new[id.index()]);
    let first = rest.next().unwrap_or_else(|| b.num(1.0));
    rest.fold(first, |product, id| b.product(product, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_factor_multiplies_the_sum() {
        let mut b = Builder::new();
        let [x, dy] = [0, 1].map(|i| b.stream(i));
        let unit = b.num(1.0);
        let rest = b.difference(unit, x);
        let (up, down) = (b.product(dy, rest), b.product(x, dy));
        let sum = b.difference(up, down);
        let got = run(&b.finish(&[sum]));
        let mut b = Builder::new();
        let [x, dy] = [0, 1].map(|i| b.stream(i));
        let unit = b.num(1.0);
        let rest = b.difference(unit, x);
        let inside = b.difference(rest, x);
        let product = b.product(dy, inside);
        assert_eq!(got, b.finish(&[product]));
    }

    /// Tests `y / d + k y`, with attributes `d` and `k`.
    #[test]
    fn a_shared_factor_of_a_quotient_multiplies_the_sum() {
        let mut b = Builder::new();
        let (y, d, k) = (b.stream(0), b.scalar(0), b.scalar(1));
        let (quotient, product) = (b.quotient(y, d), b.product(k, y));
        let sum = b.sum(quotient, product);
        let graph = b.finish(&[sum]);
        assert_eq!(run(&graph), graph);
        let at = |graph: &Graph, y: f64| graph.eval(&[y], &[4.0, -2.0])[0];
        assert!(at(&graph, f64::INFINITY).is_nan());
        assert_eq!(at(&of_quotients(&graph), f64::INFINITY), f64::NEG_INFINITY);
        assert_eq!(at(&of_quotients(&graph), 3.0), at(&graph, 3.0));
    }

    #[test]
    fn what_is_no_factor_of_every_result_stays() {
        let mut b = Builder::new();
        let [x, y] = [0, 1].map(|i| b.stream(i));
        let (square, product) = (b.product(x, x), b.product(x, y));
        let sum = b.sum(square, product);
        let graph = b.finish(&[sum]);
        assert_eq!(run(&graph), graph);
    }
}
