//! Gives every function of one stream its limits.
//!
//! `x / (1 + exp(-x))` is `inf / inf` far to the left, and `0 * inf` in another spelling; its limit
//! is 0. Far out, where rounding leaves nothing of a value, the function is replaced by what it has
//! become there: a number, or a straight line, which is read off its values where they are still
//! good. A function whose own values serve to the end, and at infinity, is left alone.
//!
//! What attributes and other streams have a part in has no such values. If it makes NaN of an
//! infinity, it sees a number of `HUGE` instead: beyond f32, yet far from the end of f64. That is the limit of this stream alone: where
//! another one is infinite too, both stay as they are, and infinities meet as in the formula. Nor is a number that stands for
//! infinity given to a sine, which has no limit, or to a quotient of sums that grow apart
//! ([`divides_apart`](crate::rounding::divides_apart)).

use super::products::{Sole, sole_streams};
use crate::far::{self, FAR};
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::roles::{is_factor, is_truth};
use crate::rounding::{
    Arithmetic, Bounded, Point, divides_apart, ends, evaluate, lost_to_zeros, outputs,
};
use std::collections::BTreeSet;

/// How far a value may be from the truth to be good, relative to it.
const GOOD: f64 = 1.0 / (1u64 << 29) as f64;
/// How near the function must be to what replaces it.
const NEAR: f64 = 1.0 / (1u64 << 28) as f64;
/// Less than this is zero in f32, whatever multiplies it: three of the largest numbers do not make a normal number of it.
const VANISHED: f64 = 1e-160;

/// Stand for infinity: the first as everywhere, the square root of the second is beyond f32.
const HUGE: [f64; 2] = [FAR, 1e150];

/// Gives every function its limits.
pub fn run(graph: &Graph) -> Graph {
    hold_infinities(&reach_limits(graph))
}

/// Replaces infinite streams by huge numbers, where those have a limit that infinity has not.
fn hold_infinities(graph: &Graph) -> Graph {
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
        let others = streams(graph).into_iter().filter(|other| {
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
fn streams(graph: &Graph) -> BTreeSet<u16> {
    let stream = |node: &Node| if let Node::Stream(s) = node { Some(*s) } else { None };
    graph.nodes.iter().filter_map(stream).collect()
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
            limit.is_some_and(|limit| !nearly(infinite[k].value, limit))
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

fn nearly(x: f64, y: f64) -> bool {
    x == y || (x - y).abs() <= NEAR * y.abs() || y == 0.0 && x.abs() < 1e-50
}

/// The largest number of f32.
const MAX: f64 = f32::MAX as f64;

/// Replaces functions of one stream where they have reached their limits and lost their digits.
fn reach_limits(graph: &Graph) -> Graph {
    let sole = sole_streams(graph);
    let whole = whole(graph, &sole);
    let mut b = Builder::new();
    let mut new: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let mut id = b.add(node.map_args(&new));
        if let (Sole::One(stream), true) = (sole[i], whole[i]) {
            let function = Function { graph, stream, result: Id(i as u32) };
            for side in [-1.0, 1.0] {
                if let Some(end) = function.end(side) {
                    id = end.applied(&mut b, stream, id);
                }
            }
        }
        new.push(id);
    }
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    b.finish(&outputs)
}

/// Which nodes are the whole of what is made of one stream: outputs, and what meets other streams.
fn whole(graph: &Graph, sole: &[Sole]) -> Vec<bool> {
    let mut whole = vec![false; graph.nodes.len()];
    for (i, node) in graph.nodes.iter().enumerate() {
        for a in node.args().iter().filter(|_| sole[i] == Sole::Several) {
            whole[a.index()] = true;
        }
    }
    graph.outputs.iter().for_each(|o| whole[o.index()] = true);
    // What asks whether a number is infinite has the value there that it is written with, whatever it goes to: its arms
    // alone have limits.
    let asks = asks_for_infinity(graph);
    for i in (0..whole.len()).rev().filter(|i| asks[*i]) {
        if let (true, Node::Call(Prim::Select, [_, yes, no])) = (whole[i], graph.nodes[i]) {
            (whole[yes.index()], whole[no.index()]) = (true, true);
        }
        whole[i] = false;
    }
    let is_call = |i: usize| matches!(graph.nodes[i], Node::Call(prim, _) if !prim.is_comparison());
    (0..whole.len()).map(|i| whole[i] && is_call(i)).collect()
}

/// Which nodes depend on a comparison with the largest number of f32.
fn asks_for_infinity(graph: &Graph) -> Vec<bool> {
    let is_largest = |id: &Id| matches!(graph.nodes[id.index()], Node::Const(c) if c.abs() == MAX);
    let mut all: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        let asks = matches!(node, Node::Call(Prim::Lt | Prim::Le, _))
            && node.args().iter().any(is_largest);
        all.push(asks || node.args().iter().any(|a| all[a.index()]));
    }
    all
}

/// A node as a function of its stream.
struct Function<'g> {
    graph: &'g Graph,
    stream: u16,
    result: Id,
}

/// What a function is beyond a point.
#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    side: f64,
    from: f64,
    /// `slope * x + offset`
    slope: f64,
    offset: f64,
}

