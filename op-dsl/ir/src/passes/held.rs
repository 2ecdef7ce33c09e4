//! Numbers that stand for infinity in what attributes and other streams have a part in.
//!
//! A limit cannot be read off their values, as [`limits`](super::limits) does. Where they make NaN of an infinity, they see a number
//! of [`HUGE`] instead: beyond f32, yet far from the end of f64. That is the limit of one stream alone:
//!
//! ```text
//! parts     what depends on one stream, as `x sigmoid(beta x)` does beside `y + 1`, has its limit whatever the others are
//! streams   elsewhere, where another stream is infinite too, both stay as they are, and infinities meet as in the formula
//! ```
//!
//! A number that stands for infinity is not given to a sine, which has no limit, nor to a quotient of sums that grow apart
//! ([`divides_apart`]).

use super::growth::reads;
use super::limits::{MAX, NEAR, VANISHED};
use crate::far::{self, FAR};
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::regions::is_uniform;
use crate::roles::{is_factor, is_truth};
use crate::rounding::{Arithmetic, Point, divides_apart, ends, evaluate, lost_to_zeros, outputs};
use rustc_hash::FxHashMap;

/// Stand for infinity: the first as everywhere, the square root of the second is beyond f32.
const HUGE: [f64; 2] = [FAR, 1e150];

/// Holds infinite streams where they have a limit that infinity has not.
pub fn run(graph: &Graph) -> Graph {
    hold_streams(&hold_parts(graph))
}

/// A stream as a part sees it.
#[derive(Clone, Copy)]
struct Held {
    stream: u16,
    huge: f64,
    /// True if it is held below, and above. Where attributes multiply it, it is held on both sides, because they may be 0.
    sides: [bool; 2],
}

/// The sides that are tried for parts that meet nothing, because a huge result is as good as an infinite one there.
const ALONE: [[bool; 2]; 1] = [[true, true]];
/// The sides that are tried for parts that meet other streams.
const AMONG_OTHERS: [[bool; 2]; 4] = [[true, true], [false, false], [true, false], [false, true]];

/// A function of one stream and attributes that meets other streams, or is a result.
struct Part {
    id: Id,
    /// True if no other stream has a part in the results that it has a part in.
    is_alone: bool,
}

/// Holds the streams of parts: all of one stream alike, if they can be, for the functions that they share.
fn hold_parts(graph: &Graph) -> Graph {
    let held: FxHashMap<Id, Held> =
        streams(graph).flat_map(|stream| of_stream(graph, stream)).collect();
    if held.is_empty() {
        return graph.clone();
    }
    let mut b = Builder::new();
    let mut new: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    for (k, node) in graph.nodes.iter().enumerate() {
        let id = Id(k as u32);
        new.push(match held.get(&id) {
            Some(held) => copied(graph, id, *held, &mut b),
            None => b.add(node.map_args(&new)),
        });
    }
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    b.finish(&outputs)
}

/// How the parts of a stream are held, if any of them needs it.
fn of_stream(graph: &Graph, stream: u16) -> Vec<(Id, Held)> {
    let parts = parts(graph, stream);
    let ends = ends_of(graph, stream);
    let candidates: &[[bool; 2]] =
        if parts.iter().all(|part| part.is_alone) { &ALONE } else { &AMONG_OTHERS };
    // Small powers of the first are numbers of f32 still.
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
        if (0..parts.len()).all(|k| all_reach(k, &alone(graph, parts[k].id))) {
            continue;
        }
        let held = || candidates.iter().map(|sides| Held { stream, huge, sides: *sides });
        let of_all = held().find(|held| (0..parts.len()).all(|k| serves(k, held)));
        let of_one = |k: usize| of_all.or_else(|| held().find(|held| serves(k, held)));
        return (0..parts.len()).filter_map(|k| Some((parts[k].id, of_one(k)?))).collect();
    }
    Vec::new()
}

/// True if the lesser number stands for infinity in a part even where an attribute is a small exponent: `x^-p` of it is 1e-30 if `p`
/// is 1/2, which is a number of f32.
fn far_enough(graph: &Graph, part: &Part, ends: &[(Point, bool)]) -> bool {
    let graph = alone(graph, part.id);
    let serves = |end: &Point| {
        let (limit, held) = (at(&graph, end, f64::INFINITY), at(&graph, end, HUGE[0]));
        limit.is_nan() || nearly(held, limit) || is_huge(held, limit)
    };
    let with = |(end, _): &(Point, bool), s| [0.5, -0.5].map(|p| end.clone().with_scalar(s, p));
    scalars(&graph).all(|s| ends.iter().flat_map(|end| with(end, s)).all(|end| serves(&end)))
}

