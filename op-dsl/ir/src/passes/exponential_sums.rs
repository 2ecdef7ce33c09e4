//! Writes logarithms and quotients of sums of exponentials by differences of the exponents, because the exponentials leave f64.
//!
//! ```text
//! ln(e^a + e^b)       -> max(a, b) + softplus(-|a - b|)
//! ln((e^a + e^b) / 2) -> (a + b) / 2 + ln(cosh((a - b) / 2)) where a and b are close, because it may be small
//! e^a / (e^a + e^b)   -> sigmoid(a - b)
//! e^c / (e^a + e^b)   -> exp(-ln(e^(a - c) + e^(b - c))), and its logarithm without the exp
//! ```
//!
//! Two of three exponentials are one exponential of their logarithm: `e^a + e^b + e^c` is `e^l + e^c` with `l = ln(e^a + e^b)`.
//! The sums depend on several streams, or on a stream and attributes. Those of one stream are functions that other passes recognise
//! and take the limits of.

use crate::graph::{Builder, Graph, Id, Node};
use crate::passes::{opposites, recognise};
use crate::prim::Prim;
use core::f64::consts::LN_2;

/// Largest number of exponentials in a sum that is rewritten, because each takes another softplus.
const MOST: usize = 4;

/// Values of `ln(e^a + e^b)` where both exponents are the same infinity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// NaN, as the derivatives of the formula as written are.
    Lost,
    /// That infinity, as the formula as written is.
    Kept,
}

/// A product: a sign, the exponents and the other factors.
struct Term {
    sign: f64,
    exponents: Vec<Id>,
    factors: Vec<Id>,
}

/// Rewrites logarithms and quotients of sums of exponentials that depend on several inputs.
///
/// The shares of two exponentials are sigmoids of a value and of its negative. Their difference becomes one tanh.
pub fn run(graph: &Graph, joint: Joint) -> Graph {
    let rewritten = rewritten(graph, joint);
    if rewritten == *graph { rewritten } else { opposites::run(&recognise::run(&rewritten)) }
}

fn rewritten(graph: &Graph, joint: Joint) -> Graph {
    let inputs = graph.inputs();
    let sum = |id: Id| inputs[id.index()].are_several().then(|| exponentials(graph, id)).flatten();
    graph.rewrite_at(|b, at| {
        let other = match at.node {
            Node::Call(Prim::Ln, [x, ..]) => match graph.nodes[x.index()] {
                Node::Call(Prim::Div, [one, y, _]) => {
                    sum(y).and_then(|below| log_of_share(b, graph, at.earlier, one, &below, joint))
                }
                Node::Call(Prim::Cosh, [v, ..])
                    if joint == Joint::Kept && inputs[v.index()].are_several() =>
                {
                    Some(log_of_cosh(b, at[v]))
                }
                _ if joint == Joint::Kept => {
                    let (number, of) = scaled(graph, x);
                    sum(of).map(|terms| log_of_mean(b, graph, at.earlier, number, &terms))
                }
                _ => sum(x).map(|terms| {
                    let exponents = exponents(b, at.earlier, &terms);
                    logarithm(b, &exponents, joint)
                }),
            },
            Node::Call(Prim::Div, [x, y, _]) => {
                sum(y).map(|terms| quotient(b, graph, at.earlier, x, &terms))
            }
            _ => None,
        };
        other.unwrap_or_else(|| b.add(at.copy()))
    })
}

/// Returns the terms of a sum of exponentials and positive numbers; `None` for every other value.
fn exponentials(graph: &Graph, sum: Id) -> Option<Vec<Term>> {
    let terms: Vec<Term> = terms(graph, sum);
    let growing = terms.iter().filter(|term| !term.exponents.is_empty()).count();
    let are_all = || terms.iter().all(|term| term.is_exponential(graph));
    ((2..=MOST).contains(&terms.len()) && growing > 1 && are_all()).then_some(terms)
}

