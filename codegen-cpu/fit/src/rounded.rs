//! A value in f32 with its rounding error.

/// A value as vector code computes it in f32, and the same value without rounding.
#[derive(Clone, Copy)]
pub(crate) struct Rounded {
    /// Value that the vector code computes in f32.
    pub(crate) value: f32,
    /// Value of the same operations without rounding.
    pub(crate) exact: f64,
    /// Bound of the difference between `value` and `exact`.
    pub(crate) bound: f64,
}
