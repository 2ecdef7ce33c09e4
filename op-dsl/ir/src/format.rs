//! Rounding and ULPs of each element type, computed in f64.

use crate::DType;

/// A binary floating-point format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Bits of the significand, the hidden one included.
    precision: i32,
    /// Exponent of two of the smallest normal number.
    least: i32,
    /// Exponent of two of the largest finite number.
    greatest: i32,
    /// Place of the sign bit.
    sign: usize,
    /// Whether the greatest exponent is that of infinities and NaN only; otherwise its last number is NaN.
    is_infinite: bool,
}

impl Format {
    /// IEEE binary64, the format of results of calls on f64.
    pub const DOUBLE: Format =
        Format { precision: 53, least: -1022, greatest: 1023, sign: 63, is_infinite: true };

    /// Returns the format of an element type.
    pub const fn of(dtype: DType) -> Format {
        let (row, (least, greatest)) = (dtype.row(), dtype.row().exponents);
        let (precision, sign) = (row.precision, row.bits - 1);
        Format { precision, least, greatest, sign, is_infinite: true }
    }

    /// Returns a format of 8 bits, with this precision and these exponents of two.
    pub(crate) const fn of_eight_bits(
        precision: i32,
        (least, greatest): (i32, i32),
        is_infinite: bool,
    ) -> Format {
        Format { precision, least, greatest, sign: 7, is_infinite }
    }

    /// Returns whether the format has fewer digits than f32: see [`DType::is_narrow`].
    pub const fn is_narrow(self) -> bool {
        self.precision < DType::F32.row().precision
    }

    /// Returns the number with these bits. NaNs keep their payload.
    pub fn decode(self, bits: u32) -> f64 {
        let (digits, size) = (self.precision - 1, bits & ((1 << self.sign) - 1));
        let (exponent, fraction) = (size as i32 >> digits, size & ((1 << digits) - 1));
        let is_nan = !self.is_infinite && size == (1 << self.sign) - 1;
        let size = if is_nan {
            f64::NAN
        } else if exponent == 0 {
            f64::from(fraction) * pow2(self.least - digits)
        } else {
            let exponent = exponent - 1 + self.least;
            let exponent = if exponent > self.greatest { 0x7ff } else { exponent + 1023 };
            f64::from_bits((exponent as u64) << 52 | u64::from(fraction) << (52 - digits))
        };
        if bits >> self.sign & 1 == 1 { -size } else { size }
    }

    /// Returns the bits of the nearest number, in the order of [`Format::decode`].
    pub fn encode(self, v: f64) -> u32 {
        let (digits, v) = (self.precision - 1, self.round(v));
        let size = if v.is_nan() {
            (1 << self.sign) - 1
        } else if v.is_infinite() {
            ((self.greatest - self.least + 2) as u32) << digits
        } else {
            let e = exponent(v).max(self.least);
            let units = (v.abs() / pow2(e - digits)) as u32;
            // The hidden digit of a normal number counts the exponent up by one.
            (((e - self.least) as u32) << digits) + units
        };
        u32::from(v.is_sign_negative()) << self.sign | size
    }

    /// Returns the ULP at `v`: the distance between neighbouring numbers there, denormals included.
    pub fn ulp(self, v: f64) -> f64 {
        let e = exponent(v).clamp(self.least, self.greatest);
        pow2(e - self.precision + 1)
    }

    /// Returns the largest finite number.
    pub fn max(self) -> f64 {
        let last = if self.is_infinite { 1.0 } else { 2.0 };
        pow2(self.greatest + 1) - last * pow2(self.greatest + 1 - self.precision)
    }

    /// Returns whether a value is finite in the format.
    ///
    /// A value above the largest number counts up to the next power of two.
    pub(crate) fn holds(self, v: f64) -> bool {
        v.abs() < pow2(self.greatest + 1)
    }

    /// Returns whether a value rounds to a finite number other than zero in the format.
    pub(crate) fn reaches(self, v: f64) -> bool {
        self.holds(v) && v.abs() >= pow2(self.least - self.precision)
    }

