//! Sums of functions of one stream that cancel near 0, with a polynomial there.
//!
//! A sum whose terms are much larger than itself has the digits that these leave. Below where that ends it becomes its own
//! polynomial, in the graph, so that the rest is called as it is: `if |x| < 0.7 { x (-1/8 + ..) } else { s r^2 - r s^2 }`.

use super::accept::exact;
use crate::sequence::forms::near::Near;
use op_dsl_ir::regions::part;
use op_dsl_ir::{Builder, Graph, Id, Node, Prim};

/// Where a polynomial may end.
const ENDS: [f64; 6] = [0.1, 0.2, 0.4, 0.7, 1.0, 1.4];
/// The most coefficients beside the first.
const MOST: usize = 9;
/// What is left of the larger term where a sum has digits enough.
const LEFT: f64 = 0.2;
/// What a polynomial may be off, relative: about a unit of `float`.
const OFF: f64 = 8e-8;

/// The graph with polynomials near 0; `None` where no sum cancels there.
pub(super) fn run(graph: &Graph) -> Option<Graph> {
    let found: Vec<(Id, usize, Near)> = (0..graph.nodes.len() as u32)
        .map(Id)
        .filter_map(|id| {
            let (stream, near) = near(graph, id)?;
            Some((id, stream, near))
        })
        .collect();
    if found.is_empty() {
        return None;
    }
    let mut b = Builder::new();
    let mut new: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    for (k, node) in graph.nodes.iter().enumerate() {
        let mut node = *node;
        if let Node::Call(prim, args) = &mut node {
            args[..prim.row().arity].iter_mut().for_each(|a| *a = new[a.index()]);
        }
        let mut value = b.add(node);
        if let Some((_, stream, near)) = found.iter().find(|(id, ..)| id.index() == k) {
            let x = b.stream(*stream);
            value = near.choose(&mut b, x, value);
        }
        new.push(value);
    }
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    Some(b.finish(&outputs))
}

/// The stream and the polynomial of a sum that cancels near 0.
fn near(graph: &Graph, id: Id) -> Option<(usize, Near)> {
    let Node::Call(Prim::Add | Prim::Sub, [x, y, _]) = graph.nodes[id.index()] else { return None };
    let whole = part(graph, id);
    let mut leaves = whole.nodes.iter().filter_map(|node| match *node {
        Node::Stream(k) => Some(Some(usize::from(k))),
        Node::Scalar(_) => Some(None),
        _ => None,
    });
    let stream = leaves.next()??;
    if leaves.any(|leaf| leaf != Some(stream)) {
        return None;
    }
    let of = |graph: &Graph, x: f64| {
        let streams = vec![x; stream + 1];
        graph.eval(&streams, &[])[0]
    };
    let terms = [x, y].map(|term| part(graph, term));
    let left = |at: f64| {
        let size = terms.iter().map(|term| of(term, at).abs()).fold(0.0, f64::max);
        of(&whole, at).abs() / size
    };
    if !(left(1e-2) < 0.05 && left(-1e-2) < 0.05) {
        return None;
    }
    // Functions of stream 0 are what polynomials are made of.
    let alone = whole.rewrite(|b, node| match node {
        Node::Stream(_) => b.stream(0),
        node => b.add(node),
    });
    let exact = exact(&alone).unwrap_or(alone);
    let f = |x: f64| exact.eval(&[x], &[])[0];
    let end = ENDS.into_iter().find(|end| left(*end) >= LEFT && left(-end) >= LEFT)?;
    let is_right = |near: &Near| {
        (1..=64).all(|k| {
            let x = end * f64::from(k) / 64.0;
            [x, -x].into_iter().all(|x| (near.value(x) - f(x)).abs() <= OFF * f(x).abs())
        })
    };
    let near = (1..=MOST).filter_map(|degree| Near::fit(&f, end, degree)).find(is_right)?;
    Some((stream, near))
}
