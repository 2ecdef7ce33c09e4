//! Double-doubles: unevaluated sums of two f64, the second at most half a unit of the first (Dekker).

use crate::rt::simd::Isa;
use fearless_simd::prelude::*;

/// The sum `high + low`.
#[derive(Clone, Copy)]
pub(super) struct Double<S: Isa> {
    pub high: S::f64s,
    pub low: S::f64s,
}

/// The upper and the lower 26 bits of a number (Veltkamp).
#[inline(always)]
fn halves<S: Isa>(x: S::f64s) -> (S::f64s, S::f64s) {
    let c = x * 134_217_729.0;
    let top = c - (c - x);
    (top, x - top)
}

impl<S: Isa> Double<S> {
    /// A constant as the sum of its nearest number and a remainder.
    #[inline(always)]
    pub fn constant(s: S, [high, low]: [f64; 2]) -> Double<S> {
        Double { high: S::f64s::splat(s, high), low: S::f64s::splat(s, low) }
    }

    /// A number as the high part, with a low part of 0.
    #[inline(always)]
    pub fn of(s: S, high: S::f64s) -> Double<S> {
        Double { high, low: S::f64s::splat(s, 0.0) }
    }

    /// `a + b`, exactly (Knuth's TwoSum).
    #[inline(always)]
    pub fn sum(a: S::f64s, b: S::f64s) -> Double<S> {
        let high = a + b;
        let other = high - a;
        Double { high, low: (a - (high - other)) + (b - other) }
    }

    /// `a + b`, exactly, if `a` is not smaller than `b`.
    #[inline(always)]
    pub fn ordered(a: S::f64s, b: S::f64s) -> Double<S> {
        let high = a + b;
        Double { high, low: b - (high - a) }
    }

    /// `a * b`, exactly (by a fused multiply-add, or by Veltkamp's halves of 26 bits).
    #[inline(always)]
    pub fn product(a: S::f64s, b: S::f64s) -> Double<S> {
        let high = a * b;
        if const { S::FMA } {
            return Double { high, low: a.mul_add(b, -high) };
        }
        let ((p, q), (r, t)) = (halves::<S>(a), halves::<S>(b));
        Double { high, low: ((p * r - high) + p * t + q * r) + q * t }
    }

    /// `a * b + c`, if `c` is larger than the product.
    #[inline(always)]
    pub fn mul_add(a: S::f64s, b: S::f64s, c: S::f64s) -> Double<S> {
        if const { S::FMA } {
            let high = a.mul_add(b, c);
            return Double { high, low: a.mul_add(b, c - high) };
        }
        Double::product(a, b).added_to(c)
    }

    /// The sum with a number.
    #[inline(always)]
    pub fn plus(self, b: S::f64s) -> Double<S> {
        let sum = Double::<S>::sum(self.high, b);
        Double::ordered(sum.high, sum.low + self.low)
    }

    /// The sum with another double-double.
    #[inline(always)]
    pub fn add(self, other: Double<S>) -> Double<S> {
        let sum = Double::<S>::sum(self.high, other.high);
        Double::ordered(sum.high, sum.low + (self.low + other.low))
    }

    /// `1 - self`, if `self` is between -1 and 1.
    #[inline(always)]
    pub fn one_minus(self, s: S) -> Double<S> {
        (-self).added_to(S::f64s::splat(s, 1.0))
    }

    /// The sum with a number that is not smaller. The low part may be some units of the high one.
    #[inline(always)]
    pub fn added_to(self, larger: S::f64s) -> Double<S> {
        let sum = Double::<S>::ordered(larger, self.high);
        Double { high: sum.high, low: sum.low + self.low }
    }

    /// The product with a number. The low part may be some units of the high one.
    #[inline(always)]
    pub fn times(self, b: S::f64s) -> Double<S> {
        let product = Double::<S>::product(self.high, b);
        Double { high: product.high, low: self.low.mul_add(b, product.low) }
    }

    /// The product with another double-double. The low part may be some units of the high one.
    #[inline(always)]
    pub fn mul(self, other: Double<S>) -> Double<S> {
        let product = Double::<S>::product(self.high, other.high);
        let rest = self.high.mul_add(other.low, self.low.mul_add(other.high, product.low));
        Double { high: product.high, low: rest }
    }

    /// The product with another double-double, rounded.
    #[inline(always)]
    pub fn mul_nearest(self, other: Double<S>) -> S::f64s {
        let rest = self.high.mul_add(other.low, self.low * other.high);
        if const { S::FMA } {
            return self.high.mul_add(other.high, rest);
        }
        let product = Double::<S>::product(self.high, other.high);
        // Products of halves vanish beside tiny products.
        let is_tiny = product.high.abs().simd_lt(1e-290);
        is_tiny.select(product.high, product.high + (product.low + rest))
    }

    /// The quotient by another double-double.
    #[inline(always)]
    pub fn div(self, other: Double<S>) -> Double<S> {
        self.div_by(other, S::f64s::splat(other.high.token(), 1.0) / other.high)
    }

    /// The quotient by another double-double whose rounded reciprocal is known. The low part may be some units of the high one.
    #[inline(always)]
    pub fn div_by(self, other: Double<S>, inverse: S::f64s) -> Double<S> {
        let high = self.high * inverse;
        let excess = other.excess(high, self.high) - self.low;
        Double { high, low: -(excess * inverse) }
    }

    /// `x / self`, rounded, given the rounded reciprocal of `self`, for `x` up to 2^50, and larger ones if `self` is 1.
    ///
    /// Zeros keep their sign, and infinities, for which the excess is not a number but 1.
    #[inline(always)]
    pub fn divides(self, x: S::f64s, inverse: S::f64s) -> S::f64s {
        let high = x * inverse;
        let excess = self.excess(high, x);
        let one = S::f64s::splat(inverse.token(), 1.0);
        let excess = match const { S::MIN_IS_SECOND } {
            true => excess.min(one),
            false => excess.simd_lt(one).select(excess, one),
        };
        (-excess).mul_add(inverse, high)
    }

    /// `quotient * self - x`, whose large terms cancel exactly.
    #[inline(always)]
    pub fn excess(self, quotient: S::f64s, x: S::f64s) -> S::f64s {
        let high = if const { S::FMA } {
            quotient.mul_add(self.high, -x)
        } else {
            let back = Double::<S>::product(quotient, self.high);
            (back.high - x) + back.low
        };
        quotient.mul_add(self.low, high)
    }

    /// The product with a power of two.
    #[inline(always)]
    pub fn scaled(self, power: f64) -> Double<S> {
        Double { high: self.high * power, low: self.low * power }
    }

    /// The nearest f64. It is the high part if the low part is NaN, as it is without FMA for numbers near the largest one.
    #[inline(always)]
    pub fn nearest(self) -> S::f64s {
        let sum = self.high + self.low;
        if const { S::FMA } {
            return sum;
        }
        sum.simd_eq(sum).select(sum, self.high)
    }

    /// Selects `yes` where the mask is set, else `no`.
    #[inline(always)]
    pub fn choose(mask: S::mask64s, yes: Double<S>, no: Double<S>) -> Double<S> {
        Double { high: mask.select(yes.high, no.high), low: mask.select(yes.low, no.low) }
    }
}

impl<S: Isa> core::ops::Neg for Double<S> {
    type Output = Double<S>;
    #[inline(always)]
    fn neg(self) -> Double<S> {
        Double { high: -self.high, low: -self.low }
    }
}
