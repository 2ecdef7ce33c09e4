//! Limits of formulas at infinity.
//!
//! One infinite stream means the limit as it grows. Several have no limit, because it would depend on which of them
//! grows faster. Instead, parts of the formula as written that depend on one infinite stream have their limits, which
//! are combined by IEEE arithmetic. The same applies to a quotient of two sums that grow independently with one stream.

use crate::exact::{NOTHING, Precise, exactly_at, precise};
use crate::real::Real;
use crate::tower::Tower;
use crate::{walk, work};
use op_dsl_ir::graph::{Graph, Id, Node};
use op_dsl_ir::op::Spec;
use op_dsl_ir::roles::rounds;
use op_dsl_ir::rounding::divides_apart;

/// Exponents `n` of the finite inputs `2^n` at which limits at infinity are judged.
///
/// Each input is the square of the one before.
const FAR: [f64; 4] = [40.0, 80.0, 160.0, 320.0];
/// Factors of the numbers of [`FAR`] in formulas that round, and what is added to the products.
///
/// The numbers themselves are even integers, and so are their logarithms.
const IRREGULAR: [[f64; 2]; 4] = [[1.3, 0.3], [1.7, -0.4], [1.1, 0.1], [1.9, 0.45]];
/// Relative difference below which two values count as equal: 2^-30, a 64th of the unit roundoff of f32.
const SAME: f64 = 1.0 / (1u64 << 30) as f64;
/// Magnitude below which a primitive's value at an infinite argument counts as 0: no primitive has a smaller limit other than 0.
const TINY: f64 = 1e-100;
/// Precision in bits in which the limit of a subexpression is computed.
///
/// It is so high that a sum can represent both 1 and the cube of the largest power of two in [`FAR`].
const BITS: usize = 1024;

/// Returns the limit of each output as the infinite input streams go to infinity; NaN if none exists.
pub fn outputs(spec: &Spec, streams: &[f64], scalars: &[f64]) -> Vec<f64> {
    let written = &spec.traced;
    let infinite: Vec<usize> = (0..streams.len()).filter(|k| streams[*k].is_infinite()).collect();
    let reached = reached(written, &infinite);
    let is_alone = |y: u64| y.count_ones() < 2;
    let apart = match infinite[..] {
        [one] if spec.derived.is_none() => {
            let values = written.eval_all(streams, scalars);
            divides_apart(written, &values, one).then_some(values)
        }
        _ => None,
    };
    let mut all = match apart {
        Some(values) => return written.outputs.iter().map(|y| values[y.index()]).collect(),
        None => alone(spec, streams, scalars),
    };
    if !written.outputs.iter().all(|y| is_alone(reached[y.index()])) {
        let values = together(written, streams, scalars, &infinite, &reached);
        for (limit, y) in all.iter_mut().zip(&*written.outputs) {
            *limit = if is_alone(reached[y.index()]) { *limit } else { values[y.index()] };
        }
    }
    all
}

/// Returns the limit of each output; only valid if the output depends on at most one infinite stream.
fn alone(spec: &Spec, streams: &[f64], scalars: &[f64]) -> Vec<f64> {
    let is_irregular = rounds(&spec.traced);
    let far = |k: usize| {
        let at = |precision: usize| {
            move |i: usize| match streams.get(i) {
                Some(x) if x.is_infinite() => beyond(k, *x, is_irregular, precision),
                x => precise(x.copied().unwrap_or(f64::NAN), precision),
            }
        };
        exactly_at(spec, scalars, at)
    };
    let points = [0, 1, 2, 3].map(far);
    (0..points[0].len()).map(|k| limit(points.each_ref().map(|p| value(&p[k])))).collect()
}

/// Returns the finite number with index `k` in [`FAR`] that stands for the infinity `x`, an irregular one if asked.
fn beyond(k: usize, x: f64, is_irregular: bool, precision: usize) -> Precise {
    let [factor, addend] = if is_irregular { IRREGULAR[k] } else { [1.0, 0.0] };
    let number = precise((factor * FAR[k].exp2()).copysign(x), precision);
    if is_irregular { number + precise(addend, precision) } else { number }
}

