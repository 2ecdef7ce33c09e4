//! Samples of a fit, and the weight of an error at each, in units in the last place of the element type.
//!
//! A weight covers both sides of 0 at once.

use super::bell::Place;
use super::detect::Seen;
use crate::sequence::forms::tail::Limit;
use core::f64::consts::FRAC_1_SQRT_2;
use op_dsl_ir::DType;
use op_dsl_ir::format::{Format, pow2};

/// Approximate number of points at which a fit samples its function.
const MANY: usize = 640;
/// Distance from 0 below which a fit has no samples, because functions do not change any more.
const NEAR: f64 = 1.0 / 4096.0;

/// Returns the exponent `v` at which a Gaussian tail, which is like `e^-v`, has vanished.
///
/// `e^-v` is 0 in `float` there, or negligible compared with the least number of f16.
pub(super) fn gone(dtype: DType) -> f64 {
    if dtype.has_f32_range() { 105.0 } else { 40.0 }
}

/// Returns the exponent `v` beyond which a Gaussian tail, which is like `e^-v`, has no digits left.
///
/// It is too small there for the element type.
fn last(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 20.0,
        DType::BF16 => 92.0,
        DType::F32 => 87.0,
    }
}

/// Returns the samples to which the Gaussian tail of `f` is fitted.
///
/// Each has a distance from 0, a value, and the weight of an error.
pub(super) fn places(f: &dyn Fn(f64) -> f64, seen: &Seen, dtype: DType) -> Vec<Place> {
    let last = (last(dtype) / seen.scale).sqrt();
    let place = |a: f64| {
        let (tail, other) = seen.side.parted(f, a);
        let unit = match dtype {
            DType::F32 => tolerance(f, seen, a, tail),
            _ => Format::of(dtype).ulp(tail).min(Format::of(dtype).ulp(other)),
        };
        Place { a, value: tail, weight: 1.0 / unit }
    };
    let all: Vec<Place> = inputs(dtype, last).into_iter().map(place).collect();
    // The sample with the smallest unit among neighbours is kept, because units are much smaller beside a zero of the function.
    let least = |few: &[Place]| few.iter().max_by(|p, q| p.weight.total_cmp(&q.weight)).copied();
    all.chunks(all.len().div_ceil(MANY)).filter_map(least).collect()
}

/// Largest allowed error of a fit in f32, in the larger of two units.
///
/// These are the unit in the last place of the value, and the change of the value where the input changes by half a unit. A result of a
/// kernel may be off by 8 of them. Without this bound, gelu' was 15.4 ulp off near its minimum (`x = -1.22`). With it, the fit takes as
/// many vector calls and is off by at most 7.
const UNITS: f64 = 3.0;

/// Returns the allowed error of a fit in f32 at distance `a` from 0, where its tail has value `tail`.
///
/// The tail is like `e^-v` with `v = s a^2`. The result is the part of the tolerance of 2^-22 that remains after a few calls have
/// rounded the tail, or of 2e-6 (checked for `a` up to 8) after `v` and the few calls that use it have been rounded. Where the tail
/// passes 0, the error counts relative to a thousandth of the exponential at least. The result never exceeds [`UNITS`].
fn tolerance(f: &dyn Fn(f64) -> f64, seen: &Seen, a: f64, tail: f64) -> f64 {
    let (size, v) = (tail.abs(), seen.scale * a * a);
    let absolute = (2.5 - 1.5 * size.min(1.0)) * size.max(1.0) / (1 << 24) as f64;
    let of_v = 0.5 * Format::of(DType::F32).ulp(v);
    let relative = if a <= 8.0 { (1.8e-6 - of_v).max(6e-7) } else { 4e-6 };
    let all = absolute.min(relative * size.max(libm::exp(-v) / 1024.0));
    let change = {
        let at = |share: f64| seen.side.parted(f, a * (1.0 + share)).0;
        (at(1e-6) - at(-1e-6)).abs() / 2e-6
    };
    let unit =
        (size.max(1e-6) * FRAC_1_SQRT_2 * pow2(-23)).max((change * pow2(-24)).min(pow2(-25)));
    let all = all.min(UNITS * unit);
    // A function that is 0 at 0 must be relatively accurate there.
    if seen.has_zero { all.min(2.2e-7 * size.max(1e-6) * (2.0 * v - 1.0).max(1.0)) } else { all }
}

fn inputs(dtype: DType, last: f64) -> Vec<f64> {
    if !dtype.is_narrow() {
        // Denser near 0, where the function bends.
        let many = MANY / 2;
        let share = |k: usize| k as f64 / (many - 1) as f64;
        return (0..many).map(|k| last * share(k) * (0.3 + 0.7 * share(k))).collect();
    }
    let least = NEAR.min(last * NEAR);
    (0..0x7c00)
        .map(|bits| Format::of(dtype).decode(bits))
        .filter(|a| (least..last).contains(a))
        .collect()
}

impl crate::sequence::forms::tail::Side {
    /// Returns the Gaussian tail of `f` at distance `a` from 0, and `f` as far away on the other side.
    ///
    /// The tail has the sign that its sequence of vector calls computes.
    fn parted(self, f: &dyn Fn(f64) -> f64, a: f64) -> (f64, f64) {
        let sign = if self.above { 1.0 } else { -1.0 };
        let (tail, other) = (f(sign * a), f(-sign * a));
        match self.limit {
            Limit::Number(_) => (tail, other),
            Limit::Line(_) => (-tail, other),
        }
    }
}
