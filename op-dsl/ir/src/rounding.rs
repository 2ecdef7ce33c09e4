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

mod along;
mod infinities;
mod points;
mod products;

use crate::DType;
use crate::format::Format;
use crate::graph::{Graph, Id, Node};
use crate::prim::{Prim, Style};
use crate::roles::is_factor;
use along::Evaluated;
pub use infinities::{agree_at_infinity, divides_apart, has_no_limit, lost_to_zeros};
pub use points::{Point, Ranges, ends, lines};
pub use products::worst_in_f32;

/// Arithmetic that a graph is evaluated in. In both cases the outputs are rounded to f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// f32, with functions that meet the ULP budgets of the primitive table.
    F32,
    /// f64, with functions of relative error below 2^-46.
    F64,
}

/// Largest estimated rounding error of a graph's outputs, and where it occurs.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// Error in units in the last place (ULP) of f32; infinite if there is no bound.
    pub ulps: f64,
    /// Values of the input streams at which the error `ulps` occurs.
    pub streams: Vec<f64>,
    /// Largest error of outputs in f16 or bf16, in units in the last place of that type.
    pub halves: f64,
}

const F32: Format = Format::of(DType::F32);
const HALVES: [Format; 2] = [Format::of(DType::F16), Format::of(DType::BF16)];

/// Magnitude below which errors near a zero crossing are measured in ULP of this magnitude.
///
/// It applies to results whose factor streams are 1. The unit of the result itself would be too strict, because next to a zero
/// crossing the result is small only by the choice of the input.
pub const NEAR_ZERO: f64 = 1.0 / 128.0;

/// Value of factor streams that brings results beyond f32 back into the range of f32.
const SMALL_FACTOR: f64 = 1.0 / (1u128 << 100) as f64;

/// Returns whether a nonzero result is below the normal numbers of f32, where it has fewer digits or none.
fn is_subnormal(result: &Bounded) -> bool {
    result.value != 0.0 && result.value.abs() < f32::MIN_POSITIVE.into()
}

/// Estimates the largest rounding error of any output, for streams within these ranges.
pub fn worst(graph: &Graph, arithmetic: Arithmetic, ranges: &Ranges) -> Worst {
    let mut worst = Worst { ulps: 0.0, streams: Vec::new(), halves: 0.0 };
    let lines = lines(graph, ranges);
    let streams = lines.first().and_then(|line| line.first()).map_or(0, |p| p.streams.len());
    let factors: Vec<usize> = (0..streams).filter(|s| is_factor(graph, *s)).collect();
    let mut small = Vec::new();
    for line in lines {
        let line = Evaluated::new(graph, arithmetic, line);
        if !factors.is_empty() {
            let is_beyond = |b: &Bounded| Arithmetic::F32.overflows(b.value);
            small.push(line.beside(is_beyond, &factors, SMALL_FACTOR));
        }
        worst.add(graph, arithmetic, line);
    }
    for line in small {
        worst.look_at(graph, Evaluated::new(graph, arithmetic, line));
    }
    worst
}

impl Worst {
    /// Raises the maximum to the errors at the points of a line and around its zero crossings.
    ///
    /// A line is a list of points along which one stream varies.
    fn add(&mut self, graph: &Graph, arithmetic: Arithmetic, mut evaluated: Evaluated) {
        evaluated.add_crossings(graph, arithmetic);
        self.look_at(graph, evaluated);
    }

    /// Raises the maximum to the errors at the points of a line, along which one stream varies.
    fn look_at(&mut self, graph: &Graph, Evaluated { line, results }: Evaluated) {
        for output in 0..graph.outputs.len() {
            let column: Vec<Bounded> = results.iter().map(|all| all[output]).collect();
            let near = near_crossings(&column, &line);
            for (point, ulps) in line.iter().zip(ulps(&column, &line, &near, F32)) {
                if ulps > self.ulps {
                    self.ulps = ulps;
                    self.streams.clone_from(&point.streams);
                }
            }
            for format in HALVES {
                self.halves = ulps(&column, &line, &near, format).fold(self.halves, f64::max);
            }
        }
    }
}

/// A value with a bound of its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded {
    /// Value computed in f64.
    pub value: f64,
    /// Bound of the absolute error; infinite if there is none.
    pub error: f64,
}

