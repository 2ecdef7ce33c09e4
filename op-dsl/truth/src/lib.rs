//! What an operator's results should be: the author's own formula, and its derivative, evaluated to
//! as many digits as it takes.
//!
//! ```text
//! rules    value and slopes of every primitive      real    what they compute with
//! walk     one element through a formula            near    f64 with a bound of its error
//! limit    formulas at infinity                     ball    any precision with a bound of its error
//! tower    the same of any size                     dual    each with its slope
//! pole     derivatives at poles                     crossing  the unit of errors near zero crossings
//! constants  `PI` and the like, which no f64 is   exact     a formula in as many bits as it takes
//! compensated  an exact f64 and what is missing from it   work  how much it costs
//! ```
//!
//! It evaluates the formula as traced, and of a gradient the forward formula, by forward-mode
//! differentiation; of the gradient of a gradient too, with numbers that have slopes. No pass of the compiler has touched either. Choices are taken as written, in
//! derivatives too; of two equal numbers, `min` and `max` have half the slope each; `|x|` has slope
//! 0 at 0. Where a formula reads `0 * inf` it has no value. A derivative has one at a pole, whatever
//! the chain rule reads there: it is infinite.
//!
//! Every number carries a bound of its error. Where f64 decides the result, f64 it is; where digits
//! cancel, the element is computed again with twice the bits until the bound is small enough.

pub mod ball;
pub mod compensated;
mod constants;
pub mod crossing;
pub mod dual;
mod exact;
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

/// What an f32 result may be off by, in units in the last place.
const SLACK: f64 = 1.0 / 4096.0;
/// What a rough result may be off by, beside itself.
const ROUGH: f64 = 1.0 / 4096.0;

/// The true outputs of one element: input streams and float attributes in, as the numbers that
/// they are. A result is as near to the truth as `format` asks for: 16-bit ones round as the truth
/// does, others are off by less than a thousandth of a unit in the last place. NaN is where the
/// formula has no value; infinite streams stand for the limit, and where there is none, for NaN. At poles
/// derivatives are infinite: where they go to one infinity from the left and to the other from the right,
/// either is right, and the result is the right one's. `None` is what [`ball::LAST`] bits do not decide.
pub fn decided(spec: &Spec, streams: &[f64], scalars: &[f64], format: Format) -> Vec<Option<f64>> {
    outputs_where(spec, streams, scalars, |y| suffices(y, format))
}

/// The same; NaN where nothing is decided as well.
pub fn outputs(spec: &Spec, streams: &[f64], scalars: &[f64], format: Format) -> Vec<f64> {
    numbers(decided(spec, streams, scalars, format))
}

/// The same to three digits: enough to see which side of zero they are on, and how far from it.
pub fn roughly(spec: &Spec, streams: &[f64], scalars: &[f64]) -> Vec<f64> {
    let is_rough = |y: Near| y.off == 0.0 || y.off <= ROUGH * y.value.abs();
    numbers(outputs_where(spec, streams, scalars, is_rough))
}

fn numbers(outputs: Vec<Option<f64>>) -> Vec<f64> {
    outputs.into_iter().map(|y| y.unwrap_or(f64::NAN)).collect()
}

/// The same, in f64 where that suffices, then in f64 with what is missing from it.
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

/// Whether f64 has decided a result.
fn suffices(y: Near, format: Format) -> bool {
    let unit = format.ulp(y.value);
    match format.is_half() {
        _ if y.off == 0.0 => true,
        true => {
            let (least, most) = ((y.value - y.off).next_down(), (y.value + y.off).next_up());
            y.off < unit && format.round(least) == format.round(most)
        }
        false => y.off <= SLACK * unit,
    }
}