/// The attributes that a graph reads.
fn scalars(graph: &Graph) -> impl Iterator<Item = u16> {
    graph.nodes.iter().filter_map(|node| match node {
        Node::Scalar(s) => Some(*s),
        _ => None,
    })
}

/// The ends of a stream's lines, and whether an attribute is 0 there: beside that a huge number may stand for infinity.
fn ends_of(graph: &Graph, stream: u16) -> Vec<(Point, bool)> {
    let zeros = if repeats(graph, stream) { Vec::new() } else { lost_to_zeros(graph) };
    let ends = ends(graph, &[]).into_iter().filter(|end| end.varied == usize::from(stream));
    let with_zeros = |end: Point| {
        let with_zero = |s: &u16| (end.clone().with_scalar(*s, 0.0), true);
        let with_zeros: Vec<(Point, bool)> = zeros.iter().map(with_zero).collect();
        core::iter::once((end, false)).chain(with_zeros)
    };
    ends.flat_map(with_zeros).collect()
}

/// True if a part in the form of `graph` has its limit at an infinity.
fn reaches(graph: &Graph, part: &Part, (end, has_zero): &(Point, bool), limit: f64) -> bool {
    let got = at(graph, end, f64::INFINITY);
    nearly(got, limit) || (part.is_alone || *has_zero) && is_huge(got, limit)
}

/// A node as the only output.
fn alone(graph: &Graph, id: Id) -> Graph {
    Graph { outputs: vec![id].into(), ..graph.clone() }
}

/// The parts of a stream.
fn parts(graph: &Graph, stream: u16) -> Vec<Part> {
    let reads = reads(graph);
    let of = |id: Id| reads[id.index()] as u32; // streams alone
    let own = 1u32 << (stream % 32);
    let mut is_part = vec![false; graph.nodes.len()];
    for node in graph.nodes.iter() {
        let meets = node.args().iter().any(|arg| of(*arg) & !own != 0);
        node.args().iter().for_each(|arg| is_part[arg.index()] |= meets);
    }
    graph.outputs.iter().for_each(|output| is_part[output.index()] = true);
    let is_call =
        |id: Id| matches!(graph.nodes[id.index()], Node::Call(prim, _) if !prim.is_comparison());
    let all = (0..graph.nodes.len()).filter(|k| is_part[*k]).map(|k| Id(k as u32));
    all.filter(|id| of(*id) == own && is_call(*id))
        .map(|id| Part { id, is_alone: beside(graph, id, own, &reads) == 0 })
        .collect()
}

/// Where a part goes at the ends of its lines, if it has a limit there.
fn limits(graph: &Graph, part: Id, ends: &[(Point, bool)], huge: f64) -> Vec<Option<f64>> {
    let graph = alone(graph, part);
    ends.iter().map(|(end, _)| limit(at(&graph, end, huge), at(&graph, end, huge / 4.7))).collect()
}

/// The value of a graph of one output at an end, where the varied stream has another size.
fn at(graph: &Graph, end: &Point, size: f64) -> f64 {
    let mut point = end.clone();
    point.streams[end.varied] = size.copysign(point.streams[end.varied]);
    outputs(graph, Arithmetic::F64, &point)[0].value
}

/// The other streams of results that a part has a part in: none that only multiply, or are truth values.
fn beside(graph: &Graph, part: Id, own: u32, reads: &[u64]) -> u32 {
    let mut depends = vec![false; graph.nodes.len()];
    for (k, node) in graph.nodes.iter().enumerate() {
        depends[k] = k == part.index() || node.args().iter().any(|a| depends[a.index()]);
    }
    let results = graph.outputs.iter().filter(|o| depends[o.index()]);
    let all = results.fold(0, |all, o| all | reads[o.index()] as u32) & !own;
    let counts = |s: &u16| {
        let s = usize::from(*s);
        !is_factor(graph, s) && !is_truth(graph, s)
    };
    streams(graph).filter(counts).fold(0, |some, s| some | 1 << (s % 32)) & all
}

