//! Constants in formulas, of which the f64 is only the nearest number: `LN_2` means the logarithm of 2.
//!
//! For example, `|x| + ln(1 + e^(-2|x|)) - LN_2` is `ln cosh x`, which is 0 at 0. Computed with the f64 constant, it
//! would be 2.3e-17 there.

use crate::real::Real;
use std::f64::consts::*;

/// Returns the exact value that the literal `c` of a formula stands for.
///
/// A power of two times the nearest f64 of a mathematical constant, such as `LN_2`, stands for that multiple of the
/// constant. Any other literal stands for its own value, and the result is `exact`.
pub fn number<R: Real>(c: f64, exact: R) -> R {
    let n = |v: f64| exact.num(v);
    let (pi, ln) = (|| exact.pi(), |v: f64| n(v).ln());
    let known: [(f64, &dyn Fn() -> R); 12] = [
        (PI, &pi),
        (FRAC_PI_3, &|| pi() / n(3.0)),
        (FRAC_1_PI, &|| n(1.0) / pi()),
        (FRAC_2_SQRT_PI, &|| n(2.0) / pi().sqrt()),
        (SQRT_2, &|| n(2.0).sqrt()),
        (E, &|| n(1.0).exp()),
        (LN_2, &|| ln(2.0)),
        (LN_10, &|| ln(10.0)),
        (LOG2_E, &|| n(1.0) / ln(2.0)),
        (LOG10_E, &|| n(1.0) / ln(10.0)),
        (LOG2_10, &|| ln(10.0) / ln(2.0)),
        (LOG10_2, &|| ln(2.0) / ln(10.0)),
    ];
    // The quotient is a power of two only for a power of two times the constant.
    let is_power = |v: f64| v.is_normal() && v.to_bits() << 12 == 0;
    let stands_for = known.iter().find(|(value, _)| is_power(c / value));
    stands_for.map_or_else(|| exact.clone(), |(value, of)| of() * n(c / value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ball::Ball;

    /// Checks that every constant is the nearest f64 of its exact value, and differs from it.
    #[test]
    fn constants_of_std_are_more_than_their_f64() {
        for c in [
            PI, TAU, FRAC_PI_2, FRAC_PI_3, FRAC_PI_4, FRAC_PI_6, FRAC_PI_8, FRAC_1_PI, FRAC_2_PI,
            FRAC_2_SQRT_PI, SQRT_2, FRAC_1_SQRT_2, E, LN_2, LN_10, LOG2_E, LOG10_E, LOG2_10,
            LOG10_2, -PI,
        ] {
            let is = number(c, Ball::exact(c, 200));
            let off = (is - Ball::exact(c, 200)).to_f64().abs();
            assert!(off > 0.0 && off <= 0.5 * f64::EPSILON * c.abs(), "{c}: {off:e}");
        }
    }

    #[test]
    fn other_numbers_are_themselves() {
        for c in [0.0, 1.0, 0.5, 1.702, 0.797_884_560_802_865_4, PI.next_up(), 3.0 * LN_2, f64::NAN]
        {
            let is = number(c, Ball::exact(c, 200));
            assert!(is.exactly() == Some(c) || c.is_nan() && is.is_nan(), "{c}");
        }
    }
}
