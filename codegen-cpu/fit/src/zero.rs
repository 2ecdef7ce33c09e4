//! Behaviour of a function at zero.

/// Behaviour of a function at zero, seen from one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Zero {
    pub(crate) value: f64,
    /// Exponent with which the difference of `f(z)` from `value` goes to zero: as `z^order`.
    ///
    /// It is 1 unless `value` is zero, and `None` if there is no such exponent.
    pub(crate) order: Option<usize>,
}

impl Zero {
    /// Largest power of `z` that is a factor of the function near zero.
    pub(crate) fn power(self) -> usize {
        if self.value == 0.0 { self.order.unwrap_or(0) } else { 0 }
    }
}
