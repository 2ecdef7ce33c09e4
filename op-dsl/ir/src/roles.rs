//! The part that each stream plays in a formula, determined from its graphs.

use crate::analysis::Visit;
use crate::graph::{Graph, Id, Node};
pub use crate::homogeneity::is_factor;
use crate::op::{OpDef, Part};
use crate::prim::Prim;

/// Dependence of a value on one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dependence {
    /// The value does not depend on the stream.
    None,
    /// The value is affine: `a + b * stream`, where `a` and `b` do not depend on the stream.
    ///
    /// Examples are an upstream gradient and the value part of a gated tensor.
    Affine,
    /// The value depends on the stream in any other way, for example by an activation function.
    Other,
}

use Dependence::{Affine, Other};

/// Returns the strongest dependence of any output on an input stream.
pub fn dependence(graph: &Graph, stream: usize) -> Dependence {
    let all = graph.forward(|at: Visit<'_, Dependence>| {
        let on = |k: usize| at.node.args().get(k).map_or(Dependence::None, |a| at[*a]);
        let strongest = on(0).max(on(1)).max(on(2));
        let affine = (0..3).filter(|k| on(*k) != Dependence::None).count() <= 1;
        match at.node {
            Node::Stream(s) if usize::from(s) == stream => Affine,
            // The condition counts too, so that a select by a comparison of the stream is not affine.
            Node::Call(Prim::Neg | Prim::Add | Prim::Sub | Prim::Select, _) => strongest,
            Node::Call(Prim::Mul | Prim::Mul3, _) if affine => strongest,
            Node::Call(Prim::Div, _) if on(1) == Dependence::None => strongest,
            _ if strongest == Dependence::None => Dependence::None,
            _ => Other,
        }
    });
    graph.outputs.iter().map(|o| all[o.index()]).max().unwrap_or(Dependence::None)
}

/// Returns whether a graph only tests an input stream for being 0, so that it can be a mask.
pub fn is_truth(graph: &Graph, stream: usize) -> bool {
    let is_stream =
        |id: &Id| matches!(graph.nodes[id.index()], Node::Stream(s) if usize::from(s) == stream);
    let is_zero = |id: &Id| graph.nodes[id.index()] == Node::Const(0.0);
    let asks =
        |node: &Node| matches!(node, Node::Call(Prim::Eq, _)) && node.args().iter().any(is_zero);
    let uses = |node: &&Node| node.args().iter().any(is_stream);
    !graph.outputs.iter().any(is_stream) && graph.nodes.iter().filter(uses).all(asks)
}

/// Returns whether a graph only compares an input stream with values that no stream takes part in, as `t > 0.5` does.
///
/// The stream chooses between branches, whatever its size is, and takes no part in their limits.
pub fn only_chooses(graph: &Graph, stream: usize) -> bool {
    let is_stream =
        |id: &Id| matches!(graph.nodes[id.index()], Node::Stream(s) if usize::from(s) == stream);
    let uniform = graph.uniform();
    let compares = |node: &Node| {
        let is_known = |id: &Id| is_stream(id) || uniform[id.index()];
        matches!(node, Node::Call(prim, _) if prim.is_comparison())
            && node.args().iter().all(is_known)
    };
    let uses = |node: &&Node| node.args().iter().any(is_stream);
    !graph.outputs.iter().any(is_stream) && graph.nodes.iter().filter(uses).all(compares)
}

/// Returns the index of the input stream that the activation function of a formula is applied to.
///
/// That is the first stream on which a result depends in a way that is not affine. If there is none, it is the gate of
/// a gated tensor, else the first stream. Masks are skipped.
pub fn activation(def: &OpDef) -> usize {
    let streams = def.input_streams();
    let number = |i: &usize| !def.is_mask(*i);
    let applied = |i: &usize| def.specs.iter().any(|s| dependence(&s.graph, *i) == Other);
    let gate = || streams.iter().position(|s| s.part == Part::Gate);
    let mut numbers = (0..streams.len()).filter(number);
    let first = numbers.clone().next();
    numbers.find(applied).or_else(gate).or(first).unwrap_or(0)
}

/// Returns whether a periodic function of a stream takes part, so that there is no limit at its infinities.
///
/// That is a sine, a cosine, a remainder, or what is left of a number that is rounded ([`leaves_fraction`]).
pub fn repeats(graph: &Graph, stream: usize) -> bool {
    let depends = graph.depends_on(|_, node| node == Node::Stream(stream as u16));
    let is_periodic = |node: &Node| match *node {
        Node::Call(Prim::Sin | Prim::Cos | Prim::Rem, [x, ..]) => depends[x.index()],
        _ => false,
    };
    graph.nodes.iter().any(is_periodic) || leaves_fraction(graph, stream)
}

/// Returns whether a graph rounds numbers or quotients to integers, so that it may jump anywhere.
pub fn rounds(graph: &Graph) -> bool {
    graph.nodes.iter().any(|node| matches!(node, Node::Call(Prim::Round | Prim::Rem, _)))
}

/// Returns whether the author chose the derivative of some value by `with_grad`.
///
/// Difference quotients of the formula do not approximate such a derivative.
pub fn has_surrogates(graph: &Graph) -> bool {
    graph.nodes.iter().any(|node| matches!(node, Node::Call(Prim::WithGrad, _)))
}

