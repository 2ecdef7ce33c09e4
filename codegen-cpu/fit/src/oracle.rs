//! Interface to the function as its author evaluates it: values with bounds of their errors.

/// A function of one variable in f64: at each `x`, the value and a bound of its error.
///
/// A caller evaluates the function's graph with a running bound. A formula without cancellation is not required, because the
/// table ends where the bound is too large.
pub type Oracle<'a> = dyn Fn(&[f64]) -> Vec<(f64, f64)> + 'a;

/// A function of one variable in f64: at each `x`, the value without a bound of its error.
pub type Values<'a> = dyn Fn(&[f64]) -> Vec<f64> + 'a;

/// A value and a bound of its error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// Properties of a function that a caller knows besides its values.
#[derive(Clone, Debug)]
pub struct Hints {
    /// Interval in which the function is evaluated; it contains zero, possibly as an end.
    ///
    /// Values outside the interval do not matter.
    pub domain: [f64; 2],
    /// Breakpoints: arguments where the function is not smooth.
    ///
    /// Each becomes the border of two segments.
    pub kinks: Vec<f64>,
    /// Limits of the function at the lower and upper end of the domain; `None` if not finite or not known.
    pub limits: [Option<f64>; 2],
    /// Zeros of the function in addition to those that a change of sign reveals.
    pub roots: Vec<f64>,
}

impl Default for Hints {
    /// Returns hints for a function that is smooth everywhere and has no known limits.
    fn default() -> Self {
        Hints {
            domain: [f64::NEG_INFINITY, f64::INFINITY],
            kinks: Vec::new(),
            limits: [None; 2],
            roots: Vec::new(),
        }
    }
}
