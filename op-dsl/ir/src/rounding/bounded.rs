//! Evaluates the nodes of a graph with bounds of their rounding errors.

use super::points::Point;
use crate::DType;
use crate::format::Format;
use crate::graph::{Graph, Id, Node};
use crate::passes::simplify;
use crate::prim::{Prim, Style};

pub(super) const F32: Format = Format::of(DType::F32);

/// Arithmetic that a graph is evaluated in. In both cases the outputs are rounded to f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// f32, with functions that meet the ULP budgets of the primitive table.
    F32,
    /// f64, with functions of relative error below 2^-46.
    F64,
}

/// A value with a bound of its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded {
    /// Value of the node, computed in f64.
    pub value: f64,
    /// Bound of the absolute error; infinite if there is none.
    pub error: f64,
}

/// Evaluates a graph's outputs at a point, with bounds of their errors.
pub fn outputs(graph: &Graph, arithmetic: Arithmetic, point: &Point) -> Vec<Bounded> {
    let all = evaluate(graph, arithmetic, point, graph.last());
    graph.outputs.iter().map(|o| all[o.index()]).collect()
}

/// Returns bounds of the errors of a graph's outputs in f32, for one element of every stream and these attributes.
///
/// A bound is infinite if a value that the output depends on is beyond f32.
pub fn errors_in_f32(graph: &Graph, streams: &[f64], scalars: &[f64]) -> Vec<f64> {
    let known = graph.rewrite(|b, node| match node {
        Node::Scalar(k) => b.num(scalars.get(usize::from(k)).copied().unwrap_or(f64::NAN)),
        node => b.add(node),
    });
    // Functions of attributes become numbers, as kernels compute them in f64.
    let point = Point::at(streams);
    let graph = simplify::run(&known);
    let all = evaluate(&graph, Arithmetic::F32, &point, graph.last());
    let is_beyond = graph.forward(|at| {
        let own = Arithmetic::F32.overflows(all[at.id.index()].value);
        own || at.node.args().iter().any(|id| at[*id])
    });
    let error = |output: &Id| {
        let args = graph.nodes[output.index()].args();
        let is_lost = args.iter().any(|id| is_beyond[id.index()]);
        if is_lost { f64::INFINITY } else { all[output.index()].error }
    };
    graph.outputs.iter().map(error).collect()
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
pub(super) fn evaluate_node(
    node: &Node,
    arithmetic: Arithmetic,
    point: &Point,
    known: impl Fn(Id) -> Option<Bounded>,
) -> Bounded {
    match *node {
        Node::Stream(s) => exact(point.stream(s.into())),
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
        Prim::Round => jump(x, arithmetic),
        Prim::Rem => remainder(x, y, arithmetic),
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

/// Returns the error of the rounded value of `x` that the error of `x` causes.
///
/// In f32 any error may take the argument across a tie, at some number between the samples. In f64 it does so only at
/// arguments that f64 cannot tell from a tie, where the result of either side is right (docs/promises.md).
fn jump(x: Bounded, arithmetic: Arithmetic) -> f64 {
    let least = if arithmetic == Arithmetic::F32 { 0.0 } else { 0.25 };
    if x.error <= least { 0.0 } else { x.error + 1.0 }
}

/// Returns the error of the remainder of `x / y` that the errors of `x` and `y` cause.
///
/// It is that of `x - y trunc(x / y)`, and one more `y` where the quotient may be rounded to another integer, as in [`jump`].
fn remainder(x: Bounded, y: Bounded, arithmetic: Arithmetic) -> f64 {
    let multiple = (x.value / y.value).trunc().abs();
    let off = x.error + if y.error == 0.0 { 0.0 } else { multiple * y.error };
    let step = y.value.abs();
    let least = if arithmetic == Arithmetic::F32 { 0.0 } else { 0.25 * step };
    if off <= least { off } else { off + step }
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
        Prim::Neg | Prim::Abs | Prim::Round | Prim::Rem | Prim::Min | Prim::Max => true,
        Prim::Add | Prim::Sub | Prim::Div | Prim::Mul => {
            let scales = power_of_two(y) || prim == Prim::Mul && power_of_two(x);
            let is_short = arithmetic == Arithmetic::F32 && is_subnormal(&exact(value)) && !fits();
            scales && matches!(prim, Prim::Mul | Prim::Div) && !is_short
                || x.error == 0.0 && y.error == 0.0 && fits() && in_f64()
        }
        Prim::Mul3 => [x, y, z].into_iter().filter(|b| power_of_two(*b)).count() > 1,
        // Products of exponentials whose exponents cancel have such a factor.
        Prim::Exp => x == exact(0.0),
        _ => false,
    }
}

/// Returns the number of significand bits of a number, without trailing zeros.
fn bits(value: f64) -> u32 {
    let fraction = value.to_bits() & ((1 << 52) - 1);
    53 - fraction.trailing_zeros().min(52)
}

/// Returns the error of the product `x y` that the errors of `x` and `y` cause.
pub(super) fn times(x: Bounded, y: Bounded) -> f64 {
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
    pub(super) fn overflows(self, value: f64) -> bool {
        match self {
            Arithmetic::F32 => value.abs() > f64::from(f32::MAX),
            Arithmetic::F64 => value.is_infinite(),
        }
    }
}

/// Returns whether a nonzero result is below the normal numbers of f32, where it has fewer digits or none.
pub(super) fn is_subnormal(result: &Bounded) -> bool {
    result.value != 0.0 && result.value.abs() < f32::MIN_POSITIVE.into()
}
