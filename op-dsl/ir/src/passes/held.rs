//! Clamps infinite streams to huge numbers, where attributes or several streams give NaN instead of a limit.
//!
//! [`limits`](super::limits) reads a limit off the values of a function of one stream. It cannot do so here, because attributes and
//! other streams have no fixed values. Where such a function is NaN at an infinity, it sees a number of [`HUGE`] instead, which is
//! beyond f32 and far from the end of f64. That gives the limit in one stream:
//!
//! ```text
//! parts     a part that depends on one stream has its limit whatever the others are: `x sigmoid(beta x)` times `y + 1`
//! streams   elsewhere a stream is clamped only while the others are finite, so that `inf - inf` stays NaN as in the formula
//! ```
//!
//! The argument of a sine is not clamped, because a sine has no limit, nor that of `x - round(x)`, nor a stream in a quotient of
//! sums that grow independently ([`divides_apart`]).

use super::limits::{MAX, NEAR, VANISHED};
use crate::analysis::Inputs;
use crate::clamp_bounds::{self, FAR};
use crate::graph::{Builder, Graph, Id, Node};
use crate::passes::products::least_values;
use crate::prim::Prim;
use crate::roles::{is_factor, leaves_fraction, only_chooses, repeats};
use crate::rounding::{Arithmetic, Point, divides_apart, ends, evaluate, lost_to_zeros, outputs};
use crate::univariate::part;
use rustc_hash::FxHashMap;

/// Finite numbers that stand for infinity in f64; even the square root of the second is beyond f32.
const HUGE: [f64; 2] = [FAR, 1e150];

/// Clamps infinite streams where a huge number gives the limit of a function and infinity gives NaN.
pub fn run(graph: &Graph) -> Graph {
    hold_streams(&hold_parts(&hold_bases(graph)))
}

/// Clamps bases of powers that may be `-inf` to a huge number.
///
/// A power of a negative base is NaN unless its exponent is an integer, but arithmetic has `powf(-inf, -0.5) = 0`: a limit that no
/// finite base is near to.
fn hold_bases(graph: &Graph) -> Graph {
    let is_integer = |id: Id| graph.as_const(id).is_some_and(|y| y.fract() == 0.0);
    let is_pow = |node: &Node| matches!(node, Node::Call(Prim::Pow, [_, y, _]) if !is_integer(*y));
    if !graph.nodes.iter().any(is_pow) {
        return graph.clone();
    }
    let least = least_values(graph);
    graph.rewrite_at(|b, at| match at.node {
        Node::Call(Prim::Pow, [x, y, _]) if is_pow(&at.node) && least[x.index()].is_infinite() => {
            let x = clamp_bounds::held_at(b, at[x], HUGE[0], [true, false]);
            b.call(Prim::Pow, &[x, at[y]])
        }
        _ => b.add(at.copy()),
    })
}

/// How a stream is clamped within a part, a maximal function of that stream and attributes.
#[derive(Clone, Copy)]
struct Held {
    stream: u16,
    huge: f64,
    /// Whether the stream is clamped below (first entry) and above (second entry).
    ///
    /// In a product with an attribute both entries are true, because the attribute may be 0.
    sides: [bool; 2],
}

/// Sides on which to clamp a stream, `[below, above]`, in a graph where no other stream takes part.
///
/// In such a graph a huge result serves as well as an infinite one. A function that grows so slowly that its result is not huge, as
/// `ln(x + sqrt(x^2 - 1))`, is clamped only at the other end.
const ALONE: [[bool; 2]; 3] = [[true, true], [true, false], [false, true]];
/// Sides on which to clamp a stream, `[below, above]`, in a graph where other streams take part.
///
/// The entries are tried in this order.
const AMONG_OTHERS: [[bool; 2]; 4] = [[true, true], [false, false], [true, false], [false, true]];

/// A maximal function of one stream and attributes.
///
/// It is an output, or an operand of a node that combines it with other streams.
struct Part {
    id: Id,
    /// True if the outputs that depend on this part depend on no other stream.
    ///
    /// Factors (streams that only multiply outputs) and streams that [only choose](only_chooses), as masks do, do not count.
    is_alone: bool,
}

