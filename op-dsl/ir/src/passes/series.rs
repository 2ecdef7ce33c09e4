//! Gives functions that lose their digits near zero their power series there.
//!
//! `x - tanh(x)` is `x^3/3` to every digit where both terms are `x` to every digit. Where the bound
//! of rounding says that a function of one stream has no good value near zero, it is evaluated by
//! its Taylor series, whose coefficients are worked out by the rules of power series: what cancels
//! has cancelled in them.
//!
//! A function of `|x|`, or of what is chosen by the sign of `x`, has a series on either side of zero, in powers of
//! `|x|`: `|x| + ln(1 + exp(-2|x|)) - ln 2` is `x^2/2`.

use super::products::{Sole, sole_streams};
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::rounding::{Arithmetic, Point, evaluate};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// Terms of a series.
const TERMS: usize = 26;
/// How far a value may be from the truth to be good, relative to it.
const GOOD: f64 = 1.0 / (1u64 << 29) as f64;
/// Series are not used further out.
const FURTHEST: i32 = -2;

/// Replaces functions near zero.
pub fn run(graph: &Graph) -> Graph {
    let (sole, smooth) = (sole_streams(graph), smooth(graph));
    let whole = whole(graph, &sole, &smooth);
    let series = all_series(graph, Variable::Stream);
    let sides = [-1.0, 1.0].map(|sign| all_series(graph, Variable::Size { sign }));
    let mut b = Builder::new();
    let mut new: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    // Which nodes have a series, or are made of one that has.
    let mut has_series: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let mut id = b.add(node.map_args(&new));
        let below = node.args().iter().any(|a| has_series[a.index()]);
        let form = match (smooth[i], &series[i], &sides) {
            (true, Some(series), _) => Some(Form::Smooth(series)),
            (false, _, [left, right]) if !below => {
                left[i].as_ref().zip(right[i].as_ref()).map(|(l, r)| Form::Sides([l, r]))
            }
            _ => None,
        };
        let reach = match (whole[i], sole[i], &form) {
            (true, Sole::One(stream), Some(form)) => {
                let function = Id(i as u32);
                reach(graph, stream, function, form).map(|reach| (stream, reach))
            }
            _ => None,
        };
        if let (Some((stream, reach)), Some(form)) = (reach, form) {
            id = near_zero(&mut b, stream, form, reach, id);
        }
        has_series.push(below || reach.is_some());
        new.push(id);
    }
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    b.finish(&outputs)
}

/// What a function is near zero.
enum Form<'s> {
    /// A series of its stream.
    Smooth(&'s Series),
    /// Series of its magnitude, where it is negative and where it is positive.
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

/// Which nodes have no kink or jump in what they are made of.
fn smooth(graph: &Graph) -> Vec<bool> {
    let mut smooth: Vec<bool> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        let own = !matches!(node, Node::Call(prim, _) if !prim.is_smooth());
        smooth.push(own && node.args().iter().all(|a| smooth[a.index()]));
    }
    smooth
}

/// Which nodes are the whole of a function of one stream: outputs, and what others or a choice take.
fn whole(graph: &Graph, sole: &[Sole], smooth: &[bool]) -> Vec<bool> {
    let mut whole = vec![false; graph.nodes.len()];
    for (i, node) in graph.nodes.iter().enumerate() {
        let comparison = matches!(node, Node::Call(prim, _) if prim.is_comparison());
        let outer = (sole[i] == Sole::Several || !smooth[i]) && !comparison;
        node.args().iter().filter(|_| outer).for_each(|a| whole[a.index()] = true);
    }
    graph.outputs.iter().for_each(|o| whole[o.index()] = true);
    let is_call = |i: usize| matches!(graph.nodes[i], Node::Call(prim, _) if !prim.is_comparison());
    (0..whole.len()).map(|i| whole[i] && is_call(i)).collect()
}

