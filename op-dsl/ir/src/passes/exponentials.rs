//! Joins exponentials that are multiplied, where one of them leaves the range of f64 and their product does not.
//!
//! For example, `exp(1.3 x) softplus(-x)` is about `exp(0.3 x)` for large `x`, but `inf * 0` where its factors leave f64. Here every
//! value is also `m exp(l)`: `l` is 0 as long as the value is moderate, and beyond that `m` is moderate. A product multiplies the
//! `m` and adds the `l`, and only then takes the exponential. A power multiplies `l` by its exponent: `powf(normal_cdf(x), 0.01)` is
//! a normal number where `normal_cdf(x)` is none of f64. Moderate values are computed as before.

use crate::analysis::Visit;
use crate::clamp_bounds::held;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::roles::is_factor;
use crate::rounding::{Arithmetic, Point, lines, outputs};
use core::f64::consts::{FRAC_1_SQRT_2, PI};

/// Exponent up to which a value is moderate.
///
/// Products of several moderate values are far from the largest f64. For larger exponents `v`, `softplus(-v)`, `sigmoid(-v)` and
/// `exp(-v)` are equal in f64.
const MODERATE: f64 = 40.0;
/// Largest exponent of an exponential that factor streams multiply.
///
/// `e^414` is 1e180. It is beyond f32, and its product with moderate factors and f32 numbers is finite in f64. A factor of zero
/// therefore makes the product zero and not NaN.
const GROWN: f64 = 414.0;
/// Argument up to which `erfc` is moderate.
const NEAR: f64 = 6.0;
/// Argument from which on `erfc` is computed by its asymptotic series. The first term that is left out is 4e-16 there.
const FAR: f64 = 16.0;
/// Magnitude of exponents that stands for infinity in sums.
const LARGEST: f64 = 1e300;
/// Largest magnitude of an exponent to which moderate values are raised.
const MOST_POWER: f64 = 8.0;
/// Coefficients of the series `erfc(z) = exp(-z^2) / (z sqrt(pi)) (1 - u + 3 u^2 - ..)` with `u = 1 / (2 z^2)`.
///
/// They reach f64, because a derivative subtracts all but the first two terms: that of `exp(x^2) erfc(x)` is about `-1 / x^2`.
const SERIES: [f64; 8] = [1.0, -1.0, 3.0, -15.0, 105.0, -945.0, 10_395.0, -135_135.0];
/// Factor by which exponents of powers are smaller at further sample points.
///
/// The exponential of 1/100 of an exponent that leaves f64, 745, is a normal number of f32.
const SMALL_EXPONENT: f64 = 0.01;
/// Largest relative error of a joined product that may replace the product as written, far below the 6e-8 of f32.
const GOOD: f64 = 1e-9;

/// A node's value, and its form `m exp(l)`.
#[derive(Clone, Copy)]
struct Value {
    plain: Id,
    m: Id,
    /// The exponent, if it can be other than 0.
    l: Option<Id>,
    /// Whether exponents of two factors were added, or an exponent was multiplied by that of a power.
    is_joined: bool,
}

/// Rewrites a graph so that products and powers of exponentials take one exponential of a sum.
///
/// Functions that grow or vanish like exponentials count as such. `None` if there is no such product or power.
pub fn joined(graph: &Graph) -> Option<Graph> {
    let mut b = Builder::new();
    let is_bounded = (0..graph.streams()).any(|stream| is_factor(graph, stream));
    let values = graph.forward(|at| value(&mut b, at, is_bounded));
    let results: Vec<Id> = graph.outputs.iter().map(|o| values[o.index()].plain).collect();
    values.iter().any(|value| value.is_joined).then(|| b.finish(&results))
}

