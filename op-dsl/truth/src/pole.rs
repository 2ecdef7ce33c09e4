//! Derivatives at poles, as limits from either side.
//!
//! For `x ln|x|` the chain rule evaluates `ln 0 + 0 * inf` at 0, and for `ln(x / (1 - x))` it evaluates `0 * inf` at 1,
//! while other spellings of the same functions give infinity there.

use crate::exact::{exactly_at, precise};
use crate::limit::limit;
use crate::near::Near;
use crate::walk::{self, at};
use op_dsl_ir::op::Spec;

/// Exponents `n` of the distances `2^n` from a possible pole at which outputs are evaluated.
///
/// Each distance is the square of the one before. Distances are relative to the input stream's value unless that is 0.
const NEARER: [i32; 4] = [-40, -80, -160, -320];

/// Returns `values`, the outputs of one element, with NaN replaced by infinity at poles.
pub fn outputs(
    spec: &Spec,
    streams: &[f64],
    scalars: &[f64],
    values: Vec<Option<f64>>,
) -> Vec<Option<f64>> {
    let mut values = values;
    if streams.iter().any(|x| x.is_nan()) {
        return values;
    }
    for moved in 0..streams.len() {
        if !has_neighbours(spec, streams, scalars, moved) {
            continue;
        }
        let sides = [1.0, -1.0].map(|side| from_one_side(spec, streams, scalars, moved, side));
        let poles = sides[0].iter().zip(&sides[1]).map(|(right, left)| pole(*right, *left));
        let is_lost = |value: &Option<f64>| value.is_some_and(f64::is_nan);
        for (value, pole) in values.iter_mut().zip(poles).filter(|(value, _)| is_lost(value)) {
            *value = Some(pole);
        }
    }
    values
}

/// Returns the value at a point from the limits on its right and left.
///
/// The result is the right limit if both are infinite, the infinite one if the other is NaN, and otherwise NaN.
fn pole(right: f64, left: f64) -> f64 {
    match (right.is_infinite(), left.is_infinite()) {
        (true, _) if left.is_infinite() || left.is_nan() => right,
        (_, true) if right.is_nan() => left,
        _ => f64::NAN,
    }
}

/// Returns whether any output is not NaN when stream `moved` has the next larger or smaller f64 value.
fn has_neighbours(spec: &Spec, streams: &[f64], scalars: &[f64], moved: usize) -> bool {
    let x = streams[moved];
    [x.next_down(), x.next_up()].into_iter().any(|x| {
        let mut streams = streams.to_vec();
        streams[moved] = x;
        let near = walk::outputs(spec, &at(&streams, Near::exact), scalars, &Near::exact);
        near.iter().any(|y| !y.value.is_nan())
    })
}

/// Returns the limit of each output as input stream `moved` approaches its value from one side.
///
/// `side` is 1 for the right and -1 for the left.
fn from_one_side(
    spec: &Spec,
    streams: &[f64],
    scalars: &[f64],
    moved: usize,
    side: f64,
) -> Vec<f64> {
    let x = streams[moved];
    let points = NEARER.map(|power| {
        let step = side * 2f64.powi(power) * if x == 0.0 { 1.0 } else { x.abs() };
        let element = |precision: usize| {
            let number = move |v: f64| precise(v, precision);
            let given = at(streams, number);
            move |i: usize| if i == moved { given(i) + number(step) } else { given(i) }
        };
        exactly_at(spec, scalars, element)
    });
    let outputs = 0..points[0].len();
    outputs.map(|k| limit(points.each_ref().map(|p| p[k].to_f64()))).collect()
}
