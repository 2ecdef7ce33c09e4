//! Sample points of the estimate: lines of points along which one stream varies.

use crate::graph::{Graph, Id, Node};
use crate::prim::Prim;
use crate::roles::{Dependence, dependence, is_factor, is_truth};
use std::rc::Rc;

/// Inputs of one evaluation of a graph: one element of every stream, and the attributes.
///
/// Points of a line share the elements of the other streams, so that no point has a list of its own.
#[derive(Clone, Debug)]
pub struct Point {
    /// Element of the stream that varies along the line of sample points that contains this one.
    pub x: f64,
    /// Index of that stream.
    pub varied: usize,
    /// One element per stream. That of the stream that varies does not count.
    others: Rc<[f64]>,
    pub(super) scalars: [f64; 3],
}

/// Sample values of attributes, in three variants. Attribute `s` takes entry `s % 3` of a variant.
const SCALARS: [[f64; 3]; 3] =
    [[1.0, 0.703125, 1.59375], [0.371_093_75, 2.296_875, 1.0], [1.59375, 0.371_093_75, 2.296_875]];
/// Sample values of attributes in graphs with powers whose exponent an attribute gives.
///
/// The error of such a power is that of its base times the exponent, and `x^3` leaves the range of f32 where `x^0.6` does not. The
/// negative exponent does the same for small bases.
const EXPONENTS: [[f64; 3]; 2] = [[4.0; 3], [-1.3; 3]];
/// Sample values of streams that neither vary along a line of points nor are factors of the outputs.
///
/// Stream 0 takes these values. [`apart`] computes the values of each other stream from them, because equal values could cancel.
const OTHERS: [f64; 2] = [0.718_281_86, -1.324_718];
/// Maximum number of mask streams that are sampled in all combinations of 0 and 1.
///
/// Each further mask stream has the same value as one of these, since the number of combinations doubles with each.
const MOST_TRUTHS: usize = 3;

/// Range of each input stream: lower and upper end.
///
/// A stream without an entry, or whose entry is `None`, has no bounds.
pub type Ranges = [Option<[f64; 2]>];

/// Returns lines of points to evaluate a graph at.
///
/// Along each line one stream varies, in ascending order, and the other inputs are constant.
pub fn lines(graph: &Graph, ranges: &Ranges) -> impl Iterator<Item = Vec<Point>> + use<> {
    // The points of one line fit a cache. Those of all lines of a graph with many streams would be millions.
    all_lines(graph, ranges).into_iter().map(|line| line.points().collect())
}

/// Points that differ in one stream.
struct Line {
    /// A point of the line, which gives the values of the inputs that do not vary.
    at: Point,
    /// Values of the stream that varies, in ascending order.
    samples: Rc<[f64]>,
}

impl Line {
    fn points(&self) -> impl DoubleEndedIterator<Item = Point> {
        self.samples.iter().map(|x| self.at.with_x(*x))
    }
}