/// Returns whether `joined` has an accurate result at a sample point where `graph` has another.
///
/// Attributes have either sign. Exponents of powers are small as well, which bring values back that are beyond f64. Two streams are
/// large at once as well, because `exp(a) softplus(d)` is `inf * 0` only where both are.
pub fn is_better(joined: &Graph, graph: &Graph) -> bool {
    let mut points: Vec<_> = lines(graph, &[]).flatten().collect();
    if graph.nodes.iter().any(|node| matches!(node, Node::Call(Prim::Pow, _))) {
        let mut small = points.clone();
        small.iter_mut().for_each(|point| point.scale_others(SMALL_EXPONENT));
        points.append(&mut small);
    }
    points.extend(far_out(graph));
    if graph.scalars() > 0 {
        let mut negative = points.clone();
        negative.iter_mut().for_each(|point| point.negate_scalars());
        points.append(&mut negative);
    }
    points.iter().any(|point| {
        let [new, old] = [joined, graph].map(|graph| outputs(graph, Arithmetic::F64, point));
        new.iter().zip(&old).any(|(new, old)| {
            let is_accurate = new.error <= GOOD * new.value.abs();
            let [new, old] = [new.value as f32, old.value as f32];
            let is_near = (new - old).abs() <= 1e-6 * new.abs() + f32::MIN_POSITIVE;
            is_accurate && !new.is_nan() && new != old && !is_near
        })
    })
}

/// Returns points where two streams are so large that exponentials of both leave f64, in every combination of signs.
fn far_out(graph: &Graph) -> Vec<Point> {
    const SIZES: [[f64; 2]; 4] =
        [[900.0, 1300.0], [900.0, -1300.0], [-900.0, 1300.0], [-900.0, -1300.0]];
    let mut all = Vec::new();
    for first in lines(graph, &[]).filter_map(|line| line.into_iter().next()) {
        for other in (0..graph.streams()).filter(|s| *s != first.varied) {
            for [x, y] in SIZES {
                let mut point = first.with_x(x);
                point.set(other, y);
                all.push(point);
            }
        }
    }
    all
}

fn value(b: &mut Builder, at: Visit<'_, Value>, is_bounded: bool) -> Value {
    let node = at.node.with_args(|id| at[id].plain);
    let args: Vec<Value> = at.args().copied().collect();
    let plain = b.add(node);
    let Node::Call(prim, _) = node else { return Value::from(plain) };
    let Some((m, l)) = form(b, prim, &args) else {
        return Value::from(logarithm(b, prim, &args).unwrap_or(plain));
    };
    let is_product = matches!(prim, Prim::Mul | Prim::Mul3 | Prim::Div);
    let joins = is_product && args.iter().filter(|arg| arg.l.is_some()).count() > 1
        || prim == Prim::Pow && args[0].l.is_some();
    let is_joined = joins || args.iter().any(|arg| arg.is_joined && arg.l.is_some());
    let plain = if is_joined { emitted(b, m, l, is_bounded) } else { plain };
    Value { plain, m, l: Some(l), is_joined }
}

impl From<Id> for Value {
    fn from(plain: Id) -> Value {
        Value { plain, m: plain, l: None, is_joined: false }
    }
}

/// Emits `m exp(l)`, with `l` at most [`GROWN`] if `is_bounded`.
fn emitted(b: &mut Builder, m: Id, l: Id, is_bounded: bool) -> Id {
    let most = b.num(GROWN);
    let l = if is_bounded { b.call(Prim::Min, &[l, most]) } else { l };
    let e = b.call(Prim::Exp, &[l]);
    b.product(m, e)
}

/// Emits a logarithm of a joined product, `ln(m) + l`, because the product itself may leave f64. `None` for any other call.
fn logarithm(b: &mut Builder, prim: Prim, args: &[Value]) -> Option<Id> {
    let [Value { plain, m, l: Some(l), is_joined: true }] = *args else { return None };
    if !matches!(prim, Prim::Ln | Prim::Log1p) {
        return None;
    }
    let log = b.call(Prim::Ln, &[m]);
    let far = b.sum(log, l);
    if prim == Prim::Ln {
        return Some(far);
    }
    let (near, bound) = (b.call(prim, &[plain]), b.num(MODERATE));
    let is_far = b.call(Prim::Lt, &[bound, l]);
    Some(b.call(Prim::Select, &[is_far, far, near]))
}

