//! f32 arithmetic in f64: the same bits on every machine, whether or not it has FMA.
//!
//! Macros are mostly built at level 0, where every call is one, down to `f64::abs`. Functions that run for each sample and
//! coefficient make few of them, and loops around them count with `while`.

/// `a b + c`, rounded once.
#[inline(always)]
pub(crate) fn fma(a: f32, b: f32, c: f32) -> f32 {
    sum(a as f64 * b as f64, c as f64)
}

/// `p + c` as a float, rounded once, of an exact product and a float.
#[inline(always)]
pub(crate) fn sum(p: f64, c: f64) -> f32 {
    const LEAST_NORMAL: f64 = f32::MIN_POSITIVE as f64;
    // The sum is rounded to 53 bits, then to 24: wrong only where the first rounding made it halfway between two floats.
    let sum = p + c;
    if sum.to_bits() & 0x1fff_ffff != 0x1000_0000 && (sum >= LEAST_NORMAL || sum <= -LEAST_NORMAL) {
        return sum as f32;
    }
    to_odd(p, c) as f32
}

/// `p + c`, its last bit set if it is inexact: rounded again to fewer bits, it is rounded right.
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

/// The distance between neighbours of a binary type at `v`: `digits` bits after the first, exponents
/// not below `least`.
#[inline(always)]
pub(crate) fn spacing(v: f64, digits: i32, least: i32) -> f64 {
    let (exponent, least) = (v.to_bits() & 0x7ff << 52, ((least + 1023) as u64) << 52);
    let exponent = if exponent < least { least } else { exponent };
    f64::from_bits(exponent - ((digits as u64) << 52))
}

/// `2^exponent`, which is normal.
#[inline]
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// One unit in the last place of f32 at `v`.
#[inline(always)]
pub(crate) fn ulp(v: f64) -> f64 {
    spacing(v, 23, -126)
}

/// `|v|`, where `f64::abs` would be a call.
#[inline(always)]
pub(crate) fn size(v: f64) -> f64 {
    if v < 0.0 { -v } else { v }
}

/// The larger of two; the first unless the second is known to be.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The size of a sum before it is rounded. What is just below a power of two is rounded by half as much as that, however
/// little it is below.
#[inline(always)]
pub(crate) fn sum_size(a: f64, b: f64) -> f64 {
    let size = size(a + b);
    if a * b < 0.0 && size > 0.0 { f64::from_bits(size.to_bits() - 1) } else { size }
}

/// What rounding makes of `a + b` at most, of which both are floats: nothing where neither has a digit below the sum's last.
pub(crate) fn sum_bound(a: f32, b: f32) -> f64 {
    let (a, b) = (f64::from(a), f64::from(b));
    let unit = ulp(sum_size(a, b));
    if unit <= ulp(a).min(ulp(b)) { 0.0 } else { 0.5 * unit }
}

/// The float next to `v` or `v`, whichever is nearer to zero.
pub(crate) fn toward_zero(v: f64) -> f32 {
    let near = v as f32;
    if (near as f64).abs() > v.abs() { f32::from_bits(near.to_bits() - 1) } else { near }
}

/// Numbers in [0, 1) that look random and are the same in every run.
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
            // Few bits: sums come near to halfway.
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
        // Just below halfway among denormals, which 53 bits do not show.
        let (a, b) = (
            f32::from_bits(0x3f80_0001) * power_of_two(-75) as f32,
            0.999_999_9 * power_of_two(-75) as f32,
        );
        let c = power_of_two(-127) as f32;
        assert_eq!(fma(a, b, c).to_bits(), a.mul_add(b, c).to_bits());
    }
}
