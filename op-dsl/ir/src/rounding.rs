//! Estimates the rounding error of a graph's results, by running error analysis at sample points.
//!
//! Every node is evaluated with a bound of its error: the propagated errors of its arguments, and its own rounding error. Where a
//! difference cancels, the bound stays while the value shrinks. Where a number leaves the range of the type, the bound is infinite.
//! Therefore the estimate finds errors that an author cannot see, and needs no reference form of the formula without them.
//!
//! The bound is only an estimate, because it is evaluated at samples: all exponents of every stream that the result is not
//! proportional to, of either sign, with a few irregular mantissas each, and the largest numbers. Streams that are factors are 1,
//! which causes no rounding error, and a small number as well where the result is beyond f32. If all streams are factors, they
//! are sampled too. Truth values are both 0 and 1.

mod addends;
mod along;
mod bounded;
mod infinities;
mod points;
mod products;

use crate::DType;
use crate::format::Format;
use crate::graph::Graph;
use crate::roles::is_factor;
pub use addends::{largest_addends, worst_by_tables, worst_of_addends};
use along::Evaluated;
pub use along::values_of_nodes;
use bounded::F32;
pub use bounded::{Arithmetic, Bounded, errors_in_f32, evaluate, outputs};
pub use infinities::{agree_at_infinity, divides_apart, has_no_limit, lost_to_zeros};
pub use points::{Point, Ranges, ends, lines};
pub use products::worst_in_f32;

/// Error budget: the largest estimated error, in ULP of f32, that keeps the promised accuracy.
pub const BUDGET: f64 = 2.0;

/// Largest estimated rounding error of a graph's outputs, and where it occurs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worst {
    /// Error in units in the last place (ULP) of f32; infinite if there is no bound.
    pub ulps: f64,
    /// Values of the input streams at which the error `ulps` occurs.
    pub streams: Vec<f64>,
    /// Largest error of outputs in a [narrow](DType::is_narrow) type, in units in the last place of that type.
    pub halves: f64,
    /// Whether an output is zero where large factor streams would make a number of it.
    pub is_lost: bool,
}

/// Magnitude below which errors near a zero crossing are measured in ULP of this magnitude.
///
/// It applies to results whose factor streams are 1. The unit of the result itself would be too strict, because next to a zero
/// crossing the result is small only by the choice of the input.
pub const NEAR_ZERO: f64 = 1.0 / 128.0;

/// Value of factor streams that brings results beyond f32 back into the range of f32.
const SMALL_FACTOR: f64 = 1.0 / (1u128 << 100) as f64;

/// Estimates the largest rounding error of any output, for streams within these ranges.
pub fn worst(graph: &Graph, arithmetic: Arithmetic, ranges: &Ranges) -> Worst {
    let mut worst = Worst::default();
    let factors: Vec<usize> = (0..graph.streams()).filter(|s| is_factor(graph, *s)).collect();
    let mut small = Vec::new();
    for line in lines(graph, ranges) {
        let line = Evaluated::new(graph, arithmetic, line);
        if !factors.is_empty() {
            let is_beyond = |b: &Bounded| Arithmetic::F32.overflows(b.value);
            small.push(line.beside(is_beyond, &factors, SMALL_FACTOR));
        }
        let greatest = F32.max().powi(factors.len() as i32);
        worst.is_lost |= falls_to_zero(&line, greatest);
        worst.add(graph, arithmetic, line);
    }
    for line in small {
        worst.look_at(Evaluated::new(graph, arithmetic, line));
    }
    worst
}

/// Returns whether an output of `graph` is infinite or NaN at a sample point where that of `other`, the same formula in another
/// form, is a number of f32.
///
/// An estimate of the errors of `graph` alone does not tell a result that overflows from an intermediate value that does.
pub fn overflows_beside(graph: &Graph, other: &Graph, ranges: &Ranges) -> bool {
    lines(graph, ranges).any(|line| {
        let [own, others] = [graph, other]
            .map(|graph| Evaluated::new(graph, Arithmetic::F64, line.clone()).results);
        let mut both = own.iter().flatten().zip(others.iter().flatten());
        both.any(|(own, other)| !own.value.is_finite() && F32.holds(other.value))
    })
}

impl Worst {
    /// Takes the errors at the points of a line, and around its zero crossings, into the maximum.
    ///
    /// A line is a list of points along which one stream varies.
    fn add(&mut self, graph: &Graph, arithmetic: Arithmetic, mut evaluated: Evaluated) {
        evaluated.add_crossings(graph, arithmetic);
        self.look_at(evaluated);
    }

    /// Takes the errors at the points of a line, along which one stream varies, into the maximum.
    fn look_at(&mut self, Evaluated { line, results }: Evaluated) {
        for column in &results {
            let near = near_crossings(column, &line);
            for (point, ulps) in line.iter().zip(ulps(column, &line, &near, F32)) {
                if ulps > self.ulps {
                    self.ulps = ulps;
                    self.streams = point.streams();
                }
            }
            for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_narrow()) {
                let ulps = ulps(column, &line, &near, Format::of(dtype));
                self.halves = ulps.fold(self.halves, f64::max);
            }
        }
    }
}

