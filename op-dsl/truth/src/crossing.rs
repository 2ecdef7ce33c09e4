//! The unit that errors near zero crossings are measured in.

/// Results this small beside what multiplies them, near where they cross zero, are measured in units
/// of this one.
const NEAR_ZERO: f64 = 1.0 / 128.0;

/// The magnitude whose units count for the result of `value` at `x`: `NEAR_ZERO` times `factor`,
/// if the result crosses zero near `x` before it is larger than that, or is larger on either side, as beside a zero
/// that it only touches; else none.
///
/// Only the activation's own rounding is at fault there: its neighbours are further apart than the
/// result's. At `x = 0` they are dense, and no leniency is needed.
pub fn scale(x: f64, factor: f64, value: impl Fn(f64) -> f64) -> f64 {
    let least = NEAR_ZERO * factor;
    let here = value(x);
    if here.abs() >= least || !here.is_finite() {
        return 0.0;
    }
    let beside = |by: f64| value(x + x * by);
    // Ever longer steps from a few units in the last place on.
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
        // A zero that is touched, near it and further off, and one at zero.
        for x in [-0.78, -0.786, -2.4230735e6] {
            assert_eq!(scale(x, 1.0, |x| 1.0 + (2.0 * x).sin()), NEAR_ZERO, "{x}");
        }
        assert_eq!(scale(1e-3, 1.0, |x| x * x), 0.0);
        assert_eq!(scale(-50.0, 1.0, f64::exp), 0.0, "a tail");
        assert_eq!(scale(1e-9, 1.0, |x| x), 0.0, "a crossing at zero");
        // A tail beyond the bump beside a crossing.
        assert_eq!(scale(-8.0, 1.0, |x| (1.0 + x) * x.exp()), 0.0);
        assert_eq!(scale(-1.0001, 1.0, |x| (1.0 + x) * x.exp()), NEAR_ZERO);
        // Zero on one side, as of a function that is cut off.
        assert_eq!(scale(-1e-3, 1.0, |x| (x + 1e-3).max(0.0)), 0.0);
        // A jump is no crossing.
        assert_eq!(scale(1.0, 1.0, |x| if x > 1.0 { 1.0 } else { 0.001 }), 0.0);
    }
}