/// Clamps each stream separately in each [`Part`], a maximal function of that stream and attributes.
///
/// All parts of a stream are clamped alike if possible, so that they still share their common subexpressions.
fn hold_parts(graph: &Graph) -> Graph {
    let held: FxHashMap<Id, Held> =
        streams(graph).flat_map(|stream| of_stream(graph, stream)).collect();
    if held.is_empty() {
        return graph.clone();
    }
    graph.rewrite_at(|b, at| match held.get(&at.id) {
        Some(held) => copied(graph, at.id, *held, b),
        None => b.add(at.copy()),
    })
}

/// Returns how to clamp a stream in each maximal function of it, given by its node.
///
/// A maximal function is an output, or an operand of a node that combines it with other streams. The list is empty if none needs a
/// clamp.
fn of_stream(graph: &Graph, stream: u16) -> Vec<(Id, Held)> {
    let parts = parts(graph, stream);
    let ends = ends_of(graph, stream);
    let candidates: &[[bool; 2]] =
        if parts.iter().all(|part| part.is_alone) { &ALONE } else { &AMONG_OTHERS };
    // Small powers of the first number are still within f32; then the second comes first.
    let mut all = HUGE;
    if !parts.iter().all(|part| far_enough(graph, part, &ends)) {
        all.reverse();
    }
    for huge in all {
        let limits: Vec<Vec<Option<f64>>> =
            parts.iter().map(|part| limits(graph, part.id, &ends, huge)).collect();
        let all_reach = |k: usize, graph: &Graph| {
            let mut both = ends.iter().zip(&limits[k]);
            both.all(|(end, limit)| limit.is_none_or(|limit| reaches(graph, &parts[k], end, limit)))
        };
        let serves = |k: usize, held: &Held| {
            let mut b = Builder::new();
            let id = copied(graph, parts[k].id, *held, &mut b);
            all_reach(k, &b.finish(&[id]))
        };
        if (0..parts.len()).all(|k| all_reach(k, &graph.with_outputs(&[parts[k].id]))) {
            continue;
        }
        let held = || candidates.iter().map(|sides| Held { stream, huge, sides: *sides });
        let of_all = held().find(|held| (0..parts.len()).all(|k| serves(k, held)));
        let of_one = |k: usize| of_all.or_else(|| held().find(|held| serves(k, held)));
        return (0..parts.len()).filter_map(|k| Some((parts[k].id, of_one(k)?))).collect();
    }
    Vec::new()
}

/// Returns whether `HUGE[0]`, 1e60, stands for infinity even where an attribute is a small exponent.
///
/// For example, `x^-p` with an attribute `p` = 1/2 is 1e-30 at 1e60, which is an f32 number and not the limit 0. `part` is a
/// maximal function of one stream, and `ends` are the outermost sample points of that stream.
fn far_enough(graph: &Graph, part: &Part, ends: &[(Point, bool)]) -> bool {
    let graph = graph.with_outputs(&[part.id]);
    let serves = |end: &Point| {
        let (limit, held) = (at(&graph, end, f64::INFINITY), at(&graph, end, HUGE[0]));
        limit.is_nan() || nearly(held, limit) || is_huge(held, limit)
    };
    let with = |(end, _): &(Point, bool), s| [0.5, -0.5].map(|p| end.clone().with_scalar(s, p));
    scalars(&graph).all(|s| ends.iter().flat_map(|end| with(end, s)).all(|end| serves(&end)))
}

/// Returns the attributes that a graph reads.
fn scalars(graph: &Graph) -> impl Iterator<Item = u16> {
    graph.nodes.iter().filter_map(|node| match node {
        Node::Scalar(s) => Some(*s),
        _ => None,
    })
}