impl Function<'_> {
    fn at(&self, x: f64) -> Bounded {
        let point = Point::single(usize::from(self.stream), x);
        evaluate(self.graph, Arithmetic::F64, &point, self.result)[self.result.index()]
    }

    /// What the function becomes to one side, if its own values do not show it.
    fn end(&self, side: f64) -> Option<End> {
        let points = distances().map(|d| side * d);
        let values: Vec<(f64, Bounded)> = points.map(|x| (x, self.at(x))).collect();
        let is_good = |v: &Bounded| v.value.is_finite() && v.error <= GOOD * v.value.abs();
        let good: Vec<(f64, f64)> = values
            .iter()
            .take_while(|(_, v)| is_good(v) || v.value.abs() < VANISHED && v.error < VANISHED)
            .map(|(x, v)| (*x, v.value))
            .collect();
        let end = End::of(side, &good)?;
        let at_infinity = self.at(side * f64::INFINITY).value;
        let serves = good.len() == values.len() && end.serves(side * f64::INFINITY, at_infinity);
        (!serves).then_some(end)
    }
}

/// Distances from zero in ascending order, up to the largest number of f32.
fn distances() -> impl Iterator<Item = f64> {
    let eighths = (-32..1024).map(|k| 2f64.powf(f64::from(k) / 8.0));
    eighths.chain([MAX])
}

impl End {
    /// The straight line through the last good values, from where the function is on it.
    fn of(side: f64, good: &[(f64, f64)]) -> Option<End> {
        let [.., (x1, y1), (x2, y2)] = good else { return None };
        let candidates = [
            End {
                side,
                from: *x2,
                slope: 0.0,
                offset: if y2.abs() < VANISHED { 0.0f64.copysign(*y2) } else { *y2 },
            },
            End { side, from: *x2, slope: y2 / x2, offset: 0.0 },
            {
                let slope = (y2 - y1) / (x2 - x1);
                End { side, from: *x2, slope, offset: y1 - slope * x1 }
            },
        ];
        candidates.into_iter().map(End::rounded).find_map(|end| {
            let on_it = good.iter().rev().take_while(|(x, y)| end.serves(*x, *y)).count();
            // Two points make a line; a third shows that it is one.
            let from = good.len().checked_sub(on_it)?;
            (on_it >= 4).then(|| End { from: good[from].0, ..end })
        })
    }

    /// Numbers that are those of f32 but for rounding are taken for those.
    fn rounded(self) -> End {
        let near = |v: f64| {
            let rounded = f64::from(v as f32);
            if (v - rounded).abs() <= 1e-12 * v.abs() { rounded } else { v }
        };
        End { slope: near(self.slope), offset: near(self.offset), ..self }
    }

    /// Whether a value is what this end has at `x`.
    fn serves(&self, x: f64, y: f64) -> bool {
        let line = if self.slope == 0.0 { self.offset } else { self.slope * x + self.offset };
        line == y || (line - y).abs() <= NEAR * y.abs() || line == 0.0 && y.abs() < VANISHED
    }

    /// The function with this end.
    fn applied(&self, b: &mut Builder, stream: u16, function: Id) -> Id {
        let (x, from) = (b.stream(stream.into()), b.num(self.from));
        let beyond = if self.side > 0.0 { [from, x] } else { [x, from] };
        let beyond = b.call(Prim::Lt, &beyond);
        let mut end = b.num(self.offset);
        if self.slope != 0.0 {
            let line = b.scaled(self.slope, x);
            end = if self.offset == 0.0 { line } else { b.sum(line, end) };
        }
        b.call(Prim::Select, &[beyond, end, function])
    }
}
