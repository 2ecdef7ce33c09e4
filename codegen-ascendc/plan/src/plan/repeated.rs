//! Merges repeated terms of a sum into a multiple of the term, which is added last.
//!
//! Second derivatives of products have `(p - a) + (p - b)`, which is rounded three times at the size of `p`. `2 p - (a + b)` is
//! rounded at that size only once, because twice a number is exact, and near 0, where `p` is the limit, `a + b` is small.

use op_dsl_ir::{Builder, Graph, Id, Node, Prim};

/// Returns the graph with the repeated term of each sum merged.
///
/// `(p - a) + (p - b)` becomes `2 p - (a + b)`. Where no term repeats, it is the same graph.
pub(super) fn run(graph: &Graph) -> Graph {
    let uses = graph.uses();
    graph.rewrite_at(|b, at| {
        let terms = terms(graph, &uses, at.id);
        let sum = if terms.len() > 2 { sum(graph, &terms, at.earlier, b) } else { None };
        sum.unwrap_or_else(|| b.add(at.copy()))
    })
}

/// Returns the terms of `sum` with their signs (1 or -1).
///
/// The terms of inner sums that nothing else reads are included; `uses` counts the reads of each node. A node that is no sum is
/// its only term.
pub(super) fn terms(graph: &Graph, uses: &[usize], sum: Id) -> Vec<(i32, Id)> {
    let (mut terms, mut rest) = (Vec::new(), vec![(1, sum)]);
    while let Some((sign, id)) = rest.pop() {
        match graph.nodes[id.index()] {
            _ if id != sum && uses[id.index()] > 1 => terms.push((sign, id)),
            Node::Call(Prim::Add, [x, y, _]) => rest.extend([(sign, y), (sign, x)]),
            Node::Call(Prim::Sub, [x, y, _]) => rest.extend([(-sign, y), (sign, x)]),
            Node::Call(Prim::Neg, [x, ..]) => rest.push((-sign, x)),
            _ => terms.push((sign, id)),
        }
    }
    terms
}

/// Emits a sum with its repeated term merged: `2 p - (a + b)` for `(p - a) + (p - b)`.
///
/// Returns `None` if no term repeats, or if several do. `new` holds the nodes of `b`, by the nodes of `graph`.
fn sum(graph: &Graph, terms: &[(i32, Id)], new: &[Id], b: &mut Builder) -> Option<Id> {
    let mut groups: Vec<(i32, Id, Vec<Id>)> = Vec::new();
    for &(sign, id) in terms {
        // Sorted, so that equal products compare equal.
        let mut own = graph.factors(id, |_| true);
        own.sort();
        match groups.iter_mut().find(|(.., of)| *of == own) {
            Some((times, ..)) => *times += sign,
            None => groups.push((sign, id, own)),
        }
    }
    let most = groups.iter().position(|(times, ..)| *times > 1)?;
    let (times, id, _) = groups.remove(most);
    let rest: Vec<(i32, Id)> = groups.into_iter().map(|(times, id, _)| (times, id)).collect();
    if rest.iter().any(|(times, _)| times.abs() != 1) {
        return None;
    }
    let times = b.num(times.into());
    let term = b.product(times, new[id.index()]);
    let of =
        |sign: i32| rest.iter().filter(move |(s, _)| *s == sign).map(|(_, id)| new[id.index()]);
    let plus = of(1).reduce(|x, y| b.sum(x, y));
    let minus = of(-1).reduce(|x, y| b.sum(x, y));
    Some(match (plus, minus) {
        (None, None) => term,
        (Some(plus), None) => b.sum(plus, term),
        (None, Some(minus)) => b.difference(term, minus),
        (Some(plus), Some(minus)) => {
            let rest = b.difference(plus, minus);
            b.sum(rest, term)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_a_term() {
        let mut b = Builder::new();
        let (x, y, z) = (b.stream(0), b.stream(1), b.stream(2));
        let (p, q) = (b.product(x, y), b.product(y, x));
        let (first, second) = (b.difference(p, x), b.difference(q, z));
        let sum = b.sum(first, second);
        let other = b.sum(x, z);
        let graph = b.finish(&[sum, other]);
        let found = run(&graph);
        let streams = [0.3, -1.7, 5.0];
        let (got, want) = (found.eval(&streams, &[]), graph.eval(&streams, &[]));
        assert!((got[0] - want[0]).abs() < 1e-14 && got[1] == want[1], "{got:?}, not {want:?}");
        let sums = |graph: &Graph| {
            let is_sum = |n: &&Node| matches!(n, Node::Call(Prim::Add | Prim::Sub, _));
            graph.nodes.iter().filter(is_sum).count()
        };
        // The other sum is `x + z`, which the graph has already.
        assert_eq!((sums(&graph), sums(&found)), (4, 2));
        assert_eq!(run(&found), found);
    }
}
