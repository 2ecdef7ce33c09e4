//! Detects whether a function has a Gaussian tail on one side of 0, by evaluating it, and finds its limit on the other side.

use crate::sequence::forms::near::whole;
use crate::sequence::forms::tail::{Limit, Side};

/// A Gaussian tail that was detected in a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seen {
    /// The side of 0 with the tail, and the function on the other side.
    pub side: Side,
    /// Approximately the `s` of a tail that is like `e^(-s a^2)` at a distance `a` from 0.
    pub scale: f64,
    /// True if the function is 0 at 0.
    pub has_zero: bool,
}

/// Detects a Gaussian tail of `f` on one side of 0; `None` if it has none.
///
/// The function on the other side of 0 must be a constant or a line, up to the Gaussian part; otherwise the result is `None` too.
pub(super) fn look(f: &dyn Fn(f64) -> f64) -> Option<Seen> {
    let (sign, scale) = [-1.0, 1.0].into_iter().find_map(|sign| {
        let scale = scale(&|a| f(sign * a))?;
        Some((sign, scale))
    })?;
    // Sample distances, from where the exponential bends to where it has vanished.
    let width = 1.0 / scale.sqrt();
    let places = [0.09, 0.3, 0.7, 1.1, 1.9, 3.3, 5.0].map(|a| a * width);
    let both = |a: f64| (f(sign * a), f(-sign * a));
    let is = |limit: &dyn Fn(f64) -> f64| {
        places.iter().all(|a| {
            let ((tail, other), limit) = (both(*a), limit(*a));
            (limit - other).abs() <= 1e-10 * limit.abs().max(tail.abs())
        })
    };
    let (tail, other) = both(width);
    let (sum, slope) = (tail + other, (other - tail) / width);
    let limit = if is(&|a| sum - both(a).0) && sum > 0.0 {
        Limit::Number(whole(sum))
    } else if is(&|a| slope * a + both(a).0) && slope != 0.0 {
        Limit::Line(whole(-sign * slope))
    } else {
        return None;
    };
    let side = Side { above: sign > 0.0, limit };
    Some(Seen { side, scale, has_zero: f(0.0).abs() < 1e-12 })
}

/// Returns `s` of a function that vanishes like `e^(-s a^2)` times powers of `a`, to six digits.
///
/// This is half the second difference of the function's logarithm, extrapolated to remove the contribution of the powers. Returns
/// `None` for a function that does not vanish so.
fn scale(f: &dyn Fn(f64) -> f64) -> Option<f64> {
    let is_gone = |a: &f64| f(*a).abs() < 1e-280;
    let gone = (-8..12).map(|k| libm::exp2(f64::from(k))).find(is_gone)?;
    // Searched between that size and half of it, where the values are not 0.
    let mut steps = (0..=64).map(|k| gone * (1.0 - f64::from(k) / 128.0));
    let last = steps.find(|a| f(*a).abs() > 1e-280)?;
    let logarithm = |a: f64| -libm::log(f(a).abs());
    // Steps are proportional to `a`, so that the contribution of powers is a series in 1/a^2.
    let bend = |step: f64| {
        let [near, middle, far] = [3.0, 4.0, 5.0].map(|k| logarithm(k * step));
        (near - 2.0 * middle + far) / (2.0 * step * step)
    };
    let shares = [0.5, 0.75, 1.0];
    let bends = shares.map(|share| bend(0.2 * share * last));
    let is_bell = bends[2] > 0.0 && (bends[1] - bends[2]).abs() < 0.1 * bends[2];
    // The parabola through the three bends in 1/a^2, extrapolated to 0.
    let term = |i: usize| {
        let at = |k: usize| 1.0 / (shares[k] * shares[k]);
        let others = (0..3).filter(|k| *k != i);
        others.fold(bends[i], |share, k| share * at(k) / (at(k) - at(i)))
    };
    is_bell.then(|| (0..3).map(term).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_1_SQRT_2;

    fn cdf(x: f64) -> f64 {
        0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
    }

    fn seen(f: fn(f64) -> f64) -> Option<(bool, Limit, f64)> {
        look(&f).map(|seen| (seen.side.above, seen.side.limit, seen.scale))
    }

    #[test]
    fn what_tails_are_joined_to() {
        type Case = (fn(f64) -> f64, bool, Limit, f64);
        let cases: [Case; 6] = [
            (cdf, false, Limit::Number(1.0), 0.5),
            (libm::erfc, true, Limit::Number(2.0), 1.0),
            (|x| x * cdf(x), false, Limit::Line(1.0), 0.5),
            (|x| x * cdf(1.3 * x), false, Limit::Line(1.0), 0.845),
            (|x| 3.0 * x * cdf(-x), true, Limit::Line(3.0), 0.5),
            (|x| 0.25 * libm::erfc(20.0 * x), true, Limit::Number(0.5), 400.0),
        ];
        for (k, (f, above, limit, scale)) in cases.into_iter().enumerate() {
            let found = seen(f).unwrap_or_else(|| panic!("{k}: no tail"));
            assert_eq!((found.0, found.1), (above, limit), "{k}");
            assert!((found.2 - scale).abs() < 1e-5 * scale, "{k}: {}", found.2);
        }
    }

    #[test]
    fn others_have_none() {
        let none: [fn(f64) -> f64; 7] = [
            libm::tanh,
            |x| 1.0 / (1.0 + libm::exp(-x)),
            |x| 1.0 / (1.0 + libm::exp(-x - 0.1 * x * x * x)),
            |x| libm::exp(-0.5 * x * x),
            |x| cdf(x) + 0.1 * libm::exp(-x * x),
            |x| x.max(0.0),
            |_| 0.0,
        ];
        for (k, f) in none.into_iter().enumerate() {
            assert_eq!(seen(f), None, "{k}");
        }
    }
}
