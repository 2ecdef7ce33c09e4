//! What passes need to know of products: their factors, and how large values can get.

use crate::graph::{Graph, Id, Node};
use crate::prim::Prim;

/// Which products are a factor of one other product and nothing else.
pub(super) fn inner_products(graph: &Graph) -> Vec<bool> {
    let mut uses = vec![0; graph.nodes.len()];
    let mut by_product = vec![false; graph.nodes.len()];
    for out in graph.outputs.iter() {
        uses[out.index()] += 1;
    }
    for node in graph.nodes.iter() {
        for a in node.args() {
            uses[a.index()] += 1;
            by_product[a.index()] = matches!(node, Node::Call(Prim::Mul, _));
        }
    }
    let is_product = |i: usize| matches!(graph.nodes[i], Node::Call(Prim::Mul, _));
    (0..graph.nodes.len()).map(|i| is_product(i) && uses[i] == 1 && by_product[i]).collect()
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
                    Prim::Mul if arg(0) == 0.0 || arg(1) == 0.0 => 0.0,
                    Prim::Mul => arg(0) * arg(1),
                    Prim::Mul3 => arg(0) * arg(1) * arg(2),
                    Prim::Select => arg(1).max(arg(2)),
                    _ => prim.row().range.bound(),
                }
            }
        });
    }
    bounds
}
