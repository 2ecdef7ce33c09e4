//! Estimates errors in f32 of results that an input stream multiplies.
//!
//! Elsewhere such factors are 1, which causes no rounding error. Here they round like other operands, and a large factor scales
//! subnormal values back into the normal range. For example, `dy e^x` at `x = -127` is about 1e-18 with `dy = 1e37`, but `e^x` alone
//! is zero in f32. In the same way a small factor scales back values that f32 cannot hold, such as `x^3` at `x = 1e20`.

use super::along::Evaluated;
use super::bounded::{Bounded, is_subnormal};
use super::{Arithmetic, BUDGET, Point, Ranges, Worst, lines, worst};
use crate::graph::{Graph, Node};
use crate::passes::products::inner_products;
use crate::prim::Prim;
use crate::roles::{Dependence, dependence, is_factor, is_truth};

/// Value of factor streams: not a power of two, so that products with it round.
pub(super) const FACTOR: f64 = 1.718_281_9_f32 as f64;
/// Value of factor streams that scales subnormal results into the normal range.
///
/// It is near the largest f32 number.
const LARGE_FACTOR: f64 = FACTOR * (1u128 << 126) as f64;
/// Value of factor streams that scales results beyond the largest f32 number back into range, near the least normal number.
const SMALL_FACTOR: f64 = FACTOR / (1u128 << 126) as f64;

/// Estimates the largest error in f32 of any output, including rounding by factor streams.
///
/// A factor stream is an input that only multiplies: outputs are proportional to it or independent of it.
pub fn worst_in_f32(graph: &Graph, ranges: &Ranges) -> Worst {
    let mut without = worst(graph, Arithmetic::F32, ranges);
    let more = [halves_of_opposites(graph, ranges), halves_of_negatives(graph, ranges)];
    without.halves = more.into_iter().fold(without.halves, f64::max);
    if without.ulps > BUDGET {
        return without; // no factor reduces this error, and evaluating one takes as long again
    }
    let product = worst_product(graph, ranges);
    if product.ulps > without.ulps { Worst { halves: without.halves, ..product } } else { without }
}

/// A number so small that functions next to 0 are straight lines for f32.
const TINY: f64 = FACTOR / (1u64 << 40) as f64;

/// Estimates the largest error in the 16-bit types where terms of two streams cancel.
///
/// Examples are `s(x) a + (1 - s(x)) b` with the sigmoid `s`, for `b = -a` and a small `x`, and its derivative
/// `s'(x) a - s'(x) b` for `b = a`. Of `s(x) tanh(a) + (1 - s(x)) b`, terms cancel where `a` is small as well. Errors of 16-bit results
/// count in units of the result, however small it is, while f32 has only the digits of the terms.
fn halves_of_opposites(graph: &Graph, ranges: &Ranges) -> f64 {
    let mut worst = Worst::default();
    let is_addend = |s: &usize| {
        !is_factor(graph, *s) && !is_truth(graph, *s) && ranges.get(*s).copied().flatten().is_none()
    };
    let all: Vec<usize> = (0..graph.streams()).filter(is_addend).collect();
    let is_affine = |s: &usize| dependence(graph, *s) == Dependence::Affine;
    let affine: Vec<usize> = all.iter().copied().filter(is_affine).collect();
    let mut look = |mut line: Vec<Point>, values: &dyn Fn(&Point) -> Vec<(usize, f64)>| {
        for point in &mut line {
            for (stream, value) in values(point) {
                point.set(stream, value);
            }
        }
        worst.look_at(Evaluated::new(graph, Arithmetic::F32, line));
    };
    for line in lines(graph, ranges) {
        let Some(varied) = line.first().map(|point| point.varied) else { continue };
        if let [first, others @ ..] = &affine[..]
            && !affine.contains(&varied)
        {
            for (addend, sign) in others.iter().flat_map(|addend| [(addend, 1.0), (addend, -1.0)]) {
                look(line.clone(), &|point| vec![(*addend, sign * point.stream(*first))]);
            }
        }
        let rest: Vec<usize> = all.iter().copied().filter(|s| *s != varied).collect();
        let signs = rest.iter().copied().map(Some).chain([None]).filter(|_| rest.len() > 1);
        for negative in signs {
            let tiny = |s: &usize| (*s, if Some(*s) == negative { -TINY } else { TINY });
            look(line.clone(), &|_| rest.iter().map(tiny).collect());
        }
    }
    worst.halves
}

