//! Adds the terms of a sum that depend on the same stream first, so that those that cancel meet.
//!
//! For example, `1 + s - m^2 - exp(s)`, a divergence of normal distributions, becomes `(1 + s - exp(s)) - m^2`. The function of `s` has
//! a series near 0, where the terms of the whole sum leave rounding errors of 1.

use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::univariate::part;

/// Largest value, relative to a number, of a function at 0 that counts as the negative of that number.
const CANCELS: f64 = 1e-12;

/// Groups the terms of each sum by the stream that they depend on.
pub fn by_stream(graph: &Graph) -> Graph {
    let (uniform, is_part) = (graph.uniform(), graph.parts_of_sums());
    graph.rewrite_at(|b, at| {
        let is_sum = matches!(at.node, Node::Call(Prim::Add | Prim::Sub, _));
        let is_whole = is_sum && !uniform[at.id.index()] && !is_part[at.id.index()];
        let terms = is_whole.then(|| graph.addends(at.id, |id| is_part[id.index()]));
        match terms.and_then(|terms| grouped(graph, &terms)) {
            Some(groups) => emitted(b, groups, at.earlier),
            None => b.add(at.copy()),
        }
    })
}

/// A term of a sum, with its sign.
type Term = (Id, f64);

/// Returns terms by the stream that they depend on, those of several streams on their own.
///
/// A number belongs to the terms of a stream that cancel it where the stream is 0. Returns `None` if nothing would be added in
/// another order: if there is one group, or a term in each.
fn grouped(graph: &Graph, terms: &[Term]) -> Option<Vec<Vec<Term>>> {
    let inputs = graph.inputs();
    let mut groups: Vec<(Option<u16>, Vec<Term>)> = Vec::new();
    let (numbers, others): (Vec<Term>, Vec<Term>) =
        terms.iter().partition(|(id, _)| graph.as_const(*id).is_some());
    for term in others {
        let stream = inputs[term.0.index()].sole_stream();
        match groups.iter_mut().find(|(of, _)| stream.is_some() && *of == stream) {
            Some((_, group)) => group.push(term),
            None => groups.push((stream, vec![term])),
        }
    }
    if groups.len() < 2 || groups.iter().all(|(_, group)| group.len() == 1) {
        return None;
    }
    for (id, sign) in numbers {
        let number = sign * graph.as_const(id)?;
        let cancels = |(stream, group): &&mut (Option<u16>, Vec<Term>)| {
            let at_zero: f64 = group.iter().map(|term| at_zero(graph, *term)).sum();
            stream.is_some() && (at_zero + number).abs() <= CANCELS * number.abs()
        };
        match groups.iter_mut().find(cancels) {
            Some((_, group)) => group.insert(0, (id, sign)),
            None => groups.push((None, vec![(id, sign)])),
        }
    }
    Some(groups.into_iter().map(|(_, group)| group).collect())
}

/// Returns the value of a term where its stream is 0; NaN if it depends on attributes.
fn at_zero(graph: &Graph, (id, sign): Term) -> f64 {
    let term = part(graph, id);
    sign * term.eval(&vec![0.0; term.streams()], &[])[0]
}

/// Emits the sum of the sums of groups, whose terms have their new nodes in `new`.
fn emitted(b: &mut Builder, groups: Vec<Vec<Term>>, new: &[Id]) -> Id {
    let mut all = None;
    for group in groups {
        let mut sum = None;
        for (id, sign) in group {
            sum = Some(b.plus(sum, new[id.index()], sign));
        }
        all = sum.map(|sum| b.plus(all, sum, 1.0));
    }
    all.unwrap_or(Id::NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::series;

    /// Tests `1 + s - m^2 - exp(s)`, where `m` and `s` are small.
    #[test]
    fn terms_of_a_stream_meet_and_have_their_series() {
        let mut b = Builder::new();
        let (m, s, one) = (b.stream(0), b.stream(1), b.num(1.0));
        let (square, e, start) = (b.product(m, m), b.call(Prim::Exp, &[s]), b.sum(one, s));
        let rest = b.difference(start, square);
        let sum = b.difference(rest, e);
        let graph = b.finish(&[sum]);
        let (m, s) = (1e-9f64, 1e-7f64);
        let want = -m * m - s * s / 2.0 - s * s * s / 6.0;
        let got = series::run(&by_stream(&graph)).eval(&[m, s], &[])[0];
        assert!((got - want).abs() < 1e-12 * want.abs(), "{got} {want}");
        assert!((graph.eval(&[m, s], &[])[0] - want).abs() > 1e-3 * want.abs());
    }

    #[test]
    fn sums_of_one_group_or_of_single_terms_stay() {
        let mut b = Builder::new();
        let (x, y, one) = (b.stream(0), b.stream(1), b.num(1.0));
        let (e, start) = (b.call(Prim::Exp, &[x]), b.difference(x, one));
        let of_one = b.difference(start, e);
        let (shifted, product) = (b.sum(x, one), b.product(x, y));
        let sum = b.sum(shifted, y);
        let of_single = b.sum(sum, product);
        for output in [of_one, of_single] {
            let graph = b.finish(&[output]);
            assert!(by_stream(&graph).is_same(&graph));
        }
    }
}