/// Returns a primitive of the graph that has no derivative, if the derivative of a result by these streams needs it.
///
/// Streams from `own` on hold values of rows, which may depend on any stream.
pub fn without_derivative(graph: &Graph, streams: &[usize], own: usize) -> Option<Prim> {
    #[derive(Clone, Copy, Default)]
    struct Slope {
        moves: bool,
        lacks: Option<Prim>,
    }
    let all = graph.forward(|at: Visit<'_, Slope>| match at.node {
        Node::Stream(s) => {
            let stream = usize::from(s);
            Slope { moves: stream >= own || streams.contains(&stream), lacks: None }
        }
        // Only the second argument has a derivative.
        Node::Call(Prim::WithGrad, [_, surrogate, _]) => at[surrogate],
        Node::Call(prim, _) if prim.is_comparison() || prim == Prim::Round => Slope::default(),
        Node::Call(prim, _) => {
            let moves = at.args().any(|slope| slope.moves);
            let own = Some(prim).filter(|_| moves && prim == Prim::Trigamma);
            Slope { moves, lacks: own.or(at.args().find_map(|slope| slope.lacks)) }
        }
        _ => Slope::default(),
    });
    graph.outputs.iter().find_map(|output| all[output.index()].lacks)
}

/// Returns whether a sum has a rounded value of a stream and another value of it as terms, as in `x - round(x)`.
///
/// All numbers beyond 2^53 are integers in f64, so that values there do not show that such a sum has no limit.
pub fn leaves_fraction(graph: &Graph, stream: usize) -> bool {
    if !rounds(graph) {
        return false;
    }
    let depends = graph.depends_on(|_, node| node == Node::Stream(stream as u16));
    let is_rounded = graph
        .depends_on(|id, node| matches!(node, Node::Call(Prim::Round, _)) && depends[id.index()]);
    graph.nodes.iter().any(|node| match *node {
        Node::Call(Prim::Add | Prim::Sub, [x, y, _]) => {
            let both = depends[x.index()] && depends[y.index()];
            both && (is_rounded[x.index()] || is_rounded[y.index()])
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Builder;

    #[test]
    fn mask_streams_are_only_tested_for_zero() {
        let mut b = Builder::new();
        let [x, y] = [0, 1].map(|i| b.stream(i));
        let (zero, one) = (b.num(0.0), b.num(1.0));
        let (asked, other) = (b.call(Prim::Eq, &[x, zero]), b.call(Prim::Eq, &[x, one]));
        let choice = b.call(Prim::Select, &[asked, zero, y]);
        let results = [
            (choice, [true, false]),
            (b.product(choice, x), [false, false]),
            (b.call(Prim::Select, &[other, zero, y]), [false, false]),
        ];
        for (result, want) in results {
            let graph = b.finish(&[result]);
            assert_eq!([0, 1].map(|i| is_truth(&graph, i)), want, "{graph:?}");
        }
        assert!(!is_truth(&b.finish(&[choice, x]), 0), "what is returned is a number");
    }

    #[test]
    fn a_stream_that_is_compared_with_a_number_only_chooses() {
        let mut b = Builder::new();
        let [x, t] = [0, 1].map(|i| b.stream(i));
        let (half, zero) = (b.num(0.5), b.num(0.0));
        let (fixed, other) = (b.call(Prim::Lt, &[half, t]), b.call(Prim::Lt, &[x, t]));
        let chosen = b.call(Prim::Select, &[fixed, x, zero]);
        let results = [
            (chosen, true),
            (b.call(Prim::Select, &[other, x, zero]), false),
            (b.call(Prim::Select, &[fixed, t, zero]), false),
            (t, false),
        ];
        for (result, want) in results {
            assert_eq!(only_chooses(&b.finish(&[result]), 1), want, "{result:?}");
        }
    }

    #[test]
    fn only_a_difference_leaves_a_fraction() {
        let mut b = Builder::new();
        let [x, y] = [0, 1].map(|i| b.stream(i));
        let (one, whole) = (b.num(1.0), b.call(Prim::Round, &[x]));
        let results = [
            (b.difference(x, whole), [true, false]),
            (b.difference(whole, one), [false, false]),
            (b.sum(whole, y), [false, false]),
            (b.product(whole, x), [false, false]),
        ];
        for (result, want) in results {
            let graph = crate::passes::simplify::run(&b.finish(&[result]));
            assert_eq!([0, 1].map(|i| leaves_fraction(&graph, i)), want, "{graph:?}");
        }
    }

    #[test]
    fn dependence_is_none_affine_or_other() {
        let mut b = Builder::new();
        let [x, y, z] = [0, 1, 2].map(|i| b.stream(i));
        let s = b.call(Prim::Sigmoid, &[x]);
        let below = b.call(Prim::Lt, &[x, z]);
        let results = [
            (x, [Affine, Dependence::None]),
            (b.negative(x), [Affine, Dependence::None]),
            (b.sum(x, y), [Affine, Affine]),
            (b.difference(y, s), [Other, Affine]),
            (b.product(x, y), [Affine, Affine]),
            (b.product(x, x), [Other, Dependence::None]),
            (b.call(Prim::Mul3, &[s, y, z]), [Other, Affine]),
            (b.call(Prim::Mul3, &[y, y, x]), [Affine, Other]),
            (b.quotient(x, y), [Affine, Other]),
            (b.call(Prim::Select, &[below, y, z]), [Other, Affine]),
            (b.call(Prim::Max, &[x, z]), [Other, Dependence::None]),
        ];
        for (result, want) in results {
            let graph = b.finish(&[result]);
            assert_eq!([0, 1].map(|i| dependence(&graph, i)), want, "{graph:?}");
        }
        assert_eq!(dependence(&b.finish(&[x, s]), 0), Other, "of several outputs the strongest");
    }
}