/// Emits the form `m exp(l)` of a call. `None` if it is the value itself.
fn form(b: &mut Builder, prim: Prim, args: &[Value]) -> Option<(Id, Id)> {
    let [x, ..] = args else { return None };
    match prim {
        Prim::Exp | Prim::Expm1 | Prim::Sigmoid | Prim::Softplus | Prim::Silu | Prim::SiluGrad => {
            Some(tail(b, prim, x.plain))
        }
        Prim::Erfc => {
            let square = b.product(x.plain, x.plain);
            Some(erfc(b, x.plain, square))
        }
        Prim::NormalCdf | Prim::Gelu => {
            let (z, square) = (b.scaled(-FRAC_1_SQRT_2, x.plain), b.product(x.plain, x.plain));
            let square = b.scaled(0.5, square);
            let (m, l) = erfc(b, z, square);
            let m = b.scaled(0.5, m);
            Some((if prim == Prim::Gelu { b.product(x.plain, m) } else { m }, l))
        }
        _ if args.iter().all(|arg| arg.l.is_none()) => None,
        Prim::Neg | Prim::Abs => Some((b.call(prim, &[x.m]), x.l?)),
        Prim::Sqrt => Some((b.call(prim, &[x.m]), b.scaled(0.5, x.l?))),
        Prim::Pow => {
            let exponent = args[1].plain;
            match b.as_const(exponent).is_some_and(|y| y.abs() <= MOST_POWER) {
                true => Some((b.call(prim, &[x.m, exponent]), b.product(exponent, x.l?))),
                false => Some(power(b, x.m, x.l?, exponent)),
            }
        }
        Prim::Mul | Prim::Mul3 => {
            let l = args.iter().filter_map(|arg| arg.l).reduce(|sum, l| b.sum(sum, l))?;
            let ms: Vec<Id> = args.iter().map(|arg| arg.m).collect();
            Some((b.call(prim, &ms), l))
        }
        Prim::Div => {
            let l = match (x.l, args[1].l) {
                (Some(above), Some(below)) => b.difference(above, below),
                (Some(above), None) => above,
                (None, below) => b.negative(below?),
            };
            Some((b.quotient(x.m, args[1].m), l))
        }
        Prim::Select => {
            let zero = b.num(0.0);
            let [yes, no] = [1, 2].map(|k| args[k].l.unwrap_or(zero));
            let m = b.call(prim, &[x.plain, args[1].m, args[2].m]);
            Some((m, if yes == no { yes } else { b.call(prim, &[x.plain, yes, no]) }))
        }
        Prim::Add | Prim::Sub => {
            let zero = b.num(0.0);
            let ls = [x, &args[1]].map(|arg| arg.l.unwrap_or(zero));
            if ls[0] == ls[1] {
                return Some((b.call(prim, &[x.m, args[1].m]), ls[0]));
            }
            // An infinite exponent would have no difference to itself.
            let l = b.call(Prim::Max, &ls);
            let l = held(b, l, LARGEST);
            let terms = [0, 1].map(|k| {
                let below = b.difference(ls[k], l);
                let e = b.call(Prim::Exp, &[below]);
                b.product(args[k].m, e)
            });
            Some((b.call(prim, &terms), l))
        }
        _ => None,
    }
}