/// Evaluates a graph's outputs at a point, with bounds of their errors.
pub fn outputs(graph: &Graph, arithmetic: Arithmetic, point: &Point) -> Vec<Bounded> {
    let all = evaluate(graph, arithmetic, point, graph.last());
    graph.outputs.iter().map(|o| all[o.index()]).collect()
}

/// Evaluates all nodes up to `last` at a point, with bounds of their errors.
///
/// Streams that the point does not have are NaN.
pub fn evaluate(graph: &Graph, arithmetic: Arithmetic, point: &Point, last: Id) -> Vec<Bounded> {
    graph
        .forward_to(last, |at| evaluate_node(&at.node, arithmetic, point, |id| at.get(id).copied()))
}

/// Evaluates a node at a point; `known` returns the values of the node's arguments.
#[inline(always)]
fn evaluate_node(
    node: &Node,
    arithmetic: Arithmetic,
    point: &Point,
    known: impl Fn(Id) -> Option<Bounded>,
) -> Bounded {
    match *node {
        Node::Stream(s) => exact(point.streams.get(usize::from(s)).copied().unwrap_or(f64::NAN)),
        Node::Scalar(s) => exact(point.scalars[usize::from(s) % 3]),
        Node::Const(c) => match arithmetic {
            Arithmetic::F32 => Bounded { value: c, error: (c - f64::from(c as f32)).abs() },
            Arithmetic::F64 => exact(c),
        },
        Node::Call(prim, args) => {
            let args = args.map(|id| known(id).unwrap_or(exact(f64::NAN)));
            called(prim, args, arithmetic)
        }
    }
}

fn exact(value: f64) -> Bounded {
    Bounded { value, error: 0.0 }
}

/// Evaluates a call of a primitive, with a bound of its error.
///
/// The bound is the sum of the errors propagated from the arguments and the rounding error of the call.
fn called(prim: Prim, args: [Bounded; 3], arithmetic: Arithmetic) -> Bounded {
    let row = prim.row();
    let value = (row.oracle)(args.map(|a| a.value));
    let [x, y, z] = args;
    let carried = match prim {
        Prim::Lt | Prim::Le | Prim::Eq => return exact(value),
        Prim::Select => return if x.value != 0.0 { y } else { z },
        Prim::Neg | Prim::Abs => x.error,
        Prim::Add | Prim::Sub => x.error + y.error,
        Prim::Mul => times(x, y),
        Prim::Mul3 => times(Bounded { value: x.value * y.value, error: times(x, y) }, z),
        // A divisor that has overflowed may give zero, so that the whole quotient counts as an error.
        Prim::Div if y.error.is_infinite() => x.error / y.value.abs() + value.abs(),
        Prim::Div => (x.error + value.abs() * y.error) / (y.value.abs() - y.error).max(0.0),
        _ => (0..row.arity).map(|k| carried(prim, args, k)).sum(),
    };
    let is_exact = is_exact(prim, args, value, arithmetic);
    let rounding = if is_exact { 0.0 } else { arithmetic.rounding(prim, value) };
    // A sum loses at most its smaller term, for example where that is too small to change the result.
    let rounding = match prim {
        Prim::Add | Prim::Sub => rounding.min(x.value.abs()).min(y.value.abs()),
        Prim::Sqrt if value * value == x.value => 0.0,
        _ => rounding,
    };
    let error = carried + rounding;
    // NaN is the correct value of a function of accurate arguments outside its domain.
    let is_outside = |a: &Bounded| a.value == f64::NEG_INFINITY && row.domain.0 > a.value;
    let good = |a: &Bounded| a.error.is_finite() && !a.value.is_infinite() || is_outside(a);
    if value.is_nan() && args[..row.arity].iter().all(good) {
        return exact(value);
    }
    let lost = error.is_nan() || value.is_nan() || arithmetic.overflows(value);
    Bounded { value, error: if lost { f64::INFINITY } else { error } }
}