/// Estimates the largest error in the 16-bit types of results beyond f32 that a small factor brings back, where attributes are
/// negative.
///
/// An example is `dy exp(x / alpha)` for negative `alpha` and `x`, which is 0 for `dy` = 0. Positive attributes are among those of
/// [`worst`].
fn halves_of_negatives(graph: &Graph, ranges: &Ranges) -> f64 {
    let mut worst = Worst::default();
    let factors: Vec<usize> = (0..graph.streams()).filter(|s| is_factor(graph, *s)).collect();
    if factors.is_empty() || !graph.nodes.iter().any(|node| matches!(node, Node::Scalar(_))) {
        return 0.0;
    }
    for mut line in lines(graph, ranges).filter(|line| line.iter().all(Point::is_usual)) {
        line.iter_mut().for_each(Point::negate_scalars);
        let line = Evaluated::new(graph, Arithmetic::F32, line);
        let small = line.beside(is_beyond, &factors, SMALL_FACTOR);
        worst.look_at(Evaluated::new(graph, Arithmetic::F32, small));
    }
    worst.halves
}

/// Estimates the largest error in f32 of outputs that a factor stream multiplies.
///
/// A factor stream is an input that only multiplies: outputs are proportional to it or independent of it. The error is 0 if there
/// is no such stream.
fn worst_product(graph: &Graph, ranges: &Ranges) -> Worst {
    let mut worst = Worst::default();
    // Back ends keep the rounding error of the first product of three factors, and multiply it as well.
    let inner = inner_products(graph);
    let factors = graph.read_by(|_, node| is_product(&node));
    let kept: Vec<bool> =
        inner.iter().zip(factors).map(|(inner, factor)| *inner && factor).collect();
    let evaluated = |line| Evaluated::keeping(graph, Arithmetic::F32, line, &kept);
    for mut line in lines(graph, ranges) {
        let Some(first) = line.first() else { continue };
        let is_free = |s: usize| ranges.get(s).copied().flatten().is_none();
        let mut factors = (0..graph.streams()).filter(|s| *s != first.varied && is_free(*s));
        let Some(factor) = factors.find(|s| is_factor(graph, *s)) else { continue };
        line.iter_mut().for_each(|point| point.set(factor, FACTOR));
        let line = evaluated(line);
        let large = line.beside(is_subnormal, &[factor], LARGE_FACTOR);
        let small = line.beside(is_beyond, &[factor], SMALL_FACTOR);
        worst.look_at(line);
        worst.look_at(evaluated(large));
        worst.look_at(evaluated(small));
    }
    worst
}

/// Returns whether a result is finite and beyond the largest number of f32.
fn is_beyond(result: &Bounded) -> bool {
    result.value.is_finite() && Arithmetic::F32.overflows(result.value)
}

