//! Reference evaluator: the author's own formula and its derivative, to as many digits as needed.
//!
//! ```text
//! rules    value and slopes of every primitive      real    interface of the numbers that rules compute with
//! walk     one element through a formula            near    f64 with a bound of its error
//! limit    formulas at infinity                     ball    any precision with a bound of its error
//! tower    balls with exponents of any size         dual    a number with its derivative
//! pole     derivatives at poles                     crossing  the unit of errors near zero crossings
//! constants  exact values of `PI` and the like      exact   a formula in as many bits as it takes
//! compensated  an exact f64 head and a tail         work    cost of evaluations
//! inverse  the inverse of erf                   gamma    the logarithm of the gamma function
//! ```
//!
//! The crate evaluates the formula as traced, which no pass of the compiler has changed. For a gradient it evaluates the
//! forward formula by forward-mode differentiation, for the gradient of a gradient it does that with dual numbers.
//!
//! - A branch is taken as written, in derivatives too.
//! - At two equal numbers, `min` and `max` have half the slope each; `|x|` has slope 0 at 0.
//! - Where a formula evaluates `0 * inf` it has no value.
//! - At a pole a derivative is infinite, even where the chain rule evaluates `0 * inf`.
//!
//! Every number has a bound of its error. If f64 decides the result, it is computed in f64. Where digits cancel, the
//! element is computed again with twice the bits until the bound is small enough.

pub mod ball;
pub mod compensated;
mod constants;
pub mod crossing;
pub mod dual;
mod exact;
mod gamma;
mod inverse;
mod limit;
pub mod near;
mod pole;
pub mod real;
pub mod rules;
pub mod tower;
mod walk;
mod work;

use compensated::Compensated;
use exact::exactly;
use near::Near;
use op_dsl_ir::format::Format;
use op_dsl_ir::op::Spec;
use walk::at;
pub use work::work;

/// Maximum error of an output computed for comparison with f32 results, in units in the last place.
const SLACK: f64 = 1.0 / 4096.0;
/// Maximum relative error of the results of [`roughly`].
const ROUGH: f64 = 1.0 / 4096.0;

/// Returns the exact outputs of a formula for one element.
///
/// `streams` has the element's value in every input stream, and `scalars` has the float attributes. All of these count as
/// exact numbers.
///
/// A result is as accurate as `format` requires: 16-bit results round as the exact value does, others are off by less
/// than a thousandth of a unit in the last place.
///
/// - NaN means that the formula has no value.
/// - For an infinite stream the result is the limit, or NaN where there is none.
/// - At poles derivatives are infinite. If the two sides go to opposite infinities, either is right, and the result is
///   the limit from the right.
/// - `None` means that [`ball::LAST`] bits do not decide the result.
pub fn decided(spec: &Spec, streams: &[f64], scalars: &[f64], format: Format) -> Vec<Option<f64>> {
    outputs_where(spec, streams, scalars, |y| suffices(y, format))
}

/// Returns the exact outputs of one element as [`decided`] does, but NaN instead of `None`.
pub fn outputs(spec: &Spec, streams: &[f64], scalars: &[f64], format: Format) -> Vec<f64> {
    numbers(decided(spec, streams, scalars, format))
}

/// Returns the outputs of one element to three digits: enough for their sign and magnitude.
pub fn roughly(spec: &Spec, streams: &[f64], scalars: &[f64]) -> Vec<f64> {
    let is_rough = |y: Near| y.off == 0.0 || y.off <= ROUGH * y.value.abs();
    numbers(outputs_where(spec, streams, scalars, is_rough))
}

fn numbers(outputs: Vec<Option<f64>>) -> Vec<f64> {
    outputs.into_iter().map(|y| y.unwrap_or(f64::NAN)).collect()
}

/// Returns the outputs of one element, evaluated with more and more bits until `suffices` accepts all.
///
/// The first attempt is in f64, the second in compensated f64, the others in twice the bits of the one before. `None`
/// means that the last attempt does not decide an output.
fn outputs_where(
    spec: &Spec,
    streams: &[f64],
    scalars: &[f64],
    suffices: impl Fn(Near) -> bool,
) -> Vec<Option<f64>> {
    if streams.iter().any(|x| x.is_infinite()) {
        return limit::outputs(spec, streams, scalars).into_iter().map(Some).collect();
    }
    let decided = |all: Vec<Near>| {
        all.iter().all(|y| suffices(*y)).then(|| all.iter().map(|y| Some(y.value)).collect())
    };
    let near = || {
        work::add(walk::calls(spec), work::NEAR);
        walk::outputs(spec, &at(streams, Near::exact), scalars, &Near::exact)
    };
    let compensated = || {
        work::add(walk::calls(spec), work::COMPENSATED);
        let number = |v: f64| Compensated::exact(v, Near::exact);
        let all = walk::outputs(spec, &at(streams, number), scalars, &number);
        all.iter().map(Compensated::sum).collect()
    };
    let exact = || {
        let all = exactly(spec, streams, scalars);
        all.iter().map(|y| (!y.is_unknown()).then(|| y.to_f64())).collect()
    };
    let values: Vec<Option<f64>> =
        decided(near()).or_else(|| decided(compensated())).unwrap_or_else(exact);
    let is_lost = |y: &Option<f64>| y.is_some_and(f64::is_nan);
    match spec.derived.is_some() && values.iter().any(is_lost) {
        true => pole::outputs(spec, streams, scalars, values),
        false => values,
    }
}

/// Returns whether the error bound of `y` is small enough for a result in this format.
fn suffices(y: Near, format: Format) -> bool {
    let unit = format.ulp(y.value);
    match format.is_narrow() {
        _ if y.off == 0.0 => true,
        true => {
            let (least, most) = ((y.value - y.off).next_down(), (y.value + y.off).next_up());
            y.off < unit && format.round(least) == format.round(most)
        }
        false => y.off <= SLACK * unit,
    }
}
