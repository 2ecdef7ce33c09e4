//! What a joint table computes with: floats, or floats with a bound of what rounding made of them.

use crate::float::{fma, sum_size, ulp};

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

/// A float, and how far off it is at most.
#[derive(Clone, Copy)]
pub(super) struct Bounded {
    pub(super) value: f32,
    pub(super) bound: f64,
}

impl Bounded {
    /// A result that is off by `bound` before it is rounded, and is of this size then; if it is rounded at all. Below the
    /// least normal float all roundings are of one size, and hardly ever of one sign.
    #[inline]
    fn rounded(value: f32, size: f64, bound: f64, exact: bool) -> Self {
        let nothing = exact || value.abs() < f32::MIN_POSITIVE;
        let last = if nothing { 0.0 } else { 0.5 * ulp(size) };
        Bounded { value, bound: bound + last }
    }
}

impl Value for Bounded {
    #[inline]
    fn exact(value: f32) -> Self {
        Bounded { value, bound: 0.0 }
    }

    #[inline]
    fn through(self, d: f32, c: Self) -> Self {
        let bound = self.bound * d.abs() as f64 + c.bound;
        let (product, c) = (f64::from(self.value) * f64::from(d), c.value);
        let size = sum_size(product, f64::from(c));
        Bounded::rounded(fma(self.value, d, c), size, bound, self.value == 0.0)
    }

    #[inline]
    fn times(self, k: f32) -> Self {
        let value = self.value * k;
        Bounded::rounded(value, value.into(), self.bound * k as f64, k != 3.0)
    }

    #[inline]
    fn plus(self, c: f32) -> Self {
        let size = sum_size(self.value.into(), c.into());
        Bounded::rounded(self.value + c, size, self.bound, c == 0.0)
    }
}
