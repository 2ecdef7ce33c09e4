//! Where the estimate looks: lines of points along which one stream varies.

use crate::graph::{Graph, Id, Node};
use crate::roles::{Dependence, dependence, is_factor, is_truth};

/// One element, and the attributes of its call.
#[derive(Clone, Debug)]
pub struct Point {
    /// One value per input stream.
    pub streams: Vec<f64>,
    /// Which of them varies along the line of this point.
    pub varied: usize,
    pub(super) scalars: [f64; 3],
}

/// What attributes are taken to be, in turn.
const SCALARS: [[f64; 3]; 3] =
    [[1.0, 0.703125, 1.59375], [0.371_093_75, 2.296_875, 1.0], [1.59375, 0.371_093_75, 2.296_875]];
/// What streams are that do not vary, but are no factors.
const OTHERS: [f64; 2] = [0.718_281_86, -1.324_718];
/// So many truth values are combined in every way; further ones are what one of these is.
const MOST_TRUTHS: usize = 3;

/// Between which numbers streams lie; those that it does not have, or of which it has none, anywhere.
pub type Ranges = [Option<[f64; 2]>];

/// Points to evaluate a graph at, line by line: one stream varies, from the least to the greatest.
pub fn lines(graph: &Graph, ranges: &Ranges) -> Vec<Vec<Point>> {
    let count = graph.streams();
    let truths: Vec<usize> = (0..count).filter(|s| is_truth(graph, *s)).collect();
    let mut varies: Vec<bool> =
        (0..count).map(|s| !truths.contains(&s) && !is_factor(graph, s)).collect();
    if !varies.contains(&true) {
        // Nothing but factors, of which `k x / k` is one.
        varies = (0..count).map(|s| !truths.contains(&s)).collect();
    }
    // A term that another one hides, `a f(x)` beside `b g(x)`, is seen where that is nothing.
    let is_addend = |s: &usize| varies[*s] && dependence(graph, *s) == Dependence::Affine;
    let addends: Vec<usize> = (0..count).filter(is_addend).collect();
    let alone = varies.iter().filter(|v| **v).count() < 2;
    let has_scalars = graph.nodes.iter().any(|n| matches!(n, Node::Scalar(_)));
    let range = |s: usize| ranges.get(s).copied().flatten();
    let edges = edges(graph);
    let mut lines = Vec::new();
    for varied in (0..count).filter(|s| varies[*s]) {
        let mut samples = range(varied).map_or_else(samples, within);
        let [low, high] = range(varied).unwrap_or([-f64::INFINITY, f64::INFINITY]);
        samples.extend(edges.iter().filter(|x| (low..=high).contains(*x)));
        samples.sort_by(f64::total_cmp);
        samples.dedup();
        let usual = OTHERS[..if alone { 1 } else { 2 }].iter().map(|other| (other, None));
        let zeros = addends.iter().filter(|s| **s != varied).map(|s| (&OTHERS[0], Some(*s)));
        for (others, zero) in usual.chain(zeros) {
            for scalars in &SCALARS[..if has_scalars { SCALARS.len() } else { 1 }] {
                for choice in 0..1u32 << truths.len().min(MOST_TRUTHS) {
                    let truth = |t: usize| f64::from(choice >> (t % MOST_TRUTHS) & 1);
                    let fixed = |s: usize| match truths.iter().position(|t| *t == s) {
                        Some(t) => truth(t),
                        None if zero == Some(s) => 0.0,
                        None if varies[s] => range(s).map_or(*others, |r| inside(r, *others)),
                        None => range(s).map_or(1.0, |[low, high]| 1f64.clamp(low, high)),
                    };
                    let at = |x: &f64| {
                        let value = |s| if s == varied { *x } else { fixed(s) };
                        let streams = (0..count).map(value).collect();
                        Point { streams, varied, scalars: *scalars }
                    };
                    lines.push(samples.iter().map(at).collect());
                }
            }
        }
    }
    lines
}

/// Numbers of f32 beside those that something is compared with: a value may be good as far as where another one takes its place.
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

/// The ends of every line that goes on to infinity.
pub fn ends(graph: &Graph, ranges: &Ranges) -> Vec<Point> {
    let lines = lines(graph, ranges);
    let all = lines.iter().flat_map(|line| [line.first(), line.last()]).flatten();
    all.filter(|end| ranges.get(end.varied).copied().flatten().is_none()).cloned().collect()
}

/// The samples in a range, its ends, and numbers at every distance from these.
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

/// A number inside a range, for each of [`OTHERS`] another.
fn inside([low, high]: [f64; 2], other: f64) -> f64 {
    let share = other.abs() - other.abs().floor();
    f64::from((low + share * (high - low)) as f32)
}

/// Numbers of f32 in ascending order: of every exponent, where activations lie most, and the largest.
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
    /// The same with another value of an attribute.
    pub fn with_scalar(mut self, scalar: u16, value: f64) -> Point {
        self.scalars[usize::from(scalar) % 3] = value;
        self
    }

    /// A point for graphs of one stream.
    pub fn single(stream: usize, x: f64) -> Point {
        let streams = (0..=stream).map(|s| if s == stream { x } else { 1.0 }).collect();
        Point { streams, varied: stream, scalars: SCALARS[0] }
    }
}
