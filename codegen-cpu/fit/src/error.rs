//! Reasons why a function has no table.

use core::fmt;

/// Reason why a function has no table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// The oracle (the given f64 evaluation) has too large an error bound near zero.
    Unsure {
        /// Argument at which the error is too large.
        at: f64,
    },
    /// The function is zero at zero, but does not behave as `x`, `x^2` or `x^3` there.
    Zero,
    /// The function that was given as a derivative is not the derivative.
    Derivative {
        /// Argument at which the given derivative differs from the function's slope.
        at: f64,
    },
    /// No segment width and degree of polynomials meet the target for the error.
    Target {
        /// The target for the error, in units in the last place.
        ulp: f64,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unsure { at } => write!(
                f,
                "the oracle's error at {at:e} is too large for a table; a form without cancellation near zero is needed"
            ),
            Refusal::Zero => write!(
                f,
                "at zero the function is zero, but not as x, x^2 or x^3, which is what tables can be"
            ),
            Refusal::Derivative { at } => {
                write!(f, "at {at:e} the function does not grow as its derivative says")
            }
            Refusal::Target { ulp } => {
                write!(f, "no interval and degree meet {ulp} units in the last place")
            }
        }
    }
}

impl core::error::Error for Refusal {}
