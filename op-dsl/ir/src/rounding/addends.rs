//! Errors relative to the largest addend, for operators of `accuracy = "fast"`.
//!
//! Where terms cancel, the result of f32 arithmetic has the rounding errors of these terms. Relative to the largest of them the
//! errors stay as small as elsewhere.

use super::bounded::{Bounded, F32, evaluate_node, is_subnormal};
use super::points::Point;
use super::products::FACTOR;
use super::{Arithmetic, Ranges, lines};
use crate::graph::{Graph, Id, Node};
use crate::prim::Prim;
use crate::roles::is_factor;
use crate::univariate::Split;

/// Largest error of a function's value by its table, in ULP of f32: that of tables of 8 segments.
const OF_TABLES: f64 = 1.6;

/// Returns the magnitude of the largest addend of each output, for one element of every stream and these attributes.
///
/// For a sum or difference it is the largest of its terms, the least normal number of f32 if all terms are smaller. What a sum is
/// multiplied with, or divided by, scales it. For any other result it is the magnitude of the result.
pub fn largest_addends(graph: &Graph, streams: &[f64], scalars: &[f64]) -> Vec<f64> {
    let values = graph.eval_all(streams, scalars);
    let value = |id: Id| values[id.index()].abs();
    let all = graph.forward(|at| {
        let own = value(at.id);
        let Node::Call(prim, [x, y, z]) = at.node else { return own };
        let scaled = |id: Id, by: f64| if by == 0.0 { 0.0 } else { at[id] * by };
        let addend = match prim {
            Prim::Neg | Prim::Abs | Prim::WithGrad => at[x],
            Prim::Add | Prim::Sub => at[x].max(at[y]).max(f32::MIN_POSITIVE.into()),
            Prim::Mul => scaled(x, value(y)).max(scaled(y, value(x))),
            Prim::Mul3 => {
                let [a, b, c] = [x, y, z].map(value);
                scaled(x, b * c).max(scaled(y, a * c)).max(scaled(z, a * b))
            }
            Prim::Div => at[x] / value(y),
            Prim::Select => at[if value(x) != 0.0 { y } else { z }],
            Prim::Min | Prim::Max | Prim::Clamp => {
                let is_chosen = |id: &&Id| values[id.index()] == values[at.id.index()];
                at.node.args().iter().filter(is_chosen).map(|id| at[*id]).fold(0.0, f64::max)
            }
            _ => own,
        };
        if addend.is_finite() { addend.max(own) } else { own }
    });
    graph.outputs.iter().map(|output| all[output.index()]).collect()
}

/// Estimates the largest error of f32 arithmetic on `graph`, in ULP of the largest addend of the formula `traced`.
///
/// Elements for which a value leaves the range of f32 are left out: back ends compute them in f64, or f32 has no digits for them.
pub fn worst_of_addends(traced: &Graph, graph: &Graph, ranges: &Ranges) -> f64 {
    worst(traced, graph, ranges, &|point: &Point| Some(point.streams()), usize::MAX)
}

/// Estimates the largest error of results by look-up tables, in ULP of the largest addend of the formula `traced`.
///
/// Univariate functions of the f64 graph are looked up (`split`), and f32 arithmetic combines their values. `inputs` is the number
/// of input streams.
pub fn worst_by_tables(traced: &Graph, split: &Split, ranges: &Ranges, inputs: usize) -> f64 {
    let values = split.values();
    let streams = |point: &Point| {
        let mut streams = point.streams();
        let values = values.eval(&streams, &scalars(&values, point));
        streams.resize(inputs, f64::NAN);
        streams.extend(values);
        Some(streams)
    };
    worst(traced, &split.rest, ranges, &streams, inputs)
}

/// Returns the value of every attribute of a graph at a sample point.
fn scalars(graph: &Graph, point: &Point) -> Vec<f64> {
    (0..graph.scalars()).map(|k| point.scalars[k % 3]).collect()
}

/// Estimates the largest error, in ULP of the largest addend, of f32 arithmetic on `graph`.
///
/// `streams` returns the values of its input streams at a point, of which those from `looked_up` on are values of functions by
/// tables.
fn worst(
    traced: &Graph,
    graph: &Graph,
    ranges: &Ranges,
    streams: &dyn Fn(&Point) -> Option<Vec<f64>>,
    looked_up: usize,
) -> f64 {
    let mut worst: f64 = 0.0;
    for mut point in lines(traced, ranges).flatten() {
        let varied = point.varied;
        let is_free = |k: usize| ranges.get(k).copied().flatten().is_none() && k != varied;
        for k in (0..traced.streams()).filter(|k| is_free(*k) && is_factor(traced, *k)) {
            point.set(k, FACTOR);
        }
        let addends = largest_addends(traced, &point.streams(), &scalars(traced, &point));
        let Some(streams) = streams(&point) else { continue };
        let point = point.with_streams(streams);
        for (found, addend) in in_f32(graph, &point, looked_up).into_iter().zip(addends) {
            let Found { exact: Bounded { value, error }, is_seen } = found;
            if is_seen || !F32.holds(value) && !value.is_nan() {
                continue;
            }
            let unit = F32.ulp(value.abs().max(addend));
            worst = worst.max(if error.is_nan() { f64::INFINITY } else { error / unit });
        }
    }
    worst
}

/// The exact value of an output with a bound of its error in f32.
struct Found {
    exact: Bounded,
    /// Whether an intermediate value has left the range of normal f32 numbers.
    is_seen: bool,
}

/// Evaluates the outputs of a graph at a point in f32. Streams from `looked_up` on are values of functions by tables.
fn in_f32(graph: &Graph, point: &Point, looked_up: usize) -> Vec<Found> {
    let by_table = |k: u16| usize::from(k) >= looked_up;
    let all = graph.forward(|at| match at.node {
        Node::Stream(k) if by_table(k) => {
            let value = point.stream(usize::from(k));
            let single = f64::from(value as f32);
            (Bounded { value, error: OF_TABLES * F32.ulp(value) }, single)
        }
        node => {
            let exact = evaluate_node(&node, Arithmetic::F32, point, |id| {
                at.get(id).map(|(exact, _)| *exact)
            });
            let single = match node {
                Node::Call(prim, args) => {
                    let args = args.map(|id| at.get(id).map_or(f64::NAN, |(_, single)| *single));
                    (prim.row().oracle)(args)
                }
                _ => exact.value,
            };
            (exact, f64::from(single as f32))
        }
    });
    let tables = looked_up < usize::MAX;
    let leaves = |(exact, single): &(Bounded, f64)| {
        is_subnormal(exact) || !tables && !single.is_finite() && exact.value.is_finite()
    };
    let is_seen = all.iter().any(leaves);
    let found = |output: &Id| {
        let (exact, single) = all[output.index()];
        Found { exact, is_seen: is_seen || !single.is_finite() }
    };
    graph.outputs.iter().map(found).collect()
}
