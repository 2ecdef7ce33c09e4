//! Where a tail is fitted, and how much an error counts there: in units of the type, on both sides of 0 at once.

use super::bell::Place;
use super::look::Seen;
use crate::sequence::forms::tail::Limit;
use core::f64::consts::FRAC_1_SQRT_2;
use half::{bf16, f16};
use op_dsl_ir::DType;
use op_dsl_ir::format::{Format, pow2};

/// About how many.
const MANY: usize = 640;
/// Nearer to 0 nothing changes any more.
const NEAR: f64 = 1.0 / 4096.0;

/// What `s a^2` is where nothing is left of the tail: `e^-v` is 0 in `float`, or beside the least number of f16.
pub(super) fn gone(dtype: DType) -> f64 {
    if dtype == DType::F16 { 40.0 } else { 105.0 }
}

/// What `s a^2` is where the tail has become too small to have digits.
fn last(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 20.0,
        DType::BF16 => 92.0,
        DType::F32 => 87.0,
    }
}

/// The places for a function of this kind.
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
    // Of neighbours the one where units are smallest: beside a zero of the function they are much smaller.
    let least = |few: &[Place]| few.iter().max_by(|p, q| p.weight.total_cmp(&q.weight)).copied();
    all.chunks(all.len().div_ceil(MANY)).filter_map(least).collect()
}

/// Units of the value in f32, or of what half a unit of the input changes, that a fit may be off, of the 8 that a result may.
/// Without that, gelu' was 15.4 ulp off beside its least value (`x = -1.22`); by as many calls it is 7 at most.
const UNITS: f64 = 3.0;

/// What may be off in f32 where the bell is `e^-v`: of 2^-22 what is left when a few calls have rounded the tail, and of
/// 2e-6, which is asked to 8, what is left when `v` is rounded, and a few calls after it. Where the tail passes 0 it is
/// not less than for what is a thousandth of the bell. Nowhere is it more than [`UNITS`].
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
    // A zero at 0 takes its digits along.
    if seen.has_zero { all.min(2.2e-7 * size.max(1e-6) * (2.0 * v - 1.0).max(1.0)) } else { all }
}

fn inputs(dtype: DType, last: f64) -> Vec<f64> {
    let number = |bits: u16| match dtype {
        DType::F16 => f16::from_bits(bits).to_f64(),
        _ => bf16::from_bits(bits).to_f64(),
    };
    if dtype == DType::F32 {
        // Denser where it bends.
        let many = MANY / 2;
        let share = |k: usize| k as f64 / (many - 1) as f64;
        return (0..many).map(|k| last * share(k) * (0.3 + 0.7 * share(k))).collect();
    }
    let least = NEAR.min(last * NEAR);
    (0..0x7c00).map(number).filter(|a| (least..last).contains(a)).collect()
}

impl crate::sequence::forms::tail::Side {
    /// The tail at a distance from 0 as its sequence has it, and the value of the other side.
    fn parted(self, f: &dyn Fn(f64) -> f64, a: f64) -> (f64, f64) {
        let sign = if self.above { 1.0 } else { -1.0 };
        let (tail, other) = (f(sign * a), f(-sign * a));
        match self.limit {
            Limit::Number(_) => (tail, other),
            Limit::Line(_) => (-tail, other),
        }
    }
}
