//! What a function is at zero.

/// What a function is at zero, seen from one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Zero {
    pub(crate) value: f64,
    /// `f(z)` goes to `value` as `z^order`; 1 unless `value` is zero. None if by no such power.
    pub(crate) order: Option<usize>,
}

impl Zero {
    /// The power that all of the function has as a factor.
    pub(crate) fn power(self) -> usize {
        if self.value == 0.0 { self.order.unwrap_or(0) } else { 0 }
    }
}
