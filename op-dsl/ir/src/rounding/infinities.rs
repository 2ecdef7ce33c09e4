//! Values of graphs at infinities, compared with those at the largest finite numbers.

use super::points::{Point, Ranges, ends};
use super::{Arithmetic, outputs};
use crate::graph::{Graph, Id, Node};
use crate::prim::Prim;

/// Returns whether two graphs have the same outputs in f32 where any one stream is infinite.
pub fn agree_at_infinity(a: &Graph, b: &Graph, ranges: &Ranges) -> bool {
    let agree = |a: &f64, b: &f64| {
        let [a, b] = [*a as f32, *b as f32];
        a == b || (a - b).abs() <= 1e-6 * b.abs() || a.is_nan() && b.is_nan()
    };
    let (a, b) = (at_infinities(a, ranges), at_infinities(b, ranges));
    a.iter().zip(&b).all(|((_, a), (_, b))| a.iter().zip(b).all(|(a, b)| agree(a, b)))
}

/// Returns whether some output is NaN for an infinite input, but not for the largest finite one.
pub fn has_no_limit(graph: &Graph, ranges: &Ranges) -> bool {
    at_infinities(graph, ranges).iter().any(is_lost)
}

/// Returns the attributes that make an output NaN for an infinite input when they are 0.
///
/// Outputs that are NaN for the largest finite input too do not count.
pub fn lost_to_zeros(graph: &Graph) -> Vec<u16> {
    let scalars = graph.nodes.iter().filter_map(|n| match n {
        Node::Scalar(s) => Some(*s),
        _ => None,
    });
    let lost = |s: &u16| {
        let zero = ends(graph, &[]).into_iter().map(|end| end.with_scalar(*s, 0.0));
        zero.map(|end| around(graph, &end)).any(|both| is_lost(&both))
    };
    scalars.filter(lost).collect()
}

/// Returns whether an infinite stream gives a quotient `inf / inf` of sums that grow independently.
///
/// Another stream is an addend of one of the sums, and the quotient depends on the infinite stream without that sum too. An
/// example is `(m + g) / sqrt(v + g^2)` at an infinite `g`. `stream` is the infinite stream, and `values` has the value of every
/// node there.
///
/// The quotient is then NaN in the formula as written, which the ratio of two huge numbers would hide. A quotient of one sum and
/// functions of that sum, for example `(x + b) / (1 + exp(-(x + b)))`, has a limit like any univariate function. So has the share
/// that terms have of a sum, `p / (p + q)`, which is 1 where `p` alone is infinite.
pub fn divides_apart(graph: &Graph, values: &[f64], stream: usize) -> bool {
    let is_stream = |node: Node| node == Node::Stream(stream as u16);
    let is_other = |node: Node| matches!(node, Node::Stream(_)) && !is_stream(node);
    let grows = graph.depends_on(|_, node| is_stream(node));
    let others = graph.depends_on(|_, node| is_other(node));
    let apart = |x: Id, y: Id| grows[x.index()] && others[y.index()] && !grows[y.index()];
    let is_sum = |id: &Id| match graph.nodes[id.index()] {
        Node::Call(Prim::Add | Prim::Sub, [x, y, _]) => apart(x, y) || apart(y, x),
        _ => false,
    };
    // Infinite, or NaN because infinities have been combined.
    let is_lost = |id: Id| !values[id.index()].is_finite();
    let addends = |sum: Id| graph.addends(sum, |_| true).into_iter().map(|(id, _)| id);
    let are_terms = |x: Id, sum: Id| {
        let mut infinite = addends(x).filter(|id| is_lost(*id));
        infinite.all(|id| addends(sum).any(|other| other == id))
    };
    let divides = |node: &Node| match *node {
        Node::Call(Prim::Div, [x, y, _]) => is_lost(x) && is_lost(y) && !are_terms(x, y),
        _ => false,
    };
    graph.ids().filter(is_sum).any(|sum| {
        // `t - x` is `x - t` with another sign.
        let is_it = |id: Id| id == sum || graph.are_opposite(id, sum);
        let of_sum = graph.depends_on(|id, _| is_it(id));
        // Paths through the sum do not count.
        let without = graph.forward(|at| {
            !is_it(at.id) && (is_stream(at.node) || at.args().any(|depends| *depends))
        });
        let apart = of_sum.iter().zip(without).map(|(of_sum, without)| *of_sum && without);
        apart.zip(graph.nodes.iter()).any(|(apart, node)| apart && divides(node))
    })
}

fn is_lost((finite, infinite): &(Vec<f64>, Vec<f64>)) -> bool {
    finite.iter().zip(infinite).any(|(finite, infinite)| infinite.is_nan() && !finite.is_nan())
}

/// Evaluates the outputs at each outermost sample point, and with its varied stream infinite.
///
/// Each pair has the outputs at the point first, and those with the infinite stream second.
fn at_infinities(graph: &Graph, ranges: &Ranges) -> Vec<(Vec<f64>, Vec<f64>)> {
    ends(graph, ranges).iter().map(|end| around(graph, end)).collect()
}

/// Evaluates the outputs at a point, and again with the varied stream of the point infinite.
fn around(graph: &Graph, end: &Point) -> (Vec<f64>, Vec<f64>) {
    let values = |point: &Point| -> Vec<f64> {
        outputs(graph, Arithmetic::F64, point).into_iter().map(|b| b.value).collect()
    };
    (values(end), values(&end.with_x(f64::INFINITY.copysign(end.x))))
}
