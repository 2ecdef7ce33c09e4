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

/// Rewrites the first sum or difference whose terms, or their negatives, share a factor that is `wanted`.
///
/// For example, `dy * a - dy * b` becomes `dy * (a - b)`. `None` if there is no such sum.
pub fn once(graph: &Graph, wanted: impl Fn(Id) -> bool) -> Option<Graph> {
    let inner = inner_products(graph);
    let is_inner = |id: Id| inner[id.index()];
    let negated = |id: Id| match graph.nodes[id.index()] {
        Node::Call(Prim::Neg, [x, ..]) if is_inner(x) => Some(x),
        _ => None,
    };
    let factors = |id: Id| {
        let id = negated(id).unwrap_or(id);
        if is_inner(id) { graph.factors(id, is_inner) } else { Vec::new() }
    };
    let shared = |x: Id, y: Id| {
        let others = factors(y);
        factors(x).into_iter().find(|id| others.contains(id) && wanted(*id))
    };
    let (sum, factor) = graph.ids().find_map(|id| match graph.nodes[id.index()] {
        Node::Call(Prim::Add | Prim::Sub, [x, y, _]) => shared(x, y).map(|factor| (id, factor)),
        _ => None,
    })?;
    Some(graph.rewrite_at(|b, at| match at.node {
        Node::Call(prim, [x, y, _]) if at.id == sum => {
            let [x, y] = [x, y].map(|term| {
                let rest = without(b, &factors(term), factor, at.earlier);
                if negated(term).is_some() { b.negative(rest) } else { rest }
            });
            let rest = b.call(prim, &[x, y]);
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
