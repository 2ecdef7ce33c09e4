//! Series of functions of one stream near zero.

use super::expand::{Variable, all_series};
use super::taylor::{Series, known};
use crate::analysis::Inputs;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::rounding::{Arithmetic, Bounded, Point, evaluate};

/// Largest relative error of an accurate value: 2^-29, which is 1/32 of the unit roundoff of f32, 2^-24.
const GOOD: f64 = 1.0 / (1u64 << 29) as f64;
/// Largest distances from the expansion point at which a series is used, as powers of two: 1/4 and 4.
///
/// The distance 4 is tried only where 1/4 does not suffice, because few series converge at 4.
const FURTHEST: [i32; 2] = [-2, 2];

/// Replaces functions of one stream by their power series near zero.
pub(super) fn run(graph: &Graph) -> Graph {
    let (inputs, smooth) = (graph.inputs(), smooth(graph));
    let whole = whole(graph, &inputs, &smooth);
    let series = all_series(graph, Variable::Stream).series;
    let [left, right] = [-1.0, 1.0].map(|sign| all_series(graph, Variable::Size { sign }));
    let (above, up_to) = (left.above.max(right.above), left.below.min(right.below));
    // Nodes that were replaced by a series, or that depend on such a node.
    let mut has_series: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    graph.rewrite_at(|b, at| {
        let (i, mut id) = (at.id.index(), b.add(at.copy()));
        let below = at.node.args().iter().any(|a| has_series[a.index()]);
        let form = match (smooth[i], &series[i]) {
            (true, Some(series)) => Some(Form::Smooth(series)),
            (false, _) if !below => {
                let sides = left.series[i].as_ref().zip(right.series[i].as_ref());
                sides.map(|(left, right)| Form::Sides([left, right]))
            }
            _ => None,
        };
        let reach = match (whole[i], inputs[i].sole_stream(), &form) {
            (true, Some(stream), Some(form)) => {
                let value = |x: f64| {
                    let point = Point::single(stream.into(), x);
                    evaluate(graph, Arithmetic::F64, &point, at.id)[i]
                };
                let valid = if smooth[i] { EVERYWHERE } else { [above, up_to] };
                reach(&value, form, 0.0, valid).map(|reach| (stream, reach))
            }
            _ => None,
        };
        if let (Some((stream, reach)), Some(form)) = (reach, form) {
            let x = b.stream(stream.into());
            id = replaced(b, x, &form, reach, id);
        }
        has_series.push(below || reach.is_some());
        id
    })
}

/// Power series of a function near a point: one for both sides, or one per side.
pub(super) enum Form<'s> {
    /// Power series in the variable.
    Smooth(&'s Series),
    /// Power series in the variable's magnitude, for negative and for positive values.
    Sides([&'s Series; 2]),
}

impl Form<'_> {
    fn all(&self) -> &[&Series] {
        match self {
            Form::Smooth(series) => core::slice::from_ref(series),
            Form::Sides(both) => both,
        }
    }
}

/// Returns, per node, whether it is computed by smooth primitives alone, without breakpoints or jumps.
pub(super) fn smooth(graph: &Graph) -> Vec<bool> {
    let is_smooth = |node: Node| !matches!(node, Node::Call(prim, _) if !prim.is_smooth());
    graph.forward(|at| is_smooth(at.node) && at.args().all(|smooth| *smooth))
}

/// Returns, per node, whether it is a maximal function of one stream.
///
/// A maximal function is an output, or an argument of a `select` or other non-smooth call, or of a node that depends on several
/// streams.
fn whole(graph: &Graph, inputs: &[Inputs], smooth: &[bool]) -> Vec<bool> {
    let is_comparison = |node: Node| matches!(node, Node::Call(prim, _) if prim.is_comparison());
    let whole = graph.live_out(|id, node| {
        (inputs[id.index()].are_several() || !smooth[id.index()]) && !is_comparison(node)
    });
    let is_call = |node: Node| matches!(node, Node::Call(..)) && !is_comparison(node);
    whole.into_iter().zip(graph.nodes.iter()).map(|(whole, node)| whole && is_call(*node)).collect()
}

/// Interval around a point in which a series replaces the function.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// Distance up to which the function is evaluated as written; beyond it, the series holds.
    ///
    /// Up to this distance comparisons in the function have other results than the series assumes.
    pub(super) above: f64,
    pub(super) distance: f64,
    pub(super) has_value: bool,
}

/// Distances at which a series of smooth functions is valid: all.
pub(super) const EVERYWHERE: [f64; 2] = [0.0, f64::INFINITY];