fn is_product(node: &Node) -> bool {
    matches!(node, Node::Call(Prim::Mul, _))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Builder, Id};

    /// Estimates the error of `dy f(x)`.
    fn estimate(f: impl Fn(&mut Builder, Id) -> Id) -> f64 {
        let mut b = Builder::new();
        let (dy, x) = (b.stream(0), b.stream(1));
        let value = f(&mut b, x);
        let product = b.product(value, dy);
        worst_product(&b.finish(&[product]), &[]).ulps
    }

    #[test]
    fn a_large_factor_shows_what_is_lost_below_the_normal_numbers() {
        assert!(estimate(|b, x| b.call(Prim::Exp, &[x])) > 1e6);
        assert!(estimate(|b, x| b.call(Prim::Abs, &[x])) < 1.0);
    }

    #[test]
    fn a_small_factor_shows_what_overflows() {
        let power = |b: &mut Builder, x, exponent| {
            let (size, exponent) = (b.call(Prim::Abs, &[x]), b.num(exponent));
            b.call(Prim::Pow, &[size, exponent])
        };
        assert!(estimate(|b, x| power(b, x, 1.5)) > 1e6);
        assert!(estimate(|b, x| power(b, x, 0.75)) < 2.0);
    }

    #[test]
    fn opposite_terms_are_seen_in_halves() {
        let mut b = Builder::new();
        let [x, a, c] = [0, 1, 2].map(|k| b.stream(k));
        let minus = b.negative(x);
        let (s, rest) = (b.call(Prim::Sigmoid, &[x]), b.call(Prim::Sigmoid, &[minus]));
        let (first, second) = (b.product(s, a), b.product(rest, c));
        let sum = b.sum(first, second);
        let gate = b.finish(&[sum]);
        assert!(halves_of_opposites(&gate, &[]) > 1.0);
        // Equal terms of a difference cancel as well; each product is rounded on its own.
        let slope = b.product(s, rest);
        let (first, second) = (b.product(slope, a), b.product(slope, c));
        let difference = b.difference(first, second);
        let slope = b.finish(&[difference]);
        assert!(halves_of_opposites(&slope, &[]) > 1.0);
        // Small arguments of functions are the functions' values.
        let t = b.call(Prim::Tanh, &[a]);
        let (first, second) = (b.product(s, t), b.product(rest, c));
        let sum = b.sum(first, second);
        assert!(halves_of_opposites(&b.finish(&[sum]), &[]) > 1.0);
        let both = b.sum(a, c);
        let product = b.product(s, both);
        let product = b.finish(&[product]);
        assert!(halves_of_opposites(&product, &[]) < 1e-3);
    }

    /// Tests `dy exp(x / a)`, which overflows for positive `x` or for negative ones, and `dy exp(-a^2 |x|)`, which never does.
    #[test]
    fn negative_attributes_show_what_overflows() {
        let halves = |exponent: &dyn Fn(&mut Builder, Id, Id) -> Id| {
            let mut b = Builder::new();
            let (dy, x, a) = (b.stream(0), b.stream(1), b.scalar(0));
            let exponent = exponent(&mut b, x, a);
            let e = b.call(Prim::Exp, &[exponent]);
            let product = b.product(dy, e);
            halves_of_negatives(&b.finish(&[product]), &[])
        };
        let negative = |b: &mut Builder, x| {
            let size = b.call(Prim::Abs, &[x]);
            b.negative(size)
        };
        let below_zero = |b: &mut Builder, x, a| {
            let x = negative(b, x);
            b.quotient(x, a)
        };
        let never = |b: &mut Builder, x, a| {
            let (x, square) = (negative(b, x), b.product(a, a));
            b.product(square, x)
        };
        assert!(halves(&below_zero).is_infinite());
        assert_eq!(halves(&never), 0.0);
    }

    #[test]
    fn factors_round_and_products_of_three_round_once() {
        let slope = |b: &mut Builder, x| {
            let one = b.num(1.0);
            let (above, below) = (b.sum(one, x), b.difference(one, x));
            b.product(above, below)
        };
        let root = |b: &mut Builder, x| {
            let (one, size) = (b.num(1.0), b.call(Prim::Abs, &[x]));
            let sum = b.sum(size, one);
            let root = b.call(Prim::Sqrt, &[sum]);
            b.quotient(one, root)
        };
        let (slope, root) = (estimate(slope), estimate(root));
        assert!(slope < 2.0 && root > 2.0, "{slope} {root}");
    }
}
