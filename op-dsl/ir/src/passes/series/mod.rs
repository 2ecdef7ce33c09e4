//! Replaces functions that lose their digits near a point by their power series there.
//!
//! For example, near zero `x - tanh(x)` is `x^3/3`, but both terms round to `x`. Where the rounding bound says that a function of
//! one stream has no accurate value near zero, it is evaluated by its Taylor series. The coefficients come from the arithmetic of
//! power series, so that the terms that cancel have already cancelled in them. A quotient whose divisor is zero there has a series
//! too, if its poles cancel: `cos(x)/x - sin(x)/x^2` is `-x/3`.
//!
//! A function of `|x|`, or of a `select` by the sign of `x`, has one series on either side of zero, in powers of `|x|`. For
//! example, `|x| + ln(1 + exp(-2|x|)) - ln 2` is `x^2/2`.
//!
//! ```text
//! taylor     arithmetic of power series
//! expand     the series of every node of a graph
//! elsewhere  series near other points, and of functions of values other than a stream
//! ```

mod elsewhere;
mod expand;
mod taylor;

use crate::analysis::Inputs;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::rounding::{Arithmetic, Bounded, Point, evaluate};
use expand::{Variable, all_series};
use taylor::{Series, known};

/// Largest relative error of an accurate value: 2^-29, which is 1/32 of the unit roundoff of f32, 2^-24.
const GOOD: f64 = 1.0 / (1u64 << 29) as f64;
/// Largest distances from the expansion point at which a series is used, as powers of two: 1/4 and 4.
///
/// The distance 4 is tried only where 1/4 does not suffice, because few series converge at 4.
const FURTHEST: [i32; 2] = [-2, 2];

/// Replaces functions that lose their digits by power series, near zero and then near other points.
pub fn run(graph: &Graph) -> Graph {
    elsewhere::run(&near_zero(graph))
}

/// Replaces functions of one stream by their power series near zero.
fn near_zero(graph: &Graph) -> Graph {
    let (inputs, smooth) = (graph.inputs(), smooth(graph));
    let whole = whole(graph, &inputs, &smooth);
    let series = all_series(graph, Variable::Stream).series;
    let [left, right] = [-1.0, 1.0].map(|sign| all_series(graph, Variable::Size { sign }));
    let above = left.above.max(right.above);
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
                let above = if smooth[i] { 0.0 } else { above };
                reach(&value, form, 0.0, above).map(|reach| (stream, reach))
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
enum Form<'s> {
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
fn smooth(graph: &Graph) -> Vec<bool> {
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
struct Reach {
    /// Distance up to which the function is evaluated as written; beyond it, the series holds.
    ///
    /// Up to this distance comparisons in the function have other results than the series assumes.
    above: f64,
    distance: f64,
    has_value: bool,
}

/// Returns the interval around `from` in which a series replaces the function.
///
/// The interval covers all inaccurate values. `None` if there are none, or if the series does not converge up to the last of
/// them.
fn reach(value: &dyn Fn(f64) -> Bounded, form: &Form, from: f64, above: f64) -> Option<Reach> {
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
        let is_used = end <= furthest && form.all().iter().all(|s| converges(distance, s));
        is_used.then_some(Reach { above, distance, has_value: !at_point.value.is_nan() })
    };
    bad_within(FURTHEST[0])?;
    FURTHEST.into_iter().find_map(used_within)
}

/// Emits `if |x| < reach.distance { series of x } else { function }`.
fn replaced(b: &mut Builder, x: Id, form: &Form, reach: Reach, function: Id) -> Id {
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

#[cfg(test)]
mod tests {
    use super::*;
    use expand::call;
    use taylor::{constant, plus};

    /// Evaluates a formula of stream 0 at `x`, after the pass has rewritten it.
    fn at(formula: &impl Fn(&mut Builder, Id) -> Id, x: f64) -> f64 {
        let mut b = Builder::new();
        let stream = b.stream(0);
        let result = formula(&mut b, stream);
        run(&b.finish(&[result])).eval(&[x], &[])[0]
    }

    fn log_cosh(b: &mut Builder, x: Id) -> Id {
        let size = b.call(Prim::Abs, &[x]);
        let minus = b.scaled(-2.0, size);
        let e = b.call(Prim::Exp, &[minus]);
        let (log, ln2) = (b.call(Prim::Log1p, &[e]), b.num(std::f64::consts::LN_2));
        let sum = b.sum(size, log);
        b.difference(sum, ln2)
    }

    #[test]
    fn functions_of_a_magnitude_have_series_as_well() {
        let close = |is: f64, want: f64| assert!((is - want).abs() <= 1e-9 * want.abs(), "{is:e}");
        for x in [1e-30, 1e-9, 1e-4, 0.03, 0.7, 5.0] {
            let want = match x < 0.01 {
                true => x * x / 2.0 - x * x * x * x / 12.0,
                false => libm::log(libm::cosh(x)),
            };
            close(at(&log_cosh, x), want);
            close(at(&log_cosh, -x), want);
            // With a sign, the two sides need different series.
            let signed = |b: &mut Builder, x: Id| {
                let (sign, value) = (b.sign(x), log_cosh(b, x));
                b.product(sign, value)
            };
            close(at(&signed, x), want);
            close(at(&signed, -x), -want);
        }
        assert_eq!(at(&log_cosh, 0.0), 0.0);
    }

    /// Tests formulas with a breakpoint near zero but not at it, and with a jump at zero.
    #[test]
    fn what_bends_elsewhere_is_left_alone() {
        for bound in [0.01, 0.0] {
            let bent = |b: &mut Builder, x: Id| {
                let (bound, value) = (b.num(bound), log_cosh(b, x));
                let (above, one) = (b.call(Prim::Le, &[bound, x]), b.num(1.0));
                let sum = b.sum(one, value);
                let low = b.difference(sum, one);
                b.call(Prim::Select, &[above, one, low])
            };
            assert_eq!(at(&bent, 0.02), 1.0, "{bound}");
            assert_eq!(at(&bent, 0.0), if bound == 0.0 { 1.0 } else { 0.0 });
        }
    }

    /// Compares the series of `f(x / 2)` with the reference value of `f`, for each primitive `f`.
    #[test]
    fn series_have_the_values_of_their_rows() {
        for row in crate::prim::TABLE.iter().filter(|r| r.arity == 1) {
            let half: Series = std::array::from_fn(|k| if k == 1 { 0.5 } else { 0.0 });
            // Shifts the argument where the domain begins at zero, because the function has no value on the other side.
            let shift = if row.domain.0 == 0.0 { 1.5 } else { 0.0 };
            let argument = plus(&half, shift, &constant(1.0));
            let Some(series) = call(row.prim, &argument) else { continue };
            for x in [-0.4, -0.03, 0.2, 0.41] {
                let value: f64 = series.iter().rev().fold(0.0, |sum, c| sum * x + c);
                let want = (row.oracle)([shift + 0.5 * x, f64::NAN, f64::NAN]);
                assert!((value - want).abs() <= 1e-14, "{}({x}): {value}, not {want}", row.name);
            }
        }
    }
}