/// Up to what distance from zero the series is to be used: as far as values are not good, if it is
/// good there.
fn reach(graph: &Graph, stream: u16, id: Id, form: &Form) -> Option<f64> {
    let value = |x: f64| {
        let point = Point::single(stream.into(), x);
        evaluate(graph, Arithmetic::F64, &point, id)[id.index()]
    };
    let is_good = |x: f64| {
        let v = value(x);
        v.error <= GOOD * v.value.abs()
    };
    // Sides meet in what the function is at zero.
    let at_zero = value(0.0);
    let meets = |series: &&Series| (at_zero.value - series[0]).abs() <= at_zero.error;
    if matches!(form, Form::Sides(both) if !both.iter().all(meets)) {
        return None;
    }
    // An irregular mantissa: powers of two round to themselves.
    let at = |exponent: i32| 1.328_947_f64 * 2f64.powi(exponent);
    let bad = (-149..FURTHEST).rev().find(|e| !is_good(at(*e)) || !is_good(-at(*e)))?;
    let reach = 2f64.powi(bad + 2);
    let converges = |series: &&Series| {
        let Some(first) = series.iter().position(|c| *c != 0.0) else { return false };
        let size = |k: usize| (series[k] * reach.powi((k - first) as i32)).abs();
        let rest: f64 = (TERMS - 4..TERMS).map(size).sum();
        rest <= 1e-3 * GOOD * size(first)
    };
    (bad + 2 <= FURTHEST && form.all().iter().all(converges)).then_some(reach)
}

/// `if |x| < reach { series } else { function }`
fn near_zero(b: &mut Builder, stream: u16, form: Form, reach: f64, function: Id) -> Id {
    let x = b.stream(stream.into());
    let size = b.call(Prim::Abs, &[x]);
    let value = match form {
        Form::Smooth(series) => polynomial(b, x, series, reach),
        Form::Sides([left, right]) => {
            let [left, right] = [left, right].map(|series| polynomial(b, size, series, reach));
            let zero = b.num(0.0);
            let is_left = b.call(Prim::Lt, &[x, zero]);
            // The same on both sides, it is one value.
            if left == right { left } else { b.call(Prim::Select, &[is_left, left, right]) }
        }
    };
    let reach = b.num(reach);
    let is_near = b.call(Prim::Lt, &[size, reach]);
    b.call(Prim::Select, &[is_near, value, function])
}

/// The first terms of a series: as many as count up to `reach`.
fn polynomial(b: &mut Builder, x: Id, series: &Series, reach: f64) -> Id {
    let first = series.iter().position(|c| *c != 0.0).unwrap_or(0);
    let needed = |k: &usize| {
        (series[*k] * reach.powi((*k - first) as i32)).abs() > 1e-3 * GOOD * series[first].abs()
    };
    let mut sum: Option<(usize, Id)> = None;
    for k in (first..TERMS)
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

/// Coefficients of powers of the variable, from that of 1 on.
type Series = [f64; TERMS];

/// What series are in powers of.
#[derive(Clone, Copy)]
enum Variable {
    /// The stream.
    Stream,
    /// Its magnitude, where it has this sign.
    Size { sign: f64 },
}

/// The series of every node that has one.
fn all_series(graph: &Graph, variable: Variable) -> Vec<Option<Series>> {
    let slope = if let Variable::Size { sign } = variable { sign } else { 1.0 };
    let mut all: Vec<Option<Series>> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        let series = match *node {
            Node::Stream(_) => Some(std::array::from_fn(|k| if k == 1 { slope } else { 0.0 })),
            Node::Scalar(_) => None,
            Node::Const(c) => Some(constant(c)),
            Node::Call(prim, args) => {
                let arg = |k: usize| args.get(k).and_then(|a| *all.get(a.index())?);
                arg(0).and_then(|x| match variable {
                    Variable::Size { .. } if !prim.is_smooth() => chosen(prim, x, arg(1), arg(2)),
                    _ => call(prim, &x, arg(1), arg(2)),
                })
            }
        };
        all.push(series.filter(|s| s.iter().all(|c| c.is_finite())));
    }
    all
}

