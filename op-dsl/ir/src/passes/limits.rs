//! Replaces the tails of functions of one stream by their asymptotes.
//!
//! For example, `x / (1 + exp(-x))` is `inf / inf` for very negative `x`, and `0 * inf` if written as a product; its limit is 0.
//! Where rounding leaves no digits of a value, the function is replaced by its asymptote: a constant, a straight line, or a power
//! such as `-1 / (pi x)` for `atan(x) / pi + 1/2`, or the first two terms of a series of powers. The asymptote is computed from values that are still accurate. A function that
//! is accurate up to the largest number and at infinity is left alone.
//!
//! `held.rs` is for functions of attributes and other streams.

use crate::analysis::Inputs;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::roles::rounds;
use crate::rounding::{Arithmetic, Bounded, Point, evaluate};
use crate::univariate::part;

/// Largest relative error of an accurate value: 2^-29, which is 1/32 of the unit roundoff of f32, 2^-24.
const GOOD: f64 = 1.0 / (1u64 << 29) as f64;
/// Largest relative difference between a function and an asymptote that replaces it.
pub(super) const NEAR: f64 = 1.0 / (1u64 << 28) as f64;
/// Magnitude below which a value counts as zero in f32, whatever multiplies it.
///
/// Even multiplied by the cube of the largest f32 number, the value is below the normal numbers: `1e-160 * 3.4e38^3` is 3.9e-45.
pub(super) const VANISHED: f64 = 1e-160;
/// Upper bound of the order `n` of an asymptote `c / x^n`.
///
/// It is not more, because higher powers vanish before they lose their digits.
const MOST_ORDER: f64 = 4.5;
/// Samples between the two values that give the first two terms of a series: two octaves.
///
/// Nearer values give the second term fewer digits, and further ones have more of the terms that are left out.
const SERIES_FROM: usize = 16;

/// The largest number of f32.
pub(super) const MAX: f64 = f32::MAX as f64;

/// Replaces functions of one stream by their asymptotes where rounding makes their values inaccurate.
pub fn run(graph: &Graph) -> Graph {
    replaced(graph, false)
}

/// Replaces functions of one stream as [`run`] does, also by two terms of a series of powers.
///
/// That is for graphs that cannot be written as fractions, which have all digits where two terms have only those of f32.
pub fn with_series(graph: &Graph) -> Graph {
    replaced(graph, true)
}

fn replaced(graph: &Graph, by_series: bool) -> Graph {
    let inputs = graph.inputs();
    let whole = whole(graph, &inputs);
    graph.rewrite_at(|b, at| {
        let mut id = b.add(at.copy());
        if let (Some(stream), true) = (inputs[at.id.index()].sole_stream(), whole[at.id.index()]) {
            let function = Function { graph, stream, result: at.id, by_series };
            // Steps look flat to samples that lie on one of them.
            let has_limit = !rounds(&part(graph, at.id));
            for side in [-1.0, 1.0].into_iter().filter(|_| has_limit) {
                if let Some(end) = function.end(side) {
                    id = end.applied(b, stream, id);
                }
            }
        }
        id
    })
}

/// Returns, per node, whether it is a maximal function of one stream.
///
/// A maximal function is an output, or an operand of a node that combines it with other streams.
fn whole(graph: &Graph, inputs: &[Inputs]) -> Vec<bool> {
    let mut whole = graph.live_out(|id, _| inputs[id.index()].are_several());
    // A `select` that tests for infinity has the value that the author wrote for infinity, which need not be its limit. Therefore
    // only its branches are replaced.
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

/// Returns, per node, whether it depends on a test for infinity: a comparison with the largest f32 number.
fn asks_for_infinity(graph: &Graph) -> Vec<bool> {
    let is_largest = |id: &Id| matches!(graph.nodes[id.index()], Node::Const(c) if c.abs() == MAX);
    graph.depends_on(|_, node| {
        matches!(node, Node::Call(Prim::Lt | Prim::Le, _)) && node.args().iter().any(is_largest)
    })
}

/// The node `result` as a function of the stream `stream`.
struct Function<'g> {
    graph: &'g Graph,
    stream: u16,
    result: Id,
    /// Whether two terms of a series may replace the function.
    by_series: bool,
}

/// Asymptote of a function on the side `side` of zero (-1 or 1), where `x` is beyond `from`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    side: f64,
    from: f64,
    line: Line,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Line {
    /// `slope * x + offset`
    Straight { slope: f64, offset: f64 },
    /// `scale / x^order`
    Power { scale: f64, order: i32 },
    /// `(scale + next / x^step) / x^order`
    Series { scale: f64, order: i32, next: f64, step: i32 },
}