/// Returns the outermost sample points of a stream, each with true if an attribute is 0 there.
///
/// Where an attribute is 0, a huge result may stand for an infinite one.
fn ends_of(graph: &Graph, stream: u16) -> Vec<(Point, bool)> {
    let zeros = if repeats(graph, stream.into()) { Vec::new() } else { lost_to_zeros(graph) };
    let ends = ends(graph, &[]).into_iter().filter(|end| end.varied == usize::from(stream));
    let with_zeros = |end: Point| {
        let with_zero = |s: &u16| (end.clone().with_scalar(*s, 0.0), true);
        let with_zeros: Vec<(Point, bool)> = zeros.iter().map(with_zero).collect();
        core::iter::once((end, false)).chain(with_zeros)
    };
    ends.flat_map(with_zeros).collect()
}

/// Returns whether `graph`, `part` after a rewrite, gives `limit` where its stream is infinite.
///
/// `end` is an outermost sample point with a finite stream, and the infinity has the sign of that stream. Where huge results are as
/// good as infinite ones, they count as reaching an infinite limit.
fn reaches(graph: &Graph, part: &Part, (end, has_zero): &(Point, bool), limit: f64) -> bool {
    let got = at(graph, end, f64::INFINITY);
    nearly(got, limit) || (part.is_alone || *has_zero) && is_huge(got, limit)
}

/// Returns all maximal functions of a stream and attributes, see [`Part`].
fn parts(graph: &Graph, stream: u16) -> Vec<Part> {
    let inputs = graph.inputs();
    let of = |id: Id| inputs[id.index()].streams;
    let own = Inputs::bit(stream.into());
    let is_part = graph.live_out(|_, node| node.args().iter().any(|arg| of(*arg) & !own != 0));
    let is_call =
        |id: Id| matches!(graph.nodes[id.index()], Node::Call(prim, _) if !prim.is_comparison());
    let has_limit = |id: Id| !leaves_fraction(&part(graph, id), stream.into());
    let all = graph.ids().filter(|id| is_part[id.index()] && of(*id) == own && is_call(*id));
    all.filter(|id| has_limit(*id))
        .map(|id| Part { id, is_alone: beside(graph, id, own, &inputs) == 0 })
        .collect()
}

/// Returns the limits of node `part` where its stream is infinite, one for each of `ends`.
///
/// `ends` are the outermost sample points of the stream. `huge` is the number that stands for infinity. A function that grows
/// slowly has the limit that infinity itself gives. An entry is `None` if there is no limit.
fn limits(graph: &Graph, part: Id, ends: &[(Point, bool)], huge: f64) -> Vec<Option<f64>> {
    let graph = graph.with_outputs(&[part]);
    let at_end = |(end, _): &(Point, bool)| {
        let grows = || Some(at(&graph, end, f64::INFINITY)).filter(|value| value.is_infinite());
        limit(at(&graph, end, huge), at(&graph, end, huge / 4.7)).or_else(grows)
    };
    ends.iter().map(at_end).collect()
}

/// Evaluates a graph of one output at `end`, an outermost sample point.
///
/// The stream that varies has the magnitude `size` instead of that at `end`.
fn at(graph: &Graph, end: &Point, size: f64) -> f64 {
    outputs(graph, Arithmetic::F64, &end.with_x(size.copysign(end.x)))[0].value
}

/// Returns a bit mask of the other streams that the outputs depending on node `part` read.
///
/// Factors (streams that only multiply outputs) and streams that [only choose](only_chooses), as masks do, are left out. `own` is
/// the bit of the part's own stream, and `inputs` are those that each node depends on.
fn beside(graph: &Graph, part: Id, own: u64, inputs: &[Inputs]) -> u64 {
    let depends = graph.depends_on(|id, _| id == part);
    let results = graph.outputs.iter().filter(|o| depends[o.index()]);
    let all = results.fold(0, |all, o| all | inputs[o.index()].streams) & !own;
    let counts = |s: &u16| {
        let s = usize::from(*s);
        !is_factor(graph, s) && !only_chooses(graph, s)
    };
    streams(graph).filter(counts).fold(0, |some, s| some | Inputs::bit(s.into())) & all
}