/// Returns whether an output falls to zero at once between two points far from zero, where a divisor has overflowed.
///
/// That is at a value of no use to f32, as the 1e-74 of `x e^(-3x) / (e^(-4x) + 1)` at -178, but times `greatest`, the largest
/// product of the factor streams, it is a normal number.
fn falls_to_zero(Evaluated { line, results }: &Evaluated, greatest: f64) -> bool {
    let is_lost = |v: f64| v < F32.ulp(0.0) && v * greatest > f64::from(f32::MIN_POSITIVE);
    let falls = |values: &[Bounded]| {
        let [a, b] = [0, 1].map(|k: usize| values[k].value.abs());
        a.min(b) == 0.0 && is_lost(a.max(b))
    };
    // Points far apart have values far apart.
    let are_near = |points: &[Point]| {
        let [x, y] = [0, 1].map(|k: usize| points[k].x);
        x.abs() >= 1.0 && (0.75..1.25).contains(&(x / y))
    };
    let pairs = |column: &Vec<Bounded>| {
        line.windows(2)
            .zip(column.windows(2))
            .any(|(points, values)| are_near(points) && falls(values))
    };
    results.iter().any(pairs)
}

/// Returns the errors of one output along a line, in units in the last place of `format`.
///
/// `column` has the output at each point. The error is 0 where the input or the output is outside the range of the type. `near`
/// is true for points near a zero crossing, where units are at least those of [`NEAR_ZERO`].
fn ulps<'a>(
    column: &'a [Bounded],
    line: &'a [Point],
    near: &'a [bool],
    format: Format,
) -> impl Iterator<Item = f64> + 'a {
    column.iter().zip(line).zip(near).map(move |((b, point), near)| {
        let unit = format.ulp(if *near { b.value.abs().max(NEAR_ZERO) } else { b.value });
        let is_element = format.reaches(point.x);
        let overflows = !b.value.is_nan() && !format.holds(b.value);
        if is_element && !overflows { b.error / unit } else { 0.0 }
    })
}