impl Line {
    fn at(self, x: f64) -> f64 {
        match self {
            Line::Straight { slope: 0.0, offset } => offset,
            Line::Straight { slope, offset } => slope * x + offset,
            Line::Power { scale, order } => scale / x.powi(order),
            Line::Series { scale, order, next, step } => {
                (scale + next / x.powi(step)) / x.powi(order)
            }
        }
    }

    /// Returns the power of this order, with the next term of its series, through two values `(x, y)`.
    ///
    /// The next term is that of `step` orders more.
    fn series(order: i32, step: i32, near: (f64, f64), far: (f64, f64)) -> Line {
        let [(near, y), (far, z)] = [near, far].map(|(x, y)| (x.powi(-step), y * x.powi(order)));
        let next = (y - z) / (near - far);
        Line::Series { scale: z - next * far, order, next, step }
    }

    /// Rounds the asymptote's numbers to f32 where that changes them by at most 1e-12 (relative).
    fn rounded(self) -> Line {
        let near = |v: f64| {
            let rounded = f64::from(v as f32);
            if (v - rounded).abs() <= 1e-12 * v.abs() { rounded } else { v }
        };
        match self {
            Line::Straight { slope, offset } => {
                Line::Straight { slope: near(slope), offset: near(offset) }
            }
            Line::Power { scale, order } => Line::Power { scale: near(scale), order },
            Line::Series { .. } => self,
        }
    }

    /// Emits the asymptote as a function of the stream `x`.
    fn emitted(self, b: &mut Builder, x: Id) -> Id {
        let power = |b: &mut Builder, order| (1..order).fold(x, |power, _| b.product(power, x));
        match self {
            Line::Straight { slope: 0.0, offset } => b.num(offset),
            Line::Straight { slope, offset: 0.0 } => b.scaled(slope, x),
            Line::Straight { slope, offset } => {
                let (line, offset) = (b.scaled(slope, x), b.num(offset));
                b.sum(line, offset)
            }
            Line::Power { scale, order } => {
                let (power, scale) = (power(b, order), b.num(scale));
                b.quotient(scale, power)
            }
            Line::Series { scale, order, next, step } => {
                let (scale, next) = (b.num(scale), b.num(next));
                let below = power(b, step);
                let next = b.quotient(next, below);
                let (sum, power) = (b.sum(scale, next), power(b, order));
                b.quotient(sum, power)
            }
        }
    }
}

impl Function<'_> {
    fn at(&self, x: f64) -> Bounded {
        let point = Point::single(usize::from(self.stream), x);
        evaluate(self.graph, Arithmetic::F64, &point, self.result)[self.result.index()]
    }

    /// Returns the asymptote on one side (-1 or 1), if the function itself is not accurate there.
    ///
    /// `None` if the function has no asymptote there, or is accurate up to infinity.
    fn end(&self, side: f64) -> Option<End> {
        // Squares of f32 numbers are exact in f64, so that `exp(x^2) erfc(x)` and its like have more accurate values there.
        let in_f32 = || self.end_by(side, distances().map(|d| f64::from(d as f32)));
        let end = self.end_by(side, distances());
        if self.by_series { end.or_else(in_f32) } else { end }
    }

    /// Returns the asymptote as [`Function::end`] does, from values at these distances from zero.
    fn end_by(&self, side: f64, distances: impl Iterator<Item = f64>) -> Option<End> {
        let points = distances.map(|d| side * d);
        let values: Vec<(f64, Bounded)> = points.map(|x| (x, self.at(x))).collect();
        let is_good = |v: &Bounded| v.value.is_finite() && v.error <= GOOD * v.value.abs();
        let good: Vec<(f64, f64)> = values
            .iter()
            .take_while(|(_, v)| is_good(v) || v.value.abs() < VANISHED && v.error < VANISHED)
            .map(|(x, v)| (*x, v.value))
            .collect();
        let end = End::of(side, &good, self.by_series)?;
        if values[good.len()..].iter().any(|(x, v)| end.is_refuted(*x, v)) {
            return None;
        }
        let at_infinity = self.at(side * f64::INFINITY).value;
        let serves = good.len() == values.len() && end.serves(side * f64::INFINITY, at_infinity);
        (!serves).then_some(end)
    }
}

/// Returns sample distances from zero, ascending, eight per octave up to the largest f32 number.
fn distances() -> impl Iterator<Item = f64> {
    let eighths = (-32..1024).map(|k| 2f64.powf(f64::from(k) / 8.0));
    eighths.chain([MAX])
}