/// Returns a value as a positive number times another value.
fn scaled(graph: &Graph, id: Id) -> (f64, Id) {
    let number = |id: Id| graph.as_const(id).filter(|c| *c > 0.0 && c.is_finite());
    match graph.nodes[id.index()] {
        Node::Call(Prim::Mul, [x, y, _]) => match [number(x), number(y)] {
            [Some(c), _] => (c, y),
            [None, Some(c)] => (c, x),
            [None, None] => (1.0, id),
        },
        Node::Call(Prim::Div, [x, y, _]) => number(y).map_or((1.0, id), |c| (1.0 / c, x)),
        _ => (1.0, id),
    }
}

impl Term {
    /// Returns the product of the factors, which are numbers.
    fn number(&self, graph: &Graph) -> f64 {
        self.factors.iter().map(|id| graph.as_const(*id).unwrap_or(f64::NAN)).product()
    }

    /// Returns whether the term is a product of exponentials and positive numbers.
    fn is_exponential(&self, graph: &Graph) -> bool {
        let is_number = |id: &Id| graph.as_const(*id).is_some_and(|c| c > 0.0 && c.is_finite());
        self.sign > 0.0 && self.factors.iter().all(is_number)
    }
}

fn terms(graph: &Graph, sum: Id) -> Vec<Term> {
    let term = |(id, sign): (Id, f64)| {
        let mut term = Term { sign, exponents: Vec::new(), factors: Vec::new() };
        for factor in graph.factors(id, |_| true) {
            match graph.nodes[factor.index()] {
                Node::Call(Prim::Exp, [x, ..]) => term.exponents.push(x),
                _ => term.factors.push(factor),
            }
        }
        term
    };
    graph.addends(sum, |_| true).into_iter().map(term).collect()
}

/// Emits the logarithm of a product of exponentials and numbers.
fn exponent(b: &mut Builder, new: &[Id], term: &Term) -> Id {
    let mut number = 0.0;
    for factor in &term.factors {
        number += b.as_const(new[factor.index()]).unwrap_or(f64::NAN).ln();
    }
    let sum = term.exponents.iter().map(|x| new[x.index()]).reduce(|sum, x| b.sum(sum, x));
    let Some(sum) = sum.filter(|_| number != 0.0) else {
        return sum.unwrap_or_else(|| b.num(number));
    };
    let number = b.num(number);
    b.sum(sum, number)
}

fn exponents(b: &mut Builder, new: &[Id], terms: &[Term]) -> Vec<Id> {
    terms.iter().map(|term| exponent(b, new, term)).collect()
}

/// Emits the logarithm of a sum of exponentials.
fn logarithm(b: &mut Builder, exponents: &[Id], joint: Joint) -> Id {
    let mut all = exponents.iter().copied();
    let first = all.next().unwrap_or(Id::NONE);
    all.fold(first, |x, y| {
        let (apart, most) = (b.difference(x, y), b.call(Prim::Max, &[x, y]));
        let size = b.call(Prim::Abs, &[apart]);
        let mut below = b.negative(size);
        if joint == Joint::Kept {
            let (are_equal, zero) = (b.call(Prim::Eq, &[x, y]), b.num(0.0));
            below = b.call(Prim::Select, &[are_equal, zero, below]);
        }
        let more = one_and(b, below);
        b.sum(most, more)
    })
}

/// Emits the logarithm of `number` times a sum of exponentials.
///
/// It is small where all exponents are and the numbers add up to 1. That of two halves is computed without terms that cancel there.
fn log_of_mean(b: &mut Builder, graph: &Graph, new: &[Id], number: f64, terms: &[Term]) -> Id {
    if let [x, y] = terms
        && [x, y].map(|term| number * term.number(graph)) == [0.5; 2]
    {
        let [v, w] = [x, y].map(|term| {
            let exponents = term.exponents.clone();
            exponent(b, new, &Term { sign: 1.0, exponents, factors: Vec::new() })
        });
        return if are_negatives(graph, x, y) { log_of_cosh(b, v) } else { log_of_halves(b, v, w) };
    }
    let exponents = exponents(b, new, terms);
    let log = logarithm(b, &exponents, Joint::Kept);
    let number = b.num(number.ln());
    b.sum(log, number)
}