/// Emits the form of `(m exp(l))^y`, where `m^y` need not be moderate: `exp(y (ln(m) + l))` wherever `l` is not 0.
///
/// A base below 0 has no logarithm, but may have an integer exponent.
fn power(b: &mut Builder, m: Id, l: Id, y: Id) -> (Id, Id) {
    let (zero, one) = (b.num(0.0), b.num(1.0));
    let (power, log) = (b.call(Prim::Pow, &[m, y]), b.call(Prim::Ln, &[m]));
    let log = b.sum(log, l);
    // An exponent of 0 takes part too where the base is 0.
    let log = held(b, log, LARGEST);
    let (of_moderate, of_any) = (b.product(y, l), b.product(y, log));
    let (is_moderate, is_negative) = (b.call(Prim::Eq, &[l, zero]), b.call(Prim::Lt, &[m, zero]));
    let choose = |b: &mut Builder, plain: Id, far: Id| {
        let far = b.call(Prim::Select, &[is_negative, plain, far]);
        b.call(Prim::Select, &[is_moderate, plain, far])
    };
    (choose(b, power, one), choose(b, of_moderate, of_any))
}

/// Emits the form of a function that is an exponential, or becomes one at an end: `exp(v)`, `v exp(v)` or the like.
fn tail(b: &mut Builder, prim: Prim, v: Id) -> (Id, Id) {
    let (low, high) = (b.num(-MODERATE), b.num(MODERATE));
    let is_far = match prim {
        Prim::Expm1 => b.call(Prim::Lt, &[high, v]),
        Prim::Exp => {
            let size = b.call(Prim::Abs, &[v]);
            b.call(Prim::Lt, &[high, size])
        }
        _ => b.call(Prim::Lt, &[v, low]),
    };
    let (zero, one) = (b.num(0.0), b.num(1.0));
    let far = match prim {
        Prim::Silu => v,
        Prim::SiluGrad => b.sum(v, one),
        _ => one,
    };
    let near = b.call(prim, &[v]);
    let m = b.call(Prim::Select, &[is_far, far, near]);
    (m, b.call(Prim::Select, &[is_far, v, zero]))
}