/// The series of a call that is not smooth, where the variable is positive, and what is asked for is decided
/// by one power of it.
fn chosen(prim: Prim, x: Series, y: Option<Series>, z: Option<Series>) -> Option<Series> {
    let apart = |x: &Series, y: &Series| sign(&plus(x, -1.0, y));
    let truth = |holds: bool| constant(f64::from(u8::from(holds)));
    Some(match prim {
        Prim::Abs => scaled(sign(&x)?, &x),
        Prim::Lt => truth(apart(&x, &y?)? < 0.0),
        Prim::Le => truth(apart(&x, &y?)? <= 0.0),
        Prim::Eq => truth(apart(&x, &y?)? == 0.0),
        Prim::Select => {
            if x[0] != 0.0 {
                y?
            } else {
                z?
            }
        }
        Prim::Min => {
            if apart(&x, &y?)? < 0.0 {
                x
            } else {
                y?
            }
        }
        Prim::Max => {
            if apart(&x, &y?)? > 0.0 {
                x
            } else {
                y?
            }
        }
        _ => return None,
    })
}

/// The sign of a number times a power of the variable.
fn sign(x: &Series) -> Option<f64> {
    let mut terms = x.iter().filter(|c| **c != 0.0);
    match (terms.next(), terms.next()) {
        (None, _) => Some(0.0),
        (Some(c), None) => Some(c.signum()),
        _ => None,
    }
}

/// The series of a call, from those of its arguments.
fn call(prim: Prim, x: &Series, y: Option<Series>, z: Option<Series>) -> Option<Series> {
    let one = &constant(1.0);
    // A function by its value at zero and its derivative.
    let by_slope = |slope: Series| {
        let first = (prim.row().oracle)([x[0], f64::NAN, f64::NAN]);
        Some(integral(first, &times(&slope, &derivative(x))))
    };
    match prim {
        Prim::Neg => Some(scaled(-1.0, x)),
        Prim::Add => Some(plus(x, 1.0, &y?)),
        Prim::Sub => Some(plus(x, -1.0, &y?)),
        Prim::Mul => Some(times(x, &y?)),
        Prim::Mul3 => Some(times(&times(x, &y?), &z?)),
        Prim::Div => over(x, &y?),
        Prim::Sqrt => sqrt(x),
        Prim::Exp => Some(exp(x)),
        Prim::Expm1 => by_slope(exp(x)),
        Prim::Ln => by_slope(over(one, x)?),
        Prim::Log1p => by_slope(over(one, &plus(one, 1.0, x))?),
        Prim::Sin => Some(turned(x)[0]),
        Prim::Cos => Some(turned(x)[1]),
        Prim::Atan => by_slope(over(one, &plus(one, 1.0, &times(x, x)))?),
        Prim::Sigmoid => sigmoid(x),
        Prim::Tanh => Some(plus(&scaled(2.0, &sigmoid(&scaled(2.0, x))?), -1.0, one)),
        Prim::Softplus => by_slope(sigmoid(x)?),
        Prim::Erf => by_slope(scaled(FRAC_2_SQRT_PI, &bell(-1.0, x))),
        Prim::Erfc => by_slope(scaled(-FRAC_2_SQRT_PI, &bell(-1.0, x))),
        Prim::NormalCdf => by_slope(density(x)),
        Prim::Silu => Some(times(x, &sigmoid(x)?)),
        _ => None,
    }
}

fn constant(c: f64) -> Series {
    std::array::from_fn(|k| if k == 0 { c } else { 0.0 })
}

/// A sum of terms, zero where it is nothing but rounding.
fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), t| (sum + t, size + t.abs()));
    if f64::abs(sum) <= 1e-13 * size { 0.0 } else { sum }
}

fn scaled(c: f64, x: &Series) -> Series {
    x.map(|v| c * v)
}

/// `x + c y`
fn plus(x: &Series, c: f64, y: &Series) -> Series {
    std::array::from_fn(|k| sum([x[k], c * y[k]].into_iter()))
}