/// Returns the lines of [`lines`], without their points.
fn all_lines(graph: &Graph, ranges: &Ranges) -> Vec<Line> {
    let count = graph.streams();
    let truths: Vec<usize> = (0..count).filter(|s| is_truth(graph, *s)).collect();
    let mut varies: Vec<bool> =
        (0..count).map(|s| !truths.contains(&s) && !is_factor(graph, s)).collect();
    if !varies.contains(&true) {
        // If all streams are factors, as in `k x / k`, they vary.
        varies = (0..count).map(|s| !truths.contains(&s)).collect();
    }
    // In a sum of `a f(x)` and `b g(x)` one term may hide the error of the other, so that further lines set an addend to 0.
    let is_addend = |s: &usize| varies[*s] && dependence(graph, *s) == Dependence::Affine;
    let addends: Vec<usize> = (0..count).filter(is_addend).collect();
    let alone = varies.iter().filter(|v| **v).count() < 2;
    let by_scalars = graph.depends_on(|_, node| matches!(node, Node::Scalar(_)));
    let is_exponent = |node: &Node| match node {
        Node::Call(Prim::Pow, [_, exponent, _]) => by_scalars[exponent.index()],
        _ => false,
    };
    let mut scalars: Vec<[f64; 3]> = match by_scalars.contains(&true) {
        true if graph.nodes.iter().any(is_exponent) => [&SCALARS[..], &EXPONENTS].concat(),
        true => SCALARS.to_vec(),
        false => vec![SCALARS[0]],
    };
    scalars.extend(opposite_addends(graph));
    let range = |s: usize| ranges.get(s).copied().flatten();
    let edges = edges(graph);
    let mut lines = Vec::new();
    for varied in (0..count).filter(|s| varies[*s]) {
        let mut samples = range(varied).map_or_else(samples, within);
        let [low, high] = range(varied).unwrap_or([-f64::INFINITY, f64::INFINITY]);
        samples.extend(edges.iter().filter(|x| (low..=high).contains(*x)));
        samples.sort_by(f64::total_cmp);
        samples.dedup();
        let samples: Rc<[f64]> = samples.into();
        let usual = OTHERS[..if alone { 1 } else { 2 }].iter().map(|other| (other, None));
        let zeros = addends.iter().filter(|s| **s != varied).map(|s| (&OTHERS[0], Some(*s)));
        for (others, zero) in usual.chain(zeros) {
            for scalars in scalars.iter() {
                for choice in 0..1u32 << truths.len().min(MOST_TRUTHS) {
                    let truth = |t: usize| f64::from(choice >> (t % MOST_TRUTHS) & 1);
                    let fixed = |s: usize| match truths.iter().position(|t| *t == s) {
                        Some(t) => truth(t),
                        None if zero == Some(s) => 0.0,
                        None if varies[s] => {
                            range(s).map_or(apart(*others, s), |r| inside(r, *others))
                        }
                        None => range(s).map_or(1.0, |[low, high]| 1f64.clamp(low, high)),
                    };
                    let others = (0..count).map(fixed).collect();
                    let at = Point { x: 0.0, varied, others, scalars: *scalars };
                    lines.push(Line { at, samples: Rc::clone(&samples) });
                }
            }
        }
    }
    lines
}

/// Returns sample values of attributes in which those that only add are negative; `None` if there are none.
///
/// `s relu(x)^2 + b` cancels for negative `b` alone. Other attributes stay positive: a negative scale inside an exponential lets it
/// overflow, where no author has one.
fn opposite_addends(graph: &Graph) -> Option<[f64; 3]> {
    let is_sum = |node: &Node| matches!(node, Node::Call(Prim::Add | Prim::Sub, _));
    let only_adds =
        |id: Id| graph.nodes.iter().filter(|node| node.args().contains(&id)).all(is_sum);
    // Attributes `s` and `s + 3` share a value.
    let has_value = |k: usize, id: &Id| match graph.nodes[id.index()] {
        Node::Scalar(s) => usize::from(s) % 3 == k,
        _ => false,
    };
    let is_addend = |k: &usize| {
        let mut own = graph.ids().filter(|id| has_value(*k, id)).peekable();
        own.peek().is_some() && own.all(only_adds)
    };
    let all: Vec<usize> = (0..3).filter(is_addend).collect();
    let mut scalars = SCALARS[1];
    all.iter().for_each(|k| scalars[*k] = -scalars[*k]);
    (!all.is_empty()).then_some(scalars)
}

/// Returns the sample value of stream `s` that belongs to the entry `other` of [`OTHERS`].
///
/// It differs between streams, because equal values cancel where different ones do not, as the last two terms of
/// `c tanh(x) + b` do far to the left if `b` is `c`.
fn apart(other: f64, s: usize) -> f64 {
    other * (1.0 + s as f64 / 16.0)
}

/// Returns the constants that a graph compares with, each with its two neighbours in f32.
///
/// These points are sampled because there one branch takes over from another, and a branch may be accurate only up to that point.
fn edges(graph: &Graph) -> Vec<f64> {
    let numbers = graph.nodes.iter().filter_map(|node| match node {
        Node::Call(prim, args) if prim.is_comparison() => Some(&args[..2]),
        _ => None,
    });
    let number = |id: &Id| match graph.nodes[id.index()] {
        Node::Const(c) if c != 0.0 && c.abs() < f64::from(f32::MAX) => Some(c as f32),
        _ => None,
    };
    let numbers = numbers.flatten().filter_map(number);
    numbers.flat_map(|c| [c.next_down(), c, c.next_up()].map(f64::from)).collect()
}

/// Returns the first and last point of every line of [`lines`] whose varied stream has no bounds.
pub fn ends(graph: &Graph, ranges: &Ranges) -> Vec<Point> {
    let has_no_bounds = |line: &Line| ranges.get(line.at.varied).copied().flatten().is_none();
    let ends = |line: &Line| [line.points().next(), line.points().next_back()];
    all_lines(graph, ranges)
        .iter()
        .filter(|line| has_no_bounds(line))
        .flat_map(ends)
        .flatten()
        .collect()
}

