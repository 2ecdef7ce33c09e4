//! Checks that the derivative given for a function is the slope of that function.

use crate::function::Function;
use crate::symmetry::PLACES;

/// Step in `x` of the finite differences that approximate the slope.
const STEP: f64 = 1.0 / 256.0;

/// Maximum error of fourth-order finite differences, relative to the function's values nearby.
const OFF: f64 = 1e-6;

/// Returns an argument at which `derivative` is not the slope of `f`, if one is found.
///
/// The arguments are spread over magnitudes that activations usually have. Each function is evaluated by its own oracle, and
/// differences are compared with the values around them, so that a tail, where both functions vanish, is checked as strictly as other
/// ranges. Where an oracle's error is too large, the argument is skipped.
pub(super) fn differs(f: &Function, derivative: &Function) -> Option<f64> {
    let smooth = |x: &f64| {
        let kinks = f.kinks().iter().chain(derivative.kinks());
        let ends = [x - 3.0 * STEP, x + 3.0 * STEP];
        ends.iter().all(|x| f.covers(*x) && derivative.covers(*x))
            && kinks.into_iter().all(|kink| *kink < ends[0] || *kink > ends[1])
    };
    let mut places = PLACES.into_iter().flat_map(|x| [x, -x]).filter(smooth);
    places.find(|x| {
        let around = f.known(&[-2.0, -1.0, 1.0, 2.0].map(|k| x + k * STEP));
        let slope = derivative.known(&[*x])[0];
        let [far, near] =
            [(0, 3), (1, 2)].map(|(l, r): (usize, usize)| around[r].value - around[l].value);
        let found = (8.0 * near - far) / (12.0 * STEP);
        let size = around.iter().map(|k| k.value.abs()).fold(slope.value.abs(), f64::max);
        let unsure = around.iter().map(|k| k.error).sum::<f64>() / STEP + slope.error;
        let off = (found - slope.value).abs();
        unsure < 1e-3 * size && off > OFF * size + 2.0 * unsure
    })
}
