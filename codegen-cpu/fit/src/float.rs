//! f32 arithmetic in f64, so that results are the same bits on every machine, whether or not it has FMA.
//!
//! Macros are mostly built at opt-level 0, where calls are not inlined, not even `f64::abs`. Functions that run for each
//! sample and coefficient therefore make few calls, and loops around them count with `while`.

/// Returns `a b + c`, rounded once.
#[inline(always)]
pub(crate) fn fma(a: f32, b: f32, c: f32) -> f32 {
    sum(a as f64 * b as f64, c as f64)
}

/// Returns `p + c` rounded once to f32, where `p` is an exact product of floats and `c` a float.
#[inline(always)]
pub(crate) fn sum(p: f64, c: f64) -> f32 {
    const LEAST_NORMAL: f64 = f32::MIN_POSITIVE as f64;
    // The sum is rounded to 53 bits, then to 24. That is wrong only where the first rounding made it halfway between two
    // floats.
    let sum = p + c;
    if sum.to_bits() & 0x1fff_ffff != 0x1000_0000 && (sum >= LEAST_NORMAL || sum <= -LEAST_NORMAL) {
        return sum as f32;
    }
    to_odd(p, c) as f32
}

/// Returns `p + c` rounded to odd: the last bit is set if the sum is inexact.
///
/// A second rounding to fewer bits is then correct.
#[cold]
fn to_odd(p: f64, c: f64) -> f64 {
    let sum = p + c;
    let part = sum - p;
    let rest = (p - (sum - part)) + (c - part);
    let bits = sum.to_bits();
    if rest == 0.0 || rest.is_nan() || bits & 1 == 1 {
        sum
    } else if (rest > 0.0) == (sum > 0.0) {
        f64::from_bits(bits + 1)
    } else {
        f64::from_bits(bits - 1)
    }
}

/// Returns the distance between neighbouring numbers of a binary type at `v`.
///
/// The type has `digits` mantissa bits after the first, and no exponents below `least`.
#[inline(always)]
pub(crate) fn spacing(v: f64, digits: i32, least: i32) -> f64 {
    let (exponent, least) = (v.to_bits() & 0x7ff << 52, ((least + 1023) as u64) << 52);
    let exponent = if exponent < least { least } else { exponent };
    f64::from_bits(exponent - ((digits as u64) << 52))
}

/// Returns `2^exponent`, which has to be a normal number.
#[inline]
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// One unit in the last place of f32 at `v`.
#[inline(always)]
pub(crate) fn ulp(v: f64) -> f64 {
    spacing(v, 23, -126)
}

/// Returns `|v|` without a call of `f64::abs`.
#[inline(always)]
pub(crate) fn size(v: f64) -> f64 {
    if v < 0.0 { -v } else { v }
}

/// Returns the larger of two numbers, or `a` if either is NaN.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Returns `|a + b|`, for finding the unit in the last place of the sum in f32.
///
/// A difference that is a power of two in f64 may have been rounded up to that power. The unit of f32 just below it is half as
/// large, so that for different signs the next smaller f64 is returned.
#[inline(always)]
pub(crate) fn sum_size(a: f64, b: f64) -> f64 {
    let size = size(a + b);
    if a * b < 0.0 && size > 0.0 { f64::from_bits(size.to_bits() - 1) } else { size }
}

/// Returns a bound of the rounding error of `a + b` in f32.
///
/// The bound is 0 where neither addend has a digit below the last place of the sum.
pub(crate) fn sum_bound(a: f32, b: f32) -> f64 {
    let (a, b) = (f64::from(a), f64::from(b));
    let unit = ulp(sum_size(a, b));
    if unit <= ulp(a).min(ulp(b)) { 0.0 } else { 0.5 * unit }
}

/// Rounds `v` to f32, towards zero.
pub(crate) fn toward_zero(v: f64) -> f32 {
    let near = v as f32;
    if (near as f64).abs() > v.abs() { f32::from_bits(near.to_bits() - 1) } else { near }
}

/// Pseudorandom numbers in [0, 1), the same in every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(0x9e37_79b9_7f4a_7c15 ^ seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / 16_777_216.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fma_is_rounded_once() {
        let mut r = Random::new(1);
        let mut float = |least: i32, most: i32| {
            let exponent = least + ((most - least) as f64 * r.next()) as i32;
            // Mantissas of few bits, so that sums are often close to halfway between two floats.
            let mantissa =
                1.0 + (r.next() * 64.0).floor() / 64.0 + (r.next() * 3.0).floor() / 8_388_608.0;
            (mantissa * power_of_two(exponent)) as f32 * if r.next() < 0.5 { -1.0 } else { 1.0 }
        };
        for _ in 0..400_000 {
            let (a, b, c) = (float(-30, 30), float(-30, 30), float(-40, 40));
            assert_eq!(fma(a, b, c).to_bits(), a.mul_add(b, c).to_bits(), "{a:e} {b:e} {c:e}");
            let (a, b, c) = (float(-80, -60), float(-80, -60), float(-149, -120));
            assert_eq!(fma(a, b, c).to_bits(), a.mul_add(b, c).to_bits(), "{a:e} {b:e} {c:e}");
        }
        // Just below halfway between two denormals, by less than 53 bits can show.
        let (a, b) = (
            f32::from_bits(0x3f80_0001) * power_of_two(-75) as f32,
            0.999_999_9 * power_of_two(-75) as f32,
        );
        let c = power_of_two(-127) as f32;
        assert_eq!(fma(a, b, c).to_bits(), a.mul_add(b, c).to_bits());
    }
}