/// Returns sample values of a stream in a range, in ascending order.
///
/// They are the [`samples`] in the range, both ends, and numbers near either end whose distances from it shrink by powers of two.
fn within([low, high]: [f64; 2]) -> Vec<f64> {
    let rounded = |x: f64| f64::from(x as f32);
    let distances = (0..=24).map(|k| (high - low) * 0.703_125 * 2f64.powi(-k));
    let beside = distances.flat_map(|d| [rounded(low + d), rounded(high - d)]);
    let mut all: Vec<f64> = samples().into_iter().chain(beside).chain([low, high]).collect();
    all.retain(|x| (low..=high).contains(x));
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// Returns a number inside a range, at a share of its length that is the fractional part of `|other|`.
///
/// The share differs between the entries of [`OTHERS`].
fn inside([low, high]: [f64; 2], other: f64) -> f64 {
    let share = other.abs() - other.abs().floor();
    f64::from((low + share * (high - low)) as f32)
}

/// Returns f32 sample values in ascending order: one per exponent and sign, and both extremes.
///
/// Exponents from -12 to 7 have 12 samples each, because most activations lie there.
fn samples() -> Vec<f64> {
    let mut bits: u32 = 0x9e37_79b9;
    let mut positive = Vec::new();
    for exponent in -149..=127 {
        let dense = (-12..=7).contains(&exponent);
        for _ in 0..if dense { 12 } else { 1 } {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let mantissa = 1.0 + f64::from(bits >> 8) / f64::from(1u32 << 24);
            positive.push(f64::from((mantissa * 2f64.powi(exponent)) as f32));
        }
    }
    positive.push(f64::from(f32::MAX));
    positive.sort_by(f64::total_cmp);
    positive.iter().rev().map(|x| -x).chain(positive.iter().copied()).collect()
}

impl Point {
    /// Returns a point without a line, with attributes that are 0.
    pub(super) fn at(streams: &[f64]) -> Point {
        let x = streams.first().copied().unwrap_or(f64::NAN);
        Point { x, varied: 0, others: streams.into(), scalars: [0.0; 3] }
    }

    /// Returns the element of a stream, which is NaN for streams that the point does not have.
    pub fn stream(&self, s: usize) -> f64 {
        if s == self.varied { self.x } else { self.others.get(s).copied().unwrap_or(f64::NAN) }
    }

    /// Returns the elements of all streams.
    pub fn streams(&self) -> Vec<f64> {
        (0..self.others.len()).map(|s| self.stream(s)).collect()
    }

    /// Sets the element of a stream.
    pub fn set(&mut self, s: usize, value: f64) {
        if s == self.varied {
            self.x = value;
        } else {
            Rc::make_mut(&mut self.others)[s] = value;
        }
    }

    /// Returns this point with other streams.
    pub(super) fn with_streams(&self, streams: Vec<f64>) -> Point {
        Point { x: streams[self.varied], others: streams.into(), ..*self }
    }

    /// Returns this point with another element of the stream that varies.
    #[must_use]
    pub fn with_x(&self, x: f64) -> Point {
        Point { x, ..self.clone() }
    }

    /// Returns this point with attribute `scalar` set to `value`.
    pub fn with_scalar(mut self, scalar: u16, value: f64) -> Point {
        self.scalars[usize::from(scalar) % 3] = value;
        self
    }

    /// Returns whether attributes have the values of the first variant.
    pub(crate) fn is_usual(&self) -> bool {
        self.scalars == SCALARS[0]
    }

    /// Changes the signs of all attributes.
    pub(crate) fn negate_scalars(&mut self) {
        self.scalars = self.scalars.map(|s| -s);
    }

    /// Multiplies all attributes, and all streams that do not vary along the line, by a number.
    pub(crate) fn scale_others(&mut self, factor: f64) {
        self.scalars = self.scalars.map(|s| s * factor);
        self.others = self.others.iter().map(|x| x * factor).collect();
    }

    /// Returns the point where `stream` is `x`, for graphs that read no other stream.
    pub fn single(stream: usize, x: f64) -> Point {
        Point { x, varied: stream, others: vec![1.0; stream + 1].into(), scalars: SCALARS[0] }
    }
}