impl End {
    /// Fits an asymptote to `good`, the last pairs `(x, y)` of a function that are accurate.
    ///
    /// The asymptote begins where the function first agrees with it. `None` if no asymptote agrees with four values or more.
    fn of(side: f64, good: &[(f64, f64)], by_series: bool) -> Option<End> {
        let [.., (x1, y1), (x2, y2)] = good else { return None };
        let slope = (y2 - y1) / (x2 - x1);
        let order = (y1 / y2).ln() / (x2 / x1).ln();
        let orders = (order > 0.5 && order < MOST_ORDER).then(|| order.round() as i32);
        let flat = if y2.abs() < VANISHED { 0.0f64.copysign(*y2) } else { *y2 };
        let straight = [(0.0, flat), (y2 / x2, 0.0), (slope, y1 - slope * x1)];
        let straight = straight.map(|(slope, offset)| Line::Straight { slope, offset });
        let power = orders.map(|order| Line::Power { scale: y2 * x2.powi(order), order });
        // Where the terms of a difference cancel, no value is accurate far enough out for one term of its series.
        let near = good.iter().rev().nth(SERIES_FROM).filter(|_| by_series);
        let series = orders
            .zip(near)
            .map(|(order, near)| [1, 2].map(|step| Line::series(order, step, *near, (*x2, *y2))));
        let series = series.into_iter().flatten();
        straight.into_iter().chain(power).chain(series).map(Line::rounded).find_map(|line| {
            let end = End { side, from: *x2, line };
            let on_it = good.iter().rev().take_while(|(x, y)| end.serves(*x, *y)).count();
            // Any two points lie on a line, so that further ones have to confirm it.
            let from = good.len().checked_sub(on_it)?;
            (on_it >= 4).then(|| End { from: good[from].0, ..end })
        })
    }

    /// Returns whether a function's value `y` at `x` agrees with this asymptote, up to rounding.
    fn serves(&self, x: f64, y: f64) -> bool {
        let line = self.line.at(x);
        line == y || (line - y).abs() <= NEAR * y.abs() || line == 0.0 && y.abs() < VANISHED
    }

    /// Returns whether a function's inaccurate value at `x` is known to be another than that of this asymptote.
    ///
    /// For example, the derivative of `min(1 / x, 4) x` is 4 up to 1/4, and 0 beyond, where its terms cancel.
    fn is_refuted(&self, x: f64, v: &Bounded) -> bool {
        let off = (self.line.at(x) - v.value).abs();
        // Bounds of errors are those of the first order.
        off > 2.0 * v.error + NEAR * v.value.abs() && off > VANISHED
    }

    /// Emits a function with its tail replaced by this asymptote.
    fn applied(&self, b: &mut Builder, stream: u16, function: Id) -> Id {
        let (x, from) = (b.stream(stream.into()), b.num(self.from));
        let beyond = if self.side > 0.0 { [from, x] } else { [x, from] };
        let beyond = b.call(Prim::Lt, &beyond);
        let end = self.line.emitted(b, x);
        b.call(Prim::Select, &[beyond, end, function])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests `x / (1 + x) - 1`, which is about `-1 / x + 1 / x^2`, and cancels before the second term vanishes.
    #[test]
    fn two_terms_reach_nearer_than_one() {
        let mut b = Builder::new();
        let (x, one) = (b.stream(0), b.num(1.0));
        let below = b.sum(x, one);
        let ratio = b.quotient(x, below);
        let y = b.difference(ratio, one);
        let graph = b.finish(&[y]);
        let limited = with_series(&graph);
        for x in [300.0, 1e5, 1e12, 1e30] {
            let want = -1.0 / (1.0 + x);
            let [got, written] = [&limited, &graph].map(|graph| graph.eval(&[x], &[])[0]);
            assert!((got / want - 1.0).abs() < 1e-8, "{x}: {got:e}, not {want:e}");
            assert!(x < 1e9 || (written / want - 1.0).abs() > 1e-8, "{x}: {written:e}");
        }
    }

    /// The derivative of `min(1 / x, 4) x`, whose terms cancel beyond 1/4.
    #[test]
    fn a_constant_ends_where_inaccurate_values_refute_it() {
        let mut b = Builder::new();
        let x = b.stream(0);
        let (one, most, zero) = (b.num(1.0), b.num(4.0), b.num(0.0));
        let inverse = b.quotient(one, x);
        let bounded = b.call(Prim::Min, &[inverse, most]);
        let is_inside = b.call(Prim::Lt, &[inverse, most]);
        let square = b.product(x, x);
        let slope = b.quotient(x, square);
        let slope = b.call(Prim::Select, &[is_inside, slope, zero]);
        let derivative = b.difference(bounded, slope);
        let graph = b.finish(&[derivative]);
        let limited = run(&graph);
        for (at, want) in [(0.0625, 4.0), (0.2, 4.0), (0.5, 0.0), (3.0, 0.0), (1e30, 0.0)] {
            let got = limited.eval(&[at], &[])[0];
            assert!((got - want).abs() < 1e-12, "{at}: {got}");
        }
    }
}
