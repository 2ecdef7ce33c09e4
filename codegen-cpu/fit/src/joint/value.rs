//! What a joint table computes with: floats, or floats with a bound of what rounding made of them.

use crate::float::{fma, sum_size, ulp};
use crate::judge::Rounded;

/// A number in the sums of a joint table.
pub(super) trait Value: Copy {
    /// A coefficient.
    fn exact(v: f32) -> Self;
    /// `self d + c`, rounded once.
    fn through(self, d: f32, c: Self) -> Self;
    /// `self k`, rounded.
    fn times(self, k: f32) -> Self;
    /// `self + c`, rounded.
    fn plus(self, c: f32) -> Self;
}

impl Value for f32 {
    #[inline]
    fn exact(v: f32) -> f32 {
        v
    }

    #[inline]
    fn through(self, d: f32, c: f32) -> f32 {
        fma(self, d, c)
    }

    #[inline]
    fn times(self, k: f32) -> f32 {
        self * k
    }

    #[inline]
    fn plus(self, c: f32) -> f32 {
        self + c
    }
}

impl Rounded {
    /// A result of this size that was rounded, if it was. Below the least normal float all roundings are of one size, and
    /// hardly ever of one sign.
    #[inline]
    fn after(self, size: f64, rounded: bool) -> Self {
        let nothing = !rounded || self.value.abs() < f32::MIN_POSITIVE;
        let last = if nothing { 0.0 } else { 0.5 * ulp(size) };
        Rounded { bound: self.bound + last, ..self }
    }
}

impl Value for Rounded {
    #[inline]
    fn exact(value: f32) -> Self {
        Rounded { value, exact: value.into(), bound: 0.0 }
    }

    #[inline]
    fn through(self, d: f32, c: Self) -> Self {
        let far = f64::from(d);
        let size = sum_size(f64::from(self.value) * far, c.value.into());
        Rounded {
            value: fma(self.value, d, c.value),
            exact: self.exact * far + c.exact,
            bound: self.bound * far.abs() + c.bound,
        }
        .after(size, self.value != 0.0)
    }

    #[inline]
    fn times(self, k: f32) -> Self {
        let by = f64::from(k);
        let value = self.value * k;
        Rounded { value, exact: self.exact * by, bound: self.bound * by }
            .after(value.into(), k == 3.0)
    }

    #[inline]
    fn plus(self, c: f32) -> Self {
        let size = sum_size(self.value.into(), c.into());
        Rounded { value: self.value + c, exact: self.exact + f64::from(c), ..self }
            .after(size, c != 0.0)
    }
}
