//! Element types: the formats that results are rounded to, and their ranges.

use crate::float::{size, spacing};

/// Format that a function's results are rounded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// IEEE binary32.
    F32,
    /// IEEE binary16.
    F16,
    /// The upper half of a binary32.
    Bf16,
}

impl Element {
    /// Returns the number of mantissa bits after the first, and the exponent of the least normal number.
    #[inline(always)]
    fn format(self) -> (i32, i32) {
        match self {
            Element::F32 => (23, -126),
            Element::F16 => (10, -14),
            Element::Bf16 => (7, -126),
        }
    }

    /// Exponent of the least normal number.
    pub(crate) fn least_normal(self) -> i32 {
        self.format().1
    }

    /// Exponent of the least value that a factor of this type can bring into its normal range.
    ///
    /// Only values of which f32 has all digits count. For example, the exponent is -30 for f16, and -126 for bf16.
    pub(crate) fn least_factor(self) -> i32 {
        // The greatest number of f16 is almost 2^16, so that a factor can raise a value by 16 exponents.
        if self == Element::F16 { self.least_normal() - 16 } else { self.least_normal() }
    }

    /// Returns one unit in the last place of this type at `v`.
    #[inline(always)]
    pub fn ulp(self, v: f64) -> f64 {
        let (digits, least) = self.format();
        spacing(v, digits, least)
    }

    /// Returns one unit in the last place at `v`, for a value that is multiplied before it is rounded.
    ///
    /// Just below a power of two, it is the unit of that power, because the value may be rounded up to the power.
    #[inline]
    pub(crate) fn factor_ulp(self, v: f64) -> f64 {
        let digits = self.format().0;
        spacing(v * (1.0 + 0.5 * self.ulp(1.0)), digits, self.least_factor())
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
    pub fn greatest(self) -> f64 {
        match self {
            Element::F32 => f32::MAX as f64,
            Element::F16 => 65_504.0,
            Element::Bf16 => f32::from_bits(0x7f7f_0000) as f64,
        }
    }

    /// All finite numbers of a 16-bit type; empty for f32, which has too many.
    pub fn inputs(self) -> Vec<f32> {
        let all = (0..=u16::MAX).map(|bits| match self {
            Element::F32 => f32::NAN,
            Element::Bf16 => f32::from_bits((bits as u32) << 16),
            Element::F16 => half(bits),
        });
        all.filter(|x| x.is_finite()).collect()
    }
}

/// Converts the bits of an IEEE binary16 number to f32; an infinity becomes NaN.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = ((bits >> 10) & 31, (bits & 1023) as f32);
    let size = match exponent {
        0 => fraction / 16_777_216.0,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * crate::float::power_of_two(exponent as i32 - 15) as f32,
    };
    if bits >> 15 == 1 { -size } else { size }
}