/// A part of a graph once more, its stream held.
fn copied(graph: &Graph, part: Id, held: Held, b: &mut Builder) -> Id {
    let uniform = is_uniform(graph);
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
            let (low, high) = (b.num(-held.huge), b.num(held.huge));
            let x = if held.sides[0] { b.call(Prim::Max, &[x, low]) } else { x };
            if held.sides[1] { b.call(Prim::Min, &[x, high]) } else { x }
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

/// Replaces infinite streams by huge numbers, where those have a limit that infinity has not.
fn hold_streams(graph: &Graph) -> Graph {
    let mut held: Vec<(u16, f64)> = Vec::new();
    let zeros = lost_to_zeros(graph);
    for end in ends(graph, &[]) {
        let stream = end.varied as u16;
        let known = held.iter().any(|(s, _)| *s == stream);
        // Beside an attribute that is zero a sine has a limit, but beside no other.
        let zeros = if repeats(graph, stream) { &[][..] } else { &zeros[..] };
        let with_zeros = zeros.iter().map(|s| end.clone().with_scalar(*s, 0.0));
        let mut all = core::iter::once(end.clone()).chain(with_zeros);
        if let (false, Some(huge)) = (known, all.find_map(|end| stands_for_infinity(graph, &end))) {
            held.push((stream, huge));
        }
    }
    if held.is_empty() {
        return graph.clone();
    }
    graph.rewrite(|b, node| {
        let id = b.add(node);
        let Node::Stream(stream) = node else { return id };
        let Some((_, huge)) = held.iter().find(|(s, _)| *s == stream) else { return id };
        let held = far::held(b, id, *huge);
        // A factor multiplies the limit, and may be infinite like that.
        let others = streams(graph).filter(|other| {
            let other = usize::from(*other);
            other != usize::from(stream) && !is_factor(graph, other) && !is_truth(graph, other)
        });
        others.fold(held, |held, other| {
            let (other, most) = (b.stream(other.into()), b.num(MAX));
            let size = b.call(Prim::Abs, &[other]);
            let is_finite = b.call(Prim::Le, &[size, most]);
            b.call(Prim::Select, &[is_finite, held, id])
        })
    })
}

/// The streams that a graph reads.
fn streams(graph: &Graph) -> impl Iterator<Item = u16> {
    (0..graph.streams() as u16).filter(|s| graph.reads((*s).into()))
}

/// Whether a function that repeats itself for ever depends on a stream.
fn repeats(graph: &Graph, stream: u16) -> bool {
    let mut depends: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        let by_args = node.args().iter().any(|a| depends[a.index()]);
        if by_args && matches!(node, Node::Call(Prim::Sin | Prim::Cos, _)) {
            return true;
        }
        depends.push(by_args || *node == Node::Stream(stream));
    }
    false
}

/// The number that has the limit of an infinity at an end of a line, if that has another value.
fn stands_for_infinity(graph: &Graph, end: &Point) -> Option<f64> {
    let at = |x: f64| {
        let mut point = end.clone();
        point.streams[end.varied] = x.copysign(point.streams[end.varied]);
        outputs(graph, Arithmetic::F64, &point)
    };
    let infinite = at(f64::INFINITY);
    let mut beyond = end.clone();
    beyond.streams[end.varied] = f64::INFINITY.copysign(beyond.streams[end.varied]);
    let last = Id(graph.nodes.len().saturating_sub(1) as u32);
    let values = evaluate(graph, Arithmetic::F64, &beyond, last);
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

/// What a function tends to, from its values at a huge number and before.
fn limit(huge: f64, less: f64) -> Option<f64> {
    if huge.abs() > MAX && less.abs() > MAX && huge.signum() == less.signum() {
        return Some(f64::INFINITY.copysign(huge));
    }
    let small = if huge.abs() <= less.abs() { 1e-50 } else { VANISHED };
    let vanishes = huge.abs() < small;
    let limit = if vanishes { 0.0 } else { huge };
    (vanishes || nearly(less, huge)).then_some(limit)
}

/// True if a value stands for an infinite limit.
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

    /// `x sigmoid(beta x) (y + 1)` and `beta x + y`.
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

    /// `(1 + |x|)^-p` as an exponential: beside a `p` of 0 it is 1, and beside small ones it has left f32.
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
