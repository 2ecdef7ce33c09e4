//! Gives functions that lose their digits near zero their power series there.
//!
//! `x - tanh(x)` is `x^3/3` to every digit where both terms are `x` to every digit. Where the bound
//! of rounding says that a function of one stream has no good value near zero, it is evaluated by
//! its Taylor series, whose coefficients are worked out by the rules of power series: what cancels
//! has cancelled in them.

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
    let sole = sole_streams(graph);
    let (smooth, series) = (smooth(graph), all_series(graph));
    let whole = whole(graph, &sole, &smooth);
    let mut b = Builder::new();
    let mut new: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let mut id = b.add(node.map_args(&new));
        if let (true, Sole::One(stream), Some(series)) = (whole[i], sole[i], &series[i])
            && let Some(reach) = reach(graph, stream, Id(i as u32), series)
        {
            id = near_zero(&mut b, stream, series, reach, id);
        }
        new.push(id);
    }
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    b.finish(&outputs)
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

/// Which nodes are the whole of a smooth function of one stream: outputs, and what others or a
/// choice take.
fn whole(graph: &Graph, sole: &[Sole], smooth: &[bool]) -> Vec<bool> {
    let mut whole = vec![false; graph.nodes.len()];
    for (i, node) in graph.nodes.iter().enumerate() {
        let comparison = matches!(node, Node::Call(prim, _) if prim.is_comparison());
        let outer = (sole[i] == Sole::Several || !smooth[i]) && !comparison;
        node.args().iter().filter(|_| outer).for_each(|a| whole[a.index()] = true);
    }
    graph.outputs.iter().for_each(|o| whole[o.index()] = true);
    let is_call = |i: usize| matches!(graph.nodes[i], Node::Call(..));
    (0..whole.len()).map(|i| whole[i] && smooth[i] && is_call(i)).collect()
}

/// Up to what distance from zero the series is to be used: as far as values are not good, if it is
/// good there.
fn reach(graph: &Graph, stream: u16, id: Id, series: &Series) -> Option<f64> {
    let is_good = |x: f64| {
        let point = Point::single(stream.into(), x);
        let v = evaluate(graph, Arithmetic::F64, &point, id)[id.index()];
        v.error <= GOOD * v.value.abs()
    };
    // An irregular mantissa: powers of two round to themselves.
    let at = |exponent: i32| 1.328_947_f64 * 2f64.powi(exponent);
    let bad = (-149..FURTHEST).rev().find(|e| !is_good(at(*e)) || !is_good(-at(*e)))?;
    let reach = 2f64.powi(bad + 2);
    let first = series.iter().position(|c| *c != 0.0)?;
    let size = |k: usize| (series[k] * reach.powi((k - first) as i32)).abs();
    let rest: f64 = (TERMS - 4..TERMS).map(size).sum();
    (bad + 2 <= FURTHEST && rest <= 1e-3 * GOOD * size(first)).then_some(reach)
}

/// `if |x| < reach { series } else { function }`
fn near_zero(b: &mut Builder, stream: u16, series: &Series, reach: f64, function: Id) -> Id {
    let x = b.stream(stream.into());
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
    let value = sum.map_or(function, |(_, value)| value);
    let power = b.power(x, first as i32);
    let value = if first == 0 { value } else { b.product(power, value) };
    let (size, reach) = (b.call(Prim::Abs, &[x]), b.num(reach));
    let is_near = b.call(Prim::Lt, &[size, reach]);
    b.call(Prim::Select, &[is_near, value, function])
}

/// Coefficients of powers of the stream, from that of 1 on.
type Series = [f64; TERMS];

/// The series of every node that has one.
fn all_series(graph: &Graph) -> Vec<Option<Series>> {
    let mut all: Vec<Option<Series>> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        let series = match *node {
            Node::Stream(_) => Some(std::array::from_fn(|k| f64::from(u8::from(k == 1)))),
            Node::Scalar(_) => None,
            Node::Const(c) => Some(constant(c)),
            Node::Call(prim, args) => {
                let arg = |k: usize| args.get(k).and_then(|a| *all.get(a.index())?);
                arg(0).and_then(|x| call(prim, &x, arg(1), arg(2)))
            }
        };
        all.push(series.filter(|s| s.iter().all(|c| c.is_finite())));
    }
    all
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