/// Returns the interval around `from` in which a series replaces the function.
///
/// The interval covers all inaccurate values, which have to lie at the distances where the series are `valid`. `None` if there are none, or if the series does not converge up to the last of
/// them.
pub(super) fn reach(
    value: &dyn Fn(f64) -> Bounded,
    form: &Form,
    from: f64,
    [above, below]: [f64; 2],
) -> Option<Reach> {
    let is_good = |x: f64| {
        let v = value(x);
        v.error <= GOOD * v.value.abs()
    };
    let at_point = value(from);
    // True if the series has the function's value at zero, to within its error; both sides have to.
    let meets = |series: &&Series| (at_point.value - series[0]).abs() <= at_point.error;
    if matches!(form, Form::Sides(both) if above == 0.0 && !both.iter().all(meets)) {
        return None;
    }
    // The mantissa is irregular, because powers of two are exact and would hide rounding errors.
    let at = |exponent: i32| 1.328_947_f64 * 2f64.powi(exponent);
    // Exponent of the least distance that is sampled, since a nearer number rounds to the point itself in f32.
    let nearest = match from {
        0.0 => above.log2().ceil().max(-149.0) as i32,
        _ => (from.abs().log2() as i32 - 24).max(-149),
    };
    let is_bad = |sign: f64, exponent: i32| match from {
        0.0 => !is_good(sign * at(exponent)),
        _ => !is_good(f64::from((from + sign * at(exponent)) as f32)),
    };
    let bad_within =
        |furthest: i32| (nearest..furthest).rev().find(|e| is_bad(1.0, *e) || is_bad(-1.0, *e));
    let converges = |distance: f64, series: &Series| {
        let known = known(series);
        let Some(first) = series[..known - 4].iter().position(|c| *c != 0.0) else { return false };
        let size = |k: usize| (series[k] * distance.powi((k - first) as i32)).abs();
        let rest: f64 = (known - 4..known).map(size).sum();
        rest <= 1e-3 * GOOD * size(first)
    };
    let used_within = |furthest: i32| {
        let end = bad_within(furthest)? + 2;
        let distance = 2f64.powi(end);
        let is_used = end <= furthest
            && distance <= below
            && form.all().iter().all(|s| converges(distance, s));
        is_used.then_some(Reach { above, distance, has_value: !at_point.value.is_nan() })
    };
    bad_within(FURTHEST[0])?;
    FURTHEST.into_iter().find_map(used_within)
}

/// Emits `if |x| < reach.distance { series of x } else { function }`.
pub(super) fn replaced(b: &mut Builder, x: Id, form: &Form, reach: Reach, function: Id) -> Id {
    let size = b.call(Prim::Abs, &[x]);
    let value = match form {
        Form::Smooth(series) => polynomial(b, x, series, reach.distance),
        Form::Sides([left, right]) => {
            let [left, right] =
                [left, right].map(|series| polynomial(b, size, series, reach.distance));
            let zero = b.num(0.0);
            let is_left = b.call(Prim::Lt, &[x, zero]);
            // Equal series need no `select`.
            if left == right { left } else { b.call(Prim::Select, &[is_left, left, right]) }
        }
    };
    let distance = b.num(reach.distance);
    let is_near = b.call(Prim::Lt, &[size, distance]);
    let replaced = b.call(Prim::Select, &[is_near, value, function]);
    if reach.above > 0.0 {
        let above = b.num(reach.above);
        let is_above = b.call(Prim::Lt, &[above, size]);
        return b.call(Prim::Select, &[is_above, replaced, function]);
    }
    if reach.has_value {
        return replaced;
    }
    // The formula as written is NaN at the point itself, and stays NaN there.
    let zero = b.num(0.0);
    let is_there = b.call(Prim::Eq, &[x, zero]);
    b.call(Prim::Select, &[is_there, function, replaced])
}

/// Emits the terms of a series that matter for `|x|` up to `reach`, by Horner's scheme.
fn polynomial(b: &mut Builder, x: Id, series: &Series, reach: f64) -> Id {
    let known = known(series);
    let first = series[..known].iter().position(|c| *c != 0.0).unwrap_or(0);
    let needed = |k: &usize| {
        (series[*k] * reach.powi((*k - first) as i32)).abs() > 1e-3 * GOOD * series[first].abs()
    };
    let mut sum: Option<(usize, Id)> = None;
    for k in (first..known)
        .filter(|k| series[*k] != 0.0)
        .filter(needed)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        let c = b.num(series[k]);
        let value = sum.map_or(c, |(last, value)| {
            let power = b.power(x, (last - k) as i32);
            let product = b.product(power, value);
            b.sum(c, product)
        });
        sum = Some((k, value));
    }
    let value = sum.map_or_else(|| b.num(0.0), |(_, value)| value);
    let power = b.power(x, first as i32);
    if first == 0 { value } else { b.product(power, value) }
}
