//! Splits formulas with functions of a sum or product of two streams, such as `gelu(x + b)` and `x sigmoid(t x)`.
//!
//! The sum or product is one variable: a stream of its own while the graph is split, and then an expression of the two. A back end
//! evaluates it with what its rounding loses, as it does for a product with an attribute.

use super::decompose::{Split, Style, split_by};
use super::exact::exact;
use super::function::{Function, Variable, part};
use crate::analysis::Visit;
use crate::clamp_bounds::without_bounds;
use crate::graph::{Graph, Id, Node};
use crate::passes::simplify;
use crate::prim::Prim;

/// Largest number of sums and products that are variables.
const MOST: usize = 4;

/// Splits a graph whose functions are of sums or products of two streams, or of one stream.
///
/// `None` if there are no such functions, or for the reasons that [`super::split`] has.
pub(super) fn split(graph: &Graph, inputs: usize) -> Option<Split> {
    let graph = &simplify::run(&without_holds(graph)).oriented();
    let pairs = pairs(graph);
    if pairs.is_empty() || pairs.len() > MOST {
        return None;
    }
    let replaced = simplify::run(&replaced(graph, &pairs, inputs));
    let found = split_by(&replaced, inputs + pairs.len(), Style::ExactWithoutNumbers)?;
    let expressions: Vec<Graph> = pairs.iter().map(|pair| part(graph, *pair)).collect();
    let restored = |graph: &Graph| {
        graph.rewrite(|b, node| match node {
            Node::Stream(s) => match usize::from(s).checked_sub(inputs) {
                None => b.add(node),
                Some(k) if k < pairs.len() => b.part(&expressions[k]),
                Some(value) => b.stream(inputs + value - pairs.len()),
            },
            node => b.add(node),
        })
    };
    let is_pair = |s: usize| (inputs..inputs + pairs.len()).contains(&s);
    let is_product = |s: usize| {
        let pair = s.checked_sub(inputs).and_then(|k| pairs.get(k));
        pair.is_some_and(|pair| graph.nodes[pair.index()].is_product())
    };
    if decides_by(&found.rest, is_pair, is_product) || adds(&found.rest, is_pair) {
        return None;
    }
    let functions = found.functions.into_iter().map(|function| {
        let Function { variable: Variable { of, times }, .. } = function;
        let is_alone = of.nodes.len() == 1 && times.0.is_empty();
        let of_pair = (0..pairs.len()).any(|k| of.reads(inputs + k));
        let variable = Variable { of: restored(&of), times };
        (is_alone || !of_pair).then_some(Function { variable, ..function })
    });
    let functions = functions.collect::<Option<Vec<Function>>>()?;
    Some(Split { rest: restored(&found.rest), functions, ..found })
}

/// Removes what stands for infinity: clamps, and choices of a clamped stream where another stream is finite.
///
/// A sum or product with an infinite stream is infinite or NaN. No table has such a variable, so that back ends evaluate the graph
/// with all clamps there.
fn without_holds(graph: &Graph) -> Graph {
    let graph = without_bounds(graph);
    let is_finite = |id: Id| match graph.nodes[id.index()] {
        Node::Call(Prim::Le, [size, most, _]) => {
            let is_size = matches!(graph.nodes[size.index()], Node::Call(Prim::Abs, _));
            is_size && graph.as_const(most) == Some(f32::MAX.into())
        }
        _ => false,
    };
    graph.rewrite_at(|b, at| match at.node {
        Node::Call(Prim::Select, [condition, x, y]) if x == y && is_finite(condition) => at[x],
        _ => b.add(at.copy()),
    })
}

/// Replaces each of the `pairs` by a stream of its own, and so the product of both factors of a pair within a longer product.
fn replaced(graph: &Graph, pairs: &[Id], inputs: usize) -> Graph {
    let pair = |id: Id| pairs.iter().position(|pair| *pair == id);
    graph.rewrite_at(|b, at| {
        if let Some(k) = pair(at.id) {
            return b.stream(inputs + k);
        }
        if !at.node.is_product() {
            return b.add(at.copy());
        }
        let mut factors = graph.factors(at.id, |inner| pair(inner).is_none());
        let mut found = Vec::new();
        for (k, pair) in pairs.iter().enumerate() {
            let Node::Call(Prim::Mul, [x, y, _]) = graph.nodes[pair.index()] else { continue };
            let place = |factors: &[Id], id: Id| factors.iter().position(|factor| *factor == id);
            while let (Some(_), Some(_)) = (place(&factors, x), place(&factors, y)) {
                for id in [x, y] {
                    place(&factors, id).map(|at| factors.remove(at));
                }
                found.push(b.stream(inputs + k));
            }
        }
        if found.is_empty() {
            return b.add(at.copy());
        }
        found.extend(factors.iter().map(|factor| at[*factor]));
        found.into_iter().reduce(|x, y| b.product(x, y)).unwrap_or(Id::NONE)
    })
}

/// Returns the sums and products of two exact values of different streams that more than a product reads.
fn pairs(graph: &Graph) -> Vec<Id> {
    let (exact, inputs) = (exact(graph), graph.inputs());
    let of_one = |id: Id| exact[id.index()] && inputs[id.index()].streams.is_power_of_two();
    let is_read = graph.read_by(|_, node| !matches!(node, Node::Call(Prim::Mul | Prim::Mul3, _)));
    let is_pair = |id: &Id| match graph.nodes[id.index()] {
        Node::Call(prim @ (Prim::Add | Prim::Sub | Prim::Mul), [x, y, _]) => {
            let are_apart = inputs[x.index()].streams != inputs[y.index()].streams;
            of_one(x) && of_one(y) && are_apart && (prim != Prim::Mul || is_read[id.index()])
        }
        _ => false,
    };
    graph.ids().filter(is_pair).collect()
}

/// Returns whether a sum or quotient has one of some streams as an operand, which is rounded already.
fn adds(graph: &Graph, is_pair: impl Fn(usize) -> bool) -> bool {
    let is_rounded = |id: &Id| match graph.nodes[id.index()] {
        Node::Stream(s) => is_pair(usize::from(s)),
        Node::Call(Prim::Neg | Prim::Abs, [x, ..]) => {
            matches!(graph.nodes[x.index()], Node::Stream(s) if is_pair(usize::from(s)))
        }
        _ => false,
    };
    let is_sum = |node: &Node| matches!(node, Node::Call(Prim::Add | Prim::Sub | Prim::Div, _));
    graph.nodes.iter().any(|node| is_sum(node) && node.args().iter().any(is_rounded))
}

/// Returns whether a comparison reads a rounded stream whose rounding may decide it.
///
/// The sign of a rounded sum is that of the sum, but a sum next to a number may be rounded to it, and a product to 0.
fn decides_by(
    graph: &Graph,
    is_pair: impl Fn(usize) -> bool,
    is_product: impl Fn(usize) -> bool,
) -> bool {
    let reading = |is: &dyn Fn(usize) -> bool| {
        graph.forward(|at: Visit<'_, bool>| match at.node {
            Node::Stream(s) => is(usize::from(s)),
            _ => at.args().any(|reads| *reads),
        })
    };
    let [pairs, products] = [reading(&is_pair), reading(&is_product)];
    graph.nodes.iter().any(|node| {
        let any = |reads: &[bool]| node.args().iter().any(|id| reads[id.index()]);
        let is_by_zero = node.args().iter().any(|id| graph.as_const(*id) == Some(0.0));
        let is_comparison = matches!(node, Node::Call(prim, _) if prim.is_comparison());
        is_comparison && (any(&products) || any(&pairs) && !is_by_zero)
    })
}