/// Emits the form of `erfc(z)`; `square` is `z^2`.
fn erfc(b: &mut Builder, z: Id, square: Id) -> (Id, Id) {
    let [near, far, half, zero] = [NEAR, FAR, 0.5, 0.0].map(|c| b.num(c));
    let [beyond, is_far] = [near, far].map(|from| b.call(Prim::Lt, &[from, z]));
    let u = b.quotient(half, square);
    let [others @ .., last] = SERIES;
    let last = b.num(last);
    let series = others.iter().rev().fold(last, |sum, c| {
        let (product, c) = (b.product(sum, u), b.num(*c));
        b.sum(product, c)
    });
    let below = b.scaled(PI.sqrt(), z);
    let series = b.quotient(series, below);
    let inside = b.call(Prim::Min, &[z, far]);
    let inside = b.call(Prim::Max, &[inside, zero]);
    let grown = b.product(inside, inside);
    let (grown, inside) = (b.call(Prim::Exp, &[grown]), b.call(Prim::Erfc, &[inside]));
    let between = b.product(inside, grown);
    let m = b.call(Prim::Select, &[is_far, series, between]);
    let (value, exponent) = (b.call(Prim::Erfc, &[z]), b.negative(square));
    let m = b.call(Prim::Select, &[beyond, m, value]);
    (m, b.call(Prim::Select, &[beyond, exponent, zero]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares `formula` of `x` and an attribute with its joined form, and that with `want` at `(x, a)`.
    fn assert_joined(formula: impl Fn(&mut Builder, Id, Id) -> Id, (x, a): (f64, f64), want: f64) {
        let mut b = Builder::new();
        let (x_in, a_in) = (b.stream(0), b.scalar(0));
        let result = formula(&mut b, x_in, a_in);
        let graph = b.finish(&[result]);
        let joined = joined(&graph).expect("a product");
        assert!(is_better(&joined, &graph));
        for near in [-7.0, -0.3, 0.0, 2.5, 9.0] {
            let [new, old] = [&joined, &graph].map(|graph| graph.eval(&[near], &[a])[0]);
            assert!((new - old).abs() <= 1e-13 * old.abs(), "{near}: {new:e}, {old:e}");
        }
        let (new, old) = (joined.eval(&[x], &[a])[0], graph.eval(&[x], &[a])[0]);
        assert!((new / want - 1.0).abs() < 1e-9, "{new:e}, not {want:e}");
        assert!(old.is_nan() || (old / want - 1.0).abs() > 1e-3, "{old:e} was right");
    }

    /// Tests `exp(a) softplus(d)`, which is `inf * 0` only where both streams are large.
    #[test]
    fn functions_of_two_streams_are_joined() {
        let mut b = Builder::new();
        let (a, d) = (b.stream(0), b.stream(1));
        let (e, s) = (b.call(Prim::Exp, &[a]), b.call(Prim::Softplus, &[d]));
        let product = b.product(e, s);
        let graph = b.finish(&[product]);
        let joined = joined(&graph).expect("a product");
        assert!(is_better(&joined, &graph));
        assert_eq!(joined.eval(&[1000.0, -1e4], &[]), [0.0]);
        assert!((joined.eval(&[800.0, -801.0], &[])[0] - (-1f64).exp()).abs() < 1e-9);
    }

    /// Tests the derivative of `exp(a x) softplus(-x)`, and exponents far beyond `2^53`, which cancel exactly.
    #[test]
    fn sums_and_huge_exponents_are_joined() {
        let slope = |b: &mut Builder, x: Id, a: Id| {
            let (exponent, negative) = (b.product(a, x), b.negative(x));
            let [e, s, p] =
                [(Prim::Exp, exponent), (Prim::Sigmoid, negative), (Prim::Softplus, negative)]
                    .map(|(prim, v)| b.call(prim, &[v]));
            let scaled = b.product(a, e);
            let (first, second) = (b.product(scaled, p), b.product(s, e));
            b.difference(first, second)
        };
        assert_joined(slope, (1000.0, 1.0625), 0.0625 * 62.5f64.exp());
        let mut b = Builder::new();
        let (x, a) = (b.stream(0), b.scalar(0));
        let result = slope(&mut b, x, a);
        let joined = joined(&b.finish(&[result])).expect("a product");
        assert_eq!(joined.eval(&[f64::INFINITY], &[-2.0]), [0.0]);
        let one = |b: &mut Builder, x: Id, _: Id| {
            let negative = b.negative(x);
            let (e, s) = (b.call(Prim::Exp, &[x]), b.call(Prim::Softplus, &[negative]));
            b.product(e, s)
        };
        assert_joined(one, (1e30, 1.0), 1.0);
    }

    #[test]
    fn an_exponential_times_what_vanishes_is_one_exponential() {
        let growing = |b: &mut Builder, x: Id, a: Id| {
            let exponent = b.product(a, x);
            let negative = b.negative(x);
            (b.call(Prim::Exp, &[exponent]), negative)
        };
        let softplus = |b: &mut Builder, x: Id, a: Id| {
            let (e, negative) = growing(b, x, a);
            let s = b.call(Prim::Softplus, &[negative]);
            b.product(e, s)
        };
        assert_joined(softplus, (1000.0, 1.0625), 62.5f64.exp());
        let power = |b: &mut Builder, x: Id, a: Id| {
            let (e, negative) = growing(b, x, a);
            let (s, exponent) = (b.call(Prim::Sigmoid, &[negative]), b.num(-1.5));
            let power = b.call(Prim::Pow, &[s, exponent]);
            b.quotient(power, e)
        };
        assert_joined(power, (1000.0, 1.5), 1.0);
        let silu = |b: &mut Builder, x: Id, a: Id| {
            let (e, negative) = growing(b, x, a);
            let slope = b.call(Prim::SiluGrad, &[negative]);
            let product = b.product(e, slope);
            let s = b.call(Prim::Silu, &[negative]);
            let other = b.product(s, e);
            b.difference(product, other)
        };
        assert_joined(silu, (1000.0, 1.0625), 62.5f64.exp());
    }

    /// Tests `normal_cdf(x)^a` and its derivative, where `normal_cdf(x)` is below f64.
    #[test]
    fn powers_bring_vanishing_values_back() {
        let x = -60.0f64;
        let log = {
            let u = 1.0 / (x * x);
            let series = 1.0 - u * (1.0 - 3.0 * u * (1.0 - 5.0 * u * (1.0 - 7.0 * u)));
            -0.5 * x * x - (2.0 * PI).sqrt().ln() - (-x).ln() + series.ln()
        };
        let power = |b: &mut Builder, x: Id, a: Id| {
            let cdf = b.call(Prim::NormalCdf, &[x]);
            b.call(Prim::Pow, &[cdf, a])
        };
        assert_joined(power, (x, 0.01), (0.01 * log).exp());
        let slope = |b: &mut Builder, x: Id, a: Id| {
            let (cdf, one, square) = (b.call(Prim::NormalCdf, &[x]), b.num(1.0), b.product(x, x));
            let (less, exponent) = (b.difference(a, one), b.scaled(-0.5, square));
            let (power, e) = (b.call(Prim::Pow, &[cdf, less]), b.call(Prim::Exp, &[exponent]));
            b.product(power, e)
        };
        assert_joined(slope, (x, 0.01), (-0.99 * log - 0.5 * x * x).exp());
    }

    /// Tests the logarithm of `exp(a x)^2`, and of `1 + exp(a x)^2 / (1 + x^2)`.
    #[test]
    fn logarithms_have_no_bound() {
        let square = |b: &mut Builder, x: Id, a: Id| {
            let exponent = b.product(a, x);
            let e = b.call(Prim::Exp, &[exponent]);
            b.product(e, e)
        };
        let log = |b: &mut Builder, x: Id, a: Id| {
            let square = square(b, x, a);
            b.call(Prim::Ln, &[square])
        };
        assert_joined(log, (1000.0, 1.5), 3000.0);
        let above_one = |b: &mut Builder, x: Id, a: Id| {
            let (square, one, size) = (square(b, x, a), b.num(1.0), b.product(x, x));
            let below = b.sum(one, size);
            let ratio = b.quotient(square, below);
            b.call(Prim::Log1p, &[ratio])
        };
        assert_joined(above_one, (1000.0, 1.5), 3000.0 - 1_000_001f64.ln());
    }

    /// Tests `exp(a x^2) erfc(x)`, also with the normal distribution in place of `erfc`.
    #[test]
    fn gaussian_tails_are_exponentials() {
        let mut want = 0.0;
        for n in (0..12).rev() {
            want = 1.0 - f64::from(2 * n + 1) / (2.0 * 40.0 * 40.0) * want;
        }
        let want = want / (40.0 * PI.sqrt());
        for (prim, factor, scale) in [(Prim::Erfc, 1.0, 1.0), (Prim::NormalCdf, -2f64.sqrt(), 0.5)]
        {
            let formula = |b: &mut Builder, x: Id, a: Id| {
                let square = b.product(x, x);
                let exponent = b.product(a, square);
                let (e, v) = (b.call(Prim::Exp, &[exponent]), b.scaled(factor, x));
                let tail = b.call(prim, &[v]);
                b.product(e, tail)
            };
            assert_joined(formula, (40.0, 1.0), scale * want);
        }
    }

    /// Tests that products of other functions are left alone, and that a moderate product is no better for being joined.
    #[test]
    fn moderate_products_stay() {
        let mut b = Builder::new();
        let x = b.stream(0);
        let (t, s) = (b.call(Prim::Tanh, &[x]), b.call(Prim::Sigmoid, &[x]));
        let product = b.product(t, s);
        assert!(joined(&b.finish(&[product])).is_none());
        let square = b.product(s, s);
        let graph = b.finish(&[square]);
        assert!(!is_better(&joined(&graph).expect("a product"), &graph));
    }
}
