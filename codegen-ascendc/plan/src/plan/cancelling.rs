//! Finds sums of univariate functions that cancel near 0, and adds a polynomial there.
//!
//! A sum whose terms are much larger than itself loses the digits that cancel. In that range the graph selects the sum's own
//! polynomial, so that the rest is called as it is. For example: `if |x| < 0.7 { x (-1/8 + ..) } else { s r^2 - r s^2 }`.

use super::accept::exact;
use crate::sequence::forms::near::{ENDS, MOST, Near};
use op_dsl_ir::univariate::part;
use op_dsl_ir::{Graph, Id, Node, Prim};

/// Smallest ratio of a sum to its larger term at which the sum is accurate enough as written.
///
/// It is 0.2, because the rounding errors of the terms are then five times as large compared with the sum.
const LEFT: f64 = 0.2;
/// Allowed relative error of a polynomial: about a unit of `float`, because rounding its value costs as much.
const OFF: f64 = 8e-8;

/// Returns the graph with polynomials near 0 for sums that cancel there; the same graph if no sum does.
pub(super) fn run(graph: &Graph) -> Graph {
    graph.rewrite_at(|b, at| {
        let value = b.add(at.copy());
        match near(graph, at.id) {
            Some((variable, near)) => near.choose(b, at[variable], value),
            None => value,
        }
    })
}

/// Returns node `id` as a graph of stream 0, which stands for the value of node `variable`.
///
/// Returns `None` if `id` does not depend on `variable`, or depends on other streams or attributes as well.
pub(super) fn in_terms_of(graph: &Graph, id: Id, variable: Id) -> Option<Graph> {
    let graph = graph.with_outputs(&[id]).rewrite_at(|b, at| match at.node {
        _ if at.id == variable => b.stream(0),
        Node::Stream(_) | Node::Scalar(_) => b.stream(1),
        _ => b.add(at.copy()),
    });
    (graph.reads(0) && !graph.reads(1)).then_some(graph)
}

/// Returns the variable of a sum that cancels near 0, and the polynomial that is used there.
///
/// The variable is a stream, or a function of one stream and attributes. Returns `None` if the node is no such sum.
fn near(graph: &Graph, id: Id) -> Option<(Id, Near)> {
    let Node::Call(Prim::Add | Prim::Sub, [x, y, _]) = graph.nodes[id.index()] else { return None };
    let mut nodes = (0..id.0).map(Id);
    let (variable, alone) = nodes.find_map(|v| Some((v, in_terms_of(graph, id, v)?)))?;
    let of = |graph: &Graph, x: f64| graph.eval(&[x], &[])[0];
    let terms =
        [x, y].map(|term| in_terms_of(graph, term, variable).unwrap_or_else(|| part(graph, term)));
    let left = |at: f64| {
        let size = terms.iter().map(|term| of(term, at).abs()).fold(0.0, f64::max);
        of(&alone, at).abs() / size
    };
    Some((variable, polynomial(&alone, &left, LEFT)?))
}

/// Returns the polynomial near 0 of a function of stream 0 that cancels there; `None` if it does not cancel.
///
/// `left` is the ratio of the function to its largest term. The polynomial reaches as far as that is less than `enough`.
pub(super) fn polynomial(alone: &Graph, left: &dyn Fn(f64) -> f64, enough: f64) -> Option<Near> {
    if !(left(1e-2) < 0.05 && left(-1e-2) < 0.05) {
        return None;
    }
    let exact = exact(alone).unwrap_or_else(|| alone.clone());
    let f = |x: f64| exact.eval(&[x], &[])[0];
    let end = ENDS.into_iter().find(|end| left(*end) >= enough && left(-end) >= enough)?;
    let is_right = |near: &Near| {
        (1..=64).all(|k| {
            let x = end * f64::from(k) / 64.0;
            [x, -x].into_iter().all(|x| (near.value(x) - f(x)).abs() <= OFF * f(x).abs())
        })
    };
    (1..=MOST).filter_map(|degree| Near::fit(&f, end, degree)).find(is_right)
}
