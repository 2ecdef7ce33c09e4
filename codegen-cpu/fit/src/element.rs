//! Element types: the formats that results are rounded to, and their ranges.

use crate::float::{power_of_two, size, spacing};

/// Format that a function's results are rounded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Bits of the significand after the first.
    digits: i32,
    /// Exponents of the smallest and of the largest normal number.
    exponents: (i32, i32),
}

impl Element {
    /// IEEE binary32.
    pub const F32: Element = Element::new(24, (-126, 127));

    /// Returns the format with `precision` bits of the significand, the hidden one included.
    ///
    /// `exponents` are those of the smallest and of the largest normal number.
    pub const fn new(precision: i32, exponents: (i32, i32)) -> Element {
        Element { digits: precision - 1, exponents }
    }

    /// Exponent of the least normal number.
    pub(crate) fn least_normal(self) -> i32 {
        self.exponents.0
    }

    /// Exponent of the least value that a factor of this type can bring into its normal range.
    ///
    /// Only values of which f32 has all digits count. For example, the exponent is -30 for f16, and -126 for f32.
    pub(crate) fn least_factor(self) -> i32 {
        // The greatest number of f16 is almost 2^16, so that a factor can raise a value by 16 exponents.
        (self.least_normal() - self.exponents.1 - 1).max(Element::F32.least_normal())
    }

    /// Returns whether tables have few inputs where functions bend, because numbers have few digits.
    pub(crate) fn is_sparse(self) -> bool {
        self.digits < 8
    }

    /// Returns one unit in the last place of this type at `v`.
    #[inline(always)]
    pub fn ulp(self, v: f64) -> f64 {
        spacing(v, self.digits, self.exponents.0)
    }

    /// Returns one unit in the last place at `v`, for a value that is multiplied before it is rounded.
    ///
    /// Just below a power of two, it is the unit of that power, because the value may be rounded up to the power.
    #[inline]
    pub(crate) fn factor_ulp(self, v: f64) -> f64 {
        spacing(v * (1.0 + 0.5 * self.ulp(1.0)), self.digits, self.least_factor())
    }

    /// Rounds `v` to the nearest number of the type, ties to even.
    ///
    /// The result is infinite beyond the range of the type.
    #[inline]
    pub fn round(self, v: f64) -> f64 {
        // 1.5 * 2^52: a sum with it has no bits for a fraction, so that adding and subtracting it rounds to an integer.
        const WHOLE: f64 = 6_755_399_441_055_744.0;
        let unit = self.ulp(v);
        // The unit is a power of two, whose inverse is exact.
        let whole = v * f64::from_bits((2046 << 52) - unit.to_bits());
        if size(whole) > 1e9 || whole.is_nan() {
            return v;
        }
        let rounded = (((whole + WHOLE) - WHOLE) * unit).copysign(v);
        if size(rounded) > self.greatest() { f64::INFINITY.copysign(v) } else { rounded }
    }

    /// The greatest finite number of the type.
    #[inline]
    pub fn greatest(self) -> f64 {
        let end = self.exponents.1 + 1;
        power_of_two(end) - power_of_two(end - 1 - self.digits)
    }

    /// All finite numbers of a 16-bit type; empty for f32, which has too many.
    pub fn inputs(self) -> Vec<f32> {
        let next = |x: &f64| Some(x + self.ulp(*x)).filter(|x| *x <= self.greatest());
        let first = (self != Element::F32).then_some(0.0);
        let positive: Vec<f64> = std::iter::successors(first, next).collect();
        let negative = positive.iter().map(|x| -x);
        positive.iter().copied().chain(negative).map(|x| x as f32).collect()
    }
}