/// Copies node `part` and all nodes that it depends on, with the stream clamped as `held` says.
fn copied(graph: &Graph, part: Id, held: Held, b: &mut Builder) -> Id {
    let uniform = graph.uniform();
    copy(graph, part, held, &uniform, b, &mut FxHashMap::default())
}

fn copy(
    graph: &Graph,
    id: Id,
    held: Held,
    uniform: &[bool],
    b: &mut Builder,
    known: &mut FxHashMap<(Id, [bool; 2]), Id>,
) -> Id {
    if let Some(copied) = known.get(&(id, held.sides)) {
        return *copied;
    }
    let node = graph.nodes[id.index()];
    let copied = match node {
        Node::Stream(s) if s == held.stream => {
            let x = b.add(node);
            clamp_bounds::held_at(b, x, held.huge, held.sides)
        }
        Node::Call(prim, _) => {
            let is_number = |id: &Id| matches!(graph.nodes[id.index()], Node::Const(_));
            let scales = |id: &Id| uniform[id.index()] && !is_number(id);
            let is_scaled =
                matches!(prim, Prim::Mul | Prim::Mul3) && node.args().iter().any(scales);
            let held = if is_scaled { Held { sides: [true, true], ..held } } else { held };
            let mut args = Vec::with_capacity(3);
            for arg in node.args() {
                args.push(copy(graph, *arg, held, uniform, b, known));
            }
            b.call(prim, &args)
        }
        _ => b.add(node),
    };
    known.insert((id, held.sides), copied);
    copied
}

/// A stream that is clamped wherever a graph reads it.
#[derive(Clone, Copy)]
struct Clamp {
    stream: u16,
    huge: f64,
}

/// Clamps streams in the whole graph, where a huge number gives a limit and infinity gives NaN.
///
/// An output that infinity itself serves better is without: in the gradient of `p ln(p / q)`, that by `q` needs `p` clamped, and
/// `ln(p / q) + 1`, that by `p`, would be 139 in place of its limit.
fn hold_streams(graph: &Graph) -> Graph {
    let clamps = clamps(graph);
    if clamps.is_empty() {
        return graph.clone();
    }
    let ends = ends(graph, &[]);
    let serves = |alone: &Graph, clamp: &Clamp| {
        let mut ends = ends.iter().filter(|end| end.varied == usize::from(clamp.stream));
        !ends.any(|end| harms(alone, end, clamp.huge))
    };
    let own = |output: &Id| {
        let alone = graph.with_outputs(&[*output]);
        let own = clamps.iter().copied().filter(|clamp| serves(&alone, clamp));
        (own.collect::<Vec<Clamp>>(), alone)
    };
    let all: Vec<(Vec<Clamp>, Graph)> = graph.outputs.iter().map(own).collect();
    if all.iter().all(|(own, _)| own.len() == clamps.len()) {
        return clamped(graph, &clamps);
    }
    let mut b = Builder::new();
    let outputs: Vec<Id> = all.iter().map(|(own, alone)| b.part(&clamped(alone, own))).collect();
    b.finish(&outputs)
}

/// Returns the streams of which some output needs a clamp.
fn clamps(graph: &Graph) -> Vec<Clamp> {
    let mut clamps: Vec<Clamp> = Vec::new();
    let zeros = lost_to_zeros(graph);
    for end in ends(graph, &[]) {
        let stream = end.varied as u16;
        let known =
            clamps.iter().any(|c| c.stream == stream) || leaves_fraction(graph, stream.into());
        // The argument of a sine has a limit only where the attribute that multiplies it is zero.
        let zeros = if repeats(graph, stream.into()) { &[][..] } else { &zeros[..] };
        let with_zeros = zeros.iter().map(|s| end.clone().with_scalar(*s, 0.0));
        let mut all = core::iter::once(end.clone()).chain(with_zeros);
        if let (false, Some(huge)) = (known, all.find_map(|end| stands_for_infinity(graph, &end))) {
            clamps.push(Clamp { stream, huge });
        }
    }
    clamps
}