    /// Returns the nearest number of the format, ties to even; infinite beyond the largest, or NaN without infinities.
    pub fn round(self, v: f64) -> f64 {
        let beyond = if self.is_infinite { f64::INFINITY } else { f64::NAN };
        if !v.is_finite() {
            return if v.is_nan() { v } else { beyond.copysign(v) };
        }
        let ulp = self.ulp(v);
        let rounded = (v / ulp).round_ties_even() * ulp;
        if rounded.abs() > self.max() { beyond.copysign(v) } else { rounded }
    }

    /// Returns `|got - want|` in ULP at `want`, or in units of `unit` if that is larger than the ULP.
    ///
    /// The error is infinite if exactly one of `got` and `want` is NaN.
    pub fn error(self, got: f64, want: f64, unit: f64) -> f64 {
        if got == want || (got.is_nan() && want.is_nan()) {
            return 0.0;
        }
        if got.is_nan() || want.is_nan() {
            return f64::INFINITY;
        }
        // Infinity counts as the number after the largest finite one, so that the error stays finite.
        let beyond = self.max() + self.ulp(self.max());
        let (got, want) = (got.clamp(-beyond, beyond), want.clamp(-beyond, beyond));
        (got - want).abs() / self.ulp(want).max(unit)
    }
}

/// Returns `floor(log2 |v|)`; -1023 for zero, far below every format.
fn exponent(v: f64) -> i32 {
    ((v.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// Returns `2^e` for exponents of normal f64 numbers.
pub fn pow2(e: i32) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stored;
    use half::{bf16, f16};

    #[test]
    fn rounding_agrees_with_half() {
        let (f, b) = (Format::of(DType::F16), Format::of(DType::BF16));
        for i in 0..200_000u32 {
            // Exactly representable in f32, so that half rounds once.
            let v = f32::from_bits(i.wrapping_mul(0x9e37_79b1));
            if v.is_nan() {
                continue;
            }
            assert_eq!(f.round(v.into()), f16::from_f32(v).to_f64(), "{v:e}");
            assert_eq!(b.round(v.into()), bf16::from_f32(v).to_f64(), "{v:e}");
        }
    }

    #[test]
    fn decoding_agrees_with_half() {
        for bits in 0..=u16::MAX {
            let (f, b) = (Format::of(DType::F16), Format::of(DType::BF16));
            let [f, b] = [f, b].map(|format| (format.decode(bits.into()) as f32).to_bits());
            assert_eq!(f, f16::from_bits(bits).to_f32().to_bits(), "{bits:x}");
            assert_eq!(b, bf16::from_bits(bits).to_f32().to_bits(), "{bits:x}");
        }
    }

    #[test]
    fn eight_bits_decode_and_encode() {
        for stored in [Stored::E4m3fn, Stored::E5m2] {
            let format = Format::of_stored(stored).expect("floats");
            for bits in 0..=0xffu32 {
                let v = format.decode(bits);
                if !v.is_nan() {
                    assert_eq!(format.encode(v), bits, "{stored} {v}");
                    assert_eq!(format.round(v), v, "{stored}");
                }
            }
        }
        let e4m3fn = Format::of_stored(Stored::E4m3fn).expect("floats");
        assert_eq!((e4m3fn.max(), e4m3fn.decode(1), e4m3fn.round(464.0)), (448.0, pow2(-9), 448.0));
        assert!(e4m3fn.round(465.0).is_nan() && e4m3fn.decode(0x7f).is_nan());
        let e5m2 = Format::of_stored(Stored::E5m2).expect("floats");
        assert_eq!((e5m2.max(), e5m2.decode(1)), (57344.0, pow2(-16)));
        assert_eq!((e5m2.round(61440.0), e5m2.decode(0x7c)), (f64::INFINITY, f64::INFINITY));
    }

    #[test]
    fn errors_are_counted_in_ulp() {
        let f = Format::of(DType::F32);
        assert_eq!(f.ulp(1.0), pow2(-23));
        assert_eq!(f.ulp(0.0), pow2(-149));
        assert_eq!(f.max(), f32::MAX as f64);
        assert_eq!(f.error(1.0 + pow2(-23), 1.0, 0.0), 1.0);
        assert_eq!(f.error(pow2(-30), 0.0, pow2(-30)), 1.0);
        assert_eq!(f.error(f64::INFINITY, 1e60, 0.0), 0.0);
        assert_eq!(f.error(f64::NAN, 0.0, 0.0), f64::INFINITY);
        assert_eq!(f.error(f64::INFINITY, f.max(), 0.0), 1.0);
    }
}
