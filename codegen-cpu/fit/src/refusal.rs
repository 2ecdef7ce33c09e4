//! Why there is no table.

use core::fmt;

/// Why a function has no table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// The oracle is not sure of its own values near zero.
    Unsure {
        /// Where it was asked.
        at: f64,
    },
    /// The function is zero at zero, but neither as `x` nor as its square or cube.
    Zero,
    /// What was given as the derivative of a function is not.
    Derivative {
        /// Where it is not.
        at: f64,
    },
    /// No interval and degree meet the target.
    Target {
        /// What was asked for, in units in the last place.
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