fn times(x: &Series, y: &Series) -> Series {
    std::array::from_fn(|k| sum((0..=k).map(|i| x[i] * y[k - i])))
}

/// `x / y`, if `y` is not zero at zero.
fn over(x: &Series, y: &Series) -> Option<Series> {
    let mut q = [0.0; TERMS];
    for k in 0..TERMS {
        let rest = sum((0..k).map(|i| -q[i] * y[k - i]).chain([x[k]]));
        q[k] = rest / y[0];
    }
    (y[0] != 0.0).then_some(q)
}

/// `y' / y = x'`
fn exp(x: &Series) -> Series {
    let mut y = constant(libm::exp(x[0]));
    for k in 1..TERMS {
        y[k] = sum((1..=k).map(|i| i as f64 * x[i] * y[k - i])) / k as f64;
    }
    y
}

/// Sine and cosine: `s' = c x'`, `c' = -s x'`.
fn turned(x: &Series) -> [Series; 2] {
    let (mut s, mut c) = (constant(libm::sin(x[0])), constant(libm::cos(x[0])));
    for k in 1..TERMS {
        let flow = |y: &Series| sum((1..=k).map(|i| i as f64 * x[i] * y[k - i])) / k as f64;
        (s[k], c[k]) = (flow(&c), -flow(&s));
    }
    [s, c]
}

/// `1 / (1 + e^-x)`
fn sigmoid(x: &Series) -> Option<Series> {
    let one = constant(1.0);
    over(&one, &plus(&one, 1.0, &exp(&scaled(-1.0, x))))
}

/// `y y = x`
fn sqrt(x: &Series) -> Option<Series> {
    let mut y = constant(x[0].sqrt());
    for k in 1..TERMS {
        let rest = sum((1..k).map(|i| -y[i] * y[k - i]).chain([x[k]]));
        y[k] = rest / (2.0 * y[0]);
    }
    (x[0] > 0.0).then_some(y)
}

/// `e^(k x^2)`
fn bell(k: f64, x: &Series) -> Series {
    exp(&scaled(k, &times(x, x)))
}

/// `e^(-x^2/2) / sqrt(2 pi)`
fn density(x: &Series) -> Series {
    scaled(0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2, &bell(-0.5, x))
}

fn derivative(x: &Series) -> Series {
    std::array::from_fn(|k| x.get(k + 1).map_or(0.0, |c| (k + 1) as f64 * c))
}

fn integral(first: f64, x: &Series) -> Series {
    std::array::from_fn(|k| if k == 0 { first } else { x[k - 1] / k as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pass's own value of a formula of stream 0.
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
            // The same with a sign: not one series for both sides.
            let signed = |b: &mut Builder, x: Id| {
                let (sign, value) = (b.sign(x), log_cosh(b, x));
                b.product(sign, value)
            };
            close(at(&signed, x), want);
            close(at(&signed, -x), -want);
        }
        assert_eq!(at(&log_cosh, 0.0), 0.0);
    }

    /// A choice that is made near zero, but not at it, and a jump.
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

    /// The series of `f(x / 2)`, against the row's own values.
    #[test]
    fn series_have_the_values_of_their_rows() {
        for row in crate::prim::TABLE.iter().filter(|r| r.arity == 1) {
            let half: Series = std::array::from_fn(|k| if k == 1 { 0.5 } else { 0.0 });
            // Away from zero where there is no value on both sides of it.
            let shift = if row.domain.0 == 0.0 { 1.5 } else { 0.0 };
            let argument = plus(&half, shift, &constant(1.0));
            let Some(series) = call(row.prim, &argument, None, None) else { continue };
            for x in [-0.4, -0.03, 0.2, 0.41] {
                let value: f64 = series.iter().rev().fold(0.0, |sum, c| sum * x + c);
                let want = (row.oracle)([shift + 0.5 * x, f64::NAN, f64::NAN]);
                assert!((value - want).abs() <= 1e-14, "{}({x}): {value}, not {want}", row.name);
            }
        }
    }
}
