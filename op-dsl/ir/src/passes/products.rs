//! What passes need to know of products: their factors, and how large values can get.

use crate::graph::{Graph, Id, Node};
use crate::prim::Prim;

/// Which products have one use. As a factor of another product such a one is not computed by itself: the order of all
/// factors is free. An output is no other use, since it can have a product of its own.
pub(super) fn inner_products(graph: &Graph) -> Vec<bool> {
    let mut uses = vec![0; graph.nodes.len()];
    for a in graph.nodes.iter().flat_map(Node::args) {
        uses[a.index()] += 1;
    }
    let is_product = |node: &Node| matches!(node, Node::Call(Prim::Mul, _));
    graph.nodes.iter().zip(uses).map(|(node, uses)| is_product(node) && uses == 1).collect()
}

/// The factors of a product, through the products inside it.
pub(super) fn flatten(graph: &Graph, inner: &[bool], product: Id, factors: &mut Vec<Id>) {
    for a in graph.nodes[product.index()].args() {
        if inner[a.index()] {
            flatten(graph, inner, *a, factors);
        } else {
            factors.push(*a);
        }
    }
}

/// What a value depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sole {
    /// Numbers alone.
    Nothing,
    /// One input stream, and numbers.
    One(u16),
    /// Several streams, or run-time scalars.
    Several,
}

impl Sole {
    /// The stream, if it is one.
    pub(super) fn one(self) -> Option<u16> {
        if let Sole::One(stream) = self { Some(stream) } else { None }
    }

    fn and(self, other: Sole) -> Sole {
        match (self, other) {
            (Sole::Nothing, other) => other,
            (this, Sole::Nothing) => this,
            (this, other) if this == other => this,
            _ => Sole::Several,
        }
    }
}

/// What every node depends on.
pub(super) fn sole_streams(graph: &Graph) -> Vec<Sole> {
    let mut all: Vec<Sole> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        all.push(match node {
            Node::Stream(s) => Sole::One(*s),
            Node::Scalar(_) => Sole::Several,
            _ => node.args().iter().fold(Sole::Nothing, |on, a| on.and(all[a.index()])),
        });
    }
    all
}

/// An upper bound of the magnitude of every node; infinity where none is known.
pub(super) fn bounds(graph: &Graph) -> Vec<f64> {
    let mut bounds: Vec<f64> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        bounds.push(match *node {
            Node::Stream(_) | Node::Scalar(_) => f64::INFINITY,
            Node::Const(c) => c.abs(),
            Node::Call(prim, args) => {
                let arg = |k: usize| bounds[args[k].index()];
                match prim {
                    Prim::Neg | Prim::Abs => arg(0),
                    Prim::Add | Prim::Sub => arg(0) + arg(1),
                    Prim::Mul => arg(0) * arg(1),
                    Prim::Select => arg(1).max(arg(2)),
                    _ => prim.row().range.bound(),
                }
            }
        });
    }
    bounds
}

/// Whether a number and its reciprocal are far from the ends of f32's range.
pub(super) fn is_ordinary(c: f64) -> bool {
    (1e-30..1e30).contains(&c.abs())
}