/// Returns whether the exponents of two terms are a value and its negative.
fn are_negatives(graph: &Graph, x: &Term, y: &Term) -> bool {
    let is_negative =
        |x: Id, y: Id| matches!(graph.nodes[x.index()], Node::Call(Prim::Neg, [of, ..]) if of == y);
    match [&x.exponents[..], &y.exponents[..]] {
        [[x], [y]] => is_negative(*x, *y) || is_negative(*y, *x) || graph.are_opposite(*x, *y),
        _ => false,
    }
}

/// Emits `ln((e^v + e^w) / 2)` as `(v + w) / 2 + ln(cosh((v - w) / 2))`.
fn log_of_halves(b: &mut Builder, v: Id, w: Id) -> Id {
    let [half_v, half_w] = [v, w].map(|v| b.scaled(0.5, v));
    let (mean, apart) = (b.sum(half_v, half_w), b.difference(half_v, half_w));
    let size = b.call(Prim::Abs, &[apart]);
    let (are_equal, zero) = (b.call(Prim::Eq, &[v, w]), b.num(0.0)); // also where both are infinite
    let size = b.call(Prim::Select, &[are_equal, zero, size]);
    let most = b.call(Prim::Max, &[v, w]);
    spread(b, size, mean, most)
}

/// Emits `ln(cosh(v))`.
fn log_of_cosh(b: &mut Builder, v: Id) -> Id {
    let (size, zero) = (b.call(Prim::Abs, &[v]), b.num(0.0));
    spread(b, size, zero, size)
}

/// Emits `mean + ln(cosh(size))`, where `most` is `mean + size`.
///
/// ```text
/// mean + ln(1 + m^2 / (2 e))    for size < 1, with e = e^-size and m = e - 1
/// most - ln(2) + ln(1 + e^2)    from there on, where no terms cancel
/// ```
fn spread(b: &mut Builder, size: Id, mean: Id, most: Id) -> Id {
    let (minus, one) = (b.negative(size), b.num(1.0));
    let m = b.call(Prim::Expm1, &[minus]);
    let (half, e) = (b.scaled(0.5, m), b.sum(m, one));
    let product = b.product(half, m);
    let (near, far) = (b.quotient(product, e), b.product(e, e));
    let (less, is_near) = (b.num(-LN_2), b.call(Prim::Lt, &[size, one]));
    let base = b.sum(most, less);
    let [base, more] =
        [(mean, base), (near, far)].map(|(near, far)| b.call(Prim::Select, &[is_near, near, far]));
    let log = b.call(Prim::Log1p, &[more]);
    b.sum(base, log)
}

/// Emits the quotient of a value and a sum of exponentials, with each term of the value divided on its own.
fn quotient(b: &mut Builder, graph: &Graph, new: &[Id], value: Id, below: &[Term]) -> Id {
    let exponents = exponents(b, new, below);
    let is_positive = |id: &Id| graph.as_const(*id).is_some_and(|c| c > 0.0);
    let mut sum = None;
    for Term { sign, exponents: above, factors } in terms(graph, value) {
        let (numbers, factors): (Vec<Id>, Vec<Id>) = factors.iter().partition(|id| is_positive(id));
        let above = exponent(b, new, &Term { sign, exponents: above, factors: numbers });
        let share = share(b, above, &exponents);
        let scaled = |share: Id, factor: &Id| b.product(share, new[factor.index()]);
        let term = factors.iter().fold(share, scaled);
        sum = Some(b.plus(sum, term, sign));
    }
    sum.unwrap_or(Id::NONE)
}

/// Emits `e^above` divided by the sum of `e^x` for all `x` of `exponents`.
fn share(b: &mut Builder, above: Id, exponents: &[Id]) -> Id {
    let (log, has_own) = apart(b, above, exponents, Joint::Kept);
    let log = negative(b, log);
    b.call(if has_own { Prim::Sigmoid } else { Prim::Exp }, &[log])
}

/// Emits the logarithm of `one` divided by a sum of exponentials; `None` if `one` is no exponential.
fn log_of_share(
    b: &mut Builder,
    graph: &Graph,
    new: &[Id],
    one: Id,
    below: &[Term],
    joint: Joint,
) -> Option<Id> {
    let [one] = &terms(graph, one)[..] else { return None };
    if !one.is_exponential(graph) {
        return None;
    }
    let above = exponent(b, new, one);
    let exponents = exponents(b, new, below);
    let (log, has_own) = apart(b, above, &exponents, joint);
    let log = if has_own { one_and(b, log) } else { log };
    Some(negative(b, log))
}