/// Returns whether a graph with one output has a limit at infinity, and at `huge` an f32 number that is another.
///
/// `end` is an outermost sample point of the stream that varies.
fn harms(graph: &Graph, end: &Point, huge: f64) -> bool {
    let (limit, held) = (at(graph, end, f64::INFINITY), at(graph, end, huge));
    limit.is_infinite() && held.abs() <= MAX
}

/// Clamps each of `clamps` wherever a graph reads its stream, while the other streams are finite.
fn clamped(graph: &Graph, clamps: &[Clamp]) -> Graph {
    graph.rewrite(|b, node| {
        let id = b.add(node);
        let Node::Stream(stream) = node else { return id };
        let Some(Clamp { huge, .. }) = clamps.iter().find(|c| c.stream == stream) else {
            return id;
        };
        let held = clamp_bounds::held(b, id, *huge);
        // A factor only multiplies the limit and a compared stream only chooses one, so that these may be infinite too.
        let others = streams(graph).filter(|other| {
            let other = usize::from(*other);
            let takes_part = !is_factor(graph, other) && !only_chooses(graph, other);
            other != usize::from(stream) && takes_part
        });
        others.fold(held, |held, other| {
            let (other, most) = (b.stream(other.into()), b.num(MAX));
            let size = b.call(Prim::Abs, &[other]);
            let is_finite = b.call(Prim::Le, &[size, most]);
            b.call(Prim::Select, &[is_finite, held, id])
        })
    })
}

/// Returns the streams that a graph reads.
fn streams(graph: &Graph) -> impl Iterator<Item = u16> {
    (0..graph.streams() as u16).filter(|s| graph.reads((*s).into()))
}

/// Returns the number among [`HUGE`] at which some output has its limit for an infinite stream.
///
/// `end` is an outermost sample point of the stream that varies.
///
/// `None` if infinity itself gives that limit, if no output has one, or if the limit is that of a quotient of sums that grow
/// independently ([`divides_apart`]).
fn stands_for_infinity(graph: &Graph, end: &Point) -> Option<f64> {
    let beyond = |size: f64| end.with_x(size.copysign(end.x));
    let at = |size: f64| outputs(graph, Arithmetic::F64, &beyond(size));
    let infinite = at(f64::INFINITY);
    let values = evaluate(graph, Arithmetic::F64, &beyond(f64::INFINITY), graph.last());
    let values: Vec<f64> = values.into_iter().map(|b| b.value).collect();
    if divides_apart(graph, &values, end.varied) {
        return None;
    }
    HUGE.into_iter().find(|huge| {
        let (huge, less) = (at(*huge), at(huge / 4.7));
        let lost = |k: usize| {
            let limit = limit(huge[k].value, less[k].value);
            let is_there =
                |limit| nearly(infinite[k].value, limit) || is_huge(infinite[k].value, limit);
            limit.is_some_and(|limit| !is_there(limit))
        };
        (0..infinite.len()).any(lost)
    })
}

/// Estimates the limit of a function from its values at a huge number and at a smaller one.
///
/// `None` if the values do not agree on a limit.
fn limit(huge: f64, less: f64) -> Option<f64> {
    if huge.abs() > MAX && less.abs() > MAX && huge.signum() == less.signum() {
        return Some(f64::INFINITY.copysign(huge));
    }
    let small = if huge.abs() <= less.abs() { 1e-50 } else { VANISHED };
    let vanishes = huge.abs() < small;
    let limit = if vanishes { 0.0 } else { huge };
    (vanishes || nearly(less, huge)).then_some(limit)
}

/// Returns whether a value stands for an infinite limit: it is beyond f32 and has the limit's sign.
fn is_huge(value: f64, limit: f64) -> bool {
    limit.is_infinite() && value * limit.signum() > MAX
}

