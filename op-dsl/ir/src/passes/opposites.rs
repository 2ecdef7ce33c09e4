//! Differences of products that differ in `sigmoid(v)` and `sigmoid(-v)` alone: `tanh(v / 2)` times what they share.
//!
//! The second derivative of tanh and of sigmoid has `s r^2 - r s^2` with `r = 1 - s`, an odd function whose terms cancel near
//! 0. As `-s r tanh(v / 2)` it keeps its digits wherever tanh does, whatever attributes scale `v`.

use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// Rewrites such differences as products.
pub fn run(graph: &Graph) -> Graph {
    let mut b = Builder::new();
    let mut new: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        let product = match *node {
            Node::Call(Prim::Sub, [x, y, _]) => difference(graph, x, y, &new, &mut b),
            _ => None,
        };
        new.push(product.unwrap_or_else(|| b.add(node.map_args(&new))));
    }
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    b.finish(&outputs)
}

/// The factors of a product, those of its factors among them.
fn factors(graph: &Graph, id: Id, all: &mut Vec<Id>) {
    match graph.nodes[id.index()] {
        Node::Call(Prim::Mul | Prim::Mul3, _) => {
            graph.nodes[id.index()].args().iter().for_each(|arg| factors(graph, *arg, all));
        }
        _ => all.push(id),
    }
}

/// `x - y` as a product, if it is one.
fn difference(graph: &Graph, x: Id, y: Id, new: &[Id], b: &mut Builder) -> Option<Id> {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    factors(graph, x, &mut first);
    factors(graph, y, &mut second);
    let mut shared = Vec::new();
    first.retain(|factor| {
        let place = second.iter().position(|other| other == factor);
        place.inspect(|place| shared.push(second.swap_remove(*place))).is_none()
    });
    let ([one], [other]) = (&first[..], &second[..]) else { return None };
    let argument = |id: Id| match graph.nodes[id.index()] {
        Node::Call(Prim::Sigmoid, [v, ..]) => Some(scaled(graph, v)),
        _ => None,
    };
    let ((c, v), (d, w)) = (argument(*one)?, argument(*other)?);
    if c != -d || v != w {
        return None;
    }
    // An odd function: a positive scale has the same tanh as others may have already.
    let (scale, v) = (b.num(0.5 * c.abs()), new[v.index()]);
    let half = b.product(scale, v);
    let tanh = b.call(Prim::Tanh, &[half]);
    let all = shared.iter().fold(tanh, |product, factor| b.product(product, new[factor.index()]));
    Some(if c < 0.0 { b.negative(all) } else { all })
}

/// A number times a node, which is not one.
fn scaled(graph: &Graph, id: Id) -> (f64, Id) {
    let number = |id: Id| match graph.nodes[id.index()] {
        Node::Const(c) => Some(c),
        _ => None,
    };
    let (c, of) = match graph.nodes[id.index()] {
        Node::Call(Prim::Neg, [x, ..]) => (-1.0, x),
        Node::Call(Prim::Mul, [x, y, _]) => match (number(x), number(y)) {
            (Some(c), _) => (c, y),
            (_, Some(c)) => (c, x),
            _ => return (1.0, id),
        },
        _ => return (1.0, id),
    };
    let (d, of) = scaled(graph, of);
    (c * d, of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_derivatives_of_sigmoids() {
        let mut b = Builder::new();
        let (x, w) = (b.stream(0), b.stream(1));
        let (plus, minus) = (b.num(3.0), b.num(-3.0));
        let (v, u) = (b.product(plus, x), b.product(minus, x));
        let (s, r) = (b.call(Prim::Sigmoid, &[v]), b.call(Prim::Sigmoid, &[u]));
        let slope = b.product(s, r);
        let (first, second) = (b.product(slope, r), b.product(r, s));
        let second = b.product(second, s);
        let (first, second) = (b.product(first, w), b.product(w, second));
        let bend = b.difference(first, second);
        let other = b.difference(first, slope);
        let graph = b.finish(&[bend, other]);
        let found = run(&graph);
        for x in [-2.0, 1e-9, 0.3, 5.0] {
            let (got, want) = (found.eval(&[x, 0.7], &[]), graph.eval(&[x, 0.7], &[]));
            assert!((got[0] - want[0]).abs() <= 1e-15 + 1e-12 * want[0].abs(), "{x}: {got:?}");
            assert_eq!(got[1], want[1]);
        }
        // Digits that the terms do not have.
        let tiny = found.eval(&[1e-12, 1.0], &[])[0];
        assert!((tiny / (-0.25 * 1.5e-12) - 1.0).abs() < 1e-9, "{tiny:e}");
        assert_eq!(run(&found), found);
    }
}
