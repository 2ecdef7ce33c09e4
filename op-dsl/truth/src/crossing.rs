//! The unit in which errors near zero crossings are measured.

/// Fraction of a factor's size whose ULP is the unit of error for results near a zero crossing.
///
/// It applies to results below this fraction of `factor`, the argument of [`scale`].
const NEAR_ZERO: f64 = 1.0 / 128.0;

/// Returns the magnitude whose ULP is the unit of error for the result `value(x)`.
///
/// 0 means that the unit is the result's own ULP.
///
/// The magnitude is `NEAR_ZERO * factor` if the result is smaller than that bound and one of these holds, else 0:
///
/// - `value` crosses zero near `x` before its magnitude grows beyond the bound
/// - `value` grows beyond the bound on both sides of `x`, as next to a zero that it touches without crossing
///
/// Near such a zero the rounding of `x` causes the error, because neighbouring values of `x` are further apart than
/// neighbouring results. At `x = 0` the values of `x` are dense, so that no leniency is needed.
pub fn scale(x: f64, factor: f64, value: impl Fn(f64) -> f64) -> f64 {
    let least = NEAR_ZERO * factor;
    let here = value(x);
    if here.abs() >= least || !here.is_finite() {
        return 0.0;
    }
    let beside = |by: f64| value(x + x * by);
    // Increasing steps, starting at a few units in the last place.
    let steps = |side: f64| (2..=22).rev().map(move |k| side * f64::from(-k).exp2()).map(beside);
    let crosses = |side: f64| steps(side).take_while(|v| v.abs() < least).any(|v| v * here < 0.0);
    let grows = |side: f64| steps(side).any(|v| v.abs() >= least);
    let closest = f64::from(-22).exp2();
    let near = match here == 0.0 {
        true => beside(closest) * beside(-closest) < 0.0,
        false => crosses(1.0) || crosses(-1.0) || grows(1.0) && grows(-1.0),
    };
    if near { least } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossings_are_told_from_tails() {
        // `x - 1` near 1, on both sides and at it.
        for x in [1.0f64.next_down(), 1.0, 1.0 + 1e-7, 1.007, 0.993] {
            assert_eq!(scale(x, 1.0, |x| x - 1.0), NEAR_ZERO, "{x}");
            assert_eq!(scale(x, 1e30, |x| 1e30 * (x - 1.0)), 1e30 * NEAR_ZERO, "{x}");
        }
        assert_eq!(scale(1.1, 1.0, |x| x - 1.0), 0.0, "not small");
        // A zero that is only touched, near it and further off, and a zero at the origin.
        for x in [-0.78, -0.786, -2.4230735e6] {
            assert_eq!(scale(x, 1.0, |x| 1.0 + (2.0 * x).sin()), NEAR_ZERO, "{x}");
        }
        assert_eq!(scale(1e-3, 1.0, |x| x * x), 0.0);
        assert_eq!(scale(-50.0, 1.0, f64::exp), 0.0, "a tail");
        assert_eq!(scale(1e-9, 1.0, |x| x), 0.0, "a crossing at zero");
        // A tail beyond the extremum next to a crossing.
        assert_eq!(scale(-8.0, 1.0, |x| (1.0 + x) * x.exp()), 0.0);
        assert_eq!(scale(-1.0001, 1.0, |x| (1.0 + x) * x.exp()), NEAR_ZERO);
        // Zero on one side only, as for a function that is cut off.
        assert_eq!(scale(-1e-3, 1.0, |x| (x + 1e-3).max(0.0)), 0.0);
        // A jump is not a crossing.
        assert_eq!(scale(1.0, 1.0, |x| if x > 1.0 { 1.0 } else { 0.001 }), 0.0);
    }
}