/// Returns the value of every node of a formula where several streams are infinite.
///
/// Each subexpression that depends on only one infinite stream has its limit. IEEE arithmetic combines these limits.
fn together(
    graph: &Graph,
    streams: &[f64],
    scalars: &[f64],
    infinite: &[usize],
    reached: &[u64],
) -> Vec<f64> {
    let is_irregular = rounds(graph);
    let far = |varied: usize, point: usize| {
        let stream = |k: usize| match streams[k] {
            x if k == varied => beyond(point, x, is_irregular, BITS),
            x if x.is_infinite() => precise(f64::NAN, BITS),
            x => precise(x, BITS),
        };
        let scalar = |k: usize| precise(scalars[k], BITS);
        walk::values(graph, &|_| None, &stream, &scalar, &|v| precise(v, BITS))
    };
    let is_met = |i: usize| reached[i].count_ones() > 1;
    let is_call = |i: usize| matches!(graph.nodes[i], Node::Call(..));
    // Marks the calls whose limits are needed; an infinite stream itself needs none.
    let mut is_part = vec![false; graph.nodes.len()];
    for (_, node) in graph.nodes.iter().enumerate().filter(|(i, _)| is_met(*i)) {
        node.args()
            .iter()
            .for_each(|a| is_part[a.index()] = !is_met(a.index()) && is_call(a.index()));
    }
    let mut values: Vec<f64> = graph.eval_all(streams, scalars);
    for (bit, varied) in infinite.iter().enumerate() {
        let is_own = |i: &usize| is_part[*i] && reached[*i] == 1 << bit;
        let own: Vec<usize> = (0..values.len()).filter(is_own).collect();
        if !own.is_empty() {
            work::add(FAR.len() * graph.nodes.len(), work::exact(BITS));
            let points = [0, 1, 2, 3].map(|point| far(*varied, point));
            for i in own {
                values[i] = settled(limit(points.each_ref().map(|p| value(&p[i].sum()))));
            }
        }
    }
    for (i, node) in graph.nodes.iter().enumerate().filter(|(i, _)| is_met(*i)) {
        if let Node::Call(prim, _) = node {
            let arg = |k| node.args().get(k).map_or(f64::NAN, |id: &Id| values[id.index()]);
            let args = [0, 1, 2].map(arg);
            let value = (prim.row().oracle)(args);
            // A function that vanishes at infinity keeps the sign that it has further in.
            let vanishes = args.iter().any(|x| x.is_infinite()) && value.abs() < TINY;
            values[i] = if vanishes { 0.0f64.copysign(value) } else { value };
        }
    }
    values
}

/// Returns, per node, the infinite streams that it depends on: bit `k` stands for `infinite[k]`.
fn reached(graph: &Graph, infinite: &[usize]) -> Vec<u64> {
    let mut all: Vec<u64> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        let own = match node {
            Node::Stream(s) => infinite.iter().position(|k| *k == usize::from(*s)),
            _ => None,
        };
        let of_args = node.args().iter().fold(0, |bits, a| bits | all[a.index()]);
        all.push(own.map_or(of_args, |k| 1 << k));
    }
    all
}

/// Converts a number to f64.
///
/// A magnitude below `2^NOTHING` becomes 0, because even its sign may be wrong.
fn value(y: &Tower) -> f64 {
    if y.is_below(NOTHING) { 0.0 } else { y.to_f64() }
}

/// Rounds a limit to f32 if its relative change is below [`SAME`].
///
/// The last digits of a limit are unreliable, since it is the value at a large finite argument. For example, the limit 1
/// must be exact so that `1 - sigmoid(inf)` is 0.
fn settled(limit: f64) -> f64 {
    let number = f64::from(limit as f32);
    if ((limit - number) / number).abs() < SAME { number } else { limit }
}

/// Returns the limit of a sequence, judged by four of its values, or NaN if it seems to have none.
pub fn limit(values: [f64; 4]) -> f64 {
    let [.., before, last] = values;
    let pairs = || values.windows(2).map(|w| (w[0], w[1]));
    match () {
        _ if values.iter().any(|v| v.is_nan()) => f64::NAN,
        _ if before == last || ((last - before) / last).abs() < SAME => last,
        _ if pairs().all(|(a, b)| b.abs() < 0.9 * a.abs()) => 0.0,
        _ if pairs().all(|(a, b)| b * a > 0.0 && (b.abs() > 1.1 * a.abs() || a == b)) => {
            f64::INFINITY.copysign(last)
        }
        _ => by_power(values).unwrap_or(f64::NAN),
    }
}

/// Returns the limit of values that change as a power of the argument, however small its exponent.
///
/// The arguments in [`FAR`] are squares of one another, so that the logarithm of the values' quotient doubles each time.
fn by_power(values: [f64; 4]) -> Option<f64> {
    let [a, b, c] = [0, 1, 2].map(|k| (values[k + 1] / values[k]).ln());
    let doubles = |x: f64, y: f64| (y - 2.0 * x).abs() < 0.01 * y.abs() && y.abs() > SAME;
    let limit = if c < 0.0 { 0.0 } else { f64::INFINITY.copysign(values[3]) };
    (doubles(a, b) && doubles(b, c)).then_some(limit)
}

#[cfg(test)]
mod tests {
    use super::{FAR, limit};

    #[test]
    fn limits_of_sequences() {
        assert_eq!(limit([1.0, 2.0, 4.0, 8.0]), f64::INFINITY);
        assert_eq!(limit([-1.0, -2.0, f64::NEG_INFINITY, f64::NEG_INFINITY]), f64::NEG_INFINITY);
        assert_eq!(limit([1.0, 0.5, 0.25, 0.125]), 0.0);
        assert_eq!(limit([1e-300, 0.0, 0.0, 0.0]), 0.0);
        assert_eq!(limit([0.9, 0.999, 1.0, 1.0]), 1.0);
        assert!(limit([0.3, -0.8, 0.1, 0.9]).is_nan());
        let power = |exponent: f64| FAR.map(|log| -3.0 * (exponent * log).exp2());
        assert_eq!(limit(power(-0.001)), 0.0);
        assert_eq!(limit(power(0.001)), f64::NEG_INFINITY);
    }
}
