//! Arithmetic of a joint table: floats, or floats with a bound of their rounding.

use crate::float::{fma, size, sum, sum_size, ulp};
use crate::rounded::Rounded;

/// A number in the sums of a joint table: a float, or a float with a bound of its rounding error.
pub(super) trait Value: Copy {
    /// Converts a coefficient, which has no rounding error.
    fn exact(v: f32) -> Self;
    /// Returns `self * d + c`, rounded once.
    fn through(self, d: f32, c: Self) -> Self;
    /// Returns `self * k`, rounded.
    fn times(self, k: f32) -> Self;
    /// Returns `self + c`, rounded.
    fn plus(self, c: f32) -> Self;
}

impl Value for f32 {
    #[inline(always)]
    fn exact(v: f32) -> f32 {
        v
    }

    #[inline(always)]
    fn through(self, d: f32, c: f32) -> f32 {
        fma(self, d, c)
    }

    #[inline(always)]
    fn times(self, k: f32) -> f32 {
        self * k
    }

    #[inline(always)]
    fn plus(self, c: f32) -> f32 {
        self + c
    }
}

impl Rounded {
    /// Adds half a unit in the last place of a number of magnitude `size` to the error bound, if the value was rounded.
    #[inline(always)]
    fn after(self, size: f64, rounded: bool) -> Self {
        let is_tiny = self.value < f32::MIN_POSITIVE && self.value > -f32::MIN_POSITIVE;
        let last = if !rounded || is_tiny { 0.0 } else { 0.5 * ulp(size) };
        Rounded { value: self.value, exact: self.exact, bound: self.bound + last }
    }
}

impl Value for Rounded {
    #[inline(always)]
    fn exact(value: f32) -> Self {
        Rounded { value, exact: value as f64, bound: 0.0 }
    }

    #[inline(always)]
    fn through(self, d: f32, c: Self) -> Self {
        let far = d as f64;
        let (product, other) = (self.value as f64 * far, c.value as f64);
        Rounded {
            value: sum(product, other),
            exact: self.exact * far + c.exact,
            bound: self.bound * size(far) + c.bound,
        }
        .after(sum_size(product, other), self.value != 0.0)
    }

    #[inline(always)]
    fn times(self, k: f32) -> Self {
        let by = k as f64;
        let value = self.value * k;
        Rounded { value, exact: self.exact * by, bound: self.bound * by }
            .after(value as f64, k == 3.0)
    }

    #[inline(always)]
    fn plus(self, c: f32) -> Self {
        let size = sum_size(self.value as f64, c as f64);
        Rounded { value: self.value + c, exact: self.exact + c as f64, bound: self.bound }
            .after(size, c != 0.0)
    }
}
