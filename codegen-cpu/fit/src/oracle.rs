//! The function as its author can evaluate it, with what is known of its error.

/// A function of one value in f64: at each `x`, the value and a bound of its error.
///
/// A caller evaluates the function's graph with a running bound. No form without cancellation is
/// asked for: where the bound is too large, the table ends.
pub type Oracle<'a> = dyn Fn(&[f64]) -> Vec<(f64, f64)> + 'a;

/// The same values without bounds.
pub type Values<'a> = dyn Fn(&[f64]) -> Vec<f64> + 'a;

/// A value and a bound of its error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// What a caller knows of a function besides its values.
#[derive(Clone, Debug)]
pub struct Hints {
    /// Where the function is asked for; zero is inside or at an end. Values outside do not matter.
    pub domain: [f64; 2],
    /// Where it is not smooth. Each becomes the border of two segments.
    pub kinks: Vec<f64>,
    /// Its limits at both ends of the domain, if it has finite ones.
    pub limits: [Option<f64>; 2],
    /// Zeros beyond those that a change of sign gives away.
    pub roots: Vec<f64>,
}

impl Default for Hints {
    /// Smooth everywhere, and no limit known.
    fn default() -> Self {
        Hints {
            domain: [f64::NEG_INFINITY, f64::INFINITY],
            kinks: Vec::new(),
            limits: [None; 2],
            roots: Vec::new(),
        }
    }
}