/// Returns whether a call of an arithmetic primitive gives `value` without rounding.
fn is_exact(prim: Prim, [x, y, z]: [Bounded; 3], value: f64, arithmetic: Arithmetic) -> bool {
    let power_of_two = |b: Bounded| b.error == 0.0 && b.value.to_bits() << 12 == 0;
    // The test in f64 is necessary, because a sum that f64 has rounded may be an f32 number as well, for example `1 - 1e20`.
    let in_f64 = || match prim {
        Prim::Mul => bits(x.value) + bits(y.value) <= 53,
        Prim::Div => bits(value) + bits(y.value) <= 53 && value * y.value == x.value,
        Prim::Add => value - x.value == y.value && value - y.value == x.value,
        Prim::Sub => x.value - value == y.value && value + y.value == x.value,
        _ => false,
    };
    let fits = || arithmetic == Arithmetic::F64 || f64::from(value as f32) == value;
    match prim {
        Prim::Neg | Prim::Abs | Prim::Min | Prim::Max => true,
        Prim::Add | Prim::Sub | Prim::Div | Prim::Mul => {
            let scales = power_of_two(y) || prim == Prim::Mul && power_of_two(x);
            let is_short = arithmetic == Arithmetic::F32 && is_subnormal(&exact(value)) && !fits();
            scales && matches!(prim, Prim::Mul | Prim::Div) && !is_short
                || x.error == 0.0 && y.error == 0.0 && fits() && in_f64()
        }
        Prim::Mul3 => [x, y, z].into_iter().filter(|b| power_of_two(*b)).count() > 1,
        _ => false,
    }
}

/// Returns the number of significand bits of a number, without trailing zeros.
fn bits(value: f64) -> u32 {
    let fraction = value.to_bits() & ((1 << 52) - 1);
    53 - fraction.trailing_zeros().min(52)
}

/// Returns the error of the product `x y` that the errors of `x` and `y` cause.
fn times(x: Bounded, y: Bounded) -> f64 {
    let part = |error: f64, by: f64| if error == 0.0 { 0.0 } else { error * by };
    part(x.error, y.value.abs() + y.error) + part(y.error, x.value.abs())
}

/// Returns the error of a function's value that the error of argument `k` causes.
///
/// It is that error times the slope of the function at the argument.
fn carried(prim: Prim, args: [Bounded; 3], k: usize) -> f64 {
    let Bounded { value, error } = args[k];
    if error == 0.0 {
        return 0.0;
    }
    if error.is_infinite() {
        let mut values = args.map(|a| a.value);
        values[k] = f64::INFINITY.copysign(value);
        let at_infinity = (prim.row().oracle)(values);
        return (at_infinity - (prim.row().oracle)(args.map(|a| a.value))).abs();
    }
    // The step is large enough for an accurate difference in f64, and small enough for a local slope.
    let step = error.max(value.abs() * 2f64.powi(-26)).max(f64::MIN_POSITIVE);
    let at = |x: f64| {
        let mut values = args.map(|a| a.value);
        values[k] = x;
        (prim.row().oracle)(values)
    };
    let slope = (at(value + step) - at(value - step)).abs() / (2.0 * step);
    slope * error
}

impl Arithmetic {
    /// Returns the rounding error of a call of `prim` whose result is `value`.
    fn rounding(self, prim: Prim, value: f64) -> f64 {
        let function = prim.row().style == Style::Function && prim != Prim::Sqrt;
        match self {
            // A value below half of the least subnormal number becomes zero.
            Arithmetic::F32 if value.abs() < 2f64.powi(-150) => value.abs(),
            Arithmetic::F32 => f64::from(prim.row().ulp.0) * F32.ulp(value),
            Arithmetic::F64 if function => value.abs() * 2f64.powi(-46),
            Arithmetic::F64 => value.abs() * 2f64.powi(-53),
        }
    }

    /// Returns whether a value is beyond the finite numbers of f32 or f64.
    fn overflows(self, value: f64) -> bool {
        match self {
            Arithmetic::F32 => value.abs() > f64::from(f32::MAX),
            Arithmetic::F64 => value.is_infinite(),
        }
    }
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
        let is_element = format.reaches(point.streams[point.varied]);
        let overflows = !b.value.is_nan() && !format.holds(b.value);
        if is_element && !overflows { b.error / unit } else { 0.0 }
    })
}

/// Returns, per point of a line, whether it is near a zero crossing at a nonzero input.
///
/// Near means that the output is below [`NEAR_ZERO`] and that the input is within a factor of two of the input at the crossing.
fn near_crossings(column: &[Bounded], line: &[Point]) -> Vec<bool> {
    let mut near = vec![false; column.len()];
    let x = |i: usize| line[i].streams[line[i].varied];
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
    use crate::graph::Builder;

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

    /// `a + b (e^x - 1)`: the estimate finds the cancellation in the second term where `a` is 0.
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