/// Emits the logarithm of the sum of `e^(x - above)` for all `x` of `exponents` but one that is `above`, and returns whether one is.
///
/// The difference to each exponent comes first: it is exact, where the logarithm of the sum would be rounded.
fn apart(b: &mut Builder, above: Id, exponents: &[Id], joint: Joint) -> (Id, bool) {
    let own = exponents.iter().position(|x| *x == above);
    let others = exponents.iter().enumerate().filter(|(k, _)| Some(*k) != own);
    let apart: Vec<Id> = others.map(|(_, x)| difference(b, *x, above)).collect();
    (logarithm(b, &apart, joint), own.is_some())
}

/// Emits `ln(1 + e^x)`, which is a primitive.
fn one_and(b: &mut Builder, x: Id) -> Id {
    let e = b.call(Prim::Exp, &[x]);
    b.call(Prim::Log1p, &[e])
}

fn negative(b: &mut Builder, x: Id) -> Id {
    match b.node(x) {
        Node::Call(Prim::Neg, [x, ..]) => x,
        _ => b.negative(x),
    }
}

/// Emits `x - y` as that or as `-(y - x)`, so that the differences of two values either way are one node and its negative.
fn difference(b: &mut Builder, x: Id, y: Id) -> Id {
    if y < x {
        let other = b.difference(y, x);
        return b.negative(other);
    }
    b.difference(x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three streams, and what is made of their exponentials.
    fn both(formula: impl Fn(&mut Builder, [Id; 3], [Id; 3]) -> Id) -> (Graph, Graph) {
        let mut b = Builder::new();
        let x = [0, 1, 2].map(|k| b.stream(k));
        let e = x.map(|x| b.call(Prim::Exp, &[x]));
        let result = formula(&mut b, x, e);
        let graph = b.finish(&[result]);
        (run(&graph, Joint::Kept), graph)
    }

    #[test]
    fn exponentials_do_not_leave_f64() {
        let (log, written) = both(|b, _, e| {
            let two = b.scaled(2.0, e[1]);
            let sum = b.sum(e[0], two);
            let sum = b.sum(sum, e[2]);
            b.call(Prim::Ln, &[sum])
        });
        for x in [[0.3, -1.0, 2.0], [0.5; 3], [-700.0, -701.0, -699.0]] {
            let [got, want] = [&log, &written].map(|graph| graph.eval(&x, &[])[0]);
            assert!((got - want).abs() <= 1e-15 * want.abs(), "{x:?}: {got}, not {want}");
        }
        for (x, want) in [
            ([1e30, -1e30, 3.0], 1e30),
            ([-1e30, 2000.0, 2000.0], 2000.0 + 3f64.ln()),
            ([3e-30, -1e9, -2e9], 3e-30),
            ([f64::INFINITY, 1.0, 2.0], f64::INFINITY),
            ([f64::NEG_INFINITY, -1000.0, f64::NEG_INFINITY], -1000.0 + 2f64.ln()),
            ([f64::INFINITY, f64::INFINITY, 2.0], f64::INFINITY),
        ] {
            assert_eq!(log.eval(&x, &[]), [want], "{x:?}");
        }
    }

    #[test]
    fn shares_of_a_sum_are_sigmoids() {
        let (mean, written) = both(|b, x, e| {
            let (first, second) = (b.product(x[0], e[0]), b.product(e[1], x[1]));
            let (above, below) = (b.difference(first, second), b.sum(e[0], e[1]));
            let below = b.sum(below, e[2]);
            b.quotient(above, below)
        });
        for x in [[0.3, -1.0, 2.0], [0.5, 2.0, -0.5]] {
            let [got, want] = [&mean, &written].map(|graph| graph.eval(&x, &[])[0]);
            assert!((got - want).abs() <= 1e-15 * want.abs(), "{x:?}: {got}, not {want}");
        }
        assert_eq!(mean.eval(&[1e30, 2.0, 3.0], &[]), [1e30]);
        assert_eq!(mean.eval(&[-900.0, -900.0, -1e30], &[]), [0.0]);
        let (other, _) = both(|b, _, e| {
            let below = b.sum(e[0], e[1]);
            b.quotient(e[2], below)
        });
        assert_eq!(other.eval(&[1e4, 1e4, 1e4], &[]), [0.5]);
        let (twice, _) = both(|b, _, e| {
            let two = b.sum(e[0], e[0]);
            let below = b.sum(e[1], two);
            b.quotient(e[0], below)
        });
        assert_eq!(twice.eval(&[1e4, 1e4, 0.0], &[]), [1.0 / 3.0]);
    }

    #[test]
    fn differences_of_shares_keep_their_digits() {
        let (apart, _) = both(|b, _, e| {
            let (above, below) = (b.difference(e[0], e[1]), b.sum(e[1], e[0]));
            b.quotient(above, below)
        });
        let [tiny, less] = [3e-14, 1e-14];
        let got = apart.eval(&[tiny, less], &[])[0];
        assert!((got - 0.5 * (tiny - less)).abs() <= 1e-15 * got, "{got:e}");
    }

    #[test]
    fn logarithms_of_means_keep_their_digits() {
        let (of_mean, written) = both(|b, _, e| {
            let sum = b.sum(e[0], e[1]);
            let mean = b.scaled(0.5, sum);
            b.call(Prim::Ln, &[mean])
        });
        let (of_cosh, _) = both(|b, x, _| {
            let v = b.product(x[0], x[1]);
            let cosh = b.call(Prim::Cosh, &[v]);
            b.call(Prim::Ln, &[cosh])
        });
        for x in [[0.7, -1.9, 0.0], [0.3, 0.8, 0.0], [30.0, -20.0, 0.0]] {
            let [got, want] = [&of_mean, &written].map(|graph| graph.eval(&x, &[])[0]);
            assert!((got - want).abs() <= 1e-15 * want.abs(), "{x:?}: {got}, not {want}");
            let (got, want) = (of_cosh.eval(&x, &[])[0], (x[0] * x[1]).cosh().ln());
            assert!((got - want).abs() <= 4e-15 * want.abs(), "{x:?}: {got}, not {want}");
        }
        // Near 0 these are (x + y) / 2 + (x - y)^2 / 8 and v^2 / 2.
        let got = of_mean.eval(&[3e-20, 1e-20, 0.0], &[])[0];
        assert!((got - 2e-20).abs() < 1e-35, "{got:e}");
        let got = of_mean.eval(&[3e-9, -3e-9, 0.0], &[])[0];
        assert!((got - 4.5e-18).abs() < 1e-32, "{got:e}");
        let got = of_cosh.eval(&[2e-10, 3.0, 0.0], &[])[0];
        assert!((got - 1.8e-19).abs() < 1e-33, "{got:e}");
        for (x, mean) in [
            ([2000.0, -3000.0, 0.0], 2000.0 - LN_2),
            ([f64::INFINITY, 2.0, 0.0], f64::INFINITY),
            ([f64::INFINITY, f64::INFINITY, 0.0], f64::INFINITY),
            ([f64::INFINITY, f64::NEG_INFINITY, 0.0], f64::INFINITY),
            ([f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0], f64::NEG_INFINITY),
        ] {
            assert_eq!(of_mean.eval(&x, &[]), [mean], "{x:?}");
        }
        assert_eq!(of_cosh.eval(&[-2000.0, 3.0, 0.0], &[]), [6000.0 - LN_2]);
        assert_eq!(of_cosh.eval(&[f64::NEG_INFINITY, 3.0, 0.0], &[]), [f64::INFINITY]);
    }

    #[test]
    fn functions_of_one_stream_stay() {
        let (same, written) = both(|b, x, e| {
            let below = b.sum(e[0], x[0]);
            let (one, more) = (b.num(1.0), b.product(e[0], e[0]));
            let of_one = b.sum(one, more);
            let of_one = b.sum(of_one, e[0]);
            let (first, log) = (b.quotient(e[1], below), b.call(Prim::Ln, &[of_one]));
            b.sum(first, log)
        });
        assert_eq!(same, written);
    }
}
