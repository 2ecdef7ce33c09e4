//! What an operator's results should be: the author's own formula, and its derivative, evaluated to
//! as many digits as it takes.
//!
//! ```text
//! rules    value and slopes of every primitive      real    what they compute with
//! walk     one element through a formula            near    f64 with a bound of its error
//! limit    formulas at infinity                     ball    any precision with a bound of its error
//! format   rounding and units in the last place    dual    either with its slope
//!                                                   crossing  the unit of errors near zero crossings
//! ```
//!
//! It evaluates the formula as traced, and of a gradient the forward formula, by forward-mode
//! differentiation; of the gradient of a gradient too, with numbers that have slopes. No pass of the compiler has touched either. Choices are taken as written, in
//! derivatives too; of two equal numbers, `min` and `max` have half the slope each; `|x|` has slope
//! 0 at 0.
//!
//! Every number carries a bound of its error. Where f64 decides the result, f64 it is; where digits
//! cancel, the element is computed again with twice the bits until the bound is small enough.

pub mod ball;
pub mod crossing;
pub mod dual;
pub mod format;
mod limit;
pub mod near;
pub mod real;
pub mod rules;
mod walk;

use ball::Ball;
use format::Format;
use near::Near;
use op_dsl_ir::op::Spec;

/// Bits of the first attempt in more than f64.
const FIRST: usize = 128;
/// Bits of a result that are asked for.
const ENOUGH: f64 = 70.0;
/// The logarithm of what is nothing beside every number of every element type.
const NOTHING: f64 = -170.0;
/// What an f32 result may be off by, in units in the last place.
const SLACK: f64 = 1.0 / 4096.0;

/// The true outputs of one element: input streams and float attributes in, as the numbers that
/// they are. A result is as near to the truth as `format` asks for: 16-bit ones round as the truth
/// does, others are off by less than a thousandth of a unit in the last place. NaN is where the
/// formula has no value; infinite streams stand for the limit, and where there is none, for NaN.
pub fn outputs(spec: &Spec, streams: &[f64], scalars: &[f64], format: Format) -> Vec<f64> {
    if streams.iter().any(|x| x.is_infinite()) {
        return limit::outputs(spec, streams, scalars);
    }
    let near = walk::outputs(spec, streams, scalars, &Near::exact);
    match near.iter().all(|y| suffices(*y, format)) {
        true => near.into_iter().map(|y| y.value).collect(),
        false => exactly(spec, streams, scalars).iter().map(Ball::to_f64).collect(),
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

/// The outputs with [`ENOUGH`] bits; those that no precision decides stay unknown.
fn exactly(spec: &Spec, streams: &[f64], scalars: &[f64]) -> Vec<Ball> {
    let mut precision = FIRST;
    loop {
        let all = walk::outputs(spec, streams, scalars, &|v| Ball::exact(v, precision));
        let done = |y: &Ball| y.has_bits(ENOUGH) || y.is_below(NOTHING);
        if precision >= ball::LAST || all.iter().all(done) {
            return all;
        }
        precision *= 2;
    }
}