/// Returns, per point of a line, whether it is near a zero crossing at a nonzero input.
///
/// Near means that the output is below [`NEAR_ZERO`] and that the input is within a factor of two of the input at the crossing.
fn near_crossings(column: &[Bounded], line: &[Point]) -> Vec<bool> {
    let mut near = vec![false; column.len()];
    let x = |i: usize| line[i].x;
    let small = |i: usize| column[i].value.abs() < NEAR_ZERO;
    for i in 1..column.len() {
        // If the sample is the zero itself, the sign of the next one counts.
        let after = if column[i].value == 0.0 { (i + 1).min(column.len() - 1) } else { i };
        let crosses = column[i - 1].value * column[after].value < 0.0;
        if crosses && x(i - 1) * x(after) > 0.0 {
            // At most a factor of two away to either side.
            let beside = |k: &usize| small(*k) && (0.5..2.0).contains(&(x(i) / x(*k)));
            (0..i).rev().take_while(beside).for_each(|k| near[k] = true);
            (i..column.len()).take_while(beside).for_each(|k| near[k] = true);
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Builder, Id};
    use crate::prim::Prim;

    /// Estimates the errors of `y f(x)` in f32 and in f64.
    fn estimates(formula: impl Fn(&mut Builder, Id) -> Id) -> [f64; 2] {
        let mut b = Builder::new();
        let (x, y) = (b.stream(0), b.stream(1));
        let f = formula(&mut b, x);
        let product = b.product(y, f);
        let graph = b.finish(&[product]);
        [Arithmetic::F32, Arithmetic::F64].map(|a| worst(&graph, a, &[]).ulps)
    }

    #[test]
    fn a_call_has_its_budget_and_factors_cost_nothing() {
        let [f32, f64] = estimates(|b, x| b.call(Prim::Tanh, &[x]));
        let budget = f64::from(Prim::Tanh.row().ulp.1);
        assert!((f32 - budget).abs() < 1e-9 && f64 < 1e-6, "{f32} {f64}");
        // All streams are factors here, so that their product rounds.
        let [f32, f64] = estimates(|b, x| b.negative(x));
        assert!(f32 == 0.5 && f64 < 1e-6, "{f32} {f64}");
    }

    /// Tests `a + b (e^x - 1)`: the estimate finds the cancellation in the second term where `a` is 0.
    #[test]
    fn what_another_term_hides_is_seen() {
        let mut builder = Builder::new();
        let [a, b, x] = [0, 1, 2].map(|k| builder.stream(k));
        let (exp, one) = (builder.call(Prim::Exp, &[x]), builder.num(1.0));
        let difference = builder.call(Prim::Sub, &[exp, one]);
        let product = builder.product(b, difference);
        let sum = builder.sum(a, product);
        let graph = builder.finish(&[sum]);
        assert!(worst(&graph, Arithmetic::F32, &[]).ulps > 100.0);
    }

    /// Tests `x^2 + b`, which cancels where the attribute is negative.
    #[test]
    fn attributes_that_only_add_are_negative_too() {
        let mut builder = Builder::new();
        let (x, b) = (builder.stream(0), builder.scalar(1));
        let square = builder.product(x, x);
        let sum = builder.sum(square, b);
        assert!(worst(&builder.finish(&[sum]), Arithmetic::F32, &[]).ulps > BUDGET);
    }

    #[test]
    fn what_cancels_or_overflows_is_seen() {
        // 1.702 x is rounded, and its exponential amplifies that error.
        let [f32, f64] = estimates(|b, x| {
            let scaled = b.scaled(1.702, x);
            let s = b.call(Prim::Sigmoid, &[scaled]);
            b.product(x, s)
        });
        assert!((20.0..400.0).contains(&f32) && f64 < 0.01, "{f32} {f64}");
        // Neither f32 nor f64 has a digit left at 1e-30.
        let [f32, f64] = estimates(|b, x| {
            let t = b.call(Prim::Tanh, &[x]);
            b.difference(x, t)
        });
        assert!(f32 > 1e6 && f64 > 1e6, "{f32} {f64}");
        // 2 |x| is infinite in f32, although y may be small enough for a finite product.
        let [f32, f64] = estimates(|b, x| {
            let size = b.call(Prim::Abs, &[x]);
            b.scaled(2.0, size)
        });
        assert!(f32.is_infinite() && f64 < 0.01, "{f32} {f64}");
        // The divisor overflows, so that the result is x / inf.
        let [f32, f64] = estimates(|b, x| {
            let (square, unit) = (b.product(x, x), b.num(1.0));
            let below = b.sum(unit, square);
            b.quotient(x, below)
        });
        assert!(f32 > 1e6 && f64 < 0.01, "{f32} {f64}");
    }

    #[test]
    fn an_inexact_number_that_is_rounded_may_be_another_integer() {
        let round = |b: &mut Builder, x: Id| b.call(Prim::Round, &[x]);
        let [f32, f64] = estimates(round);
        assert_eq!([f32, f64], [0.0, 0.0]);
        let [f32, f64] = estimates(|b, x| {
            let (step, t) = (b.num(0.05), b.call(Prim::Tanh, &[x]));
            let steps = b.quotient(t, step);
            round(b, steps)
        });
        assert!(f32 > 1e6 && f64 < 1e-6, "{f32} {f64}");
    }

    #[test]
    fn what_only_the_largest_numbers_overflow_is_seen() {
        // `k x` is infinite only for the largest number, although `softplus(k x) / k` is within f32.
        const K: f64 = 1.000_000_1;
        let [f32, f64] = estimates(|b, x| {
            let scaled = b.scaled(K, x);
            let (s, k) = (b.call(Prim::Softplus, &[scaled]), b.num(K));
            b.quotient(s, k)
        });
        assert!(f32.is_infinite() && f64 < 0.01, "{f32} {f64}");
        // The same where all streams are factors.
        let [f32, f64] = estimates(|b, x| {
            let (scaled, k) = (b.scaled(1.7, x), b.num(1.7));
            b.quotient(scaled, k)
        });
        assert!(f32.is_infinite() && f64 < 0.01, "{f32} {f64}");
    }

    #[test]
    fn both_branches_of_a_truth_value_are_seen() {
        for swapped in [false, true] {
            let mut b = Builder::new();
            let [x, keep] = [0, 1].map(|i| b.stream(i));
            let (zero, t) = (b.num(0.0), b.call(Prim::Tanh, &[x]));
            let (absent, lost) = (b.call(Prim::Eq, &[keep, zero]), b.difference(x, t));
            let (yes, no) = if swapped { (x, lost) } else { (lost, x) };
            let choice = b.call(Prim::Select, &[absent, yes, no]);
            assert!(worst(&b.finish(&[choice]), Arithmetic::F32, &[]).ulps > 1e6, "{swapped}");
        }
    }

    #[test]
    fn near_a_zero_crossing_units_are_those_of_its_surroundings() {
        let [f32, _] = estimates(|b, x| {
            let (half, third) = (b.num(0.5), b.num(1.0 / 3.0));
            let slope = b.product(third, x);
            b.sum(slope, half)
        });
        assert!((1.0..70.0).contains(&f32), "{f32}");
        // The samples are a few hundredths apart, and the digits are lost within a few thousandths of two zeros.
        let [f32, f64] = estimates(|b, x| {
            let (third, quarter) = (b.num(1.0 / 3.0), b.num(0.25));
            let (t, line) = (b.call(Prim::Tanh, &[x]), b.product(third, x));
            let above = b.difference(t, line);
            b.difference(above, quarter)
        });
        assert!((150.0..300.0).contains(&f32) && f64 < 1e-4, "{f32} {f64}");
        // There is no crossing, so that the lost digits count in full.
        let [f32, _] = estimates(|b, x| {
            let (unit, t) = (b.num(1.0), b.call(Prim::Tanh, &[x]));
            b.difference(unit, t)
        });
        assert!(f32 > 1e6, "{f32}");
    }
}
