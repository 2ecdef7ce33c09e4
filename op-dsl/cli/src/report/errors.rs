//! Errors over the range of the activation.

use crate::error::Error;
use crate::verify::{self, formula::Formula};
use op_dsl_ir::DType;

/// Exponents of the least and greatest magnitude (powers of two) on the activation axis of the plot.
const RANGE: (i32, i32) = (-8, 7);
/// Points of the plot per octave of the activation.
///
/// `PER_PLACE` activations are measured at each point.
const PER_OCTAVE: i32 = 3;
const PER_PLACE: i32 = 40;

/// Errors of an element type over the activation, from the least activation to the greatest.
pub struct Errors {
    pub dtype: DType,
    /// Pairs of an activation and the largest error near it, in units in the last place.
    pub points: Vec<(f64, f64)>,
}

impl Errors {
    /// Measures the errors of a formula at the best SIMD level of this CPU, over the activation.
    ///
    /// Input streams that results are proportional to are 1.
    pub fn of(formula: &Formula, dtype: DType) -> Result<Errors, Error> {
        let places: Vec<f64> = places().collect();
        let step = f64::from(PER_OCTAVE * PER_PLACE).recip().exp2();
        let xs = places.iter().flat_map(|x| (0..PER_PLACE).map(move |k| x * step.powi(k)));
        let errors = verify::errors(formula, dtype, &xs.collect::<Vec<_>>())?;
        let largest = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
        let points = places.iter().copied().zip(errors.chunks(PER_PLACE as usize).map(largest));
        Ok(Errors { dtype, points: points.collect() })
    }

    pub fn largest(&self) -> f64 {
        self.points.iter().map(|p| p.1).fold(0.0, f64::max)
    }
}

/// Returns the activations at the points of the plot, in ascending order.
fn places() -> impl Iterator<Item = f64> {
    let (from, to) = (RANGE.0 * PER_OCTAVE, RANGE.1 * PER_OCTAVE);
    let magnitude = |k: i32| (f64::from(k) / f64::from(PER_OCTAVE)).exp2();
    (from..to).rev().map(move |k| -magnitude(k)).chain((from..to).map(magnitude))
}

/// Returns the position of an activation on the logarithmic axis, from 0 (left) to 1 (right).
pub fn across(x: f64) -> f64 {
    let octaves = f64::from(RANGE.1 - RANGE.0);
    let share = ((x.abs().log2() - f64::from(RANGE.0)) / octaves).clamp(0.0, 1.0);
    0.5 + 0.5 * share.copysign(x)
}
