//! Groups the factors of products and quotients by the streams that they read.
//!
//! `dy x / (1 + x^2)` becomes `(x / (1 + x^2)) dy`: a function of `x` that other passes can find, times the other factors.

use op_dsl_ir::{Builder, Graph, Id, Node, Prim};

/// The factors of a term that read the same streams, above and below its fraction bar.
struct Group {
    /// The streams, one bit each.
    streams: u64,
    above: Vec<Id>,
    below: Vec<Id>,
}

impl Group {
    /// Returns true if there are several factors, which are a function of the same streams.
    fn is_function(&self) -> bool {
        self.streams != 0 && self.above.len() + self.below.len() > 1
    }
}

/// Returns the graph with such functions on their own, first in their products. Without any the graph stays the same.
pub(super) fn run(graph: &Graph) -> Graph {
    let (uses, inputs) = (graph.uses(), graph.inputs());
    graph.rewrite_at(|b, at| {
        if !at.node.is_product() && !matches!(at.node, Node::Call(Prim::Div, _)) {
            return b.add(at.copy());
        }
        let mut groups: Vec<Group> = Vec::new();
        for (factor, is_below) in factors(graph, at.id, &uses) {
            let streams = inputs[factor.index()].streams;
            let known = groups.iter().position(|group| group.streams == streams);
            let place = known.unwrap_or(groups.len());
            if known.is_none() {
                groups.push(Group { streams, above: Vec::new(), below: Vec::new() });
            }
            let group = &mut groups[place];
            if is_below { &mut group.below } else { &mut group.above }.push(at[factor]);
        }
        if groups.len() < 2 || !groups.iter().any(Group::is_function) {
            return b.add(at.copy());
        }
        // The sort is stable: the other groups stay in their order.
        groups.sort_by_key(|group| !group.is_function());
        groups.iter().fold(None, |value, group| Some(joined(b, value, group))).unwrap_or(Id::NONE)
    })
}

/// Returns the factors of a node, each with whether it divides. Inner products and quotients that only it reads are opened.
fn factors(graph: &Graph, of: Id, uses: &[usize]) -> Vec<(Id, bool)> {
    let (mut factors, mut rest) = (Vec::new(), vec![(of, false)]);
    while let Some((id, is_below)) = rest.pop() {
        let is_open = id == of || uses[id.index()] == 1;
        match graph.nodes[id.index()] {
            Node::Call(Prim::Div, [x, y, _]) if is_open => {
                rest.extend([(y, !is_below), (x, is_below)]);
            }
            node if node.is_product() && is_open => {
                rest.extend(node.args().iter().rev().map(|x| (*x, is_below)));
            }
            _ => factors.push((id, is_below)),
        }
    }
    factors
}

/// Emits a value times a group of factors; a function is computed before it multiplies.
fn joined(b: &mut Builder, value: Option<Id>, group: &Group) -> Id {
    let product = |b: &mut Builder, factors: &[Id]| {
        factors.iter().copied().reduce(|product, factor| b.product(product, factor))
    };
    let [above, below] = [&group.above, &group.below].map(|factors| product(b, factors));
    let (value, above) = match (value, above) {
        (Some(value), Some(above)) if !group.is_function() => (None, Some(b.product(value, above))),
        (Some(value), None) => (None, Some(value)),
        others => others,
    };
    let one = b.num(1.0);
    let above = above.unwrap_or(one);
    let own = below.map_or(above, |below| b.quotient(above, below));
    value.map_or(own, |value| b.product(value, own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_one_stream_is_a_factor() {
        let mut b = Builder::new();
        let (dy, x, three) = (b.stream(0), b.stream(1), b.num(3.0));
        let square = b.product(x, x);
        let below = b.sum(square, three);
        let above = b.call(Prim::Mul3, &[dy, three, x]);
        let written = b.quotient(above, below);
        let graph = b.finish(&[written]);
        let found = run(&graph);
        let is_function = |node: &Node| match *node {
            Node::Call(Prim::Div, [x, _, _]) => found.nodes[x.index()] == Node::Stream(1),
            _ => false,
        };
        assert!(found.nodes.iter().any(is_function), "{found:?}");
        assert_eq!(found.eval(&[0.5, 2.0], &[]), graph.eval(&[0.5, 2.0], &[]));
        assert_eq!(run(&found), found);
    }
}