fn nearly(x: f64, y: f64) -> bool {
    let is_near = y.is_finite() && (x - y).abs() <= NEAR * y.abs();
    x == y || is_near || y == 0.0 && x.abs() < 1e-50
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests `(x^2 + c)^p` with a stream `c`, and `|c|^p`.
    #[test]
    fn powers_of_negative_bases_have_no_limit() {
        let mut b = Builder::new();
        let ([x, c], p) = ([0, 1].map(|k| b.stream(k)), b.scalar(0));
        let square = b.product(x, x);
        let (sum, size) = (b.sum(square, c), b.call(Prim::Abs, &[c]));
        let [power, positive] = [sum, size].map(|base| b.call(Prim::Pow, &[base, p]));
        let graph = b.finish(&[power]);
        assert_eq!(graph.eval(&[1.0, f64::NEG_INFINITY], &[-0.5])[0], 0.0);
        assert!(run(&graph).eval(&[1.0, f64::NEG_INFINITY], &[-0.5])[0].is_nan());
        assert_eq!(run(&graph).eval(&[1.0, f64::INFINITY], &[-0.5])[0], 0.0);
        let graph = b.finish(&[positive]);
        assert_eq!(hold_bases(&graph), graph);
    }

    /// Tests `ln(x + sqrt(x^2 - 1))`, which has no clamp where it grows.
    #[test]
    fn an_end_that_grows_is_not_clamped() {
        let mut b = Builder::new();
        let (x, one) = (b.stream(0), b.num(1.0));
        let square = b.product(x, x);
        let less = b.difference(square, one);
        let root = b.call(Prim::Sqrt, &[less]);
        let sum = b.sum(x, root);
        let y = b.call(Prim::Ln, &[sum]);
        let graph = run(&b.finish(&[y]));
        assert_eq!(graph.eval(&[f64::INFINITY], &[]), [f64::INFINITY]);
    }

    /// Tests `x sigmoid(beta x) (y + 1)` and `beta x + y`, with streams `x`, `y` and an attribute `beta`.
    #[test]
    fn parts_have_their_limits_and_meet_as_they_are() {
        let mut b = Builder::new();
        let [x, y] = [0, 1].map(|k| b.stream(k));
        let (beta, one) = (b.scalar(0), b.num(1.0));
        let scaled = b.product(beta, x);
        let s = b.call(Prim::Sigmoid, &[scaled]);
        let (gate, up) = (b.product(x, s), b.sum(y, one));
        let (product, sum) = (b.product(gate, up), b.sum(scaled, y));
        let graph = b.finish(&[product, sum]);
        let held = run(&graph);
        let inf = f64::INFINITY;
        let at = |x: f64, y: f64, beta: f64| held.eval(&[x, y], &[beta]);
        for (x, y, want) in [(inf, 2.0, inf), (-inf, 2.0, 0.0), (inf, -inf, -inf)] {
            assert_eq!(at(x, y, 1.7)[0] as f32, want as f32, "{x} {y}");
        }
        assert!(at(-inf, inf, 1.7)[0].is_nan(), "0 * inf");
        assert!(at(inf, 2.0, 0.0)[0] > MAX, "x / 2");
        assert!(at(inf, -inf, 1.7)[1].is_nan(), "inf - inf");
        assert_eq!(at(inf, 2.0, 0.0)[1], 2.0);
        assert_eq!(at(0.5, 2.0, 1.7), graph.eval(&[0.5, 2.0], &[1.7]));
    }

    /// Tests `(1 + |x|)^-p` as an exponential.
    ///
    /// With `p` = 0 its value is 1, and with a small `p` its limit is outside f32.
    #[test]
    fn powers_with_small_exponents_reach_their_limits() {
        let mut b = Builder::new();
        let (x, p) = (b.stream(0), b.scalar(0));
        let size = b.call(Prim::Abs, &[x]);
        let log = b.call(Prim::Log1p, &[size]);
        let product = b.product(p, log);
        let exponent = b.call(Prim::Neg, &[product]);
        let power = b.call(Prim::Exp, &[exponent]);
        let held = run(&b.finish(&[power]));
        let at = |p: f64| held.eval(&[f64::INFINITY], &[p])[0];
        assert_eq!([at(0.5) as f32, at(0.0) as f32, at(-0.5) as f32], [0.0, 1.0, f32::INFINITY]);
    }
}
